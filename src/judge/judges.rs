//! The judges there are, behind one verb. Which one decides is fixed for a whole job.

use super::{JudgeError, Verdict};
use crate::task::Case;

/// Who judges.
#[derive(Debug, Clone)]
pub enum Judge {
    /// By rules, offline; see [`super::rules`].
    Rules,
}

impl Judge {
    /// Its name, as records have it.
    pub fn name(&self) -> &'static str {
        match self {
            Judge::Rules => "rules",
        }
    }

    /// Judges one answer to one task's question.
    ///
    /// # Errors
    /// [`JudgeError`] where it can't decide, which is no statement about the answer.
    pub fn decide(&self, task: &str, case: &Case, answer: &str) -> Result<Verdict, JudgeError> {
        match self {
            Judge::Rules => Err(JudgeError(format!("{task} {} {answer}", case.input))),
        }
    }
}
