//! What an agent in a container and its models said to each other, as its trajectory tells it: everything once, in every
//! interface, whatever went wrong on the way.

use crate::model_server::{Act, chat, chat_stream, message, message_stream, response, response_stream};
use crate::relay::Bed;
use crate::trajectory::problems;
use seatrial::agent::overheard;
use serde_json::{Value, json};

/// The steps of what has passed, as `source: message [calls] = results`, and the messages' roles.
fn told(bed: &Bed) -> (Vec<String>, Vec<Value>) {
    let (heard, used) = (bed.trial.heard(), bed.trial.used());
    let said = overheard("mine", "m", &heard, &used).expect("something was said");
    assert_eq!(problems(&said.trajectory), Vec::<String>::new(), "{:#}", said.trajectory);
    let words = |list: &Value, key: &str| -> Vec<String> {
        let all = list.as_array().into_iter().flatten();
        all.map(|one| one[key].as_str().unwrap_or("?").to_owned()).collect()
    };
    let step = |step: &Value| {
        let calls = words(&step["tool_calls"], "function_name").join(",");
        let results = words(&step["observation"]["results"], "content").join(",");
        let cut = if step["extra"]["unfinished"] == true { " (unfinished)" } else { "" };
        let mut line =
            format!("{}: {}", step["source"].as_str().expect("a source"), step["message"].as_str().expect("text"));
        if !calls.is_empty() || !results.is_empty() {
            line.push_str(&format!(" [{calls}] = {results}"));
        }
        line + cut
    };
    let steps = said.trajectory["steps"].as_array().expect("steps").iter().map(step).collect();
    (steps, said.messages.as_array().expect("messages").clone())
}

const EXPECTED: [&str; 4] = ["system: Be brief.", "user: How many?", "agent: Well. [ls] = a 漢", "agent: 42"];

#[tokio::test]
async fn a_conversation_of_calls_and_results_is_told_once_in_every_interface() {
    let call = json!([{"type": "text", "text": "Well."}, {"type": "tool_use", "id": "c1", "name": "ls", "input": {"at": "/"}}]);
    let last = json!([{"type": "text", "text": "42"}]);
    let ask = json!({"role": "user", "content": "How many?"});
    let result = json!([{"type": "tool_result", "tool_use_id": "c1", "content": "a 漢"}]);
    let messages = [
        json!({"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": [ask]}),
        json!({"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": [
            ask, {"role": "assistant", "content": call}, {"role": "user", "content": result}]}),
    ];
    let function = json!({"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{\"at\":\"/\"}"}});
    let calling = json!({"role": "assistant", "content": "Well.", "tool_calls": [function]});
    let ending = json!({"role": "assistant", "content": "42"});
    let system = json!({"role": "system", "content": "Be brief."});
    let chats = [
        json!({"model": "gpt-x", "messages": [system, ask]}),
        json!({"model": "gpt-x", "messages": [system, ask, calling,
            {"role": "tool", "tool_call_id": "c1", "content": "a 漢"}]}),
    ];
    let text = |text: &str| {
        json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
                                   "content": [{"type": "output_text", "text": text, "annotations": []}]})
    };
    let item = json!({"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "c1", "output": "a 漢"});
    let (wants, ends) = (json!([text("Well."), item]), json!([text("42")]));
    let kept_by_provider = [
        json!({"model": "gpt-x", "instructions": "Be brief.", "input": "How many?"}),
        json!({"model": "gpt-x", "instructions": "Be brief.", "previous_response_id": "r", "input": [output]}),
    ];
    let sent_again = [
        json!({"model": "gpt-x", "input": [system, ask]}),
        json!({"model": "gpt-x", "input": [system, ask, text("Well."), item, output]}),
    ];
    let whole = |reply: Value| Act::json(200, &reply);
    for (model, path, bodies, acts) in [
        ("claude-x", "/v1/messages", &messages, [whole(message(&call, "tool_use")), whole(message(&last, "end_turn"))]),
        (
            "claude-x",
            "/v1/messages",
            &messages,
            [Act::stream(&message_stream(&call, "tool_use")), Act::stream(&message_stream(&last, "end_turn"))],
        ),
        ("gpt-x", "/v1/chat/completions", &chats, [whole(chat(&calling, "tool_calls")), whole(chat(&ending, "stop"))]),
        (
            "gpt-x",
            "/v1/chat/completions",
            &chats,
            [Act::stream(&chat_stream(&calling, "tool_calls")), Act::stream(&chat_stream(&ending, "stop"))],
        ),
        (
            "gpt-x",
            "/v1/responses",
            &kept_by_provider,
            [whole(response(&wants, "completed")), whole(response(&ends, "completed"))],
        ),
        (
            "gpt-x",
            "/v1/responses",
            &sent_again,
            [Act::stream(&response_stream(&wants, "completed")), Act::stream(&response_stream(&ends, "completed"))],
        ),
    ] {
        let bed = Bed::plain(model, acts.to_vec()).await;
        for (n, body) in bodies.iter().enumerate() {
            assert_eq!(bed.post(path, body).await.0, 200, "{path}");
            bed.used(n + 1).await;
        }
        let (steps, kept) = told(&bed);
        assert_eq!(steps, EXPECTED, "{path}");
        let roles: Vec<_> = kept.iter().map(|turn| turn["role"].as_str().expect("a role")).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user", "assistant"], "{path}");
        assert!(kept[2]["raw"].to_string().contains("c1"), "the reply as it came: {:#}", kept[2]);
        let used = bed.trial.used();
        assert_eq!((used.replies, used.tool_calls), (Some(2), Some(1)), "{path}");
    }
}

#[tokio::test]
async fn what_failed_and_was_asked_again_is_told_once_and_a_reply_that_broke_off_as_far_as_it_came() {
    let reply = json!([{"type": "text", "text": "forty-two"}]);
    let stream = Act::stream(&message_stream(&reply, "end_turn"));
    let bed = Bed::plain(
        "claude-x",
        vec![
            Act::json(529, &json!({"error": {"message": "overloaded"}})),
            stream.clone().cut(stream.body.len() / 2),
            stream,
        ],
    )
    .await;
    let body = json!({"model": "claude-x", "max_tokens": 9, "stream": true, "messages": [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": "I was told before."},
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "AA=="}}, {"type": "text", "text": "Go on."}]}]});
    for n in 1..=3 {
        bed.post("/v1/messages", &body).await;
        bed.used(n).await;
    }
    let (steps, _) = told(&bed);
    assert_eq!(steps[0], "user: How many?");
    assert!(
        steps[1].starts_with("user: {") && steps[1].contains("\"image\""),
        "what is no text as it is: {}",
        steps[1]
    );
    assert_eq!(steps[2], "user: Go on.");
    assert!(steps[3].starts_with("agent: ") && steps[3].ends_with(" (unfinished)"), "{steps:?}");
    assert_eq!(steps[4..], ["agent: forty-two"], "{steps:?}");
    let totals =
        &overheard("mine", "m", &bed.trial.heard(), &bed.trial.used()).expect("said").trajectory["final_metrics"];
    assert!(totals["total_prompt_tokens"].is_null(), "one reply did not say all that it used: {totals}");
}

#[tokio::test]
async fn who_asked_no_model_has_no_trajectory() {
    let bed = Bed::plain("claude-x", vec![Act::json(200, &json!({"data": []}))]).await;
    bed.post("/v1/files", &json!({})).await;
    bed.used(1).await;
    assert!(overheard("mine", "m", &bed.trial.heard(), &bed.trial.used()).is_none());
}

#[tokio::test]
async fn a_stream_of_what_no_provider_says_passes_and_harms_nobody() {
    for events in [
        vec![json!({"type": "message_start", "message": "x"}), json!({"type": "message_stop"})],
        vec![
            json!({"type": "content_block_start", "index": 0, "content_block": 7}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}),
        ],
        vec![json!({"type": "message_delta", "delta": 1, "usage": "much"}), json!({"type": "message_stop"})],
    ] {
        let bed = Bed::plain("claude-x", vec![Act::stream(&events)]).await;
        let body = json!({"model": "claude-x", "stream": true, "messages": "none", "system": 7});
        assert_eq!(bed.post("/v1/messages", &body).await.0, 200, "{events:?}");
        assert_eq!((bed.used(1).await.requests, bed.trial.heard().unkept), (1, 0), "{events:?}");
    }
}

#[tokio::test]
async fn a_call_that_broke_off_and_was_made_again_counts_once() {
    let content = json!([{"type": "text", "text": "forty-two"}, {"type": "tool_use", "id": "c1", "name": "ls", "input": {"at": "/"}}]);
    let stream = Act::stream(&message_stream(&content, "tool_use"));
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "o"}});
    let overloaded = Act::stream(&[message_stream(&content, "tool_use")[0].clone(), error]);
    let cut = stream.body.len() * 9 / 10;
    let bed = Bed::plain("claude-x", vec![stream.clone().cut(cut), overloaded, stream]).await;
    let body = json!({"model": "claude-x", "stream": true, "messages": [{"role": "user", "content": "How many?"}]});
    for n in 1..=3 {
        bed.post("/v1/messages", &body).await;
        bed.used(n).await;
    }
    let used = bed.trial.used();
    assert_eq!((used.failed, used.replies, used.tool_calls), (2, Some(1), Some(1)), "{used:?}");
}
