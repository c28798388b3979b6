//! What a judge hands back: a [`Verdict`], or the [`JudgeError`] that makes a trial ungraded. Two types and not one
//! number, so that "wrong" and "could not be judged" can't be mixed up. Nothing here decides anything.

use serde::{Deserialize, Serialize};

/// What a judge decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In [0, 1].
    pub reward: f64,
    /// Which judge: `rules`, or another's name.
    pub judge: String,
    /// Which rule decided, such as `count` or `refusal`.
    pub rule: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The part of the answer that was read, where one was singled out.
    pub span: Option<String>,
}

/// The judge could not decide; never a reward.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct JudgeError(pub String);
