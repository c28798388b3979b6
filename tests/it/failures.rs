//! Classes of failure through the real binary: each is named in the trial's record, counted in every report, and placed
//! where its outcome belongs, whoever the agent is.

use crate::installed;
use crate::model_agent;
use crate::model_server::{Act, Received, Server, message, message_stream};
use crate::report::matches_schema;
use crate::support::{self, Suite};
use crate::tiny::{self, fake, ledger, trial};
use seatrial::event::Stage;
use seatrial::failure::FailureClass;
use seatrial::results::OutcomeKind::{
    self, AgentError, AgentTimeout, Cancelled, Fault, Limit, NoAnswer, Scored, Ungraded,
};
use seatrial::results::TrialRecord;
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A task's name, how its trial has to end, its reward, and the class in the stored word.
type Case<'a> = (&'a str, OutcomeKind, Option<f64>, Option<&'a str>);

/// What a record says in the file itself.
fn stored(dir: &Path, record: &TrialRecord) -> Value {
    let text = std::fs::read_to_string(dir.join(&record.trial.name).join("result.json")).expect("a result");
    serde_json::from_str::<Value>(&text).expect("JSON")["seatrial"].take()
}

/// Writes tasks by these names, each of which asks a question with its name in it.
fn asking(suite: &Suite, cases: &[Case<'_>], image: &str) {
    for (name, ..) in cases {
        tiny::task(suite, name, image, "");
        suite.write(&format!("tasks/{name}/instruction.md"), format!("Question {name}?\n"));
    }
}

/// The name of the task that a request is about.
fn about(request: &Received) -> String {
    let text = request.body.to_string();
    let name = text.split("Question ").nth(1).and_then(|rest| rest.split('?').next());
    name.unwrap_or_default().to_owned()
}

/// Holds a job against its cases: each trial's record, and every report.
#[track_caller]
fn hold(suite: &Suite, job: &str, cases: &[Case<'_>], retried: &[(&str, u64)]) {
    let dir = suite.join(&format!("jobs/{job}"));
    let mut wanted: BTreeMap<(bool, FailureClass), (u64, u64)> = BTreeMap::new();
    let class = |word: &str| serde_json::from_value::<FailureClass>(word.into()).expect("a class");
    for (name, outcome, reward, word) in cases {
        let record = trial(&dir, name);
        assert_eq!((record.outcome, record.reward), (*outcome, *reward), "{job} {name}: {:?}", record.reason);
        let kept = stored(&dir, &record);
        assert_eq!(kept["failure"].as_str(), *word, "{job} {name}: {:?}", record.reason);
        assert_eq!(record.failure_class().map(FailureClass::word), *word, "{job} {name}");
        if *outcome == Fault {
            assert_eq!(kept["fault"]["class"].as_str(), *word, "{job} {name}");
        }
        for fault in kept["earlier_faults"].as_array().expect("a list") {
            assert!(fault["class"].is_string(), "{job} {name}: {fault}");
        }
        if let Some(word) = word {
            wanted.entry((reward.is_none(), class(word))).or_default().0 += 1;
        }
    }
    for (word, count) in retried {
        wanted.entry((true, class(word))).or_default().1 += count;
    }
    let shown = |format: &str| {
        let code = suite.run(&["report", &format!("jobs/{job}"), "--format", format]);
        code.expect_code(0).stdout
    };
    let text = shown("json");
    matches_schema("report.json", &text);
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let list: Vec<Value> = wanted
        .iter()
        .map(|((ours, class), (trials, retried))| {
            let whose = if *ours { "ours" } else { "agent" };
            json!({"class": class.word(), "whose": whose, "trials": trials, "retried": retried})
        })
        .collect();
    let counted = report["arms"][0]["failures"].as_array().cloned().unwrap_or_default();
    assert_eq!(counted, list, "{job}");
    let counts = &report["arms"][0]["all"]["counts"];
    let sum: u64 = counted.iter().filter_map(|row| row["trials"].as_u64()).sum();
    let ended = ["no_answer", "agent_timeout", "agent_error", "limit", "ungraded", "fault", "cancelled"];
    assert_eq!(Some(sum), ended.iter().map(|kind| counts[kind].as_u64()).sum(), "{job}: each has one class");
    let (text, md, html) = (shown("text"), shown("md"), shown("html"));
    for ((ours, class), (trials, retried)) in &wanted {
        let (words, whose) = (class.word().replace('_', " "), if *ours { "ours" } else { "agent" });
        let row = format!("\n  {words:<21}{trials:>8}{retried:>10}  {whose}\n");
        assert!(text.contains(&row), "{job}: {row}{text}");
        assert!(md.contains(&format!("\n| {words} | {trials} | {retried} | {whose} |\n")), "{job} {words}: {md}");
        let cells = format!("<td class=\"n\">{trials}</td><td class=\"n\">{retried}</td><td>{whose}</td>");
        assert!(html.contains(&format!("<th scope=\"row\">{words}</th>{cells}")), "{job} {words}");
    }
    assert_eq!(text.contains("\n  failures  "), !wanted.is_empty(), "{text}");
    assert_eq!(html.contains("Failures by class"), !wanted.is_empty());
    let junit = shown("junit");
    for (name, outcome, reward, word) in cases {
        let case = junit.split("<testcase ").find(|case| case.contains(&format!("name=\"{name} attempt 1\"")));
        let case = case.unwrap_or_else(|| panic!("{name}: {junit}"));
        let wanted = match (reward, word) {
            _ if *outcome == Cancelled => "<skipped ".to_owned(),
            (Some(1.0), _) => continue,
            (Some(_), word) => format!("<failure type=\"{}\" ", word.unwrap_or("scored")),
            (None, word) => format!("<error type=\"{}\" ", word.expect("a class")),
        };
        assert!(case.contains(&wanted), "{name}: {wanted} in {case}");
    }
}

fn error(status: u16, kind: &str, text: &str) -> Act {
    Act::json(status, &json!({"type": "error", "error": {"type": kind, "message": text}}))
        .header("x-should-retry", "false")
}

/// What a provider of Messages answers, by the class that it should come to.
fn messages(name: &str) -> Option<Act> {
    let text = json!([{"type": "text", "text": "Hm."}]);
    let late = |error: Value| {
        let mut events = message_stream(&text, "end_turn");
        events.truncate(3);
        events.push(error);
        Act::stream(&events)
    };
    let said = |kind: &str, text: &str| json!({"type": "error", "error": {"type": kind, "message": text}});
    Some(match name {
        "overloaded" => error(529, "overloaded_error", "busy"),
        "broken-off" => late(said("overloaded_error", "busy")),
        "no-reply" => Act::bytes(200, "text/html", "<h1>log in</h1>"),
        "throttled" => error(429, "rate_limit_error", "slow down"),
        "refused-by-status" => error(400, "invalid_request_error", "Output blocked by content filtering policy"),
        "refused-in-a-reply" => Act::stream(&message_stream(&text, "refusal")),
        "too-long-by-status" => error(400, "invalid_request_error", "prompt is too long: 9 > 8"),
        "too-long-in-a-stream" => late(said("invalid_request_error", "prompt is too long: 9 > 8")),
        "too-long-by-its-stop" => Act::stream(&message_stream(&json!([]), "model_context_window_exceeded")),
        _ => return None,
    })
}

/// How each of these ends, whoever asks.
const ALIKE: [Case<'static>; 8] = [
    ("overloaded", Fault, None, Some("provider")),
    ("no-reply", Fault, None, Some("provider")),
    ("throttled", Fault, None, Some("throttled")),
    ("refused-by-status", AgentError, Some(0.0), Some("refusal")),
    ("refused-in-a-reply", AgentError, Some(0.0), Some("refusal")),
    ("too-long-by-status", Limit, Some(0.0), Some("context_exceeded")),
    ("too-long-in-a-stream", Limit, Some(0.0), Some("context_exceeded")),
    ("too-long-by-its-stop", Limit, Some(0.0), Some("context_exceeded")),
];

/// Whose sandbox has the answer after any command.
const ENGINE: &str = r#"{"default": {"answer": "42"}}"#;

const FINE: Case<'static> = ("fine", Scored, Some(1.0), None);

#[test]
fn what_ended_a_loop_or_a_search_is_named_counted_and_placed() {
    let own: [Case<'_>; 2] = [("bad-request", Fault, None, Some("bad_request")), FINE];
    let cases = [&ALIKE[..], &own].concat();
    for (agent, more) in [("loop", &["--ak", "max_turns=2"][..]), ("messages-search", &["--ak", "provider_tools=true"])]
    {
        let suite = tiny::suite(&[]);
        asking(&suite, &cases, "fake");
        suite.write("engine.json", ENGINE);
        let server = Server::with(move |request| {
            let finish = json!([{"type": "tool_use", "id": "c1", "name": "finish", "input": {"answer": "42"}}]);
            let result = json!([{"type": "text", "text": "<result>42</result>"}]);
            match about(request).as_str() {
                "bad-request" => error(400, "invalid_request_error", "no"),
                name => messages(name).unwrap_or_else(|| match agent {
                    "loop" => Act::stream(&message_stream(&finish, "tool_use")),
                    _ => Act::stream(&message_stream(&result, "end_turn")),
                }),
            }
        });
        let args = ["run", "tasks", "-a", agent, "-m", "claude-x", "--job-name", "j", "-q", "--max-retries", "0"];
        let engine = ["--fake-engine", "engine.json", "-n", "4"];
        model_agent::run(&suite, &server.url(), &[&args[..], &engine, more].concat()).expect_code(3);
        hold(&suite, "j", &cases, &[]);
    }
}

#[test]
fn each_cap_of_a_loop_is_its_budget() {
    let pause = json!([{"type": "text", "text": "Hm."}]);
    let cases: [Case<'_>; 1] = [("capped", Limit, Some(0.0), Some("budget"))];
    let prices = "[claude-x]\ndate = \"2026-11-30\"\ninput = 1000.0\noutput = 2000.0\ncache_read = 100.0\n";
    for cap in [
        &["--max-requests", "2"][..],
        &["--max-tokens", "200"],
        &["--max-cost", "0.04", "--prices", "prices.toml"],
        &["--ak", "max_turns=2"],
    ] {
        let suite = tiny::suite(&[]);
        asking(&suite, &cases, "fake");
        suite.write("engine.json", ENGINE).write("prices.toml", prices);
        let server = Server::start(vec![Act::stream(&message_stream(&pause, "end_turn"))]);
        let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q"];
        let engine = ["--fake-engine", "engine.json"];
        model_agent::run(&suite, &server.url(), &[&args[..], &engine, cap].concat()).expect_code(0);
        hold(&suite, "j", &cases, &[]);
    }
}

#[test]
fn a_start_that_met_a_fault_is_counted_by_its_class_though_its_trial_was_scored() {
    let suite = tiny::suite(&[]);
    let cases = [FINE, ("throttled", Scored, Some(1.0), None), ("overloaded", Fault, None, Some("provider"))];
    asking(&suite, &cases, "fake");
    suite.write("engine.json", ENGINE);
    let finish = json!([{"type": "tool_use", "id": "c1", "name": "finish", "input": {"answer": "42"}}]);
    let once = std::sync::Once::new();
    let server = Server::with(move |request| {
        let mut act = Act::stream(&message_stream(&finish, "tool_use"));
        match about(request).as_str() {
            "throttled" => once.call_once(|| act = messages("throttled").expect("an answer")),
            "overloaded" => act = messages("overloaded").expect("an answer"),
            _ => {}
        }
        act
    });
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q", "-r", "2"];
    model_agent::run(&suite, &server.url(), &[&args[..], &["--fake-engine", "engine.json"]].concat()).expect_code(3);
    hold(&suite, "j", &cases, &[("throttled", 1), ("provider", 2)]);
    let record = trial(&suite.join("jobs/j"), "throttled");
    let report: Value = serde_json::from_str(&tiny::report(&suite, "jobs/j")).expect("JSON");
    let shown = report["trials"].as_array().and_then(|all| all.iter().find(|one| one["name"] == record.trial.name));
    assert_eq!(shown.map(|one| &one["earlier_failures"]), Some(&json!(["throttled"])));
}

#[test]
fn what_an_engine_an_agent_and_a_judge_did_wrong_is_named_counted_and_placed() {
    let suite = tiny::suite(&["oom", "exit", "nothing", "fifo", "spoil", "open", "run", "read", "judge", "fine"]);
    tiny::task(&suite, "slow", "fake", "[agent]\ntimeout_sec = 0.2");
    let script = json!({"default": {"answer": "42"}, "tasks": {
        "oom": [{"exit": 137, "oom": true}], "exit": [{"answer": "42", "exit": 3}], "nothing": [{}],
        "fifo": [{"found": "fifo"}], "spoil": [{"spoil": true}], "open": [{"fault": "open"}], "run": [{"fault": "run"}],
        "read": [{"fault": "read"}], "judge": [{"answer": "no verdict"}], "slow": [{"delay_ms": 400}]}});
    suite.write("judge.json", r#"{"default": {"reward": 1}, "tasks": {"judge": {"failure": "no words"}}}"#);
    let args = ["run", "tasks", "--job-name", "j", "-q", "-r", "1", "--scripted-judge", "judge.json"];
    fake(&suite, &script.to_string(), &args).expect_code(3);
    let cases: Vec<Case<'_>> = vec![
        ("oom", Limit, Some(0.0), Some("memory")),
        ("exit", AgentError, Some(1.0), Some("agent_error")),
        ("nothing", NoAnswer, Some(0.0), Some("no_answer")),
        ("fifo", NoAnswer, Some(0.0), Some("no_answer")),
        ("spoil", AgentError, Some(0.0), Some("agent_error")),
        ("open", Fault, None, Some("engine")),
        ("run", Fault, None, Some("engine")),
        ("read", Fault, None, Some("engine")),
        ("judge", Ungraded, None, Some("judge")),
        ("slow", AgentTimeout, Some(0.0), Some("time")),
        FINE,
    ];
    hold(&suite, "j", &cases, &[("engine", 3)]);
}

#[test]
fn a_job_whose_image_cant_be_built_is_named_so() {
    let suite = tiny::suite(&["t"]);
    fake(&suite, r#"{"default": {"fault": "image"}}"#, &["run", "tasks", "--job-name", "j", "-q", "-r", "0"])
        .expect_code(3);
    hold(&suite, "j", &[("t", Fault, None, Some("image"))], &[]);
}

/// Asks once, or as its question wants, and goes on with a good reply alone.
const ASKS: &str = r#"mkdir -p /app; python3 - <<'END'
import json, os, sys, urllib.request
question = open(os.environ["SEATRIAL_INSTRUCTION"]).read()
def ask(more=""):
    said = [{"role": "user", "content": question + more}]
    body = json.dumps({"model": "claude-x", "max_tokens": 9, "messages": said}).encode()
    head = {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, head)
    try: text = urllib.request.urlopen(request).read().decode()
    except Exception: return False
    return "end_turn" in text and '"type":"error"' not in text
good = ask()
if "over-cap" in question:
    for _ in range(3): good = ask()
if "got-over" in question: good = ask(" Anew.")
if "fine" in question or "all-the-same" in question: open("/app/answer.txt", "w").write("42")
elif "and-left" not in question: sys.exit(0 if good and "own-error" not in question and "got-over" not in question else 3)
END"#;

#[tokio::test]
async fn what_ended_an_agent_in_a_container_is_named_counted_and_placed_alike() {
    if support::docker("what_ended_an_agent_in_a_container_is_named").await.is_none() {
        return;
    }
    let own: [Case<'_>; 9] = [
        ("broken-off", Fault, None, Some("provider")),
        ("over-cap", Limit, Some(0.0), Some("budget")),
        ("own-error", AgentError, Some(0.0), Some("agent_error")),
        ("refused-and-left", AgentError, Some(0.0), Some("refusal")),
        ("too-long-and-left", Limit, Some(0.0), Some("context_exceeded")),
        // The next request went well, so it ended for something else.
        ("refused-got-over", AgentError, Some(0.0), Some("agent_error")),
        ("throttled-got-over", AgentError, Some(0.0), Some("agent_error")),
        ("refused-all-the-same", Scored, Some(1.0), None),
        FINE,
    ];
    let cases = [&ALIKE[..], &own].concat();
    let suite = installed::suite("");
    std::fs::remove_dir_all(suite.join("tasks")).expect("it is there");
    asking(&suite, &cases, BASE);
    let server = Server::with(|request| {
        let first = !request.body.to_string().contains("Anew.");
        let fine = || Act::json(200, &message(&json!([{"type": "text", "text": "x"}]), "end_turn"));
        let name = match about(request).as_str() {
            "refused-got-over" | "refused-all-the-same" | "refused-and-left" if first => {
                "refused-in-a-reply".to_owned()
            }
            "throttled-got-over" if first => "throttled".to_owned(),
            "too-long-and-left" => "too-long-by-status".to_owned(),
            name => name.to_owned(),
        };
        messages(&name).unwrap_or_else(fine)
    });
    let job = crate::docker_job::unique("classes");
    let args = ["--command", ASKS, "-m", "anthropic/claude-x", "--max-requests", "3", "-r", "0", "-n", "4"];
    installed::run(&suite, &server, &job, &args).expect_code(3);
    hold(&suite, &job, &cases, &[]);
    let why = trial(&suite.join(&format!("jobs/{job}")), "refused-by-status").reason;
    assert_eq!(why.as_deref(), Some("its model refused, and it ended with exit code 3"));
}

/// What a job with a refused key comes to, whoever asks: `met` asked, the others were under way.
fn refused_key(suite: &Suite, job: &str, stderr: &str, sentence: &str) {
    let cases: [Case<'_>; 3] = [
        ("met", Fault, None, Some("authentication")),
        ("other-1", Cancelled, None, Some("cancelled")),
        ("other-2", Cancelled, None, Some("cancelled")),
    ];
    hold(suite, job, &cases, &[]);
    assert_eq!(stderr.matches(sentence).count(), 1, "{stderr}");
    let dir = suite.join(&format!("jobs/{job}"));
    for record in ledger(&dir).into_values() {
        assert!(record.reason.as_deref().is_some_and(|why| why.contains(sentence)), "{record:?}");
        assert_eq!(record.fault.map(|fault| fault.stage), (record.trial.task == "met").then_some(Stage::Provider));
    }
}

fn one_refused_key(request: &Received) -> Act {
    match about(request).as_str() {
        "met" => error(401, "authentication_error", "no").slow(Duration::from_secs(2)),
        _ => messages("overloaded").expect("an answer").slow(Duration::from_secs(20)),
    }
}

const THREE: [Case<'static>; 3] =
    [("met", Fault, None, None), ("other-1", Cancelled, None, None), ("other-2", Cancelled, None, None)];

#[test]
fn a_refused_key_is_the_fault_of_the_trial_of_a_loop_that_met_it() {
    let suite = tiny::suite(&[]);
    asking(&suite, &THREE, "fake");
    suite.write("engine.json", ENGINE);
    let server = Server::with(one_refused_key);
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q", "-n", "3"];
    let args = [&args[..], &["--fake-engine", "engine.json"]].concat();
    let ran = model_agent::run(&suite, &server.url(), &args).expect_code(2);
    refused_key(&suite, "j", &ran.stderr, "does not accept the key (401): no");
    let hint = "hint: look at the key in `ANTHROPIC_API_KEY`; then `seatrial resume jobs/j` goes on";
    assert!(ran.stderr.contains(hint), "{}", ran.stderr);
}

#[tokio::test]
async fn a_refused_key_is_the_fault_of_the_trial_in_a_container_that_met_it() {
    if support::docker("a_refused_key_is_the_fault_of_the_trial_in_a_container").await.is_none() {
        return;
    }
    let suite = installed::suite("");
    std::fs::remove_dir_all(suite.join("tasks")).expect("it is there");
    asking(&suite, &THREE, BASE);
    let server = Server::with(one_refused_key);
    let job = crate::docker_job::unique("refused-key");
    let args = ["--command", ASKS, "-m", "anthropic/claude-x", "-n", "3"];
    let ran = installed::run(&suite, &server, &job, &args).expect_code(2);
    refused_key(&suite, &job, &ran.stderr, "refused the key in `ANTHROPIC_API_KEY` (status 401)");
}

/// Takes out of a job's records what earlier versions did not keep.
fn make_older(dir: &Path) {
    for record in ledger(dir).into_values() {
        let path = dir.join(&record.trial.name).join("result.json");
        let mut result: Value = serde_json::from_slice(&std::fs::read(&path).expect("a result")).expect("JSON");
        let mut older: TrialRecord = serde_json::from_value(result["seatrial"].take()).expect("a record");
        older.failure = None;
        older.fault.iter_mut().chain(&mut older.earlier_faults).for_each(|fault| fault.class = None);
        result["seatrial_seal"] = older.seal().into();
        result["seatrial"] = json!(older);
        assert!(!result["seatrial"].to_string().contains("\"class\""), "{result}");
        std::fs::write(&path, result.to_string()).expect("written");
    }
}

#[test]
fn of_records_of_earlier_versions_the_class_is_what_is_certain_and_never_guessed() {
    let suite = tiny::suite(&[]);
    let cases = [&ALIKE[..], &[FINE]].concat();
    asking(&suite, &cases, "fake");
    suite.write("engine.json", ENGINE);
    let finish = json!([{"type": "tool_use", "id": "c1", "name": "finish", "input": {"answer": "42"}}]);
    let server = Server::with(move |request| {
        messages(&about(request)).unwrap_or_else(|| Act::stream(&message_stream(&finish, "tool_use")))
    });
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q", "-r", "0"];
    let engine = ["--fake-engine", "engine.json", "--ak", "max_turns=2"];
    model_agent::run(&suite, &server.url(), &[&args[..], &engine].concat()).expect_code(3);
    make_older(&suite.join("jobs/j"));
    let kept = ledger(&suite.join("jobs/j"));
    assert_eq!(kept.len(), cases.len(), "every record is read");
    for (name, outcome, _, word) in &cases {
        let record = kept.values().find(|record| record.trial.task == *name).expect("a trial");
        // Of a provider's fault, only that it was one: it may have been the key.
        let wanted = if *outcome == Fault { Some("unclassified") } else { *word };
        assert_eq!(record.failure_class().map(FailureClass::word), wanted, "{name}");
    }
    let report: Value = serde_json::from_str(&tiny::report(&suite, "jobs/j")).expect("JSON");
    let counted = json!([
        {"class": "refusal", "whose": "agent", "trials": 2, "retried": 0},
        {"class": "context_exceeded", "whose": "agent", "trials": 3, "retried": 0},
        {"class": "unclassified", "whose": "ours", "trials": 3, "retried": 0},
    ]);
    assert_eq!(report["arms"][0]["failures"], counted);

    let suite = tiny::suite(&["oom", "exit", "nothing", "open", "fine"]);
    tiny::task(&suite, "slow", "fake", "[agent]\ntimeout_sec = 0.2");
    let script = json!({"default": {"answer": "42"}, "tasks": {
        "oom": [{"exit": 137, "oom": true}], "exit": [{"exit": 3}], "nothing": [{}], "open": [{"fault": "open"}],
        "slow": [{"delay_ms": 400}]}});
    fake(&suite, &script.to_string(), &["run", "tasks", "--job-name", "j", "-q", "-r", "1"]).expect_code(3);
    make_older(&suite.join("jobs/j"));
    for (name, word) in [
        ("oom", Some("memory")),
        ("exit", Some("agent_error")),
        ("nothing", Some("no_answer")),
        ("open", Some("engine")),
        ("slow", Some("time")),
        ("fine", None),
    ] {
        let record = trial(&suite.join("jobs/j"), name);
        assert_eq!(record.failure_class().map(FailureClass::word), word, "{name}");
        let before: Vec<&str> = record.earlier_faults.iter().map(|fault| fault.class().word()).collect();
        assert_eq!(before, if name == "open" { vec!["engine"] } else { vec![] });
    }
}
