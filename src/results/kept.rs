//! Reads what a trial left beside its record, to be shown: its answer, what its agent wrote, and what it tried to reach. The last two can be long, so the
//! reader says how much of them it wants. Reads only.

use super::Error;
use super::read::read_answer;
use super::record::TrialRecord;
use super::trial_files::{NETWORK, agent_log_path};
use crate::answer::Answer;
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Begin and end of a long text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The begin, or all of it.
    pub head: String,
    /// How many bytes are left out between begin and end.
    pub left_out: u64,
    /// The end; empty where nothing is left out.
    pub tail: String,
}

/// What the agent wrote, at most `most` bytes of it; `None` where it wrote nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn read_transcript(job_dir: &Path, record: &TrialRecord, most: usize) -> Result<Option<Excerpt>, Error> {
    let path = agent_log_path(&job_dir.join(&record.trial.name), &record.trial.agent.name);
    match excerpt(&path, most as u64) {
        Ok(found) => Ok(found),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
}

fn excerpt(path: &Path, most: u64) -> io::Result<Option<Excerpt>> {
    let mut file = File::open(path)?;
    let all = file.metadata()?.len();
    let mut part = |from: u64, bytes: u64| -> io::Result<String> {
        let mut raw = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        (&mut file).take(bytes).read_to_end(&mut raw)?;
        Ok(String::from_utf8_lossy(&raw).into_owned())
    };
    if all <= most {
        let head = part(0, all)?;
        return Ok((all > 0).then_some(Excerpt { head, left_out: 0, tail: String::new() }));
    }
    let (begin, end) = (most.div_ceil(2), most / 2);
    Ok(Some(Excerpt { head: part(0, begin)?, left_out: all - most, tail: part(all - end, end)? }))
}

/// One attempt of an agent to reach something, as it was kept.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct KeptAttempt {
    /// What it asked for.
    pub host: String,
    /// The port; `None` for a name that was only looked up.
    pub port: Option<u16>,
    /// Whether it was let out.
    pub allowed: bool,
    /// Why, in words.
    pub why: String,
    /// How it ended, in words.
    pub how: String,
    /// Bytes that the agent sent.
    pub up: u64,
    /// Bytes that it was sent.
    pub down: u64,
}

/// What the agent tried to reach, in order: the first `most` attempts that can be read. The record counts all.
///
/// # Errors
/// [`Error::Read`].
pub fn read_attempts(job_dir: &Path, record: &TrialRecord, most: usize) -> Result<Vec<KeptAttempt>, Error> {
    let path = job_dir.join(&record.trial.name).join(NETWORK);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).take(most).collect()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Error::Read { path, source }),
    }
}

/// The text of a trial's answer; `Err` says in words why there is none to show.
pub fn answer_text(job_dir: &Path, record: &TrialRecord) -> Result<String, String> {
    match read_answer(job_dir, record) {
        Ok(Some(Answer::Text { text, .. })) => Ok(text),
        Ok(Some(Answer::None { reason, .. })) => Err(reason.to_string()),
        Ok(None) => Err("it was never looked at".into()),
        Err(error) => Err(error.to_string()),
    }
}
