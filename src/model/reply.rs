//! What a model replied, in no provider's words, with the provider's own form beside it.

use super::failure::Class;
use super::request::{Block, Message, Role};
use super::usage::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// Why a model stopped. All eight of Messages; those of Chat and Responses are mapped on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It is done.
    EndTurn,
    /// It wrote as many tokens as it may; the reply is cut.
    MaxTokens,
    /// It wrote a stop sequence.
    StopSequence,
    /// It wants tools run.
    ToolUse,
    /// The provider's own tools take longer; sent again as it is, it goes on.
    PauseTurn,
    /// The history was compacted, and the provider waits.
    Compaction,
    /// It won't, with the provider's category where it gives one.
    Refusal {
        /// Such as `cyber`.
        category: Option<String>,
    },
    /// The conversation is longer than the model can read.
    ContextExceeded,
    /// A reason that this program doesn't know; empty where the provider gave none.
    Other(String),
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it says, in order.
    pub blocks: Vec<Block>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it used, over all parts that are billed; `None` where the provider did not say, which is not nothing.
    pub usage: Option<Usage>,
    /// The model that the provider says it was.
    pub model: Option<String>,
    /// The parameters as sent: the body without messages, tools and system text. They may differ from those asked for,
    /// since some models refuse a temperature.
    pub effective: Map<String, Value>,
    /// The provider's form of the turn, for [`Message::raw`].
    pub raw: Value,
    /// The id of the container that the provider runs its own tools in, where the reply names one.
    pub container: Option<String>,
    /// Events of the stream that this program doesn't know, as they came; the first hundred.
    pub unknown: Vec<Value>,
    /// The provider's id of the request.
    pub request_id: Option<String>,
    /// From sending to the reply's end, for the try that worked.
    pub latency: Duration,
    /// Waited and lost before that try.
    pub waited: Duration,
    /// How many tries failed before.
    pub retries: u32,
    /// How many of them broke off in the middle of a stream; their tokens may be billed and aren't in `usage`.
    pub cut_streams: u32,
    /// How many of them may be billed and aren't in `usage`: those that broke off, were garbled, or did not end in time.
    pub untold: u32,
    /// Of which class the last of them was.
    pub got_over: Option<Class>,
}

impl Reply {
    /// All its text, joined.
    pub fn text(&self) -> String {
        self.blocks
            .iter()
            .filter_map(|b| if let Block::Text { text } = b { Some(text.as_str()) } else { None })
            .collect()
    }

    /// The calls it wants run: id, tool, input.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall { id, name, input } => Some((id.as_str(), name.as_str(), input)),
            _ => None,
        })
    }

    /// The reply as the next turn of the conversation.
    pub fn message(&self) -> Message {
        Message { role: Role::Assistant, blocks: self.blocks.clone(), raw: Some(self.raw.clone()) }
    }
}
