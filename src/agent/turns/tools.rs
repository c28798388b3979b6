//! The tools: what the model is told of them, and what each runs in the sandbox. All run as the agent's user, through
//! the sandbox's own `sh`, so that nothing a model writes can fail in a way that isn't its own.

use super::settings::Settings;
use crate::agent::Launch;
use crate::agent::Transcript;
use crate::model::Tool;
use crate::sandbox::{Command, Error, Sandbox};
use serde_json::{Value, json};
use std::time::Duration;

/// What a call gave.
pub struct Result {
    pub text: String,
    pub is_error: bool,
    /// The answer is given; nothing more is asked.
    pub finished: bool,
}

/// How long an answer may be, in bytes: it is handed over as a program's argument.
const ANSWER_CAP: usize = 100_000;

/// Searches a folder's files in the order of their names: that in which a folder lists them differs from machine to
/// machine. No match is no failure. A small image may have `grep` alone.
const GREP: &str = r#"
if [ ! -d "$1" ] || ! command -v find >/dev/null || ! command -v xargs >/dev/null; then
    grep -HrnIE -e "$0" -- "$1"; test $? -le 1; exit
fi
case $1 in -*) set -- "./$1" ;; esac
find -H "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sh -c 'grep -HnIE -e "$0" -- "$@"; test $? -le 1' "$0"
"#;

/// What the model can call.
pub fn all() -> Vec<Tool> {
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties, "required": required,
                       "additionalProperties": false}),
    };
    let text = |what: &str| json!({"type": "string", "description": what});
    let number = |what: &str| json!({"type": "integer", "minimum": 1, "description": what});
    vec![
        tool(
            "bash",
            "Runs a shell command in the container and gives back what it writes. Each call is a new shell.",
            json!({"command": text("The command."), "timeout_sec": number("Give up after so many seconds.")}),
            &["command"],
        ),
        tool(
            "read",
            "Gives back lines of a text file.",
            json!({"path": text("The file."), "first_line": number("From this line on, counted from 1."),
                   "lines": number("So many lines.")}),
            &["path"],
        ),
        tool(
            "grep",
            "Gives back the lines that match an extended regular expression, with file name and line number.",
            json!({"pattern": text("The expression."), "path": text("A file, or a folder with all that is below it.")}),
            &["pattern", "path"],
        ),
        tool(
            "finish",
            "Hands in the final answer and ends the work. Nothing counts that is not handed in.",
            json!({"answer": text("The answer, as the question wants it.")}),
            &["answer"],
        ),
    ]
}

/// Runs one call. `left` is how long the whole run may still take.
///
/// # Errors
/// What the sandbox says; a call that can't be run is a result that says so.
pub async fn call(
    sandbox: &mut Sandbox,
    launch: &Launch<'_>,
    settings: &Settings,
    left: Option<Duration>,
    name: &str,
    input: &Value,
) -> std::result::Result<Result, Error> {
    let (argv, limit) = match argv(name, input) {
        Ok(found) => found,
        Err(why) => return Ok(Result { text: why, is_error: true, finished: false }),
    };
    let most = Duration::from_secs_f64(settings.tool_timeout_sec);
    let timeout = limit.map_or(most, |limit| limit.min(most));
    let command = Command {
        argv,
        env: launch.variables(),
        cwd: launch.workdir.clone(),
        user: launch.user.clone(),
        timeout: Some(left.map_or(timeout, |left| left.min(timeout))),
        grace: launch.grace,
        output_cap: settings.tool_output_bytes,
    };
    let (mut transcript, mut text) = (Transcript::default(), String::new());
    let exit = sandbox.run(&command, &mut |bytes| text.push_str(&transcript.push(bytes))).await?;
    text.push_str(&transcript.finish(exit.dropped));
    let well = exit.code == Some(0);
    if exit.timed_out {
        text.push_str(&format!("\n[stopped after {:.0} s]", timeout.as_secs_f64()));
    } else if !well {
        let how = exit.code.map_or_else(|| format!("signal {:?}", exit.signal), |code| format!("exit code {code}"));
        text.push_str(&format!("\n[{how}]"));
    }
    let finished = name == "finish" && well;
    if finished {
        text = "handed in".to_owned();
    } else if text.is_empty() {
        text = "[no output]".to_owned();
    }
    // A command that says no has run: only what did not run is the tool's error.
    Ok(Result { text, is_error: exit.timed_out || (name == "finish" && !well), finished })
}

type Argv = (Vec<String>, Option<Duration>);

/// What a call runs, or what is wrong with it, for the model.
fn argv(name: &str, input: &Value) -> std::result::Result<Argv, String> {
    if !input.is_object() {
        return Err(format!("the input of `{name}` is no JSON object"));
    }
    let text = |key: &str| {
        let value = input.get(key).and_then(Value::as_str);
        let plain = value.filter(|text| !text.contains('\0'));
        plain.map(str::to_owned).ok_or_else(|| format!("`{name}` needs `{key}`, a string"))
    };
    let number = |key: &str| match input.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().filter(|n| *n > 0).map(Some).ok_or_else(|| format!("`{key}` must be at least 1")),
    };
    let sh = |script: &str, arguments: Vec<String>| [vec!["sh".into(), "-c".into(), script.into()], arguments].concat();
    Ok(match name {
        "bash" => {
            let script = "if command -v bash >/dev/null 2>&1; then exec bash -c \"$0\"; else exec sh -c \"$0\"; fi";
            (sh(script, vec![text("command")?]), number("timeout_sec")?.map(Duration::from_secs))
        }
        "read" => {
            let (first, lines) = (number("first_line")?.unwrap_or(1), number("lines")?.unwrap_or(2000));
            let last = first.saturating_add(lines - 1);
            (sh("exec sed -n \"$1\" <\"$0\"", vec![text("path")?, format!("{first},{last}p")]), None)
        }
        "grep" => (sh(GREP, vec![text("pattern")?, text("path")?]), None),
        "finish" => {
            let answer = text("answer")?;
            if answer.len() > ANSWER_CAP {
                return Err(format!("the answer has {} bytes, and {ANSWER_CAP} are allowed", answer.len()));
            }
            let script = "mkdir -p /app && rm -rf /app/answer.txt && printf '%s\\n' \"$0\" >/app/answer.txt";
            (sh(script, vec![answer]), None)
        }
        _ => return Err(format!("there is no tool `{name}`; there are bash, read, grep and finish")),
    })
}
