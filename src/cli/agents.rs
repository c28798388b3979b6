//! An agent of a job, from what the configuration says of it and from the environment. Wiring only: what an agent does is
//! the agents' room's, what it may use of models is said in `model.rs`.

use super::drive::EngineArgs;
use super::error::Error;
use super::load::Purpose;
use super::model::{caps, prices};
use crate::agent::{self, Agent, LoopSettings, Search, SearchSettings, Turns};
use crate::config::{AgentConfig, Config};
use crate::job::AgentSetup;
use crate::model::{Api, Client, Endpoint, Prices};
use crate::plan::AgentRef;
use crate::task;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The agent that `config` describes.
pub fn agent(config: &AgentConfig, job: &Config, purpose: Purpose, engine: &EngineArgs) -> Result<AgentSetup, Error> {
    let mut kwargs = config.kwargs.clone();
    let runs = purpose != Purpose::Judge;
    // Who is asked nothing may be anywhere.
    let anywhere = |name: &str| (!runs && name.ends_with("_BASE_URL")).then(|| "http://127.0.0.1".to_owned());
    let variable = |name: &str| engine.variable(name).or_else(|| anywhere(name));
    let asked = match (config.name.as_str(), &config.model) {
        ("loop", Some(model)) => Some(turns(model, std::mem::take(&mut kwargs), job, engine, &variable)?),
        ("messages-search", Some(model)) => Some(search(model, std::mem::take(&mut kwargs), job, engine, &variable)?),
        _ => None,
    };
    let line = kwargs.remove("command");
    let line = line.map(|line| line.as_str().map_or_else(|| line.to_string(), str::to_owned));
    if let Some(key) = kwargs.keys().next() {
        return Err(Error::Usage(format!("agent `{}` has no setting `{key}`", config.name)));
    }
    let agent = match asked {
        Some(agent) => agent,
        None => Agent::named(&config.name, line.as_deref(), job.environment.agents_dir.as_deref())?,
    };
    // Without one, every trial would end with the agent's own error.
    if agent.needs_model() && config.model.is_none() {
        return Err(agent::Error::NoModel { name: config.name.clone() }.into());
    }
    let env = if runs { task::resolve_env(&config.env, |name| std::env::var(name).ok())? } else { BTreeMap::new() };
    Ok(AgentSetup {
        agent,
        model: config.model.clone(),
        env: env.into_iter().collect(),
        override_timeout: config.override_timeout_sec.map(Duration::from_secs_f64),
        max_timeout: config.max_timeout_sec.map(Duration::from_secs_f64),
        extra_hosts: config.extra_allowed_hosts.clone(),
        relay: None,
    })
}

/// The loop of that model, from the agent's settings and the environment.
fn turns(
    model: &str,
    kwargs: serde_json::Map<String, serde_json::Value>,
    job: &Config,
    engine: &EngineArgs,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Agent, Error> {
    let wrong = |why: String| Error::Usage(format!("agent `loop`: {why}"));
    let settings: LoopSettings = typed(kwargs).map_err(wrong)?;
    settings.wrong().map_or(Ok(()), |why| Err(wrong(why)))?;
    let endpoint = Endpoint::from_env(model, variable)?;
    let prices = agent_prices(settings.prices.as_deref(), job, engine)?;
    let caps = settings.caps().and(caps(job));
    let client = Client::new(endpoint, engine.transport()?, Default::default());
    Ok(Agent::Loop(Arc::new(Turns { settings, client, prices, caps })))
}

/// What was given by `--ak`, as settings that all have defaults; else which of them is wrong, and how.
fn typed<S: DeserializeOwned>(kwargs: serde_json::Map<String, serde_json::Value>) -> Result<S, String> {
    let alone = |(key, value): (&String, &serde_json::Value)| {
        let error = serde_json::from_value::<S>(serde_json::json!({ key: value })).err()?;
        Some(format!("`{key}`: {error}"))
    };
    match kwargs.iter().find_map(alone) {
        Some(why) => Err(why),
        None => serde_json::from_value(kwargs.into()).map_err(|e| e.to_string()),
    }
}

/// The agent's own, or the job's.
fn agent_prices(own: Option<&Path>, job: &Config, engine: &EngineArgs) -> Result<Prices, Error> {
    own.map_or_else(|| prices(job, engine), |path| Ok(Prices::load(path)?))
}

/// `messages-search` with that model, likewise.
fn search(
    model: &str,
    kwargs: serde_json::Map<String, serde_json::Value>,
    job: &Config,
    engine: &EngineArgs,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Agent, Error> {
    let wrong = |why: String| Error::Usage(format!("agent `messages-search`: {why}"));
    let settings: SearchSettings = typed(kwargs).map_err(wrong)?;
    settings.wrong().map_or(Ok(()), |why| Err(wrong(why)))?;
    let endpoint = Endpoint::from_env(model, variable)?;
    if endpoint.api != Api::Messages {
        return Err(wrong(format!(
            "`{model}` is not asked by Messages, and only there are tools called from code\n\nhint: name the model as \
             `anthropic/NAME`; `-a loop` asks any model"
        )));
    }
    let prices = agent_prices(settings.prices.as_deref(), job, engine)?;
    let caps = settings.caps().and(caps(job));
    let client = Client::new(endpoint, engine.transport()?, settings.client());
    Ok(Agent::Search(Arc::new(Search { settings, client, prices, caps })))
}

/// What records call it.
pub fn agent_ref(setup: &AgentSetup) -> AgentRef {
    AgentRef { name: setup.agent.name().to_owned(), model: setup.model.clone() }
}
