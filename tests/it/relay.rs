//! The model relay with a provider on this machine: what reaches the provider, what the agent is answered, what is
//! counted, and whose failure it is.

use crate::model_server::{Act, Server, chat, chat_stream, message, message_stream, response_stream};
use seatrial::model::{
    Called, Caps, Class, Endpoint, Halt, ModelUse, Prices, Purse, Relay, Secret, Spend, Transport, TrialRelay,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;

pub const KEY: &str = "sk-real-4f1b9c77";
const TOKEN: &str = "seatrial-worthless";
/// The agent's time; a provider that is silent for nearly all of it is to blame.
const LIMIT: Duration = Duration::from_secs(1);

/// One trial's relay before a provider, reachable at an address of this machine.
pub struct Bed {
    server: Server,
    pub trial: Arc<TrialRelay>,
    url: String,
    called: Arc<Mutex<Vec<Called>>>,
    halted: Arc<Mutex<Vec<String>>>,
    client: reqwest::Client,
}

impl Bed {
    async fn new(model: &str, server: Server, caps: Caps, job: Option<f64>) -> Bed {
        Bed::over(Transport::live().expect("HTTPS"), model, server, caps, job).await
    }

    async fn over(transport: Transport, model: &str, server: Server, caps: Caps, job: Option<f64>) -> Bed {
        let base = server.url() + if model.starts_with("claude") { "" } else { "/v1" };
        let env = |name: &str| match name {
            "ANTHROPIC_API_KEY" | "OPENAI_API_KEY" => Some(KEY.to_owned()),
            "ANTHROPIC_BASE_URL" | "OPENAI_BASE_URL" => Some(base.clone()),
            _ => None,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let prices = folder.path().join("prices.toml");
        let price = "date = \"2026-11-30\"\ninput = 1.0\noutput = 100.0\ncache_read = 0.0\ncache_write = 0.0\n";
        std::fs::write(&prices, format!("[\"claude-x\"]\n{price}[\"gpt-x\"]\n{price}")).expect("written");
        let relay = Arc::new(Relay {
            endpoint: Endpoint::from_env(model, &env).expect("an endpoint"),
            transport,
            prices: Prices::load(&prices).expect("prices"),
            caps,
            answered: false.into(),
        });
        let called: Arc<Mutex<Vec<Called>>> = Arc::default();
        let halted: Arc<Mutex<Vec<String>>> = Arc::default();
        let (keep, tell) = (Arc::clone(&called), Arc::clone(&halted));
        let sink = move |one| keep.lock().expect("no panic").push(one);
        let halt = move |why: Halt| tell.lock().expect("no panic").push(why.to_string());
        let trial = Arc::new(TrialRelay::new(
            relay,
            Purse::new(&Arc::new(Spend::new(job)), 0.0),
            Secret::new(TOKEN).expect("a token"),
            Some(LIMIT),
            sink,
            halt,
        ));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = Arc::clone(&trial);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&serving).serve(stream));
            }
        });
        Bed { server, trial, url, called, halted, client: reqwest::Client::new() }
    }

    pub async fn plain(model: &str, script: Vec<Act>) -> Bed {
        Bed::new(model, Server::start(script), Caps::default(), None).await
    }

    /// The agent's request, with its token; status and body of what it is answered. A body that breaks off is empty.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let request = self.client.post(format!("{}{path}", self.url)).header("x-api-key", TOKEN);
        let answer = request
            .header("anthropic-beta", "kept")
            .header("openai-organization", "org-x")
            .body(body.to_string())
            .send()
            .await
            .expect("an answer");
        (answer.status().as_u16(), answer.text().await.unwrap_or_default())
    }

    /// What was used, once every request has been counted.
    pub async fn used(&self, requests: usize) -> ModelUse {
        for _ in 0..500 {
            if self.called.lock().expect("no panic").len() >= requests {
                return self.trial.used();
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{requests} requests were not counted: {:?}", self.called);
    }

    pub fn halted(&self) -> Vec<String> {
        self.halted.lock().expect("no panic").clone()
    }
}

fn ask(model: &str) -> Value {
    json!({"model": model, "max_tokens": 10, "messages": [{"role": "user", "content": "How many?"}]})
}

#[tokio::test]
async fn answers_pass_unaltered_with_the_real_key_put_in_outside_and_their_use_counted() {
    let text = json!([{"type": "text", "text": "漢 forty-two"}]);
    let said = json!({"role": "assistant", "content": "漢 forty-two"});
    let events = |events: Vec<Value>| Act::stream(&events);
    for (model, path, act, streamed) in [
        ("claude-x", "/v1/messages", Act::json(200, &message(&text, "end_turn")), false),
        ("claude-x", "/v1/messages?beta=true", events(message_stream(&text, "end_turn")), true),
        ("gpt-x", "/v1/chat/completions", Act::json(200, &chat(&said, "stop")), false),
        ("gpt-x", "/v1/chat/completions", events(chat_stream(&said, "stop")), true),
        ("gpt-x", "/v1/responses", events(response_stream(&json!([]), "completed")), true),
    ] {
        let direct = Bed::plain(model, vec![act.clone()]).await;
        let upstream = reqwest::get(format!("{}{path}", direct.server.url())).await.expect("sent");
        let as_it_is = upstream.text().await.expect("text");
        let bed = Bed::plain(model, vec![act]).await;
        let (status, body) = bed.post(path, &ask(model)).await;
        assert_eq!((status, body), (200, as_it_is), "{path}");
        let [received] = &bed.server.requests()[..] else { panic!("one request: {:?}", bed.server.requests()) };
        let key = received.header("x-api-key").or(received.header("authorization")).expect("a key");
        assert!(key.ends_with(KEY) && !format!("{received:?}").contains(TOKEN), "{received:?}");
        assert_eq!((received.path.as_str(), received.header("anthropic-beta")), (path, Some("kept")));
        assert_eq!(received.header("openai-organization"), None, "whose account it is, is ours to say");
        assert_eq!(received.body, ask(model));
        let used = bed.used(1).await;
        let usage = (used.usage.input, used.usage.output, used.usage.cache_read);
        assert_eq!((used.requests, used.failed, used.unmetered, usage), (1, 0, 0, (10, 5, 100)), "{path} {streamed}");
        assert_eq!(used.cost_usd, Some((10.0 + 500.0) / 1e6));
        assert_eq!((used.models.get(model), used.trouble), (Some(&1), None));
        let debug = format!("{:?} {:?}", bed.trial, bed.called);
        assert!(!debug.contains(KEY) && !debug.contains(TOKEN), "{debug}");
    }
}

#[tokio::test]
async fn other_paths_other_keys_and_tools_that_reach_outside_are_refused_in_the_providers_shape() {
    let bed = Bed::plain("claude-x", vec![Act::json(200, &json!({}))]).await;
    let (status, body) = bed.post("/v1/files", &ask("claude-x")).await;
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &body["type"], &body["error"]["type"]), (403, &"error".into(), &"permission_error".into()));
    assert!(body["error"]["message"].as_str().is_some_and(|text| text.contains("`POST /v1/files`")), "{body}");
    let mut searching = ask("claude-x");
    searching["tools"] = json!([{"type": "web_search_20260318", "name": "web_search"}]);
    assert_eq!(bed.post("/v1/messages", &searching).await.0, 403);
    assert_eq!(
        bed.post("/v1/messages", &json!("no object is asked for")).await.0,
        200,
        "that is the provider's to say"
    );
    let strange = bed.client.post(format!("{}/v1/messages", bed.url)).header("x-api-key", KEY).body("{}");
    assert_eq!(strange.send().await.expect("an answer").status().as_u16(), 401);
    assert_eq!(bed.server.requests().len(), 1, "nothing that is refused is sent on");
    let used = bed.used(4).await;
    assert_eq!((used.requests, used.refused), (1, 3));
    let why: Vec<_> = bed.called.lock().expect("no panic").iter().filter_map(|one| one.refused.clone()).collect();
    assert!(why[1].contains("web_search_20260318"), "{why:?}");

    let bed = Bed::plain("gpt-x", vec![Act::json(200, &json!({}))]).await;
    let (status, body) = bed.post("/v1/images/generations", &ask("gpt-x")).await;
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &body["error"]["code"]), (403, &"path_not_allowed".into()));
}

#[tokio::test]
async fn a_trial_stops_at_its_caps_and_a_job_at_its_own() {
    let answer = || Act::json(200, &message(&json!([{"type": "text", "text": "x"}]), "end_turn"));
    for (caps, allowed) in [
        (Caps { requests: Some(2), ..Caps::default() }, 2),
        (Caps { tokens: Some(116), ..Caps::default() }, 2),
        (Caps { cost: Some(0.000_1), ..Caps::default() }, 1),
    ] {
        let bed = Bed::new("claude-x", Server::start(vec![answer()]), caps, None).await;
        let asked = (ask("claude-x"), ask("claude-x"), ask("claude-x"), ask("claude-x"));
        let all = tokio::join!(
            bed.post("/v1/messages", &asked.0),
            bed.post("/v1/messages", &asked.1),
            bed.post("/v1/messages", &asked.2),
            bed.post("/v1/messages", &asked.3)
        );
        let statuses = [all.0.0, all.1.0, all.2.0, all.3.0];
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), allowed, "{caps:?} {statuses:?}");
        assert_eq!(bed.server.requests().len(), allowed, "no overshoot, also of requests at the same time");
        let used = bed.used(4).await;
        assert!(used.over.is_some() && bed.halted().is_empty(), "{used:?}");
    }
    let bed = Bed::new("claude-x", Server::start(vec![answer()]), Caps::default(), Some(0.000_1)).await;
    assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await.0, 200);
    bed.used(1).await;
    assert!(bed.halted().is_empty(), "who needs no more may end");
    assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await.0, 403);
    assert_eq!(bed.halted(), ["the job's models have cost $0.0005, and its cap is $0.0001"]);
    let unknown = bed.post("/v1/messages", &ask("claude-unpriced")).await;
    assert!(unknown.0 == 403 && unknown.1.contains("the price of `claude-unpriced` isn't known"), "{unknown:?}");
}

#[tokio::test]
async fn what_a_provider_failed_at_is_none_of_the_requests_that_a_trial_may_make() {
    let down = || Act::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}));
    let fine = || Act::json(200, &message(&json!([]), "end_turn"));
    let caps = Caps { requests: Some(2), ..Caps::default() };
    let script = vec![down(), down(), down(), fine(), down(), fine()];
    let bed = Bed::new("claude-x", Server::start(script), caps, None).await;
    for (n, expected) in [529, 529, 529, 200, 529, 200, 403].into_iter().enumerate() {
        assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await.0, expected, "request {n}");
        bed.used(n + 1).await;
    }
    let used = bed.used(7).await;
    assert_eq!((used.requests, used.failed, used.over.as_deref()), (6, 4, Some("2 requests")));
}

#[tokio::test]
async fn a_stream_that_would_not_say_its_use_is_refused_only_where_a_cap_needs_it() {
    let said = json!({"role": "assistant", "content": "x"});
    let mut silent = chat_stream(&said, "stop");
    silent.retain(|event| event["usage"].is_null());
    let mut asked = ask("gpt-x");
    asked["stream"] = true.into();
    let bed = Bed::plain("gpt-x", vec![Act::stream(&silent)]).await;
    assert_eq!(bed.post("/v1/chat/completions", &asked).await.0, 200);
    let used = bed.used(1).await;
    assert_eq!((used.unmetered, used.cost_usd), (1, None), "unknown is not nothing");
    let caps = Caps { tokens: Some(1000), ..Caps::default() };
    let bed = Bed::new("gpt-x", Server::start(vec![Act::stream(&chat_stream(&said, "stop"))]), caps, None).await;
    let refused = bed.post("/v1/chat/completions", &asked).await;
    assert!(refused.0 == 400 && refused.1.contains("include_usage"), "{refused:?}");
    asked["stream_options"] = json!({"include_usage": true});
    assert_eq!(bed.post("/v1/chat/completions", &asked).await.0, 200);
    assert_eq!(bed.used(2).await.usage.output, 5);
}

#[tokio::test]
async fn an_answer_that_did_not_say_its_use_is_the_last_where_a_cap_on_it_holds() {
    let said = json!({"role": "assistant", "content": "x"});
    let mut silent = chat(&said, "stop");
    silent.as_object_mut().expect("an object").remove("usage");
    let tokens = Caps { tokens: Some(1000), ..Caps::default() };
    let cost = Caps { cost: Some(1.0), ..Caps::default() };
    for (caps, job, last) in
        [(tokens, None, 403), (cost, None, 403), (Caps::default(), Some(1.0), 403), (Caps::default(), None, 200)]
    {
        let bed = Bed::new("gpt-x", Server::start(vec![Act::json(200, &silent)]), caps, job).await;
        assert_eq!(bed.post("/v1/chat/completions", &ask("gpt-x")).await.0, 200);
        bed.used(1).await;
        assert_eq!(bed.post("/v1/chat/completions", &ask("gpt-x")).await.0, last, "{caps:?} {job:?}");
        let used = bed.used(2).await;
        let why = used.trouble.is_some_and(|why| why.contains("did not say all that its answer used"));
        assert_eq!((used.over, why), (None, last == 403), "the provider's fault: {caps:?} {job:?}");
    }
    // No answer at all, for the conversation's own length, is not the provider's fault.
    let long = json!({"error": {"code": "context_length_exceeded", "message": "no"}});
    let bed = Bed::new("gpt-x", Server::start(vec![Act::stream(&[long])]), tokens, None).await;
    let mut asked = ask("gpt-x");
    (asked["stream"], asked["stream_options"]) = (true.into(), json!({"include_usage": true}));
    assert_eq!(bed.post("/v1/chat/completions", &asked).await.0, 200);
    let used = bed.used(1).await;
    assert_eq!((used.own_doing(), used.trouble), (Some(Class::ContextExceeded), None));
}

#[tokio::test]
async fn a_providers_trouble_is_told_from_the_agents_own_and_is_over_with_the_next_answer() {
    let error = |kind: &str, text: &str| json!({"type": "error", "error": {"type": kind, "message": text}});
    let fine = || Act::json(200, &message(&json!([]), "end_turn"));
    let stream = message_stream(&json!([{"type": "text", "text": "forty-two"}]), "end_turn");
    let mut broken = stream.clone();
    broken.truncate(3);
    broken.push(error("overloaded_error", "x"));
    for (act, trouble, class) in [
        (Act::json(429, &error("rate_limit_error", "slow down")), Some("answered 429, throttled"), Class::Throttled),
        (Act::json(529, &error("overloaded_error", "x")), Some("answered 529, overloaded"), Class::Overloaded),
        (Act::bytes(502, "text/html", "<h1>bad gateway</h1>"), Some("answered 502, overloaded"), Class::Overloaded),
        (Act::stream(&stream).cut(150), Some("broke off its answer"), Class::Connection),
        (Act::stream(&broken), Some("broke off its answer: overloaded"), Class::Overloaded),
        (Act::bytes(200, "text/html", "<h1>log in</h1>"), Some("no reply that can be read: no JSON"), Class::BadReply),
        (
            Act::json(200, &json!({"id": "x"})),
            Some("no reply that can be read: the reply has no `content`"),
            Class::BadReply,
        ),
        (
            Act::json(200, &json!({"error": {"code": 502, "message": "down"}})),
            Some("an error, overloaded: down"),
            Class::Overloaded,
        ),
        (Act::json(200, &json!({"error": "down"})), Some("answered an error, overloaded: down"), Class::Overloaded),
        (Act::json(200, &json!({"error": {"code": 400, "message": "bad tool"}})), None, Class::BadRequest),
        (
            Act::stream(&[json!({"error": {"message": "down"}})]),
            Some("broke off its answer: overloaded"),
            Class::Overloaded,
        ),
        (Act::stream(&stream[..3]), Some("the stream ended before the reply"), Class::Connection),
        (
            Act::bytes(200, "text/event-stream", "<h1>log in</h1>"),
            Some("the stream ended before the reply"),
            Class::Connection,
        ),
        (
            Act::bytes(200, "text/event-stream", "data: <h1>\n\n"),
            Some("broke off its answer: bad_reply"),
            Class::BadReply,
        ),
        (Act::json(400, &error("invalid_request_error", "bad tool")), None, Class::BadRequest),
        (Act::json(400, &error("invalid_request_error", "prompt is too long")), None, Class::ContextExceeded),
        (Act::json(404, &error("not_found_error", "model: other")), None, Class::NotFound),
        (Act::stream(&[error("invalid_request_error", "prompt is too long")]), None, Class::ContextExceeded),
        (Act::stream(&[error("api_error", "Output blocked by content filtering policy")]), None, Class::Refused),
    ] {
        let bed = Bed::plain("claude-x", vec![act, fine()]).await;
        let mut other = ask("claude-x");
        other["model"] = "other".into();
        bed.post("/v1/messages", &other).await;
        let used = bed.used(1).await;
        let said = used.trouble.clone().unwrap_or_default();
        assert_eq!((used.failed > 0, used.last_failure), (trouble.is_some(), Some(class)), "{used:?}");
        let own = Some(class).filter(|class| matches!(class, Class::Refused | Class::ContextExceeded));
        assert_eq!(used.own_doing(), own, "{used:?}");
        assert!(trouble.is_none_or(|part| said.contains(part)), "{said}");
        assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await.0, 200);
        let used = bed.used(2).await;
        assert_eq!((used.trouble, used.last_failure), (None, None));
        assert!(bed.halted().is_empty());
    }
}

#[tokio::test]
async fn a_model_that_refuses_or_reads_no_further_in_its_reply_is_noticed_in_every_format() {
    let text = json!([{"type": "text", "text": "No."}]);
    let said = json!({"role": "assistant", "content": "No."});
    let declined = json!({"role": "assistant", "content": null, "refusal": "No."});
    let part = json!([{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]);
    for (model, path, act, class) in [
        ("claude-x", "/v1/messages", Act::json(200, &message(&text, "refusal")), Some(Class::Refused)),
        ("claude-x", "/v1/messages", Act::stream(&message_stream(&text, "refusal")), Some(Class::Refused)),
        (
            "claude-x",
            "/v1/messages",
            Act::stream(&message_stream(&text, "model_context_window_exceeded")),
            Some(Class::ContextExceeded),
        ),
        ("gpt-x", "/v1/chat/completions", Act::json(200, &chat(&said, "content_filter")), Some(Class::Refused)),
        ("gpt-x", "/v1/chat/completions", Act::stream(&chat_stream(&said, "content_filter")), Some(Class::Refused)),
        ("gpt-x", "/v1/chat/completions", Act::json(200, &chat(&declined, "stop")), Some(Class::Refused)),
        ("gpt-x", "/v1/responses", Act::stream(&response_stream(&part, "completed")), Some(Class::Refused)),
        ("gpt-x", "/v1/chat/completions", Act::stream(&chat_stream(&said, "length")), None),
        ("claude-x", "/v1/messages", Act::json(200, &message(&text, "max_tokens")), None),
    ] {
        let bed = Bed::plain(model, vec![act.clone()]).await;
        assert_eq!(bed.post(path, &ask(model)).await.0, 200);
        let used = bed.used(1).await;
        assert_eq!((used.own_doing(), used.trouble, used.failed), (class, None, 0), "{act:?}");
        assert_eq!(used.usage.output, 5, "it is paid all the same");
    }
}

#[tokio::test]
async fn a_good_answer_to_what_was_asked_before_does_not_hide_a_failure() {
    let fine = || Act::json(200, &message(&json!([]), "end_turn"));
    let error = |status, text: &str| {
        Act::json(status, &json!({"type": "error", "error": {"type": "x", "message": text}}))
            .slow(Duration::from_millis(200))
    };
    for (failing, class) in
        [(error(529, "busy"), Class::Overloaded), (error(400, "prompt is too long"), Class::ContextExceeded)]
    {
        let server = Server::with(move |request| match request.body["messages"][0]["content"].as_str() {
            Some("slow") => fine().slow(Duration::from_millis(600)),
            Some("failing") => failing.clone(),
            _ => fine(),
        });
        let bed = Bed::new("claude-x", server, Caps::default(), None).await;
        let asked = |text: &str| {
            let mut body = ask("claude-x");
            body["messages"][0]["content"] = text.into();
            body
        };
        let (slow, failing) = (asked("slow"), asked("failing"));
        let (good, bad) = tokio::join!(bed.post("/v1/messages", &slow), bed.post("/v1/messages", &failing));
        assert!(good.0 == 200 && bad.0 >= 400);
        let used = bed.used(2).await;
        assert_eq!((used.last_failure, used.trouble.is_some()), (Some(class), class == Class::Overloaded), "{used:?}");
        // Counting tokens is not going on.
        assert_eq!(bed.post("/v1/messages/count_tokens", &asked("x")).await.0, 200);
        assert_eq!(bed.used(3).await.last_failure, Some(class));
        assert_eq!(bed.post("/v1/messages", &asked("x")).await.0, 200);
        let used = bed.used(4).await;
        assert_eq!((used.last_failure, used.trouble), (None, None), "it got over that");
    }
}

#[tokio::test]
async fn an_agent_that_asks_again_at_once_has_got_over_an_error_in_a_stream() {
    let text = json!([{"type": "text", "text": "forty-two"}]);
    let mut broken = message_stream(&text, "end_turn");
    broken.truncate(3);
    broken.push(json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}));
    // The stream goes on for a while after its error, and the agent does not wait for that.
    broken.extend((0..4).map(|_| json!({"type": "ping"})));
    let server = Server::with(move |request| match request.body["messages"][0]["content"].as_str() {
        Some("again") => Act::json(200, &message(&json!([]), "end_turn")).slow(Duration::from_millis(1500)),
        _ => Act::stream(&broken).drip(Duration::from_millis(5)),
    });
    let bed = Bed::new("claude-x", server, Caps::default(), None).await;
    let request = bed.client.post(format!("{}/v1/messages", bed.url)).header("x-api-key", TOKEN);
    let mut first = request.body(ask("claude-x").to_string()).send().await.expect("it begins");
    let mut seen = String::new();
    while !seen.split("overloaded_error").nth(1).is_some_and(|rest| rest.contains("\r\n\r\n")) {
        let piece = first.chunk().await.expect("a piece").expect("more");
        seen.push_str(&String::from_utf8_lossy(&piece));
    }
    let mut again = ask("claude-x");
    again["messages"][0]["content"] = "again".into();
    let (answer, _) = tokio::join!(bed.post("/v1/messages", &again), first.text());
    assert_eq!(answer.0, 200);
    let used = bed.used(2).await;
    assert_eq!((used.failed, used.trouble, used.last_failure), (1, None, None));
}

#[tokio::test]
async fn a_recording_is_whole_or_the_trial_is_told_and_an_agent_that_left_leaves_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = folder.path().join("said");
    let caps = Caps::default;
    let text = json!([{"type": "text", "text": "forty-two"}]);
    let slow = Act::stream(&message_stream(&text, "end_turn")).drip(Duration::from_millis(50));
    let whole = Act::json(200, &message(&text, "end_turn"));
    let server = Server::start(vec![whole.clone(), slow]);
    let bed = Bed::over(Transport::recording(&said).expect("a folder"), "claude-x", server, caps(), None).await;
    let first = bed.post("/v1/messages", &ask("claude-x")).await;
    assert_eq!(first.0, 200);
    // The same again, and away in the midst of it.
    let asked = |bed: &Bed| {
        let request = bed.client.post(format!("{}/v1/messages", bed.url)).header("x-api-key", TOKEN);
        request.body(ask("claude-x").to_string()).timeout(Duration::from_millis(400)).send()
    };
    let left = asked(&bed).await.expect("it begins").text().await;
    assert!(left.is_err_and(|error| error.is_timeout()));
    assert_eq!(bed.used(2).await.recording, None);
    let played = Transport::replaying(&said).expect("a recording");
    let unasked = Server::start(vec![whole.clone()]);
    let bed = Bed::over(played, "claude-x", unasked, caps(), None).await;
    assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await, first);
    let left = asked(&bed).await.expect("it begins").text().await;
    assert!(left.is_err_and(|error| error.is_timeout()), "it leaves as before, and no error of a stream makes it");
    let used = bed.used(2).await;
    assert_eq!((used.failed, used.recording), (0, None));
    let (status, body) = bed.post("/v1/messages", &ask("claude-x")).await;
    assert!(status == 400 && body.contains("was asked this less often"), "{status} {body}");
    assert!(bed.used(3).await.recording.is_some_and(|why| why.contains("this less often")));
    assert!(bed.server.requests().is_empty(), "nobody is asked");

    let gone = folder.path().join("gone");
    let recording = Transport::recording(&gone).expect("a folder");
    std::fs::remove_dir(&gone).expect("it is empty");
    let bed = Bed::over(recording, "claude-x", Server::start(vec![whole]), caps(), None).await;
    bed.post("/v1/messages", &ask("claude-x")).await;
    let why = bed.used(1).await.recording.expect("it can't be kept");
    assert!(why.contains("failed to keep the recording") && why.contains("gone"), "{why}");
}

#[tokio::test]
async fn a_wrong_key_no_money_and_no_such_model_stop_the_job_with_one_sentence_and_show_no_key() {
    let error = |kind: &str, text: &str| json!({"type": "error", "error": {"type": kind, "message": text}});
    for (act, sentence) in [
        (Act::json(401, &error("authentication_error", KEY)), "refused the key in `ANTHROPIC_API_KEY` (status 401)"),
        (Act::json(403, &error("authentication_error", KEY)), "refused the key in `ANTHROPIC_API_KEY` (status 403)"),
        (Act::json(402, &error("billing_error", KEY)), "says that the account has no money left (status 402)"),
        (
            Act::json(400, &error("invalid_request_error", "Your credit balance is too low")),
            "says that the account has no money left (status 400)",
        ),
        (Act::json(403, &error("permission_error", "no")), "does not allow this key the model `claude-x` (status 403)"),
        (Act::json(404, &error("not_found_error", "model: claude-x")), "has no model `claude-x` (status 404)"),
    ] {
        let bed = Bed::plain("claude-x", vec![act]).await;
        let (_, body) = bed.post("/v1/messages", &ask("claude-x")).await;
        assert!(!body.contains(KEY), "{body}");
        let used = bed.used(1).await;
        assert!(used.trouble.is_some(), "{used:?}");
        let halted = bed.halted();
        assert!(halted.len() == 1 && halted[0].ends_with(sentence), "{halted:?}");
    }
    let act = Act::json(400, &error("invalid_request_error", &format!("what is {KEY}?")));
    let bed = Bed::plain("claude-x", vec![act]).await;
    let (status, body) = bed.post("/v1/messages", &ask("claude-x")).await;
    assert!(status == 400 && body.contains("what is ") && !body.contains(KEY), "{body}");
}

#[tokio::test]
async fn a_provider_that_hangs_until_the_agent_has_to_leave_is_to_blame_and_one_that_is_slow_is_not() {
    let fine = Act::json(200, &message(&json!([]), "end_turn")).slow(Duration::from_secs(5));
    for (time, blamed) in [(LIMIT, true), (LIMIT / 3, false)] {
        let bed = Bed::plain("claude-x", vec![fine.clone()]).await;
        let request = bed.client.post(format!("{}/v1/messages", bed.url)).header("x-api-key", TOKEN);
        let left = request.timeout(time).body(ask("claude-x").to_string()).send().await;
        assert!(left.is_err_and(|e| e.is_timeout()));
        let used = bed.used(1).await;
        assert_eq!((used.requests, used.cost_usd), (1, None), "what was asked is billed, perhaps");
        let trouble = used.trouble;
        assert_eq!(trouble.is_some_and(|why| why.contains("was silent for 1 s, until the agent left")), blamed);
    }
}

#[tokio::test]
async fn how_long_a_provider_was_silent_when_the_agent_left_is_played_back_too() {
    let text = json!([{"type": "text", "text": "forty-two"}]);
    let streams = Act::stream(&message_stream(&text, "end_turn")).drip(Duration::from_millis(50));
    let hangs = Act::json(200, &message(&text, "end_turn")).slow(Duration::from_secs(5));
    for (act, blamed) in [(streams, false), (hangs, true)] {
        let folder = tempfile::tempdir().expect("a folder");
        let recording = Transport::recording(folder.path()).expect("a folder");
        let leaves = async |transport: Transport| {
            let server = Server::start(vec![act.clone()]);
            let bed = Bed::over(transport, "claude-x", server, Caps::default(), None).await;
            let request = bed.client.post(format!("{}/v1/messages", bed.url)).header("x-api-key", TOKEN);
            let request = request.timeout(LIMIT).body(ask("claude-x").to_string());
            match request.send().await {
                Ok(answer) => assert!(answer.text().await.is_err_and(|error| error.is_timeout())),
                Err(error) => assert!(error.is_timeout()),
            }
            bed.used(1).await
        };
        let then = leaves(recording).await;
        let now = leaves(Transport::replaying(folder.path()).expect("a recording")).await;
        assert_eq!((then.trouble.is_some(), now.trouble.is_some(), now.recording), (blamed, blamed, None));
    }
}

#[tokio::test]
async fn that_nobody_answered_is_played_back_too() {
    let folder = tempfile::tempdir().expect("a folder");
    for plays_back in [false, true] {
        let record = if plays_back { Transport::replaying } else { Transport::recording };
        let transport = record(folder.path()).expect("a recording");
        let nobody = Server::with(|_| panic!("it hangs up"));
        let bed = Bed::over(transport, "claude-x", nobody, Caps::default(), None).await;
        assert_eq!(bed.post("/v1/messages", &ask("claude-x")).await.0, 502);
        let used = bed.used(1).await;
        assert!(used.trouble.is_some_and(|why| why.contains("can't be reached")), "{plays_back}");
        assert_eq!((used.recording, bed.server.requests().len()), (None, usize::from(!plays_back)));
    }
}
