//! What a trial is lent of a model: the relay as a service in its network, the variables that lead to it, and what became
//! of it. Here is also written down when a provider's trouble is the trial's fault and when it is the agent's failure.

use super::settings::AgentSetup;
use super::stop::Stop;
use crate::agent::{self, AgentRun, Conversation};
use crate::answer::Answer;
use crate::event::{Fault, Stage};
use crate::model::{Called, Class, Endpoint, HOST, Halt, Leaves, ModelUse, PORT, Purse, Secret, TrialRelay};
use crate::network::{Attempt, Decision, Duplex, Policy, Reason, Request, Served, Service, Target, TrialNetwork};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// The model relay of one trial.
pub struct Lent {
    relay: Arc<TrialRelay>,
    network: Arc<OnceLock<Weak<TrialNetwork>>>,
    /// What its provider said to this trial, for which the job stops.
    refused: Arc<OnceLock<String>>,
}

/// The provider's host and port, for evidence.
fn place(endpoint: &Endpoint) -> (String, u16) {
    let usual = if endpoint.base_url.starts_with("https:") { 443 } else { 80 };
    let (host, port) = endpoint.host().rsplit_once(':').unwrap_or((endpoint.host(), ""));
    match port.parse() {
        Ok(port) => (host.to_owned(), port),
        Err(_) => (endpoint.host().to_owned(), usual),
    }
}

/// Where the relay is, inside.
pub fn target() -> Target {
    Target { host: HOST.to_owned(), port: PORT }
}

impl Lent {
    /// What this agent's trial, which has so much time, is lent; `None` where it has no relay, or a public network, which is none of ours.
    pub fn new(setup: &AgentSetup, purse: &Purse, limit: Duration, policy: &Policy, stop: &Stop) -> Option<Lent> {
        let relay = setup.relay.clone().filter(|_| *policy != Policy::Public)?;
        let network: Arc<OnceLock<Weak<TrialNetwork>>> = Arc::default();
        let (evidence, stop) = (Arc::clone(&network), stop.clone());
        // Played back, nobody outside is reached.
        let provider = (!relay.transport.plays_back()).then(|| place(&relay.endpoint));
        let sink = move |called| {
            if let Some(network) = evidence.get().and_then(Weak::upgrade) {
                network.report(attempt(&network, provider.as_ref(), called));
            }
        };
        let token = Secret::new(&format!("seatrial-{}", uuid::Uuid::new_v4().simple()))?;
        let stopped = stop.clone();
        let leaves = Leaves::new(move || !stopped.is_set());
        let refused: Arc<OnceLock<String>> = Arc::default();
        let met = Arc::clone(&refused);
        let halt = move |why: Halt| {
            if let Halt::Refused(why) = &why {
                let _ = met.set(why.clone());
            }
            stop.set(why);
        };
        let relay = TrialRelay::new(relay, purse.clone(), token, Some(limit), sink, halt);
        let relay = Arc::new(relay.leaving(leaves));
        Some(Lent { relay, network, refused })
    }

    /// The fault of this trial, where its provider said that it takes nothing more with this key, account or model. The
    /// job stops for it, so that the agent doesn't come to its own end.
    pub fn refused(&self) -> Option<Fault> {
        self.refused.get().map(|why| Fault::of_model(Class::Authentication, why.as_str()))
    }

    /// The relay as a service of the trial's network.
    pub fn service(&self) -> Arc<dyn Service> {
        Arc::new(AsService(Arc::clone(&self.relay)))
    }

    /// From now on each request is evidence of this network.
    pub fn reports_to(&self, network: &Arc<TrialNetwork>) {
        // There is one network for one relay.
        let _ = self.network.set(Arc::downgrade(network));
    }

    /// The variables that lead an agent there.
    pub fn env(&self) -> Vec<(String, String)> {
        self.relay.env()
    }

    /// What the agent and its models said to each other, where they did; all of it, once the trial's network is closed.
    pub fn conversation(&self, agent: &str, model: &str) -> Option<Conversation> {
        agent::overheard(agent, model, &self.relay.heard(), &self.relay.used())
    }

    /// What was used; all of it, once the trial's network is closed.
    pub fn used(&self) -> ModelUse {
        self.relay.used()
    }
}

struct AsService(Arc<TrialRelay>);

impl Service for AsService {
    fn serve(&self, stream: Box<dyn Duplex>) -> Served<'_> {
        Box::pin(Arc::clone(&self.0).serve(stream))
    }
}

/// Evidence of one request: of the provider that it was sent on to, or of the relay, where it went no further.
fn attempt(network: &TrialNetwork, provider: Option<&(String, u16)>, called: Called) -> Attempt {
    let relay = (HOST.to_owned(), PORT);
    let (host, port) = provider.filter(|_| called.refused.is_none()).unwrap_or(&relay);
    let decision = Decision::of(called.refused.map_or(Reason::Service, Reason::Refused));
    let request = Request { path: called.path, status: called.status };
    let (up, down, duration) = (called.up, called.down, called.duration);
    let attempt = Attempt::request(called.at, &network.phase(), host, *port, decision, request);
    Attempt { up, down, duration, ..attempt }
}

/// The fault of a run that a provider's trouble brought down: it ended otherwise than well or left no answer, and the
/// last thing that its model's provider did was to fail. An agent that got over the trouble, or answered all the same,
/// is judged like any other, and so is one that was refused for its own doing.
///
/// A recording that failed is a fault whatever the agent made of it.
pub fn provider_fault(run: &AgentRun, answer: &Answer, used: &ModelUse) -> Option<Fault> {
    if let Some(why) = &used.recording {
        return Some(Fault::new(Stage::Recording, why.as_str()));
    }
    let trouble = used.trouble.as_ref().filter(|_| used.over.is_none())?;
    let fine = run.is_clean() && matches!(answer, Answer::Text { .. });
    let own = run.spoiled.is_some() || run.out_of_memory;
    (!fine && !own).then(|| {
        // Said with the trouble.
        let class = used.last_failure.unwrap_or(Class::Overloaded);
        Fault::of_model(class, format!("the model's provider failed, and the agent ended for it: {trouble}"))
    })
}
