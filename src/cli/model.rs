//! The flags that cap what agents use of models, and the relays of a job's agents. Wiring only.

use super::drive::EngineArgs;
use super::error::Error;
use crate::agent::Agent;
use crate::config::{Config, ModelConfig};
use crate::job::AgentSetup;
use crate::model::{Api, Caps, Endpoint, Prices, Relay, Spend, Usage};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Caps on what agents use of models
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CapArgs {
    /// Requests to models that a trial's agent may make
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
    /// Tokens that a trial's agent may use of models, read and written
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// What a trial's agent may cost, in US dollars; the model's price has to be known
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,
    /// What all agents of the job may cost together, in US dollars; then the job stops and can be resumed
    #[arg(long, value_name = "USD")]
    job_max_cost: Option<f64>,
}

impl CapArgs {
    /// As settings.
    pub fn config(&self) -> ModelConfig {
        ModelConfig {
            max_requests: self.max_requests,
            max_tokens: self.max_tokens,
            max_cost_usd: self.max_cost,
            job_max_cost_usd: self.job_max_cost,
            prices: None,
        }
    }
}

/// The prices of the job: those that were typed, else those of its file, else those of the first agent that names some.
/// Without any those that come with the program.
pub fn prices(config: &Config, engine: &EngineArgs) -> Result<Prices, Error> {
    let of_agents = || config.agents.iter().find_map(|agent| agent.kwargs.get("prices")?.as_str().map(Path::new));
    let path = engine.prices.as_deref().or(config.model.prices.as_deref()).or_else(of_agents);
    Ok(path.map(Prices::load).transpose()?.unwrap_or_else(Prices::shipped))
}

/// What one trial may use of models, by the job's settings.
pub fn caps(config: &Config) -> Caps {
    let model = &config.model;
    Caps { requests: model.max_requests, tokens: model.max_tokens, cost: model.max_cost_usd }
}

/// A cap on cost can't be held to where a price isn't known, be it of a part that agents use in passing: the cost would be
/// unknown from there on.
fn price_needed(model: &str, prices: &Prices, may_use: &Usage) -> Result<(), Error> {
    if prices.cost(model, may_use).is_some() {
        return Ok(());
    }
    let parts = [("cache_read", may_use.cache_read), ("cache_write", may_use.cache_write)];
    let parts = parts.into_iter().filter(|(_, used)| *used > 0).map(|(name, _)| name);
    let parts = parts.chain(may_use.server_tools.keys().map(String::as_str));
    let parts = parts.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let what = match prices.cost(model, &Usage::default()) {
        None => format!("the price of `{model}`, which isn't known"),
        Some(_) => format!("all prices of `{model}` that may count, and of {parts} not all are known"),
    };
    let why = format!(
        "a cap on cost needs {what}\n\nhint: `--prices FILE`, or in the job file `seatrial: {{model: {{prices: \
         prices.toml}}}}`, names a file of prices; its entry there is `[\"{model}\"]`"
    );
    Err(Error::Usage(why))
}

/// A bit of all that an agent may use there: providers read from their caches unasked, and write to them where one asks.
fn bit(writes_cache: bool, tools: &[&str]) -> Usage {
    let server_tools = tools.iter().map(|name| ((*name).to_owned(), 1)).collect();
    Usage { cache_read: 1, cache_write: writes_cache.into(), server_tools, ..Usage::default() }
}

/// Gives each agent that is to use a model the relay to it, where this machine has the model's key or server. What all
/// agents cost is counted together, also that of loops, which ask by themselves.
pub fn lend(
    agents: &mut [AgentSetup],
    config: &Config,
    engine: &EngineArgs,
    notes: &mut Vec<String>,
) -> Result<Arc<Spend>, Error> {
    let caps = caps(config);
    let cap = config.model.job_max_cost_usd;
    let spend = Arc::new(if engine.plays_back() { Spend::of_nothing(cap) } else { Spend::new(cap) });
    let capped = caps != Caps::default() || spend.is_capped();
    let prices = prices(config, engine)?;
    for setup in agents {
        let asked = match &setup.agent {
            Agent::Loop(turns) => Some((&turns.client, &turns.prices, turns.caps, bit(turns.settings.cache, &[]))),
            Agent::Search(search) => {
                let tools = ["web_search_requests", "web_fetch_requests"];
                Some((&search.client, &search.prices, search.caps, bit(true, &tools)))
            }
            _ => None,
        };
        if let Some((client, prices, caps, may_use)) = asked
            && (caps.cost.is_some() || spend.is_capped())
        {
            price_needed(&client.endpoint().model, prices, &may_use)?;
        }
        let installed = matches!(setup.agent, Agent::Installed(_));
        let (true, Some(model)) = (installed || matches!(setup.agent, Agent::Command { .. }), &setup.model) else {
            continue;
        };
        let endpoint = match Endpoint::from_env(model, &|name| engine.variable(name)) {
            Ok(endpoint) => endpoint,
            Err(error @ crate::model::Error::BaseUrl { .. }) => return Err(error.into()),
            // A cap that nobody would hold to must not be taken for one.
            Err(error) if capped || installed => return Err(error.into()),
            // A command may need none: `-m` tells it a name too.
            Err(error) => {
                notes.push(format!("`{model}` is not lent to the agent, which is told its name alone: {error}"));
                continue;
            }
        };
        if caps.cost.is_some() || spend.is_capped() {
            price_needed(&endpoint.model, &prices, &bit(endpoint.api == Api::Messages, &[]))?;
        }
        if !engine.plays_back() {
            notes.push(format!(
                "`{model}` at `{}` is lent to the agent; the key stays outside its sandbox",
                endpoint.host()
            ));
        }
        let (transport, prices) = (engine.transport()?, prices.clone());
        setup.relay = Some(Arc::new(Relay { endpoint, transport, prices, caps, answered: AtomicBool::new(false) }));
    }
    Ok(spend)
}

/// By the prices of which day the models of these agents are reckoned.
pub fn price_days(agents: &[AgentSetup]) -> BTreeMap<String, String> {
    let of = |setup: &AgentSetup| {
        let (endpoint, prices) = match (&setup.agent, &setup.relay) {
            (Agent::Loop(turns), _) => (turns.client.endpoint(), &turns.prices),
            (Agent::Search(search), _) => (search.client.endpoint(), &search.prices),
            (_, Some(relay)) => (&relay.endpoint, &relay.prices),
            _ => return None,
        };
        Some((endpoint.model.clone(), prices.day(&endpoint.model)?.to_owned()))
    };
    agents.iter().filter_map(of).collect()
}
