//! The judges there are, behind one verb. Which one decides is fixed for a whole job.

use super::scripted::Script;
use super::{JudgeError, Key, Verdict, rules};
use crate::task::Case;
use std::path::Path;
use std::sync::Arc;

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
            _ => Err(JudgeError(format!("there is no judge `{name}`; there is `rules`"))),
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

    /// Judges one answer to one task's question.
    ///
    /// # Errors
    /// [`JudgeError`] where it can't decide, which is no statement about the answer.
    pub fn decide(&self, task: &str, case: &Case, answer: &str) -> Result<Verdict, JudgeError> {
        match self {
            Judge::Rules => Ok(rules::judge(&case.input, &key_of(case)?, answer, &[])),
            Judge::Scripted(script) => script.decide(task),
        }
    }
}

/// The key as the task types it (`key` in its `case.json`), else as its text reads.
fn key_of(case: &Case) -> Result<Key, JudgeError> {
    match case.extra.get("key") {
        Some(key) => serde_json::from_value(key.clone()).map_err(|e| JudgeError(format!("`key` in `case.json`: {e}"))),
        None => Ok(Key::infer(&case.input, &case.ground_truth)),
    }
}
