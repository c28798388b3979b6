//! What a reply that is not of the usual kind means, asked by our own client and passed on by the relay alike: usage that is
//! not said is unknown, never nothing.

use crate::model_server::{Act, Server, chat, message, message_stream, response};
use crate::relay::Bed;
use seatrial::model::{Api, Client, Endpoint, Message, Reply, Request, Secret, Settings, Transport, Usage};
use serde_json::{Value, json};

fn model(api: Api) -> &'static str {
    if api == Api::Messages { "claude-x" } else { "gpt-x" }
}

async fn ask(api: Api, act: Act) -> Reply {
    let server = Server::start(vec![act]);
    let base_url = if api == Api::Messages { server.url() } else { format!("{}/v1", server.url()) };
    let endpoint = Endpoint { api, base_url, key: Secret::new("sk-secret-0123456789"), model: model(api).to_owned() };
    let request = Request { messages: vec![Message::user("?")], max_tokens: 9, stream: true, ..Request::default() };
    let client = Client::new(endpoint, Transport::live().expect("HTTPS"), Settings::default());
    client.ask(&request).await.expect("a reply")
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
