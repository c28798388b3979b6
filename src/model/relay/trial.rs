//! The relay of one trial: its token, its caps, and what it has used.

use super::call::{Call, Called};
use super::heard::{Heard, reply};
use super::route::prefix;
use super::used::ModelUse;
use crate::model::{Api, Caps, Class, Endpoint, Leaves, Prices, Purse, Secret, Stop, Transport, Usage, patience};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

/// The name by which agents know the relay. No registry gives out names below it.
pub const HOST: &str = "models.seatrial.internal";
/// The port on which it listens, inside.
pub const PORT: u16 = 80;

/// How many requests of a trial may be under way at once; each takes memory.
const CALLS: usize = 16;
/// How many models are counted by name.
const MODELS: usize = 20;

/// What all trials of one agent and model share.
#[derive(Debug)]
pub struct Relay {
    /// Whom requests go to.
    pub endpoint: Endpoint,
    /// How they are sent.
    pub transport: Transport,
    /// What tokens cost.
    pub prices: Prices,
    /// What each trial may use.
    pub caps: Caps,
    /// The model that is lent has answered in this job.
    pub answered: AtomicBool,
}

/// Why no trial of the job can go on, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The provider refuses the key, the account or the model.
    #[error("{0}")]
    Refused(String),
    /// The job's cap on cost is reached.
    #[error("{0}")]
    Spent(String),
}

/// The relay of one trial.
pub struct TrialRelay {
    pub(super) relay: Arc<Relay>,
    /// What it pays from.
    pub(super) purse: Purse,
    token: Secret,
    /// How long its agent waits for a byte before the provider is to blame, where the agent leaves.
    pub(super) patience: Duration,
    used: Mutex<State>,
    /// How many calls there may be at a time: one, where what a call used decides about the next.
    pub(super) turns: Arc<Semaphore>,
    /// Whether its agent leaves of its own accord, where it leaves.
    pub(super) leaves: Leaves,
    sink: Box<dyn Fn(Called) + Send + Sync>,
    halt: Box<dyn Fn(Halt) + Send + Sync>,
}

#[derive(Default)]
struct State {
    used: ModelUse,
    heard: Heard,
    /// What is known of the cost, and whether some of it is unknown.
    cost: f64,
    unknown: bool,
    /// An answer that was no failure of the provider's did not say its tokens, or what they cost: how much is left of a
    /// cap can't be told any more, so nothing is.
    unsaid: bool,
    unpriced: bool,
    /// When the agent could first know that a request had failed. An answer to what was asked before, such as in another
    /// conversation, doesn't say that it got over that.
    failed_at: Option<Instant>,
}

impl TrialRelay {
    /// The relay of a trial with this purse, this token and this time for its agent. `sink` gets every request when it has ended; `halt` why no
    /// trial of the job can go on: a wrong key, no money, no such model, the job's cap.
    pub fn new(
        relay: Arc<Relay>,
        purse: Purse,
        token: Secret,
        limit: Option<Duration>,
        sink: impl Fn(Called) + Send + Sync + 'static,
        halt: impl Fn(Halt) + Send + Sync + 'static,
    ) -> TrialRelay {
        let one_by_one = relay.caps.need_usage() || purse.job.is_capped();
        let turns = Arc::new(Semaphore::new(if one_by_one { 1 } else { CALLS }));
        let (sink, halt) = (Box::new(sink), Box::new(halt));
        let (patience, leaves) = (patience(limit), Leaves::new(|| true));
        TrialRelay { relay, purse, token, patience, used: Mutex::default(), turns, leaves, sink, halt }
    }

    /// The same, where an agent may also be made to leave.
    pub fn leaving(self, leaves: Leaves) -> TrialRelay {
        TrialRelay { leaves, ..self }
    }

    /// The variables that lead an agent's model client here. The key among them opens nothing but this relay.
    pub fn env(&self) -> Vec<(String, String)> {
        let base = format!("http://{HOST}{}", prefix(self.relay.endpoint.api));
        let names = match self.relay.endpoint.api {
            Api::Messages => ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_API_KEY"],
            Api::Chat | Api::Responses => ["OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY"],
        };
        names
            .into_iter()
            .zip([&*base, &*base, self.token.expose()])
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .collect()
    }

    /// Serves one connection of the agent.
    pub async fn serve(self: Arc<Self>, stream: impl AsyncRead + AsyncWrite + Unpin + Send) {
        let serve = service_fn(|request| {
            let trial = Arc::clone(&self);
            async move { Ok::<_, Infallible>(trial.answer(request).await) }
        });
        // An agent that speaks no HTTP, or leaves, is its own matter.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), serve).await;
    }

    /// What the agent has used so far.
    pub fn used(&self) -> ModelUse {
        let state = self.state();
        let cost = (state.used.requests > 0 && !state.unknown).then_some(state.cost);
        ModelUse { cost_usd: cost, ..state.used.clone() }
    }

    /// What was said so far.
    pub fn heard(&self) -> Heard {
        self.state().heard.clone()
    }

    pub(super) fn is_token(&self, given: Option<&str>) -> bool {
        given == Some(self.token.expose())
    }

    /// What must not be kept of a request: the key, and this trial's token, which an agent can say too.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        self.relay.endpoint.key.iter().chain([&self.token]).cloned().collect()
    }

    /// Counts a request that is about to be sent on.
    ///
    /// # Errors
    /// The cap that it would break, in words.
    pub(super) fn admit(&self, model: Option<&str>) -> Result<(), String> {
        let caps = self.relay.caps;
        let mut state = self.state();
        // What a provider failed at is none of the agent's requests: its client asks again by itself.
        let (requests, tokens) = (state.used.requests - state.used.failed, state.used.usage.total());
        let over = caps.requests.filter(|cap| requests >= *cap).map(|cap| format!("{cap} requests"));
        let over = over.or(caps.tokens.filter(|cap| tokens >= *cap).map(|cap| format!("{cap} tokens")));
        let over = over.or(caps.cost.filter(|cap| state.cost >= *cap).map(|cap| format!("${cap}")));
        let said = "(an answer did not say what it used)";
        // Where the provider did not say it, that is its fault; where the agent left before, it has used up the cap.
        let is_own = over.is_some() || state.used.trouble.is_none();
        let over = over.or(caps.tokens.filter(|_| state.unsaid).map(|cap| format!("{cap} tokens {said}")));
        let over = over.or(caps.cost.filter(|_| state.unpriced).map(|cap| format!("${cap} {said}")));
        let job = self.purse.job.is_capped() && state.unpriced;
        let over = over.or(job.then(|| format!("what the job's cap on cost allows {said}")));
        if let Some(over) = over {
            if is_own {
                state.used.over = Some(over.clone());
            }
            return Err(over);
        }
        state.used.requests += 1;
        let models = &mut state.used.models;
        if let Some(model) = model.filter(|model| models.len() < MODELS || models.contains_key(*model)) {
            *models.entry(model.to_owned()).or_default() += 1;
        }
        Ok(())
    }

    pub(super) fn halt(&self, why: Halt) {
        (self.halt)(why);
    }

    /// Takes in what became of a request; whether `usage` is all that it used.
    pub(super) fn finished(
        &self,
        call: &mut Call,
        usage: Option<Usage>,
        says_all: bool,
        failure: Option<(Class, String)>,
    ) {
        let host = self.relay.endpoint.host();
        let cost = usage.as_ref().and_then(|usage| self.price(call.model.as_deref(), usage));
        let has_failed = failure.is_some();
        let meter = call.form.and_then(|form| Some((form, call.meter.take()?)));
        let reply = meter
            .and_then(|(form, meter)| reply(&self.relay.endpoint, form, meter, usage.clone(), call.called.duration));
        {
            let mut state = self.state();
            if let Some(why) = &call.recording {
                state.used.recording.get_or_insert_with(|| why.clone());
            }
            if !call.sent {
                state.used.refused += 1;
            } else {
                state.used.seconds += call.called.duration.as_secs_f64();
                let answered = call.called.status.is_some_and(|status| status < 300) && call.form.is_some();
                let is_priced = says_all && cost.is_some();
                let fine = answered && failure.is_none();
                if fine && says_all && call.model.as_deref() == Some(self.relay.endpoint.model.as_str()) {
                    self.relay.answered.store(true, Ordering::Relaxed);
                }
                state.used.unmetered += u64::from(answered && !says_all);
                // An agent that left before the answer began leaves one behind that is billed, perhaps.
                let left = call.called.status.is_none() && call.form.is_some();
                if (answered || left) && !is_priced {
                    state.unknown = true;
                    self.purse.owe();
                }
                state.unsaid |= fine && !says_all;
                state.unpriced |= fine && !is_priced;
                state.used.failed += u64::from(failure.is_some());
                let caps = self.relay.caps;
                let by_cost = caps.cost.is_some() || self.purse.job.is_capped();
                let open = caps.tokens.is_some() && !says_all || by_cost && !is_priced;
                let unheld = open && fine && call.ended && call.own_doing.is_none();
                let unsaid = "did not say all that its answer used, so a cap can't be held to";
                let failure = failure.or_else(|| unheld.then(|| (Class::BadReply, unsaid.to_owned())));
                // An agent that leaves in the midst says nothing about the provider.
                // Nor does a list of models that comes.
                let answers = call.form.is_some() && (call.ended || call.own_doing.is_some());
                if failure.is_some() || answers && state.failed_at.is_none_or(|at| call.started >= at) {
                    let key = self.relay.endpoint.key.as_ref();
                    let safe = |why: String| key.map_or_else(|| why.clone(), |key| key.scrub(&why));
                    state.used.last_failure = failure.as_ref().map(|(class, _)| *class).or(call.own_doing);
                    state.used.trouble = failure.map(|(_, why)| format!("`{host}` {}", safe(why)));
                    state.failed_at = state.used.last_failure.and(state.failed_at.max(Some(call.told)));
                }
            }
            state.cost += cost.unwrap_or(0.0);
            if let Some(usage) = &usage {
                state.used.usage += usage;
            }
            // One that broke off is asked for again, and counts once.
            if let Some(reply) = reply.as_ref().filter(|reply| !has_failed && reply.stop != Stop::Other(String::new()))
            {
                *state.used.replies.get_or_insert(0) += 1;
                *state.used.tool_calls.get_or_insert(0) += reply.calls().count() as u64;
            }
            if let Some(asked) = call.asked.take().filter(|_| call.sent) {
                state.heard.push(call.called.at, asked, reply, cost);
            }
        }
        if let Some(cost) = cost {
            self.purse.pay(cost);
        }
        (self.sink)(call.called.clone());
    }

    /// What this use of a model costs, where its price is known.
    fn price(&self, model: Option<&str>, usage: &Usage) -> Option<f64> {
        self.relay.prices.cost(model?, usage)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts stay true whatever panics.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for TrialRelay {
    /// All but the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrialRelay").field("endpoint", &self.relay.endpoint).finish_non_exhaustive()
    }
}
