//! The agent `loop` through the real binary, against a provider on this machine: what it does, what it costs, whose
//! failure what is, and that it runs again from a recording.

use crate::model_server::{Act, Received, Server, chat, chat_stream, message, message_stream, response_stream};
use crate::support::{self, Run, Suite};
use crate::tiny::{self, trial};
use seatrial::agent::Ended;
use seatrial::event::Stage;
use seatrial::results::OutcomeKind::{self, AgentError, Fault, Limit, Scored};
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const KEY: &str = "sk-canary-0123456789abcdef";

/// Runs the binary with the provider's address and a key.
pub fn run(suite: &Suite, url: &str, args: &[&str]) -> Run {
    let mut command = suite.command(args);
    command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", KEY);
    command.env("OPENAI_BASE_URL", format!("{url}/v1")).env("OPENAI_API_KEY", KEY);
    let out = command.output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

/// The loop with this model on the fake engine, whose sandbox has the right answer after any command.
fn fake(suite: &Suite, server: &Server, model: &str, more: &[&str]) -> Run {
    suite.write("engine.json", r#"{"default": {"answer": "42", "output": "é 7"}}"#);
    let args = ["run", "tasks", "-a", "loop", "-m", model, "--job-name", "j", "--fake-engine", "engine.json", "-q"];
    run(suite, &server.url(), &[&args, more].concat())
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

/// Two calls at once, then the answer.
fn two_turns() -> Vec<Act> {
    let first = json!([{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Looking."},
        call("c1", "bash", json!({"command": "ls"})), call("c2", "grep", json!({"pattern": "x", "path": "/app"}))]);
    let last = json!([call("c3", "finish", json!({"answer": "42"}))]);
    vec![Act::stream(&message_stream(&first, "tool_use")), Act::stream(&message_stream(&last, "tool_use"))]
}

#[test]
fn a_model_answers_and_all_that_it_used_is_kept() {
    let suite = tiny::suite(&["t"]);
    let server = Server::start(two_turns());
    suite.write("prices.toml", "[claude-x]\ndate = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n");
    fake(&suite, &server, "anthropic/claude-x", &["--ak", "prices=prices.toml"]).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "t");
    let model = record.agent_run.expect("it ran").model.expect("a model was asked");
    assert_eq!((record.outcome, record.reward, &model.ended), (Scored, Some(1.0), &Ended::Finished));
    assert_eq!((model.steps, model.tool_calls, model.retries), (2, 3, 0));
    let usage = model.usage.expect("it is said");
    assert_eq!((usage.input, usage.output, usage.cache_read), (20, 10, 200));
    let cost = model.cost_usd.expect("prices are given");
    assert!((cost - 60e-6).abs() < 1e-12, "{cost}");
    let folder = format!("jobs/j/{}", record.trial.name);
    let result: Value = serde_json::from_str(&suite.read(&format!("{folder}/result.json"))).expect("JSON");
    let wanted = json!({"n_input_tokens": 220, "n_cache_tokens": 200, "n_output_tokens": 10, "cost_usd": cost});
    assert_eq!(result["agent_result"], wanted);
    let shown = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown("json"));
    let page = shown("html");
    assert!(page.contains(">US dollars</th>") && page.contains("<td class=\"n\" data-v=\"0.000060\">0.000060</td>"));
    let trajectory: Value =
        serde_json::from_str(&suite.read(&format!("{folder}/agent/trajectory.json"))).expect("JSON");
    let steps = trajectory["steps"].as_array().expect("steps");
    let sources: Vec<&str> = steps.iter().filter_map(|step| step["source"].as_str()).collect();
    assert_eq!(sources, ["system", "user", "agent", "agent"]);
    assert!(steps.iter().zip(1..).all(|(step, n)| step["step_id"] == n));
    assert_eq!(steps[2]["reasoning_content"], "Hm.");
    assert_eq!(steps[2]["tool_calls"][1]["function_name"], "grep");
    assert_eq!(steps[2]["observation"]["results"][0], json!({"source_call_id": "c1", "content": "é 7"}));
    assert_eq!(trajectory["final_metrics"]["total_prompt_tokens"], 220);
    let messages: Value = serde_json::from_str(&suite.read(&format!("{folder}/agent/messages.json"))).expect("JSON");
    assert_eq!(messages[1]["raw"][0]["signature"], "s", "the provider's own blocks are kept");
    let second = &server.requests()[1].body["messages"];
    assert_eq!(second[2]["content"][1], json!({"type": "tool_result", "tool_use_id": "c2", "content": "é 7"}));
}

#[test]
fn the_loop_speaks_all_three_formats() {
    let finish =
        json!({"id": "c1", "type": "function", "function": {"name": "finish", "arguments": "{\"answer\":\"42\"}"}});
    let chat = json!({"role": "assistant", "content": null, "tool_calls": [finish]});
    let item =
        json!([{"type": "function_call", "call_id": "c1", "name": "finish", "arguments": "{\"answer\":\"42\"}"}]);
    for (model, act) in [
        ("anthropic/claude-x", two_turns().remove(1)),
        ("openai/gpt-x", Act::stream(&chat_stream(&chat, "tool_calls"))),
        ("openai-responses/gpt-x", Act::stream(&response_stream(&item, "completed"))),
        ("org/a-model-of-mine", Act::stream(&chat_stream(&chat, "tool_calls"))),
    ] {
        let suite = tiny::suite(&["t"]);
        let server = Server::start(vec![act]);
        fake(&suite, &server, model, &[]).expect_code(0);
        let record = trial(&suite.join("jobs/j"), "t");
        let model_run = record.agent_run.expect("it ran").model.expect("a model was asked");
        assert_eq!((record.outcome, model_run.cost_usd), (Scored, None), "{model}: no price is known, which is not 0");
    }
}

#[test]
fn whose_failure_it_is_decides_what_it_counts() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let error =
        |status, kind: &str| Act::json(status, &json!({"type": "error", "error": {"type": kind, "message": "no"}}));
    let long = Act::json(400, &json!({"error": {"type": "invalid_request_error", "message": "prompt is too long"}}));
    type More<'a> = (Act, &'a [&'a str], OutcomeKind, Option<f64>, &'a str);
    let more: [More<'_>; 9] = [
        (
            Act::stream(&message_stream(&text("Hm."), "end_turn")),
            &["--ak", "max_turns=3"],
            Limit,
            Some(0.0),
            "as often",
        ),
        (
            Act::stream(&message_stream(&text("Hm."), "max_tokens")),
            &["--ak", "token_budget=200"],
            Limit,
            Some(0.0),
            "tokens",
        ),
        // The sandbox of these tests has the right answer after any command; it was not handed in.
        (two_turns().remove(0), &["--max-requests", "2"], Limit, Some(0.0), "as often"),
        (two_turns().remove(0), &["--max-tokens", "200"], Limit, Some(0.0), "tokens"),
        (
            two_turns().remove(0),
            &["--max-cost", "0.04", "--prices", "prices.toml", "--ak", "cost_budget=1"],
            Limit,
            Some(0.0),
            "cost as much as it may",
        ),
        (Act::stream(&message_stream(&text("No."), "refusal")), &[], AgentError, Some(0.0), "its model refused"),
        (Act::stream(&message_stream(&json!([]), "model_context_window_exceeded")), &[], Limit, Some(0.0), "longer"),
        (long, &[], Limit, Some(0.0), "longer"),
        (error(400, "invalid_request_error"), &[], Fault, None, "does not accept the request (400): no"),
    ];
    for (act, args, outcome, reward, reason) in more {
        let suite = tiny::suite(&["t"]);
        let server = Server::start(vec![act.clone()]);
        let code = if outcome == Fault { 3 } else { 0 };
        suite.write("prices.toml", PRICES);
        fake(&suite, &server, "claude-x", args).expect_code(code);
        let record = trial(&suite.join("jobs/j"), "t");
        assert_eq!((record.outcome, record.reward), (outcome, reward), "{act:?}");
        let retries = record.agent_run.as_ref().and_then(|run| Some(run.model.as_ref()?.retries));
        assert_eq!(retries, Some(u32::from(outcome == Fault)), "what the agent brought about is no failed request");
        assert!(record.reason.as_deref().is_some_and(|why| why.contains(reason)), "{:?}", record.reason);
    }
}

#[test]
fn what_was_said_and_used_before_a_provider_failed_is_kept() {
    let suite = tiny::suite(&["t"]);
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}});
    let server = Server::start(vec![two_turns().remove(0), Act::json(400, &error)]);
    fake(&suite, &server, "claude-x", &["--max-retries", "0", "--ak", "cache=true"]).expect_code(3);
    let record = trial(&suite.join("jobs/j"), "t");
    let run = record.agent_run.expect("it ran").model.expect("a model was asked");
    assert_eq!((record.outcome, run.ended, run.steps), (Fault, Ended::ProviderFailed, 1));
    let messages = suite.read(&format!("jobs/j/{}/agent/messages.json", record.trial.name));
    assert!(messages.contains("Looking."), "{messages}");
    let shown = suite.run(&["report", "jobs/j", "--format", "json"]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown);
    // The first message alone is for the cache, and stays as it was.
    let asked = server.requests();
    let mark = |request: usize, message: usize| {
        asked[request].body["messages"][message]["content"][0].get("cache_control").cloned()
    };
    let ephemeral = Some(json!({"type": "ephemeral"}));
    assert_eq!((mark(0, 0), mark(1, 0), mark(1, 2)), (ephemeral.clone(), ephemeral, None));
}

#[test]
fn the_same_trouble_of_a_provider_is_counted_as_one_kind_however_often_it_was_asked() {
    let suite = tiny::suite(&["t"]);
    let n = AtomicUsize::new(0);
    let server = Server::with(move |_| {
        let body = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}});
        let busy = Act::json(429, &body).header("retry-after-ms", "1");
        if n.fetch_add(1, Ordering::Relaxed) == 0 { busy.header("x-should-retry", "false") } else { busy }
    });
    fake(&suite, &server, "claude-x", &["-k", "3", "-n", "1", "-r", "0"]).expect_code(3);
    assert_eq!(server.requests().len(), 1 + 11 + 11, "one try, and twice all that are allowed");
    let page = suite.run(&["report", "jobs/j", "--format", "md"]).expect_code(0).stdout;
    assert!(page.contains("| 3 | fault | in provider: ") && page.contains("asks for fewer requests"), "{page}");
}

#[test]
fn a_key_that_is_not_accepted_stops_the_job_in_one_sentence_and_resume_goes_on() {
    let suite = tiny::suite(&["a", "b", "c"]);
    let calls = AtomicUsize::new(0);
    let server = Server::with(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Act::json(401, &json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}})),
        _ => two_turns().remove(1),
    });
    let said = fake(&suite, &server, "claude-x", &["-n", "1"]).expect_code(2).stderr;
    assert!(said.contains("does not accept the key (401): no"), "{said}");
    assert!(said.contains("hint: look at the key in `ANTHROPIC_API_KEY`"), "{said}");
    assert!(said.contains("then `seatrial resume jobs/j` goes on"), "{said}");
    assert_eq!(server.requests().len(), 1, "nothing more was asked with that key");
    run(&suite, &server.url(), &["resume", "jobs/j", "--fake-engine", "engine.json", "-q"]).expect_code(0);
    let outcomes: Vec<OutcomeKind> = tiny::ledger(&suite.join("jobs/j")).into_values().map(|r| r.outcome).collect();
    assert_eq!(outcomes, [Scored; 3]);
}

/// A reply of the test's server costs 0.03 dollars by these prices.
const PRICES: &str = "[claude-x]\ndate = \"2026-11-30\"\ninput = 1000.0\noutput = 2000.0\ncache_read = 100.0\n";

#[test]
fn a_jobs_cap_on_cost_stops_it_and_resume_goes_on_up_to_another_cap_what_was_spent_included() {
    let suite = tiny::suite(&["t"]);
    suite.write("prices.toml", PRICES);
    let count = AtomicUsize::new(0);
    // Two turns a trial, for as many trials as there are.
    let server = Server::with(move |_| two_turns().remove(count.fetch_add(1, Ordering::Relaxed) % 2));
    let job = ["-k", "3", "-n", "1", "--prices", "prices.toml", "--job-max-cost", "0.05"];
    let said = fake(&suite, &server, "claude-x", &job).expect_code(3).stderr;
    assert!(said.contains("error: the job's models have cost $0.0600, and its cap is $0.0500"), "{said}");
    assert!(said.contains("hint: `seatrial resume jobs/j --job-max-cost USD`"), "{said}");
    assert_eq!(server.requests().len(), 2, "the first trial could end, and no other began to ask");
    let resume = |more: &[&str]| {
        let args = [&["resume", "jobs/j", "--fake-engine", "engine.json", "-q"], more].concat();
        run(&suite, &server.url(), &args)
    };
    let said = resume(&[]).expect_code(2).stderr;
    assert!(said.contains("have cost $0.0600") && said.contains("hint: `--job-max-cost USD`"), "{said}");
    // One more trial: what the first has cost counts.
    resume(&["--job-max-cost", "0.1"]).expect_code(3);
    assert_eq!(server.requests().len(), 4);
    resume(&["--job-max-cost", "1"]).expect_code(0);
    let ends: Vec<_> = tiny::ledger(&suite.join("jobs/j")).into_values().collect();
    assert!(ends.len() == 3 && ends.iter().all(|end| end.outcome == Scored), "{ends:#?}");
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn what_a_start_that_met_a_fault_has_cost_is_counted_also_after_resume() {
    let suite = tiny::suite(&["t"]);
    suite.write("prices.toml", PRICES);
    let count = AtomicUsize::new(0);
    let down = || Act::json(529, &json!({"error": {"message": "no"}})).header("x-should-retry", "false");
    // Each of two starts gets one answer and then none; `resume` starts a third time.
    let server = Server::with(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 | 2 => two_turns().remove(0),
        1 | 3 => down(),
        n => two_turns().remove(n % 2),
    });
    fake(&suite, &server, "claude-x", &["-r", "1", "--prices", "prices.toml"]).expect_code(3);
    let end = trial(&suite.join("jobs/j"), "t");
    assert_eq!((end.outcome, end.fault.expect("a fault").stage), (Fault, Stage::Provider));
    let near = |spent: Option<f64>, dollars: f64| spent.is_some_and(|spent| (spent - dollars).abs() < 1e-9);
    assert!(near(end.spent_usd, 0.06), "{:?}", end.spent_usd);
    run(&suite, &server.url(), &["resume", "jobs/j", "--fake-engine", "engine.json", "-q"]).expect_code(0);
    let end = trial(&suite.join("jobs/j"), "t");
    assert_eq!(end.outcome, Scored);
    assert!(near(end.spent_usd, 0.12), "{:?}", end.spent_usd);
    let shown = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("all starts together cost $0.1200"), "{shown}");
    let last = end.agent_run.and_then(|run| run.model).and_then(|model| model.cost_usd);
    assert!(near(last, 0.06), "the last start alone: {last:?}");
}

#[test]
fn where_some_cost_is_not_known_the_report_says_at_least() {
    let suite = tiny::suite(&["t"]);
    suite.write("prices.toml", PRICES);
    let count = AtomicUsize::new(0);
    // The second turn hangs until the job is stopped; after `resume` all goes well.
    let server = Server::with(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        1 => two_turns().remove(1).slow(Duration::from_secs(30)),
        0 => two_turns().remove(0),
        n => two_turns().remove(n % 2),
    });
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q", "--prices", "prices.toml"];
    let mut command = suite.command(&[&args[..], &["--fake-engine", "engine.json"]].concat());
    suite.write("engine.json", r#"{"default": {"answer": "42"}}"#);
    command.env("ANTHROPIC_BASE_URL", server.url()).env("ANTHROPIC_API_KEY", "sk-0123456789");
    let mut child = command.spawn().expect("it starts");
    tiny::wait_for("the second request", || (server.requests().len() == 2).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it can be told");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let shown = |format: &str| {
        let shown = suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for format in ["text", "md", "html"] {
        assert!(shown(format).contains("all starts together cost at least $0."), "{format}: {}", shown(format));
    }
    let is_all = || serde_json::from_str::<Value>(&shown("json")).expect("JSON")["job"]["spent_is_all"].clone();
    crate::report::matches_schema("report.json", &shown("json"));
    assert_eq!(is_all(), json!(false));
    run(&suite, &server.url(), &["resume", "jobs/j", "--fake-engine", "engine.json", "-q"]).expect_code(0);
    assert_eq!(trial(&suite.join("jobs/j"), "t").outcome, Scored);
    assert!(shown("text").contains("cost at least $"), "what was under way stays unknown: {}", shown("text"));

    // A job of which all is known.
    let suite = tiny::suite(&["t"]);
    suite.write("prices.toml", PRICES);
    let server = Server::start(two_turns());
    fake(&suite, &server, "claude-x", &["--prices", "prices.toml"]).expect_code(0);
    let shown = suite.run(&["report", "jobs/j", "--format", "json"]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown);
    assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON")["job"]["spent_is_all"], true);
}

#[test]
fn what_is_missing_or_wrong_is_said_before_anything_runs() {
    let suite = tiny::suite(&["t"]);
    suite.write("engine.json", "{}");
    let go = |more: &[&str]| {
        let mut command =
            suite.command(&[&["run", "tasks", "-a", "loop", "--fake-engine", "engine.json"], more].concat());
        for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
            command.env_remove(name);
        }
        let out = command.output().expect("the binary starts");
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8(out.stderr).expect("UTF-8")
    };
    assert!(go(&[]).contains("agent `loop` needs a model to ask"));
    assert!(go(&["-m", "claude-x"]).contains("`ANTHROPIC_API_KEY` is not set"));
    assert!(go(&["-m", "my-model"]).contains("set `OPENAI_BASE_URL`"));
    assert!(go(&["-m", "claude-x", "--replay", "none"]).contains("failed to read `none`"));
    assert!(go(&["-m", "claude-x", "--ak", "turns=3"]).contains("unknown field `turns`"));
    assert!(go(&["-m", "claude-x", "--ak", "max_turns=x"]).contains("agent `loop`: `max_turns`: invalid type: string"));
    let server = Server::start(two_turns());
    for cap in [&["--ak", "cost_budget=1"][..], &["--max-cost", "1"], &["--job-max-cost", "1"]] {
        let said = fake(&suite, &server, "claude-x", cap).expect_code(2).stderr;
        assert!(said.contains("a cap on cost needs the price of `claude-x`"), "{said}");
        assert!(said.contains("hint: `--prices FILE`"), "{said}");
    }
    // A part without a price would make the cost unknown in the first turn, which would end each run.
    suite.write("prices.toml", PRICES);
    for (agent, more, lacks) in [
        (
            "messages-search",
            &["--ak", "provider_tools=true"][..],
            "`cache_write`, `web_fetch_requests`, `web_search_requests`",
        ),
        ("loop", &["--ak", "cache=true"], "`cache_write`"),
        ("mini-swe-agent", &[], "`cache_write`"),
    ] {
        let args = ["run", "tasks", "-a", agent, "-m", "claude-x", "--fake-engine", "engine.json"];
        let capped = ["--max-cost", "1", "--prices", "prices.toml"];
        let said = run(&suite, &server.url(), &[&args[..], &capped, more].concat()).expect_code(2).stderr;
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("all prices of `claude-x`") && said.contains(lacks), "{agent}: {said}");
    }
    assert!(!suite.join("jobs").exists());
}

/// Whoever judges stored answers may have no key, and no server, of the agent's model.
#[test]
fn answers_of_a_model_are_judged_again_without_its_key() {
    let chat = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "finish", "arguments": "{\"answer\":\"42\"}"}}]});
    for (model, act) in [
        ("anthropic/claude-x", two_turns().remove(1)),
        ("org/a-model-of-mine", Act::stream(&chat_stream(&chat, "tool_calls"))),
    ] {
        let suite = tiny::suite(&["t"]);
        let server = Server::start(vec![act]);
        fake(&suite, &server, model, &[]).expect_code(0);
        let mut judge = suite.command(&["judge", "jobs/j", "--judge", "rules", "--no-cache"]);
        for name in ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"] {
            judge.env_remove(name);
        }
        let out = judge.output().expect("the binary starts");
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{model}: {said}");
        assert!(String::from_utf8_lossy(&out.stdout).starts_with("judge rules: 1 answer judged"), "{model}");
    }
}

#[test]
fn a_recorded_job_runs_again_without_a_provider_or_a_key_and_nothing_else_does() {
    let suite = tiny::suite(&["t"]);
    let server = Server::start(two_turns());
    fake(&suite, &server, "claude-x", &["--record", "said"]).expect_code(0);
    let recorded = crate::mini::tree(&suite.join("said"));
    assert_eq!(recorded.len(), 2);
    let again = |job: &str| {
        let mut command =
            suite.command(&["run", "tasks", "-a", "loop", "-m", "claude-x", "--replay", "said", "--job-name"]);
        command.args([job, "--fake-engine", "engine.json", "-q"]).env_remove("ANTHROPIC_API_KEY");
        command.env_remove("ANTHROPIC_BASE_URL").output().expect("the binary starts").status.code()
    };
    assert_eq!(again("again"), Some(0));
    let (first, second) = (trial(&suite.join("jobs/j"), "t"), trial(&suite.join("jobs/again"), "t"));
    let used = |record: &seatrial::results::TrialRecord| record.agent_run.clone().and_then(|run| run.model?.usage);
    assert_eq!((first.verdict.as_ref(), used(&first)), (second.verdict.as_ref(), used(&second)));
    suite.write("tasks/t/instruction.md", "How many now?\n");
    assert_eq!(again("changed"), Some(3));
    let reason = trial(&suite.join("jobs/changed"), "t").reason.expect("a fault has a reason");
    assert!(reason.contains("this request was never recorded: the nearest is `said/"), "{reason}");
    assert!(reason.contains("which differs at `/messages/0/content/0/text`"), "{reason}");
    let said = suite.run(&["report", "jobs/again"]).expect_code(0).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("models were played back, which cost nothing"), "{said}");
    let said =
        run(&suite, &server.url(), &["resume", "jobs/changed", "--fake-engine", "engine.json"]).expect_code(2).stderr;
    assert!(said.contains("models are played back, which begins anew"), "{said}");
    // What was played back is no second measurement.
    let said = suite.run(&["calibrate", "jobs/again"]).expect_code(2).stderr;
    assert!(said.contains("measures nothing new: its models answered from a recording"), "{said}");
    // The key is in no file of a job or a recording.
    for folder in ["jobs", "said"] {
        for (path, bytes) in crate::mini::tree(&suite.join(folder)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains("sk-canary") && !text.contains("c2stY2FuYXJ5"), "{folder}/{path}");
        }
    }
}

#[tokio::test]
async fn tools_act_in_the_container_and_the_answer_is_collected_from_it() {
    if support::docker("tools_act_in_the_container").await.is_none() {
        return;
    }
    let suite = Suite::new();
    tiny::task(&suite, "t", BASE, "");
    let turns = Mutex::new(0);
    let server = Server::with(move |_: &Received| {
        let mut turn = turns.lock().expect("not poisoned");
        *turn += 1;
        let content = match *turn {
            1 => json!([
                call(
                    "c1",
                    "bash",
                    json!({"command": "mkdir -p /app/d; printf 'é one\\ntwo\\n' > /app/d/f.txt; echo $((6*7))"})
                ),
                call("c2", "grep", json!({"pattern": "^t.o$", "path": "/app/d"})),
                call("c3", "read", json!({"path": "/app/d/f.txt", "lines": 1})),
                call("c4", "bash", json!({"command": "sleep 30", "timeout_sec": 1})),
                call("c5", "bash", json!({"command": "env; ls /seatrial /solution /tests 2>&1; exit 3"})),
                call("c6", "nothing", json!({})),
                call("c7", "bash", json!({"command": "head -c 100000 /dev/zero | tr '\\0' x"})),
                call("c8", "grep", json!({"pattern": "nowhere", "path": "/app/d"})),
                call(
                    "c10",
                    "bash",
                    json!({"command": "mkdir /app/e; for n in 9 30 é 4 17 'a b' 2; do echo x > \"/app/e/$n\"; done"})
                ),
                call("c11", "grep", json!({"pattern": "x", "path": "/app/e"})),
                call("c12", "grep", json!({"pattern": "x", "path": "/app/e/30"})),
                call("c13", "grep", json!({"pattern": "x", "path": "/app/none"})),
            ]),
            _ => json!([call("c9", "finish", json!({"answer": "'42' \"é\" $HOME"}))]),
        };
        Act::json(200, &message(&content, "tool_use"))
    });
    let args = ["run", "tasks", "-a", "loop", "-m", "claude-x", "--job-name", "j", "-q"];
    run(&suite, &server.url(), &args).expect_code(0);
    let results = server.requests()[1].body["messages"][2]["content"].clone();
    let result = |n: usize| results[n]["content"].as_str().expect("text").to_owned();
    assert_eq!(result(0), "42\n");
    assert_eq!(result(1), "/app/d/f.txt:2:two\n");
    assert_eq!(result(2), "é one\n");
    assert_eq!((result(3).contains("[stopped after 1 s]"), &results[3]["is_error"]), (true, &json!(true)));
    assert!(result(4).ends_with("[exit code 3]") && !result(4).contains(KEY), "{}", result(4));
    assert_eq!(result(5), "there is no tool `nothing`; there are bash, read, grep and finish");
    assert!(result(6).len() < 31_000 && result(6).contains("70000 more bytes of output were dropped"));
    assert_eq!(result(7), "[no output]");
    let order = ["17", "2", "30", "4", "9", "a b", "é"].map(|name| format!("/app/e/{name}:1:x\n")).concat();
    assert_eq!((result(9), result(10).as_str()), (order, "/app/e/30:1:x\n"), "in the order of the files' names");
    assert_eq!(result(11), "grep: /app/none: No such file or directory\n\n[exit code 1]");
    let record = trial(&suite.join("jobs/j"), "t");
    let answer = suite.read(&format!("jobs/j/{}/artifacts/app/answer.txt", record.trial.name));
    assert_eq!(answer, "'42' \"é\" $HOME\n");
    assert_eq!(record.outcome, Scored);
}

#[test]
fn usage_that_the_provider_does_not_say_is_unknown() {
    let suite = tiny::suite(&["t"]);
    let finish =
        json!({"id": "c1", "type": "function", "function": {"name": "finish", "arguments": "{\"answer\":\"42\"}"}});
    let mut whole = chat(&json!({"role": "assistant", "content": "", "tool_calls": [finish]}), "stop");
    whole["usage"] = Value::Null;
    let server = Server::start(vec![Act::json(200, &whole)]);
    fake(&suite, &server, "openai/gpt-x", &[]).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "t");
    assert_eq!(record.agent_run.expect("it ran").model.expect("a model was asked").usage, None);
    // A cap can't be held to then, which is not the agent's doing.
    let ls = json!({"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}});
    let mut first = chat(&json!({"role": "assistant", "content": "", "tool_calls": [ls]}), "tool_calls");
    first["usage"] = Value::Null;
    let suite = tiny::suite(&["t"]);
    let server = Server::start(vec![Act::json(200, &first), Act::json(200, &whole)]);
    fake(&suite, &server, "openai/gpt-x", &["--max-tokens", "1000", "--max-retries", "0"]).expect_code(3);
    let record = trial(&suite.join("jobs/j"), "t");
    assert_eq!((record.outcome, server.requests().len()), (Fault, 1));
    assert!(record.reason.is_some_and(|why| why.contains("does not say what it used, so the cap")));
}

#[test]
fn time_is_the_agents_where_its_model_thinks_and_not_where_its_provider_fails() {
    let busy = Act::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let finish = two_turns().remove(1);
    let seconds = |seconds| std::time::Duration::from_secs_f64(seconds);
    let (first, slow) = (two_turns().remove(0).slow(seconds(0.7)), finish.clone().slow(seconds(4.0)));
    for (script, outcome) in [
        (vec![busy.header("retry-after-ms", "2500"), finish], Scored),
        (vec![first, slow.clone()], OutcomeKind::AgentTimeout),
        // Not a byte in all the time that the agent had.
        (vec![slow], Fault),
    ] {
        let suite = tiny::suite(&[]);
        tiny::task(&suite, "t", "fake", "[agent]\ntimeout_sec = 2.0");
        let server = Server::start(script);
        let code = if outcome == Fault { 3 } else { 0 };
        fake(&suite, &server, "claude-x", &[]).expect_code(code);
        assert_eq!(trial(&suite.join("jobs/j"), "t").outcome, outcome);
    }
}

#[test]
fn what_a_provider_will_refuse_again_ends_the_job_at_the_first_try_in_the_providers_own_words() {
    let error = |status, kind: &str, text: &str| {
        Act::json(status, &json!({"type": "error", "error": {"type": kind, "message": text}}))
    };
    for (act, words) in [
        (error(401, "authentication_error", "no"), "does not accept the key (401): no"),
        (error(402, "billing_error", "pay"), "says that the account has no money left (402): pay"),
        (error(403, "permission_error", "not from here"), "does not allow this request (403): not from here"),
        (error(404, "not_found_error", "claude-x"), "does not have this model or path (404): claude-x"),
    ] {
        let suite = tiny::suite(&["a", "b"]);
        let server = Server::start(vec![act]);
        let said = fake(&suite, &server, "claude-x", &["-n", "1"]).expect_code(2).stderr;
        assert!(said.contains(words), "{said}");
        assert_eq!(server.requests().len(), 1, "{words}");
        let record = trial(&suite.join("jobs/j"), "a");
        assert!(record.outcome == Fault && record.earlier_faults.is_empty(), "it was tried once: {record:?}");
        assert!(record.reason.is_some_and(|why| why.contains(words)));
    }
}
