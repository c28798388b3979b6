//! What asking a judge's models took, kept apart from what the agent used; and what they said, kept so that a later
//! reader can check how it was read. Data only.

use serde::{Deserialize, Serialize};

/// What a judgment took. Counted as the providers count; tries that came to nothing are in it as far as a provider said
/// what they used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// HTTP requests that were sent, each try one.
    pub requests: u64,
    /// Tokens that the models read, cached ones included.
    pub input_tokens: u64,
    /// Tokens that the models wrote, hidden reasoning included.
    pub output_tokens: u64,
    /// What it cost in US dollars; `None` where a model's price is not known.
    pub cost_usd: Option<f64>,
}

/// What a judge's model said, word for word as far as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawReply {
    /// The model that was asked.
    pub model: String,
    /// Which try of which vote this was: votes from 1, tries from 1.
    pub vote: u32,
    /// The try, from 1.
    pub attempt: u32,
    /// The parameters that were in force, as far as the provider says.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub effective: serde_json::Value,
    /// The text, cut after [`RawReply::CAP`] bytes.
    pub text: String,
    /// How many bytes the text had.
    pub bytes: u64,
    /// Why it could not be used; `None` where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl RawReply {
    /// How much of a reply is kept, in bytes.
    pub const CAP: usize = 64 << 10;
}
