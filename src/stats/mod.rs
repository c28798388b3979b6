//! What the numbers mean: estimators, intervals, a job's summary, and the choice of a subset. Pure: numbers in, numbers out.
//!
//! A trial without a reward (ungraded, fault, cancelled, missing) is in no estimate, and is counted beside each of
//! them; the strict figures count it as failed.

mod agreement;
mod candidates;
mod error;
mod estimators;
mod judge_quality;
mod select;
mod summary;

pub use agreement::{cohen_kappa, gwet_ac1, krippendorff_alpha, percent};
pub use candidates::{Candidate, Kinds, candidates};
pub use error::Error;
pub use estimators::{pass_at_k, pass_hat_k, wilson};
pub use judge_quality::{JudgeQuality, Rate, judge_quality};
pub use select::{Gap, Selection, select};
pub use summary::{ArmSummary, Counts, GoodKeys, PassK, Quantiles, StageTimes, Summary, TaskSummary, Tried, summarize};
