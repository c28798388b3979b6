//! The two verbs over all interfaces: a request becomes a body, a reply's JSON becomes its parts.

use super::{chat, messages, responses};
use crate::model::endpoint::{Api, Endpoint};
use crate::model::reply::Stop;
use crate::model::request::{Block, Request};
use crate::model::usage::Usage;
use serde_json::{Map, Value};

/// What a reply's JSON says.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    pub blocks: Vec<Block>,
    pub stop: Stop,
    /// The turn, as it is sent back.
    pub raw: Value,
}

/// The body of a request.
pub fn body(endpoint: &Endpoint, request: &Request) -> Value {
    let model = endpoint.model.as_str();
    let mut body = match endpoint.api {
        Api::Messages => messages::body(model, request),
        Api::Chat => chat::body(model, request),
        Api::Responses => responses::body(model, request),
    };
    for (key, value) in &request.extra {
        body.insert(key.clone(), value.clone());
    }
    Value::Object(body)
}

/// The parameters of a body, without what is asked.
pub fn effective(body: &Value) -> Map<String, Value> {
    const ASKED: [&str; 5] = ["messages", "input", "system", "instructions", "tools"];
    let all = body.as_object().into_iter().flatten();
    all.filter(|(key, _)| !ASKED.contains(&key.as_str())).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// What a reply's JSON says, or why it is none.
pub fn read(api: Api, reply: &Value) -> Result<Parts, String> {
    match api {
        Api::Messages => messages::read(reply),
        Api::Chat => chat::read(reply),
        Api::Responses => responses::read(reply),
    }
}

/// What a reply's JSON says that was used; also of one that is not complete. `None` where it counts neither what was read
/// nor what was written: that is unknown, not nothing.
pub fn usage(api: Api, reply: &Value) -> Option<Usage> {
    let usage = reply.get("usage")?;
    match api {
        Api::Messages => messages::usage(usage),
        Api::Chat => openai_usage(reply, usage, ["prompt_tokens", "completion_tokens"]),
        Api::Responses => openai_usage(reply, usage, ["input_tokens", "output_tokens"]),
    }
}

/// OpenAI counts tokens that come from a cache or go into one among those read, unlike us.
fn openai_usage(reply: &Value, usage: &Value, [input, output]: [&str; 2]) -> Option<Usage> {
    if !counts(usage, [input, output]) {
        return None;
    }
    let details = |name: &str, what: &str| count(&usage[format!("{name}_details")], what);
    let (cached, written) = (details(input, "cached_tokens"), details(input, "cache_write_tokens"));
    let times = &usage[format!("{input}_details")]["cache_write_tokens_details"];
    Some(Usage {
        input: count(usage, input).saturating_sub(cached).saturating_sub(written),
        output: count(usage, output),
        cache_read: cached,
        cache_write: written,
        cache_write_long: count(times, "ttl_12h_tokens"),
        other_tier: reply["service_tier"].as_str().is_some_and(|tier| !["default", "auto"].contains(&tier)),
        reasoning: details(output, "reasoning_tokens"),
        ..Usage::default()
    })
}

/// A count; nothing where it is missing, null or no whole number.
pub fn count(object: &Value, name: &str) -> u64 {
    object.get(name).and_then(number).unwrap_or(0)
}

/// True where one of these is a count.
pub fn counts(object: &Value, names: [&str; 2]) -> bool {
    names.iter().any(|name| object.get(name).and_then(number).is_some())
}

/// A whole number; some servers write it as `12.0`.
pub fn number(value: &Value) -> Option<u64> {
    let whole = |float: &f64| float.fract() == 0.0 && (0.0..9e15).contains(float);
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|float| float as u64))
}

/// A string, where one is there and not empty.
pub fn string<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A call's input as the model wrote it: an object, else the text.
pub fn call_input(arguments: &str) -> Value {
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::from(arguments),
    }
}

/// `value` without the keys that are null.
pub fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            object.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect()
        }
        other => other.clone(),
    }
}

/// The texts of blocks, joined.
pub fn texts(blocks: &[Block]) -> String {
    let text = |block: &Block| if let Block::Text { text } = block { Some(text.clone()) } else { None };
    blocks.iter().filter_map(text).collect()
}
