//! The files of one trial: written in an order in which `result.json` comes last, and moved aside when a trial runs
//! again. Only names in [`OURS`] are ever touched; whatever else lies in the folder is somebody else's.

use super::file::{append, make_folder, remove_unfinished, sync_together, unfinished, write_unsynced};
use super::record::{JobRecord, TrialRecord, raw_answer};
use super::{Error, evidence, harbor_trial};
use crate::event::TrialEnd;
use crate::network::Attempt;
use crate::plan::PlannedTrial;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The file that says that a trial has ended.
pub const RESULT: &str = "result.json";

/// Where the answer's bytes are kept, seen from the trial's folder.
pub const ANSWER: &str = "artifacts/app/answer.txt";

/// What the agent tried to reach.
pub const NETWORK: &str = "network.jsonl";

/// Everything that this room puts into a trial's folder. `result.json` is moved first, so that no crash leaves a
/// result whose files are gone.
const OURS: [&str; 10] = [
    RESULT,
    "config.json",
    "lock.json",
    "trial.log",
    "exception.txt",
    NETWORK,
    "agent",
    "artifacts",
    "verifier",
    "retries",
];

/// Where earlier tries are kept.
const RETRIES: &str = "retries";

/// Makes a trial's folder with its config and lock; the end syncs them.
pub fn begin(dir: &Path, job: &JobRecord, config: &Value, planned: &PlannedTrial) -> Result<(), Error> {
    let trial_dir = dir.join(&planned.name);
    make_folder(&trial_dir.join("agent"))?;
    let trial_config = harbor_trial::config(job, config, planned, dir);
    write_unsynced(&trial_dir.join("config.json"), &pretty(&trial_config))?;
    write_unsynced(&trial_dir.join("lock.json"), &pretty(&harbor_trial::lock(job, config, planned)))
}

/// The file that takes what the agent writes: `agent/<agent>.txt`.
pub fn agent_log(trial_dir: &Path, agent: &str) -> Result<File, Error> {
    make_folder(&trial_dir.join("agent"))?;
    append(&agent_log_path(trial_dir, agent))
}

/// Where [`agent_log`] writes.
pub fn agent_log_path(trial_dir: &Path, agent: &str) -> PathBuf {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = agent.chars().map(safe).collect();
    trial_dir.join("agent").join(format!("{}.txt", name.trim_start_matches('.')))
}

/// Puts the whole end of a trial on disk, synced, with `result.json` as its last step.
/// `record` is what is kept of `end`.
pub fn end(dir: &Path, job: &JobRecord, config: &Value, end: &TrialEnd, record: &TrialRecord) -> Result<(), Error> {
    let trial_dir = dir.join(&end.planned.name);
    if !trial_dir.join("config.json").exists() {
        begin(dir, job, config, &end.planned)?;
    }
    for folder in ["artifacts/app", "verifier"] {
        make_folder(&trial_dir.join(folder))?;
        remove_unfinished(&trial_dir.join(folder))?;
    }
    let raw = end.answer.as_ref().and_then(raw_answer);
    let manifest = pretty(&harbor_trial::manifest(raw.is_some()));
    let reward = record.reward.map(|reward| format!("{reward:?}\n"));
    let verdict = record.verdict.as_ref().map(|verdict| pretty(&json!(verdict)));
    let rewards = harbor_trial::rewards(record).filter(|rewards| rewards.len() > 1).map(|map| pretty(&json!(map)));
    let replies = end.judging.iter().flat_map(|judging| &judging.replies);
    add_lines(&trial_dir.join("verifier/replies.jsonl"), replies.map(|reply| json!(reply)))?;
    let exception = harbor_trial::exception(record)
        .map(|(name, _)| format!("{name}: {}\n", record.reason.as_deref().unwrap_or("no reason was given")));
    let said = end.agent.as_ref().and_then(|run| run.conversation.as_ref());
    let (trajectory, messages) = (said.map(|said| pretty(&said.trajectory)), said.map(|said| pretty(&said.messages)));
    if said.is_some() {
        make_folder(&trial_dir.join("agent"))?;
    }
    let bytes: [(&str, Option<&[u8]>); 8] = [
        ("agent/trajectory.json", trajectory.as_deref()),
        ("agent/messages.json", messages.as_deref()),
        (ANSWER, raw),
        ("artifacts/manifest.json", Some(&manifest)),
        ("verifier/reward.txt", reward.as_ref().map(String::as_bytes)),
        // Harbor prefers this one, where there is more than the reward.
        ("verifier/reward.json", rewards.as_deref()),
        ("verifier/verdict.json", verdict.as_deref()),
        ("exception.txt", exception.as_ref().map(String::as_bytes)),
    ];
    for (name, bytes) in bytes {
        match bytes {
            Some(bytes) => write_unsynced(&trial_dir.join(name), bytes)?,
            None => remove_file(&trial_dir.join(name))?,
        }
    }

    let trial_config = harbor_trial::config(job, config, &end.planned, dir);
    let id = trial_id(&job.observed.id, &end.planned.name);
    let result = harbor_trial::result(record, trial_config, &trial_dir, &job.dataset, &id);
    let path = trial_dir.join(RESULT);
    let marker = unfinished(&path, &pretty(&result))?;
    let mut paths = everything(&trial_dir)?;
    paths.push(dir.to_path_buf());
    sync_together(&paths)?;
    marker.persist(&path).map_err(|e| Error::Write { path: path.clone(), source: e.error })?;
    sync_together(&[trial_dir])
}

/// Appends values to a file, one a line; the trial's end syncs it. What earlier judgments of the same answer said stays.
fn add_lines(path: &Path, values: impl Iterator<Item = Value>) -> Result<(), Error> {
    let lines: String = values.map(|value| format!("{value}\n")).collect();
    if lines.is_empty() {
        return Ok(());
    }
    append(path)?.write_all(lines.as_bytes()).map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// Moves what a try has left into `retries/<n>/`, so that its evidence is kept while the trial runs again. Says
/// whether there was anything to move.
pub fn set_aside(trial_dir: &Path) -> Result<bool, Error> {
    remove_unfinished(trial_dir)?;
    let tries = trial_dir.join(RETRIES);
    let left: Vec<&str> = OURS.into_iter().filter(|name| *name != RETRIES && exists(&trial_dir.join(name))).collect();
    if left.is_empty() {
        return Ok(false);
    }
    let free = (1..).find(|n| !exists(&tries.join(n.to_string()))).expect("some number is free");
    let target = tries.join(free.to_string());
    make_folder(&target)?;
    for name in left {
        let path = trial_dir.join(name);
        fs::rename(&path, target.join(name)).map_err(|source| Error::Write { path, source })?;
    }
    Ok(true)
}

/// Writes what the agent tried to reach; the trial's end syncs it.
pub fn write_evidence(trial_dir: &Path, attempts: &[Attempt], unrecorded: u64) -> Result<(), Error> {
    make_folder(trial_dir)?;
    write_unsynced(&trial_dir.join(NETWORK), &evidence::lines(attempts, unrecorded))
}

/// Writes why a try failed, where [`set_aside`] will find it.
pub fn write_exception(trial_dir: &Path, text: &str) -> Result<(), Error> {
    make_folder(trial_dir)?;
    write_unsynced(&trial_dir.join("exception.txt"), text.as_bytes())
}

/// JSON as Harbor lays it out, but for the width of its indents.
pub fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("a JSON value has only string keys");
    bytes.push(b'\n');
    bytes
}

/// The trial's id: the same for the same job and trial, so that judging again does not make another trial of it.
fn trial_id(job_id: &str, trial: &str) -> String {
    let digest = Sha256::digest(format!("{job_id}\0{trial}"));
    let bytes = std::array::from_fn(|i| digest[i]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

/// All files and folders of ours in a trial's folder, the unfinished result among them, earlier tries left out.
fn everything(trial_dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let ours = |entry: &walkdir::DirEntry| match entry.depth() {
        0 => true,
        1 => {
            let name = entry.file_name().to_string_lossy();
            name != RETRIES && (OURS.contains(&&*name) || name.starts_with('.'))
        }
        _ => true,
    };
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(trial_dir).into_iter().filter_entry(ours) {
        let entry = entry.map_err(|e| {
            let path = e.path().unwrap_or(trial_dir).to_path_buf();
            Error::Read { path, source: e.into() }
        })?;
        if entry.file_type().is_file() || entry.file_type().is_dir() {
            paths.push(entry.into_path());
        }
    }
    Ok(paths)
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Write { path: path.to_path_buf(), source }),
        _ => Ok(()),
    }
}
