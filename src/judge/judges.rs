//! The judges there are, behind one verb. Which one decides is fixed for a whole job.

use super::scripted::Script;
use super::{JudgeError, Judgment, Key, Matter, Verdict, rules};
use crate::task::Case;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long the rules may take over one answer.
const RULES_LIMIT: Duration = Duration::from_secs(60);

/// Who judges.
#[derive(Debug, Clone)]
pub enum Judge {
    /// By rules, offline.
    Rules,
    /// Plays back a script; for tests of what a judge's failure does.
    Scripted(Arc<Script>),
}

impl Judge {
    /// The judge of that name.
    ///
    /// # Errors
    /// [`JudgeError`] with the names that there are.
    pub fn named(name: &str) -> Result<Judge, JudgeError> {
        match name {
            "rules" => Ok(Judge::Rules),
            _ => Err(JudgeError::lasting(format!("there is no judge `{name}`; there is `rules`"))),
        }
    }

    /// A judge that plays back the script in this file.
    ///
    /// # Errors
    /// [`JudgeError`] with the file's name.
    pub fn scripted(path: &Path) -> Result<Judge, JudgeError> {
        Script::load(path).map(|script| Judge::Scripted(Arc::new(script)))
    }

    /// Its name, as records have it.
    pub fn name(&self) -> &'static str {
        match self {
            Judge::Rules => "rules",
            Judge::Scripted(_) => "scripted",
        }
    }

    /// Judges one answer. Where the judge can't decide, the judgment says so, which is no statement about the answer.
    pub async fn decide(&self, matter: Matter<'_>) -> Judgment {
        match self {
            Judge::Rules => by_rules(matter).await.into(),
            Judge::Scripted(script) => script.decide(matter.task).into(),
        }
    }
}

/// Decided apart from the threads that serve the engine's streams: whatever an answer makes the rules do, it holds up
/// nothing else.
async fn by_rules(matter: Matter<'_>) -> Result<Verdict, JudgeError> {
    let (case, answer) = (matter.case.clone(), matter.answer.to_owned());
    let judge = tokio::task::spawn_blocking(move || Ok(rules::judge(&case.input, &key_of(&case)?, &answer, &[])));
    match tokio::time::timeout(RULES_LIMIT, judge).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(JudgeError::lasting(format!("the judge failed: {panic}"))),
        Err(_) => Err(JudgeError::lasting(format!("the judge took longer than {} s", RULES_LIMIT.as_secs()))),
    }
}

/// The key as the task types it (`key` in its `case.json`), else as its text reads.
fn key_of(case: &Case) -> Result<Key, JudgeError> {
    match case.extra.get("key") {
        Some(key) => {
            serde_json::from_value(key.clone()).map_err(|e| JudgeError::lasting(format!("`key` in `case.json`: {e}")))
        }
        None => Ok(Key::infer(&case.input, &case.ground_truth)),
    }
}
