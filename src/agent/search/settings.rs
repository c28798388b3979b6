//! What a user can set about `messages-search`, and what one is made of. The defaults are those with which scores of
//! agentic search are published.

use crate::model::{self, Caps, Client, Prices, Retry};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::time::Duration;

/// The settings; each is given as `--ak NAME=VALUE` or in the job file's `kwargs`. What may be `None` is left out with
/// `off`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The model may search and fetch through its provider although the task's network is not public. Default: no.
    pub provider_tools: bool,
    /// How often the model is asked at most. Default: 100.
    pub max_turns: u32,
    /// How many tokens one reply may have. Default: 64000.
    pub max_tokens: u32,
    /// How often a reply that was cut at `max_tokens` is gone on with. Default: 10.
    pub max_continuations: u32,
    /// How many seconds a run may wait for a provider that fails or asks to wait, in all. Default: 3600.
    pub max_wait_sec: f64,
    /// Default: `adaptive`.
    #[serde(deserialize_with = "or_off")]
    pub thinking: Option<String>,
    /// Default: `max`.
    #[serde(deserialize_with = "or_off")]
    pub effort: Option<String>,
    /// How many tokens the model is told that it has; advice, which nobody enforces. Default: 3000000.
    #[serde(deserialize_with = "or_off")]
    pub task_budget: Option<u64>,
    /// From how many tokens read on the provider compacts the conversation. Default: 200000.
    #[serde(deserialize_with = "or_off")]
    pub compaction: Option<u64>,
    /// The version of the tool that runs code. Default: `code_execution_20260521`.
    pub code_execution: String,
    /// The version of the tool that searches. Default: `web_search_20260318`.
    #[serde(deserialize_with = "or_off")]
    pub web_search: Option<String>,
    /// The version of the tool that fetches. Default: `web_fetch_20260318`.
    #[serde(deserialize_with = "or_off")]
    pub web_fetch: Option<String>,
    /// How often each of the two may be used in one request. Default: 10000.
    pub max_uses: u64,
    /// How many tokens of one page are fetched at most. Default: 1000000.
    pub max_content_tokens: u64,
    /// The `anthropic-beta` header. Default: what `compaction` and `task_budget` need.
    pub betas: Option<String>,
    /// The tag in which the answer has to stand. Default: `result`.
    pub result_tag: String,
    /// How many tokens, read and written, all turns may use. Default: no limit.
    pub token_budget: Option<u64>,
    /// How many US dollars all turns may cost. Default: no limit.
    pub cost_budget: Option<f64>,
    /// A file of prices. Default: the job's.
    pub prices: Option<std::path::PathBuf>,
}

/// A value, or `off` (in YAML's older words `false`).
fn or_off<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null | Value::Bool(false) => Ok(None),
        Value::String(word) if word == "off" => Ok(None),
        value => serde_json::from_value(value).map(Some).map_err(D::Error::custom),
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            provider_tools: false,
            max_turns: 100,
            max_tokens: 64_000,
            max_continuations: 10,
            max_wait_sec: 3600.0,
            thinking: Some("adaptive".to_owned()),
            effort: Some("max".to_owned()),
            task_budget: Some(3_000_000),
            compaction: Some(200_000),
            code_execution: "code_execution_20260521".to_owned(),
            web_search: Some("web_search_20260318".to_owned()),
            web_fetch: Some("web_fetch_20260318".to_owned()),
            max_uses: 10_000,
            max_content_tokens: 1_000_000,
            betas: None,
            result_tag: "result".to_owned(),
            token_budget: None,
            cost_budget: None,
            prices: None,
        }
    }
}

/// The least that the interface takes for `compaction` and for `task_budget`, in tokens.
const LEAST: (u64, u64) = (50_000, 20_000);

impl Settings {
    /// What is wrong with them, where something is.
    pub fn wrong(&self) -> Option<String> {
        let (compaction, budget) = LEAST;
        if self.max_turns == 0 || self.max_tokens == 0 || self.max_uses == 0 || self.max_content_tokens == 0 {
            return Some(
                "`max_turns`, `max_tokens`, `max_uses` and `max_content_tokens` must be at least 1".to_owned(),
            );
        }
        if !(self.max_wait_sec > 0.0 && self.max_wait_sec <= 86_400.0) {
            return Some(format!("`max_wait_sec` is {}; it must be over 0 and at most 86400", self.max_wait_sec));
        }
        if let Some(tokens) = self.compaction.filter(|tokens| *tokens < compaction) {
            return Some(format!("`compaction` is {tokens}; it must be at least {compaction}, or `off`"));
        }
        if let Some(tokens) = self.task_budget.filter(|tokens| *tokens < budget) {
            return Some(format!("`task_budget` is {tokens}; it must be at least {budget}, or `off`"));
        }
        if self.web_search.is_none() && self.web_fetch.is_none() {
            return Some("with `web_search` and `web_fetch` off there is nothing to search with".to_owned());
        }
        let tag = &self.result_tag;
        if tag.is_empty() || !tag.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
            return Some(format!("`result_tag` is `{tag}`; a tag is made of letters, digits, `_` and `-`"));
        }
        None
    }

    /// The caps that they set.
    pub fn caps(&self) -> Caps {
        Caps { requests: Some(self.max_turns.into()), tokens: self.token_budget, cost: self.cost_budget }
    }

    /// How long its client waits for what. While the provider's tools run, a stream may be silent for very long, also
    /// before its first event.
    pub fn client(&self) -> model::Settings {
        let hour = Duration::from_secs(3600);
        let total = Duration::from_secs_f64(self.max_wait_sec);
        let retry = Retry { max_retries: 20, total, ..Retry::default() };
        model::Settings { retry, silence: hour, whole: 4 * hour, ..model::Settings::default() }
    }
}

/// One that can run.
#[derive(Debug, Clone)]
pub struct Search {
    /// How.
    pub settings: Settings,
    /// Whom it asks.
    pub client: Client,
    /// What that costs.
    pub prices: Prices,
    /// What one trial may use: the job's caps, and the agent's own budgets.
    pub caps: Caps,
}
