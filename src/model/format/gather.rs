//! A stream of any interface becomes the JSON that a whole reply would have been.

use super::{chat, messages, responses};
use crate::model::endpoint::Api;
use serde_json::Value;

/// Gathers the events of one reply.
#[derive(Debug, Clone)]
pub struct Gather {
    kind: Kind,
    ended: bool,
    unknown: Vec<Value>,
}

#[derive(Debug, Clone)]
enum Kind {
    Messages(messages::Stream),
    Chat(chat::Stream),
    Responses(responses::Stream),
}

/// How many events that nobody knows are kept.
const UNKNOWN: usize = 100;

impl Gather {
    /// For one reply.
    pub fn new(api: Api) -> Gather {
        let kind = match api {
            Api::Messages => Kind::Messages(messages::Stream::default()),
            Api::Chat => Kind::Chat(chat::Stream::default()),
            Api::Responses => Kind::Responses(responses::Stream::default()),
        };
        Gather { kind, ended: false, unknown: Vec::new() }
    }

    /// Takes the data of one event. An event that nobody knows is kept, and no trouble.
    ///
    /// # Errors
    /// The event itself where it is the provider's error, and a string where it is no JSON.
    pub fn push(&mut self, data: &str) -> Result<(), Value> {
        let data = data.trim();
        if data == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        if data.is_empty() {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|e| Value::from(format!("an event is no JSON: {e}")))?;
        let failed = event["type"] == "response.failed";
        if event["type"] == "error" || failed || event["error"].is_object() {
            return Err(if failed { event["response"].clone() } else { event });
        }
        self.ended |= event["type"] == "message_stop";
        let known = match &mut self.kind {
            Kind::Messages(stream) => stream.push(&event),
            Kind::Chat(stream) => stream.push(&event),
            Kind::Responses(stream) => stream.push(&event),
        };
        if !known && self.unknown.len() < UNKNOWN {
            self.unknown.push(event);
        }
        Ok(())
    }

    /// True where nothing more can come.
    pub fn has_ended(&self) -> bool {
        self.ended || matches!(&self.kind, Kind::Responses(stream) if stream.is_done())
    }

    /// True where the reply is whole, also if the stream's own last word is missing.
    pub fn is_whole(&self) -> bool {
        match &self.kind {
            Kind::Messages(stream) => stream.is_done(),
            Kind::Chat(stream) => stream.is_done(),
            Kind::Responses(stream) => stream.is_done(),
        }
    }

    /// The reply so far, as far as its model and usage go.
    pub fn head(&self) -> &Value {
        match &self.kind {
            Kind::Messages(stream) => stream.head(),
            Kind::Chat(stream) => stream.head(),
            Kind::Responses(stream) => stream.head(),
        }
    }

    /// The reply's JSON, and the events that nobody knew.
    pub fn finish(self) -> (Value, Vec<Value>) {
        let reply = match self.kind {
            Kind::Messages(stream) => stream.finish(),
            Kind::Chat(stream) => stream.finish(),
            Kind::Responses(stream) => stream.finish(),
        };
        (reply, self.unknown)
    }
}
