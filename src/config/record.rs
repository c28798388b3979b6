//! A config as Harbor's JSON (JobConfig), which goes into the job's folder and can be read back as a job file.
//!
//! Values of environment variables may be secrets, so they are written by an allowlist: a template stays a template; a
//! value is written only where the job file holds it literally under a name that doesn't sound like a secret. Anything
//! else becomes `${NAME}`, which a resumed job takes from its own environment.

use super::judge;
use super::settings::{AgentConfig, Config, DatasetConfig, EnvironmentConfig, VerifierConfig};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The whole job, in the shape of Harbor's `config.json` for jobs.
pub fn job_record(config: &Config) -> Value {
    let retry = json!({
        "max_retries": config.retry.max_retries,
        "wait_multiplier": config.retry.wait_multiplier,
        "min_wait_sec": config.retry.min_wait_sec,
        "max_wait_sec": config.retry.max_wait_sec,
    });
    json!({
        "schema_version": 1,
        "job_name": config.job_name,
        "jobs_dir": config.jobs_dir,
        "n_attempts": config.n_attempts,
        "timeout_multiplier": config.timeout_multiplier,
        "agent_timeout_multiplier": config.agent_timeout_multiplier,
        "verifier_timeout_multiplier": config.verifier_timeout_multiplier,
        "agent_setup_timeout_multiplier": null,
        "environment_build_timeout_multiplier": config.build_timeout_multiplier,
        "debug": false,
        "n_concurrent_trials": config.n_concurrent,
        "quiet": config.quiet,
        "retry": retry,
        "environment": environment_record(&config.environment),
        "verifier": verifier_record(&config.verifier),
        "metrics": [],
        "agents": config.agents.iter().map(agent_record).collect::<Vec<_>>(),
        "datasets": config.datasets.iter().map(dataset_record).collect::<Vec<_>>(),
        "tasks": config.tasks.iter().map(|path| json!({"path": path})).collect::<Vec<_>>(),
        "artifacts": [],
        "seatrial": own_record(config),
    })
}

/// One agent, in the shape that jobs and trials share.
pub fn agent_record(agent: &AgentConfig) -> Value {
    json!({
        "name": agent.name,
        "import_path": null,
        "model_name": agent.model,
        "override_timeout_sec": agent.override_timeout_sec,
        "override_setup_timeout_sec": null,
        "max_timeout_sec": agent.max_timeout_sec,
        "extra_allowed_hosts": agent.extra_allowed_hosts,
        "kwargs": agent.kwargs,
        "env": env_record(&agent.env, &agent.env_from_flags),
    })
}

/// The environment, in the shape that jobs and trials share.
pub fn environment_record(environment: &EnvironmentConfig) -> Value {
    json!({
        "type": "docker",
        "import_path": null,
        "force_build": environment.force_build,
        "delete": true,
        "override_cpus": environment.override_cpus,
        "override_memory_mb": environment.override_memory_mb,
        "override_storage_mb": null,
        "override_gpus": null,
        "mounts": null,
        "extra_allowed_hosts": environment.extra_allowed_hosts,
        "env": env_record(&environment.env, &BTreeSet::new()),
        "kwargs": {},
    })
}

/// What tasks' own scripts are run with, in the shape that jobs and trials share.
pub fn verifier_record(verifier: &VerifierConfig) -> Value {
    json!({
        "override_timeout_sec": verifier.override_timeout_sec,
        "max_timeout_sec": verifier.max_timeout_sec,
        "env": env_record(&verifier.env, &BTreeSet::new()),
        "kwargs": {},
        "disable": false,
    })
}

/// Our own settings, only those that say something.
fn own_record(config: &Config) -> Value {
    let environment = &config.environment;
    let mut own = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        own.extend(value.map(|value| (key.to_string(), value)));
    };
    put("network", environment.network.map(|mode| mode.as_str().into()));
    put("hosts", (!environment.hosts.is_empty()).then(|| json!(environment.hosts)));
    put("ports", (!environment.ports.is_empty()).then(|| json!(environment.ports)));
    put("base_image", environment.base_image.clone().map(Value::from));
    put("cpus", environment.cpus.map(Value::from));
    put("memory_mb", environment.memory_mb.map(Value::from));
    put("pids_limit", environment.pids_limit.map(Value::from));
    put("engine_wait_sec", environment.engine_wait_sec.map(Value::from));
    put("vendor", environment.vendor.as_ref().map(|path| json!(path)));
    put("agents_dir", environment.agents_dir.as_ref().map(|path| json!(path)));
    put("suite", environment.suite.as_ref().map(|path| json!(path)));
    let model = &config.model;
    let mut caps = Map::new();
    for (key, value) in [
        ("max_requests", model.max_requests.map(Value::from)),
        ("max_tokens", model.max_tokens.map(Value::from)),
        ("max_cost_usd", model.max_cost_usd.map(Value::from)),
        ("job_max_cost_usd", model.job_max_cost_usd.map(Value::from)),
        ("prices", model.prices.as_ref().map(|path| json!(path))),
    ] {
        caps.extend(value.map(|value| (key.to_string(), value)));
    }
    put("model", (!caps.is_empty()).then_some(caps.into()));
    put("judge", judge::record(&config.judge));
    let globs = |globs: &Vec<String>| (!globs.is_empty()).then(|| json!(globs));
    put("categories", globs(&config.categories.only));
    put("exclude_categories", globs(&config.categories.without));
    put("verifier_environment", config.shared_verifier.then(|| "shared".into()));
    own.into()
}

fn dataset_record(dataset: &DatasetConfig) -> Value {
    let globs = |globs: &Vec<String>| if globs.is_empty() { Value::Null } else { json!(globs) };
    json!({
        "path": dataset.path,
        "task_names": globs(&dataset.task_names),
        "exclude_task_names": globs(&dataset.exclude_task_names),
        "n_tasks": dataset.n_tasks,
    })
}

fn env_record(env: &BTreeMap<String, String>, from_flags: &BTreeSet<String>) -> Value {
    let written = |name: &String, value: &String| {
        let secret = from_flags.contains(name) || sounds_secret(name) || looks_secret(value);
        if is_template(value) || !secret { value.clone() } else { format!("${{{name}}}") }
    };
    env.iter().map(|(name, value)| (name.clone(), Value::from(written(name, value)))).collect::<Map<_, _>>().into()
}

/// A value that looks like a key whatever its name is: a well-known beginning, a login in an address, or one long word
/// of letters and digits mixed.
fn looks_secret(value: &str) -> bool {
    let value = value.split_once(":-").map_or(value, |(_, default)| default).trim_end_matches('}');
    let begins =
        ["sk-", "sk_", "pk_", "ghp_", "gho_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "hf_", "Bearer ", "eyJ"];
    let login =
        value.split_once("://").is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|r| r.contains('@')));
    let word = value.len() >= 20 && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+/=".contains(c));
    let mixed = value.chars().any(|c| c.is_ascii_digit()) && value.chars().any(|c| c.is_ascii_alphabetic());
    begins.iter().any(|begin| value.starts_with(begin)) || login || (word && mixed)
}

/// A template without a default: it holds no value.
fn is_template(value: &str) -> bool {
    value.starts_with("${") && value.ends_with('}') && !value.contains(":-")
}

/// Harbor's list of words, and `COOKIE`.
fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words = ["KEY", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH", "COOKIE"];
    // `MAX_TOKENS` is a number, `TOKEN` is not.
    words.iter().any(|word| name.contains(word)) || name.replace("TOKENS", "").contains("TOKEN")
}
