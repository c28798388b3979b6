//! Verdicts beside the sealed ones: what another judge, or the same one later, made of a trial's answer, what that took,
//! and what was said. They lie in `verifier/judgments/`, one file and one folder for each judge as it was set up, and
//! change nothing that is sealed.

use super::file::{make_folder, sync_together, write_whole};
use super::outcome::OutcomeKind;
use super::read::Job;
use super::record::{TrialRecord, hex};
use super::trial_files::{everything, pretty};
use super::{Error, Store, said};
use crate::judge::{RawReply, ScriptRun, Spent, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where judgments lie, seen from the trial's folder.
const FOLDER: &str = "verifier/judgments";

/// What one judge made of a trial's answer, beside the trial's own verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgmentRecord {
    /// The judge's name.
    pub judge: String,
    /// What the judge's verdicts depend on beside task and answer, as a digest.
    pub judge_digest: String,
    /// The task as it was judged by.
    pub task_content_digest: String,
    /// The answer's SHA-256, in hexadecimal; `None` where there was none and the judge was asked all the same.
    pub answer_sha256: Option<String>,
    /// What it decided, the last time that it could.
    pub verdict: Option<Verdict>,
    /// Why it could not, where it could not the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What all its judgments of this answer took, those in vain included.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
}

impl JudgmentRecord {
    /// Whether this is of the trial as it is on disk now.
    pub fn is_of(&self, trial: &TrialRecord) -> bool {
        self.answer_sha256 == trial.answer.as_ref().and_then(|answer| answer.sha256.clone())
            && self.task_content_digest == trial.task_content_digest
    }

    /// The same with what an earlier judgment by this judge took, and with its verdict where there is no newer one.
    fn after(self, earlier: Option<JudgmentRecord>) -> JudgmentRecord {
        let Some(earlier) = earlier else { return self };
        let mut spent = earlier.spent;
        spent += self.spent;
        JudgmentRecord { verdict: self.verdict.or(earlier.verdict), spent, ..self }
    }
}

impl Store {
    /// Puts a judgment beside a trial's verdict, whole and synced, with what was said: models' replies, or what the script
    /// left. What it took is counted on top of earlier judgments by the same judge.
    ///
    /// # Errors
    /// What the disk says.
    pub fn keep_judgment(
        &self,
        trial: &TrialRecord,
        judgment: JudgmentRecord,
        replies: &[RawReply],
        script: Option<&ScriptRun>,
    ) -> Result<(), Error> {
        let earlier = read_judgment(self.dir(), trial, &judgment.judge_digest);
        let judgment = judgment.after(earlier);
        let path = path(self.dir(), &trial.trial.name, &judgment.judge_digest);
        if !replies.is_empty() || script.is_some() {
            let folder = path.with_extension("");
            make_folder(&folder)?;
            said::keep(&folder, replies, script)?;
            sync_together(&everything(&folder, |_| false)?)?;
        }
        make_folder(path.parent().unwrap_or(Path::new(".")))?;
        write_whole(&path, &pretty(&json!(judgment)))
    }
}

/// The judgment of a trial by the judge with this digest, where there is one that can be read and is of the trial as it is.
pub fn read_judgment(dir: &Path, trial: &TrialRecord, judge_digest: &str) -> Option<JudgmentRecord> {
    let bytes = fs::read(path(dir, &trial.trial.name, judge_digest)).ok()?;
    // What can't be read was never whole, so the judge is asked again.
    serde_json::from_slice(&bytes).ok().filter(|judgment: &JudgmentRecord| judgment.is_of(trial))
}

/// The job with another judge's verdicts instead of its own: `judge` is a judge's name or the beginning of its digest.
/// An answer that this judge has not judged is ungraded then.
///
/// # Errors
/// [`Error::Judgments`] where there are none, or those of more than one judge of that name.
pub fn judged_by(mut job: Job, judge: &str) -> Result<Job, Error> {
    let found: Vec<Vec<JudgmentRecord>> =
        job.trials.iter().map(|trial| judgments(&job.dir, trial)).collect::<Result<_, _>>()?;
    let matches = |judgment: &&JudgmentRecord| judgment.judge == judge || judgment.judge_digest.starts_with(judge);
    let mut digests: Vec<&str> =
        found.iter().flatten().filter(matches).map(|judgment| judgment.judge_digest.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    let [digest] = digests[..] else {
        let mut known: Vec<String> = found
            .iter()
            .flatten()
            .map(|judgment| format!("`{}` ({})", judgment.judge, short(&judgment.judge_digest)))
            .collect();
        known.sort_unstable();
        known.dedup();
        return Err(Error::Judgments { dir: job.dir, judge: judge.to_owned(), known });
    };
    for (trial, judgments) in job.trials.iter_mut().zip(&found) {
        replace(trial, judgments.iter().find(|judgment| judgment.judge_digest == digest), judge);
    }
    let name = found.iter().flatten().find(|judgment| judgment.judge_digest == digest);
    job.other_judge = Some(digest.to_owned());
    job.record.judge = name.map_or_else(|| judge.to_owned(), |judgment| judgment.judge.clone());
    Ok(job)
}

fn replace(trial: &mut TrialRecord, judgment: Option<&JudgmentRecord>, judge: &str) {
    let was_judged = trial.verdict.is_some() || trial.outcome == OutcomeKind::Ungraded;
    trial.judged_by = None;
    trial.judge_spent = judgment.map(|judgment| judgment.spent).filter(|spent| spent.requests > 0);
    match judgment.and_then(|judgment| judgment.verdict.clone()) {
        Some(verdict) => {
            if trial.outcome == OutcomeKind::Ungraded {
                (trial.outcome, trial.reason) = (OutcomeKind::Scored, None);
            }
            (trial.reward, trial.judge) = (Some(verdict.reward), verdict.judge.clone());
            trial.verdict = Some(verdict);
        }
        None if was_judged => {
            trial.outcome = OutcomeKind::Ungraded;
            let why = judgment.and_then(|judgment| judgment.reason.clone());
            trial.reason = Some(why.unwrap_or_else(|| format!("the judge `{judge}` has not judged it")));
            (trial.reward, trial.verdict) = (None, None);
        }
        None => {}
    }
}

/// All judgments of a trial as it is now.
fn judgments(dir: &Path, trial: &TrialRecord) -> Result<Vec<JudgmentRecord>, Error> {
    let folder = dir.join(&trial.trial.name).join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::Read { path: folder, source }),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
    Ok(paths.into_iter().filter_map(read).filter(|judgment: &JudgmentRecord| judgment.is_of(trial)).collect())
}

fn path(dir: &Path, trial: &str, judge_digest: &str) -> PathBuf {
    dir.join(trial).join(FOLDER).join(format!("{}.json", short(judge_digest)))
}

/// Enough of a digest to tell judges apart, without the word before its colon.
pub(super) fn short(digest: &str) -> &str {
    let digits = digest.rsplit(':').next().unwrap_or(digest);
    &digits[..digits.len().min(16)]
}

/// Verdicts by what they depend on, for answers that were judged before: in the user's cache folder, one file each.
#[derive(Debug, Clone)]
pub struct VerdictCache {
    dir: PathBuf,
}

impl VerdictCache {
    /// The cache in `XDG_CACHE_HOME/seatrial/verdicts`, else in `HOME/.cache`; `None` where neither is set.
    pub fn of_user(env: impl Fn(&str) -> Option<String>) -> Option<VerdictCache> {
        let set = |name| env(name).filter(|value| value.starts_with('/'));
        let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| format!("{home}/.cache")))?;
        Some(VerdictCache { dir: Path::new(&base).join("seatrial/verdicts") })
    }

    /// The verdict that was kept under this key, where there is one.
    pub fn get(&self, key: &str) -> Option<Verdict> {
        serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()
    }

    /// Keeps a verdict.
    ///
    /// # Errors
    /// What the disk says.
    pub fn put(&self, key: &str, verdict: &Verdict) -> Result<(), Error> {
        make_folder(&self.dir)?;
        write_whole(&self.path(key), &pretty(&json!(verdict)))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.dir.join(format!("{}.json", hex(key.as_bytes())))
    }
}
