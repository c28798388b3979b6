//! What requests used. Tokens are counted apart by what they cost: what a cache gave is not in `input`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Tokens and calls, over all parts that a provider bills; compaction too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read anew.
    pub input: u64,
    /// Tokens written, `reasoning` included.
    pub output: u64,
    /// Tokens that a cache gave.
    #[serde(default)]
    pub cache_read: u64,
    /// Tokens put into a cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Of those, tokens that stay there longer than usual, which costs more: an hour (Messages), twelve (OpenAI).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_long: u64,
    /// Tokens of `output` that were thinking, where the provider says so.
    #[serde(default)]
    pub reasoning: u64,
    /// Parts of the turn that compacted the history.
    #[serde(default)]
    pub compactions: u64,
    /// Calls of the provider's own tools, by the provider's name of the count (`web_search_requests`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server_tools: BTreeMap<String, u64>,
    /// Some of it was served in another way than the usual one (priority, flex, fast), which has prices of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_tier: bool,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// All tokens that were read, cached or not: Harbor's `n_input_tokens`.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All tokens.
    pub fn total(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }
}

impl AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        for (mine, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.cache_write_long, other.cache_write_long),
            (&mut self.reasoning, other.reasoning),
            (&mut self.compactions, other.compactions),
        ] {
            *mine = mine.saturating_add(more);
        }
        self.other_tier = self.other_tier || other.other_tier;
        for (name, count) in &other.server_tools {
            let mine = self.server_tools.entry(name.clone()).or_default();
            *mine = mine.saturating_add(*count);
        }
    }
}
