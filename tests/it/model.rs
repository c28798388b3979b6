//! The model client against a provider on this machine: every format, whole and as streams, and every kind of trouble.

use crate::model_server::{Act, Server, chat, chat_stream, message, message_stream, response, response_stream};
use seatrial::model::{
    Api, Block, Class, Client, Endpoint, Failure, Message, Reply, Request, Retry, Schema, Secret, Settings, Stop, Tool,
    Transport, Usage,
};
use serde_json::{Value, json};
use std::time::Duration;

fn endpoint(server: &Server, api: Api) -> Endpoint {
    let base_url = if api == Api::Messages { server.url() } else { format!("{}/v1", server.url()) };
    let model = if api == Api::Messages { "claude-x" } else { "gpt-x" }.to_owned();
    Endpoint { api, base_url, key: Secret::new("sk-secret-0123456789"), model }
}

/// Tests have no time to lose, and notice silence at once.
fn quick() -> Settings {
    let retry = Retry { first_wait: Duration::from_millis(1), total: Duration::from_secs(5), ..Retry::default() };
    Settings { retry: Retry { max_retries: 3, ..retry }, silence: Duration::from_millis(400), ..Settings::default() }
}

async fn ask(server: &Server, api: Api, request: &Request) -> Result<Reply, Failure> {
    let transport = Transport::live().expect("HTTPS can be set up");
    Client::new(endpoint(server, api), transport, quick()).ask(request).await
}

fn question(stream: bool) -> Request {
    Request { messages: vec![Message::user("How many?")], max_tokens: 1000, stream, ..Request::default() }
}

fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

const SAID: &str = "É漢🙂 \"42\"\n";

/// In each format the same turn: thinking, text, two calls at once. With its answers, whole and as a stream.
fn turn(api: Api) -> (Act, Act) {
    let arguments = [json!({"command": "grep -c é *.txt"}), json!({"path": "漢.txt", "n": 1})];
    match api {
        Api::Messages => {
            let content = json!([
                {"type": "thinking", "thinking": "Hm 漢.", "signature": "sig"},
                {"type": "text", "text": SAID},
                {"type": "tool_use", "id": "call_1", "name": "bash", "input": arguments[0]},
                {"type": "tool_use", "id": "call_2", "name": "read", "input": arguments[1]},
                {"type": "new_kind_of_block", "x": [1, null]},
            ]);
            (Act::json(200, &message(&content, "tool_use")), Act::stream(&message_stream(&content, "tool_use")))
        }
        Api::Chat => {
            let call = |id: &str, name: &str, arguments: &Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
            let message = json!({"role": "assistant", "content": SAID, "refusal": null, "tool_calls": [
                call("call_1", "bash", &arguments[0]), call("call_2", "read", &arguments[1])]});
            (Act::json(200, &chat(&message, "tool_calls")), Act::stream(&chat_stream(&message, "tool_calls")))
        }
        Api::Responses => {
            let call = |id: &str, name: &str, arguments: &Value| {
                json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "status": "completed",
                       "arguments": arguments.to_string()})
            };
            let output = json!([
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"},
                {"type": "message", "id": "m_1", "role": "assistant", "status": "completed",
                 "content": [{"type": "output_text", "text": SAID, "annotations": []}]},
                call("call_1", "bash", &arguments[0]), call("call_2", "read", &arguments[1])]);
            (Act::json(200, &response(&output, "completed")), Act::stream(&response_stream(&output, "completed")))
        }
    }
}

const ALL: [Api; 3] = [Api::Messages, Api::Chat, Api::Responses];

#[tokio::test]
async fn a_reply_means_the_same_in_each_format_whole_and_in_pieces() {
    for api in ALL {
        let (whole, pieces) = turn(api);
        let server = Server::start(vec![whole, pieces]);
        let first = ask(&server, api, &question(false)).await.expect("a reply");
        let second = ask(&server, api, &question(true)).await.expect("a reply");
        assert_eq!((&first.blocks, &first.raw, &first.usage), (&second.blocks, &second.raw, &second.usage), "{api:?}");
        assert_eq!((first.text().as_str(), &first.stop), (SAID, &Stop::ToolUse), "{api:?}");
        let calls: Vec<_> = first.calls().collect();
        assert_eq!(calls[0], ("call_1", "bash", &json!({"command": "grep -c é *.txt"})), "{api:?}");
        assert_eq!(calls[1], ("call_2", "read", &json!({"path": "漢.txt", "n": 1})), "{api:?}");
        let usage = first.usage.clone().expect("it is said");
        let reasoning = if api == Api::Messages { 0 } else { 2 };
        let wanted = Usage { input: 10, output: 5, cache_read: 100, reasoning, ..Usage::default() };
        assert_eq!(usage, wanted, "{api:?}");
        assert_eq!((second.request_id.as_deref(), second.retries), (Some("req_1"), 0), "{api:?}");
        let sent = &server.requests()[1];
        let path = if api == Api::Messages { "/v1/messages".to_owned() } else { format!("/v1{}", api.path()) };
        assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", path.as_str()));
        let key = if api == Api::Messages { "x-api-key" } else { "authorization" };
        assert!(sent.header(key).is_some_and(|value| value.ends_with("sk-secret-0123456789")), "{sent:?}");
    }
}

#[tokio::test]
async fn a_conversation_goes_back_as_it_came_with_the_results_of_its_calls() {
    for api in ALL {
        let (_, pieces) = turn(api);
        let server = Server::start(vec![pieces]);
        let mut request = question(true);
        request.system = Some("Be brief.".to_owned());
        request.tools =
            vec![Tool { name: "bash".into(), description: "Runs.".into(), schema: json!({"type": "object"}) }];
        let reply = ask(&server, api, &request).await.expect("a reply");
        let result = |id: &str, is_error| Block::ToolResult { id: id.to_owned(), text: "7".to_owned(), is_error };
        request.messages.push(reply.message());
        request.messages.push(Message::results(vec![result("call_1", false), result("call_2", true)]));
        ask(&server, api, &request).await.expect("a reply");
        let sent = &server.requests()[1].body;
        match api {
            Api::Messages => {
                assert_eq!(sent["messages"][1]["content"][0]["signature"], "sig");
                assert_eq!(sent["messages"][1]["content"][4], json!({"type": "new_kind_of_block", "x": [1, null]}));
                assert_eq!(sent["messages"][2]["content"][1]["tool_use_id"], "call_2");
                assert_eq!(sent["messages"][2]["content"][1]["is_error"], true);
                assert_eq!((&sent["system"], &sent["tools"][0]["name"]), (&"Be brief.".into(), &"bash".into()));
            }
            Api::Chat => {
                assert_eq!(sent["messages"][0], json!({"role": "system", "content": "Be brief."}));
                let arguments = &sent["messages"][2]["tool_calls"][0]["function"]["arguments"];
                assert_eq!(arguments, "{\"command\":\"grep -c é *.txt\"}");
                assert_eq!(sent["messages"][4], json!({"role": "tool", "tool_call_id": "call_2", "content": "7"}));
                assert_eq!(sent["tools"][0]["function"]["name"], "bash");
            }
            Api::Responses => {
                assert_eq!(sent["input"][1]["encrypted_content"], "xyz");
                assert_eq!(
                    sent["input"][6],
                    json!({"type": "function_call_output", "call_id": "call_2", "output": "7"})
                );
                assert_eq!((&sent["store"], &sent["instructions"]), (&false.into(), &"Be brief.".into()));
            }
        }
    }
}

#[tokio::test]
async fn every_reason_to_stop_is_told_apart() {
    for (reason, stop) in [
        ("end_turn", Stop::EndTurn),
        ("max_tokens", Stop::MaxTokens),
        ("stop_sequence", Stop::StopSequence),
        ("tool_use", Stop::ToolUse),
        ("pause_turn", Stop::PauseTurn),
        ("compaction", Stop::Compaction),
        ("refusal", Stop::Refusal { category: None }),
        ("model_context_window_exceeded", Stop::ContextExceeded),
        ("something_new", Stop::Other("something_new".to_owned())),
    ] {
        let server = Server::start(vec![Act::stream(&message_stream(&json!([]), reason))]);
        assert_eq!(ask(&server, Api::Messages, &question(true)).await.expect("a reply").stop, stop);
    }
    for (reason, stop) in [
        ("stop", Stop::EndTurn),
        ("length", Stop::MaxTokens),
        ("content_filter", Stop::Refusal { category: Some("content_filter".to_owned()) }),
        ("something_new", Stop::Other("something_new".to_owned())),
    ] {
        let reply = chat(&json!({"role": "assistant", "content": "x"}), reason);
        let server = Server::start(vec![Act::json(200, &reply)]);
        assert_eq!(ask(&server, Api::Chat, &question(false)).await.expect("a reply").stop, stop);
    }
    let server = Server::start(vec![Act::json(200, &response(&json!([]), "incomplete"))]);
    assert_eq!(ask(&server, Api::Responses, &question(false)).await.expect("a reply").stop, Stop::MaxTokens);
}

#[tokio::test]
async fn compaction_is_billed_and_a_missing_usage_is_unknown() {
    let mut whole =
        message(&json!([{"type": "compaction", "content": null}, {"type": "text", "text": "a"}]), "end_turn");
    whole["usage"] = json!({"input_tokens": 23, "output_tokens": 1, "server_tool_use": {"web_search_requests": 3},
        "iterations": [{"type": "compaction", "input_tokens": 180, "output_tokens": 3, "cache_read_input_tokens": 7},
                       {"type": "message", "input_tokens": 23, "output_tokens": 1}]});
    let mut without = whole.clone();
    without["usage"] = Value::Null;
    let server = Server::start(vec![Act::json(200, &whole), Act::json(200, &without)]);
    let reply = ask(&server, Api::Messages, &question(false)).await.expect("a reply");
    let usage = reply.usage.expect("it is said");
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.compactions), (203, 4, 7, 1));
    assert_eq!(usage.server_tools["web_search_requests"], 3);
    // Null has a meaning in a compaction: it failed.
    assert_eq!(reply.raw[0], json!({"type": "compaction", "content": null}));
    assert_eq!(ask(&server, Api::Messages, &question(false)).await.expect("a reply").usage, None);
}

#[tokio::test]
async fn tokens_for_a_cache_and_another_tier_are_seen_in_every_interface_whole_and_streamed() {
    let text = json!([{"type": "text", "text": "a"}]);
    let said = json!({"role": "assistant", "content": "a"});
    let message_use = json!({"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 3}, "service_tier": "priority"});
    let details = json!({"cached_tokens": 10, "cache_write_tokens": 7,
        "cache_write_tokens_details": {"ttl_30m_tokens": 4, "ttl_12h_tokens": 3}});
    let mut whole = [message(&text, "end_turn"), chat(&said, "stop"), response(&json!([]), "completed")];
    whole[0]["usage"] = message_use.clone();
    whole[1]["usage"] = json!({"prompt_tokens": 18, "completion_tokens": 2, "prompt_tokens_details": details});
    whole[1]["service_tier"] = "flex".into();
    whole[2]["usage"] = json!({"input_tokens": 18, "output_tokens": 2, "input_tokens_details": details});
    whole[2]["service_tier"] = "priority".into();
    let mut streams =
        [message_stream(&text, "end_turn"), chat_stream(&said, "stop"), response_stream(&json!([]), "completed")];
    streams[0].iter_mut().filter(|event| event["type"] == "message_start").for_each(|event| {
        event["message"]["usage"] = message_use.clone();
    });
    streams[0].iter_mut().filter(|event| event["type"] == "message_delta").for_each(|event| {
        event["usage"] = json!({"output_tokens": 2});
    });
    let usage = whole[1]["usage"].clone();
    streams[1].iter_mut().filter(|event| event["usage"].is_object()).for_each(|event| event["usage"] = usage.clone());
    streams[1].iter_mut().filter(|event| event.is_object()).for_each(|event| event["service_tier"] = "flex".into());
    let last = whole[2].clone();
    streams[2].iter_mut().filter(|event| event["type"] == "response.completed").for_each(|event| {
        event["response"] = last.clone();
    });
    for (api, (whole, stream)) in ALL.into_iter().zip(whole.iter().zip(&streams)) {
        for act in [Act::json(200, whole), Act::stream(stream)] {
            let server = Server::start(vec![act]);
            let usage = ask(&server, api, &question(true)).await.expect("a reply").usage.expect("it is said");
            let counts = (usage.input, usage.output, usage.cache_write, usage.cache_write_long);
            assert_eq!((counts, usage.other_tier), ((1, 2, 7, 3), true), "{api:?}: {usage:?}");
        }
    }
    let mut usual = chat(&said, "stop");
    usual["service_tier"] = "default".into();
    let server = Server::start(vec![Act::json(200, &usual)]);
    let usage = ask(&server, Api::Chat, &question(false)).await.expect("a reply").usage.expect("it is said");
    assert!(!usage.other_tier, "{usage:?}");
}

#[tokio::test]
async fn models_that_think_are_not_sent_what_they_refuse() {
    for (model, thinks) in [
        ("gpt-4.1", false),
        ("gpt-5.4-mini", true),
        ("gpt-6.1-sol", true),
        ("gpt-10", true),
        ("o3", true),
        ("org/gpt-6-luna", true),
        ("llama-gpt-oss", false),
        ("gpt-oss-120b", false),
    ] {
        let server = Server::start(vec![Act::json(200, &chat(&json!({"role": "assistant", "content": "a"}), "stop"))]);
        let endpoint = Endpoint { model: model.to_owned(), ..endpoint(&server, Api::Chat) };
        let client = Client::new(endpoint, Transport::live().expect("HTTPS can be set up"), quick());
        let request = Request { temperature: Some(0.0), ..question(false) };
        client.ask(&request).await.expect("a reply");
        let sent = &server.requests()[0].body;
        let limit = if thinks { "max_completion_tokens" } else { "max_tokens" };
        assert_eq!((sent["temperature"].is_null(), sent[limit].is_u64()), (thinks, true), "{model}: {sent}");
    }
}

#[tokio::test]
async fn what_passes_is_tried_again_and_counted() {
    let busy = Act::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let slow = Act::json(429, &json!({"error": {"message": "slow down"}})).header("retry-after-ms", "20");
    for api in ALL {
        let (_, pieces) = turn(api);
        let server = Server::start(vec![slow.clone(), busy.clone(), pieces.clone().cut(40), pieces.clone()]);
        let reply = ask(&server, api, &question(true)).await.expect("a reply");
        assert_eq!((reply.retries, reply.cut_streams, reply.text().as_str()), (3, 1, SAID), "{api:?}");
        assert!(reply.waited >= Duration::from_millis(20), "{:?}", reply.waited);
        let sent = server.requests();
        assert!(sent.iter().all(|request| request.body == sent[0].body), "the whole turn is asked for again");
        let server = Server::start(vec![pieces.slow(Duration::from_secs(2))]);
        let failure = ask(&server, api, &question(true)).await.expect_err("silence");
        assert_eq!((failure.class, failure.attempts), (Class::Timeout, 4), "{failure}");
    }
}

#[tokio::test]
async fn trouble_has_a_class_and_what_lasts_is_not_tried_again() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    let coded = |code: &str| json!({"error": {"message": "no", "type": "x", "code": code}});
    for (act, class, attempts) in [
        (Act::json(401, &error("authentication_error", "invalid sk-secret-0123456789")), Class::Authentication, 1),
        (Act::json(403, &error("permission_error", "no")), Class::Forbidden, 1),
        (Act::json(402, &error("billing_error", "no")), Class::Billing, 1),
        (Act::json(429, &coded("insufficient_quota")), Class::Billing, 1),
        (Act::json(404, &error("not_found_error", "model")), Class::NotFound, 1),
        (Act::json(400, &error("invalid_request_error", "no")), Class::BadRequest, 1),
        (Act::json(400, &error("invalid_request_error", "prompt is too long: 9 > 8")), Class::ContextExceeded, 1),
        (Act::json(400, &coded("context_length_exceeded")), Class::ContextExceeded, 1),
        (Act::json(400, &coded("content_policy_violation")), Class::Refused, 1),
        (Act::json(429, &error("rate_limit_error", "no")), Class::Throttled, 4),
        (Act::json(429, &error("rate_limit_error", "no")).header("retry-after", "30"), Class::Throttled, 1),
        (Act::json(500, &error("api_error", "no")), Class::Overloaded, 4),
        (Act::json(529, &error("overloaded_error", "no")).header("x-should-retry", "false"), Class::Overloaded, 1),
        (Act::bytes(502, "text/html", "<html>bad gateway</html>"), Class::Overloaded, 4),
        (Act::bytes(200, "text/html", "<html>sign in</html>"), Class::BadReply, 1),
        (Act::bytes(200, "application/json", "{\"content\": ["), Class::BadReply, 4),
        (Act::bytes(200, "application/json", "{}"), Class::BadReply, 1),
        (Act::bytes(200, "text/event-stream", b"data: \xff\xfe\n\n".to_vec()), Class::BadReply, 4),
        (Act::bytes(307, "text/plain", "").header("location", "http://127.0.0.1:1/"), Class::BadReply, 1),
        (Act::stream(&[error("overloaded_error", "busy")]), Class::Overloaded, 4),
        (Act::stream(&[json!({"type": "ping"})]), Class::Connection, 4),
    ] {
        let server = Server::start(vec![act.clone()]);
        let failure = ask(&server, Api::Messages, &question(true)).await.expect_err("no reply");
        assert_eq!((failure.class, failure.attempts), (class, attempts), "{act:?}: {failure}");
        let shown = format!("{failure} {failure:?}");
        assert!(!shown.contains("0123456789"), "a key stays hidden: {shown}");
        assert!(shown.contains("127.0.0.1:"), "the host is named: {shown}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_not_called_a_server_that_cant_be_reached() {
    let server = Server::start(vec![Act::bytes(200, "application/json", "{\"content\": []}").cut(5)]);
    let failure = ask(&server, Api::Messages, &question(false)).await.expect_err("no reply").to_string();
    assert!(failure.contains("broke off its answer (200)") && !failure.contains("reached"), "{failure}");
}

#[tokio::test]
async fn nobody_there_is_a_connection_and_too_much_is_no_reply() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let transport = Transport::live().expect("HTTPS can be set up");
    let nobody = Endpoint { api: Api::Chat, base_url: format!("http://{gone}"), key: None, model: "m".to_owned() };
    let failure = Client::new(nobody, transport.clone(), quick()).ask(&question(false)).await.expect_err("nobody");
    assert_eq!((failure.class, failure.attempts), (Class::Connection, 4));
    assert!(failure.to_string().contains("onnection refused"), "{failure}");
    assert_eq!(failure.hint().as_deref(), Some("`OPENAI_BASE_URL` names another server"));
    let server = Server::start(vec![Act::json(200, &chat(&json!({"content": "x".repeat(10 << 20)}), "stop"))]);
    let reply = ask(&server, Api::Chat, &question(false)).await.expect("ten megabytes are a reply");
    assert_eq!(reply.text().len(), 10 << 20);
    let capped = Settings { body_cap: 1 << 20, ..quick() };
    let failure = Client::new(endpoint(&server, Api::Chat), transport, capped).ask(&question(false)).await;
    let failure = failure.expect_err("over the cap");
    assert_eq!((failure.class, failure.attempts), (Class::BadReply, 1));
}

#[tokio::test]
async fn what_a_model_refuses_is_left_out_and_what_was_sent_is_known() {
    let shape = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let reply = chat(&json!({"role": "assistant", "content": "{\"n\": 1}"}), "stop");
    let server = Server::start(vec![Act::json(200, &reply)]);
    let request = Request {
        temperature: Some(0.0),
        effort: Some("low".to_owned()),
        schema: Some(Schema { name: "verdict".to_owned(), schema: shape.clone() }),
        ..question(false)
    };
    for (model, temperature, limit) in [("gpt-4", true, "max_tokens"), ("gpt-5-mini", false, "max_completion_tokens")] {
        let endpoint = Endpoint { model: model.to_owned(), ..endpoint(&server, Api::Chat) };
        let transport = Transport::live().expect("HTTPS can be set up");
        let reply = Client::new(endpoint, transport, quick()).ask(&request).await.expect("a reply");
        assert_eq!(reply.effective.contains_key("temperature"), temperature, "{model}");
        assert_eq!(reply.effective[limit], 1000, "{model}");
        assert_eq!(reply.effective["response_format"]["json_schema"]["schema"], shape);
        assert!(!reply.effective.contains_key("messages"));
        assert_eq!(reply.blocks, [text("{\"n\": 1}")]);
    }
}

#[tokio::test]
async fn a_key_that_a_provider_says_back_is_overwritten_whole_and_streamed_in_every_interface() {
    const KEY: &str = "sk-secret-0123456789";
    let said = format!("your key is {KEY}, in base64 c2stc2VjcmV0LTAxMjM0NTY3ODk=");
    let message_text = json!([{"type": "text", "text": said}]);
    let chat_text = json!({"role": "assistant", "content": said});
    let item = json!([{"type": "message", "id": "m", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": said, "annotations": []}]}]);
    for (api, whole, stream) in [
        (Api::Messages, message(&message_text, "end_turn"), message_stream(&message_text, "end_turn")),
        (Api::Chat, chat(&chat_text, "stop"), chat_stream(&chat_text, "stop")),
        (Api::Responses, response(&item, "completed"), response_stream(&item, "completed")),
    ] {
        for act in [Act::json(200, &whole), Act::stream(&stream)] {
            let server = Server::start(vec![act.header("x-debug", KEY).header("request-id", KEY)]);
            let reply = ask(&server, api, &question(true)).await.expect("a reply");
            let seen = format!("{reply:?}");
            assert!(!seen.contains("0123456789") && !seen.contains("MDEyMzQ1Njc4"), "{api:?}: {seen}");
            let over = ["your key is ********************, in", "your key is [secret removed], in"];
            assert!(over.iter().any(|text| reply.text().starts_with(text)), "{api:?}: {}", reply.text());
        }
    }
}

#[tokio::test]
async fn an_account_without_money_is_known_by_its_words_too() {
    let said = "Your credit balance is too low to access the Anthropic API.";
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}});
    let failure = ask(&Server::start(vec![Act::json(400, &error)]), Api::Messages, &question(false)).await;
    assert_eq!(failure.expect_err("no reply").class, Class::Billing);
}
