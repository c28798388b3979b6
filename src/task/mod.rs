//! Harbor task directories: the only place that knows `task.toml`'s keys, read model and edit twin side by side.
//!
//! This room must not run, build or judge anything, and it writes nothing: it reads `tasks/` and says what is there
//! and what is wrong with it. The strict walker ([`crate::task::Section`] over [`crate::task::Node`]) is shared with
//! `config/`, so that a job file and a task file are complained about in the same words.

mod case;
mod dataset;
mod digest;
mod dockerfile;
mod edit;
mod env;
mod error;
mod hosts;
mod leak;
mod lines;
mod lint;
mod near;
mod network;
mod node;
mod order;
mod problem;
mod read;
mod size;
mod slug;
mod spec;
mod stale;
mod walk;

pub use case::{Case, read_case};
pub use dataset::{Checked, Task, TaskSet, check_dataset, check_folder, load_dataset, task_dirs, task_name};
pub use digest::{Digests, digests};
pub use edit::{Stamp, Tier, apply_stamp, metadata_of, stamp_of};
pub use env::resolve_env;
pub use error::Error;
pub use hosts::normalize_host;
pub use lines::kept_lines;
pub use lint::unsaid;
pub use near::{missing_hint, near};
pub use network::{NetworkMode, NetworkPolicy, read_hosts};
pub use node::{Node, Place, Value};
pub use order::by_name;
pub use problem::{Level, Problem, Sink, in_words};
pub use read::read_spec;
pub use slug::slug;
pub use spec::{AgentSpec, EnvironmentSpec, Metadata, Package, TaskSpec, User, VerifierSpec};
pub use stale::stale;
pub use walk::Section;
