//! A job's files in Harbor 0.26's shapes: JobLock (schema 3) and JobResult. Pure; it only counts and translates.
//!
//! `pass_at_k` stays empty, as Harbor leaves it for rewards other than 0 and 1: the estimators are in `stats/`.

use super::outcome::OutcomeKind;
use super::record::{JobRecord, TrialRecord};
use super::{harbor_trial, time};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What the job's result counts of a trial that has ended.
#[derive(Debug, Clone)]
pub struct Tally {
    outcome: OutcomeKind,
    reward: Option<f64>,
    exception: Option<&'static str>,
    retries: usize,
}

impl Tally {
    /// Counts a record.
    pub fn new(record: &TrialRecord) -> Tally {
        Tally {
            outcome: record.outcome,
            reward: record.reward,
            exception: harbor_trial::exception(record).map(|(name, _)| name),
            retries: record.earlier_faults.len(),
        }
    }
}

/// The JobLock: every trial's lock, and how many run at once.
pub fn lock(job: &JobRecord, job_config: &Value) -> Value {
    let trials: Vec<Value> = job.trials.iter().map(|trial| harbor_trial::lock(job, job_config, trial)).collect();
    json!({
        "schema_version": 3,
        "created_at": time::utc(job.observed.started_at),
        "harbor": {},
        "n_concurrent_trials": job_config.get("n_concurrent_trials").cloned().unwrap_or(json!(4)),
        "retry": job_config.get("retry").cloned().unwrap_or(json!({})),
        "trials": trials,
    })
}

/// Which settings of a job differ between the lock that it began with and one made from its config as it is now, by
/// their place in `config.json`. How many trials run at once and what is retried may change.
pub fn changed_settings(job: &JobRecord, began: &Value, now: &Value) -> Vec<String> {
    let mut changed = Vec::new();
    let mut agents = BTreeSet::new();
    for (i, planned) in job.trials.iter().enumerate() {
        let (Some(began), Some(now)) = (began["trials"][i].as_object(), now["trials"][i].as_object()) else { continue };
        if agents.insert(planned.agent_index) {
            let agent = format!("agents[{}]", planned.agent_index);
            differ(&agent, &began["agent"], &now["agent"], &mut changed);
        }
        // What all trials share is looked at once.
        if i == 0 {
            let part = |lock: &Map<String, Value>| {
                Value::from_iter(lock.clone().into_iter().filter(|(key, _)| key != "agent" && key != "task"))
            };
            differ("", &part(began), &part(now), &mut changed);
        }
    }
    changed
}

fn differ(path: &str, one: &Value, other: &Value, changed: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differ(&inner, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), changed);
            }
        }
        _ if one != other => changed.push(format!("`{path}` in `config.json` has changed")),
        _ => {}
    }
}

/// The JobResult. `ends` has one entry per planned trial; `finished_at` is for a job that is over, with nothing left.
pub fn result(job: &JobRecord, ends: &[Option<Tally>], running: usize, finished_at: Option<f64>) -> Value {
    let ended: Vec<&Tally> = ends.iter().flatten().collect();
    let count = |test: &dyn Fn(&Tally) -> bool| ended.iter().filter(|tally| test(tally)).count();
    json!({
        "schema_version": 1,
        "id": job.observed.id,
        "started_at": time::local(job.observed.started_at),
        "updated_at": time::local(time::now()),
        "finished_at": finished_at.map(time::local),
        "n_total_trials": ends.len(),
        "stats": {
            "n_completed_trials": ended.len(),
            "n_errored_trials": count(&|tally| tally.exception.is_some()),
            "n_running_trials": running,
            "n_pending_trials": ends.len().saturating_sub(ended.len() + running),
            "n_cancelled_trials": count(&|tally| tally.outcome == OutcomeKind::Cancelled),
            "n_retries": ended.iter().map(|tally| tally.retries).sum::<usize>(),
            "evals": evals(job, ends),
        },
    })
}

/// Harbor's statistics per agent, model and dataset, with the trials' names by reward and by exception.
fn evals(job: &JobRecord, ends: &[Option<Tally>]) -> Value {
    let mut evals = Map::new();
    for (planned, tally) in job.trials.iter().zip(ends) {
        let Some(tally) = tally else { continue };
        let model = planned.agent.model.as_deref().map(|model| harbor_trial::provider_and_name(model).1);
        let parts = [Some(planned.agent.name.as_str()), model, Some(&job.dataset)];
        let key = parts.into_iter().flatten().collect::<Vec<_>>().join("__");
        let eval = evals.entry(key).or_insert_with(|| {
            json!({"n_trials": 0, "n_errors": 0, "metrics": [], "pass_at_k": {},
                "reward_stats": {}, "exception_stats": {}})
        });
        if let Some(reward) = tally.reward {
            let n = eval["n_trials"].as_u64().unwrap_or(0) as f64;
            let mean = eval["metrics"][0]["mean"].as_f64().unwrap_or(0.0);
            eval["metrics"] = json!([{"mean": mean + (reward - mean) / (n + 1.0)}]);
            add_one(&mut eval["n_trials"]);
            add_name(&mut eval["reward_stats"]["reward"], &format!("{reward:?}"), &planned.name);
        }
        if let Some(exception) = tally.exception {
            add_one(&mut eval["n_errors"]);
            add_name(&mut eval["exception_stats"], exception, &planned.name);
        }
    }
    Value::Object(evals)
}

fn add_one(count: &mut Value) {
    *count = json!(count.as_u64().unwrap_or(0) + 1);
}

/// Appends `name` to the list `map[key]`; both are made where they are missing.
fn add_name(map: &mut Value, key: &str, name: &str) {
    match &mut map[key] {
        Value::Array(names) => names.push(json!(name)),
        missing => *missing = json!([name]),
    }
}
