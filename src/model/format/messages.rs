//! Anthropic's Messages.

use super::asked::{Piece, Who, content, text_of};
use super::parts::{Parts, call_input, count, counts, number, string, without_nulls};
use crate::model::reply::Stop;
use crate::model::request::{Block, Message, Request, Role};
use crate::model::usage::Usage;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub fn body(model: &str, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("max_tokens".to_owned(), request.max_tokens.into());
    if let Some(system) = &request.system {
        body.insert("system".to_owned(), system.as_str().into());
    }
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    if request.cache_first {
        // The mark stands on the last block of what is to be kept.
        let last = messages.first_mut().and_then(|first| first["content"].as_array_mut()?.last_mut());
        last.into_iter().for_each(|block| block["cache_control"] = json!({"type": "ephemeral"}));
    }
    body.insert("messages".to_owned(), messages.into());
    if !request.tools.is_empty() {
        let tool =
            |t: &crate::model::Tool| json!({"name": t.name, "description": t.description, "input_schema": t.schema});
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), temperature.into());
    }
    let mut output = Map::new();
    if let Some(effort) = &request.effort {
        output.insert("effort".to_owned(), effort.as_str().into());
    }
    if let Some(schema) = &request.schema {
        output.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema.schema}));
    }
    if !output.is_empty() {
        body.insert("output_config".to_owned(), output.into());
    }
    if request.stream {
        body.insert("stream".to_owned(), true.into());
    }
    body
}

fn message(message: &Message) -> Value {
    let content = match (&message.raw, message.role) {
        (Some(raw), Role::Assistant) => raw.clone(),
        _ => message.blocks.iter().map(block).collect(),
    };
    json!({"role": message.role, "content": content})
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text { text } | Block::Thinking { text } => json!({"type": "text", "text": text}),
        Block::ToolCall { id, name, input } => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        Block::ToolResult { id, text, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
        Block::Other { raw } => raw.clone(),
    }
}

pub fn read(reply: &Value) -> Result<Parts, String> {
    let content = match &reply["content"] {
        Value::Array(content) => content.as_slice(),
        Value::Null if reply["type"] == "message" => &[],
        _ => return Err("the reply has no `content`".to_owned()),
    };
    Ok(Parts { blocks: content.iter().map(read_block).collect(), stop: stop(reply), raw: sent_back(content) })
}

/// What a request says, oldest first.
pub fn asked(body: &Value) -> Vec<Piece> {
    let mut pieces = content(Who::System, &body["system"], read_block);
    for message in body["messages"].as_array().into_iter().flatten() {
        let who = if message["role"] == "assistant" { Who::Model } else { Who::User };
        pieces.extend(content(who, &message["content"], |block| match block["type"].as_str() {
            Some("tool_result") => Block::ToolResult {
                id: string(block, "tool_use_id").unwrap_or_default().to_owned(),
                text: text_of(&block["content"]),
                is_error: block["is_error"] == true,
            },
            _ => read_block(block),
        }));
    }
    pieces
}

fn read_block(block: &Value) -> Block {
    let text = |name: &str| string(block, name).unwrap_or_default().to_owned();
    match block["type"].as_str() {
        Some("text") => Block::Text { text: text("text") },
        Some("thinking") => Block::Thinking { text: text("thinking") },
        Some("tool_use") => Block::ToolCall {
            id: text("id"),
            name: text("name"),
            input: block["input"].as_str().map_or_else(|| block["input"].clone(), call_input),
        },
        _ => Block::Other { raw: block.clone() },
    }
}

/// A turn as it is sent back: keys that are null are not taken back, save in a compaction, where null has a meaning.
fn sent_back(content: &[Value]) -> Value {
    let whole = |block: &Value| block["type"] == "compaction";
    content.iter().map(|block| if whole(block) { block.clone() } else { tidied(block) }).collect()
}

fn tidied(block: &Value) -> Value {
    let mut block = without_nulls(block);
    // What the model wrote as input and was no object can't be sent back as it is.
    if block["type"] == "tool_use" && !block["input"].is_object() {
        block["input"] = json!({});
    }
    block
}

fn stop(reply: &Value) -> Stop {
    match reply["stop_reason"].as_str() {
        Some("end_turn") => Stop::EndTurn,
        Some("max_tokens") => Stop::MaxTokens,
        Some("stop_sequence") => Stop::StopSequence,
        Some("tool_use") => Stop::ToolUse,
        Some("pause_turn") => Stop::PauseTurn,
        Some("compaction") => Stop::Compaction,
        Some("refusal") => Stop::Refusal { category: string(&reply["stop_details"], "category").map(str::to_owned) },
        Some("model_context_window_exceeded") => Stop::ContextExceeded,
        other => Stop::Other(other.unwrap_or_default().to_owned()),
    }
}

/// The counts at the top leave out compaction; where the parts are listed, their sum is what is billed. `None` where nothing
/// is counted.
pub fn usage(usage: &Value) -> Option<Usage> {
    let mut sum = Usage::default();
    let counted = |part: &Value| counts(part, ["input_tokens", "output_tokens"]);
    // A list of parts that count nothing takes nothing from the whole.
    let iterations = usage["iterations"].as_array().filter(|list| list.iter().any(counted));
    if iterations.is_none() && !counted(usage) {
        return None;
    }
    for part in iterations.map_or(std::slice::from_ref(usage), Vec::as_slice) {
        sum += &Usage {
            input: count(part, "input_tokens"),
            output: count(part, "output_tokens"),
            cache_read: count(part, "cache_read_input_tokens"),
            cache_write: count(part, "cache_creation_input_tokens"),
            cache_write_long: count(&part["cache_creation"], "ephemeral_1h_input_tokens"),
            compactions: u64::from(part["type"] == "compaction"),
            ..Usage::default()
        };
    }
    // The parts may leave this out, and the whole says it of all.
    sum.cache_write_long = sum.cache_write_long.max(count(&usage["cache_creation"], "ephemeral_1h_input_tokens"));
    sum.other_tier = usage["speed"] == "fast" || is_other(&usage["service_tier"]);
    // A part of the whole, which the parts do not say.
    sum.reasoning = count(&usage["output_tokens_details"], "thinking_tokens");
    let tools = usage["server_tool_use"].as_object().into_iter().flatten();
    let counted = tools.filter_map(|(name, calls)| Some((name.clone(), number(calls).filter(|n| *n > 0)?)));
    sum.server_tools = counted.collect::<BTreeMap<_, _>>();
    Some(sum)
}

/// True for a tier that is not the usual one.
fn is_other(tier: &Value) -> bool {
    tier.as_str().is_some_and(|tier| tier != "standard")
}

/// Gathers a stream.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    message: Value,
    blocks: BTreeMap<u64, Value>,
    /// Input of calls, as text, until its block ends.
    inputs: BTreeMap<u64, String>,
}

impl Stream {
    /// Takes one event; gives back false where it is not one that this program knows.
    pub fn push(&mut self, event: &Value) -> bool {
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str() {
            Some("message_start") if event["message"].is_object() => self.message = event["message"].clone(),
            Some("content_block_start") => {
                self.blocks.insert(index, event["content_block"].clone());
            }
            Some("content_block_delta") => return self.delta(index, &event["delta"]),
            Some("content_block_stop") => self.end_input(index),
            Some("message_delta") => self.message_delta(event),
            Some("message_stop" | "ping") => {}
            _ => return false,
        }
        true
    }

    fn delta(&mut self, index: u64, delta: &Value) -> bool {
        let block = self.blocks.entry(index).or_insert_with(|| json!({"type": "text", "text": ""}));
        let append = |block: &mut Value, name: &str| {
            let more = delta[name].as_str().unwrap_or_default();
            match &mut block[name] {
                Value::String(text) => text.push_str(more),
                other => *other = more.into(),
            }
        };
        match delta["type"].as_str() {
            _ if !block.is_object() => return false,
            Some("text_delta") => append(block, "text"),
            Some("thinking_delta") => append(block, "thinking"),
            Some("signature_delta") => block["signature"] = delta["signature"].clone(),
            Some("input_json_delta") => {
                let text = delta["partial_json"].as_str().unwrap_or_default();
                self.inputs.entry(index).or_default().push_str(text);
            }
            Some("citations_delta") => match &mut block["citations"] {
                Value::Array(citations) => citations.push(delta["citation"].clone()),
                other => *other = json!([delta["citation"]]),
            },
            Some("compaction_delta") => {
                for name in ["content", "encrypted_content"] {
                    if let Some(value) = delta.get(name) {
                        block[name] = value.clone();
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn end_input(&mut self, index: u64) {
        if let (Some(text), Some(block)) = (self.inputs.remove(&index), self.blocks.get_mut(&index))
            && block.is_object()
        {
            block["input"] = call_input(&text);
        }
    }

    /// What is null or missing here does not undo what came before; a container's id above all.
    fn message_delta(&mut self, event: &Value) {
        if !self.message.is_object() {
            self.message = json!({"type": "message"});
        }
        if let Some(edits) = event.get("context_management").filter(|edits| !edits.is_null()) {
            self.message["context_management"] = edits.clone();
        }
        for (name, value) in event["delta"].as_object().into_iter().flatten() {
            if !value.is_null() {
                self.message[name.as_str()] = value.clone();
            }
        }
        for (name, value) in event["usage"].as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            if !self.message["usage"].is_object() {
                self.message["usage"] = json!({});
            }
            self.message["usage"][name.as_str()] = value.clone();
        }
    }

    /// True where all has come.
    pub fn is_done(&self) -> bool {
        self.message["stop_reason"].is_string()
    }

    /// The reply so far, without its blocks.
    pub fn head(&self) -> &Value {
        &self.message
    }

    /// The whole reply.
    pub fn finish(mut self) -> Value {
        for index in self.inputs.keys().copied().collect::<Vec<_>>() {
            self.end_input(index);
        }
        self.message["content"] = self.blocks.into_values().collect();
        self.message
    }
}
