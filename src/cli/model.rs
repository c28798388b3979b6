//! The flags that cap what agents use of models, and the relays of a job's agents. Wiring only.

use super::error::Error;
use crate::agent::Agent;
use crate::config::{Config, ModelConfig};
use crate::job::AgentSetup;
use crate::model::{Caps, Endpoint, Prices, Relay, Spend, Transport};
use std::path::Path;
use std::sync::Arc;

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

/// The prices of the job: those of its file, else those of the first agent that names some. Without any every cost is
/// unknown.
pub fn prices(config: &Config) -> Result<Prices, Error> {
    let of_agents = || config.agents.iter().find_map(|agent| agent.kwargs.get("prices")?.as_str().map(Path::new));
    let path = config.model.prices.as_deref().or_else(of_agents);
    Ok(path.map(Prices::load).transpose()?.unwrap_or_default())
}

/// Gives each agent that is to use a model the relay to it, where this machine has the model's key or server. What all
/// of them cost is counted together.
pub fn lend(agents: &mut [AgentSetup], config: &Config, notes: &mut Vec<String>) -> Result<Arc<Spend>, Error> {
    let model = &config.model;
    let caps = Caps { requests: model.max_requests, tokens: model.max_tokens, cost: model.max_cost_usd };
    let spend = Arc::new(Spend::new(model.job_max_cost_usd));
    let capped = caps != Caps::default() || model.job_max_cost_usd.is_some();
    let prices = prices(config)?;
    for setup in agents {
        let installed = matches!(setup.agent, Agent::Installed(_));
        let (true, Some(model)) = (installed || matches!(setup.agent, Agent::Command { .. }), &setup.model) else {
            continue;
        };
        let endpoint = match Endpoint::from_env(model, &|name| std::env::var(name).ok()) {
            Ok(endpoint) => endpoint,
            Err(error @ crate::model::Error::BaseUrl { .. }) => return Err(error.into()),
            // A cap that nobody would hold to must not be taken for one.
            Err(error) if capped || installed => return Err(error.into()),
            Err(_) => continue,
        };
        let costs = caps.cost.is_some() || spend.is_capped();
        if costs && prices.cost(&endpoint.model, &Default::default()).is_none() {
            let why = format!(
                "a cap on cost needs the price of `{}`, which isn't known\n\nhint: name a file of prices in the job \
                 file: `seatrial: {{model: {{prices: prices.toml}}}}`",
                endpoint.model
            );
            return Err(Error::Usage(why));
        }
        notes.push(format!(
            "`{model}` at `{}` is lent to the agent; the key stays outside its sandbox",
            endpoint.host()
        ));
        let (transport, prices, spend) = (Transport::live()?, prices.clone(), Arc::clone(&spend));
        setup.relay = Some(Arc::new(Relay { endpoint, transport, prices, caps, spend }));
    }
    Ok(spend)
}
