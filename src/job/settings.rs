//! This room's settings and their defaults.

use crate::agent::Agent;
use crate::judge::ScriptEnvironment;
use crate::model::Relay;
use crate::sandbox::Limits;
use crate::task::NetworkMode;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How a job runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How many trials run at once.
    pub n_concurrent: usize,
    /// What is done about faults.
    pub retry: Retry,
    /// Less network than the tasks allow.
    pub network: Option<NetworkMode>,
    /// Hosts beside those of each task's environment, as [`crate::task::normalize_host`] spells them.
    pub extra_hosts: Vec<String>,
    /// TCP ports on which listed hosts can be reached; none means [`crate::network::PORTS`].
    pub ports: Vec<u16>,
    /// Base image instead of the one that a Dockerfile's `ARG BASE_IMAGE` names.
    pub base_image: Option<String>,
    /// Build images anew also where the engine has them.
    pub force_build: bool,
    /// How long an agent may take where its task says nothing.
    pub agent_timeout: Duration,
    /// Every agent's time is multiplied by this.
    pub agent_timeout_multiplier: f64,
    /// Every build's time is multiplied by this.
    pub build_timeout_multiplier: f64,
    /// A script judge's time, whatever its task says.
    pub verifier_override_timeout: Option<Duration>,
    /// A script judge's time at most.
    pub verifier_max_timeout: Option<Duration>,
    /// Every script judge's time is multiplied by this.
    pub verifier_timeout_multiplier: f64,
    /// More variables for script judges, over those of their tasks, templates unresolved.
    pub verifier_env: BTreeMap<String, String>,
    /// Where scripts of tasks run that don't ask for a container of their own.
    pub script_environment: ScriptEnvironment,
    /// Processors, whatever the tasks say.
    pub override_cpus: Option<f64>,
    /// Memory in MiB, whatever the tasks say.
    pub override_memory_mb: Option<u64>,
    /// For tasks that don't say.
    pub limits: Limits,
    /// More variables for every agent.
    pub env: Vec<(String, String)>,
    /// How long after TERM until KILL when an agent's time is over.
    pub grace: Duration,
    /// How many bytes of an agent's output are kept.
    pub output_cap: u64,
    /// How long an engine that stopped answering is waited for before the job stops.
    pub engine_wait: Duration,
    /// How long a judge that failed several times in a row is left alone at first; each time twice as long, up to
    /// twelve times this.
    pub judge_pause: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            n_concurrent: 4,
            retry: Retry::default(),
            network: None,
            extra_hosts: Vec::new(),
            ports: Vec::new(),
            base_image: None,
            force_build: false,
            agent_timeout: Duration::from_secs(900),
            agent_timeout_multiplier: 1.0,
            build_timeout_multiplier: 1.0,
            verifier_override_timeout: None,
            verifier_max_timeout: None,
            verifier_timeout_multiplier: 1.0,
            verifier_env: BTreeMap::new(),
            script_environment: ScriptEnvironment::default(),
            override_cpus: None,
            override_memory_mb: None,
            limits: Limits::default(),
            env: Vec::new(),
            grace: Duration::from_secs(2),
            output_cap: 4 << 20,
            engine_wait: Duration::from_secs(60),
            judge_pause: Duration::from_secs(10),
        }
    }
}

impl Settings {
    /// Whether anything is said of script judges that only they take.
    pub fn verifier_is_set(&self) -> bool {
        let times = [self.verifier_override_timeout, self.verifier_max_timeout];
        times.iter().any(Option::is_some) || !self.verifier_env.is_empty()
    }
}

/// What is done about a fault: the trial starts again after Harbor's `min_wait × multiplier^retries`, at most `max_wait`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// How many times a trial is started again.
    pub max_retries: u32,
    /// The first wait.
    pub min_wait: Duration,
    /// The longest wait.
    pub max_wait: Duration,
    /// How the wait grows.
    pub multiplier: f64,
}

impl Default for Retry {
    /// Two more starts: a fault that lasts longer is for `resume`.
    fn default() -> Retry {
        let (min_wait, max_wait) = (Duration::from_secs(1), Duration::from_secs(60));
        Retry { max_retries: 2, min_wait, max_wait, multiplier: 2.0 }
    }
}

impl Retry {
    /// How long to wait before the start after `retries` earlier ones.
    pub fn wait(&self, retries: u32) -> Duration {
        let seconds = self.min_wait.as_secs_f64() * self.multiplier.powi(i32::try_from(retries).unwrap_or(i32::MAX));
        Duration::from_secs_f64(seconds.clamp(0.0, self.max_wait.as_secs_f64()))
    }
}

/// An agent of a job.
#[derive(Debug, Clone)]
pub struct AgentSetup {
    /// Which.
    pub agent: Agent,
    /// The model it is to use.
    pub model: Option<String>,
    /// Variables that only it gets.
    pub env: Vec<(String, String)>,
    /// Its time, whatever the task says.
    pub override_timeout: Option<Duration>,
    /// Its time at most.
    pub max_timeout: Option<Duration>,
    /// Hosts that it may reach beside those of each task, as [`crate::task::normalize_host`] spells them.
    pub extra_hosts: Vec<String>,
    /// What lends it its model without the key, where there is such a thing.
    pub relay: Option<Arc<Relay>>,
}

impl From<Agent> for AgentSetup {
    fn from(agent: Agent) -> AgentSetup {
        let (model, override_timeout, max_timeout) = (None, None, None);
        let (env, extra_hosts, relay) = (Vec::new(), Vec::new(), None);
        AgentSetup { agent, model, env, override_timeout, max_timeout, extra_hosts, relay }
    }
}
