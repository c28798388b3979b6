//! The stored shapes: `seatrial.json` (one per job) and the `seatrial` part of each trial's `result.json`.
//!
//! They are apart from the live types of `event.rs` and carry a format version. The nouns inside that other rooms
//! define (`Verdict`, `AgentRun`, `Timing`, `Fault`, `NetworkUse`, `PlannedTrial`) are stored as those rooms spell them, so a change
//! of one of their fields is a change of [`FORMAT`].

use super::judgment::short;
use super::outcome::{OutcomeKind, reason, verdict};
use crate::agent::AgentRun;
use crate::answer::{Answer, NoAnswer};
use crate::artifact::Artifact;
use crate::event::{Fault, JudgedBy, NetworkUse, Outcome, Timing, TrialEnd};
use crate::failure::FailureClass;
use crate::ideal::Ideal;
use crate::judge::{Parameters, ScriptEnvironment, Spent, Verdict, digest_of};
use crate::model::ModelUse;
use crate::plan::{Allocation, PlannedTrial};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The version of the stored shapes that this seatrial writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// What a job is: everything that decides its trials, and apart from it what was observed while it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of seatrial that began the job.
    pub seatrial: String,
    /// The job's name.
    pub name: String,
    /// The dataset's name, which Harbor calls the source of a task.
    pub dataset: String,
    /// Which judge decides.
    pub judge: String,
    /// What its verdicts depend on, where it asks models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_parameters: Option<Parameters>,
    /// What the job file says of tasks' own scripts (Harbor's `verifier`, secrets by name), where some task is judged by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<serde_json::Value>,
    /// The corpus's digest, where one was vendored.
    pub corpus: Option<String>,
    /// The tasks; [`PlannedTrial::task_index`] counts in this list.
    pub tasks: Vec<TaskRecord>,
    /// All trials, in the order in which they start.
    pub trials: Vec<PlannedTrial>,
    /// How a calibrating job spends its trials; in it, `trials` grow round by round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrate: Option<Allocation>,
    /// Times, ids and the machine: what differs between two runs of the same job.
    pub observed: Observed,
}

impl JobRecord {
    /// The digest of the job's own judge; verdicts of equal ones can be set side by side.
    pub fn judge_digest(&self) -> String {
        digest_of(&self.judge, &self.seatrial, self.judge_parameters.as_ref())
    }
}

/// A task as it was when the job began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Its name.
    pub name: String,
    /// Its directory, as the user named it.
    pub path: String,
    /// Harbor's digest of it, `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// The digest of what decides its trials: measured difficulty left out.
    pub content_digest: String,
    /// What the audit thinks of its key, in the audit's word; `None` where no plan was known. What is thought of a key
    /// changes no trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Its question's type; reports group by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_type: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How hard the task's file said it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// The SHA-256 of its rubric, in hexadecimal, where it has one: a judge that reads it is measured by the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric_sha256: Option<String>,
    /// What the best known run of it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal: Option<Ideal>,
    /// What it asks, kept so that a report needs nothing but the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Its answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl TaskRecord {
    /// The categories by which tasks are chosen: the question's type and the tags.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.question_type.iter().chain(&self.tags).map(String::as_str)
    }
}

/// What differs between two runs of the same job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The job's id, a UUID.
    pub id: String,
    /// When it was first started, in seconds since the Unix epoch.
    pub started_at: f64,
    /// The engine that runs the sandboxes.
    pub engine: EngineRecord,
    /// The images that these are built on; the store fills this.
    #[serde(default)]
    pub base_images: Vec<ImageRecord>,
    /// The images of the tasks, in the order in which they became ready; the store fills this.
    pub images: Vec<ImageRecord>,
    /// Models were played back from a recording: what they took is then no time of theirs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub played_back: bool,
    /// By the prices of which day costs were reckoned, by the model's name at its provider.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, String>,
}

/// An engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// `docker`, or `fake` where no container ran.
    pub kind: String,
    /// The negotiated version of its API.
    pub api_version: Option<String>,
    /// Its operating system, such as `linux`.
    pub os: Option<String>,
    /// Its processor architecture, such as `x86_64`.
    pub arch: Option<String>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageRecord {
    /// Its tag.
    pub tag: String,
    /// The engine's id of it.
    pub id: String,
}

/// What was found of an answer; its bytes are in `artifacts/app/answer.txt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Why it does not count as one; `None` where it does.
    pub no_answer: Option<NoAnswer>,
    /// How many bytes are kept.
    pub bytes: Option<u64>,
    /// Their SHA-256, in hexadecimal.
    pub sha256: Option<String>,
}

/// A file that the agent left beside its answer; its bytes are below `artifacts/`, under its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactRecord {
    /// Its absolute path in the container.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal.
    pub sha256: String,
}

/// All that is kept of a trial that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// [`FORMAT`].
    pub format: u32,
    /// The trial, as planned.
    pub trial: PlannedTrial,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// The class of what kept it from simply being scored. Ask [`TrialRecord::failure_class`], since earlier versions kept
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureClass>,
    /// The reward that counts, in [0, 1]; `None` where the trial says nothing about the agent.
    pub reward: Option<f64>,
    /// Why it ended so, in words.
    pub reason: Option<String>,
    /// What the judge said, where it was asked and could be understood.
    pub verdict: Option<Verdict>,
    /// What of ours failed, where that ended the trial.
    pub fault: Option<Fault>,
    /// Faults of earlier starts of this trial, oldest first.
    pub earlier_faults: Vec<Fault>,
    /// What the agent did, where it ran.
    pub agent_run: Option<AgentRun>,
    /// What it left, where that was looked at.
    pub answer: Option<AnswerRecord>,
    /// What it left beside that, by the task's list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRecord>,
    /// The path with which that became too much, so that the list is not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts_over: Option<String>,
    /// Where the task's script ran, where that judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_environment: Option<ScriptEnvironment>,
    /// The path with which what the script left became too much, so that not all of it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_over: Option<String>,
    /// Which judge the job has.
    pub judge: String,
    /// Who gave the verdict, where that is another judge, or the same one set otherwise: a trial that stayed ungraded can
    /// be graded later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<JudgedBy>,
    /// What judging took, apart from what the agent used; `None` where no model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_spent: Option<Spent>,
    /// Times, in seconds since the Unix epoch.
    pub timing: Timing,
    /// The image, where one was used.
    pub image: Option<ImageRecord>,
    /// What the agent tried to reach, where it had a way to listed hosts; `network.jsonl` has each attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkUse>,
    /// What the agent used of models, where it had the model relay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
    /// What all its starts have cost together, as far as it is known, in US dollars: of a trial that met faults, more than
    /// its last start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_usd: Option<f64>,
    /// Whether that is all of it; `None` where the agent has no model, and in records of versions that didn't say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_is_all: Option<bool>,
    /// The engine's kind: `docker`, or `fake` where no container ran.
    pub engine: String,
    /// Harbor's digest of the task.
    pub task_digest: String,
    /// The digest of what decides the task's trials.
    pub task_content_digest: String,
}

impl TrialRecord {
    /// The record of a trial's end. A reward outside [0, 1] (or not a number) is no reward: the trial is ungraded.
    pub fn new(job: &JobRecord, end: &TrialEnd) -> TrialRecord {
        let (mut outcome, mut reason) = (OutcomeKind::from(&end.outcome), reason(&end.outcome, end.agent.as_ref()));
        let (mut reward, mut verdict) = (end.outcome.reward(), verdict(&end.outcome));
        let mut failure = end.outcome.failure();
        if let Some(number) = reward.filter(|number| !(0.0..=1.0).contains(number)) {
            outcome = OutcomeKind::Ungraded;
            reason = Some(format!("the judge gave a reward of {number}, which is not in [0, 1]"));
            (reward, verdict, failure) = (None, None, Some(FailureClass::Judge));
        }
        let task = job.tasks.get(end.planned.task_index);
        TrialRecord {
            format: FORMAT,
            trial: end.planned.clone(),
            outcome,
            failure,
            reward,
            reason,
            verdict,
            fault: match &end.outcome {
                Outcome::Fault { fault } => Some(fault.clone()),
                _ => None,
            },
            earlier_faults: end.faults.clone(),
            agent_run: end.agent.clone().map(as_kept),
            answer: end.answer.as_ref().map(answer_record),
            artifacts: end.artifacts.files.iter().map(artifact_record).collect(),
            artifacts_over: end.artifacts.over.clone(),
            verifier_environment: end.script.as_ref().map(|script| script.environment),
            verifier_over: end.script.as_ref().and_then(|script| script.files.over.clone()),
            judge: job.judge.clone(),
            judged_by: end.judging.as_ref().and_then(|judging| judging.by.clone()),
            judge_spent: end.judging.as_ref().map(|judging| judging.spent).filter(|spent| spent.requests > 0),
            timing: end.timing.clone(),
            image: end.image.as_ref().map(|(tag, id)| ImageRecord { tag: tag.clone(), id: id.clone() }),
            network: end.network.clone(),
            model: end.model.clone(),
            spent_usd: end.spent_usd,
            spent_is_all: end.planned.agent.model.is_some().then_some(end.spent_is_all),
            engine: job.observed.engine.kind.clone(),
            task_digest: task.map(|task| task.digest.clone()).unwrap_or_default(),
            task_content_digest: task.map(|task| task.content_digest.clone()).unwrap_or_default(),
        }
    }

    /// Whether what all starts have cost is known. Where the record doesn't say it, its last start does, and starts before
    /// that, which met faults, may have cost more.
    pub fn spent_is_all(&self) -> bool {
        self.spent_is_all.unwrap_or_else(|| {
            let run = self.agent_run.as_ref().and_then(|run| run.model.as_ref());
            let run = run.is_none_or(|run| run.whole_cost().is_some());
            let used = self.model.as_ref().is_none_or(|used| used.cost().is_some());
            run && used && (self.trial.agent.model.is_none() || self.earlier_faults.is_empty())
        })
    }

    /// The other judge that gave the verdict, where it was not the job's own as the job has it set: its name, with the
    /// begin of its digest where that is known. A task's script is no other judge.
    pub fn other_judge(&self) -> Option<String> {
        let verdict = self.verdict.as_ref().filter(|_| self.verifier_environment.is_none())?;
        match &self.judged_by {
            Some(JudgedBy { judge, digest }) => Some(format!("{judge} ({})", short(digest))),
            // Records of versions that did not keep who judged.
            None => (verdict.judge != self.judge).then(|| verdict.judge.clone()),
        }
    }

    /// A digest over the record, stored beside it: a flipped bit must not become another reward.
    pub fn seal(&self) -> String {
        let bytes = serde_json::to_vec(self).expect("a record has only string keys");
        hex(&bytes)
    }
}

/// The bytes of an answer that are kept, where there are any.
pub fn raw_answer(answer: &Answer) -> Option<&[u8]> {
    match answer {
        Answer::Text { raw, .. } => Some(raw),
        Answer::None { raw, .. } => raw.as_deref(),
    }
}

/// SHA-256 in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was said is in files of its own. The time comes from inside the sandbox, so it may be anything; JSON knows finite numbers only.
fn as_kept(mut run: AgentRun) -> AgentRun {
    run.conversation = None;
    if !run.seconds.is_finite() {
        run.seconds = 0.0;
    }
    run
}

fn artifact_record(artifact: &Artifact) -> ArtifactRecord {
    let Artifact { path, bytes } = artifact;
    ArtifactRecord { path: path.clone(), bytes: bytes.len() as u64, sha256: hex(bytes) }
}

fn answer_record(answer: &Answer) -> AnswerRecord {
    let raw = raw_answer(answer);
    let no_answer = match answer {
        Answer::Text { .. } => None,
        Answer::None { reason, .. } => Some(*reason),
    };
    AnswerRecord { no_answer, bytes: raw.map(|raw| raw.len() as u64), sha256: raw.map(hex) }
}
