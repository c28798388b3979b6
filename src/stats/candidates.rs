//! What `select` chooses from: the tasks of a calibration file with their kinds and their measured pass rates. Text in,
//! candidates out; it reads no file.
//!
//! Of the file's keys it reads `tasks.<id>` with `source_difficulty` (or `difficulty`, or `tier`), `question_type`, `n`
//! (attempts of each model), and the pass rates, 0 to 1: `rates.<model>`, or `<model>_pass_at_bare` for each model, or
//! `pass_at_bare` where there was one model. All other keys are for others.

use super::error::Error;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One task that may be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The task's name.
    pub id: String,
    /// How hard it is said to be; the subset keeps the mix of these exactly.
    pub difficulty: String,
    /// Its question's type, where that is known.
    pub question_type: Option<String>,
    /// How many attempts each model made.
    pub attempts: u32,
    /// The share of them that passed, 0 to 1, by model.
    pub rates: BTreeMap<String, f64>,
}

/// Reads the candidates of a calibration's text, in its order. `known` gives difficulty and type, by task, where the
/// text has none.
///
/// # Errors
/// [`Error::Parse`]; [`Error::Entries`] with each entry that lacks something, and all that it lacks, or that has other
/// models than the first. A type is not needed.
pub fn candidates(text: &str, known: &BTreeMap<String, Kinds>) -> Result<Vec<Candidate>, Error> {
    let file: Value = serde_json::from_str(text).map_err(|e| Error::Parse(e.to_string()))?;
    let tasks = file.get("tasks").and_then(Value::as_object).ok_or(Error::Parse("it has no `tasks`".into()))?;
    let mut found: Vec<Candidate> = Vec::new();
    let mut bad = Vec::new();
    for (id, entry) in tasks {
        match candidate(id, entry, known.get(id)) {
            Ok(next) if found.first().is_some_and(|first| !first.rates.keys().eq(next.rates.keys())) => {
                bad.push(format!("`{id}`: rates of other models than the first task's"));
            }
            Ok(next) => found.push(next),
            Err(why) => bad.push(format!("`{id}`: {why}")),
        }
    }
    if bad.is_empty() { Ok(found) } else { Err(Error::Entries(bad)) }
}

/// Difficulty and type of a task, as its own files say.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// How hard it is said to be.
    pub difficulty: Option<String>,
    /// Its question's type.
    pub question_type: Option<String>,
}

fn candidate(id: &str, entry: &Value, known: Option<&Kinds>) -> Result<Candidate, String> {
    let entry = entry.as_object().ok_or("not an object")?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let difficulty = ["source_difficulty", "difficulty", "tier"].into_iter().find_map(text);
    let attempts = entry.get("n").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let difficulty = difficulty.or(known.and_then(|k| k.difficulty.clone()));
    let lacking = [
        difficulty.is_none().then_some("no `source_difficulty`"),
        attempts.is_none().then_some("`n` is not a number of attempts"),
    ];
    let rates = rates(entry);
    let lacking: Vec<&str> = lacking.into_iter().flatten().chain(rates.as_ref().err().map(String::as_str)).collect();
    match (difficulty, attempts, &rates) {
        (Some(difficulty), Some(attempts), Ok(rates)) => Ok(Candidate {
            id: id.to_owned(),
            difficulty,
            question_type: text("question_type").or(known.and_then(|k| k.question_type.clone())),
            attempts,
            rates: rates.clone(),
        }),
        _ => Err(lacking.join(", ")),
    }
}

fn rates(entry: &Map<String, Value>) -> Result<BTreeMap<String, f64>, String> {
    let by_model = entry.iter().filter_map(|(key, rate)| Some((key.strip_suffix("_pass_at_bare")?.to_owned(), rate)));
    let mut raw: BTreeMap<String, &Value> = match entry.get("rates").and_then(Value::as_object) {
        Some(rates) => rates.iter().map(|(model, rate)| (model.clone(), rate)).collect(),
        None => by_model.collect(),
    };
    if let (true, Some(rate)) = (raw.is_empty(), entry.get("pass_at_bare")) {
        raw.insert("model".into(), rate);
    }
    if raw.is_empty() {
        return Err("no pass rate".into());
    }
    let rate = |(model, rate): (String, &Value)| match rate.as_f64() {
        Some(rate) if (0.0..=1.0).contains(&rate) => Ok((model, rate)),
        _ => Err(format!("the rate of `{model}` is not a number from 0 to 1")),
    };
    raw.into_iter().map(rate).collect()
}
