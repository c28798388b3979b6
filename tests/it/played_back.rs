//! What is recorded of models and played back: whose failure it is then, whose money, from where, and into what.

use crate::model_agent::run;
use crate::model_server::{Act, Server, chat, message, message_stream};
use crate::support::{Run, Suite};
use crate::tiny::{self, trial};
use seatrial::event::Stage;
use seatrial::results::OutcomeKind::{AgentTimeout, Fault, Limit, Scored};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A reply of Messages that calls one tool.
fn call(name: &str, input: Value) -> Act {
    let content = json!([{"type": "tool_use", "id": "c", "name": name, "input": input}]);
    Act::stream(&message_stream(&content, "tool_use"))
}

fn finish() -> Act {
    call("finish", json!({"answer": "42"}))
}

/// The loop on the fake engine, whose sandbox has the right answer after any command.
fn fake(suite: &Suite, url: &str, job: &str, more: &[&str]) -> Run {
    suite.write("engine.json", r#"{"default": {"answer": "42", "output": "é 7"}}"#);
    let args = ["run", "tasks", "-a", "loop", "--job-name", job, "--fake-engine", "engine.json", "-q"];
    run(suite, url, &[&args, more].concat())
}

/// The same without any address or key.
fn offline(suite: &Suite, job: &str, more: &[&str]) -> Run {
    let args = ["run", "tasks", "-a", "loop", "--job-name", job, "--fake-engine", "engine.json", "-q"];
    let mut command = suite.command(&[&args, more, &["--replay", "said"]].concat());
    for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
        command.env_remove(name);
    }
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

#[test]
fn whose_time_was_over_plays_back_as_what_it_was_and_at_once() {
    let seconds = Duration::from_secs_f64;
    let look = || call("bash", json!({"command": "ls"}));
    for (what, script, outcome) in [
        ("it streams", vec![look(), finish().drip(seconds(0.2))], AgentTimeout),
        ("it thinks before it answers", vec![look().slow(seconds(0.9)), finish().slow(seconds(9.0))], AgentTimeout),
        ("not a byte comes", vec![look(), finish().slow(seconds(9.0))], Fault),
        ("it is asked again in time", vec![look().cut(100), look(), finish().drip(seconds(0.2))], AgentTimeout),
    ] {
        let suite = tiny::suite(&[]);
        tiny::task(&suite, "t", "fake", "[agent]\ntimeout_sec = 2.0");
        let (server, code) = (Server::start(script), if outcome == Fault { 3 } else { 0 });
        let once = ["-m", "claude-x", "-r", "0"];
        fake(&suite, &server.url(), "j", &[&once[..], &["--record", "said"]].concat()).expect_code(code);
        let began = Instant::now();
        offline(&suite, "again", &once).expect_code(code);
        assert!(began.elapsed() < seconds(1.9), "{what}: nobody waits for it again");
        let ended = |job: &str| {
            let end = trial(&suite.join(&format!("jobs/{job}")), "t");
            let steps = end.agent_run.and_then(|run| run.model).map(|run| (run.ended, run.steps, run.retries));
            (end.outcome, end.reward, end.fault.map(|fault| fault.stage), steps)
        };
        assert_eq!(ended("j"), ended("again"), "{what}");
        let stage = (outcome == Fault).then_some(Stage::Provider);
        assert_eq!((ended("again").0, ended("again").2), (outcome, stage), "{what}");
    }
}

#[test]
fn a_job_that_was_stopped_in_the_midst_of_an_answer_does_not_play_back_as_the_agents_failure() {
    let suite = tiny::suite(&["t"]);
    suite.write("engine.json", r#"{"default": {"answer": "42"}}"#);
    let server = Server::start(vec![finish().drip(Duration::from_millis(500))]);
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--record", "said", "--job-name", "j", "-q"];
    let mut command = suite.command(&[&args[..], &["--fake-engine", "engine.json"]].concat());
    command.env("ANTHROPIC_BASE_URL", server.url()).env("ANTHROPIC_API_KEY", "sk-0123456789");
    let mut child = command.spawn().expect("it starts");
    tiny::wait_for("the request", || (!server.requests().is_empty()).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it can be told");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(crate::mini::tree(&suite.join("said")).len(), 1);
    offline(&suite, "again", &["-m", "claude-x"]).expect_code(3);
    let end = trial(&suite.join("jobs/again"), "t");
    assert_eq!((end.outcome, end.reward, end.fault.expect("a fault").stage), (Fault, None, Stage::Recording));
}

#[test]
fn a_recording_is_played_back_whatever_the_base_url_was_and_an_older_one_where_it_is_the_same() {
    let finish =
        json!({"id": "c", "type": "function", "function": {"name": "finish", "arguments": "{\"answer\":\"42\"}"}});
    let act = Act::json(200, &chat(&json!({"role": "assistant", "content": "", "tool_calls": [finish]}), "tool_calls"));
    let suite = tiny::suite(&["t"]);
    let server = Server::start(vec![act]);
    let gateway = server.url() + "/openai/of-ours";
    let model = ["-m", "org/a-model-of-mine"];
    fake(&suite, &gateway, "j", &[&model[..], &["--record", "said"]].concat()).expect_code(0);
    assert_eq!(server.requests()[0].path, "/openai/of-ours/v1/chat/completions");
    // With another base URL, and with none: the name alone does not say who has the model.
    fake(&suite, "http://127.0.0.1:9/elsewhere", "other", &[&model[..], &["--replay", "said"]].concat()).expect_code(0);
    offline(&suite, "none", &model).expect_code(0);
    assert_eq!(trial(&suite.join("jobs/none"), "t").reward, Some(1.0));
    assert_eq!(server.requests().len(), 1);

    // As versions before wrote it.
    let recorded = crate::mini::tree(&suite.join("said"));
    let (name, text) = recorded.iter().next().expect("one exchange");
    let mut exchange: Value = serde_json::from_slice(text).expect("JSON");
    (exchange["format"], exchange["request"]["path"]) = (1.into(), "/openai/of-ours/v1/chat/completions".into());
    suite.write(&format!("said/{name}"), exchange.to_string());
    fake(&suite, &gateway, "older", &[&model[..], &["--replay", "said"]].concat()).expect_code(0);
    exchange["format"] = 3.into();
    suite.write(&format!("said/{name}"), exchange.to_string());
    let said = offline(&suite, "newer", &model).expect_code(2).stderr;
    assert!(said.contains(&format!("`said/{name}`: it has format 3, and this program reads 2")), "{said}");
}

#[test]
fn a_folder_that_holds_a_recording_is_refused_but_by_resume_which_says_that_it_adds() {
    let suite = tiny::suite(&["a", "b"]);
    let down = Act::json(400, &json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}));
    let server = Server::start(vec![finish(), down, finish()]);
    let record = ["-m", "claude-x", "-n", "1", "-r", "0", "--record", "said"];
    fake(&suite, &server.url(), "j", &record).expect_code(3);
    let said = fake(&suite, &server.url(), "second", &record).expect_code(2).stderr;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("error: `said` holds a recording already (2 exchanges)"), "{said}");
    assert!(said.contains("hint: name a new folder, or remove that one"), "{said}");
    assert!(!suite.join("jobs/second").exists() && server.requests().len() == 2, "nothing ran");
    let resume = ["resume", "jobs/j", "--fake-engine", "engine.json", "-q", "--record", "said"];
    let said = run(&suite, &server.url(), &resume).expect_code(0).stderr;
    assert!(said.contains("is kept in `said`, which holds 2 exchanges"), "{said}");
    assert_eq!(crate::mini::tree(&suite.join("said")).len(), 3);
    let judge = run(&suite, &server.url(), &["judge", "jobs/j", "--record", "said"]).expect_code(2).stderr;
    assert!(judge.contains("holds a recording already (3 exchanges)"), "{judge}");
}

/// A reply of the test's server costs 0.03 dollars by these prices.
const PRICES: &str = "[claude-x]\ndate = \"2026-11-30\"\ninput = 1000.0\noutput = 2000.0\ncache_read = 100.0\n";

#[test]
fn what_is_played_back_costs_nothing_reaches_no_cap_of_the_job_and_says_whose_costs_it_shows() {
    let suite = tiny::suite(&["a", "b"]);
    suite.write("prices.toml", PRICES);
    let look = call("bash", json!({"command": "ls"}));
    let server = Server::start(vec![finish(), look]);
    let priced = ["-m", "claude-x", "-n", "1", "--prices", "prices.toml", "--max-cost", "0.05"];
    fake(&suite, &server.url(), "j", &[&priced[..], &["--record", "said"]].concat()).expect_code(0);
    let played = offline(&suite, "again", &[&priced[..], &["--job-max-cost", "0.01"]].concat()).expect_code(0);
    assert!(played.stderr.contains("models are played back from `said`, which holds 3 exchanges"), "{}", played.stderr);
    let outcomes = ["a", "b"].map(|task| {
        let of = |job: &str| trial(&suite.join(&format!("jobs/{job}")), task);
        let (first, again) = (of("j"), of("again"));
        assert_eq!((again.outcome, again.spent_usd), (first.outcome, None));
        let cost =
            |end: &seatrial::results::TrialRecord| end.agent_run.as_ref().and_then(|run| run.model.as_ref()?.cost_usd);
        assert!(first.spent_usd.is_some() && cost(&first) == cost(&again), "what it cost when it was recorded stays");
        again.outcome
    });
    assert_eq!(outcomes, [Scored, Limit], "a trial's own cap on cost holds as it did");
    let report = |job: &str, format: &str| {
        let said = suite.run(&["report", &format!("jobs/{job}"), "--format", format]).expect_code(0).stdout;
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(report("j", "text").contains("all starts together cost $0.0900"), "{}", report("j", "text"));
    let text = report("again", "text");
    assert!(text.contains("models were played back, which cost nothing: costs are the recording's"), "{text}");
    assert!(
        text.contains("cost $0.0900 by prices of 2026-11-30; played back, so nothing was paid")
            && !text.contains("together cost"),
        "{text}"
    );
    assert!(report("again", "html").contains("models were played back, which cost nothing"));
    crate::report::matches_schema("report.json", &report("again", "json"));
    let json: Value = serde_json::from_str(&report("again", "json")).expect("JSON");
    assert_eq!((&json["job"]["played_back"], &json["job"]["spent_usd"]), (&json!(true), &Value::Null));
    let json: Value = serde_json::from_str(&report("j", "json")).expect("JSON");
    assert_eq!(json["job"]["played_back"], Value::Null);
}

#[test]
fn the_nearest_request_is_the_one_that_has_most_in_common_also_where_the_first_words_changed() {
    let suite = tiny::suite(&["a", "b", "c"]);
    for (task, question) in
        [("a", "How many?\n"), ("b", "How many gulls, of all birds, were there?\n"), ("c", "Who?\n")]
    {
        suite.write(&format!("tasks/{task}/instruction.md"), question);
    }
    let server = Server::with(|_| Act::json(200, &message(&json!([]), "end_turn")));
    let args = ["-m", "claude-x", "--ak", "max_turns=1"];
    fake(&suite, &server.url(), "j", &[&args[..], &["--record", "said"]].concat()).expect_code(0);
    offline(&suite, "changed", &[&args[..], &["--ak", "max_tokens=1000"]].concat()).expect_code(3);
    for (task, question) in [("a", "How many?"), ("b", "gulls"), ("c", "Who?")] {
        let message = trial(&suite.join("jobs/changed"), task).fault.expect("it was never recorded").message;
        assert!(message.contains("differs at `/max_tokens`: recorded `16000`, asked `1000`"), "{message}");
        let file = message.split('`').find(|word| word.starts_with("said/")).expect("a file is named");
        assert!(suite.read(file).contains(question), "{message}");
    }
}
