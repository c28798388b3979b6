//! What decides how an agent and a judge behave, as digests: results of one digest may be added up, those of two may
//! not. Taken from the settings that the job keeps; names of machines, folders and jobs don't count.

use super::Error;
use super::read::Job;
use super::record::hex;
use serde_json::{Map, Value, json};
use std::fs;

/// Settings of the whole job that change what an agent can do.
const SHARED: [&str; 3] = ["timeout_multiplier", "agent_timeout_multiplier", "agent_setup_timeout_multiplier"];
/// The environment's settings that don't.
const IDLE: [&str; 4] = ["type", "import_path", "force_build", "delete"];
/// Our own settings that do.
const OWN: [&str; 7] = ["network", "hosts", "ports", "base_image", "cpus", "memory_mb", "pids_limit"];

/// The digests of a job's agents and of its judge, each `sha256:…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmDigests {
    /// In the order of the job's agents.
    pub agents: Vec<String>,
    /// The judge, with the version of seatrial: the rules are a part of it.
    pub judge: String,
}

/// Takes the digests of a job's agents and of its judge.
///
/// # Errors
/// [`Error::Read`] and [`Error::Record`] about its `config.json`.
pub fn arm_digests(job: &Job) -> Result<ArmDigests, Error> {
    let path = job.dir.join("config.json");
    let text = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let config: Value = serde_json::from_slice(&text).map_err(|e| Error::Record { path, why: e.to_string() })?;
    let part = |keys: &[&str], of: &Value| -> Map<String, Value> {
        keys.iter().filter_map(|key| Some((key.to_string(), of.get(*key)?.clone()))).collect()
    };
    let mut environment = config["environment"].as_object().cloned().unwrap_or_default();
    environment.retain(|key, _| !IDLE.contains(&key.as_str()));
    let shared = json!([part(&SHARED, &config), environment, part(&OWN, &config["seatrial"])]);
    let agents = job.record.trials.iter().map(|trial| trial.agent_index + 1).max().unwrap_or(0);
    let digest = |value: &Value| format!("sha256:{}", hex(set(value).to_string().as_bytes()));
    let record = &job.record;
    Ok(ArmDigests {
        agents: (0..agents).map(|index| digest(&json!([config["agents"][index], shared]))).collect(),
        judge: digest(&json!([record.judge, record.seatrial, config["verifier"]])),
    })
}

/// Only what is set, so that a setting that a later version adds changes nothing where it isn't used.
fn set(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut parts: Vec<(String, Value)> = map.iter().map(|(key, value)| (key.clone(), set(value))).collect();
            parts.retain(|(_, value)| !matches!(value, Value::Null) && *value != json!({}) && *value != json!([]));
            parts.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(parts.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(set).collect(),
        other => other.clone(),
    }
}
