//! This room's settings and their defaults.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a judge that asks models asks them.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which models; each votes.
    pub models: Vec<String>,
    /// Their server, instead of the one that the environment names.
    pub base_url: Option<String>,
    /// Replaces [`usual_temperature`].
    pub temperature: Option<f64>,
    /// How many tokens a reply may have, hidden reasoning included.
    pub max_tokens: u32,
    /// How hard a model is to think, in its provider's word.
    pub effort: Option<String>,
    /// How often each model is asked about each answer.
    pub votes: u32,
    /// How long one request may take.
    pub timeout: Duration,
    /// How often a request is sent again where the provider's side fails it, each time after a longer wait.
    pub max_retries: u32,
    /// Whether the answer is marked off by marks that it can't forge.
    pub boundary: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            models: Vec::new(),
            base_url: None,
            temperature: None,
            max_tokens: 8192,
            effort: None,
            votes: 1,
            timeout: Duration::from_secs(120),
            max_retries: 4,
            boundary: true,
        }
    }
}

/// What a judge's verdicts depend on beside task and answer, as it is kept in a job's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Each model with its server and the temperature that is asked for; what a provider made of that is in each reply.
    pub models: Vec<Asked>,
    /// As in [`Settings`].
    pub max_tokens: u32,
    /// As in [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// As in [`Settings`].
    pub votes: u32,
    /// In seconds.
    pub timeout_sec: f64,
    /// As in [`Settings`].
    pub boundary: bool,
    /// SHA-256 of the words and the schema that the judge asks with, how it marks off and cuts answers included, the
    /// task's own rubric left out.
    pub words: String,
}

impl Parameters {
    /// What differs in `now`, each thing with its value before and after.
    pub fn differences(&self, now: &Parameters) -> impl Iterator<Item = String> {
        let fields = |parameters: &Parameters| match serde_json::to_value(parameters) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        };
        let (before, after) = (fields(self), fields(now));
        let keys: std::collections::BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
        keys.into_iter().filter_map(move |key| {
            let (old, new) = (before.get(&key)?.clone(), after.get(&key).cloned().unwrap_or_default());
            (old != new).then(|| format!("`{key}` was {old} and is {new}"))
        })
    }
}

/// One model of a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Its name.
    pub model: String,
    /// Its server.
    pub base_url: String,
    /// What is asked for.
    pub temperature: f64,
}

/// The temperature that is asked for where nobody says: the published judges' rule, 1 for reasoning models, which take no
/// other, and 0 for all others.
pub fn usual_temperature(model: &str) -> f64 {
    let name = model.rsplit('/').next().unwrap_or(model);
    if name.starts_with("o1") || name.starts_with("o3") || name.contains("gpt-5") { 1.0 } else { 0.0 }
}
