//! All settings of a job, resolved: nothing is open any more. The defaults stand here, and nowhere else.

use super::judge::JudgeConfig;
use crate::task::NetworkMode;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The most attempts, and the most trials at a time: more is a slip of the finger.
pub const MOST_TRIALS: usize = 1000;

/// The most by which time limits can be stretched.
pub const MOST_MULTIPLIER: f64 = 1000.0;

/// The longest time that can be set, in seconds: 30 years and more.
pub const MOST_SECONDS: f64 = 1e9;

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
    /// Stretches the time limit of a task's script instead of `timeout_multiplier`.
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
    /// Of all of them, only tasks of these categories.
    pub categories: Categories,
    /// Where agents run.
    pub environment: EnvironmentConfig,
    /// Who judges.
    pub judge: JudgeConfig,
    /// What tasks' own scripts are run with.
    pub verifier: VerifierConfig,
    /// Scripts of tasks that don't ask for a container of their own run in the agent's. Default: they don't.
    pub shared_verifier: bool,
    /// What agents may use of models through the model relay.
    pub model: ModelConfig,
}

/// What tasks' own scripts are run with, where they judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifierConfig {
    /// Replaces each task's time limit for its script, in seconds.
    pub override_timeout_sec: Option<f64>,
    /// Bounds that limit, in seconds.
    pub max_timeout_sec: Option<f64>,
    /// Variables for scripts, over each task's own, templates unresolved.
    pub env: BTreeMap<String, String>,
}

/// What agents may use of models; in the job file `seatrial: model:`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelConfig {
    /// Requests of one trial.
    pub max_requests: Option<u64>,
    /// Tokens of one trial, read and written, caches included.
    pub max_tokens: Option<u64>,
    /// US dollars of one trial.
    pub max_cost_usd: Option<f64>,
    /// US dollars of the whole job.
    pub job_max_cost_usd: Option<f64>,
    /// A file of prices.
    pub prices: Option<PathBuf>,
}

impl ModelConfig {
    /// These settings; where they say nothing, `other`'s.
    pub fn or(self, other: ModelConfig) -> ModelConfig {
        ModelConfig {
            max_requests: self.max_requests.or(other.max_requests),
            max_tokens: self.max_tokens.or(other.max_tokens),
            max_cost_usd: self.max_cost_usd.or(other.max_cost_usd),
            job_max_cost_usd: self.job_max_cost_usd.or(other.job_max_cost_usd),
            prices: self.prices.or(other.prices),
        }
    }
}

/// When a trial that met a fault is started again. Only faults are, never a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryConfig {
    /// How often at most. Default: 2 (Harbor's is 0, but Harbor retries agents' failures as well).
    pub max_retries: u32,
    /// The wait grows by this factor each time. Default: 1.
    pub wait_multiplier: f64,
    /// The first wait, in seconds. Default: 1.
    pub min_wait_sec: f64,
    /// The longest wait, in seconds. Default: 60.
    pub max_wait_sec: f64,
}

impl Default for RetryConfig {
    fn default() -> RetryConfig {
        RetryConfig { max_retries: 2, wait_multiplier: 1.0, min_wait_sec: 1.0, max_wait_sec: 60.0 }
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
    /// Hosts that it may reach beside those of each task, normalised.
    pub extra_allowed_hosts: Vec<String>,
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

/// Which categories of tasks run: globs of types of questions and of tags.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Categories {
    /// A task has to have one of these; none means all.
    pub only: Vec<String>,
    /// A task must not have one of these.
    pub without: Vec<String>,
}

/// Where agents run.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvironmentConfig {
    /// Build images again though the engine has them.
    pub force_build: bool,
    /// CPUs for every task, whatever it says.
    pub override_cpus: Option<f64>,
    /// Memory for every task, whatever it says, in mebibytes.
    pub override_memory_mb: Option<u64>,
    /// Variables in every container, templates unresolved.
    pub env: BTreeMap<String, String>,
    /// Less network than the tasks allow.
    pub network: Option<NetworkMode>,
    /// Hosts that every agent may reach beside those of each task, normalised.
    pub extra_allowed_hosts: Vec<String>,
    /// Servers of the user's own: a listed name is connected to here.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// TCP ports on which listed hosts can be reached; none means 80 and 443.
    pub ports: Vec<u16>,
    /// The image that task images are built on, instead of the Dockerfile's default.
    pub base_image: Option<String>,
    /// CPUs for tasks that don't say.
    pub cpus: Option<f64>,
    /// Memory for tasks that don't say, in mebibytes.
    pub memory_mb: Option<u64>,
    /// How many processes a container may have.
    pub pids_limit: Option<u64>,
    /// How long an engine that stopped answering is waited for, in seconds. Default: 60.
    pub engine_wait_sec: Option<f64>,
    /// The vendor directory that tasks are restored from.
    pub vendor: Option<PathBuf>,
    /// The suite's manifest.
    pub suite: Option<PathBuf>,
    /// The folder with the user's own definitions of agents.
    pub agents_dir: Option<PathBuf>,
}

impl Config {
    /// The job's folder.
    pub fn job_dir(&self) -> PathBuf {
        self.jobs_dir.join(&self.job_name)
    }
}
