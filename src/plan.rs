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

/// Lays out `attempts` × tasks × agents in Harbor's order.
pub fn plan(tasks: &[String], agents: &[AgentRef], attempts: u32) -> Plan {
    let mut trials = Vec::new();
    for attempt in 1..=attempts {
        for (task_index, task) in tasks.iter().enumerate() {
            for (agent_index, agent) in agents.iter().enumerate() {
                let name = trial_name(task, agent, agent_index, attempt);
                trials.push(PlannedTrial {
                    name,
                    task: task.clone(),
                    task_index,
                    agent: agent.clone(),
                    agent_index,
                    attempt,
                });
            }
        }
    }
    Plan { trials }
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
