//! What a reply that is not of the usual kind means, asked by our own client and passed on by the relay alike: usage that is
//! not said is unknown, never nothing.

use crate::model_server::{Act, Server, chat, message, message_stream, response};
use crate::relay::Bed;
use seatrial::model::{
    Api, Class, Client, Endpoint, Message, Reply, Request, Retry, Secret, Settings, Transport, Usage,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

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

/// Asked while it is recorded, and again as it is played back: what each came to, and how long the second took.
async fn twice(acts: Vec<Act>, settings: Settings) -> ([Result<String, (Class, u32, u32)>; 2], Duration) {
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
        ends.push(end.map(|reply| reply.text()).map_err(|failure| (failure.class, failure.attempts, failure.untold)));
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
    assert_eq!(ends, [Ok("42".to_owned()), Ok("42".to_owned())]);
    assert!(took < Duration::from_secs(1), "{took:?}");
}
