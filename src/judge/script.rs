//! The `script` judge, Harbor's own contract: the task's `tests/test.sh` runs in a container and leaves its reward in
//! `/logs/verifier/reward.json` or `reward.txt`. This file knows that contract and nothing of who opens the sandbox.
//!
//! Whose doing it is, when it goes wrong. None of these is a reward of 0:
//!
//! | what happened | what it is |
//! | --- | --- |
//! | the engine can't open the sandbox, or loses it | the engine's error: tried again, then ungraded |
//! | a user that isn't in the image, no `sh`, tests that can't be read here | ungraded |
//! | the script runs longer than `[verifier] timeout_sec`, or over the memory cap | ungraded |
//! | no reward file, an empty one, no number, NaN, several rewards and none called `reward` | ungraded |
//! | a reward outside [0, 1] | ungraded: nobody could say what it means beside others |
//! | the script's exit code | ignored, as Harbor does; the reason names it |

use super::{JudgeError, Verdict};
use crate::artifact::{self, Artifact, Artifacts};
use crate::sandbox::{Command, Error, Exit, File, Found, LOG_FOLDERS, Sandbox, bring_in};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The script, seen from a task's `tests/`.
pub const SCRIPT: &str = "test.sh";

/// Where tests lie in the container.
const TESTS: &str = "/tests";

/// Where the script leaves its reward.
pub const VERIFIER: &str = "/logs/verifier";

/// The largest reward file that is read, in bytes.
const REWARD_CAP: u64 = 1 << 20;

/// How much of what the script writes is kept, in bytes.
const OUTPUT_CAP: u64 = 1 << 20;

/// How long after TERM until KILL when the script's time is over.
const GRACE: Duration = Duration::from_secs(2);

/// How far a reward may be outside [0, 1] by rounding.
const ROUNDING: f64 = 1e-9;

/// Which container the script runs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptEnvironment {
    /// A fresh one of the same image, which holds the tests, the answer and what the task declares as artifacts.
    #[default]
    Separate,
    /// The agent's own, as Harbor's `shared` mode: whatever the agent left there has a say.
    Shared,
}

impl ScriptEnvironment {
    /// Harbor's word.
    pub fn word(self) -> &'static str {
        match self {
            ScriptEnvironment::Separate => "separate",
            ScriptEnvironment::Shared => "shared",
        }
    }
}

/// What one task's script is run with.
#[derive(Debug, Clone)]
pub struct ScriptSetup {
    /// The task's `tests/`.
    pub tests: PathBuf,
    /// The script's variables, templates filled in.
    pub env: Vec<(String, String)>,
    /// Who it runs as; the image's own user where `None`.
    pub user: Option<String>,
    /// Where it runs; the image's own folder where `None`.
    pub workdir: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Where it runs.
    pub environment: ScriptEnvironment,
}

/// What came of one run of a script.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptRun {
    /// Where it ran.
    pub environment: ScriptEnvironment,
    /// What it wrote, capped.
    pub output: Vec<u8>,
    /// What it left in [`VERIFIER`], links and other special files left out, with the caps of artifacts.
    pub files: Artifacts,
}

impl ScriptRun {
    /// Nothing has run yet.
    pub fn new(environment: ScriptEnvironment) -> ScriptRun {
        ScriptRun { environment, ..ScriptRun::default() }
    }
}

/// Runs the script in an open sandbox, in which `files` are put first, and reads its reward. What it said and left until
/// then is in `ran` also after an error.
///
/// # Errors
/// The engine's trouble alone; the script's own is in the result.
pub async fn run_script(
    sandbox: &mut Sandbox,
    setup: &ScriptSetup,
    files: &[Artifact],
    ran: &mut ScriptRun,
) -> Result<Result<Verdict, JudgeError>, Error> {
    match verify(sandbox, setup, files, ran).await {
        Err(error @ (Error::Refused(_) | Error::Spoiled(_) | Error::OutOfMemory { .. })) => {
            Ok(Err(JudgeError::lasting(format!("`tests/{SCRIPT}` could not be run: {error}"))))
        }
        other => other,
    }
}

async fn verify(
    sandbox: &mut Sandbox,
    setup: &ScriptSetup,
    files: &[Artifact],
    ran: &mut ScriptRun,
) -> Result<Result<Verdict, JudgeError>, Error> {
    let mut drop_output = |_: &[u8]| {};
    if setup.environment == ScriptEnvironment::Shared {
        // What the agent left there is no reward and no test.
        let clear = command(setup, ["rm", "-rf", VERIFIER, TESTS].map(str::to_owned).to_vec(), Some("0:0"));
        sandbox.run(&clear, &mut drop_output).await?;
    }
    for folder in LOG_FOLDERS {
        sandbox.mkdir(folder, 0o777).await?;
    }
    for file in files.iter().filter(|file| !is_the_verifiers(&file.path)) {
        sandbox.write(&file.path, 0o755, &file.bytes).await?;
    }
    bring_in(sandbox, &setup.tests, TESTS).await?;
    let line = format!("{TESTS}/{SCRIPT} 2>&1");
    let script = command(setup, ["sh", "-c", &line].map(str::to_owned).to_vec(), setup.user.as_deref());
    let exit = sandbox.run(&script, &mut |bytes| ran.output.extend_from_slice(bytes)).await?;
    let result = if exit.timed_out {
        let seconds = setup.timeout.as_secs_f64();
        Err(JudgeError::passing(format!("`tests/{SCRIPT}` ran longer than {seconds} s")))
    } else {
        verdict(sandbox, &exit).await?
    };
    // Kept for whoever looks; what can't be taken is no reason to doubt the verdict.
    ran.files = artifact::take_folder(sandbox, VERIFIER).await.unwrap_or_default();
    Ok(result)
}

/// What the reward files of a script that has ended say.
async fn verdict(sandbox: &mut Sandbox, exit: &Exit) -> Result<Result<Verdict, JudgeError>, Error> {
    let json = sandbox.read(&format!("{VERIFIER}/reward.json"), REWARD_CAP).await?;
    let text = sandbox.read(&format!("{VERIFIER}/reward.txt"), REWARD_CAP).await?;
    let ended = match (exit.code, exit.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_owned(),
    };
    Ok(match read_reward(&json, &text) {
        Ok(Reward { file, reward, others }) => Ok(Verdict {
            reward,
            judge: "script".to_owned(),
            rule: file.to_owned(),
            reason: format!("`tests/{SCRIPT}` wrote it and ended with {ended}"),
            numbers: others,
            ..Verdict::default()
        }),
        Err(why) => Err(JudgeError::passing(format!("`tests/{SCRIPT}` ended with {ended}, and {why}"))),
    })
}

/// Whether a path is where only tests and their reward may be: no artifact of the agent's goes there.
fn is_the_verifiers(path: &str) -> bool {
    [TESTS, VERIFIER].iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

fn command(setup: &ScriptSetup, argv: Vec<String>, user: Option<&str>) -> Command {
    Command {
        argv,
        env: setup.env.clone(),
        cwd: setup.workdir.clone(),
        user: user.map(str::to_owned),
        timeout: Some(setup.timeout),
        grace: GRACE,
        output_cap: OUTPUT_CAP,
    }
}

/// What the reward files say.
#[derive(Debug, PartialEq)]
struct Reward {
    file: &'static str,
    reward: f64,
    others: BTreeMap<String, f64>,
}

/// Harbor's rule: `reward.json`, a flat table of finite numbers, wins over `reward.txt`, one number. Of several rewards
/// the one called `reward` counts.
fn read_reward(json: &File, text: &File) -> Result<Reward, String> {
    let (file, mut rewards) = match (json, text) {
        (File::Other(Found::Missing), File::Other(Found::Missing)) => {
            return Err(format!("it wrote neither `{VERIFIER}/reward.json` nor `{VERIFIER}/reward.txt`"));
        }
        (File::Other(Found::Missing), File::Regular(bytes)) => ("reward.txt", one_number(bytes)?),
        (File::Regular(bytes), _) => ("reward.json", table(bytes)?),
        (File::Other(Found::Missing), _) => return Err("its `reward.txt` is no regular file of at most 1 MiB".into()),
        (File::Other(_), _) => return Err("its `reward.json` is no regular file of at most 1 MiB".into()),
    };
    let only = if rewards.len() == 1 { rewards.keys().next().cloned() } else { None };
    let name = only.unwrap_or_else(|| "reward".to_owned());
    let Some(reward) = rewards.remove(&name) else {
        let names: Vec<String> = rewards.keys().map(|name| format!("`{name}`")).collect();
        return Err(format!("none of its rewards is called `reward`: {}", names.join(", ")));
    };
    if !(-ROUNDING..=1.0 + ROUNDING).contains(&reward) {
        return Err(format!("its reward is {reward}, which is not in [0, 1]"));
    }
    Ok(Reward { file, reward: reward.clamp(0.0, 1.0), others: rewards })
}

fn one_number(bytes: &[u8]) -> Result<BTreeMap<String, f64>, String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("its `reward.txt` is empty".to_owned());
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(BTreeMap::from([("reward".to_owned(), number)])),
        _ => Err(format!("its `reward.txt` holds no finite number: {:?}", text.chars().take(60).collect::<String>())),
    }
}

fn table(bytes: &[u8]) -> Result<BTreeMap<String, f64>, String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("its `reward.json` is empty".to_owned());
    }
    let value: Value = serde_json::from_str(text).map_err(|e| format!("its `reward.json` is no JSON: {e}"))?;
    let Value::Object(map) = value else { return Err("its `reward.json` is no table of numbers".to_owned()) };
    let number = |(name, value): (String, Value)| match value {
        Value::Bool(yes) => Ok((name, f64::from(u8::from(yes)))),
        Value::Number(n) => match n.as_f64().filter(|n| n.is_finite()) {
            Some(n) => Ok((name, n)),
            None => Err(format!("its `reward.json` holds no finite number for `{name}`")),
        },
        _ => Err(format!("its `reward.json` holds no number for `{name}`")),
    };
    let rewards = map.into_iter().map(number).collect::<Result<BTreeMap<_, _>, _>>()?;
    if rewards.is_empty() { Err("its `reward.json` holds no reward".to_owned()) } else { Ok(rewards) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reward_is_one_finite_number_from_0_to_1_and_anything_else_is_none() {
        let file = |text: &str| match text {
            "-" => File::Other(Found::Missing),
            "link" => File::Other(Found::SymbolicLink),
            text => File::Regular(text.as_bytes().to_vec()),
        };
        for (json, text, expected) in [
            ("-", "1", Ok(1.0)),
            ("-", " 0.5\n", Ok(0.5)),
            ("-", "1.0000000000000002", Ok(1.0)),
            ("{\"reward\": 0.25}", "1", Ok(0.25)),
            ("{\"accuracy\": true}", "-", Ok(1.0)),
            ("{\"reward\": 1, \"speed\": 17.5}", "-", Ok(1.0)),
            ("-", "-", Err("neither")),
            ("-", "", Err("is empty")),
            ("", "1", Err("is empty")),
            ("-", "NaN", Err("no finite number")),
            ("-", "inf", Err("no finite number")),
            ("-", "0.5 of 1", Err("no finite number")),
            ("-", "2", Err("not in [0, 1]")),
            ("-", "-0.1", Err("not in [0, 1]")),
            ("[1]", "1", Err("no table")),
            ("{}", "1", Err("holds no reward")),
            ("{\"reward\": \"1\"}", "1", Err("no number for `reward`")),
            ("{\"reward\": 1e999}", "1", Err("reward.json")),
            ("{\"recall\": 1, \"precision\": 1}", "-", Err("none of its rewards is called `reward`")),
            ("{\"reward\": ", "1", Err("no JSON")),
            ("link", "1", Err("no regular file")),
            ("-", "link", Err("no regular file")),
        ] {
            match (read_reward(&file(json), &file(text)), expected) {
                (Ok(found), Ok(reward)) => assert_eq!(found.reward, reward, "{json} {text}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{json} {text}: {why}"),
                (found, expected) => panic!("{json} {text}: {found:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn no_artifact_goes_where_tests_and_rewards_are() {
        for (path, theirs) in
            [("/tests/test.sh", true), ("/logs/verifier/reward.txt", true), ("/testsuite/a", false), ("/app/a", false)]
        {
            assert_eq!(is_the_verifiers(path), theirs, "{path}");
        }
    }
}
