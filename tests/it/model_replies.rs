//! What a reply that is not of the usual kind means, asked by our own client and passed on by the relay alike: usage that is
//! not said is unknown, never nothing.

use crate::model_server::{Act, Server, chat, message, message_stream, response};
use crate::relay::Bed;
use seatrial::agent::overheard;
use seatrial::model::{
    Api, Block, Class, Client, Endpoint, Message, Reply, Request, Retry, Secret, Settings, Stop, Transport, Usage,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn model(api: Api) -> &'static str {
    if api == Api::Messages { "claude-x" } else { "gpt-x" }
}

fn client(server: &Server, api: Api) -> Client {
    let base_url = if api == Api::Messages { server.url() } else { format!("{}/v1", server.url()) };
    let endpoint = Endpoint { api, base_url, key: Secret::new("sk-secret-0123456789"), model: model(api).to_owned() };
    Client::new(endpoint, Transport::live().expect("HTTPS"), Settings::default())
}

async fn ask(api: Api, act: Act) -> Reply {
    let request = Request { messages: vec![Message::user("?")], max_tokens: 9, stream: true, ..Request::default() };
    client(&Server::start(vec![act]), api).ask(&request).await.expect("a reply")
}

async fn pass_on(api: Api, act: Act) -> Bed {
    let bed = Bed::plain(model(api), vec![act]).await;
    let (path, ask) = match api {
        Api::Messages => ("/v1/messages", "messages"),
        Api::Chat => ("/v1/chat/completions", "messages"),
        Api::Responses => ("/v1/responses", "input"),
    };
    let (status, _) = bed.post(path, &json!({"model": model(api), ask: [{"role": "user", "content": "?"}]})).await;
    assert_eq!(status, 200);
    bed
}

/// A reply of each interface with this usage; of Messages as a stream too, where its start and its end say it.
fn replies(usage: &Value) -> Vec<(Api, Act)> {
    let with = |mut reply: Value, names: [&str; 2]| {
        let renamed = usage.as_object().map(|all| {
            let pairs = [("input", names[0]), ("output", names[1])];
            pairs.iter().filter_map(|(from, to)| Some(((*to).to_owned(), all.get(*from)?.clone()))).collect()
        });
        reply["usage"] = renamed.map_or(Value::Null, Value::Object);
        reply
    };
    let text = json!([{"type": "text", "text": "42"}]);
    let output = json!([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "42"}]}]);
    let (names, said) = (["input_tokens", "output_tokens"], json!({"role": "assistant", "content": "42"}));
    let mut events = message_stream(&text, "end_turn");
    let usage_of_stream = with(json!({}), names)["usage"].clone();
    for event in &mut events {
        match event["type"].as_str() {
            Some("message_start") => event["message"]["usage"] = usage_of_stream.clone(),
            Some("message_delta") if usage.is_null() => drop(event.as_object_mut().expect("one").remove("usage")),
            Some("message_delta") => event["usage"] = usage_of_stream.clone(),
            _ => {}
        }
    }
    vec![
        (Api::Messages, Act::json(200, &with(message(&text, "end_turn"), names))),
        (Api::Messages, Act::stream(&events)),
        (Api::Chat, Act::json(200, &with(chat(&said, "stop"), ["prompt_tokens", "completion_tokens"]))),
        (Api::Responses, Act::json(200, &with(response(&output, "completed"), names))),
    ]
}

#[tokio::test]
async fn a_reply_that_does_not_say_what_it_used_is_unknown_and_not_free() {
    for usage in [json!(null), json!({}), json!({"input": null, "output": null}), json!({"input": "many"})] {
        for (api, act) in replies(&usage) {
            assert_eq!(ask(api, act.clone()).await.usage, None, "{api:?} {usage}");
            let used = pass_on(api, act).await.used(1).await;
            assert_eq!((used.unmetered, used.cost_usd), (1, None), "{api:?} {usage}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_counts_half_of_it_or_writes_counts_as_12_point_0_is_counted() {
    for (usage, input, output) in [
        (json!({"input": 12.0, "output": 3.0}), 12, 3),
        (json!({"input": 0, "output": 0}), 0, 0),
        (json!({"output": 3}), 0, 3),
    ] {
        for (api, act) in replies(&usage) {
            let wanted = Usage { input, output, ..Usage::default() };
            assert_eq!(ask(api, act.clone()).await.usage, Some(wanted.clone()), "{api:?} {usage}");
            let used = pass_on(api, act).await.used(1).await;
            assert_eq!((used.unmetered, used.usage), (0, wanted), "{api:?} {usage}");
        }
    }
}

#[tokio::test]
async fn parts_that_count_nothing_take_nothing_from_the_whole() {
    let mut reply = message(&json!([]), "end_turn");
    reply["usage"]["iterations"] = json!([{"type": "message"}]);
    let usage = ask(Api::Messages, Act::json(200, &reply)).await.usage.expect("it is said");
    assert_eq!((usage.input, usage.output), (10, 5));
    reply["usage"] = json!({"iterations": [{"type": "compaction", "input_tokens": 7, "output_tokens": 2}]});
    let usage = ask(Api::Messages, Act::json(200, &reply)).await.usage.expect("the part says it");
    assert_eq!((usage.input, usage.output, usage.compactions), (7, 2, 1));
}

/// Asked while it is recorded, and again as it is played back: what each came to, and how long the second took.
async fn twice(acts: Vec<Act>, settings: Settings) -> ([Result<(String, u64), (Class, u32, u32)>; 2], Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let base_url = Server::start(acts).url();
    let key = Secret::new("sk-secret-0123456789");
    let endpoint = Endpoint { api: Api::Messages, base_url, key, model: "claude-x".to_owned() };
    let request = Request { messages: vec![Message::user("?")], max_tokens: 9, ..Request::default() };
    let mut ends = Vec::new();
    let mut began = Instant::now();
    for plays_back in [false, true] {
        let transport = if plays_back { Transport::replaying } else { Transport::recording };
        let client = Client::new(endpoint.clone(), transport(folder.path()).expect("a recording"), settings);
        began = Instant::now();
        let end = client.ask(&request).await;
        let said = end.map(|reply| (reply.text(), reply.waited.as_secs()));
        ends.push(said.map_err(|failure| (failure.class, failure.attempts, failure.untold)));
        // What was given up is written down beside its request's end.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (ends.try_into().expect("two"), began.elapsed())
}

#[tokio::test]
async fn what_was_given_up_for_the_providers_slowness_is_played_back_as_the_same_trouble() {
    let ms = Duration::from_millis;
    let retry = Retry { total: ms(300), first_wait: ms(10), ..Retry::default() };
    let settings = Settings { retry, silence: ms(300), ..Settings::default() };
    let overloaded = Act::json(529, &json!({"error": {"type": "overloaded_error", "message": "o"}}));
    for (act, class) in [
        (Act::json(200, &message(&json!([]), "end_turn")).slow(ms(900)), Class::Timeout),
        (overloaded.slow(ms(200)), Class::Overloaded),
    ] {
        let ([recorded, played_back], _) = twice(vec![act], settings).await;
        assert_eq!(recorded.as_ref().expect_err("no reply comes").0, class);
        assert_eq!(played_back, recorded);
    }
}

#[tokio::test]
async fn a_play_back_does_not_wait_between_tries() {
    let throttled = Act::json(429, &json!({"error": {"type": "rate_limit_error", "message": "o"}}));
    let whole = Act::json(200, &message(&json!([{"type": "text", "text": "42"}]), "end_turn"));
    let acts = vec![throttled.header("retry-after", "2"), whole];
    let (ends, took) = twice(acts, Settings::default()).await;
    assert_eq!(ends, [Ok(("42".to_owned(), 2)), Ok(("42".to_owned(), 2))], "they count as waited all the same");
    assert!(took < Duration::from_secs(1), "{took:?}");
}

const PATCH: &str = "*** Begin Patch\n{}";

#[tokio::test]
async fn calls_of_tools_that_are_no_functions_are_calls_and_go_back_as_they_came() {
    let output = json!([
        {"type": "custom_tool_call", "id": "ctc", "call_id": "c1", "name": "apply_patch", "input": PATCH},
        {"type": "local_shell_call", "id": "lsh", "call_id": "c2", "action": {"type": "exec", "command": ["ls"]},
         "status": "completed"}]);
    let custom = json!({"id": "c1", "type": "custom", "custom": {"name": "apply_patch", "input": PATCH}});
    let said = json!({"role": "assistant", "content": null, "tool_calls": [custom]});
    let piece = |delta: Value| json!({"model": "gpt-x", "choices": [{"index": 0, "delta": delta}]});
    let (begin, end) = PATCH.split_at(5);
    let stream = [
        piece(json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "type": "custom",
                     "custom": {"name": "apply_patch", "input": begin}}]})),
        piece(json!({"tool_calls": [{"index": 0, "custom": {"input": end}}]})),
        json!({"model": "gpt-x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        json!("[DONE]"),
    ];
    let (patch, exec) = (json!(PATCH), output[1]["action"].clone());
    let both = vec![("c1", "apply_patch", &patch), ("c2", "local_shell", &exec)];
    let one = both[..1].to_vec();
    for (api, act, wanted, back) in [
        (
            Api::Responses,
            Act::json(200, &response(&output, "completed")),
            both,
            output.as_array().expect("items").clone(),
        ),
        (Api::Chat, Act::json(200, &chat(&said, "tool_calls")), one.clone(), vec![custom.clone()]),
        (Api::Chat, Act::stream(&stream), one, vec![custom]),
    ] {
        let reply = ask(api, act.clone()).await;
        assert_eq!((reply.calls().collect::<Vec<_>>(), &reply.stop), (wanted.clone(), &Stop::ToolUse), "{api:?}");
        let used = pass_on(api, act.clone()).await.used(1).await;
        assert_eq!(used.tool_calls, Some(wanted.len() as u64), "{api:?}");

        let results = reply.calls().map(|(id, ..)| Block::ToolResult {
            id: id.to_owned(),
            text: "done".to_owned(),
            is_error: false,
        });
        let messages = vec![Message::user("?"), reply.message(), Message::results(results.collect())];
        let server = Server::start(vec![act]);
        let request = Request { messages, max_tokens: 9, stream: true, ..Request::default() };
        client(&server, api).ask(&request).await.expect("a reply");
        let body = server.requests()[0].body.clone();
        if api == Api::Responses {
            let input = body["input"].as_array().expect("items");
            assert_eq!(input[1..3], back[..]);
            let kinds = input[3..].iter().map(|item| (&item["type"], &item["call_id"])).collect::<Vec<_>>();
            let wanted = [("custom_tool_call_output", "c1"), ("function_call_output", "c2")];
            assert_eq!(
                kinds,
                wanted.map(|(kind, id)| (json!(kind), json!(id))).each_ref().map(|(kind, id)| (kind, id))
            );
        } else {
            assert_eq!(body["messages"][1]["tool_calls"], json!(back));
            assert_eq!(body["messages"][2]["tool_call_id"], "c1");
        }
    }
}

#[tokio::test]
async fn an_agents_own_calls_of_such_tools_are_told_with_their_results() {
    let output = json!([{"type": "local_shell_call", "call_id": "c2", "action": {"type": "exec", "command": ["ls"]}}]);
    let last = json!([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "42"}]}]);
    let acts = [&output, &last].map(|output| Act::json(200, &response(output, "completed")));
    let bed = Bed::plain("gpt-x", acts.to_vec()).await;
    let mut input = vec![json!({"role": "user", "content": "How many?"})];
    bed.post("/v1/responses", &json!({"model": "gpt-x", "input": input})).await;
    bed.used(1).await;
    input.extend([output[0].clone(), json!({"type": "local_shell_call_output", "id": "c2", "output": "a.txt"})]);
    bed.post("/v1/responses", &json!({"model": "gpt-x", "input": input})).await;
    let used = bed.used(2).await;
    let said = overheard("mine", "m", &bed.trial.heard(), &used).expect("something was said");
    let steps = said.trajectory["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert_eq!(steps[1]["tool_calls"][0]["function_name"], "local_shell");
    assert_eq!(steps[1]["observation"]["results"][0]["content"], "a.txt");
}

#[tokio::test]
async fn of_several_answers_in_one_stream_the_first_is_read_and_not_all_mixed() {
    let piece = |index: u32, text: &str, finish: Value| json!({"model": "gpt-x", "choices": [{"index": index, "delta": {"content": text}, "finish_reason": finish}]});
    let stop = || json!("stop");
    let events = [
        piece(1, "B1 ", Value::Null),
        piece(0, "A1 ", Value::Null),
        piece(1, "B2", json!("length")),
        piece(0, "A2", stop()),
        json!({"model": "gpt-x", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
        json!("[DONE]"),
    ];
    let reply = ask(Api::Chat, Act::stream(&events)).await;
    assert_eq!((reply.text().as_str(), reply.stop), ("A1 A2", Stop::EndTurn));
    assert_eq!(reply.usage.map(|usage| usage.output), Some(4));
}
