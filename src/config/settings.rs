//! All settings of a job, resolved: nothing is open any more. The defaults stand here, and nowhere else.

use crate::task::NetworkMode;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A job, ready to be planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The job's name and its folder's name. Default: the local time.
    pub job_name: String,
    /// Where job folders go. Default: `jobs`.
    pub jobs_dir: PathBuf,
    /// How often each agent tries each task. Default: 1.
    pub n_attempts: u32,
    /// How many trials run at a time. Default: 4.
    pub n_concurrent: usize,
    /// No live view.
    pub quiet: bool,
    /// Stretches every time limit. Default: 1.
    pub timeout_multiplier: f64,
    /// Stretches the agent's time limit instead of `timeout_multiplier`.
    pub agent_timeout_multiplier: Option<f64>,
    /// Stretches the judge's time limit instead of `timeout_multiplier`.
    pub verifier_timeout_multiplier: Option<f64>,
    /// Stretches the build's time limit instead of `timeout_multiplier`.
    pub build_timeout_multiplier: Option<f64>,
    /// What happens after a fault.
    pub retry: RetryConfig,
    /// Who answers. Default: the oracle.
    pub agents: Vec<AgentConfig>,
    /// Folders of tasks. Default: `tasks`.
    pub datasets: Vec<DatasetConfig>,
    /// Single tasks.
    pub tasks: Vec<PathBuf>,
    /// Where agents run.
    pub environment: EnvironmentConfig,
    /// Who judges.
    pub verifier: VerifierConfig,
}

/// When a trial that met a fault is started again. Only faults are, never a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryConfig {
    /// How often at most. Default: 2 (Harbor's is 0, but Harbor retries agents' failures as well).
    pub max_retries: u32,
    /// Only these exception names, where given.
    pub include: Option<Vec<String>>,
    /// Not these exception names, where given.
    pub exclude: Option<Vec<String>>,
    /// The wait grows by this factor each time. Default: 1.
    pub wait_multiplier: f64,
    /// The first wait, in seconds. Default: 1.
    pub min_wait_sec: f64,
    /// The longest wait, in seconds. Default: 60.
    pub max_wait_sec: f64,
}

impl Default for RetryConfig {
    fn default() -> RetryConfig {
        RetryConfig {
            max_retries: 2,
            include: None,
            exclude: None,
            wait_multiplier: 1.0,
            min_wait_sec: 1.0,
            max_wait_sec: 60.0,
        }
    }
}

impl RetryConfig {
    /// How long to wait before start number `retry` (from 1), in seconds: Harbor's formula
    /// `min(min_wait × multiplier^(retry − 1), max_wait)`.
    pub fn wait_sec(&self, retry: u32) -> f64 {
        let power = self.wait_multiplier.powf(f64::from(retry.saturating_sub(1)));
        (self.min_wait_sec * power).min(self.max_wait_sec)
    }
}

/// One agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentConfig {
    /// Its name, such as `oracle`.
    pub name: String,
    /// The model it talks to.
    pub model: Option<String>,
    /// Settings that only this kind of agent knows.
    pub kwargs: Map<String, Value>,
    /// Variables for it, templates unresolved.
    pub env: BTreeMap<String, String>,
    /// Names in `env` whose values come from the command line; their values are never written to disk.
    pub env_from_flags: BTreeSet<String>,
    /// Replaces the task's time limit, in seconds.
    pub override_timeout_sec: Option<f64>,
    /// Bounds the time limit, in seconds.
    pub max_timeout_sec: Option<f64>,
}

/// One folder of tasks and what of it is run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatasetConfig {
    /// The folder.
    pub path: PathBuf,
    /// Globs of task names to run; none means all.
    pub task_names: Vec<String>,
    /// Globs of task names not to run.
    pub exclude_task_names: Vec<String>,
    /// At most so many tasks, the first by name.
    pub n_tasks: Option<usize>,
}

/// Where agents run.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvironmentConfig {
    /// Build images again though the engine has them.
    pub force_build: bool,
    /// Remove containers when a trial ends. Default: true.
    pub delete: bool,
    /// CPUs for every task, whatever it says.
    pub override_cpus: Option<f64>,
    /// Memory for every task, whatever it says, in mebibytes.
    pub override_memory_mb: Option<u64>,
    /// Variables in every container, templates unresolved.
    pub env: BTreeMap<String, String>,
    /// Less network than the tasks allow.
    pub network: Option<NetworkMode>,
    /// The image that task images are built on, instead of the Dockerfile's default.
    pub base_image: Option<String>,
    /// CPUs for tasks that don't say.
    pub cpus: Option<f64>,
    /// Memory for tasks that don't say, in mebibytes.
    pub memory_mb: Option<u64>,
    /// How many processes a container may have.
    pub pids_limit: Option<u64>,
}

/// Who judges.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifierConfig {
    /// Replaces the task's time limit, in seconds.
    pub override_timeout_sec: Option<f64>,
    /// Bounds the time limit, in seconds.
    pub max_timeout_sec: Option<f64>,
    /// The judge's name. Default: `rules`.
    pub judge: String,
}

impl Config {
    /// The job's folder.
    pub fn job_dir(&self) -> PathBuf {
        self.jobs_dir.join(&self.job_name)
    }

    /// How long `agent` may take over a task with this limit of its own, in seconds; `None` is no limit.
    pub fn agent_timeout_sec(&self, agent: &AgentConfig, task: Option<f64>) -> Option<f64> {
        let limit = bounded(agent.override_timeout_sec.or(task), agent.max_timeout_sec)?;
        Some(limit * self.agent_timeout_multiplier.unwrap_or(self.timeout_multiplier))
    }

    /// How long the judge may take over a task with this limit of its own, in seconds.
    pub fn verifier_timeout_sec(&self, task: f64) -> f64 {
        let limit = self.verifier.override_timeout_sec.unwrap_or(task);
        let limit = self.verifier.max_timeout_sec.map_or(limit, |max| limit.min(max));
        limit * self.verifier_timeout_multiplier.unwrap_or(self.timeout_multiplier)
    }

    /// How long a build may take for a task with this limit of its own, in seconds.
    pub fn build_timeout_sec(&self, task: f64) -> f64 {
        task * self.build_timeout_multiplier.unwrap_or(self.timeout_multiplier)
    }
}

fn bounded(limit: Option<f64>, max: Option<f64>) -> Option<f64> {
    match (limit, max) {
        (Some(limit), Some(max)) => Some(limit.min(max)),
        (limit, max) => limit.or(max),
    }
}
