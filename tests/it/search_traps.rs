//! `messages-search` and what is easily got wrong about the interface that it speaks: each trap has a test of its own.

use crate::model_server::{Act, message_stream};
use crate::search_agent::{cell, kept, notes, one, result, says, turn, wrote};
use seatrial::results::OutcomeKind::{Fault, NoAnswer, Scored};
use serde_json::{Value, json};

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn compaction(content: Value) -> Value {
    json!({"type": "compaction", "content": content, "encrypted_content": "opaque=="})
}

fn messages(suite: &crate::support::Suite, record: &seatrial::results::TrialRecord) -> Value {
    serde_json::from_str(&kept(suite, record, "agent/messages.json")).expect("JSON")
}

#[test]
fn a_what_compactions_use_is_counted_though_the_top_leaves_it_out() {
    let usage = json!({"usage": {"input_tokens": 23_000, "output_tokens": 1_000, "cache_read_input_tokens": 0,
        "output_tokens_details": {"thinking_tokens": 900}, "iterations": [
        {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500},
        {"type": "message", "input_tokens": 20_000, "output_tokens": 1_000, "cache_creation_input_tokens": 3_000},
    ]}});
    let (suite, _server, record) = one(vec![turn(json!([text("<result>42</result>")]), "end_turn", usage)], &[]);
    let used = record.agent_run.clone().and_then(|run| run.model?.usage).expect("it is said");
    assert_eq!((used.input, used.output, used.cache_write, used.compactions), (200_000, 4_500, 3_000, 1));
    assert_eq!(used.reasoning, 900);
    let result: Value = serde_json::from_str(&kept(&suite, &record, "result.json")).expect("JSON");
    assert_eq!((&result["agent_result"]["n_input_tokens"], used.total()), (&json!(203_000), 207_500));
}

#[test]
fn b_searches_and_fetches_are_counted_by_the_provider_since_no_block_shows_them() {
    let calls = |searches: u64, fetches: u64| json!({"usage": {"server_tool_use": {"web_search_requests": searches, "web_fetch_requests": fetches}}});
    let first = json!([cell("c1"), result("c1", wrote("x", "")), cell("c2")]);
    let second = json!([result("c2", wrote("y", "")), text("<result>42</result>")]);
    let script = vec![turn(first, "pause_turn", calls(7, 0)), turn(second, "end_turn", calls(2, 3))];
    let (suite, _server, record) = one(script, &[]);
    let run = record.agent_run.clone().and_then(|run| run.model).expect("a model was asked");
    let usage = run.usage.expect("it is said");
    assert_eq!((usage.server_tools["web_search_requests"], usage.server_tools["web_fetch_requests"]), (9, 3));
    assert_eq!((notes(&record).code_cells, run.tool_calls), (2, 14));
    let report = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    assert!(report.contains("2 cells of code, 9 searches, 3 fetches"), "{report}");
    // Calls of the provider's tools are in the trajectory, and a result in a later step names no call of its own.
    let trajectory: Value = serde_json::from_str(&kept(&suite, &record, "agent/trajectory.json")).expect("JSON");
    let steps = trajectory["steps"].as_array().expect("steps");
    assert_eq!((&trajectory["agent"]["name"], steps.len()), (&json!("messages-search"), 3));
    let arguments = json!({"code": "await web_search('é')"});
    assert_eq!(
        steps[1]["tool_calls"][1],
        json!({"tool_call_id": "c2", "function_name": "code_execution", "arguments": arguments})
    );
    assert_eq!(steps[1]["observation"]["results"][0]["source_call_id"], "c1");
    assert_eq!(steps[2]["observation"]["results"][0]["source_call_id"], Value::Null);
}

#[test]
fn c_history_is_cut_at_a_compaction_that_holds_something_and_never_at_one_that_failed() {
    let failed = json!([text("one"), compaction(Value::Null), text("two")]);
    let good = json!([text("three"), compaction(json!("summary")), cell("c")]);
    let last = json!([result("c", wrote("x", "")), text("<result>42</result>")]);
    let script = vec![
        turn(failed.clone(), "pause_turn", json!({})),
        turn(good.clone(), "pause_turn", json!({})),
        turn(last, "end_turn", json!({})),
    ];
    let (suite, server, record) = one(script, &[]);
    let asked: Vec<Value> = server.requests().into_iter().map(|request| request.body["messages"].clone()).collect();
    let question = asked[0][0].clone();
    assert_eq!(asked[1], json!([question, {"role": "assistant", "content": failed}]), "all of it goes back");
    let rest = json!([good[1], good[2]]);
    assert_eq!(
        asked[2],
        json!([question, {"role": "assistant", "content": rest}]),
        "opaque parts go back as they came"
    );
    let notes = notes(&record);
    assert_eq!((notes.failed_compactions, notes.history_cuts, record.outcome), (1, 1, Scored));
    let all = messages(&suite, &record);
    assert_eq!((&all[1]["raw"], &all[2]["raw"]), (&failed, &good), "what was cut is kept here");
}

#[test]
fn d_blocks_are_kept_as_they_came_and_of_encrypted_results_the_errors_are_read() {
    let sealed = json!({"type": "encrypted_code_execution_result", "encrypted_stdout": "sealed==",
                        "stderr": "HTTPError: too_many_requests", "return_code": 1});
    let unknown = json!({"type": "block_of_tomorrow", "inner": {"x": [1]}});
    let content = json!([cell("c"), result("c", sealed), unknown, text("<result>42</result>")]);
    let mut events = message_stream(&content, "end_turn");
    let strange = json!({"type": "event_of_tomorrow", "n": 1});
    events.insert(2, strange.clone());
    events.insert(4, json!({"type": "content_block_delta", "index": 0, "delta": {"type": "delta_of_tomorrow"}}));
    let (suite, _server, record) = one(vec![Act::stream(&events)], &[]);
    assert_eq!((notes(&record).throttled_cells, record.outcome), (1, Scored));
    assert_eq!(messages(&suite, &record)[1]["raw"], content);
    let trajectory: Value = serde_json::from_str(&kept(&suite, &record, "agent/trajectory.json")).expect("JSON");
    let events = &trajectory["steps"][1]["extra"]["unknown_events"];
    assert_eq!((&events[0], &events[1]["delta"]["type"]), (&strange, &json!("delta_of_tomorrow")));
}

#[test]
fn e_an_answer_that_was_cut_is_put_together_from_the_texts_that_go_on() {
    let script = vec![says("It is <result>4", "max_tokens"), says("2</res", "max_tokens"), says("ult>.", "end_turn")];
    let (suite, server, record) = one(script, &[]);
    assert_eq!(kept(&suite, &record, "artifacts/app/answer.txt"), "42\n");
    assert_eq!((record.reward, notes(&record).continuations), (Some(1.0), 2));
    let last = server.requests()[2].body["messages"][4].clone();
    let go_on = json!([{"type": "text", "text": "Go on where you stopped."}]);
    assert_eq!((&last["role"], &last["content"]), (&json!("user"), &go_on));
}

#[test]
fn f_the_last_tag_holds_the_answer_and_where_it_is_missing_or_empty_that_is_noticed() {
    for (said, answer, missing) in [
        ("<result>7</result> no: <RESULT>\n42 </Result> so", Some("42\n"), false),
        ("  The answer is 42. ", Some("The answer is 42.\n"), true),
        ("42 <result> </result>", Some("42 <result> </result>\n"), true),
        (" \n", None, true),
    ] {
        let (suite, _server, record) = one(vec![says(said, "end_turn")], &[]);
        assert_eq!(notes(&record).result_tag_missing, missing, "{said}");
        match answer {
            Some(answer) => assert_eq!(kept(&suite, &record, "artifacts/app/answer.txt"), answer),
            None => assert_eq!((record.outcome, record.reward), (NoAnswer, Some(0.0))),
        }
        let report = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
        assert_eq!(report.contains("1 trials without the tag of the answer"), missing, "{report}");
    }
}

#[test]
fn g_a_container_stays_known_where_later_events_and_replies_leave_it_out() {
    let mut events = message_stream(&json!([cell("c1")]), "pause_turn");
    events[0]["message"]["container"] = json!({"id": "cntr_1", "expires_at": "2026-12-30T00:00:00Z"});
    let end = events.len() - 2;
    events[end]["delta"]["container"] = Value::Null;
    let other = json!({"delta": {"container": {"id": "cntr_2", "expires_at": "2026-12-30T00:00:00Z"}}});
    let script = vec![
        Act::stream(&events),
        turn(json!([result("c1", wrote("x", "")), cell("c2")]), "pause_turn", json!({})),
        turn(json!([result("c2", wrote("x", "")), cell("c3")]), "pause_turn", other),
        says("<result>42</result>", "end_turn"),
    ];
    let (_suite, server, record) = one(script, &[]);
    let named: Vec<Value> = server.requests().into_iter().map(|request| request.body["container"].clone()).collect();
    assert_eq!(named, [Value::Null, json!("cntr_1"), json!("cntr_1"), json!("cntr_2")]);
    assert_eq!((record.outcome, notes(&record).container_lost), (Scored, false));
}

#[test]
fn h_a_container_that_has_expired_is_dropped_and_asked_without_once() {
    let container = json!({"delta": {"container": {"id": "cntr_1", "expires_at": "2026-01-01T00:00:00Z"}}});
    let first = || turn(json!([text("Looking.")]), "pause_turn", container.clone());
    let gone = |status: u16, kind: &str| {
        Act::json(status, &json!({"type": "error", "error": {"type": kind, "message": "Container cntr_1 has expired"}}))
    };
    for (status, kind) in [(400, "invalid_request_error"), (404, "not_found_error")] {
        let script = vec![first(), gone(status, kind), says("<result>42</result>", "end_turn")];
        let (suite, server, record) = one(script, &[]);
        let asked = server.requests();
        assert_eq!((asked.len(), &asked[1].body["container"]), (3, &json!("cntr_1")));
        assert_eq!((asked[2].body.get("container"), &asked[2].body["messages"]), (None, &asked[1].body["messages"]));
        assert_eq!((record.outcome, notes(&record).container_lost), (Scored, true), "{status}");
        let report = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
        assert!(report.contains("1 trials lost what was in it"), "{report}");
    }
    // The same word again is about something else, and no reason to ask for ever.
    let (_suite, server, record) = one(vec![first(), gone(400, "invalid_request_error")], &["--max-retries", "0"]);
    assert_eq!((record.outcome, server.requests().len()), (Fault, 3));
}
