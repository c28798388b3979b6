//! The report for programs. Its fields are documented here and in `stats/summary.rs`, and carry a format number.

use super::judging::{Judging, judging};
use super::models::{Models, models};
use super::network::{Network, network};
use super::plain::misleads;
use super::search::{Searching, searching};
use crate::event::{Fault, NetworkUse};
use crate::failure::FailureClass;
use crate::model::ModelUse;
use crate::results::{Effort, Job, TrialRecord};
use crate::stats::{ArmSummary, Summary};
use serde::Serialize;

/// The number of the report's format; a field that changes its meaning changes it.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    job: JobPart<'a>,
    /// What agents reached and were denied; not there where no trial had a way to listed hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Network<'a>>,
    /// What agents used of models; not there where no trial had the model relay.
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Models>,
    /// How agents searched with their provider's tools; not there where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    searching: Option<Searching>,
    /// What judging came to, where models were asked or answers have classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    judging: Option<Judging>,
    /// One entry per agent and model.
    arms: &'a [ArmSummary],
    /// Trials that have ended, in the order of the plan.
    trials: Vec<TrialPart<'a>>,
    /// Names of trials that have not ended.
    missing: &'a [String],
    /// Trials whose result can't be trusted; they count as missing.
    damaged: Vec<DamagedPart<'a>>,
}

#[derive(Serialize)]
struct JobPart<'a> {
    name: &'a str,
    /// The seatrial that began the job.
    seatrial: &'a str,
    dataset: &'a str,
    judge: &'a str,
    /// The corpus's digest.
    corpus: Option<&'a str>,
    /// `docker`, or `fake` where no container ran.
    engine: &'a str,
    /// How many trials were planned.
    planned: usize,
    /// Models were played back: nothing was paid, costs are the recording's, and times are not theirs. Not there where
    /// they were not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    played_back: bool,
    /// What agents' models have cost in all starts of all trials, as far as it is known, in US dollars; not there where
    /// that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    spent_usd: Option<f64>,
    /// Whether that is all: false where some cost isn't known, so that it was at least so much. There where `spent_usd` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    spent_is_all: Option<bool>,
    /// Which part of the job this is, in words; null where it is the whole.
    part: Option<&'a str>,
}

#[derive(Serialize)]
struct TrialPart<'a> {
    name: &'a str,
    task: &'a str,
    agent: &'a str,
    model: Option<&'a str>,
    /// From 1.
    attempt: u32,
    /// `scored`, `no_answer`, `agent_timeout`, `agent_error`, `limit`, `ungraded`, `fault` or `cancelled`.
    outcome: &'a str,
    /// The class of what kept it from simply being scored; not there where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureClass>,
    /// In [0, 1]; null where the trial says nothing about the agent.
    reward: Option<f64>,
    /// Why it ended so.
    reason: Option<&'a str>,
    /// The rule by which the judge decided.
    rule: Option<&'a str>,
    /// What the judge said.
    verdict: Option<&'a str>,
    /// How many faults came before.
    retries: usize,
    /// Their classes, oldest first; not there where there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    earlier_failures: Vec<FailureClass>,
    /// What it tried to reach; not there where it had no way to listed hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<&'a NetworkUse>,
    /// What it used of models; not there where it had no model relay.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_use: Option<&'a ModelUse>,
    /// What its model used, as `agent::ModelRun` says; not there where no model of ours was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_run: Option<serde_json::Value>,
    /// What the agent's work took, by whatever saw it; not there where it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    /// How long the trial took, in seconds.
    seconds: f64,
}

#[derive(Serialize)]
struct DamagedPart<'a> {
    name: &'a str,
    why: &'a str,
}

/// A job as JSON.
pub fn json(job: &Job, summary: &Summary) -> String {
    let record = &job.record;
    let report = Report {
        format: FORMAT,
        job: JobPart {
            name: &record.name,
            seatrial: &record.seatrial,
            dataset: &record.dataset,
            judge: &record.judge,
            corpus: record.corpus.as_deref(),
            engine: &record.observed.engine.kind,
            planned: record.trials.len(),
            played_back: record.observed.played_back,
            spent_usd: job.spent_usd(),
            spent_is_all: job.spent_usd().map(|_| job.spent_is_all()),
            part: job.part.as_deref(),
        },
        network: network(job),
        models: models(job),
        searching: searching(job),
        judging: judging(job),
        arms: &summary.arms,
        trials: job.trials.iter().map(trial).collect(),
        missing: &job.missing,
        damaged: job.damaged.iter().map(|damaged| DamagedPart { name: &damaged.name, why: &damaged.why }).collect(),
    };
    pretty(&report)
}

/// Any report as JSON text in which nothing misleads.
pub fn pretty(report: &impl Serialize) -> String {
    escape(&serde_json::to_string_pretty(report).expect("a report has only string keys"))
}

fn trial(record: &TrialRecord) -> TrialPart<'_> {
    let span = record.timing.trial;
    TrialPart {
        name: &record.trial.name,
        task: &record.trial.task,
        agent: &record.trial.agent.name,
        model: record.trial.agent.model.as_deref(),
        attempt: record.trial.attempt,
        outcome: record.outcome.word(),
        failure: record.failure_class(),
        reward: record.reward,
        reason: record.reason.as_deref(),
        rule: record.verdict.as_ref().map(|verdict| verdict.rule.as_str()),
        verdict: record.verdict.as_ref().map(|verdict| verdict.reason.as_str()),
        retries: record.earlier_faults.len(),
        earlier_failures: record.earlier_faults.iter().map(Fault::class).collect(),
        network: record.network.as_ref(),
        model_use: record.model.as_ref(),
        model_run: record.agent_run.as_ref().and_then(|run| serde_json::to_value(run.model.as_ref()?).ok()),
        effort: record.effort().filter(|effort| effort.steps.is_some() || effort.model_sec.is_some()),
        seconds: span.finished_at - span.started_at,
    }
}

/// Spells out what misleads, in JSON's own way: outside of ASCII such characters stand only in strings, so the value
/// stays the same.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c != '\n' && misleads(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe.push('\n');
    safe
}
