//! One request to a model, in no provider's words. `format/` says how each provider wants it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// What the model is to be, before all messages.
    pub system: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// What it may call.
    pub tools: Vec<Tool>,
    /// How many tokens it may write at most, thinking included.
    pub max_tokens: u32,
    /// Left out where `None`, and for models that refuse any.
    pub temperature: Option<f64>,
    /// How hard it is to think, in the provider's word: `low`, `medium`, `high`, …
    pub effort: Option<String>,
    /// The reply has to be JSON of this shape.
    pub schema: Option<Schema>,
    /// The reply comes in pieces. Better for long ones: silence is then noticed.
    pub stream: bool,
    /// Messages alone: the first message is to be put into the provider's cache. The others' caches ask for nothing.
    pub cache_first: bool,
    /// More headers, names in lower case; never a secret.
    pub headers: Vec<(String, String)>,
    /// More keys for the body, as the provider names them; they win over ours.
    pub extra: Map<String, Value>,
}

/// A shape for a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema.
    pub schema: Value,
}

/// Something a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its input, an object.
    pub schema: Value,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The asking side; results of tools too.
    User,
    /// The model.
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// The provider's own form of it, sent back as it came: thinking has signatures, and blocks that we don't know must
    /// survive. `None` for what we wrote ourselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
}

impl Message {
    /// A text to the model.
    pub fn user(text: &str) -> Message {
        Message { role: Role::User, blocks: vec![Block::Text { text: text.to_owned() }], raw: None }
    }

    /// What called tools gave; [`Block::ToolResult`]s, one for each call of the turn before.
    pub fn results(blocks: Vec<Block>) -> Message {
        Message { role: Role::User, blocks, raw: None }
    }
}

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model thought, as far as it is shown.
    Thinking {
        /// The text; empty where it is hidden.
        text: String,
    },
    /// The model wants a tool run.
    ToolCall {
        /// The provider's id of this call.
        id: String,
        /// Which tool.
        name: String,
        /// Its input; a string where what the model wrote is no JSON object.
        input: Value,
    },
    /// What a tool gave.
    ToolResult {
        /// The call's id.
        id: String,
        /// The text.
        text: String,
        /// It is an error's text.
        is_error: bool,
    },
    /// A block that this program doesn't know, as it came.
    Other {
        /// The provider's JSON.
        raw: Value,
    },
}
