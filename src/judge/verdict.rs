//! What a judge hands back: a [`Verdict`], or the [`JudgeError`] that makes a trial ungraded. Two types and not one
//! number, so that "wrong" and "could not be judged" can't be mixed up. Nothing here decides anything.

use super::spent::{RawReply, Spent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a judge decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In [0, 1].
    pub reward: f64,
    /// Which judge: `rules`, or another's name.
    pub judge: String,
    /// Which rule decided, such as `count` or `refusal`; for a judge that is a model, what its words were read as.
    pub rule: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The part of the answer that was read, where one was singled out.
    pub span: Option<String>,
    /// Further rewards by name, such as `precision` and `recall`; Harbor keeps them beside `reward`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, f64>,
    /// The class that the answer was put in, where the judge has classes: `correct`, `abstained` and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The votes were not unanimous: the reward is what most said, and how hard the task is should not rest on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ambiguous: bool,
    /// How much of the answer the judge did not see, in bytes; 0 where it saw all of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_bytes: u64,
    /// How the answer was marked off from what a model was asked; `None` where none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<Marked>,
    /// Each vote, where more than one was cast.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
}

/// How an answer is marked off from the words around it, so that it can't pass for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marked {
    /// By a line before it and one after it.
    Lines,
    /// By a mark before it and one after it, since the rubric has more on its line.
    Inline,
    /// Not at all: it was switched off.
    No,
}

/// One vote of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vote {
    /// The model that cast it.
    pub model: String,
    /// In [0, 1]; `None` where the vote could not be had.
    pub reward: Option<f64>,
    /// As in [`Verdict::class`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Why, in the model's words; or what went wrong.
    pub reason: String,
}

/// The judge could not decide; never a reward.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JudgeError {
    /// What its trouble was, in a sentence.
    pub message: String,
    /// What kind of trouble, which says what can be done.
    pub trouble: Trouble,
}

/// What kind of trouble a judge had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is in the task or the job: asking again gives the same.
    Lasting,
    /// The judge can't be reached, or its words can't be read: another time it may do.
    Passing,
    /// The judge lets nobody in who comes with this key: no answer of the job can be judged.
    Refused,
}

impl JudgeError {
    /// Trouble that asking again does not end.
    pub fn lasting(message: impl Into<String>) -> JudgeError {
        JudgeError { message: message.into(), trouble: Trouble::Lasting }
    }

    /// Trouble that may be over another time.
    pub fn passing(message: impl Into<String>) -> JudgeError {
        JudgeError { message: message.into(), trouble: Trouble::Passing }
    }
}

/// All that came of asking a judge about one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// What it decided.
    pub result: Result<Verdict, JudgeError>,
    /// What that took, tries that came to nothing included.
    pub spent: Spent,
    /// What its models said, word for word, in the order in which they were asked.
    pub replies: Vec<RawReply>,
}

impl From<Result<Verdict, JudgeError>> for Judgment {
    /// A judgment that asked no model.
    fn from(result: Result<Verdict, JudgeError>) -> Judgment {
        Judgment { result, spent: Spent::default(), replies: Vec::new() }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
