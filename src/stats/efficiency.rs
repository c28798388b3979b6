//! How much work answers took, and how that compares with the best that is known: LangChain's four figures for agents
//! (steps, tool calls, latency, solve rate), which come after correctness and never instead of it. Pure.

use super::clusters::mean;
use crate::ideal::Ideal;
use crate::results::{Effort, Job, OutcomeKind, TrialRecord};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The effort of some trials with a reward, right and wrong ones alike. A mean is over the trials in which its number is
/// known; `None` where it is in none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Efficiency {
    /// How many trials these are.
    pub trials: u64,
    /// Messages of the agent, the mean.
    pub steps: Option<f64>,
    /// Calls of tools, the mean.
    pub tool_calls: Option<f64>,
    /// Seconds that the agent ran, the mean; without the judge and without waits for a provider that failed.
    pub latency_sec: Option<f64>,
    /// Of them in models, the mean.
    pub model_sec: Option<f64>,
    /// Of them in tools, the mean.
    pub tool_sec: Option<f64>,
    /// Seconds waited for a provider that failed, the mean.
    pub waiting_sec: Option<f64>,
    /// Tokens read, the mean.
    pub input_tokens: Option<f64>,
    /// Tokens written, the mean.
    pub output_tokens: Option<f64>,
    /// US dollars, the mean.
    pub cost_usd: Option<f64>,
    /// Σ steps / Σ ideal steps, over trials of which both are known; lower is better. `None` where there are none.
    pub step_ratio: Option<f64>,
    /// The same of calls of tools.
    pub tool_call_ratio: Option<f64>,
    /// The same of latency; `None` too where models were played back.
    pub latency_ratio: Option<f64>,
    /// Ideal steps / latency, 0 for a trial that does not pass, the mean over trials whose task has ideal steps, in steps
    /// a second; higher is better. `None` where there are none, or where models were played back.
    pub solve_rate: Option<f64>,
    /// Trials in which the agent's own count of requests or tokens is another than the relay's, which counts.
    pub differing: u64,
}

/// The efficiency of trials, each with its task's ideal; `None` where nothing is known but how long they took. The times of
/// a job that was played back are not its models', so they are compared with no ideal.
pub fn efficiency<'a>(
    trials: impl Iterator<Item = (&'a TrialRecord, Option<&'a Ideal>)>,
    played_back: bool,
) -> Option<Efficiency> {
    let rewarded = trials.filter_map(|(record, ideal)| Some((record.reward?, record.effort()?, ideal)));
    let all: Vec<(f64, Effort, Option<&Ideal>)> = rewarded.collect();
    let of = |pick: fn(&Effort) -> Option<f64>| mean(&all.iter().filter_map(|(_, e, _)| pick(e)).collect::<Vec<_>>());
    let ratio = |pick: fn(&Effort) -> Option<f64>, ideal: fn(&Ideal) -> Option<f64>| {
        let pairs = all.iter().filter_map(|(_, effort, best)| Some((pick(effort)?, ideal((*best)?)?)));
        let (observed, best) = pairs.fold((0.0, 0.0), |(a, b), (observed, best)| (a + observed, b + best));
        (best > 0.0).then(|| observed / best)
    };
    let rates = all.iter().filter_map(|(reward, effort, best)| {
        let steps = f64::from((*best)?.steps?);
        let solved = *reward == 1.0 && effort.latency_sec > 0.0;
        Some(if solved { steps / effort.latency_sec } else { 0.0 })
    });
    let says_more = all.iter().any(|(_, effort, best)| {
        best.is_some() || effort.steps.is_some() || effort.input_tokens.is_some() || effort.model_sec.is_some()
    });
    says_more.then(|| Efficiency {
        trials: all.len() as u64,
        steps: of(|e| e.steps.map(|n| n as f64)),
        tool_calls: of(|e| e.tool_calls.map(|n| n as f64)),
        latency_sec: of(|e| Some(e.latency_sec)),
        model_sec: of(|e| e.model_sec),
        tool_sec: of(|e| e.tool_sec),
        waiting_sec: of(|e| e.waiting_sec),
        input_tokens: of(|e| e.input_tokens.map(|n| n as f64)),
        output_tokens: of(|e| e.output_tokens.map(|n| n as f64)),
        cost_usd: of(|e| e.cost_usd),
        step_ratio: ratio(|e| e.steps.map(|n| n as f64), |best| best.steps.map(f64::from)),
        tool_call_ratio: ratio(|e| e.tool_calls.map(|n| n as f64), |best| best.tool_calls.map(f64::from)),
        latency_ratio: ratio(|e| Some(e.latency_sec), |best| best.latency_sec).filter(|_| !played_back),
        solve_rate: mean(&rates.collect::<Vec<_>>()).filter(|_| !played_back),
        differing: all.iter().filter(|(_, effort, _)| effort.differs).count() as u64,
    })
}

/// The best trial that is stored of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The task's directory, as the job names it.
    pub dir: PathBuf,
    /// What the task was: its content digest.
    pub digest: String,
    /// The trial's name.
    pub trial: String,
    /// What it took.
    pub ideal: Ideal,
}

/// Of each task in these jobs, by its directory and content digest, the best trial that passes and whose steps are known:
/// the fewest steps, of these the fewest calls of tools, of these the shortest time, which a job that was played back
/// doesn't tell.
pub fn best_trials(jobs: &[Job]) -> Vec<Best> {
    let mut best: BTreeMap<(PathBuf, String), Best> = BTreeMap::new();
    for job in jobs {
        for record in job.trials.iter().filter(|r| r.outcome == OutcomeKind::Scored && r.reward == Some(1.0)) {
            let task = job.record.tasks.get(record.trial.task_index);
            let (Some(task), Some(effort)) = (task, record.effort()) else { continue };
            let Some(steps) = effort.steps.and_then(|steps| u32::try_from(steps).ok()).filter(|steps| *steps > 0)
            else {
                continue;
            };
            let ideal = Ideal {
                steps: Some(steps),
                tool_calls: effort.tool_calls.and_then(|calls| u32::try_from(calls).ok()),
                latency_sec: Some((effort.latency_sec * 1000.0).round() / 1000.0)
                    .filter(|seconds| *seconds > 0.0 && !job.record.observed.played_back),
            };
            let (dir, digest) = (PathBuf::from(&task.path), record.task_content_digest.clone());
            let found = Best { dir: dir.clone(), digest: digest.clone(), trial: record.trial.name.clone(), ideal };
            match best.get_mut(&(dir.clone(), digest.clone())) {
                Some(old) if !found.ideal.is_better_than(&old.ideal) => {}
                _ => drop(best.insert((dir, digest), found)),
            }
        }
    }
    best.into_values().collect()
}
