//! A trial's files in Harbor 0.26's shapes: TrialConfig, TrialLock (schema 2), TrialResult and the artifact manifest.
//! Pure; it only translates what the record says. What Harbor has no word for is in the record beside it.
//!
//! Fields that Harbor fills with a default are left out, since its readers fill them in again.

use super::outcome::OutcomeKind;
use super::record::{ArtifactRecord, JobRecord, TrialRecord};
use super::time;
use crate::agent::Agent;
use crate::event::{Span, Stage};
use crate::model::Usage;
use crate::plan::PlannedTrial;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Keys of a job's config that a trial's config and lock repeat as they are.
const SHARED_KEYS: [&str; 8] = [
    "install_only",
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
    "artifacts",
    "override_error_policy",
];

/// The TrialConfig of a planned trial, taken from the job's config.
pub fn config(job: &JobRecord, job_config: &Value, planned: &PlannedTrial, job_dir: &Path) -> Value {
    let mut config = Map::new();
    let path = job.tasks.get(planned.task_index).map_or(planned.task.as_str(), |task| &task.path);
    config.insert("task".into(), json!({"path": path, "source": job.dataset}));
    config.insert("trial_name".into(), json!(planned.name));
    config.insert("trials_dir".into(), json!(job_dir.display().to_string()));
    copy_shared(&mut config, job_config, planned);
    config.insert("job_id".into(), json!(job.observed.id));
    Value::Object(config)
}

/// The TrialLock of a planned trial: what its config became, with the task's digest.
pub fn lock(job: &JobRecord, job_config: &Value, planned: &PlannedTrial) -> Value {
    let mut lock = Map::new();
    lock.insert("schema_version".into(), json!(2));
    let mut task = json!({"name": planned.task, "type": "local"});
    if let Some(record) = job.tasks.get(planned.task_index) {
        task["digest"] = json!(record.digest);
        task["source"] = json!(job.dataset);
        task["path"] = json!(record.path);
    }
    lock.insert("task".into(), task);
    copy_shared(&mut lock, job_config, planned);
    without_nulls(&mut lock);
    Value::Object(lock)
}

fn copy_shared(into: &mut Map<String, Value>, job_config: &Value, planned: &PlannedTrial) {
    for key in SHARED_KEYS {
        if let Some(value) = job_config.get(key) {
            into.insert(key.into(), value.clone());
        }
    }
    let agent = job_config.get("agents").and_then(|agents| agents.get(planned.agent_index)).cloned();
    let named = || json!({"name": planned.agent.name, "model_name": planned.agent.model});
    into.insert("agent".into(), agent.unwrap_or_else(named));
    for key in ["environment", "verifier"] {
        into.insert(key.into(), job_config.get(key).cloned().unwrap_or_else(|| json!({})));
    }
}

/// Drops keys without a value, at every depth: a lock holds only what is set.
fn without_nulls(map: &mut Map<String, Value>) {
    map.retain(|_, value| !value.is_null());
    for value in map.values_mut() {
        if let Value::Object(inner) = value {
            without_nulls(inner);
        }
    }
}

/// The TrialResult of a trial that has ended, with our record and its seal under `seatrial` and `seatrial_seal`.
pub fn result(record: &TrialRecord, config: Value, trial_dir: &Path, dataset: &str, id: &str) -> Value {
    let planned = &record.trial;
    let model = planned.agent.model.as_deref().map(|model| {
        let (provider, name) = provider_and_name(model);
        json!({"name": name, "provider": provider})
    });
    let timing = &record.timing;
    let mut result = json!({
        "schema_version": 1,
        "id": id,
        "task_name": planned.task,
        "trial_name": planned.name,
        "trial_uri": file_uri(trial_dir),
        "task_id": {"path": config["task"]["path"].clone()},
        "source": dataset,
        "task_checksum": record.task_digest.trim_start_matches("sha256:"),
        "config": config,
        "agent_info": {
            "name": planned.agent.name,
            "version": Agent::version_of(&planned.agent.name),
            "model_info": model,
        },
        "agent_result": record.agent_run.as_ref().map(|_| agent_result(record)),
        "verifier_result": rewards(record).map(|rewards| json!({"rewards": rewards})),
        "exception_info": exception(record).map(|(name, policy)| json!({
            "exception_type": name,
            "exception_message": record.reason,
            "exception_traceback": "",
            "occurred_at": time::utc(timing.trial.finished_at),
            "policy": policy,
        })),
        "started_at": time::utc(timing.trial.started_at),
        "finished_at": time::utc(timing.trial.finished_at),
        "environment_setup": timing.sandbox.map(span),
        "agent_setup": null,
        "agent_execution": timing.agent.map(span),
        "verifier": timing.judge.map(span),
        "step_results": null,
        "reward_valid": record.reward.is_some(),
        "seatrial": record,
        "seatrial_seal": record.seal(),
    });
    if let Some(environment) = record.verifier_environment {
        result["verifier_environment_mode"] = json!(environment.word());
    }
    result
}

/// What a model used, asked by us or lent, as Harbor's AgentContext; what is unknown is null.
fn agent_result(record: &TrialRecord) -> Value {
    let asked = record.agent_run.as_ref().and_then(|run| run.model.as_ref());
    let (usage, cost) = match (asked, &record.model) {
        (Some(asked), _) => (asked.usage.as_ref().filter(|_| asked.cut_streams == 0), asked.whole_cost()),
        (None, Some(lent)) => (Some(&lent.usage).filter(|_| lent.unmetered == 0), lent.cost_usd),
        (None, None) => return json!({}),
    };
    json!({
        "n_input_tokens": usage.map(Usage::prompt),
        "n_cache_tokens": usage.map(|usage| usage.cache_read),
        "n_output_tokens": usage.map(|usage| usage.output),
        "cost_usd": cost,
    })
}

/// The reward, and what the judge measured beside it.
pub fn rewards(record: &TrialRecord) -> Option<Map<String, Value>> {
    let mut rewards = Map::from_iter([("reward".to_owned(), json!(record.reward?))]);
    let numbers = record.verdict.iter().flat_map(|verdict| &verdict.numbers);
    rewards.extend(numbers.map(|(name, number)| (name.clone(), json!(number))));
    Some(rewards)
}

/// A model in the two parts that Harbor keeps and counts it by: `maker/model` is model `model` of provider `maker`.
pub fn provider_and_name(model: &str) -> (Option<&str>, &str) {
    model.split_once('/').map_or((None, model), |(provider, name)| (Some(provider), name))
}

/// Harbor's name for what ended a trial, and what Harbor's policy for that name is; `None` where nothing went wrong.
///
/// The names were picked by their policy: only a fault may be retried, and only what is the agent's own doing has a
/// reward that counts. A memory limit is the agent's doing, so it can't be Harbor's MemoryLimitExceededError, whose
/// reward never counts. A fault's name must not hold the word timeout: Harbor's charts color those as the agent's.
pub fn exception(record: &TrialRecord) -> Option<(&'static str, Value)> {
    match record.outcome {
        OutcomeKind::Scored | OutcomeKind::NoAnswer => None,
        OutcomeKind::AgentTimeout => Some(("AgentTimeoutError", policy(false, true, true))),
        OutcomeKind::AgentError | OutcomeKind::Limit => Some(("NonZeroAgentExitCodeError", policy(false, true, true))),
        OutcomeKind::Ungraded => Some(("VerifierOutputParseError", policy(false, true, false))),
        OutcomeKind::Fault => {
            let in_image = record.fault.as_ref().is_some_and(|fault| fault.stage == Stage::Image);
            let name = if in_image { "SandboxBuildFailedError" } else { "RuntimeRequestError" };
            Some((name, policy(true, false, false)))
        }
        OutcomeKind::Cancelled => Some(("CancelledError", policy(false, false, false))),
    }
}

fn policy(retry: bool, grade: bool, valid: bool) -> Value {
    json!({"should_retry": retry, "should_grade": grade, "has_valid_reward": valid})
}

/// The manifest of a trial's artifacts: its answer, or that there was none, and what it left beside that.
pub fn manifest(answer_kept: bool, others: &[ArtifactRecord]) -> Value {
    let entry = |path: &str, kept: bool| {
        let status = if kept { "ok" } else { "failed" };
        json!({"source": path, "destination": format!("artifacts{path}"), "type": "file", "status": status})
    };
    let others = others.iter().map(|artifact| entry(&artifact.path, true));
    std::iter::once(entry(crate::answer::PATH, answer_kept)).chain(others).collect()
}

fn span(span: Span) -> Value {
    json!({"started_at": time::utc(span.started_at), "finished_at": time::utc(span.finished_at)})
}

fn file_uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(*byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
