//! OpenAI's Chat Completions, and the servers that speak it.

use super::asked::{Piece, Who, content, text_of};
use super::parts::{Parts, call_input, string, texts, without_nulls};
use crate::model::reply::Stop;
use crate::model::request::{Block, Message, Request, Role};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Models that think before they write: they name the limit otherwise and refuse any temperature but their own.
pub fn thinks(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let version = name.split("gpt-").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    let version = version.and_then(|digits| digits.parse::<u32>().ok());
    ["o1", "o3", "o4"].iter().any(|start| name.starts_with(start)) || version.is_some_and(|version| version >= 5)
}

pub fn body(model: &str, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    let system = request.system.iter().map(|text| json!({"role": "system", "content": text}));
    body.insert("messages".to_owned(), system.chain(request.messages.iter().flat_map(messages)).collect());
    let limit = if thinks(model) { "max_completion_tokens" } else { "max_tokens" };
    body.insert(limit.to_owned(), request.max_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| !thinks(model)) {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(effort) = &request.effort {
        body.insert("reasoning_effort".to_owned(), effort.as_str().into());
    }
    if !request.tools.is_empty() {
        let tool = |t: &crate::model::Tool| json!({"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}});
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    if let Some(schema) = &request.schema {
        let shape = json!({"name": schema.name, "schema": schema.schema, "strict": true});
        body.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": shape}));
    }
    if request.stream {
        body.insert("stream".to_owned(), true.into());
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    body
}

/// One turn can be several messages here: each result of a tool is one.
fn messages(message: &Message) -> Vec<Value> {
    if let (Some(raw), Role::Assistant) = (&message.raw, message.role) {
        return vec![raw.clone()];
    }
    let mut out = Vec::new();
    for block in &message.blocks {
        if let Block::ToolResult { id, text, .. } = block {
            out.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        }
    }
    let call = |block: &Block| match block {
        Block::ToolCall { id, name, input } => {
            let arguments = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
            Some(json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}))
        }
        _ => None,
    };
    let (text, calls) = (texts(&message.blocks), message.blocks.iter().filter_map(call).collect::<Vec<_>>());
    if !text.is_empty() || !calls.is_empty() {
        let mut whole = json!({"role": message.role, "content": text});
        if !calls.is_empty() {
            whole["tool_calls"] = calls.into();
        }
        out.push(whole);
    }
    out
}

pub fn read(reply: &Value) -> Result<Parts, String> {
    let choice = reply["choices"].get(0).ok_or("the reply has no `choices`")?;
    let message = &choice["message"];
    if !message.is_object() {
        return Err("the reply's first choice has no `message`".to_owned());
    }
    let (blocks, refused, calls) = said(message);
    let stop = match choice["finish_reason"].as_str() {
        _ if refused => Stop::Refusal { category: None },
        Some("content_filter") => Stop::Refusal { category: Some("content_filter".to_owned()) },
        Some("length") => Stop::MaxTokens,
        Some("tool_calls" | "function_call") => Stop::ToolUse,
        // Some servers say so beside calls.
        Some("stop") if calls > 0 => Stop::ToolUse,
        Some("stop") => Stop::EndTurn,
        other => Stop::Other(other.unwrap_or_default().to_owned()),
    };
    Ok(Parts { blocks, stop, raw: without_nulls(message) })
}

/// What a request says, oldest first.
pub fn asked(body: &Value) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str() {
            Some("assistant") => {
                pieces.extend(said(message).0.into_iter().map(|block| Piece { who: Who::Model, block }))
            }
            Some("tool") => {
                let id = string(message, "tool_call_id").unwrap_or_default().to_owned();
                let block = Block::ToolResult { id, text: text_of(&message["content"]), is_error: false };
                pieces.push(Piece { who: Who::User, block });
            }
            role => {
                let who = if matches!(role, Some("system" | "developer")) { Who::System } else { Who::User };
                pieces.extend(content(who, &message["content"], part));
            }
        }
    }
    pieces
}

/// One of the parts in which a message can come.
fn part(part: &Value) -> Block {
    match string(part, "text") {
        Some(text) => Block::Text { text: text.to_owned() },
        None => Block::Other { raw: part.clone() },
    }
}

/// The model's message: its blocks, whether it refuses, how many calls are in it.
fn said(message: &Value) -> (Vec<Block>, bool, usize) {
    let mut blocks = Vec::new();
    // Servers of one's own name it in one way or the other.
    let thought = string(message, "reasoning_content").or_else(|| string(message, "reasoning"));
    blocks.extend(thought.map(|text| Block::Thinking { text: text.to_owned() }));
    match &message["content"] {
        Value::String(text) if !text.is_empty() => blocks.push(Block::Text { text: text.clone() }),
        Value::Array(parts) => blocks.extend(parts.iter().map(part)),
        _ => {}
    }
    let refusal = string(message, "refusal");
    blocks.extend(refusal.map(|text| Block::Text { text: text.to_owned() }));
    let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    blocks.extend(calls.iter().map(called));
    (blocks, refusal.is_some(), calls.len())
}

/// A call of a function, whose input is JSON, or of a tool of another kind, whose input is text.
fn called(call: &Value) -> Block {
    let id = string(call, "id").unwrap_or_default().to_owned();
    let (function, custom) = (&call["function"], &call["custom"]);
    match (string(function, "name"), string(custom, "name")) {
        (Some(name), _) => {
            let input = match &function["arguments"] {
                Value::Object(object) => Value::Object(object.clone()),
                other => call_input(other.as_str().unwrap_or_default()),
            };
            Block::ToolCall { id, name: name.to_owned(), input }
        }
        (None, Some(name)) => Block::ToolCall { id, name: name.to_owned(), input: custom["input"].clone() },
        (None, None) => Block::Other { raw: call.clone() },
    }
}

/// Gathers a stream.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    head: Value,
    message: Map<String, Value>,
    calls: BTreeMap<u64, Value>,
    finish: Option<Value>,
}

impl Stream {
    /// Takes one piece; gives back false where it is not one that this program knows.
    pub fn push(&mut self, piece: &Value) -> bool {
        if !piece["choices"].is_array() && !piece["usage"].is_object() {
            return false;
        }
        if !self.head.is_object() {
            self.head = json!({"id": piece["id"], "model": piece["model"]});
        }
        if piece["service_tier"].is_string() {
            self.head["service_tier"] = piece["service_tier"].clone();
        }
        if piece["usage"].is_object() {
            self.head["usage"] = piece["usage"].clone();
        }
        // Where several answers were asked for, their pieces come mixed; as in a whole reply, the first one is read.
        let choices = piece["choices"].as_array().map_or(&[][..], Vec::as_slice);
        let is_first = |choice: &&Value| choice["index"].as_u64().unwrap_or(0) == 0;
        let choice = choices.iter().find(is_first).unwrap_or(&Value::Null);
        for (name, value) in choice["delta"].as_object().into_iter().flatten() {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("tool_calls", Value::Array(calls)) => calls.iter().for_each(|call| self.call(call)),
                ("role", value) => drop(self.message.insert(name.clone(), value.clone())),
                (_, Value::String(more)) => match self.message.get_mut(name) {
                    Some(Value::String(text)) => text.push_str(more),
                    _ => drop(self.message.insert(name.clone(), more.as_str().into())),
                },
                (_, value) => drop(self.message.insert(name.clone(), value.clone())),
            }
        }
        if !choice["finish_reason"].is_null() {
            self.finish = Some(choice["finish_reason"].clone());
        }
        true
    }

    /// The pieces of calls come mixed, each with its call's index.
    fn call(&mut self, piece: &Value) {
        let next = self.calls.len() as u64;
        let index = piece["index"].as_u64().unwrap_or(next);
        let (kind, input) = match piece["custom"].is_object() {
            true => ("custom", "input"),
            false => ("function", "arguments"),
        };
        let empty = || json!({"id": "", "type": kind, kind: {"name": "", input: ""}});
        let call = self.calls.entry(index).or_insert_with(empty);
        if let Some(id) = string(piece, "id") {
            call["id"] = id.into();
        }
        for name in ["name", input] {
            let more = piece[kind][name].as_str().unwrap_or_default();
            if let Some(Value::String(text)) = call.get_mut(kind).and_then(|call| call.get_mut(name)) {
                text.push_str(more);
            }
        }
    }

    /// True where all but the usage has come.
    pub fn is_done(&self) -> bool {
        self.finish.is_some()
    }

    /// The reply so far, without its message.
    pub fn head(&self) -> &Value {
        &self.head
    }

    /// The whole reply.
    pub fn finish(mut self) -> Value {
        self.message.entry("role").or_insert("assistant".into());
        if !self.calls.is_empty() {
            self.message.insert("tool_calls".to_owned(), self.calls.into_values().collect());
        }
        self.head["choices"] = json!([{"index": 0, "finish_reason": self.finish, "message": self.message}]);
        self.head
    }
}
