//! Everything that can happen in a job, in one place: the words in which `job/` speaks to the readers of its stream
//! (the store on disk, then the live view). This file holds data only: it must not do, print or write anything.

use crate::agent::AgentRun;
use crate::answer::{Answer, NoAnswer};
use crate::artifact::Artifacts;
use crate::failure::FailureClass;
use crate::judge::{Judgment, RawReply, ScriptRun, Spent, Verdict};
use crate::model::{self, ModelUse};
use crate::network::Attempt;
use crate::plan::{Plan, PlannedTrial, Round};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One thing that happened. `trial` is the trial's index in [`Plan::trials`].
#[derive(Debug, Clone)]
pub enum Event {
    /// The job begins; `done` lists the trials that an earlier run has sealed (a resumed job).
    JobStarted {
        /// All trials of the job.
        plan: Plan,
        /// Trials that are already on disk and won't run again.
        done: Vec<usize>,
    },
    /// Something that the user should know, such as a base image put in place of another.
    Notice {
        /// A sentence.
        text: String,
    },
    /// An image is being built or pulled for a task (and for all with the same context).
    ImageStarted {
        /// The task's name.
        task: String,
    },
    /// A line of a build's or a pull's log.
    ImageOutput {
        /// The task's name.
        task: String,
        /// The line, without its end.
        line: String,
    },
    /// An image can be used; said once for each.
    ImageReady {
        /// The task that asked for it first.
        task: String,
        /// The image's tag.
        image: String,
        /// The engine's id of it.
        id: String,
        /// The image it is built on, by name and id, where it is known.
        base: Option<(String, String)>,
        /// False where the engine had it already.
        built: bool,
        /// How long it took, in seconds.
        seconds: f64,
    },
    /// A trial begins (`retry` 0) or begins again after a fault (`retry` ≥ 1).
    TrialStarted {
        /// Which trial.
        trial: usize,
        /// How many times it has been started before.
        retry: u32,
    },
    /// A trial enters a stage.
    TrialStage {
        /// Which trial.
        trial: usize,
        /// The stage it is in now.
        stage: Stage,
    },
    /// The agent wrote something; valid UTF-8, already capped.
    AgentOutput {
        /// Which trial.
        trial: usize,
        /// Text as it came, stdout and stderr in the order of arrival.
        text: String,
    },
    /// Files that the agent wrote for whoever looks at its trial later.
    AgentLogs {
        /// Which trial.
        trial: usize,
        /// Each under its plain name, with its bytes, untrusted.
        files: Vec<(String, Vec<u8>)>,
    },
    /// A trial's sandbox had a way to listed hosts and is closed now: everything that its agent tried to reach, in order.
    Network {
        /// Which trial.
        trial: usize,
        /// The attempts.
        attempts: Vec<Attempt>,
        /// How many further ones were only counted.
        unrecorded: u64,
    },
    /// A trial met a fault and will be started again.
    TrialRetry {
        /// Which trial.
        trial: usize,
        /// What went wrong.
        fault: Fault,
        /// How long until it starts again, in seconds.
        wait: f64,
    },
    /// A trial has ended. An ungraded one may end once more, when its answer has been judged again.
    TrialFinished {
        /// Which trial.
        trial: usize,
        /// How it ended.
        end: Box<TrialEnd>,
    },
    /// In a calibrating job all trials so far have ended, and it is decided which come next; their indices follow those of
    /// the plan so far.
    Round(Round),
    /// The user asked to stop: nothing new starts.
    Interrupted,
    /// The job is over, with everything on disk.
    JobFinished,
}

/// Where a trial is, or where it met a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The image is built or found.
    Image,
    /// The sandbox is created and started.
    Sandbox,
    /// The agent runs.
    Agent,
    /// The answer is collected and the sandbox removed.
    Collect,
    /// The judge decides.
    Judge,
    /// Something is written on the host.
    Disk,
    /// The network.
    Network,
    /// A model's provider.
    Provider,
    /// The recording of what models say: it lacks a request, or can't be kept. The next start would meet the same.
    Recording,
}

impl Stage {
    /// The stage as a word, for logs and people; the same as the stored one.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Image => "image",
            Stage::Sandbox => "sandbox",
            Stage::Agent => "agent",
            Stage::Collect => "collect",
            Stage::Judge => "judge",
            Stage::Disk => "disk",
            Stage::Network => "network",
            Stage::Provider => "provider",
            Stage::Recording => "recording",
        }
    }

    /// The class of a fault of which no more is known than its stage.
    fn failure(self) -> FailureClass {
        match self {
            Stage::Image => FailureClass::Image,
            Stage::Sandbox | Stage::Agent | Stage::Collect => FailureClass::Engine,
            Stage::Judge => FailureClass::Judge,
            Stage::Disk => FailureClass::Disk,
            Stage::Network => FailureClass::Network,
            // It may be the key or the account as well as the provider.
            Stage::Provider => FailureClass::Unclassified,
            Stage::Recording => FailureClass::Recording,
        }
    }
}

/// Something of ours failed: the engine, the network, a provider, the host's disk. Never the agent's failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Where.
    pub stage: Stage,
    /// What, with the path, image or host in it.
    pub message: String,
    /// Of which class; not there in what earlier versions kept, see [`Fault::class`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FailureClass>,
}

impl Fault {
    /// A fault of what this stage is about.
    pub fn new(stage: Stage, message: impl Into<String>) -> Fault {
        Fault { stage, message: message.into(), class: Some(stage.failure()) }
    }

    /// The fault of a trial whose model could not be asked, for trouble of this class.
    pub fn of_model(trouble: model::Class, message: impl Into<String>) -> Fault {
        let class = FailureClass::of_model(trouble);
        let stage = if class == FailureClass::Recording { Stage::Recording } else { Stage::Provider };
        Fault { stage, message: message.into(), class: Some(class) }
    }

    /// Its class; where that was not kept, what its stage says of it.
    pub fn class(&self) -> FailureClass {
        self.class.unwrap_or(self.stage.failure())
    }
}

/// Which of the task's own limits the agent ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The memory cap of the sandbox (the engine said so, not the exit code alone).
    Memory,
    /// A cap on what it may use of models, of which the model relay refused more.
    Budget,
    /// So many turns of a model.
    Turns,
    /// So many tokens of a model.
    Tokens,
    /// So much money.
    Cost,
    /// What its model can read at once.
    Context,
}

/// How a trial ended; exactly one of these. Only [`Outcome::Fault`] may be retried; a verdict is sealed.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The judge gave a reward.
    Scored {
        /// Reward and reasons.
        verdict: Verdict,
    },
    /// The agent left no answer: reward 0, the judge is not asked.
    NoAnswer {
        /// Why it does not count as one.
        reason: NoAnswer,
    },
    /// The agent ran out of its time; judged if an answer is there, else 0.
    AgentTimeout {
        /// The verdict, where there was an answer.
        verdict: Option<Verdict>,
    },
    /// The agent ended with an error of its own; judged if an answer is there, else 0.
    AgentError {
        /// Its model, or the provider's content policy, would not go on.
        refused: bool,
        /// What kind of error, in words.
        reason: String,
        /// The verdict, where there was an answer.
        verdict: Option<Verdict>,
    },
    /// The agent hit one of the task's limits; judged if an answer is there, else 0.
    Limit {
        /// Which.
        limit: Limit,
        /// The verdict, where there was an answer.
        verdict: Option<Verdict>,
    },
    /// An answer is there, but the judge failed or its words can't be read. Judged again later, never 0.
    Ungraded {
        /// What the judge's trouble was.
        reason: String,
    },
    /// Something of ours failed, also after retries. Missing, never 0.
    Fault {
        /// What.
        fault: Fault,
    },
    /// The job was stopped while this trial ran.
    Cancelled {
        /// Why, where it was not the user's wish.
        why: Option<String>,
    },
}

impl Outcome {
    /// The reward that counts, in [0, 1]; `None` where the trial says nothing about the agent.
    pub fn reward(&self) -> Option<f64> {
        match self {
            Outcome::Scored { verdict } => Some(verdict.reward),
            Outcome::NoAnswer { .. } => Some(0.0),
            Outcome::AgentTimeout { verdict }
            | Outcome::AgentError { verdict, .. }
            | Outcome::Limit { verdict, .. } => Some(verdict.as_ref().map_or(0.0, |v| v.reward)),
            Outcome::Ungraded { .. } | Outcome::Fault { .. } | Outcome::Cancelled { .. } => None,
        }
    }

    /// The class of what kept the trial from simply being scored; `None` where it was.
    pub fn failure(&self) -> Option<FailureClass> {
        Some(match self {
            Outcome::Scored { .. } => return None,
            Outcome::NoAnswer { .. } => FailureClass::NoAnswer,
            Outcome::AgentTimeout { .. } => FailureClass::Time,
            Outcome::AgentError { refused: true, .. } => FailureClass::Refusal,
            Outcome::AgentError { refused: false, .. } => FailureClass::AgentError,
            Outcome::Limit { limit, .. } => match limit {
                Limit::Memory => FailureClass::Memory,
                Limit::Context => FailureClass::ContextExceeded,
                Limit::Budget | Limit::Turns | Limit::Tokens | Limit::Cost => FailureClass::Budget,
            },
            Outcome::Ungraded { .. } => FailureClass::Judge,
            Outcome::Fault { fault } => fault.class(),
            Outcome::Cancelled { .. } => FailureClass::Cancelled,
        })
    }
}

/// When the parts of a trial happened: seconds since the Unix epoch, on the host's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Start.
    pub started_at: f64,
    /// End.
    pub finished_at: f64,
}

impl Span {
    /// How long it took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.finished_at - self.started_at
    }
}

/// A trial's stages with their times; a stage that was not reached is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The whole trial, retries left out.
    pub trial: Span,
    /// Its image was made ready, or waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Span>,
    /// Sandbox created and started.
    pub sandbox: Option<Span>,
    /// The agent ran.
    pub agent: Option<Span>,
    /// Answer collected, sandbox closed.
    pub collect: Option<Span>,
    /// The judge decided.
    pub judge: Option<Span>,
}

/// What a trial's attempts to reach something come to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkUse {
    /// How many were allowed.
    pub allowed: u64,
    /// How many were denied, names that were only looked up included.
    pub denied: u64,
    /// How many of both were only counted, over the cap of the evidence.
    pub unrecorded: u64,
    /// Bytes that the agent sent.
    pub up: u64,
    /// Bytes that it was sent.
    pub down: u64,
    /// Hosts that were reached, with the number of connections; the first so many of them.
    pub reached: BTreeMap<String, u64>,
    /// Hosts that were allowed and did not resolve or answer, with the number of attempts; the first so many of them.
    pub unreached: BTreeMap<String, u64>,
    /// Hosts that were denied, with the number of attempts; the first so many of them.
    pub refused: BTreeMap<String, u64>,
}

/// All that is known of a trial when it has ended.
#[derive(Debug, Clone)]
pub struct TrialEnd {
    /// The trial, as planned.
    pub planned: PlannedTrial,
    /// How it ended.
    pub outcome: Outcome,
    /// What the agent did, where it ran.
    pub agent: Option<AgentRun>,
    /// What it left, where that was looked at.
    pub answer: Option<Answer>,
    /// What it left beside that, by the task's list.
    pub artifacts: Artifacts,
    /// What the task's script did, where that judged.
    pub script: Option<ScriptRun>,
    /// Times.
    pub timing: Timing,
    /// Faults of earlier starts of this trial, oldest first.
    pub faults: Vec<Fault>,
    /// The image's tag and id, where one was used.
    pub image: Option<(String, String)>,
    /// What it tried to reach, where it had a way to listed hosts.
    pub network: Option<NetworkUse>,
    /// What it used of models, where it had the model relay.
    pub model: Option<ModelUse>,
    /// What all its starts have cost together, as far as it is known, in US dollars; `None` where that is nothing.
    pub spent_usd: Option<f64>,
    /// Whether that is all of it: what each of its starts has cost is known.
    pub spent_is_all: bool,
    /// What judging its answer took, where models were asked.
    pub judging: Option<Judging>,
}

/// A judge other than the job's own, which gave a trial its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedBy {
    /// Its name.
    pub judge: String,
    /// What its verdicts depend on, as a digest.
    pub digest: String,
}

/// What judging one answer took, apart from what the agent used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judging {
    /// Requests, tokens and cost, of all tries.
    pub spent: Spent,
    /// Who gave the verdict, where that is another judge than the job's own.
    pub by: Option<JudgedBy>,
    /// What the models said in the last judgment.
    pub replies: Vec<RawReply>,
}

impl Judging {
    /// A further judgment of the same answer, on top of what was spent before.
    pub fn new(before: Option<Judging>, judgment: Judgment) -> Judging {
        let mut spent = before.unwrap_or_default().spent;
        spent += judgment.spent;
        Judging { spent, by: None, replies: judgment.replies }
    }
}
