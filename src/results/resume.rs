//! What a resumed job has to do, trial by trial. Pure: it reads a [`Job`] and decides; running is `job/`'s part.

use super::outcome::OutcomeKind;
use super::read::Job;
use super::record::{JobRecord, TrialRecord};
use crate::answer::Answer;
use crate::artifact::Artifacts;
use crate::event::{Judging, Outcome, TrialEnd};

/// What a resumed job does with a planned trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Its end is sealed: kept byte for byte.
    Keep,
    /// The agent has answered, but the judge could not decide: judged again, the agent does not run.
    Judge,
    /// It has not ended, or ended without saying anything about the agent, or its result is damaged: it runs.
    Run,
}

/// What to do with each planned trial, in the order of the plan.
pub fn next(job: &Job) -> Vec<Next> {
    let ended = job.by_name();
    let decide = |name: &str| match ended.get(name).map(|record| record.outcome) {
        None | Some(OutcomeKind::Fault | OutcomeKind::Cancelled) => Next::Run,
        Some(OutcomeKind::Ungraded) => Next::Judge,
        Some(
            OutcomeKind::Scored
            | OutcomeKind::NoAnswer
            | OutcomeKind::AgentTimeout
            | OutcomeKind::AgentError
            | OutcomeKind::Limit,
        ) => Next::Keep,
    };
    job.record.trials.iter().map(|planned| decide(&planned.name)).collect()
}

/// What a trial left, read back from its folder.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Its answer.
    pub answer: Answer,
    /// What it left beside that.
    pub artifacts: Artifacts,
}

/// The end of an ungraded trial as it was, for what it left to be judged again: all that the record knows.
pub fn unjudged(record: &TrialRecord, kept: Kept) -> TrialEnd {
    TrialEnd {
        planned: record.trial.clone(),
        outcome: Outcome::Ungraded { reason: record.reason.clone().unwrap_or_default() },
        agent: record.agent_run.clone(),
        answer: Some(kept.answer),
        artifacts: kept.artifacts,
        script: None,
        timing: record.timing.clone(),
        faults: record.earlier_faults.clone(),
        image: record.image.as_ref().map(|image| (image.tag.clone(), image.id.clone())),
        network: record.network.clone(),
        model: record.model.clone(),
        spent_usd: record.spent_usd,
        spent_is_all: record.spent_is_all(),
        judging: record.judge_spent.map(|spent| Judging { spent, ..Judging::default() }),
    }
}

impl JobRecord {
    /// What makes `now` another job than this one, a line each, by name; empty where a resumed job may go on as `now`.
    pub fn differences(&self, now: &JobRecord) -> Vec<String> {
        let mut lines = Vec::new();
        for task in &self.tasks {
            match now.tasks.iter().find(|other| other.name == task.name) {
                None => lines.push(format!("task `{}` is gone", task.name)),
                Some(other) if other.content_digest != task.content_digest => {
                    lines.push(format!("task `{}` has changed", task.name));
                }
                Some(_) => {}
            }
        }
        for task in &now.tasks {
            if !self.tasks.iter().any(|other| other.name == task.name) {
                lines.push(format!("task `{}` is new", task.name));
            }
        }
        if self.judge != now.judge {
            lines.push(format!("the judge was `{}` and is `{}`", self.judge, now.judge));
        } else if let (Some(before), Some(after)) = (&self.judge_parameters, &now.judge_parameters) {
            lines.extend(before.differences(after).map(|what| format!("the judge's {what}")));
        }
        if self.observed.engine.kind != now.observed.engine.kind {
            let (before, after) = (&self.observed.engine.kind, &now.observed.engine.kind);
            lines.push(format!("the engine was `{before}` and is `{after}`"));
        }
        if lines.is_empty() && self.trials != now.trials {
            lines.push(format!(
                "the agents, attempts or the order of tasks differ ({} trials, now {})",
                self.trials.len(),
                now.trials.len()
            ));
        }
        if lines.is_empty() && self.corpus != now.corpus {
            lines.push("the corpus has changed".to_string());
        }
        lines
    }
}
