//! Which trials a job has, in which order. Pure: the same tasks, agents and attempts give the same plan, byte for byte.
//!
//! The order is Harbor's: for each attempt, for each task, for each agent. A trial's name is Harbor's shape too,
//! `{task}__{seven characters}`, but the characters are a digest instead of chance, so that a resumed job finds its
//! own trials again by name.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Who answers, as far as a plan needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// The agent's name, such as `oracle`.
    pub name: String,
    /// The model it talks to, where it has one.
    pub model: Option<String>,
}

impl AgentRef {
    /// The agent, with its model where it has one.
    pub fn label(&self) -> String {
        match &self.model {
            Some(model) => format!("{} ({model})", self.name),
            None => self.name.clone(),
        }
    }
}

/// One attempt of one agent at one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTrial {
    /// The trial's name and its folder's name; unique in the job.
    pub name: String,
    /// The task's name (its directory's name).
    pub task: String,
    /// Which task of the plan's task list, from 0.
    pub task_index: usize,
    /// Who answers.
    pub agent: AgentRef,
    /// Which agent of the job's agent list, from 0.
    pub agent_index: usize,
    /// Which attempt, from 1.
    pub attempt: u32,
}

/// All trials of a job, in the order in which they start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The trials.
    pub trials: Vec<PlannedTrial>,
}

/// How a calibrating job spends its trials: each task gets some attempts first, and then more, a few at a time, where its
/// tier is still open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allocation {
    /// How many attempts each task gets first; a score rests on these alone.
    pub first: u32,
    /// How many it gets in each further round.
    pub step: u32,
    /// How many it gets at most.
    pub cap: u32,
    /// How many trials the job may have at most, all tasks together.
    pub budget: Option<usize>,
    /// The pass rates at which hard and medium, medium and easy tasks meet.
    pub thresholds: (f64, f64),
    /// How likely a tier must be to count as settled.
    pub confidence: f64,
}

/// What a calibrating job does next, decided when every trial so far has ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Round {
    /// The trials to come; none where the job is over.
    pub trials: Vec<PlannedTrial>,
    /// How many tasks have their tier, counted for each agent.
    pub decided: usize,
    /// Of how many.
    pub of: usize,
}

/// Lays out `attempts` × tasks × agents in Harbor's order.
pub fn plan(tasks: &[String], agents: &[AgentRef], attempts: u32) -> Plan {
    let mut trials = Vec::new();
    for attempt in 1..=attempts {
        for task in tasks.iter().enumerate() {
            trials.extend(agents.iter().enumerate().map(|agent| planned(task, agent, attempt)));
        }
    }
    Plan { trials }
}

/// The plan of `trials` with tasks and agents as they are called now: equal to them where those are the same.
pub fn again(tasks: &[String], agents: &[AgentRef], trials: &[PlannedTrial]) -> Plan {
    let again = |trial: &PlannedTrial| {
        let (task, agent) = (tasks.get(trial.task_index)?, agents.get(trial.agent_index)?);
        Some(planned((trial.task_index, task), (trial.agent_index, agent), trial.attempt))
    };
    Plan { trials: trials.iter().filter_map(again).collect() }
}

impl PlannedTrial {
    /// Another attempt at the same task by the same agent.
    pub fn at_attempt(&self, attempt: u32) -> PlannedTrial {
        planned((self.task_index, &self.task), (self.agent_index, &self.agent), attempt)
    }
}

fn planned(
    (task_index, task): (usize, &String),
    (agent_index, agent): (usize, &AgentRef),
    attempt: u32,
) -> PlannedTrial {
    let name = trial_name(task, agent, agent_index, attempt);
    PlannedTrial { name, task: task.clone(), task_index, agent: agent.clone(), agent_index, attempt }
}

/// Harbor's alphabet for short ids: no letter or digit that looks like another.
const ALPHABET: &[u8] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

fn trial_name(task: &str, agent: &AgentRef, agent_index: usize, attempt: u32) -> String {
    let mut hasher = Sha256::new();
    let model = agent.model.as_deref().unwrap_or("");
    hasher.update(format!("{task}\0{}\0{model}\0{agent_index}\0{attempt}", agent.name));
    let short: String =
        hasher.finalize().iter().take(7).map(|b| ALPHABET[*b as usize % ALPHABET.len()] as char).collect();
    let head: String = task.chars().take(32).collect();
    format!("{}__{short}", head.trim_end_matches(['_', '-']))
}
