//! A job's numbers: per agent, per task and in all. Data only; `summarize.rs` fills it. A pass is a reward of exactly 1;
//! half a reward is half a reward in the mean, and no pass.

use super::efficiency::Efficiency;
use crate::failure::{FailureClass, Whose};
use crate::question::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// A job in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// One entry per agent (and model) of the job, in the job's order.
    pub arms: Vec<ArmSummary>,
}

/// One agent's part of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmSummary {
    /// Which agent of the job's agent list, from 0.
    pub agent_index: usize,
    /// The agent's name.
    pub agent: String,
    /// Its model, where it has one.
    pub model: Option<String>,
    /// All its trials taken together.
    pub all: Tried,
    /// The mean over tasks of their mean rewards: each task weighs the same. `None` without any reward.
    pub mean_of_tasks: Option<f64>,
    /// The standard error of `mean_of_tasks` over tasks (standard deviation over √tasks); `None` below two tasks.
    pub standard_error: Option<f64>,
    /// The 95 % interval of `mean_of_tasks` by Student's t over tasks, within [0, 1]; `None` below two tasks that
    /// differ.
    pub interval_95: Option<(f64, f64)>,
    /// A calibrating job's trials beyond the first attempts of each task: they went where tiers were open, so no other
    /// number of the arm but `failures` counts them. `None` in other jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Tried>,
    /// The classes of failure of all its trials that have ended otherwise than scored, and of all faults after which a
    /// trial was started again; empty where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureCount>,
    /// How many of these trials other judges than the job's graded, by judge; empty where none did.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other_judges: BTreeMap<String, u64>,
    /// The same without the tasks whose answer keys the audit calls bad; `None` where no key of the arm is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_keys: Option<GoodKeys>,
    /// One entry per type of question, by name, tasks without a type last, then one per tag; a task with two tags is in
    /// both. Empty where no task has a type or a tag.
    pub categories: Vec<Category>,
    /// pass@k and pass^k for k = 1 to the number of attempts, each the mean over the tasks that have k rewards.
    pub pass_k: Vec<PassK>,
    /// One entry per task, by name: `ledger-2` before `ledger-10`.
    pub tasks: Vec<TaskSummary>,
    /// The names of tasks that have no reward at all, so that nothing is known of them.
    pub no_data: Vec<String>,
    /// Time per stage.
    pub times: StageTimes,
    /// How much work its answers took, beside the best that is known; `None` where nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Efficiency>,
}

/// One agent's part of a job without the tasks whose keys are wrong, ambiguous, tied or not unique: there an agent that
/// answers well can lose its point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodKeys {
    /// The names of the tasks that are left out.
    pub left_out: Vec<String>,
    /// The trials of all others taken together.
    pub all: Tried,
    /// The mean over the other tasks of their mean rewards; `None` without any reward.
    pub mean_of_tasks: Option<f64>,
    /// Over how many tasks that mean is.
    pub tasks: u64,
}

/// One agent's part of a job in tasks of one type of question, or with one tag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Category {
    /// The type; `None` for tasks without one, and for a tag.
    pub question_type: Option<String>,
    /// The tag, where this is not a type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How many tasks have it.
    pub tasks: u64,
    /// Their trials taken together.
    pub all: Tried,
    /// The mean over these tasks of their mean rewards; `None` without any reward.
    pub mean_of_tasks: Option<f64>,
}

/// One task's part of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskSummary {
    /// The task's name.
    pub task: String,
    /// What the audit thinks of its key, in the audit's word; `None` where no plan was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Its question's type, where it has one.
    pub question_type: Option<String>,
    /// How hard the task's file said it is, where it does.
    pub difficulty: Option<String>,
    /// Its trials; in a calibrating job the first attempts alone.
    pub all: Tried,
    /// A calibrating job's trials beyond the first attempts; `None` in other jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Tried>,
    /// pass@k and pass^k for k = 1 to the number of attempts.
    pub pass_k: Vec<PassK>,
    /// How much work its answers took, beside the best that is known; `None` where nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Efficiency>,
}

/// Some trials taken together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tried {
    /// How many were planned.
    pub planned: u64,
    /// How many have a reward.
    pub rewarded: u64,
    /// How many of those have a reward of exactly 1.
    pub passes: u64,
    /// The mean of the rewards; `None` without any.
    pub mean_reward: Option<f64>,
    /// The 95 % Wilson interval of passes over rewarded trials, which takes trials as independent; `None` without any.
    pub wilson_95: Option<(f64, f64)>,
    /// The mean reward with every planned trial counted, those without a reward as 0; `None` where none was planned.
    pub strict_reward: Option<f64>,
    /// Passes over planned trials; `None` where none was planned.
    pub strict_pass_rate: Option<f64>,
    /// How the trials ended.
    pub counts: Counts,
}

/// How many trials ended how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Judged.
    pub scored: u64,
    /// No answer: reward 0.
    pub no_answer: u64,
    /// The agent ran out of time.
    pub agent_timeout: u64,
    /// The agent ended with an error.
    pub agent_error: u64,
    /// The agent hit a limit of the task.
    pub limit: u64,
    /// The judge could not decide.
    pub ungraded: u64,
    /// Something of ours failed.
    pub fault: u64,
    /// Stopped by the user.
    pub cancelled: u64,
    /// Not ended yet.
    pub missing: u64,
    /// Ended, with a result that can't be trusted.
    pub damaged: u64,
}

/// How often there was one class of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailureCount {
    /// Which.
    pub class: FailureClass,
    /// Whose it is.
    pub whose: Whose,
    /// How many trials ended for it; over all classes, those that ended otherwise than scored.
    pub trials: u64,
    /// How many starts met it and were started again, whatever came of their trials then.
    pub retried: u64,
}

/// pass@k and pass^k at one k.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassK {
    /// Of how many trials.
    pub k: u64,
    /// The chance that at least one of k trials passes; `None` where no task has k rewards.
    pub pass_at_k: Option<f64>,
    /// The chance that all of k trials pass; `None` where no task has k rewards.
    pub pass_hat_k: Option<f64>,
    /// Over how many tasks this is the mean.
    pub tasks: u64,
}

/// Times of the stages that trials have gone through, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTimes {
    /// The image was made ready, or waited for.
    pub image: Option<Quantiles>,
    /// Sandbox created and started.
    pub sandbox: Option<Quantiles>,
    /// The agent ran.
    pub agent: Option<Quantiles>,
    /// Answer collected, sandbox closed.
    pub collect: Option<Quantiles>,
    /// The judge decided.
    pub judge: Option<Quantiles>,
    /// The whole trial.
    pub trial: Option<Quantiles>,
}

/// Where a number lies, by nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantiles {
    /// Half of the numbers are at most this.
    pub median: f64,
    /// 95 % of the numbers are at most this.
    pub p95: f64,
}

impl TaskSummary {
    /// Whether the audit calls its key bad.
    pub fn has_bad_key(&self) -> bool {
        self.audit.as_deref().and_then(Verdict::from_word).is_some_and(Verdict::is_bad)
    }
}
