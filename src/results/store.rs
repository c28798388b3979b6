//! The first reader of a job's event stream: keeps the job's directory. Synchronous on purpose: when
//! [`Store::handle`] has returned, a finished trial is on disk and synced, so a runner that is killed loses nothing.

use super::file::{append, is_unfinished, make_folder, remove_unfinished, write_whole};
use super::harbor_job::{self, Tally};
use super::lock::{self, Held};
use super::read::{Job, read_job, read_record};
use super::record::{ImageRecord, JobRecord, TrialRecord};
use super::trial_files::{self, pretty};
use super::{Error, time};
use crate::event::{Event, Fault, TrialEnd};
use crate::plan::Round;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The job's own record, beside Harbor's files.
pub const RECORD: &str = "seatrial.json";

/// How often the job's `result.json` is written while trials end; it is a summary, the trials' files are the truth.
const RESULT_EVERY: Duration = Duration::from_secs(1);

/// A job's directory, held by this runner.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    record: JobRecord,
    config: Value,
    log: File,
    running: BTreeMap<usize, Running>,
    ends: Vec<Option<Tally>>,
    interrupted: bool,
    result_written: Option<Instant>,
    _lock: Held,
}

/// The open logs of a trial that runs.
#[derive(Debug)]
struct Running {
    log: File,
    agent_log: Option<File>,
}

impl Store {
    /// Makes a new job's directory. `config` is Harbor's JobConfig as the caller wants it kept: whatever is secret in
    /// it must be gone already.
    ///
    /// # Errors
    /// [`Error::Exists`] where `dir` is there already, unless a runner that died had only begun to make it;
    /// [`Error::Locked`] where another runner is making it; else what the disk says.
    pub fn create(dir: &Path, record: JobRecord, config: Value) -> Result<Store, Error> {
        if let Some(parent) = dir.parent() {
            make_folder(parent)?;
        }
        match fs::create_dir(dir) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists && only_begun(dir) => {}
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(Error::Exists { dir: dir.to_path_buf() }),
            made => made.map_err(|source| Error::Write { path: dir.to_path_buf(), source })?,
        }
        let held = lock::take(dir)?;
        if dir.join(RECORD).exists() {
            return Err(Error::Exists { dir: dir.to_path_buf() }); // made by another runner meanwhile
        }
        remove_unfinished(dir)?;
        write_whole(&dir.join("config.json"), &pretty(&config))?;
        write_whole(&dir.join("lock.json"), &pretty(&harbor_job::lock(&record, &config)))?;
        let ends = vec![None; record.trials.len()];
        let store = Store::new(dir, record, config, ends, held)?;
        store.write_record()?; // last: a directory with a record is a job that can be resumed
        store.log("job created")?;
        Ok(store)
    }

    /// Takes up a job again, and says what is on disk of it.
    ///
    /// # Errors
    /// [`Error::NotAJob`], [`Error::Record`] or [`Error::Newer`] where there is no job that can be resumed;
    /// [`Error::Locked`] where another runner has it.
    pub fn open(dir: &Path) -> Result<(Store, Job), Error> {
        read_record(dir)?; // before anything is written: a directory that is no job stays as it is
        let held = lock::take(dir)?;
        remove_unfinished(dir)?;
        let job = read_job(dir)?;
        let path = dir.join("config.json");
        let text = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        let config = serde_json::from_slice(&text).map_err(|e| Error::Record { path, why: e.to_string() })?;
        let ended = job.by_name();
        let ends =
            job.record.trials.iter().map(|planned| ended.get(&*planned.name).map(|end| Tally::new(end))).collect();
        let store = Store::new(dir, job.record.clone(), config, ends, held)?;
        store.log("job taken up again")?;
        for damaged in &job.damaged {
            store.log(&format!("{} is damaged and runs again: {}", damaged.name, damaged.why))?;
        }
        Ok((store, job))
    }

    fn new(dir: &Path, record: JobRecord, config: Value, ends: Vec<Option<Tally>>, held: Held) -> Result<Store, Error> {
        Ok(Store {
            dir: dir.to_path_buf(),
            record,
            config,
            log: append(&dir.join("job.log"))?,
            running: BTreeMap::new(),
            ends,
            interrupted: false,
            result_written: None,
            _lock: held,
        })
    }

    /// The job's directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The job's own record.
    pub fn record(&self) -> &JobRecord {
        &self.record
    }

    /// The job's config, as it was given to [`Store::create`].
    pub fn config(&self) -> &Value {
        &self.config
    }

    /// Which settings in the job's `config.json` are no longer those that it began with, a line each.
    pub fn changed_settings(&self) -> Vec<String> {
        let lock = fs::read(self.dir.join("lock.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        // Without the lock there is nothing to compare with.
        let Some(began): Option<Value> = lock else { return Vec::new() };
        harbor_job::changed_settings(&self.record, &began, &harbor_job::lock(&self.record, &self.config))
    }

    /// Keeps one event. What a `TrialFinished` says is on disk, whole and synced, when this returns.
    ///
    /// # Errors
    /// What the disk says; the job can't go on then.
    pub fn handle(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::JobStarted { plan, done } => {
                self.log(&format!("job started: {} trials, {} of them done before", plan.trials.len(), done.len()))?;
                self.write_result(None)
            }
            Event::Notice { text } => self.log(text),
            Event::ImageStarted { task } => self.log(&format!("image of {task}: being made")),
            Event::ImageOutput { .. } => Ok(()),
            Event::ImageReady { image, id, base, built, seconds, .. } => {
                let how = if *built { "built" } else { "found" };
                self.log(&format!("image {image}: {how} as {id} in {seconds:.1} s"))?;
                self.keep_image(image, id, base.as_ref())
            }
            Event::TrialStarted { trial, retry } => self.start(*trial, *retry),
            Event::TrialStage { trial, stage } => self.trial_log(*trial, &format!("stage {}", stage.word())),
            Event::AgentOutput { trial, text } => self.agent_output(*trial, text),
            Event::AgentLogs { trial, files } => {
                trial_files::write_logs(&self.dir.join(&self.record.trials[*trial].name), files)
            }
            Event::Network { trial, attempts, unrecorded } => {
                let trial_dir = self.dir.join(&self.record.trials[*trial].name);
                trial_files::write_evidence(&trial_dir, attempts, *unrecorded)
            }
            Event::TrialRetry { trial, fault, wait } => self.retry(*trial, fault, *wait),
            Event::TrialFinished { trial, end } => self.finish(*trial, end),
            Event::Round(round) => self.grow(round),
            Event::Interrupted => {
                self.interrupted = true;
                self.log("interrupted: nothing new starts")
            }
            Event::JobFinished => {
                let finished = !self.interrupted && self.ends.iter().all(Option::is_some);
                self.log("job over")?;
                self.log.sync_all().map_err(|source| self.wrap("job.log", source))?;
                self.write_result(finished.then(time::now))
            }
        }
    }

    /// Keeps a calibrating job's further trials, the job's own record last: until that is written, a resumed job decides
    /// again, and by the same ends as now.
    fn grow(&mut self, round: &Round) -> Result<(), Error> {
        let (decided, of, more) = (round.decided, round.of, round.trials.len());
        self.log(&format!("round decided: {decided} of {of} tasks have their tier, {more} further trials"))?;
        if round.trials.is_empty() {
            return Ok(());
        }
        self.record.trials.extend(round.trials.iter().cloned());
        self.ends.resize_with(self.record.trials.len(), || None);
        write_whole(&self.dir.join("lock.json"), &pretty(&harbor_job::lock(&self.record, &self.config)))?;
        self.write_record()?;
        self.write_result(None)
    }

    fn start(&mut self, trial: usize, retry: u32) -> Result<(), Error> {
        let planned = self.record.trials[trial].clone();
        let trial_dir = self.dir.join(&planned.name);
        if trial_files::set_aside(&trial_dir)? {
            self.log(&format!("{}: what an earlier try left is under `retries`", planned.name))?;
        }
        trial_files::begin(&self.dir, &self.record, &self.config, &planned)?;
        self.ends[trial] = None;
        self.running.insert(trial, Running { log: append(&trial_dir.join("trial.log"))?, agent_log: None });
        self.trial_log(trial, &format!("started, after {retry} retries"))
    }

    fn agent_output(&mut self, trial: usize, text: &str) -> Result<(), Error> {
        let planned = &self.record.trials[trial];
        let trial_dir = self.dir.join(&planned.name);
        let Some(running) = self.running.get_mut(&trial) else { return Ok(()) };
        let log = match &mut running.agent_log {
            Some(log) => log,
            none => none.insert(trial_files::agent_log(&trial_dir, &planned.agent.name)?),
        };
        log.write_all(text.as_bytes()).map_err(|source| Error::Write { path: trial_dir.join("agent"), source })
    }

    fn retry(&mut self, trial: usize, fault: &Fault, wait: f64) -> Result<(), Error> {
        let name = self.record.trials[trial].name.clone();
        let why = format!("fault in {}: {}", fault.stage.word(), one_line(&fault.message));
        self.trial_log(trial, &why)?;
        self.running.remove(&trial);
        let trial_dir = self.dir.join(&name);
        trial_files::write_exception(&trial_dir, &format!("{why}\n"))?;
        trial_files::set_aside(&trial_dir)?;
        self.log(&format!("{name}: {why}; starts again in {wait:.1} s"))
    }

    fn finish(&mut self, trial: usize, end: &TrialEnd) -> Result<(), Error> {
        let record = TrialRecord::new(&self.record, end);
        let ended = how_it_ended(&record);
        self.trial_log(trial, &format!("ended: {ended}"))?;
        self.running.remove(&trial);
        trial_files::end(&self.dir, &self.record, &self.config, end, &record)?;
        self.ends[trial] = Some(Tally::new(&record));
        self.log(&format!("{} {ended}", end.planned.name))?;
        self.write_result_now_and_then()
    }

    fn keep_image(&mut self, tag: &str, id: &str, base: Option<&(String, String)>) -> Result<(), Error> {
        let record = |tag: &str, id: &str| ImageRecord { tag: tag.to_string(), id: id.to_string() };
        let observed = &mut self.record.observed;
        let base = base.map(|(tag, id)| record(tag, id)).filter(|base| !observed.base_images.contains(base));
        let image = Some(record(tag, id)).filter(|image| !observed.images.contains(image));
        if base.is_none() && image.is_none() {
            return Ok(());
        }
        observed.base_images.extend(base);
        observed.images.extend(image);
        self.write_record()
    }

    fn write_record(&self) -> Result<(), Error> {
        write_whole(&self.dir.join(RECORD), &pretty(&json!(self.record)))
    }

    fn write_result_now_and_then(&mut self) -> Result<(), Error> {
        match self.result_written {
            Some(at) if at.elapsed() < RESULT_EVERY => Ok(()),
            _ => self.write_result(None),
        }
    }

    fn write_result(&mut self, finished_at: Option<f64>) -> Result<(), Error> {
        let result = harbor_job::result(&self.record, &self.ends, self.running.len(), finished_at);
        self.result_written = Some(Instant::now());
        write_whole(&self.dir.join("result.json"), &pretty(&result))
    }

    fn log(&self, line: &str) -> Result<(), Error> {
        write_line(&self.log, line).map_err(|source| self.wrap("job.log", source))
    }

    fn trial_log(&self, trial: usize, line: &str) -> Result<(), Error> {
        let Some(running) = self.running.get(&trial) else { return Ok(()) };
        let path = Path::new(&self.record.trials[trial].name).join("trial.log");
        write_line(&running.log, line).map_err(|source| self.wrap(path, source))
    }

    fn wrap(&self, name: impl AsRef<Path>, source: std::io::Error) -> Error {
        Error::Write { path: self.dir.join(name), source }
    }
}

/// Whether a directory holds no more than a runner leaves that died while it made a job: nothing yet, or the lock and
/// some of what comes before the record.
fn only_begun(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    let names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    let early = |name: &String| [lock::NAME, "config.json", "lock.json", "job.log"].contains(&&**name);
    names.is_empty()
        || names.iter().any(|name| name == lock::NAME) && names.iter().all(|name| early(name) || is_unfinished(name))
}

/// Writes a line with its time at once, so that a runner that is killed leaves no half of one.
fn write_line(mut log: &File, line: &str) -> std::io::Result<()> {
    log.write_all(format!("{} {line}\n", time::utc(time::now())).as_bytes())
}

/// A trial's outcome, reward and reason in one line; where the trial has no reason of its own, the judge's.
fn how_it_ended(record: &TrialRecord) -> String {
    let reward = record.reward.map(|reward| format!(", reward {reward:?}")).unwrap_or_default();
    let judged = || record.verdict.as_ref().map(|verdict| verdict.reason.as_str());
    let reason = record.reason.as_deref().or_else(judged).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
    format!("{}{reward}{reason}", record.outcome.word())
}

/// Text for a log with one line per event.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
