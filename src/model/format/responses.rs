//! OpenAI's Responses.

use super::asked::{Piece, Who, content, text_of};
use super::chat::thinks;
use super::parts::{Parts, call_input, string, texts};
use crate::model::reply::Stop;
use crate::model::request::{Block, Message, Request, Role};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub fn body(model: &str, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    if let Some(system) = &request.system {
        body.insert("instructions".to_owned(), system.as_str().into());
    }
    let mut input: Vec<Value> = request.messages.iter().flat_map(items).collect();
    answer_in_kind(&mut input);
    body.insert("input".to_owned(), input.into());
    body.insert("max_output_tokens".to_owned(), request.max_tokens.into());
    // Nothing stays with the provider; so thinking travels with the conversation, encrypted.
    body.insert("store".to_owned(), false.into());
    if thinks(model) {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(temperature) = request.temperature.filter(|_| !thinks(model)) {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(effort) = &request.effort {
        body.insert("reasoning".to_owned(), json!({"effort": effort}));
    }
    if !request.tools.is_empty() {
        let tool = |t: &crate::model::Tool| {
            json!({"type": "function", "name": t.name, "description": t.description, "parameters": t.schema,
                   "strict": false})
        };
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    if let Some(schema) = &request.schema {
        let format = json!({"type": "json_schema", "name": schema.name, "schema": schema.schema, "strict": true});
        body.insert("text".to_owned(), json!({"format": format}));
    }
    if request.stream {
        body.insert("stream".to_owned(), true.into());
    }
    body
}

/// One turn is several items here.
fn items(message: &Message) -> Vec<Value> {
    if let (Some(Value::Array(raw)), Role::Assistant) = (&message.raw, message.role) {
        return raw.clone();
    }
    let mut items = Vec::new();
    let text = texts(&message.blocks);
    for block in &message.blocks {
        match block {
            Block::ToolResult { id, text, .. } => {
                items.push(json!({"type": "function_call_output", "call_id": id, "output": text}));
            }
            Block::ToolCall { id, name, input } => {
                let arguments = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
                items.push(json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}));
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        items.push(json!({"role": message.role, "content": text}));
    }
    items
}

/// The result of a call that is no function's is of that kind too; a local shell's may be told as a function's.
fn answer_in_kind(input: &mut [Value]) {
    let custom = input.iter().filter(|item| item["type"] == "custom_tool_call");
    let custom: Vec<Value> = custom.map(|item| item["call_id"].clone()).collect();
    for item in input.iter_mut().filter(|item| item["type"] == "function_call_output") {
        if custom.contains(&item["call_id"]) {
            item["type"] = "custom_tool_call_output".into();
        }
    }
}

pub fn read(reply: &Value) -> Result<Parts, String> {
    let output = reply["output"].as_array().ok_or("the reply has no `output`")?;
    let blocks: Vec<Block> = output.iter().flat_map(said).collect();
    let parts = output.iter().filter_map(|item| item["content"].as_array()).flatten();
    let refused = parts.into_iter().any(|part| part["type"] == "refusal");
    let calls = blocks.iter().any(|block| matches!(block, Block::ToolCall { .. }));
    let stop = match (reply["status"].as_str(), string(&reply["incomplete_details"], "reason")) {
        _ if refused => Stop::Refusal { category: None },
        (Some("incomplete"), Some("max_output_tokens")) => Stop::MaxTokens,
        (Some("incomplete"), Some("content_filter")) => Stop::Refusal { category: Some("content_filter".to_owned()) },
        (Some("completed"), _) if calls => Stop::ToolUse,
        (Some("completed"), _) => Stop::EndTurn,
        (status, reason) => Stop::Other(reason.or(status).unwrap_or_default().to_owned()),
    };
    Ok(Parts { blocks, stop, raw: Value::Array(output.clone()) })
}

/// The tool of a call that has no name of its own.
const LOCAL_SHELL: &str = "local_shell";

/// What the model says in one item of its output.
fn said(item: &Value) -> Vec<Block> {
    let text = |name: &str| string(item, name).unwrap_or_default().to_owned();
    match item["type"].as_str() {
        Some("message") => item["content"].as_array().into_iter().flatten().map(part).collect(),
        Some("function_call") => vec![Block::ToolCall {
            id: text("call_id"),
            name: text("name"),
            input: call_input(item["arguments"].as_str().unwrap_or_default()),
        }],
        // Its input is text in a form of its own, or none.
        Some("custom_tool_call") => {
            vec![Block::ToolCall { id: text("call_id"), name: text("name"), input: item["input"].clone() }]
        }
        Some("local_shell_call") => {
            vec![Block::ToolCall { id: text("call_id"), name: LOCAL_SHELL.to_owned(), input: item["action"].clone() }]
        }
        Some("reasoning") => {
            let parts = item["summary"].as_array().into_iter().flatten();
            let text = parts.filter_map(|part| string(part, "text")).collect::<Vec<_>>().join("\n");
            vec![Block::Thinking { text }]
        }
        _ => vec![Block::Other { raw: item.clone() }],
    }
}

/// One of the parts in which a message comes.
fn part(part: &Value) -> Block {
    match string(part, "text").or_else(|| string(part, "refusal")) {
        Some(text) => Block::Text { text: text.to_owned() },
        None => Block::Other { raw: part.clone() },
    }
}

/// What a request says, oldest first.
pub fn asked(body: &Value) -> Vec<Piece> {
    let mut pieces = content(Who::System, &body["instructions"], part);
    let Value::Array(items) = &body["input"] else {
        pieces.extend(content(Who::User, &body["input"], part));
        return pieces;
    };
    for item in items {
        let who = match item["role"].as_str() {
            Some("system" | "developer") => Who::System,
            Some("user") => Who::User,
            _ => Who::Model,
        };
        match item["type"].as_str() {
            Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
                let id = string(item, "call_id").or(string(item, "id")).unwrap_or_default().to_owned();
                let block = Block::ToolResult { id, text: text_of(&item["output"]), is_error: false };
                pieces.push(Piece { who: Who::User, block });
            }
            None | Some("message") => pieces.extend(content(who, &item["content"], part)),
            _ => pieces.extend(said(item).into_iter().map(|block| Piece { who, block })),
        }
    }
    pieces
}

/// Gathers a stream: its last event holds the whole reply.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    reply: Value,
    /// Items that were said to be done, for servers whose last event leaves them out.
    items: BTreeMap<u64, Value>,
    done: bool,
}

impl Stream {
    /// Takes one event; gives back false where it is not one that this program knows.
    pub fn push(&mut self, event: &Value) -> bool {
        let name = event["type"].as_str().unwrap_or_default();
        if event["response"].is_object() {
            self.reply = event["response"].clone();
            self.done = ["response.completed", "response.incomplete"].contains(&name);
        } else if name == "response.output_item.done" {
            self.items.insert(event["output_index"].as_u64().unwrap_or(0), event["item"].clone());
        }
        // All others repeat piece by piece what those two say whole.
        name.starts_with("response.")
    }

    /// True where all has come.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The reply so far.
    pub fn head(&self) -> &Value {
        &self.reply
    }

    /// The whole reply.
    pub fn finish(mut self) -> Value {
        if self.reply["output"].as_array().is_none_or(Vec::is_empty) && self.reply.is_object() {
            self.reply["output"] = self.items.into_values().collect();
        }
        self.reply
    }
}
