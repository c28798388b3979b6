//! The providers' own Python packages as independent speakers of the three formats: what they read in our provider's
//! answers is what our client reads there, so a slip of ours can't hide in both.
#![expect(clippy::print_stderr, reason = "a skip is said where the test runs")]

use crate::model_server::{
    Act, Received, Server, chat, chat_stream, message, message_stream, response, response_stream,
};
use crate::support::project;
use seatrial::model::{Api, Client, Endpoint, Message, Request, Settings, Stop, Transport};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Asks in each format, whole and as a stream, and prints what it understood.
const SCRIPT: &str = r#"
import json, sys
import anthropic, openai
base = sys.argv[1]
ask = [{"role": "user", "content": "How many?"}]
a = anthropic.Anthropic(base_url=base, api_key="k", max_retries=0)
o = openai.OpenAI(base_url=base + "/v1", api_key="k", max_retries=0)
def of_message(m):
    return {"text": "".join(b.text for b in m.content if b.type == "text"),
            "calls": [[b.id, b.name, b.input] for b in m.content if b.type == "tool_use"],
            "input": m.usage.input_tokens, "output": m.usage.output_tokens}
out = [of_message(a.messages.create(model="m", max_tokens=9, messages=ask))]
with a.messages.stream(model="m", max_tokens=9, messages=ask) as stream:
    out.append(of_message(stream.get_final_message()))
def of_chat(text, calls, usage):
    return {"text": text, "calls": [[i, n, json.loads(x)] for i, n, x in calls],
            "input": usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens, "output": usage.completion_tokens}
c = o.chat.completions.create(model="m", messages=ask)
out.append(of_chat(c.choices[0].message.content,
    [(t.id, t.function.name, t.function.arguments) for t in c.choices[0].message.tool_calls], c.usage))
text, calls, usage = "", {}, None
for chunk in o.chat.completions.create(model="m", messages=ask, stream=True, stream_options={"include_usage": True}):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        for t in choice.delta.tool_calls or []:
            call = calls.setdefault(t.index, ["", "", ""])
            call[0], call[1] = t.id or call[0], t.function.name or call[1]
            call[2] += t.function.arguments or ""
out.append(of_chat(text, [calls[i] for i in sorted(calls)], usage))
def of_response(r):
    return {"text": r.output_text, "calls": [[i.call_id, i.name, json.loads(i.arguments)] for i in r.output if i.type == "function_call"],
            "input": r.usage.input_tokens - r.usage.input_tokens_details.cached_tokens, "output": r.usage.output_tokens}
out.append(of_response(o.responses.create(model="m", input=ask)))
final = None
for event in o.responses.create(model="m", input=ask, stream=True):
    if event.type == "response.completed":
        final = event.response
out.append(of_response(final))
print(json.dumps(out))
"#;

/// A Python that has both packages, put below `target` once; else says that the test is skipped.
fn python(test: &str) -> Option<PathBuf> {
    // One folder, which two tests would make at once.
    static MADE: Mutex<()> = Mutex::new(());
    let _made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = project().join("target/python-clients");
    let python = folder.join("bin/python3");
    let ready = |python: &PathBuf| {
        Command::new(python).args(["-c", "import anthropic, openai"]).output().is_ok_and(|out| out.status.success())
    };
    if ready(&python) {
        return Some(python);
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).output();
    if made.is_ok_and(|out| out.status.success()) {
        let pip = ["-m", "pip", "install", "--quiet", "anthropic", "openai"];
        let _ = Command::new(&python).args(pip).output();
    }
    if ready(&python) {
        return Some(python);
    }
    eprintln!("SKIPPED {test}: the packages `anthropic` and `openai` can't be installed here");
    None
}

const SAID: &str = "É漢🙂 \"42\"\n";

fn answer(request: &Received) -> Act {
    let stream = request.body["stream"] == true;
    let arguments = [json!({"command": "grep -c é *.txt"}), json!({"path": "漢.txt", "n": 1})];
    let pick = |whole: Value, events: Vec<Value>| if stream { Act::stream(&events) } else { Act::json(200, &whole) };
    if request.path.ends_with("/messages") {
        let content = json!([{"type": "text", "text": SAID},
            {"type": "tool_use", "id": "c1", "name": "bash", "input": arguments[0]},
            {"type": "tool_use", "id": "c2", "name": "read", "input": arguments[1]}]);
        pick(message(&content, "tool_use"), message_stream(&content, "tool_use"))
    } else if request.path.ends_with("/chat/completions") {
        let call = |id: &str, name: &str, input: &Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": input.to_string()}});
        let calls = [call("c1", "bash", &arguments[0]), call("c2", "read", &arguments[1])];
        let message = json!({"role": "assistant", "content": SAID, "refusal": null, "tool_calls": calls});
        pick(chat(&message, "tool_calls"), chat_stream(&message, "tool_calls"))
    } else {
        let call = |id: &str, name: &str, input: &Value| {
            json!({"type": "function_call", "id": "f", "call_id": id, "name": name, "status": "completed",
                   "arguments": input.to_string()})
        };
        let text = json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": SAID, "annotations": []}]});
        let output = json!([text, call("c1", "bash", &arguments[0]), call("c2", "read", &arguments[1])]);
        pick(response(&output, "completed"), response_stream(&output, "completed"))
    }
}

#[tokio::test]
async fn the_providers_own_packages_read_what_our_client_reads() {
    let Some(python) = python("the_providers_own_packages_read_what_our_client_reads") else { return };
    let server = Server::with(answer);
    let out = Command::new(python).args(["-c", SCRIPT, &server.url()]).output().expect("Python starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let theirs: Vec<Value> = serde_json::from_slice(&out.stdout).expect("JSON");
    let mut ours = Vec::new();
    for (api, base_url) in [
        (Api::Messages, server.url()),
        (Api::Chat, format!("{}/v1", server.url())),
        (Api::Responses, format!("{}/v1", server.url())),
    ] {
        for stream in [false, true] {
            let endpoint = Endpoint { api, base_url: base_url.clone(), key: None, model: "m".to_owned() };
            let transport = Transport::live().expect("HTTPS can be set up");
            let request =
                Request { messages: vec![Message::user("How many?")], max_tokens: 9, stream, ..Request::default() };
            let reply = Client::new(endpoint, transport, Settings::default()).ask(&request).await.expect("a reply");
            let usage = reply.usage.clone().expect("it is said");
            let calls: Vec<Value> = reply.calls().map(|(id, name, input)| json!([id, name, input])).collect();
            ours.push(json!({"text": reply.text(), "calls": calls, "input": usage.input, "output": usage.output}));
        }
    }
    assert_eq!(theirs, ours);
    // And what each asks is the same, as far as both say it.
    let (asked, n) = (server.requests(), theirs.len());
    for (theirs, ours) in asked[..n].iter().zip(&asked[n..]) {
        assert_eq!(theirs.path.split('?').next(), ours.path.split('?').next());
        for key in ["model", "stream_options"] {
            assert_eq!(theirs.body.get(key), ours.body.get(key), "{key}");
        }
    }
}

/// Asks as an agent that searches does, and prints what came of each reply, with nothing that is null.
const SEARCH: &str = r#"
import json, sys
import anthropic
a = anthropic.Anthropic(base_url=sys.argv[1], api_key="k", max_retries=0)
with a.beta.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "How many?"}]) as stream:
    m = stream.get_final_message()
parts = m.usage.iterations
print(json.dumps({
    "content": m.model_dump(mode="json", exclude_none=True)["content"], "container": m.container.id,
    "stop": m.stop_reason, "searches": m.usage.server_tool_use.web_search_requests,
    "input": sum(p.input_tokens for p in parts), "output": sum(p.output_tokens for p in parts)}))
"#;

#[tokio::test]
async fn the_providers_own_package_reads_a_searching_reply_as_our_client_does() {
    let Some(python) = python("the_providers_own_package_reads_a_searching_reply_as_our_client_does") else { return };
    let content = json!([
        {"type": "compaction", "content": "Sé far.", "encrypted_content": "opaque=="},
        {"type": "server_tool_use", "id": "c1", "name": "code_execution", "input": {"code": "print('é')"}},
        {"type": "code_execution_tool_result", "tool_use_id": "c1", "content": {"type": "encrypted_code_execution_result",
            "encrypted_stdout": "sealed==", "stderr": "", "return_code": 0, "content": []}},
        {"type": "text", "text": "<result>42</result>"}]);
    let mut events = message_stream(&content, "pause_turn");
    let end = events.len() - 2;
    events[end]["delta"]["container"] = json!({"id": "cntr_1", "expires_at": "2026-12-30T00:00:00Z"});
    let part = |kind: &str, input: u64, output: u64| {
        json!({"type": kind, "input_tokens": input, "output_tokens": output, "cache_creation_input_tokens": 0,
               "cache_read_input_tokens": 0, "cache_creation": null, "model": "m"})
    };
    events[end]["usage"]["iterations"] = json!([part("compaction", 180_000, 3_500), part("message", 20_000, 1_000)]);
    events[end]["usage"]["server_tool_use"] = json!({"web_search_requests": 3, "web_fetch_requests": 0});
    let server = Server::with(move |_: &Received| Act::stream(&events));
    let out = Command::new(python).args(["-c", SEARCH, &server.url()]).output().expect("Python starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let theirs: Value = serde_json::from_slice(&out.stdout).expect("JSON");

    let endpoint = Endpoint { api: Api::Messages, base_url: server.url(), key: None, model: "m".to_owned() };
    let messages = vec![Message::user("How many?")];
    let request = Request { messages, max_tokens: 9, stream: true, ..Request::default() };
    let client = Client::new(endpoint, Transport::live().expect("HTTPS can be set up"), Settings::default());
    let reply = client.ask(&request).await.expect("a reply");
    assert_eq!(reply.stop, Stop::PauseTurn);
    let usage = reply.usage.expect("it is said");
    let ours = json!({"content": reply.raw, "container": reply.container, "stop": "pause_turn", "input": usage.input,
        "output": usage.output, "searches": usage.server_tools["web_search_requests"]});
    assert_eq!(theirs, ours);
}
