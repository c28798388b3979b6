//! Rubric and answer become a verdict. A judge never sees the agent's sandbox, and it tells "wrong" from "could not
//! be judged": the first is a [`Verdict`], the second an error of [`JudgeError`], which makes a trial ungraded.

mod judges;
mod scripted;
pub use judges::Judge;
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

/// Until the rules are merged.
fn rules_stub(case: &crate::task::Case, answer: &str) -> Verdict {
    let right = answer.trim() == case.ground_truth.trim();
    Verdict {
        reward: if right { 1.0 } else { 0.0 },
        judge: "rules".into(),
        rule: "text".into(),
        reason: String::new(),
        span: None,
    }
}
