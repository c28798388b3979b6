//! What asking a judge's models took, kept apart from what the agent used; and what they said, kept so that a later
//! reader can check how it was read. Data only.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;

/// What a judgment took. Counted as the providers count; tries that came to nothing are in it as far as a provider said
/// what they used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// HTTP requests that were sent, each try one.
    pub requests: u64,
    /// Tokens that the models read, cached ones included.
    pub input_tokens: u64,
    /// Tokens that the models wrote, hidden reasoning included.
    pub output_tokens: u64,
    /// What it cost in US dollars; `None` where a model's price is not known, or a provider did not say what was used.
    pub cost_usd: Option<f64>,
}

impl Default for Spent {
    /// Nothing, which costs nothing.
    fn default() -> Spent {
        Spent { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: Some(0.0) }
    }
}

impl Spent {
    /// True where no request was sent.
    pub fn is_nothing(&self) -> bool {
        self.requests == 0
    }
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
    /// The text, cut after 64 KiB.
    pub text: String,
    /// How many bytes the text had.
    pub bytes: u64,
    /// Why it could not be used; `None` where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// How much of a reply is kept, in bytes.
const CAP: usize = 64 << 10;

impl RawReply {
    /// A reply of a model, to one vote and try, with what kept it from being used.
    pub fn new(model: &str, (vote, attempt): (u32, u32), text: &str, trouble: Option<String>) -> RawReply {
        let kept = &text[..text.floor_char_boundary(CAP)];
        let (model, bytes, effective) = (model.to_owned(), text.len() as u64, serde_json::Value::Null);
        RawReply { model, vote, attempt, effective, text: kept.to_owned(), bytes, trouble }
    }

    /// The same, with the parameters that were in force.
    pub fn with(self, effective: serde_json::Value) -> RawReply {
        RawReply { effective, ..self }
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spent { requests, input_tokens, output_tokens, cost_usd } = self;
        let s = if *requests == 1 { "" } else { "s" };
        write!(f, "{requests} request{s}, {input_tokens} tokens read, {output_tokens} written, ")?;
        match cost_usd {
            // A cheap judge's single verdict is a small part of a cent.
            Some(cost) if *cost > 0.0 && *cost < 0.01 => write!(f, "{cost:.6} USD"),
            Some(cost) => write!(f, "{cost:.4} USD"),
            None => f.write_str("cost not known"),
        }
    }
}

impl AddAssign for Spent {
    /// The cost of all is unknown where one's is.
    fn add_assign(&mut self, other: Spent) {
        self.requests += other.requests;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_usd = self.cost_usd.zip(other.cost_usd).map(|(mine, more)| mine + more);
    }
}
