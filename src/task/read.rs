//! The strict reader of `task.toml`: every field of Harbor's format is either typed, refused by name, or named as
//! having no effect here. It decides nothing about other files of the task.
//!
//! Refused, because a trial without it would be another trial: `[[steps]]`, Windows, GPUs, TPUs, MCP servers, skills,
//! health checks, a verifier environment or collect hooks of its own, artifacts of other services. Warned about, because the
//! trial is the same without it: `storage_mb` (the engine has no limit for it that works everywhere).

use super::network::{NetworkPolicy, read_policy};
use super::node::{Value, parse_toml};
use super::problem::{Level, Sink};
use super::size::size_mb;
use super::spec::{AgentSpec, EnvironmentSpec, Metadata, Package, TaskSpec, User, VerifierSpec};
use super::walk::Section;
use crate::ideal::Ideal;
use std::collections::BTreeMap;

/// Versions of the format that are understood.
const VERSIONS: [&str; 2] = ["1.3", "1.4"];

/// The artifact that is always collected.
const ANSWER: &str = "/app/answer.txt";

/// Reads the text of a `task.toml`. Problems go to `sink`; `None` only where the text isn't TOML at all. With errors
/// in the sink the spec holds what could be read and must not be run.
pub fn read_spec(text: &str, sink: &Sink) -> Option<TaskSpec> {
    let (node, errors) = parse_toml(text.strip_prefix('\u{feff}').unwrap_or(text));
    for (at, message) in &errors {
        sink.add(Level::Error, *at, None, format!("not TOML: {message}"), None);
    }
    if !errors.is_empty() {
        return None;
    }
    let root = Section::root(&node, sink)?;
    let schema_version = version(&root);
    root.refuse("multi_step_reward_strategy", |_| false);
    root.refuse("steps", is_empty);
    let artifacts = artifacts(&root);
    let spec = TaskSpec {
        schema_version,
        source: root.text("source"),
        artifacts,
        package: root.section("task").map(package),
        metadata: root.section("metadata").map(|s| metadata(&s)).unwrap_or_default(),
        agent: root.section("agent").map(agent).unwrap_or_default(),
        verifier: verifier(root.section("verifier")),
        environment: environment(root.section("environment")),
        solution_env: root.section("solution").map(solution).unwrap_or_default(),
    };
    root.finish();
    Some(spec)
}

fn version(root: &Section<'_>) -> String {
    let key = if root.has("schema_version") { "schema_version" } else { "version" };
    if key == "schema_version" && root.has("version") {
        root.wrong("version", "is the old name of `schema_version`, which is there too", Some("keep one".into()));
    }
    let Some(version) = root.text(key) else { return VERSIONS[1].into() };
    if !VERSIONS.contains(&version.as_str()) {
        root.wrong(key, format!("has no version `{version}`"), Some("known versions: `1.3`, `1.4`".into()));
    }
    version
}

fn artifacts(root: &Section<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    for (index, item) in root.list("artifacts").unwrap_or_default().iter().enumerate() {
        let wrong = |why: &str| {
            root.add(Level::Error, item.at, format!("artifacts[{index}]"), format!("`artifacts[{index}]` {why}"))
        };
        match source(&item.value) {
            Err(why) => wrong(&why),
            Ok(path) if !is_plain_path(&path) => {
                wrong("must be an absolute path in the container, without `..`, and not `/manifest.json`");
            }
            Ok(path) if path == ANSWER || paths.contains(&path) => {}
            Ok(path) => paths.push(path),
        }
    }
    paths
}

/// The path that an entry of `artifacts` names.
fn source(value: &Value) -> Result<String, String> {
    let Value::Map(entries) = value else {
        return match value {
            Value::Text(path) => Ok(path.clone()),
            _ => Err("must be a path or a table with `source`".to_owned()),
        };
    };
    let mut path = None;
    for (key, _, node) in entries {
        match (key.as_str(), &node.value) {
            ("source", Value::Text(text)) => path = Some(text.clone()),
            // Where it is kept on the host: always below `artifacts/`, as its path.
            ("destination", Value::Text(_)) => {}
            ("exclude", list) if is_empty(list) => {}
            ("service", Value::Text(service)) if service == "main" => {}
            (key, _) => return Err(format!("is not supported yet with `{key}`")),
        }
    }
    path.ok_or_else(|| "has no `source`".to_owned())
}

fn is_plain_path(path: &str) -> bool {
    let below = path.strip_prefix('/').map(|rest| rest.trim_end_matches('/'));
    below.is_some_and(|below| {
        below != "manifest.json"
            && below.split('/').all(|part| !matches!(part, "" | "." | ".."))
            && !below.contains('\0')
    })
}

fn package(section: Section<'_>) -> Package {
    let name = section.text("name");
    match &name {
        None if !section.has("name") => section.wrong("name", "is missing", Some("write it as `org/name`".into())),
        Some(name) if !is_org_name(name) => {
            let hint = Some("write it as `org/name`, with letters, digits, `.`, `_` and `-`".to_string());
            section.wrong("name", format!("has no name of the form `org/name`: `{name}`"), hint);
        }
        _ => {}
    }
    for author in section.sections("authors") {
        author.text("name");
        author.text("email");
        author.finish();
    }
    let package = Package {
        name: name.unwrap_or_default(),
        version: section.text("version"),
        description: section.text("description").unwrap_or_default(),
        keywords: section.texts("keywords").unwrap_or_default().into_iter().map(|(_, word)| word).collect(),
    };
    section.finish();
    package
}

fn is_org_name(name: &str) -> bool {
    let part = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphanumeric())
            && p.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
            && !p.contains("..")
    };
    name.split_once('/').is_some_and(|(org, short)| part(org) && part(short))
}

/// `[metadata]` is free form. The three keys that reports group by must be text; of the rest, what has another type than
/// expected is somebody else's.
fn metadata(section: &Section<'_>) -> Metadata {
    let all = section.to_json();
    let text = |key| all.get(key).and_then(|v| v.as_str()).map(str::to_string);
    let tags = all.get("tags").and_then(|v| v.as_array()).into_iter().flatten();
    Metadata {
        difficulty: section.text("difficulty"),
        source_difficulty: section.text("source_difficulty"),
        question_type: section.text("question_type"),
        source: text("source"),
        suite: text("suite"),
        measures: text("measures"),
        ideal: section.section("ideal").map(ideal),
        tags: tags.filter_map(|tag| tag.as_str()).map(str::to_string).collect(),
        all: all.clone(),
    }
}

fn ideal(section: Section<'_>) -> Ideal {
    let whole = |key, least| section.integer_from(key, least).and_then(|number| u32::try_from(number).ok());
    let ideal = Ideal {
        steps: whole("steps", 1),
        tool_calls: whole("tool_calls", 0),
        latency_sec: section.positive("latency_sec"),
    };
    section.finish();
    ideal
}

fn agent(section: Section<'_>) -> AgentSpec {
    let spec = AgentSpec {
        timeout_sec: section.positive("timeout_sec"),
        user: user(&section),
        network: read_policy(&section),
    };
    section.finish();
    spec
}

fn verifier(section: Option<Section<'_>>) -> VerifierSpec {
    let mut spec =
        VerifierSpec { timeout_sec: 600.0, env: BTreeMap::new(), user: None, network: None, is_separate: false };
    let Some(section) = section else { return spec };
    spec.timeout_sec = section.positive("timeout_sec").unwrap_or(spec.timeout_sec);
    spec.env = env(&section);
    spec.user = user(&section);
    spec.network = read_policy(&section);
    let mode = section.text("environment_mode");
    spec.is_separate = mode.as_deref() == Some("separate");
    if let Some(mode) = mode.filter(|mode| mode != "shared" && mode != "separate") {
        let hint = Some("known modes: `shared`, `separate`".to_string());
        section.wrong("environment_mode", format!("has no mode `{mode}`"), hint);
    }
    section.refuse("environment", |_| false);
    section.refuse("collect", is_empty);
    section.finish();
    spec
}

fn environment(section: Option<Section<'_>>) -> EnvironmentSpec {
    let mut spec = EnvironmentSpec {
        build_timeout_sec: 600.0,
        docker_image: None,
        cpus: None,
        memory_mb: None,
        env: BTreeMap::new(),
        workdir: None,
        network: NetworkPolicy::Public,
    };
    let Some(section) = section else { return spec };
    spec.build_timeout_sec = section.positive("build_timeout_sec").unwrap_or(spec.build_timeout_sec);
    spec.docker_image = section.text("docker_image");
    if spec.docker_image.as_ref().is_some_and(|image| image.is_empty() || image.contains(char::is_whitespace)) {
        section.wrong("docker_image", "is not an image's name", None);
    }
    spec.cpus = section.cpus("cpus");
    spec.memory_mb = memory(&section);
    spec.env = env(&section);
    spec.workdir = section.text("workdir");
    if spec.workdir.as_ref().is_some_and(|dir| !dir.starts_with('/')) {
        section.wrong("workdir", "must be an absolute path in the container", None);
    }
    spec.network = network(&section);
    section.refuse("os", |v| matches!(v, Value::Text(os) if os.eq_ignore_ascii_case("linux")));
    section.refuse("gpus", |v| *v == Value::Int(0));
    section.refuse("gpu_types", is_empty);
    section.refuse("tpu", |_| false);
    section.refuse("mcp_servers", is_empty);
    section.refuse("skills_dir", |_| false);
    section.refuse("healthcheck", |_| false);
    section.finish();
    spec
}

fn memory(section: &Section<'_>) -> Option<u64> {
    // 6 MiB is the least that the Docker engine takes.
    let written = section.mebibytes("memory_mb");
    let old = old_size(section, "memory", "memory_mb");
    let storage = section.integer_from("storage_mb", 1).or(old_size(section, "storage", "storage_mb"));
    if storage.is_some() {
        let key = if section.has("storage_mb") { "storage_mb" } else { "storage" };
        section.warn(key, "is not applied: the engine has no disk limit that works everywhere", None);
    }
    written.or(old)
}

fn old_size(section: &Section<'_>, key: &'static str, new: &'static str) -> Option<u64> {
    let text = section.text(key)?;
    let Some(size) = size_mb(&text) else {
        section.wrong(key, format!("has no size `{text}`"), Some(format!("write `{new}` in mebibytes instead")));
        return None;
    };
    if section.node(new).is_some_and(|node| i64::try_from(size).map(Value::Int) != Ok(node.value.clone())) {
        section.wrong(key, format!("says something else than `{new}`"), Some(format!("keep `{new}`")));
    } else {
        section.warn(key, "is deprecated", Some(format!("write `{new} = {size}` instead")));
    }
    Some(size)
}

fn network(section: &Section<'_>) -> NetworkPolicy {
    let policy = read_policy(section);
    // The old switch counts only where the new keys are absent, as in Harbor.
    let old = section.boolean("allow_internet");
    if let Some(allowed) = old {
        let mode = if allowed { "public" } else { "no-network" };
        section.warn("allow_internet", "is deprecated", Some(format!("write `network_mode = \"{mode}\"` instead")));
    }
    match (policy, old) {
        (Some(policy), _) => policy,
        (None, Some(false)) if !section.has("network_mode") => NetworkPolicy::NoNetwork,
        (None, _) => NetworkPolicy::Public,
    }
}

fn solution(section: Section<'_>) -> BTreeMap<String, String> {
    let env = env(&section);
    section.finish();
    env
}

fn env(section: &Section<'_>) -> BTreeMap<String, String> {
    let env = section.text_map("env").unwrap_or_default();
    for (name, value) in &env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            section.wrong("env", format!("has no valid variable `{name}`"), None);
        }
    }
    env
}

fn user(section: &Section<'_>) -> Option<User> {
    match &section.node("user")?.value {
        Value::Text(name) if !name.trim().is_empty() => Some(User::Name(name.clone())),
        Value::Int(id) if u32::try_from(*id).is_ok() => u32::try_from(*id).ok().map(User::Id),
        _ => {
            section.wrong("user", "must be a user's name or number", None);
            None
        }
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::List(items) if items.is_empty())
}
