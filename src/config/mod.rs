//! Flags over environment over `harbor.yml` over defaults, resolved once into one [`crate::config::Config`].
//!
//! The job file has Harbor's JobConfig keys. Every key of Harbor's is either typed here or refused by name; nothing a
//! user writes is silently ignored. This room must not run anything, and it looks at the host only through what its
//! callers hand in (variables, the time of day), so that each rule can be tested.

mod error;
mod job_file;
mod judge;
mod read;
mod record;
mod resolve;
mod select;
mod settings;
mod yaml;

pub use error::Error;
pub use job_file::{EnvironmentFile, JobFile, OwnFile, RetryFile};
pub use judge::{JudgeConfig, resolve as resolve_judge};
pub use read::{DEFAULT_JOB_FILE, find_job_file, parse_job_file, read_job_file};
pub use record::{agent_record, environment_record, job_record, verifier_record};
pub use resolve::{Flags, default_job_name, resolve};
pub use select::{select, select_categories};
pub use settings::{
    AgentConfig, Categories, Config, DatasetConfig, EnvironmentConfig, ModelConfig, RetryConfig, VerifierConfig,
};
