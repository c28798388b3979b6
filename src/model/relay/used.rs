//! What a trial's agent used of models, counted.

use crate::model::{Class, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All that a trial's agent used of models through the relay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// Requests that were sent on.
    pub requests: u64,
    /// Requests that the relay refused: other paths, hosted tools, no token, over a cap.
    pub refused: u64,
    /// Requests that failed by the provider's fault, retries of the agent included.
    pub failed: u64,
    /// Answers that came and did not say what they used.
    pub unmetered: u64,
    /// Replies of models that could be read; `None` where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<u64>,
    /// Calls of tools in them; `None` likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Tokens, over all answers.
    pub usage: Usage,
    /// US dollars; `None` where a price or a count isn't known.
    pub cost_usd: Option<f64>,
    /// From each request's beginning to its answer's end, summed, in seconds.
    pub seconds: f64,
    /// Requests by the model that they named; the first so many names.
    pub models: BTreeMap<String, u64>,
    /// Why the agent's last request failed, where that was the provider's fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Of which class the failure of the agent's last request was, the provider's or its own doing; none where it was
    /// answered well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Class>,
    /// What was wrong with the recording: a request that it lacks, or an answer that it could not keep. What the agent did
    /// after that says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// Which cap a request was refused for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl ModelUse {
    /// What all that was asked has cost, in US dollars; `None` where some of that isn't known.
    pub fn cost(&self) -> Option<f64> {
        if self.requests == 0 { Some(0.0) } else { self.cost_usd }
    }

    /// What the agent's conversation itself made its last request fail by: it was too long, or its content was refused.
    pub fn own_doing(&self) -> Option<Class> {
        self.last_failure.filter(|class| self.trouble.is_none() && class.is_askers_own())
    }
}
