//! The files of one trial: written in an order in which `result.json` comes last, and moved aside when a trial runs
//! again. Only names in [`OURS`] are ever touched; whatever else lies in the folder is somebody else's.

use super::file::{append, make_folder, remove_unfinished, sync_together, unfinished, write_unsynced};
use super::record::{JobRecord, TrialRecord, raw_answer};
use super::{Error, evidence, harbor_trial, said};
use crate::event::TrialEnd;
use crate::network::Attempt;
use crate::plan::PlannedTrial;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file that says that a trial has ended.
pub const RESULT: &str = "result.json";

/// Where the answer's bytes are kept, seen from the trial's folder.
pub const ANSWER: &str = "artifacts/app/answer.txt";

/// Where a file of the container is kept, seen from the trial's folder; `path` is absolute and has no `..`.
pub fn artifact_path(path: &str) -> PathBuf {
    Path::new("artifacts").join(path.trim_start_matches('/'))
}

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
    let manifest = pretty(&harbor_trial::manifest(raw.is_some(), &record.artifacts));
    let reward = record.reward.map(|reward| format!("{reward:?}\n"));
    let verdict = record.verdict.as_ref().map(|verdict| pretty(&json!(verdict)));
    let rewards = harbor_trial::rewards(record).filter(|rewards| rewards.len() > 1).map(|map| pretty(&json!(map)));
    let replies = end.judging.as_ref().map_or(&[][..], |judging| &judging.replies);
    said::keep(&trial_dir.join("verifier"), replies, end.script.as_ref())?;
    let exception = harbor_trial::exception(record)
        .map(|(name, _)| format!("{name}: {}\n", record.reason.as_deref().unwrap_or("no reason was given")));
    for artifact in &end.artifacts.files {
        let path = trial_dir.join(artifact_path(&artifact.path));
        make_folder(path.parent().unwrap_or(&trial_dir))?;
        write_unsynced(&path, &artifact.bytes)?;
    }
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
    // The unfinished result is among them.
    let not_ours = |name: &str| name == RETRIES || !(OURS.contains(&name) || name.starts_with('.'));
    let mut paths = everything(&trial_dir, not_ours)?;
    paths.push(dir.to_path_buf());
    sync_together(&paths)?;
    marker.persist(&path).map_err(|e| Error::Write { path: path.clone(), source: e.error })?;
    sync_together(&[trial_dir])
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

/// Writes the files that the agent left for whoever looks at its trial; the trial's end syncs them.
pub fn write_logs(trial_dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Error> {
    let folder = trial_dir.join("agent");
    make_folder(&folder)?;
    files.iter().try_for_each(|(name, bytes)| write_unsynced(&folder.join(name), bytes))
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

/// A folder with all files and folders below it, but for those right in it whose names are left out.
pub fn everything(folder: &Path, is_left_out: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Error> {
    let stays = |entry: &walkdir::DirEntry| entry.depth() != 1 || !is_left_out(&entry.file_name().to_string_lossy());
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().filter_entry(stays) {
        let entry = entry.map_err(|e| {
            let path = e.path().unwrap_or(folder).to_path_buf();
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
