//! What the numbers mean: estimators, intervals and a job's summary. Pure: numbers in, numbers out.
//!
//! A trial without a reward (ungraded, fault, cancelled, missing) is in no estimate, and is counted beside each of
//! them; the strict figures count it as failed.

mod estimators;
mod summary;

pub use estimators::{pass_at_k, pass_hat_k, wilson};
pub use summary::{ArmSummary, Counts, GoodKeys, PassK, Quantiles, StageTimes, Summary, TaskSummary, Tried, summarize};
