//! Reads a job back. A trial whose record can't be trusted is [`Damaged`], with the reason: never an error that hides
//! the others, never a number. Reads only.

use super::Error;
use super::record::{FORMAT, JobRecord, TaskRecord, TrialRecord, hex};
use super::resume::Kept;
use super::store::RECORD;
use super::trial_files::{ANSWER, RESULT, artifact_path};
use crate::answer::{self, Answer};
use crate::artifact::{Artifact, Artifacts};
use crate::plan::PlannedTrial;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A job as it is on disk.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its directory.
    pub dir: PathBuf,
    /// What it is.
    pub record: JobRecord,
    /// The trials that have ended, in the order of the plan.
    pub trials: Vec<TrialRecord>,
    /// The names of trials that have not ended, in the order of the plan.
    pub missing: Vec<String>,
    /// Trials whose result can't be trusted, in the order of the plan.
    pub damaged: Vec<Damaged>,
    /// Which part of the job this is, in words, where [`Job::keep`] has left something out.
    pub part: Option<String>,
    /// The digest of the judge whose verdicts stand here instead of the job's own, where [`super::judged_by`] put them.
    pub other_judge: Option<String>,
}

/// A trial whose result can't be trusted, so that it counts as missing and runs again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The trial's name.
    pub name: String,
    /// What is wrong with its result.
    pub why: String,
}

impl Job {
    /// What all starts of all trials have cost, as far as it is known, in US dollars; `None` where that is nothing, as
    /// where models were played back.
    pub fn spent_usd(&self) -> Option<f64> {
        let spent: f64 = self.trials.iter().filter_map(|trial| trial.spent_usd).sum();
        Some(spent).filter(|spent| *spent > 0.0 && !self.record.observed.played_back)
    }

    /// Whether [`Job::spent_usd`] is all: of each trial that has begun it is known what each of its starts has cost.
    pub fn spent_is_all(&self) -> bool {
        let ended = self.by_name();
        let unread = |trial: &PlannedTrial| !ended.contains_key(&*trial.name) && self.dir.join(&trial.name).is_dir();
        self.trials.iter().all(TrialRecord::spent_is_all)
            && !self.record.trials.iter().any(|trial| trial.agent.model.is_some() && unread(trial))
    }

    /// What tasks' own scripts were run with, where their verdicts stand here.
    pub fn scripts(&self) -> Option<&Value> {
        self.record.verifier.as_ref().filter(|_| self.other_judge.is_none())
    }

    /// The digest of the judge whose verdicts these are, but for single trials that say otherwise.
    pub fn judge_digest(&self) -> String {
        self.other_judge.clone().unwrap_or_else(|| self.record.judge_digest())
    }

    /// The trials that have ended, by name.
    pub fn by_name(&self) -> HashMap<&str, &TrialRecord> {
        self.trials.iter().map(|record| (record.trial.name.as_str(), record)).collect()
    }

    /// Leaves only these tasks, with their trials; `part` says in words which they are. Nothing is said of the others
    /// then, so whoever shows the job shows `part` too.
    pub fn keep(&mut self, part: &str, keep: impl Fn(&TaskRecord) -> bool) {
        let kept: Vec<bool> = self.record.tasks.iter().map(keep).collect();
        if kept.iter().all(|kept| *kept) {
            return;
        }
        let place =
            |index: usize| (kept.get(index) == Some(&true)).then(|| kept[..index].iter().filter(|kept| **kept).count());
        let stays = |planned: &mut PlannedTrial| match place(planned.task_index) {
            Some(index) => {
                planned.task_index = index;
                true
            }
            None => false,
        };
        self.record.trials.retain_mut(stays);
        self.trials.retain_mut(|record| stays(&mut record.trial));
        let names: HashSet<&str> = self.record.trials.iter().map(|trial| trial.name.as_str()).collect();
        self.missing.retain(|name| names.contains(name.as_str()));
        self.damaged.retain(|damaged| names.contains(damaged.name.as_str()));
        let of = self.record.tasks.len();
        let mut place = kept.iter();
        self.record.tasks.retain(|_| place.next() == Some(&true));
        let before = self.part.take().map(|before| format!("{before}; ")).unwrap_or_default();
        self.part = Some(format!("{before}{part}: {} of {of} tasks", self.record.tasks.len()));
    }
}

/// Reads the job in `dir`. It may be running: what has not ended is missing then.
///
/// # Errors
/// [`Error::NotAJob`] where there is no job's record, [`Error::Record`] where it can't be understood, [`Error::Newer`]
/// where a newer seatrial wrote it, [`Error::Read`] for what the disk says.
pub fn read_job(dir: &Path) -> Result<Job, Error> {
    let record = read_record(dir)?;
    let (part, other_judge) = (None, None);
    let mut job =
        Job { dir: dir.to_path_buf(), record, trials: vec![], missing: vec![], damaged: vec![], part, other_judge };
    for planned in &job.record.trials {
        match read_trial(dir, &job.record, planned) {
            Ok(Some(record)) => job.trials.push(record),
            Ok(None) => job.missing.push(planned.name.clone()),
            Err(why) => job.damaged.push(Damaged { name: planned.name.clone(), why }),
        }
    }
    Ok(job)
}

/// The answer that a trial left, decoded again from the bytes that were kept. `None` where it was never looked at.
///
/// # Errors
/// [`Error::Read`] where the bytes are gone, [`Error::Answer`] where they are not those of the record.
pub fn read_answer(job_dir: &Path, record: &TrialRecord) -> Result<Option<Answer>, Error> {
    let Some(kept) = &record.answer else { return Ok(None) };
    let mut raw = None;
    if let Some(sha256) = &kept.sha256 {
        let path = job_dir.join(&record.trial.name).join(ANSWER);
        let bytes = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        if hex(&bytes) != *sha256 {
            return Err(Error::Answer { path });
        }
        raw = Some(bytes);
    }
    Ok(Some(match (kept.no_answer, raw) {
        (Some(reason), raw) => Answer::None { reason, raw },
        (None, Some(raw)) => answer::decode(raw),
        (None, None) => Answer::None { reason: answer::NoAnswer::Unreadable, raw: None },
    }))
}

/// All that a trial left, as [`read_answer`]; errors as there.
pub fn read_kept(job_dir: &Path, record: &TrialRecord) -> Result<Option<Kept>, Error> {
    let Some(answer) = read_answer(job_dir, record)? else { return Ok(None) };
    let trial_dir = job_dir.join(&record.trial.name);
    let mut artifacts = Artifacts { files: Vec::new(), over: record.artifacts_over.clone() };
    for kept in &record.artifacts {
        let path = trial_dir.join(artifact_path(&kept.path));
        let bytes = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        if hex(&bytes) != kept.sha256 {
            return Err(Error::Answer { path });
        }
        artifacts.files.push(Artifact { path: kept.path.clone(), bytes });
    }
    Ok(Some(Kept { answer, artifacts }))
}

/// Reads the job's own record, and nothing of its trials; errors as [`read_job`].
pub fn read_record(dir: &Path) -> Result<JobRecord, Error> {
    let path = dir.join(RECORD);
    let bytes = fs::read(&path).map_err(|source| {
        let why = match source.kind() {
            _ if !dir.exists() => "there is no such directory".to_string(),
            _ if !dir.is_dir() => "it is not a directory".to_string(),
            ErrorKind::NotFound => format!("it holds no `{RECORD}`{}", jobs_below(dir)),
            _ => return Error::Read { path: path.clone(), source },
        };
        Error::NotAJob { dir: dir.to_path_buf(), why }
    })?;
    let wrong = |why: String| Error::Record { path: path.clone(), why };
    let value: Value = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
    match value.get("format").and_then(Value::as_u64) {
        None => return Err(wrong("it has no `format` number".into())),
        Some(found) if found > FORMAT.into() => return Err(Error::Newer { path, found }),
        Some(_) => {}
    }
    let record: JobRecord = serde_json::from_value(value).map_err(|e| wrong(e.to_string()))?;
    let outside = |name: &str| name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\']);
    match record.trials.iter().find(|trial| outside(&trial.name)) {
        Some(trial) => Err(wrong(format!("`{}` can't be a trial's folder", trial.name))),
        None => Ok(record),
    }
}

/// The jobs right below a directory, in words, for those who named the folder of all jobs.
fn jobs_below(dir: &Path) -> String {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut jobs: Vec<String> =
        entries.filter(|path| path.join(RECORD).is_file()).map(|path| format!("`{}`", path.display())).collect();
    jobs.sort_unstable();
    match jobs.len() {
        0 => String::new(),
        1..=5 => format!("; the jobs in it are {}", jobs.join(", ")),
        more => format!("; there are {more} jobs in it, such as {}", jobs[more - 1]),
    }
}

/// `Ok(None)` for a trial that has not ended; `Err` says why a result can't be trusted.
fn read_trial(dir: &Path, job: &JobRecord, planned: &PlannedTrial) -> Result<Option<TrialRecord>, String> {
    let bytes = match fs::read(dir.join(&planned.name).join(RESULT)) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("`{RESULT}` can't be read: {e}")),
    };
    if bytes.is_empty() {
        return Err(format!("`{RESULT}` is empty"));
    }
    let mut value: Value = serde_json::from_slice(&bytes).map_err(|e| format!("`{RESULT}` is not whole: {e}"))?;
    let seal = value["seatrial_seal"].take();
    let stored = value["seatrial"].take();
    match stored.get("format").and_then(Value::as_u64) {
        None => return Err(format!("`{RESULT}` was not written by seatrial")),
        Some(format) if format > FORMAT.into() => {
            return Err(format!("`{RESULT}` has format {format}, newer than this seatrial's {FORMAT}"));
        }
        Some(_) => {}
    }
    let record: TrialRecord =
        serde_json::from_value(stored).map_err(|e| format!("`{RESULT}` can't be understood: {e}"))?;
    if seal.as_str() != Some(&record.seal()) {
        return Err(format!("`{RESULT}` was changed after it was written"));
    }
    if record.trial != *planned {
        let (task, attempt) = (&record.trial.task, record.trial.attempt);
        return Err(format!("`{RESULT}` is of another trial: `{task}`, attempt {attempt}"));
    }
    let task = job.tasks.get(planned.task_index);
    if task.is_some_and(|task| task.content_digest != record.task_content_digest) {
        return Err(format!("`{RESULT}` is of another version of task `{}`", planned.task));
    }
    Ok(Some(record))
}
