//! What somebody else's request says: the body of any interface in, its pieces out, in no provider's words. Only for looking
//! on: what is sent is the body as it came.

use super::{chat, messages, responses};
use crate::model::endpoint::Api;
use crate::model::request::Block;
use serde_json::Value;

/// Who says a piece of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// What the model is to be.
    System,
    /// The asking side; results of tools too.
    User,
    /// The model, earlier: as the asking side tells it.
    Model,
}

impl Who {
    /// The speaker as a word.
    pub fn word(self) -> &'static str {
        match self {
            Who::System => "system",
            Who::User => "user",
            Who::Model => "assistant",
        }
    }
}

/// One piece of what a request says.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Who says it.
    pub who: Who,
    /// What.
    pub block: Block,
}

/// What a request's body says, oldest first. What can't be read is left out.
pub fn asked(api: Api, body: &Value) -> Vec<Piece> {
    match api {
        Api::Messages => messages::asked(body),
        Api::Chat => chat::asked(body),
        Api::Responses => responses::asked(body),
    }
}

/// The pieces of a content, which is a text or a list of blocks.
pub fn content(who: Who, content: &Value, read: impl Fn(&Value) -> Block) -> Vec<Piece> {
    match content {
        Value::String(text) => vec![Piece { who, block: Block::Text { text: text.clone() } }],
        Value::Array(blocks) => blocks.iter().map(|block| Piece { who, block: read(block) }).collect(),
        _ => Vec::new(),
    }
}

/// The text of a tool's result: a string, or the texts of its blocks; what is no text as the JSON that it is.
pub fn text_of(content: &Value) -> String {
    let one = |part: &Value| match part["text"].as_str().or(part.as_str()) {
        Some(text) => text.to_owned(),
        None => part.to_string(),
    };
    match content {
        Value::Null => String::new(),
        Value::Array(parts) => parts.iter().map(one).collect::<Vec<_>>().join("\n"),
        other => one(other),
    }
}
