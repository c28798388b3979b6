//! What a user can set about the loop, and what one is made of.

use crate::model::{Caps, Client, Prices};
use serde::Deserialize;

/// The loop's settings; each is given as `--ak NAME=VALUE` or in the job file's `kwargs`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How often the model is asked at most. Default: 50.
    pub max_turns: u32,
    /// How many tokens one reply may have. Default: 16000.
    pub max_tokens: u32,
    /// How many tokens, read and written, all turns may use: a cap of this agent's own, beside the job's. Default: no
    /// limit.
    pub token_budget: Option<u64>,
    /// How many US dollars all turns may cost: likewise. Default: no limit.
    pub cost_budget: Option<f64>,
    /// How long one call of a tool may take, in seconds. Default: 60.
    pub tool_timeout_sec: f64,
    /// How many bytes of a tool's output the model sees. Default: 30000.
    pub tool_output_bytes: u64,
    /// Default: the provider's own.
    pub temperature: Option<f64>,
    /// Default: the provider's own.
    pub effort: Option<String>,
    /// Messages alone: what comes before the first reply is put into the provider's cache. Default: no, since what is
    /// put there costs more, at a price of its own.
    pub cache: bool,
    /// A file of prices. Default: the job's.
    pub prices: Option<std::path::PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_turns: 50,
            max_tokens: 16_000,
            token_budget: None,
            cost_budget: None,
            tool_timeout_sec: 60.0,
            tool_output_bytes: 30_000,
            temperature: None,
            effort: None,
            cache: false,
            prices: None,
        }
    }
}

impl Settings {
    /// The caps that they set.
    pub fn caps(&self) -> Caps {
        Caps { requests: Some(self.max_turns.into()), tokens: self.token_budget, cost: self.cost_budget }
    }

    /// What is wrong with them, where something is.
    pub fn wrong(&self) -> Option<String> {
        let seconds = self.tool_timeout_sec;
        if self.max_turns == 0 || self.max_tokens == 0 || self.tool_output_bytes == 0 {
            return Some("`max_turns`, `max_tokens` and `tool_output_bytes` must be at least 1".to_owned());
        }
        if !(seconds > 0.0 && seconds <= 86_400.0) {
            return Some(format!("`tool_timeout_sec` is {seconds}; it must be over 0 and at most 86400"));
        }
        None
    }
}

/// A loop that can run.
#[derive(Debug, Clone)]
pub struct Turns {
    /// How.
    pub settings: Settings,
    /// Whom it asks.
    pub client: Client,
    /// What that costs.
    pub prices: Prices,
    /// What one trial may use: the job's caps, and the loop's own budgets.
    pub caps: Caps,
}
