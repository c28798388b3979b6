//! The strict reader of job files: which of Harbor's JobConfig keys are typed, and which are refused by name when they
//! ask for something. A value that asks for nothing (`null`, `false`, an empty list) is fine everywhere, so that a
//! `config.json` which Harbor wrote out in full can be read.

use super::error::Error;
use super::job_file::{EnvironmentFile, JobFile, OwnFile, RetryFile};
use super::judge;
use super::settings::{
    AgentConfig, Categories, DatasetConfig, MOST_MULTIPLIER, MOST_SECONDS, MOST_TRIALS, ModelConfig, VerifierConfig,
};
use super::yaml::parse_yaml;
use crate::task::{Level, NetworkMode, Problem, Section, Sink, Value, normalize_host, read_hosts};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The job file that is used where none is named.
pub const DEFAULT_JOB_FILE: &str = "harbor.yml";

/// Reads the job file that the user named, else the one in `dir`, where there is one.
///
/// # Errors
/// Where a file that is there, or was named, can't be read or says something that can't be done.
pub fn find_job_file(named: Option<&Path>, dir: &Path) -> Result<Option<JobFile>, Error> {
    let default = dir.join(DEFAULT_JOB_FILE);
    match named {
        Some(path) => read_job_file(path).map(Some),
        None if default.exists() => read_job_file(&default).map(Some),
        None => Ok(None),
    }
}

/// Reads a job file, YAML or JSON.
///
/// # Errors
/// [`Error::Read`], and [`Error::BadFile`] with everything that is wrong.
pub fn read_job_file(path: &Path) -> Result<JobFile, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
    parse_job_file(&text, path)
}

/// Reads the text of a job file; `path` is for messages.
///
/// # Errors
/// [`Error::BadFile`] with everything that is wrong.
pub fn parse_job_file(text: &str, path: &Path) -> Result<JobFile, Error> {
    let bad = |problems| Error::BadFile { path: path.to_path_buf(), problems };
    let node = parse_yaml(text)
        .map_err(|(at, message)| bad(vec![Problem::error(path, format!("neither YAML nor JSON: {message}")).at(at)]))?;
    let sink = Sink::new(path);
    let file = Section::root(&node, &sink).map(job).unwrap_or_default();
    let problems = sink.into_problems();
    if problems.iter().any(|p| p.level == Level::Error) { Err(bad(problems)) } else { Ok(file) }
}

fn job(root: Section<'_>) -> JobFile {
    if let Some(version) = root.integer("schema_version")
        && version != 1
    {
        root.wrong("schema_version", format!("has no version `{version}`"), Some("known version: 1".into()));
    }
    refuse(&root, &["install_only", "skip_credential_checks", "agent_setup_timeout_multiplier", "debug"]);
    refuse(&root, &["override_error_policy", "user_agent", "extra_instruction_paths", "extra_instructions"]);
    refuse(&root, &["source_jobs", "plugins", "artifacts"]);
    root.refuse("metrics", |v| idle(v) || is_mean(v));
    let mut file = JobFile {
        job_name: root.text("job_name"),
        jobs_dir: root.text("jobs_dir").map(PathBuf::from),
        n_attempts: trials(&root, "n_attempts").and_then(|n| u32::try_from(n).ok()),
        n_concurrent: trials(&root, "n_concurrent_trials"),
        quiet: root.boolean("quiet"),
        timeout_multiplier: at_most(&root, "timeout_multiplier", MOST_MULTIPLIER),
        agent_timeout_multiplier: at_most(&root, "agent_timeout_multiplier", MOST_MULTIPLIER),
        verifier_timeout_multiplier: at_most(&root, "verifier_timeout_multiplier", MOST_MULTIPLIER),
        build_timeout_multiplier: at_most(&root, "environment_build_timeout_multiplier", MOST_MULTIPLIER),
        retry: root.section("retry").map(retry).unwrap_or_default(),
        agents: list(&root, "agents", agent),
        datasets: list(&root, "datasets", dataset),
        tasks: list(&root, "tasks", task),
        environment: root.section("environment").map(environment).unwrap_or_default(),
        verifier: root.section("verifier").map(verifier).unwrap_or_default(),
        own: root.section("seatrial").map(own).unwrap_or_default(),
    };
    orchestrator(&root, &mut file);
    root.finish();
    file
}

/// The older spelling of three settings; the newer one wins.
fn orchestrator(root: &Section<'_>, file: &mut JobFile) {
    let Some(section) = root.section("orchestrator") else { return };
    let concurrent = trials(&section, "n_concurrent_trials");
    file.n_concurrent = file.n_concurrent.or(concurrent);
    file.quiet = file.quiet.or(section.boolean("quiet"));
    if let Some(old) = section.section("retry").map(retry)
        && !root.has("retry")
    {
        file.retry = old;
    }
    section.refuse("type", |v| *v == Value::Text("local".into()));
    refuse(&section, &["kwargs"]);
    section.finish();
}

fn retry(section: Section<'_>) -> RetryFile {
    // Only faults of ours are retried here, whatever an agent's exception is called.
    refuse(&section, &["include_exceptions", "exclude_exceptions"]);
    let file = RetryFile {
        max_retries: count(&section, "max_retries", 0),
        wait_multiplier: section.positive("wait_multiplier"),
        min_wait_sec: at_most(&section, "min_wait_sec", MOST_SECONDS),
        max_wait_sec: at_most(&section, "max_wait_sec", MOST_SECONDS),
    };
    section.finish();
    file
}

fn agent(section: Section<'_>) -> AgentConfig {
    refuse(&section, &["import_path", "base_url", "model_api_key_name", "model_api_format", "skip_model_parsing"]);
    refuse(&section, &["n_concurrent", "concurrency_group", "skills", "override_setup_timeout_sec", "mcp_servers"]);
    refuse(&section, &["resume_trajectory", "load_trajectory", "include_logs", "exclude_logs"]);
    let file = AgentConfig {
        // Harbor's default agent.
        name: section.text("name").unwrap_or_else(|| "oracle".into()),
        model: section.text("model_name"),
        kwargs: section.any_map("kwargs"),
        env: section.text_map("env").unwrap_or_default(),
        env_from_flags: Default::default(),
        override_timeout_sec: at_most(&section, "override_timeout_sec", MOST_SECONDS),
        max_timeout_sec: at_most(&section, "max_timeout_sec", MOST_SECONDS),
        extra_allowed_hosts: read_hosts(&section, "extra_allowed_hosts"),
    };
    section.finish();
    file
}

fn dataset(section: Section<'_>) -> DatasetConfig {
    refuse(&section, &["name", "repo", "version", "ref", "registry_url", "registry_path", "overwrite", "download_dir"]);
    let names = |key| section.texts(key).unwrap_or_default().into_iter().map(|(_, name)| name).collect();
    let file = DatasetConfig {
        path: path(&section),
        task_names: names("task_names"),
        exclude_task_names: names("exclude_task_names"),
        n_tasks: section.integer_from("n_tasks", 1).and_then(|n| usize::try_from(n).ok()),
    };
    section.finish();
    file
}

fn task(section: Section<'_>) -> PathBuf {
    refuse(&section, &["name", "git_url", "git_commit_id", "ref", "overwrite", "download_dir"]);
    // Only a label.
    section.text("source");
    let path = path(&section);
    section.finish();
    path
}

fn path(section: &Section<'_>) -> PathBuf {
    let path = section.text("path");
    if !section.has("path") {
        section.wrong("path", "is missing", Some("name a folder on this machine".into()));
    }
    PathBuf::from(path.unwrap_or_default())
}

fn environment(section: Section<'_>) -> EnvironmentFile {
    if let Some(kind) = section.text("type").filter(|kind| kind != "docker") {
        section.wrong("type", format!("has no kind `{kind}`"), Some("known here: `docker`".into()));
    }
    section.refuse("cpu_enforcement_policy", |v| *v == Value::Text("auto".into()));
    section.refuse("memory_enforcement_policy", |v| *v == Value::Text("auto".into()));
    refuse(&section, &["import_path", "stream", "override_storage_mb", "override_gpus", "override_tpu"]);
    refuse(&section, &["mounts", "extra_docker_compose"]);
    section.refuse("delete", |v| *v == Value::Bool(true));
    refuse(&section, &["kwargs"]);
    let file = EnvironmentFile {
        force_build: section.boolean("force_build"),
        override_cpus: section.cpus("override_cpus"),
        override_memory_mb: section.mebibytes("override_memory_mb"),
        env: section.text_map("env"),
        extra_allowed_hosts: read_hosts(&section, "extra_allowed_hosts"),
    };
    section.finish();
    file
}

/// What is said of tasks' own scripts.
fn verifier(section: Section<'_>) -> VerifierConfig {
    refuse(&section, &["import_path", "disable", "extra_allowed_hosts", "include_logs", "exclude_logs", "kwargs"]);
    let file = VerifierConfig {
        override_timeout_sec: at_most(&section, "override_timeout_sec", MOST_SECONDS),
        max_timeout_sec: at_most(&section, "max_timeout_sec", MOST_SECONDS),
        env: section.text_map("env").unwrap_or_default(),
    };
    section.finish();
    file
}

fn own(section: Section<'_>) -> OwnFile {
    let network = section.text("network").and_then(|word| match word.parse::<NetworkMode>() {
        Ok(mode) => Some(mode),
        Err(hint) => {
            section.wrong("network", format!("has no mode `{word}`"), Some(hint));
            None
        }
    });
    let file = OwnFile {
        network,
        hosts: mapped_hosts(&section),
        ports: ports(&section),
        base_image: section.text("base_image"),
        cpus: section.cpus("cpus"),
        memory_mb: section.mebibytes("memory_mb"),
        pids_limit: section.integer_from("pids_limit", 1),
        engine_wait_sec: at_most(&section, "engine_wait_sec", MOST_SECONDS),
        vendor: section.text("vendor").map(PathBuf::from),
        suite: section.text("suite").map(PathBuf::from),
        agents_dir: section.text("agents_dir").map(PathBuf::from),
        judge: judge::read(&section),
        categories: Categories { only: words(&section, "categories"), without: words(&section, "exclude_categories") },
        shared_verifier: verifier_environment(&section),
        model: section.section("model").map(model).unwrap_or_default(),
    };
    section.finish();
    file
}

fn words(section: &Section<'_>, key: &'static str) -> Vec<String> {
    section.texts(key).unwrap_or_default().into_iter().map(|(_, word)| word).collect()
}

fn model(section: Section<'_>) -> ModelConfig {
    let file = ModelConfig {
        max_requests: section.integer_from("max_requests", 1),
        max_tokens: section.integer_from("max_tokens", 1),
        max_cost_usd: section.positive("max_cost_usd"),
        job_max_cost_usd: section.positive("job_max_cost_usd"),
        prices: section.text("prices").map(PathBuf::from),
    };
    section.finish();
    file
}

/// `verifier_environment`, Harbor's two words.
fn verifier_environment(section: &Section<'_>) -> Option<bool> {
    match section.text("verifier_environment")?.as_str() {
        "shared" => Some(true),
        "separate" => Some(false),
        word => {
            let hint = Some("known: `separate`, `shared`".to_owned());
            section.wrong("verifier_environment", format!("has no word `{word}`"), hint);
            None
        }
    }
}

/// `hosts: {NAME: ADDRESS:PORT}`.
fn mapped_hosts(section: &Section<'_>) -> BTreeMap<String, SocketAddr> {
    let mut hosts = BTreeMap::new();
    for (name, address) in section.text_map("hosts").unwrap_or_default() {
        let normal = normalize_host(&name).and_then(|normal| match normal.contains(['*', '/']) {
            true => Err("stands for more than one host".to_owned()),
            false => Ok(normal),
        });
        match (normal, address.parse()) {
            (Ok(normal), Ok(address)) => drop(hosts.insert(normal, address)),
            (Err(why), _) => section.wrong("hosts", format!("has `{name}`, which {why}"), None),
            (_, Err(_)) => section.wrong(
                "hosts",
                format!("has `{address}` for `{name}`, which is no address with a port"),
                Some("write it as `127.0.0.1:8000`".into()),
            ),
        }
    }
    hosts
}

fn ports(section: &Section<'_>) -> Vec<u16> {
    let mut ports = Vec::new();
    for item in section.list("ports").unwrap_or_default() {
        match item.value {
            Value::Int(port @ 1..=65535) => ports.push(port as u16),
            ref other => {
                section.wrong("ports", format!("has `{}`, which is no port", other.to_json()), None);
            }
        }
    }
    ports
}

/// A list of tables; `None` where the key isn't there.
fn list<T>(root: &Section<'_>, key: &'static str, read: impl Fn(Section<'_>) -> T) -> Option<Vec<T>> {
    root.has(key).then(|| root.sections(key).into_iter().map(read).collect())
}

/// A number over 0 and up to `most`.
fn at_most(section: &Section<'_>, key: &'static str, most: f64) -> Option<f64> {
    let number = section.positive(key)?;
    if number > most {
        section.wrong(key, format!("must be at most {most}, not {number}"), None);
        return None;
    }
    Some(number)
}

/// A number of trials: of attempts, or at a time.
fn trials(section: &Section<'_>, key: &'static str) -> Option<usize> {
    let number = section.integer_from(key, 1)?;
    if number > MOST_TRIALS as u64 {
        section.wrong(key, format!("must be at most {MOST_TRIALS}, not {number}"), None);
        return None;
    }
    usize::try_from(number).ok()
}

fn count(section: &Section<'_>, key: &'static str, least: i64) -> Option<u32> {
    section.integer_from(key, least).and_then(|n| u32::try_from(n).ok())
}

fn refuse(section: &Section<'_>, keys: &[&'static str]) {
    for key in keys {
        section.refuse(key, idle);
    }
}

/// Values that ask for nothing.
fn idle(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Text(text) => text.is_empty(),
        _ => false,
    }
}

/// `[{type: mean}]`: the mean is always shown.
fn is_mean(value: &Value) -> bool {
    let Value::List(items) = value else { return false };
    items.iter().all(|item| item.value.to_json().get("type").is_some_and(|t| t == "mean"))
}
