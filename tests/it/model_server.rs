//! A provider on this machine: HTTP/1.1 by hand, so that a script can cut, stall and garble it at any byte. It speaks
//! the three real formats in small pieces and keeps every request. It judges nothing.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One answer.
#[derive(Debug, Clone)]
pub struct Act {
    status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Bytes of the body sent at a time.
    piece: usize,
    before: Duration,
    /// After how many bytes of the body the connection is dropped, without its end.
    cut: Option<usize>,
    /// How long after each piece.
    between: Duration,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

impl Act {
    /// Any body of any type.
    pub fn bytes(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Act {
        let headers = vec![("content-type".to_owned(), kind.to_owned()), ("request-id".to_owned(), "req_1".to_owned())];
        Act {
            status,
            headers,
            body: body.into(),
            piece: 1 << 16,
            before: Duration::ZERO,
            cut: None,
            between: Duration::ZERO,
        }
    }

    pub fn json(status: u16, body: &Value) -> Act {
        Act::bytes(status, "application/json", body.to_string())
    }

    /// A stream of events, seven bytes at a time: lines, JSON and characters are all cut somewhere.
    pub fn stream(events: &[Value]) -> Act {
        let mut text = String::new();
        for event in events {
            match event {
                Value::String(data) => text.push_str(&format!("data: {data}\n\n")),
                _ => match event["type"].as_str() {
                    Some(name) => text.push_str(&format!("event: {name}\r\ndata: {event}\r\n\r\n")),
                    None => text.push_str(&format!("data: {event}\n\n")),
                },
            }
        }
        Act { piece: 7, ..Act::bytes(200, "text/event-stream; charset=utf-8", text) }
    }

    pub fn header(mut self, name: &str, value: &str) -> Act {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Nothing is said for so long.
    pub fn slow(self, before: Duration) -> Act {
        Act { before, ..self }
    }

    /// Ends in the middle: after so many bytes of the body.
    pub fn cut(self, after: usize) -> Act {
        Act { cut: Some(after), ..self }
    }

    /// A few bytes at a time.
    pub fn drip(self, between: Duration) -> Act {
        Act { piece: 8, between, ..self }
    }
}

/// The server; it goes with the test's process.
pub struct Server {
    address: String,
    seen: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Gives these answers, one a request, whatever is asked; the last one goes on for ever.
    pub fn start(script: Vec<Act>) -> Server {
        let count = Mutex::new(0);
        Server::with(move |_| {
            let mut count = count.lock().expect("not poisoned");
            *count += 1;
            script[(*count - 1).min(script.len() - 1)].clone()
        })
    }

    /// Answers each request as `act` says.
    pub fn with(act: impl Fn(&Received) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, act) = (Arc::clone(&seen), Arc::new(act));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, act) = (Arc::clone(&kept), Arc::clone(&act));
                // Who hangs up early has seen enough.
                std::thread::spawn(move || drop(serve(stream, &*act, &kept)));
            }
        });
        Server { address, seen }
    }

    /// The base URL, without `/v1`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<Received> {
        self.seen.lock().expect("not poisoned").clone()
    }
}

fn serve(stream: TcpStream, act: &dyn Fn(&Received) -> Act, seen: &Mutex<Vec<Received>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(()) };
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
        if name == "content-length" {
            length = value.parse().expect("a length");
        }
        headers.push((name, value));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let received = Received { method, path, headers, body };
    seen.lock().expect("not poisoned").push(received.clone());
    answer(stream, &act(&received))
}

fn answer(mut stream: TcpStream, act: &Act) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    std::thread::sleep(act.before);
    let headers: String = act.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let status = act.status;
    write!(stream, "HTTP/1.1 {status} X\r\n{headers}connection: close\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let body = &act.body[..act.cut.unwrap_or(act.body.len()).min(act.body.len())];
    for piece in body.chunks(act.piece) {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk)?;
        std::thread::sleep(act.between);
    }
    if act.cut.is_none() {
        stream.write_all(b"0\r\n\r\n")?;
    }
    stream.flush()
}

/// A reply of Messages, whole.
pub fn message(content: &Value, stop: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": content,
           "stop_reason": stop, "stop_sequence": null,
           "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100,
                     "cache_creation_input_tokens": null}})
}

/// The same as the events of a stream.
pub fn message_stream(content: &Value, stop: &str) -> Vec<Value> {
    let mut start = message(&json!([]), stop);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = 1.into();
    let mut events = vec![json!({"type": "message_start", "message": start}), json!({"type": "ping"})];
    for (index, block) in content.as_array().expect("blocks").iter().enumerate() {
        let mut empty = block.clone();
        let delta = match block["type"].as_str().expect("a type") {
            "text" => {
                empty["text"] = "".into();
                Some(json!({"type": "text_delta", "text": block["text"]}))
            }
            "thinking" => {
                empty["thinking"] = "".into();
                Some(json!({"type": "thinking_delta", "thinking": block["thinking"]}))
            }
            "tool_use" | "server_tool_use" => {
                empty["input"] = json!({});
                Some(json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
            }
            "compaction" => {
                empty["content"] = Value::Null;
                Some(json!({"type": "compaction_delta", "content": block["content"],
                            "encrypted_content": block["encrypted_content"]}))
            }
            _ => None,
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.extend(delta.map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
                       "usage": {"output_tokens": 5}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A reply of Chat, whole.
pub fn chat(message: &Value, finish: &str) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-x",
           "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": null}],
           "usage": {"prompt_tokens": 110, "completion_tokens": 5, "total_tokens": 115,
                     "prompt_tokens_details": {"cached_tokens": 100},
                     "completion_tokens_details": {"reasoning_tokens": 2}}})
}

/// The same as the events of a stream, with the pieces of calls mixed.
pub fn chat_stream(message: &Value, finish: &str) -> Vec<Value> {
    let whole = chat(message, finish);
    let piece = |delta: Value, finish: Value, usage: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x", "usage": usage,
               "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let mut events = vec![piece(json!({"role": "assistant", "content": null}), Value::Null, Value::Null)];
    for character in message["content"].as_str().unwrap_or_default().chars() {
        events.push(piece(json!({"content": character.to_string()}), Value::Null, Value::Null));
    }
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    for (index, call) in calls.iter().enumerate() {
        let head = json!({"index": index, "id": call["id"], "type": "function",
                          "function": {"name": call["function"]["name"], "arguments": ""}});
        events.push(piece(json!({"tool_calls": [head]}), Value::Null, Value::Null));
    }
    let arguments = |call: &Value| call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
    let longest = calls.iter().map(|call| arguments(call).len()).max().unwrap_or(0);
    for at in 0..longest {
        for (index, call) in calls.iter().enumerate() {
            if let Some(character) = arguments(call).chars().nth(at) {
                let part = json!({"index": index, "function": {"arguments": character.to_string()}});
                events.push(piece(json!({"tool_calls": [part]}), Value::Null, Value::Null));
            }
        }
    }
    events.push(piece(json!({}), finish.into(), Value::Null));
    events.push(json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x",
                       "choices": [], "usage": whole["usage"]}));
    events.push("[DONE]".into());
    events
}

/// A reply of Responses, whole.
pub fn response(output: &Value, status: &str) -> Value {
    json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-x", "status": status, "error": null,
           "incomplete_details": if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null },
           "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
           "usage": {"input_tokens": 110, "output_tokens": 5, "total_tokens": 115,
                     "input_tokens_details": {"cached_tokens": 100}, "output_tokens_details": {"reasoning_tokens": 2}}})
}

/// The same as the events of a stream.
pub fn response_stream(output: &Value, status: &str) -> Vec<Value> {
    let mut begun = response(&json!([]), "in_progress");
    begun["usage"] = Value::Null;
    let mut events = vec![json!({"type": "response.created", "sequence_number": 0, "response": begun})];
    for (index, item) in output.as_array().expect("items").iter().enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": format!("response.{status}"), "response": response(output, status)}));
    events
}
