//! What a job costs: by the list prices that come with the program, by a file that says otherwise, and unknown where neither
//! knows the model.

use crate::model_server::{Act, Server, message, message_stream};
use crate::support::{Run, Suite};
use crate::tiny::{self, trial};
use serde_json::{Value, json};
use std::time::Duration;

/// Runs the loop on the fake engine; each reply has read 10 tokens and 100 from a cache, and written 5.
fn run(suite: &Suite, job: &str, model: &str, more: &[&str]) -> Run {
    let finish = json!([{"type": "tool_use", "id": "c", "name": "finish", "input": {"answer": "42"}}]);
    let server = Server::start(vec![Act::json(200, &message(&finish, "tool_use"))]);
    asked(suite, &server, job, model, more)
}

fn asked(suite: &Suite, server: &Server, job: &str, model: &str, more: &[&str]) -> Run {
    suite.write("engine.json", r#"{"default": {"answer": "42"}}"#);
    let args = ["run", "tasks", "-q", "-a", "loop", "-m", model, "--job-name", job, "--fake-engine", "engine.json"];
    let mut command = suite.command(&[&args[..], more].concat());
    command.env("ANTHROPIC_BASE_URL", server.url()).env("ANTHROPIC_API_KEY", "sk-x-01234567");
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

fn cost(suite: &Suite, job: &str) -> Option<f64> {
    trial(&suite.join(&format!("jobs/{job}")), "t").agent_run.expect("it ran").model.expect("it asked").cost_usd
}

#[test]
fn a_model_of_the_list_has_a_cost_and_its_day_without_a_file_and_a_file_goes_before_the_list() {
    let suite = tiny::suite(&["t"]);
    let model = "anthropic/claude-opus-5-5";
    let ran = run(&suite, "listed", model, &["--max-cost", "1"]).expect_code(0);
    let listed = cost(&suite, "listed").expect("the list has it");
    let expected = (10.0 * 4.0 + 100.0 * 0.2 + 5.0 * 20.0) / 1e6;
    assert!((listed - expected).abs() < 1e-12, "{listed} {expected}");
    assert!(ran.stdout.contains("$0.00016 by prices of 2026-11-20"), "{}", ran.stdout);
    let shown = suite.run(&["report", "jobs/listed", "--format", "json"]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown);

    suite.write("prices.toml", "[claude-opus-5-5]\ndate = \"2026-11-29\"\ninput = 1e6\noutput = 0\ncache_read = 0\n");
    let ran = run(&suite, "own", model, &["--prices", "prices.toml"]).expect_code(0);
    assert_eq!(cost(&suite, "own"), Some(10.0));
    assert!(ran.stdout.contains("$10.0000 by prices of 2026-11-29"), "{}", ran.stdout);
    let ran = run(&suite, "other", "anthropic/claude-haiku-4-5", &["--prices", "prices.toml"]).expect_code(0);
    assert!(ran.stdout.contains("by prices of 2026-11-20"), "what the file does not name: {}", ran.stdout);
}

#[test]
fn a_model_that_no_list_has_costs_an_unknown_sum_and_no_cap_on_cost_is_taken_for_it() {
    let suite = tiny::suite(&["t"]);
    let ran = run(&suite, "unknown", "anthropic/claude-x", &[]).expect_code(0);
    assert_eq!(cost(&suite, "unknown"), None);
    assert!(ran.stdout.contains("cost          unknown"), "{}", ran.stdout);
    let ran = run(&suite, "capped", "anthropic/claude-x", &["--max-cost", "1"]).expect_code(2);
    assert!(ran.stderr.contains("the price of `claude-x`, which isn't known"), "{}", ran.stderr);
}

#[test]
fn what_was_under_way_when_the_time_was_over_or_broke_off_for_good_leaves_a_cost_unknown_and_never_0() {
    let finish = json!([{"type": "tool_use", "id": "c", "name": "finish", "input": {"answer": "42"}}]);
    let stream = Act::stream(&message_stream(&finish, "tool_use"));
    // An error within a stream that is not asked again: what came before it is billed.
    let mut events = message_stream(&finish, "tool_use");
    events.truncate(3);
    events.push(json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}));
    let long = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}});
    let cut = stream.clone().cut(stream.body.len() / 2);
    for (job, acts, code) in [
        ("late", vec![stream.drip(Duration::from_millis(40))], 0),
        ("broken", vec![Act::stream(&events)], 3),
        // A try that broke off is billed too where the next one is the conversation's own end.
        ("long", vec![cut, Act::json(400, &long)], 0),
    ] {
        let suite = tiny::suite(&[]);
        tiny::task(&suite, "t", "fake", "[agent]\ntimeout_sec = 1.0");
        let server = Server::start(acts);
        let ran = asked(&suite, &server, job, "anthropic/claude-opus-5-5", &["-r", "0"]).expect_code(code);
        let record = trial(&suite.join(&format!("jobs/{job}")), "t");
        assert_eq!(record.effort().and_then(|effort| effort.cost_usd), None, "{record:#?}");
        assert!(ran.stdout.contains("cost          unknown"), "{job}: {}", ran.stdout);
        let result: Value =
            serde_json::from_str(&suite.read(&format!("jobs/{job}/{}/result.json", record.trial.name))).expect("JSON");
        assert!(result["agent_result"]["cost_usd"].is_null(), "{job}: {}", result["agent_result"]);
    }
}
