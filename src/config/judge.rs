//! The judge's settings: in the job file (`seatrial: judge:`, a name or a table), in flags, in variables, and in the
//! job's record. A key is never one of them: it stays in the environment.

use super::error::Error;
use super::settings::MOST_SECONDS;
use crate::task::{Section, Value};
use serde_json::{Map, Value as Json, json};

/// The most votes for one answer of one model.
pub const MOST_VOTES: u32 = 99;

/// Who judges, as far as it is said; what isn't is the suite's or the judge's own default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgeConfig {
    /// Its name. Default: the suite's, else `rules`.
    pub name: Option<String>,
    /// The models that it asks.
    pub models: Vec<String>,
    /// The server of those models, instead of the one that the environment names.
    pub base_url: Option<String>,
    /// Replaces the rule by the model's name.
    pub temperature: Option<f64>,
    /// How many tokens a model may write, thinking included.
    pub max_tokens: Option<u32>,
    /// How hard a model is to think, in its provider's word.
    pub effort: Option<String>,
    /// How often each model is asked about each answer.
    pub votes: Option<u32>,
    /// How long one request may take, in seconds.
    pub timeout_sec: Option<f64>,
    /// How often a request is sent again where the provider fails it.
    pub max_retries: Option<u32>,
    /// Whether the answer is marked off in the prompt.
    pub boundary: Option<bool>,
    /// How long a judge that failed several times in a row is left alone at first, in seconds.
    pub pause_sec: Option<f64>,
}

/// Reads `judge` of a section.
pub fn read(section: &Section<'_>) -> JudgeConfig {
    if section.node("judge").is_none_or(|node| !matches!(node.value, Value::Map(_))) {
        return JudgeConfig { name: section.text("judge"), ..JudgeConfig::default() };
    }
    let Some(judge) = section.section("judge") else { return JudgeConfig::default() };
    let model = judge.text("model");
    let models = judge.texts("models").unwrap_or_default().into_iter().map(|(_, model)| model);
    let config = JudgeConfig {
        name: judge.text("name"),
        models: model.into_iter().chain(models).collect(),
        base_url: judge.text("base_url").filter(|url| {
            let login = url.contains('@');
            if login {
                judge.wrong("base_url", "holds a login", Some("a key belongs in `OPENAI_API_KEY`".into()));
            }
            !login
        }),
        temperature: judge.number("temperature").filter(|t| {
            let fine = (0.0..=2.0).contains(t);
            if !fine {
                judge.wrong("temperature", format!("must be from 0 to 2, not {t}"), None);
            }
            fine
        }),
        max_tokens: judge.integer_from("max_tokens", 1).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        effort: judge.text("effort"),
        votes: judge.integer_from("votes", 1).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        timeout_sec: judge.positive("timeout_sec").map(|seconds| seconds.min(MOST_SECONDS)),
        max_retries: judge.integer_from("max_retries", 0).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        boundary: judge.boolean("boundary"),
        pause_sec: judge.positive("pause_sec").map(|seconds| seconds.min(MOST_SECONDS)),
    };
    judge.finish();
    config
}

/// What flags and variables say of the judge, over what the file says. `var` gives variables that are set to something:
/// `SEATRIAL_JUDGE`, and `JUDGE_MODELS` (several, between commas or spaces) before `JUDGE_MODEL`.
///
/// # Errors
/// [`Error::BadSetting`] for more votes than [`MOST_VOTES`].
pub fn resolve(
    flags: &JudgeConfig,
    var: impl Fn(&str) -> Option<String>,
    file: JudgeConfig,
) -> Result<JudgeConfig, Error> {
    let models = || {
        let several = var("JUDGE_MODELS").or(var("JUDGE_MODEL")).unwrap_or_default();
        several.split([',', ' ']).filter(|model| !model.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let first = |of: Vec<Vec<String>>| of.into_iter().find(|models| !models.is_empty()).unwrap_or_default();
    let judge = JudgeConfig {
        name: flags.name.clone().or(var("SEATRIAL_JUDGE")).or(file.name),
        models: first(vec![flags.models.clone(), models(), file.models]),
        votes: flags.votes.or(file.votes),
        ..file
    };
    if judge.votes.is_some_and(|votes| votes == 0 || votes > MOST_VOTES) {
        let message = format!("must be from 1 to {MOST_VOTES}");
        return Err(Error::BadSetting { origin: "`--judge-votes`".into(), message });
    }
    Ok(judge)
}

/// The settings for the job's record: a name where there is no more to say, else a table.
pub fn record(judge: &JudgeConfig) -> Option<Json> {
    if *judge == (JudgeConfig { name: judge.name.clone(), ..JudgeConfig::default() }) {
        return judge.name.as_deref().map(Json::from);
    }
    let mut table = Map::new();
    let mut put = |key: &str, value: Option<Json>| table.extend(value.map(|value| (key.to_owned(), value)));
    put("name", judge.name.as_deref().map(Json::from));
    put("models", (!judge.models.is_empty()).then(|| json!(judge.models)));
    put("base_url", judge.base_url.as_deref().map(Json::from));
    put("temperature", judge.temperature.map(Json::from));
    put("max_tokens", judge.max_tokens.map(Json::from));
    put("effort", judge.effort.as_deref().map(Json::from));
    put("votes", judge.votes.map(Json::from));
    put("timeout_sec", judge.timeout_sec.map(Json::from));
    put("max_retries", judge.max_retries.map(Json::from));
    put("boundary", judge.boundary.map(Json::from));
    put("pause_sec", judge.pause_sec.map(Json::from));
    Some(table.into())
}
