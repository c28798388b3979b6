//! What a job file says, typed; everything that it leaves out is `None`. Names and meanings are Harbor's JobConfig's.
//! Data only.

use super::judge::JudgeConfig;
use super::settings::{AgentConfig, Categories, DatasetConfig, ModelConfig, VerifierConfig};
use crate::task::NetworkMode;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A whole job file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFile {
    /// `job_name`.
    pub job_name: Option<String>,
    /// `jobs_dir`.
    pub jobs_dir: Option<PathBuf>,
    /// `n_attempts`, at least 1.
    pub n_attempts: Option<u32>,
    /// `n_concurrent_trials`, at least 1.
    pub n_concurrent: Option<usize>,
    /// `quiet`.
    pub quiet: Option<bool>,
    /// `timeout_multiplier`.
    pub timeout_multiplier: Option<f64>,
    /// `agent_timeout_multiplier`.
    pub agent_timeout_multiplier: Option<f64>,
    /// `verifier_timeout_multiplier`.
    pub verifier_timeout_multiplier: Option<f64>,
    /// `environment_build_timeout_multiplier`.
    pub build_timeout_multiplier: Option<f64>,
    /// `retry`.
    pub retry: RetryFile,
    /// `agents`.
    pub agents: Option<Vec<AgentConfig>>,
    /// `datasets`.
    pub datasets: Option<Vec<DatasetConfig>>,
    /// `tasks`: single task folders.
    pub tasks: Option<Vec<PathBuf>>,
    /// `environment`.
    pub environment: EnvironmentFile,
    /// `verifier`.
    pub verifier: VerifierConfig,
    /// `seatrial`.
    pub own: OwnFile,
}

/// `retry`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RetryFile {
    /// `max_retries`.
    pub max_retries: Option<u32>,
    /// `wait_multiplier`.
    pub wait_multiplier: Option<f64>,
    /// `min_wait_sec`.
    pub min_wait_sec: Option<f64>,
    /// `max_wait_sec`.
    pub max_wait_sec: Option<f64>,
}

/// `environment`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnvironmentFile {
    /// `force_build`.
    pub force_build: Option<bool>,
    /// `override_cpus`.
    pub override_cpus: Option<f64>,
    /// `override_memory_mb`, in mebibytes.
    pub override_memory_mb: Option<u64>,
    /// `env`, templates unresolved.
    pub env: Option<BTreeMap<String, String>>,
    /// `extra_allowed_hosts`, normalised.
    pub extra_allowed_hosts: Vec<String>,
}

/// `seatrial`: our own settings. Harbor passes over top-level keys that it doesn't know, and over no others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnFile {
    /// `network`.
    pub network: Option<NetworkMode>,
    /// `hosts`: names, normalised, with their `address:port`.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// `ports`, each at least 1.
    pub ports: Vec<u16>,
    /// `base_image`.
    pub base_image: Option<String>,
    /// `cpus`.
    pub cpus: Option<f64>,
    /// `memory_mb`, in mebibytes.
    pub memory_mb: Option<u64>,
    /// `pids_limit`.
    pub pids_limit: Option<u64>,
    /// `engine_wait_sec`.
    pub engine_wait_sec: Option<f64>,
    /// `vendor`.
    pub vendor: Option<PathBuf>,
    /// `suite`.
    pub suite: Option<PathBuf>,
    /// `agents_dir`.
    pub agents_dir: Option<PathBuf>,
    /// `judge`.
    pub judge: JudgeConfig,
    /// `categories` and `exclude_categories`.
    pub categories: Categories,
    /// `verifier_environment`: true for `shared`, false for `separate`.
    pub shared_verifier: Option<bool>,
    /// `model`.
    pub model: ModelConfig,
}
