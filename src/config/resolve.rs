//! One rule of precedence: flags, then environment variables, then the job file, then defaults. Pure: variables and the
//! time of day are handed in.

use super::error::Error;
use super::job_file::JobFile;
use super::judge::{self, JudgeConfig};
use super::settings::{
    AgentConfig, Categories, Config, DatasetConfig, EnvironmentConfig, MOST_MULTIPLIER, MOST_TRIALS, ModelConfig,
    RetryConfig,
};
use crate::task::NetworkMode;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::str::FromStr;

/// What the user typed; empty and `None` mean "not typed".
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags {
    /// `DATASET…`: replaces datasets and tasks of the job file.
    pub datasets: Vec<PathBuf>,
    /// `-a`: replaces the agents of the job file; one of the same name there lends its settings.
    pub agents: Vec<String>,
    /// `-m`: every agent runs once with each of these.
    pub models: Vec<String>,
    /// `--command`: for the agent of that name; for all where none is called so, which then refuse it.
    pub command: Option<String>,
    /// `--ak key=value`: for every agent; values that are JSON are read as JSON.
    pub agent_kwargs: Vec<(String, String)>,
    /// `--ae KEY=VALUE`: for every agent.
    pub agent_env: Vec<(String, String)>,
    /// `-k`.
    pub n_attempts: Option<u32>,
    /// `-n`.
    pub n_concurrent: Option<usize>,
    /// `-i`: replaces `task_names` of every dataset.
    pub include: Vec<String>,
    /// `-x`: replaces `exclude_task_names` of every dataset.
    pub exclude: Vec<String>,
    /// `--category` and `--exclude-category`: each replaces the job file's.
    pub categories: Categories,
    /// `-l`.
    pub n_tasks: Option<usize>,
    /// `-r`.
    pub max_retries: Option<u32>,
    /// `--timeout-multiplier`.
    pub timeout_multiplier: Option<f64>,
    /// `--job-name`.
    pub job_name: Option<String>,
    /// `-o`.
    pub jobs_dir: Option<PathBuf>,
    /// `-q`.
    pub quiet: bool,
    /// `--network`.
    pub network: Option<NetworkMode>,
    /// `--allow-agent-host`, normalised: for every agent.
    pub allow_agent_hosts: Vec<String>,
    /// `--base-image`.
    pub base_image: Option<String>,
    /// `--force-build`.
    pub force_build: bool,
    /// `--judge`, `--judge-model` and `--judge-votes`; more of it can't be typed.
    pub judge: JudgeConfig,
    /// `--verifier-environment`: true for `shared`.
    pub shared_verifier: Option<bool>,
    /// `--max-requests`, `--max-tokens`, `--max-cost`, `--job-max-cost`.
    pub model: ModelConfig,
    /// `--vendor`.
    pub vendor: Option<PathBuf>,
    /// `--suite`.
    pub suite: Option<PathBuf>,
}

/// The name of a job that starts now: Harbor's, the local time as `2026-01-31__09-30-00`.
pub fn default_job_name(now: &jiff::ZonedDateTime) -> String {
    now.strftime("%Y-%m-%d__%H-%M-%S").to_string()
}

/// Settles every setting. `env` looks up `SEATRIAL_JOBS_DIR`, `SEATRIAL_N_CONCURRENT`, `SEATRIAL_NETWORK`,
/// `SEATRIAL_BASE_IMAGE`, `SEATRIAL_JUDGE`, `JUDGE_MODELS` and `JUDGE_MODEL`; a variable that is set to nothing counts as not set.
///
/// # Errors
/// [`Error::BadSetting`] with the flag or variable.
pub fn resolve(
    flags: &Flags,
    env: impl Fn(&str) -> Option<String>,
    file: Option<JobFile>,
    default_name: &str,
) -> Result<Config, Error> {
    let file = file.unwrap_or_default();
    let var = &|name: &str| env(name).filter(|value| !value.is_empty());
    let network = flags.network.or(parsed(var, "SEATRIAL_NETWORK")?).or(file.own.network);
    let (environment, own) = (file.environment, file.own);
    let defaults = RetryConfig::default();
    let config = Config {
        job_name: flags.job_name.clone().or(file.job_name).unwrap_or_else(|| default_name.into()),
        jobs_dir: flags
            .jobs_dir
            .clone()
            .or(var("SEATRIAL_JOBS_DIR").map(PathBuf::from))
            .or(file.jobs_dir)
            .unwrap_or_else(|| "jobs".into()),
        n_attempts: flags.n_attempts.or(file.n_attempts).unwrap_or(1),
        n_concurrent: flags.n_concurrent.or(parsed(var, "SEATRIAL_N_CONCURRENT")?).or(file.n_concurrent).unwrap_or(4),
        quiet: flags.quiet || file.quiet.unwrap_or(false),
        timeout_multiplier: flags.timeout_multiplier.or(file.timeout_multiplier).unwrap_or(1.0),
        agent_timeout_multiplier: file.agent_timeout_multiplier,
        verifier_timeout_multiplier: file.verifier_timeout_multiplier,
        build_timeout_multiplier: file.build_timeout_multiplier,
        retry: RetryConfig {
            max_retries: flags.max_retries.or(file.retry.max_retries).unwrap_or(defaults.max_retries),
            wait_multiplier: file.retry.wait_multiplier.unwrap_or(defaults.wait_multiplier),
            min_wait_sec: file.retry.min_wait_sec.unwrap_or(defaults.min_wait_sec),
            max_wait_sec: file.retry.max_wait_sec.unwrap_or(defaults.max_wait_sec),
        },
        agents: agents(flags, file.agents.unwrap_or_default()),
        datasets: datasets(flags, file.datasets, file.tasks.is_some()),
        tasks: if flags.datasets.is_empty() { file.tasks.unwrap_or_default() } else { Vec::new() },
        categories: Categories {
            only: typed_or(&flags.categories.only, own.categories.only),
            without: typed_or(&flags.categories.without, own.categories.without),
        },
        environment: EnvironmentConfig {
            force_build: flags.force_build || environment.force_build.unwrap_or(false),
            override_cpus: environment.override_cpus,
            override_memory_mb: environment.override_memory_mb,
            env: environment.env.unwrap_or_default(),
            network,
            extra_allowed_hosts: environment.extra_allowed_hosts,
            hosts: own.hosts,
            ports: own.ports,
            base_image: flags.base_image.clone().or(var("SEATRIAL_BASE_IMAGE")).or(own.base_image),
            cpus: own.cpus,
            memory_mb: own.memory_mb,
            pids_limit: own.pids_limit,
            engine_wait_sec: own.engine_wait_sec,
            vendor: flags.vendor.clone().or(own.vendor),
            suite: flags.suite.clone().or(own.suite),
            agents_dir: own.agents_dir,
        },
        verifier: file.verifier,
        shared_verifier: flags.shared_verifier.or(own.shared_verifier).unwrap_or(false),
        judge: judge::resolve(&flags.judge, var, own.judge)?,
        model: flags.model.clone().or(own.model),
    };
    check(&config)?;
    Ok(config)
}

fn agents(flags: &Flags, in_file: Vec<AgentConfig>) -> Vec<AgentConfig> {
    let named = |name: &str| AgentConfig { name: name.into(), ..AgentConfig::default() };
    let mut agents: Vec<AgentConfig> = if !flags.agents.is_empty() {
        let find = |name: &String| in_file.iter().find(|a| a.name == *name).cloned();
        flags.agents.iter().map(|name| find(name).unwrap_or_else(|| named(name))).collect()
    } else if in_file.is_empty() {
        vec![named("oracle")]
    } else {
        in_file
    };
    if !flags.models.is_empty() {
        let with = |agent: &AgentConfig, model: &String| AgentConfig { model: Some(model.clone()), ..agent.clone() };
        agents = agents.iter().flat_map(|agent| flags.models.iter().map(|model| with(agent, model))).collect();
    }
    let takes_line = agents.iter().any(|agent| agent.name == "command");
    for agent in &mut agents {
        if let Some(line) = flags.command.as_ref().filter(|_| agent.name == "command" || !takes_line) {
            agent.kwargs.insert("command".into(), line.as_str().into());
        }
        agent.kwargs.extend(flags.agent_kwargs.iter().map(|(k, v)| (k.clone(), kwarg(v))).collect::<Map<_, _>>());
        agent.extra_allowed_hosts.extend_from_slice(&flags.allow_agent_hosts);
        agent.env.extend(flags.agent_env.iter().cloned());
        agent.env_from_flags.extend(flags.agent_env.iter().map(|(k, _)| k.clone()));
    }
    agents
}

fn kwarg(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn datasets(flags: &Flags, in_file: Option<Vec<DatasetConfig>>, tasks_in_file: bool) -> Vec<DatasetConfig> {
    let at = |path: &PathBuf| DatasetConfig { path: path.clone(), ..DatasetConfig::default() };
    let mut datasets = if !flags.datasets.is_empty() {
        flags.datasets.iter().map(at).collect()
    } else {
        in_file.unwrap_or_else(|| if tasks_in_file { Vec::new() } else { vec![at(&"tasks".into())] })
    };
    for dataset in &mut datasets {
        if !flags.include.is_empty() {
            dataset.task_names = flags.include.clone();
        }
        if !flags.exclude.is_empty() {
            dataset.exclude_task_names = flags.exclude.clone();
        }
        dataset.n_tasks = flags.n_tasks.or(dataset.n_tasks);
    }
    datasets
}

/// What was typed; where nothing was, what the file says.
fn typed_or(typed: &[String], file: Vec<String>) -> Vec<String> {
    if typed.is_empty() { file } else { typed.to_vec() }
}

fn parsed<T: FromStr<Err: std::fmt::Display>>(
    var: impl Fn(&str) -> Option<String>,
    name: &str,
) -> Result<Option<T>, Error> {
    let Some(value) = var(name) else { return Ok(None) };
    let bad = |e: T::Err| Error::BadSetting { origin: format!("`{name}`"), message: format!("`{value}`: {e}") };
    value.parse().map(Some).map_err(bad)
}

/// What a job file can't say wrongly, but a flag or a variable can.
fn check(config: &Config) -> Result<(), Error> {
    let name = &config.job_name;
    let plain =
        !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']) && !name.contains(char::is_control);
    let multiplier = config.timeout_multiplier;
    let (least, most) = ("must be at least 1", &format!("must be at most {MOST_TRIALS}"));
    let positive = |number: Option<f64>| number.is_none_or(|number| number > 0.0 && number.is_finite());
    let stretch = &format!("must be more than 0 and at most {MOST_MULTIPLIER}");
    for (right, origin, message) in [
        (plain, "`--job-name`", "must be a folder's name, without `/` and no dot in front"),
        (config.n_attempts >= 1, "`--n-attempts`", least),
        (config.n_concurrent >= 1, "`--n-concurrent`", least),
        (config.n_attempts as usize <= MOST_TRIALS, "`--n-attempts`", most),
        (config.n_concurrent <= MOST_TRIALS, "`--n-concurrent`", most),
        (config.datasets.iter().all(|d| d.n_tasks != Some(0)), "`--n-tasks`", least),
        (multiplier > 0.0 && multiplier <= MOST_MULTIPLIER, "`--timeout-multiplier`", stretch),
        (positive(config.model.max_cost_usd), "`--max-cost`", "must be more than 0"),
        (positive(config.model.job_max_cost_usd), "`--job-max-cost`", "must be more than 0"),
        (config.model.max_requests != Some(0), "`--max-requests`", least),
        (config.model.max_tokens != Some(0), "`--max-tokens`", least),
        (!config.datasets.is_empty() || !config.tasks.is_empty(), "`datasets`", "names no dataset and no task"),
    ] {
        if !right {
            return Err(Error::BadSetting { origin: origin.into(), message: message.into() });
        }
    }
    same_twice(&config.agents)
}

/// Two agents that are the same would be told apart by nothing in a report.
fn same_twice(agents: &[AgentConfig]) -> Result<(), Error> {
    let twice = agents.iter().enumerate().find(|(index, agent)| agents[..*index].contains(agent));
    twice.map_or(Ok(()), |(_, agent)| {
        let name = &agent.name;
        let message = format!("`{name}` is there twice, with the same model and settings; `-k 2` lets it try twice");
        Err(Error::BadSetting { origin: "`--agent`".into(), message })
    })
}
