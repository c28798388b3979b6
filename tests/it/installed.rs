//! Agents that ask models, in closed containers: without a key anywhere near them, installed from the Python package
//! index and unmodified, with a provider on this machine.
#![expect(clippy::print_stderr, reason = "a skip is said where the test runs")]

use crate::model_server::{
    Act, Received, Server, chat, chat_stream, message, message_stream, response, response_stream,
};
use crate::support::{self, Run, Suite};
use crate::tiny::{self, trial};
use seatrial::event::Stage;
use seatrial::failure::FailureClass;
use seatrial::results::OutcomeKind;
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};

pub const KEY: &str = "sk-canary-7Qx+4f1b/9c77d0e2aa";

pub fn suite(agents: &str) -> Suite {
    let suite = Suite::new();
    suite.write("harbor.yml", format!("retry: {{min_wait_sec: 0.01}}\nseatrial: {{agents_dir: agents}}\n{agents}"));
    tiny::task(&suite, "ask", BASE, "");
    let toml = suite.read("tasks/ask/task.toml").replace(&format!("docker_image = \"{BASE}\"\n"), "");
    suite.write("tasks/ask/task.toml", toml);
    suite.write("tasks/ask/environment/Dockerfile", format!("FROM {BASE}\nWORKDIR /app\n"));
    suite
}

pub fn run(suite: &Suite, server: &Server, job: &str, args: &[&str]) -> Run {
    let args = [&["run", "tasks", "-q", "--job-name", job], args].concat();
    let mut command = suite.command(&args);
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", server.url() + "/v1");
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", server.url());
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

/// The key in every form in which it could be kept, and its halves.
fn forms() -> Vec<String> {
    let base64 = "c2stY2FuYXJ5LTdReCs0ZjFiLzljNzdkMGUyYW";
    let percent = KEY.replace('+', "%2B").replace('/', "%2F");
    let reversed: String = KEY.chars().rev().collect();
    let (left, right) = KEY.split_at(KEY.len() / 2);
    [KEY, base64, &percent, &reversed, left, right].map(str::to_owned).to_vec()
}

/// Fails where a file below the scratch directory's jobs, or what was said, holds the key in any form.
fn no_key(suite: &Suite, ran: &Run) {
    let files = crate::mini::tree(&suite.join("jobs"));
    assert!(files.len() > 10, "there are files to look through");
    for form in forms() {
        let kept = files.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&form));
        let kept: Vec<_> = kept.map(|(path, _)| path).collect();
        assert!(kept.is_empty(), "`{form}` in {kept:?}");
        assert!(!ran.stdout.contains(&form) && !ran.stderr.contains(&form), "{form}: {}{}", ran.stdout, ran.stderr);
    }
}

/// The steps of a trial's trajectory, which is one by Harbor's format: who says what, and the results of its calls.
fn steps(suite: &Suite, job: &str, name: &str) -> Vec<(String, String, String)> {
    let text = suite.read(&format!("jobs/{job}/{name}/agent/trajectory.json"));
    let trajectory: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(crate::trajectory::problems(&trajectory), Vec::<String>::new(), "{trajectory:#}");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let result = |step: &Value| step["observation"]["results"].as_array().map(|all| word(&all[0]["content"]));
    let step = |step: &Value| (word(&step["source"]), word(&step["message"]), result(step).unwrap_or_default());
    trajectory["steps"].as_array().expect("steps").iter().map(step).collect()
}

/// Whether packages could not be fetched: outside CI that skips a test, in CI it fails it.
pub fn unfetched(test: &str, ran: &Run) -> bool {
    let unfetched = ran.stdout.contains("could not fetch its packages");
    assert!(!unfetched || std::env::var_os("CI").is_none(), "{test} needs the Python package index: {}", ran.stdout);
    if unfetched {
        eprintln!("SKIPPED {test}: this machine's pip can't fetch packages");
    }
    unfetched
}

const LOOKS_FOR_KEYS: &str = r#"python3 - <<'END'
import json, os, urllib.request
print(json.dumps({name: value for name, value in os.environ.items() if "API" in name or "URL" in name}))
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    try: print(open(f"/proc/{pid}/environ").read().replace("\0", "\n"))
    except OSError: pass
body = json.dumps({"model": "gpt-x", "messages": []}).encode()
url = os.environ["OPENAI_BASE_URL"]
def ask(path, key):
    request = urllib.request.Request(url + path, body, {"Authorization": "Bearer " + key})
    try: return urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as error: return str(error.code) + error.read().decode()
print(ask("/files", os.environ["OPENAI_API_KEY"]), ask("/chat/completions", "another"))
reply = json.loads(ask("/chat/completions", os.environ["OPENAI_API_KEY"]))
open("/app/answer.txt", "w").write(reply["choices"][0]["message"]["content"])
END"#;

#[tokio::test]
async fn an_agent_without_a_network_asks_its_model_and_finds_no_key_anywhere() {
    if support::docker("an_agent_without_a_network_asks_its_model").await.is_none() {
        return;
    }
    let said = json!({"role": "assistant", "content": "42"});
    let server = Server::start(vec![Act::json(200, &chat(&said, "stop"))]);
    let suite = suite("");
    let job = crate::docker_job::unique("keyless");
    let ran = run(&suite, &server, &job, &["--command", LOOKS_FOR_KEYS, "-m", "gpt-x"]).expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    assert_eq!((record.outcome, record.reward), (OutcomeKind::Scored, Some(1.0)), "{record:#?}");
    let used = record.model.expect("what it used");
    assert_eq!((used.requests, used.refused, used.usage.prompt(), used.usage.output), (1, 2, 110, 5));
    let [received] = &server.requests()[..] else { panic!("one request is sent on: {:?}", server.requests()) };
    assert_eq!(received.header("authorization"), Some(&*format!("Bearer {KEY}")));
    let dir = format!("jobs/{job}/{}", record.trial.name);
    let result: Value = serde_json::from_str(&suite.read(&format!("{dir}/result.json"))).expect("JSON");
    assert_eq!(result["agent_result"]["n_input_tokens"], 110);
    assert_eq!(result["agent_result"]["n_cache_tokens"], 100);
    let evidence = suite.read(&format!("{dir}/network.jsonl"));
    let lines: Vec<Value> = evidence.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let asked = lines.iter().find(|line| line["path"] == "/v1/chat/completions" && line["status"] == 200);
    assert!(asked.is_some_and(|line| line["host"] == "127.0.0.1" && line["allowed"] == true), "{evidence}");
    assert!(lines.iter().any(|line| line["path"] == "/v1/files" && line["allowed"] == false), "{evidence}");
    assert!(ran.stdout.contains("110 read (100 from a cache), 5 written"), "{}", ran.stdout);
    assert!(suite.read(&format!("{dir}/agent/command.txt")).contains("http://models.seatrial.internal/v1"));
    no_key(&suite, &ran);
}

#[tokio::test]
async fn a_provider_that_says_the_key_back_tells_neither_the_agent_nor_any_file() {
    if support::docker("a_provider_that_says_the_key_back").await.is_none() {
        return;
    }
    let said = json!({"role": "assistant", "content": format!("42, by {KEY}")});
    let server = Server::start(vec![Act::json(200, &chat(&said, "stop")).header("x-debug", KEY)]);
    let suite = suite("");
    let job = crate::docker_job::unique("echo");
    let line = LOOKS_FOR_KEYS.replace("print(ask(\"/files\"", "print(urllib.request.urlopen(urllib.request.Request(url + \"/chat/completions\", body, {\"Authorization\": \"Bearer \" + os.environ[\"OPENAI_API_KEY\"]})).headers)\nprint(ask(\"/files\"");
    let ran = run(&suite, &server, &job, &["--command", &line, "-m", "gpt-x", "--record", "said"]).expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    let over = "*".repeat(KEY.len());
    let dir = format!("jobs/{job}/{}", record.trial.name);
    assert_eq!(suite.read(&format!("{dir}/artifacts/app/answer.txt")), format!("42, by {over}"));
    assert!(suite.read(&format!("{dir}/agent/command.txt")).contains(&format!("x-debug: {over}")), "the header too");
    no_key(&suite, &ran);
    let recorded = crate::mini::tree(&suite.join("said"));
    assert!(!recorded.is_empty() && recorded.values().all(|bytes| !String::from_utf8_lossy(bytes).contains(KEY)));

    // Played back, it reaches nobody, and says so.
    let job = crate::docker_job::unique("echo-again");
    run(&suite, &server, &job, &["--command", &line, "-m", "gpt-x", "--replay", "said"]).expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    let evidence = suite.read(&format!("jobs/{job}/{}/network.jsonl", record.trial.name));
    assert!(evidence.contains("\"status\":200") && !evidence.contains("\"host\":\"127.0.0.1\""), "{evidence}");
}

#[tokio::test]
async fn a_command_whose_model_cant_be_lent_is_told_its_name_alone_and_the_user_is_told_so() {
    if support::docker("a_command_whose_model_cant_be_lent").await.is_none() {
        return;
    }
    let suite = suite("");
    let job = crate::docker_job::unique("unlent");
    let line = "echo \"$SEATRIAL_MODEL\"; echo 42 > /app/answer.txt";
    let mut command = suite.command(&["run", "tasks", "--job-name", &job, "--command", line, "-m", "openai/gpt-x"]);
    let out = command.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL").output().expect("it starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("`openai/gpt-x` is not lent to the agent") && said.contains("OPENAI_API_KEY"), "{said}");
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    assert_eq!(record.outcome, OutcomeKind::Scored);
}

#[tokio::test]
async fn a_provider_that_fails_is_a_fault_a_wrong_key_stops_the_job_and_it_goes_on_when_that_is_mended() {
    if support::docker("a_provider_that_fails_is_a_fault").await.is_none() {
        return;
    }
    let line = LOOKS_FOR_KEYS;
    let suite = suite("");
    let job = crate::docker_job::unique("provider");
    let down = Server::start(vec![Act::json(529, &json!({"error": {"message": "overloaded"}}))]);
    run(&suite, &down, &job, &["--command", line, "-m", "gpt-x", "-r", "1"]).expect_code(3);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    assert_eq!((record.outcome, record.reward), (OutcomeKind::Fault, None), "never the agent's zero");
    let message = record.fault.expect("a fault").message;
    assert!(message.contains("the model's provider failed") && message.contains("answered 529"), "{message}");

    let job = crate::docker_job::unique("wrong-key");
    let strict = Server::with(|request: &Received| match request.header("authorization") {
        Some("Bearer sk-good-0123") => Act::json(200, &chat(&json!({"role": "assistant", "content": "42"}), "stop")),
        _ => Act::json(401, &json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})),
    });
    let ran = run(&suite, &strict, &job, &["--command", line, "-m", "gpt-x", "-k", "5", "-n", "1"]).expect_code(2);
    assert!(ran.stderr.contains("refused the key in `OPENAI_API_KEY` (status 401)"), "{}", ran.stderr);
    assert_eq!(strict.requests().len(), 1, "no further trial starts");
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    let met = record.fault.expect("it met that");
    assert_eq!((met.stage, met.class), (Stage::Provider, Some(FailureClass::Authentication)));
    let why = record.reason.expect("a reason");
    assert!(record.reward.is_none() && why.contains("refused the key in `OPENAI_API_KEY` (status 401)"), "{why}");
    no_key(&suite, &ran);
    let mut resume = suite.command(&["resume", &format!("jobs/{job}"), "-q"]);
    resume.env("OPENAI_API_KEY", "sk-good-0123").env("OPENAI_BASE_URL", strict.url() + "/v1");
    let out = resume.output().expect("it starts");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
}

#[tokio::test]
async fn a_jobs_cap_on_cost_stops_agents_in_containers_and_resume_counts_what_was_spent() {
    if support::docker("a_jobs_cap_on_cost_stops_agents_in_containers").await.is_none() {
        return;
    }
    let suite = suite("");
    // A request costs 1 dollar.
    let prices = "[gpt-x]\ndate = \"2026-11-30\"\ninput = 0.0\noutput = 200000.0\ncache_read = 0.0\n";
    suite.write("prices.toml", prices);
    let server = Server::start(vec![Act::json(200, &chat(&json!({"role": "assistant", "content": "42"}), "stop"))]);
    let job = crate::docker_job::unique("spent");
    let caps = ["--prices", "prices.toml", "--job-max-cost", "0.5", "-k", "3", "-n", "1"];
    let args = [&["--command", LOOKS_FOR_KEYS, "-m", "gpt-x"], &caps[..]].concat();
    let ran = run(&suite, &server, &job, &args).expect_code(3);
    assert!(ran.stderr.contains("have cost $1.0000, and its cap is $0.5000"), "{}", ran.stderr);
    assert_eq!(server.requests().len(), 1, "the first trial could end, and nobody else was let through");
    let resume = |cap: &str| {
        let mut resume = suite.command(&["resume", &format!("jobs/{job}"), "-q", "--job-max-cost", cap]);
        resume.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", server.url() + "/v1");
        let out = resume.output().expect("it starts");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, said) = resume("1");
    assert!(code == Some(2) && said.contains("have cost $1.0000"), "{code:?} {said}");
    assert_eq!(resume("1.5").0, Some(3));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(resume("9").0, Some(0));
    let ends: Vec<_> = tiny::ledger(&suite.join(&format!("jobs/{job}"))).into_values().collect();
    assert!(ends.iter().all(|end| end.reward == Some(1.0) && end.spent_usd == Some(1.0)), "{ends:#?}");
}

/// Each official package asks whole and as a stream; what they read has to be the same.
pub const SPEAKERS: &str = r#"
wheels = ["openai", "anthropic"]
install = [
  "python3 -m venv --without-pip /opt/speakers",
  "/opt/speakers/bin/python $PIP install --no-index --find-links $WHEELS --no-compile openai anthropic",
]
logs = ["/tmp/versions.txt"]
run = '''
/opt/speakers/bin/python - <<'END'
import os, anthropic, openai
open("/tmp/versions.txt", "w").write(f"openai {openai.__version__} anthropic {anthropic.__version__}\n")
ask = [{"role": "user", "content": "How many?"}]
if "OPENAI_BASE_URL" in os.environ:
    client = openai.OpenAI()
    whole = client.chat.completions.create(model="gpt-x", messages=ask).choices[0].message.content
    with client.chat.completions.create(model="gpt-x", messages=ask, stream=True,
                                        stream_options={"include_usage": True}) as stream:
        pieces = [piece.choices[0].delta.content or "" for piece in stream if piece.choices]
    assert client.responses.create(model="gpt-x", input="How many?").output_text == whole
    with client.responses.create(model="gpt-x", input="How many?", stream=True) as stream:
        assert list(stream)[-1].response.output_text == whole
else:
    client = anthropic.Anthropic()
    whole = client.messages.create(model="claude-x", max_tokens=9, messages=ask).content[0].text
    with client.messages.stream(model="claude-x", max_tokens=9, messages=ask) as stream:
        pieces = list(stream.text_stream)
assert whole == "".join(pieces) == "42 漢", (whole, pieces)
open("/app/answer.txt", "w").write("42")
END
'''
"#;

/// The answer to each of their requests: `42 漢`, in the format and the way in which it is asked for.
pub fn answers(request: &Received) -> Act {
    let (said, blocks) = (json!({"role": "assistant", "content": "42 漢"}), json!([{"type": "text", "text": "42 漢"}]));
    let part = json!({"type": "output_text", "text": "42 漢", "annotations": []});
    let items =
        json!([{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}]);
    match (request.path.as_str(), request.body["stream"] == true) {
        ("/v1/messages", true) => Act::stream(&message_stream(&blocks, "end_turn")),
        ("/v1/messages", false) => Act::json(200, &message(&blocks, "end_turn")),
        ("/v1/responses", true) => Act::stream(&response_stream(&items, "completed")),
        ("/v1/responses", false) => Act::json(200, &response(&items, "completed")),
        (_, true) => Act::stream(&chat_stream(&said, "stop")),
        (_, false) => Act::json(200, &chat(&said, "stop")),
    }
}

#[tokio::test]
async fn the_official_packages_ask_through_the_relay_whole_and_as_streams() {
    let name = "the_official_packages_ask_through_the_relay";
    if support::docker(name).await.is_none() {
        return;
    }
    let suite = suite("");
    suite.write("agents/speakers.toml", SPEAKERS);
    let server = Server::with(answers);
    let job = crate::docker_job::unique("speakers");
    let ran = run(&suite, &server, &job, &["-a", "speakers", "-m", "openai/gpt-x", "-m", "anthropic/claude-x"]);
    if unfetched(name, &ran) {
        return;
    }
    let ran = ran.expect_code(0);
    for record in tiny::ledger(&suite.join(&format!("jobs/{job}"))).into_values() {
        let used = record.model.clone().expect("what it used");
        assert_eq!((record.outcome, record.reward), (OutcomeKind::Scored, Some(1.0)), "{record:#?}");
        // OpenAI's package speaks Chat and Responses.
        let asked = if record.trial.agent.model.as_deref() == Some("openai/gpt-x") { 4 } else { 2 };
        let counted = (used.requests, used.failed, used.unmetered, used.usage.output);
        assert_eq!(counted, (asked, 0, 0, 5 * asked), "{used:?}");
        let versions = suite.read(&format!("jobs/{job}/{}/agent/versions.txt", record.trial.name));
        assert!(versions.starts_with("openai "), "{versions}");
        let replies = steps(&suite, &job, &record.trial.name).into_iter().filter(|(who, ..)| who == "agent");
        let replies: Vec<_> = replies.map(|(_, text, _)| text).collect();
        assert_eq!(replies, vec!["42 漢"; asked as usize], "each reply, of each interface");
    }
    no_key(&suite, &ran);
}

#[tokio::test]
async fn a_trajectory_of_the_agents_own_is_kept_beside_ours_and_what_it_says_is_counted() {
    if support::docker("a_trajectory_of_the_agents_own_is_kept").await.is_none() {
        return;
    }
    let suite = suite("");
    suite.write(
        "agents/own.toml",
        "run = 'echo {\\\"steps\\\":[{},{},{}]} > /tmp/trajectory.json; echo 42 > /app/answer.txt'\n\
         logs = ['/tmp/trajectory.json']\n[usage]\nfile = '/tmp/trajectory.json'\nsteps = '/steps/*'\n",
    );
    let job = crate::docker_job::unique("own");
    suite.run(&["run", "tasks", "-q", "-a", "agents/own.toml", "--job-name", &job]).expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    let kept = suite.read(&format!("jobs/{job}/{}/agent/own-trajectory.json", record.trial.name));
    assert_eq!(kept, "{\"steps\":[{},{},{}]}\n");
    assert_eq!(record.effort().and_then(|effort| effort.steps), Some(3));
}

#[tokio::test]
async fn the_ten_lines_of_the_readme_add_an_agent_that_asks_its_model() {
    let name = "the_ten_lines_of_the_readme_add_an_agent";
    if support::docker(name).await.is_none() {
        return;
    }
    let readme = std::fs::read_to_string(support::project().join("README.md")).expect("README.md");
    let shown = readme.split("$ cat agents/mine.toml\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let (file, command) = shown.and_then(|shown| shown.split_once("$ seatrial ")).expect("a file and a command");
    assert!(file.lines().count() <= 10, "{file}");
    assert_eq!(command, "run tasks -a agents/mine.toml -m openai/gpt-x");
    let suite = suite("");
    suite.write("agents/mine.toml", file);
    let server = Server::start(vec![Act::json(200, &chat(&json!({"role": "assistant", "content": "42"}), "stop"))]);
    let job = crate::docker_job::unique("mine");
    let ran = run(&suite, &server, &job, &["-a", "agents/mine.toml", "-m", "openai/gpt-x"]);
    if unfetched(name, &ran) {
        return;
    }
    ran.expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    assert_eq!((record.outcome, record.reward), (OutcomeKind::Scored, Some(1.0)), "{record:#?}");
    let result: Value =
        serde_json::from_str(&suite.read(&format!("jobs/{job}/{}/result.json", record.trial.name))).expect("JSON");
    assert_eq!((&result["agent_info"]["name"], &result["agent_info"]["version"]), (&"mine".into(), &"unknown".into()));
    assert_eq!(steps(&suite, &job, &record.trial.name).len(), 2, "the question and the reply");
}

#[tokio::test]
async fn mini_swe_agent_runs_unmodified_in_a_closed_container_to_a_scored_answer() {
    let name = "mini_swe_agent_runs_unmodified";
    if support::docker(name).await.is_none() {
        return;
    }
    let call = |id: &str, line: &str| {
        let function = json!({"name": "bash", "arguments": json!({"command": line}).to_string()});
        let call = json!({"id": id, "type": "function", "function": function});
        Act::json(200, &chat(&json!({"role": "assistant", "content": "I act.", "tool_calls": [call]}), "tool_calls"))
    };
    let server = Server::start(vec![
        call("call_1", "ls /app; echo 42 > /app/answer.txt"),
        call("call_2", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
    ]);
    let suite = suite("");
    let job = crate::docker_job::unique("mini");
    let ran = run(&suite, &server, &job, &["-a", "mini-swe-agent", "-m", "openai/gpt-x"]);
    if unfetched(name, &ran) {
        return;
    }
    let ran = ran.expect_code(0);
    let record = trial(&suite.join(&format!("jobs/{job}")), "ask");
    let said = suite.read(&format!("jobs/{job}/{}/agent/mini-swe-agent.txt", record.trial.name));
    assert_eq!((record.outcome, record.reward), (OutcomeKind::Scored, Some(1.0)), "{record:#?}\n{said}");
    let used = record.model.clone().expect("what it used");
    assert_eq!((used.requests, used.failed, used.usage.prompt(), used.usage.output), (2, 0, 220, 10), "{said}");
    assert!(server.requests()[0].body["messages"].to_string().contains("How many?"), "the question reaches the model");
    let own = record.agent_run.as_ref().and_then(|run| run.reported.clone()).expect("its log is read");
    assert_eq!((own.steps, own.tool_calls, own.requests), (Some(2), Some(2), Some(2)), "{own:?}");
    assert_eq!((own.input_tokens, own.output_tokens), (Some(220), Some(10)), "{own:?}");
    let steps = steps(&suite, &job, &record.trial.name);
    let (who, _, result) = &steps[2];
    assert_eq!((steps[0].0.as_str(), steps[1].0.as_str(), who.as_str()), ("system", "user", "agent"), "{steps:#?}");
    assert!(steps[1].1.contains("How many?") && result.contains("returncode"), "{steps:#?}");
    assert!(suite.read(&format!("jobs/{job}/{}/agent/messages.json", record.trial.name)).contains("call_2"));
    let effort = record.effort().expect("it ran");
    assert_eq!((effort.steps, effort.tool_calls, effort.input_tokens), (Some(2), Some(2), Some(220)));
    assert!(!effort.differs && effort.model_sec.is_some(), "{effort:?}");
    let shown = suite.run(&["report", &format!("jobs/{job}"), "--format", "json"]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown);
    no_key(&suite, &ran);
}
