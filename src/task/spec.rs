//! What a `task.toml` says, typed, with Harbor's defaults filled in. Only what has an effect here is kept; what Harbor
//! knows and this program doesn't do is refused while reading. Data only.

use super::network::NetworkPolicy;
use crate::ideal::Ideal;
use std::collections::BTreeMap;

/// A whole `task.toml`. Field names and defaults are Harbor's.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSpec {
    /// `schema_version`, or `version` in older files.
    pub schema_version: String,
    /// `source`: where the task comes from, in the author's words.
    pub source: Option<String>,
    /// `artifacts`: files and folders in the container that the verifier needs, absolute; the answer is always among
    /// them and not in this list.
    pub artifacts: Vec<String>,
    /// `[task]`: how the task is named when it is published.
    pub package: Option<Package>,
    /// `[metadata]`: what is known about the task.
    pub metadata: Metadata,
    /// `[agent]`.
    pub agent: AgentSpec,
    /// `[verifier]`.
    pub verifier: VerifierSpec,
    /// `[environment]`.
    pub environment: EnvironmentSpec,
    /// `[solution] env`: what the oracle's script gets, templates unresolved.
    pub solution_env: BTreeMap<String, String>,
}

/// `[task]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// `org/name`.
    pub name: String,
    /// The author's version.
    pub version: Option<String>,
    /// What it is, in words.
    pub description: String,
    /// Words to find it by.
    pub keywords: Vec<String>,
}

/// The part of the free-form `[metadata]` that this program reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// `difficulty`: the tier, measured once the task is stamped.
    pub difficulty: Option<String>,
    /// `source_difficulty`: the tier the question's author gave it.
    pub source_difficulty: Option<String>,
    /// `question_type`.
    pub question_type: Option<String>,
    /// `source`: the question set.
    pub source: Option<String>,
    /// `suite`: the part of the question set.
    pub suite: Option<String>,
    /// `tags`.
    pub tags: Vec<String>,
    /// `[metadata.ideal]`: what the best known run took.
    pub ideal: Option<Ideal>,
    /// `measures`: what the task measures, in a sentence.
    pub measures: Option<String>,
    /// All of it, as it was written.
    pub all: serde_json::Map<String, serde_json::Value>,
}

impl Metadata {
    /// The categories by which tasks are chosen: the question's type and the tags.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.question_type.iter().chain(&self.tags).map(String::as_str)
    }
}

/// Who a command runs as, in the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// By name (or `name:group`).
    Name(String),
    /// By number.
    Id(u32),
}

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            User::Name(name) => f.write_str(name),
            User::Id(id) => write!(f, "{id}"),
        }
    }
}

/// `[agent]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSpec {
    /// How long it may run, in seconds; `None` leaves it to the runner's own limit.
    pub timeout_sec: Option<f64>,
    /// Who it runs as.
    pub user: Option<User>,
    /// Its network, where that differs from the environment's.
    pub network: Option<NetworkPolicy>,
}

/// `[verifier]`. All of it is for a verifier that runs in a container: Harbor's, and the judge `script`.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifierSpec {
    /// How long the judge may take, in seconds.
    pub timeout_sec: f64,
    /// Variables of `tests/test.sh`, templates unresolved.
    pub env: BTreeMap<String, String>,
    /// Who `tests/test.sh` runs as.
    pub user: Option<User>,
    /// Its network, where that differs from the environment's.
    pub network: Option<NetworkPolicy>,
    /// `environment_mode = "separate"`: it must not run in the agent's container.
    pub is_separate: bool,
}

/// `[environment]`.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvironmentSpec {
    /// How long the image may take to build, in seconds.
    pub build_timeout_sec: f64,
    /// A ready image, used instead of building `environment/Dockerfile`.
    pub docker_image: Option<String>,
    /// CPUs, possibly in parts.
    pub cpus: Option<f64>,
    /// Memory, in mebibytes.
    pub memory_mb: Option<u64>,
    /// Variables in the container, templates unresolved.
    pub env: BTreeMap<String, String>,
    /// Where commands run, in the container; `None` leaves it to the image.
    pub workdir: Option<String>,
    /// Where the container may connect to.
    pub network: NetworkPolicy,
}
