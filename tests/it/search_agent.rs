//! The agent `messages-search` through the real binary, against a provider on this machine: what it asks, how it goes
//! on, whose failure what is, what it says of its provider's tools, and where it may not run.

use crate::model_agent::run;
use crate::model_server::{Act, Received, Server, message_stream};
use crate::support::{self, Run, Suite};
use crate::tiny::{self, trial};
use seatrial::agent::{Ended, SearchRun};
use seatrial::failure::FailureClass;
use seatrial::results::OutcomeKind::{self, AgentError, Fault, Limit, NoAnswer, Scored};
use seatrial::results::TrialRecord;
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};
use std::time::Duration;

/// A reply as a stream, whose last events say `more`, such as `{"delta": {"container": …}, "usage": …}`.
pub fn turn(content: Value, stop: &str, more: Value) -> Act {
    let mut events = message_stream(&content, stop);
    let end = events.len() - 2;
    for part in ["delta", "usage"] {
        for (name, value) in more[part].as_object().into_iter().flatten() {
            events[end][part][name] = value.clone();
        }
    }
    Act::stream(&events)
}

/// The usual reply: text alone.
pub fn says(text: &str, stop: &str) -> Act {
    turn(json!([{"type": "text", "text": text}]), stop, json!({}))
}

pub fn cell(id: &str) -> Value {
    json!({"type": "server_tool_use", "id": id, "name": "code_execution", "input": {"code": "await web_search('é')"}})
}

pub fn result(id: &str, content: Value) -> Value {
    json!({"type": "code_execution_tool_result", "tool_use_id": id, "content": content})
}

/// What a cell wrote.
pub fn wrote(stdout: &str, stderr: &str) -> Value {
    json!({"type": "code_execution_result", "stdout": stdout, "stderr": stderr, "return_code": 0, "content": []})
}

/// Runs it on the fake engine at a task without a network, which the user allows.
pub fn go(suite: &Suite, server: &Server, more: &[&str]) -> Run {
    suite.write("engine.json", "{}");
    let args = ["run", "tasks", "-a", "messages-search", "-m", "claude-x", "--job-name", "j", "-q"];
    let engine = ["--fake-engine", "engine.json", "--ak", "provider_tools=true"];
    run(suite, &server.url(), &[&args[..], &engine, more].concat())
}

/// One trial with this script: its record, what its search came to, and the server.
pub fn one(script: Vec<Act>, more: &[&str]) -> (Suite, Server, TrialRecord) {
    let suite = tiny::suite(&["t"]);
    let server = Server::start(script);
    go(&suite, &server, more);
    let record = trial(&suite.join("jobs/j"), "t");
    (suite, server, record)
}

pub fn notes(record: &TrialRecord) -> SearchRun {
    let run = record.agent_run.clone().and_then(|run| run.model);
    run.and_then(|run| run.search).unwrap_or_else(|| panic!("nothing is kept of its search: {record:?}"))
}

/// A file of the trial's folder.
pub fn kept(suite: &Suite, record: &TrialRecord, name: &str) -> String {
    suite.read(&format!("jobs/j/{}/{name}", record.trial.name))
}

#[test]
fn the_first_request_is_that_of_the_published_runs_and_each_part_can_be_changed() {
    let (suite, server, record) = one(vec![says("So: <result>42</result>", "end_turn")], &[]);
    assert_eq!((record.outcome, record.reward), (Scored, Some(1.0)), "{:?}", record.reason);
    assert_eq!(kept(&suite, &record, "artifacts/app/answer.txt"), "42\n");
    let request = &server.requests()[0];
    assert_eq!(request.header("anthropic-beta"), Some("compact-2026-01-12,task-budgets-2026-03-13"));
    let mut body = request.body.clone();
    let first = body["messages"].take();
    let text = first[0]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("How many?\n\n") && text.contains("in `<result>` tags"), "{text}");
    let block = json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
    assert_eq!(first, json!([{"role": "user", "content": [block]}]));
    let told = body["context_management"]["edits"][0]["instructions"].take();
    let told = told.as_str().expect("instructions");
    for part in ["<question>\nHow many?\n</question>", "Call no tool", "in `<result>` tags"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let by_code = json!(["code_execution_20260521"]);
    let wanted = json!({
        "model": "claude-x", "max_tokens": 64000, "stream": true, "messages": null,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "max", "task_budget": {"type": "tokens", "total": 3_000_000}},
        "context_management": {"edits": [{"type": "compact_20260112", "instructions": null,
            "trigger": {"type": "input_tokens", "value": 200_000}}]},
        "tools": [
            {"type": "code_execution_20260521", "name": "code_execution"},
            {"type": "web_search_20260318", "name": "web_search", "max_uses": 10000, "allowed_callers": by_code,
             "response_inclusion": "excluded"},
            {"type": "web_fetch_20260318", "name": "web_fetch", "max_uses": 10000, "allowed_callers": by_code,
             "response_inclusion": "excluded", "max_content_tokens": 1_000_000},
        ],
    });
    assert_eq!(body, wanted);

    let aks = [
        "compaction=off",
        "task_budget=off",
        "thinking=off",
        "effort=low",
        "web_fetch=off",
        "max_tokens=5",
        "code_execution=code_execution_20250825",
        "web_search=web_search_20250305",
        "max_uses=7",
        "result_tag=final-1",
    ];
    let more: Vec<&str> = aks.iter().flat_map(|value| ["--ak", value]).collect();
    let (_suite, server, record) = one(vec![says("<final-1>42</final-1>", "end_turn")], &more);
    assert_eq!((record.outcome, record.reward), (Scored, Some(1.0)));
    let request = &server.requests()[0];
    assert_eq!(request.header("anthropic-beta"), None, "it names what is used");
    let mut body = request.body.clone();
    assert!(body["messages"].take().to_string().contains("in `<final-1>` tags"));
    let sent = record.agent_run.and_then(|run| run.model).expect("a model was asked").effective;
    assert_eq!(sent["tools"], body["tools"], "the record says which tools there were");
    let wanted = json!({"model": "claude-x", "max_tokens": 5, "stream": true, "messages": null,
        "output_config": {"effort": "low"},
        "tools": [{"type": "code_execution_20250825", "name": "code_execution"},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 7,
             "allowed_callers": ["code_execution_20250825"], "response_inclusion": "excluded"}]});
    assert_eq!(body, wanted);
}

#[test]
fn every_stop_reason_has_its_place_and_an_unknown_one_is_no_failure_of_the_agents() {
    let done = || says("<result>42</result>", "end_turn");
    let refusal = |text: &str| {
        turn(
            json!([{"type": "text", "text": text}]),
            "refusal",
            json!({"delta": {"stop_details": {"category": "bio"}}}),
        )
    };
    let cut_call = turn(json!([{"type": "text", "text": "<result>42</result>"}, cell("c")]), "max_tokens", json!({}));
    type Case<'a> = (&'a str, Vec<Act>, OutcomeKind, Option<f64>, &'a str);
    let cases: Vec<Case<'_>> = vec![
        ("end_turn", vec![done()], Scored, Some(1.0), ""),
        ("pause_turn", vec![says("Looking.", "pause_turn"), done()], Scored, Some(1.0), ""),
        ("max_tokens", vec![says("Looking.", "max_tokens"), done()], Scored, Some(1.0), ""),
        ("max_tokens in a call", vec![cut_call], Limit, Some(1.0), "as many tokens"),
        ("compaction", vec![says("Looking.", "compaction"), done()], Scored, Some(1.0), ""),
        ("refusal", vec![refusal("No.")], AgentError, Some(0.0), "its model refused (`bio`)"),
        ("refusal after an answer", vec![refusal("<result>42</result>")], AgentError, Some(1.0), "its model refused"),
        ("context", vec![says("42", "model_context_window_exceeded")], Limit, Some(0.0), "longer than"),
        (
            "context after an answer",
            vec![says("<result>42</result>", "model_context_window_exceeded")],
            Limit,
            Some(1.0),
            "longer than",
        ),
        ("stop_sequence", vec![says("42", "stop_sequence")], Fault, None, "`stop_sequence`"),
        ("tool_use", vec![says("42", "tool_use")], Fault, None, "`tool_use`"),
        ("unknown", vec![says("42", "brand_new")], Fault, None, "`brand_new`"),
        ("nothing said", vec![turn(json!([]), "end_turn", json!({}))], NoAnswer, Some(0.0), ""),
    ];
    for (name, script, outcome, reward, reason) in cases {
        let (suite, server, record) = one(script, &[]);
        let why = record.reason.clone().unwrap_or_default();
        assert_eq!((record.outcome, record.reward), (outcome, reward), "{name}: {why}");
        assert!(why.contains(reason), "{name}: {why}");
        // A pause is sent back as it is; only a reply that was cut is told to go on.
        if let Some(second) = server.requests().get(1).filter(|_| outcome == Scored) {
            let messages = second.body["messages"].as_array().expect("messages");
            let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
            let wanted: &[&str] =
                if name == "max_tokens" { &["user", "assistant", "user"] } else { &["user", "assistant"] };
            assert_eq!(roles, wanted, "{name}");
            assert_eq!(second.body["tools"], server.requests()[0].body["tools"]);
            let notes = notes(&record);
            assert_eq!((notes.pauses, notes.continuations), if name == "max_tokens" { (0, 1) } else { (1, 0) });
        }
        if outcome == Fault {
            // What was used is paid all the same, and what was said may say why.
            let run = record.agent_run.clone().and_then(|run| run.model).expect("it is kept");
            assert_eq!(
                (run.ended, run.steps, run.usage.map(|usage| usage.total())),
                (Ended::ProviderFailed, 1, Some(115))
            );
            assert!(kept(&suite, &record, "agent/messages.json").contains("\"42\""));
        }
    }
}

#[test]
fn throttled_tools_are_noticed_in_codes_in_what_code_wrote_and_by_no_search_at_all() {
    let error = |code: &str| json!({"type": "code_execution_tool_result_error", "error_code": code});
    let searched = |searches: u64| json!({"usage": {"server_tool_use": {"web_search_requests": searches}}});
    let answer = json!({"type": "text", "text": "<result>42</result>"});
    let with = |results: Vec<Value>, searches| {
        let blocks = results.into_iter().enumerate().flat_map(|(n, content)| {
            let id = format!("c{n}");
            [cell(&id), result(&id, content)]
        });
        turn(blocks.chain([answer.clone()]).collect(), "end_turn", searched(searches))
    };
    for (name, act, throttled, no_search) in [
        ("well", with(vec![wrote("found", "")], 3), 0, false),
        ("by a code", with(vec![error("too_many_requests"), error("unavailable")], 3), 1, false),
        ("on stdout", with(vec![wrote("{'error_code': 'too_many_requests'}", "")], 3), 1, false),
        ("on stderr", with(vec![wrote("", "rate_limit_error"), wrote("x", "too_many_requests")], 3), 2, false),
        ("no search", with(vec![wrote("from memory", "")], 0), 0, true),
    ] {
        let suite = tiny::suite(&["t"]);
        let said = go(&suite, &Server::start(vec![act]), &[]).expect_code(0).stderr;
        assert_eq!(said.contains("warning: the provider's tools were throttled"), throttled > 0, "{name}: {said}");
        let record = trial(&suite.join("jobs/j"), "t");
        let notes = notes(&record);
        assert_eq!((notes.throttled_cells, notes.no_search), (throttled, no_search), "{name}: {notes:?}");
        assert_eq!(record.outcome, Scored, "a warning changes no score");
        let shown = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
        let (text, report) = (shown("text"), shown("json"));
        crate::report::matches_schema("report.json", &report);
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["searching"]["throttled_cells"], throttled, "{name}");
        assert_eq!(report["searching"]["warning"].is_string(), throttled > 0, "{name}");
        assert_eq!(text.contains("were throttled in 1 of 1 trials"), throttled > 0, "{name}: {text}");
        assert_eq!(text.contains("1 trials in which nothing was searched"), no_search, "{name}: {text}");
        assert_eq!(shown("md").contains("| warning | "), throttled > 0, "{name}");
        let page = shown("html");
        assert_eq!(page.contains("Doubtful: </strong>the provider's tools"), throttled > 0, "{name}");
        assert!(page.contains("<h3>Searching</h3>"));
        if name == "by a code" {
            assert!(text.contains("1 too_many_requests, 1 unavailable"), "{text}");
        }
    }
}

#[test]
fn one_questions_failure_leaves_the_others_scored() {
    let suite = tiny::suite(&["a", "b", "c", "d"]);
    for name in ["b", "c"] {
        suite.write(&format!("tasks/{name}/instruction.md"), format!("Question {name}?\n"));
    }
    let server = Server::with(|request: &Received| match &request.body["messages"].to_string() {
        text if text.contains("Question b?") => says("Hm.", "brand_new"),
        text if text.contains("Question c?") => says("No.", "refusal"),
        _ => says("<result>42</result>", "end_turn"),
    });
    go(&suite, &server, &["-n", "2"]).expect_code(3);
    let outcomes: Vec<OutcomeKind> = tiny::ledger(&suite.join("jobs/j")).into_values().map(|r| r.outcome).collect();
    assert_eq!(outcomes, [Scored, Fault, AgentError, Scored]);
}

#[test]
fn a_wrong_key_stops_the_job_at_the_first_request() {
    let suite = tiny::suite(&["a", "b"]);
    let error = json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}});
    let server = Server::start(vec![Act::json(401, &error)]);
    let said = go(&suite, &server, &["-n", "1"]).expect_code(2).stderr;
    assert!(said.contains("does not accept the key (401): no"), "{said}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn limits_end_a_run_and_an_answer_that_it_gave_before_is_judged() {
    let draft = || says("So far <result>42</result>", "pause_turn");
    let cut = || says("word ", "max_tokens");
    let busy = Act::json(429, &json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}));
    let busy = || busy.clone().header("retry-after-ms", "700");
    let down = Act::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let down = || down.clone().header("retry-after-ms", "700");
    for (name, script, args, outcome, reward, class, reason) in [
        ("turns", vec![draft()], &["--ak", "max_turns=3"][..], Limit, Some(1.0), "budget", "as often"),
        ("tokens", vec![draft()], &["--ak", "token_budget=200"], Limit, Some(1.0), "budget", "as many tokens"),
        ("continuations", vec![cut()], &["--ak", "max_continuations=2"], Limit, Some(0.0), "budget", "as many tokens"),
        (
            "waiting",
            vec![busy(), draft(), busy(), draft()],
            &["--ak", "max_wait_sec=1"],
            Fault,
            None,
            "throttled",
            "a run may wait 1 s for it in all (`max_wait_sec`)",
        ),
        (
            "waiting for one that is down",
            vec![down(), draft(), down(), draft()],
            &["--ak", "max_wait_sec=1"],
            Fault,
            None,
            "provider",
            "a run may wait 1 s for it in all (`max_wait_sec`)",
        ),
    ] {
        let (_suite, server, record) = one(script, &[args, &["--max-retries", "0"]].concat());
        let why = record.reason.clone().unwrap_or_default();
        assert_eq!((record.outcome, record.reward), (outcome, reward), "{name}: {why}");
        assert_eq!(record.failure.map(FailureClass::word), Some(class), "{name}");
        assert!(why.contains(reason), "{name}: {why}");
        if name == "turns" || name == "continuations" {
            assert_eq!(server.requests().len(), 3, "{name}");
        }
    }
    // Its time is over while its provider's tools still run.
    let suite = tiny::suite(&[]);
    tiny::task(&suite, "t", "fake", "[agent]\ntimeout_sec = 2.0");
    let first = draft().slow(Duration::from_millis(1300));
    let server = Server::start(vec![first, draft().slow(Duration::from_secs(4))]);
    go(&suite, &server, &[]).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "t");
    assert_eq!((record.outcome, record.reward), (OutcomeKind::AgentTimeout, Some(1.0)));
}

#[test]
fn it_does_not_start_where_a_task_closes_the_network_unless_that_is_allowed_in_words() {
    let suite = tiny::suite(&["closed"]);
    tiny::task(&suite, "open", "fake", "");
    let open = suite.read("tasks/open/task.toml").replace("no-network", "public");
    suite.write("tasks/open/task.toml", open);
    tiny::task(&suite, "listed", "fake", "allowed_hosts = [\"a.test\"]");
    let listed = suite.read("tasks/listed/task.toml").replace("no-network", "allowlist");
    suite.write("tasks/listed/task.toml", listed);
    suite.write("engine.json", "{}");
    let server = Server::start(vec![says("<result>42</result>", "end_turn")]);
    let run = |more: &[&str]| {
        let args = ["run", "tasks", "-a", "messages-search", "--fake-engine", "engine.json", "-q"];
        run(&suite, &server.url(), &[&args, more].concat())
    };
    let model = ["-m", "claude-x"];
    let said = run(&model).expect_code(2).stderr;
    let why = "its network is not public, and `messages-search` searches the web through its model's provider, where no \
               allowlist holds; `--ak provider_tools=true` allows that";
    assert_eq!(said.matches(why).count(), 1, "{said}");
    assert!(said.contains("`closed`, `listed`: its network") && !said.contains("`open`"), "{said}");
    let said = run(&[&model[..], &["-i", "open", "--network", "no-network"]].concat()).expect_code(2).stderr;
    assert!(said.contains(why), "less network was asked for: {said}");
    assert!(server.requests().is_empty() && !suite.join("jobs").exists(), "nothing has run");
    run(&[&model[..], &["-i", "open"]].concat()).expect_code(0);
    run(&[&model[..], &["--ak", "provider_tools=true", "--job-name", "all"]].concat()).expect_code(0);
    assert_eq!(server.requests().len(), 4);

    for (more, why) in [
        (&[][..], "agent `messages-search` needs a model to ask"),
        (&["-m", "openai/gpt-x"], "`openai/gpt-x` is not asked by Messages"),
        (&["-m", "claude-x", "--ak", "compaction=1000"], "`compaction` is 1000; it must be at least 50000, or `off`"),
        (&["-m", "claude-x", "--ak", "task_budget=1"], "`task_budget` is 1; it must be at least 20000, or `off`"),
        (&["-m", "claude-x", "--ak", "result_tag=<x>"], "`result_tag` is `<x>`"),
        (&["-m", "claude-x", "--ak", "turns=3"], "unknown field `turns`"),
        (
            &["-m", "claude-x", "--ak", "provider_tools=true", "--ak", "cost_budget=1"],
            "a cap on cost needs the price of `claude-x`, which isn't known",
        ),
        (&["-m", "claude-x", "--ak", "web_search=off", "--ak", "web_fetch=off"], "nothing to search with"),
    ] {
        let said = run(more).expect_code(2).stderr;
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_recorded_search_runs_again_without_a_provider() {
    let suite = tiny::suite(&["t"]);
    let container = json!({"delta": {"container": {"id": "cntr_1", "expires_at": "2026-01-01T00:00:00Z"}}});
    let compacted = json!([{"type": "compaction", "content": "s", "encrypted_content": "e"}, cell("c")]);
    let script =
        || vec![turn(compacted.clone(), "pause_turn", container.clone()), says("<result>42</result>", "end_turn")];
    let server = Server::start(script());
    go(&suite, &server, &["--record", "said"]).expect_code(0);
    assert_eq!(server.requests()[1].body["container"], "cntr_1");
    let args = ["run", "tasks", "-a", "messages-search", "-m", "claude-x", "--replay", "said", "--job-name", "again"];
    let engine = ["-q", "--fake-engine", "engine.json", "--ak", "provider_tools=true"];
    let again = |more: &[&str]| {
        let mut command = suite.command(&[&args[..], &engine, more].concat());
        command.env_remove("ANTHROPIC_API_KEY").env_remove("ANTHROPIC_BASE_URL");
        command.output().expect("the binary starts").status.code()
    };
    assert_eq!(again(&[]), Some(0));
    let (first, second) = (trial(&suite.join("jobs/j"), "t"), trial(&suite.join("jobs/again"), "t"));
    let used = |record: &TrialRecord| record.agent_run.clone().and_then(|run| run.model?.usage);
    assert_eq!((first.verdict.as_ref(), used(&first)), (second.verdict.as_ref(), used(&second)));
    assert_eq!(notes(&first), notes(&second));
}

#[tokio::test]
async fn the_answer_is_collected_from_the_container_like_any_agents() {
    if support::docker("the_answer_is_collected_from_the_container_like_any_agents").await.is_none() {
        return;
    }
    let suite = Suite::new();
    tiny::task(&suite, "t", BASE, "");
    let server = Server::start(vec![says("<result>'42' \"é\" $HOME</result>", "end_turn")]);
    let args = ["run", "tasks", "-a", "messages-search", "-m", "claude-x", "--job-name", "j", "-q"];
    run(&suite, &server.url(), &[&args[..], &["--ak", "provider_tools=true"]].concat()).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "t");
    assert_eq!(kept(&suite, &record, "artifacts/app/answer.txt"), "'42' \"é\" $HOME\n");
    assert_eq!(record.outcome, Scored);
}
