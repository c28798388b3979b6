//! What a run of an agent that we ask ourselves used, and why it ended: `loop` and `messages-search` alike.

use super::search::SearchRun;
use crate::model::{Caps, Class, Client, Failure, Prices, Purse, Reply, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// Why it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The model gave its answer.
    Finished,
    /// It was asked as often as it may be.
    TurnLimit,
    /// It used as many tokens as it may.
    TokenBudget,
    /// It cost as much as it may.
    CostBudget,
    /// Its time was over.
    OutOfTime,
    /// The conversation became longer than it can read.
    ContextExceeded,
    /// It refused, with the provider's category where one is given.
    Refused(Option<String>),
    /// A reply was cut where it could not go on: in the middle of a call, or once too often.
    ReplyCut,
    /// Its provider failed; the run says nothing of the model.
    ProviderFailed,
    /// Its sandbox was gone.
    SandboxGone,
}

/// What a run used. Costs and tokens are `None` where the provider or the prices leave them unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRun {
    /// Why it ended.
    pub ended: Ended,
    /// The model that the provider says it was.
    pub model: Option<String>,
    /// Replies of the model.
    pub steps: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// Tokens.
    pub usage: Option<Usage>,
    /// US dollars, as far as told: see [`ModelRun::whole_cost`].
    pub cost_usd: Option<f64>,
    /// Seconds in which the model replied.
    pub model_seconds: f64,
    /// Seconds in which tools ran.
    pub tool_seconds: f64,
    /// Seconds waited for a provider that failed or asked to wait.
    pub waited_seconds: f64,
    /// Requests that failed and were sent again.
    pub retries: u32,
    /// Tries of which nobody told what they used, though it may be billed: streams that broke off, garbled answers, and
    /// what was under way when the time was over. It is not in `usage` or `cost_usd`.
    pub cut_streams: u32,
    /// The parameters as sent.
    pub effective: Map<String, Value>,
    /// What else there is to know of `messages-search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchRun>,
}

impl Default for ModelRun {
    fn default() -> ModelRun {
        ModelRun {
            ended: Ended::SandboxGone,
            model: None,
            steps: 0,
            tool_calls: 0,
            usage: Some(Usage::default()),
            cost_usd: Some(0.0),
            model_seconds: 0.0,
            tool_seconds: 0.0,
            waited_seconds: 0.0,
            retries: 0,
            cut_streams: 0,
            effective: Map::new(),
            search: None,
        }
    }
}

impl ModelRun {
    /// Counts a reply; gives back what it cost, where that is known.
    pub(super) fn count(&mut self, client: &Client, prices: &Prices, reply: &Reply) -> Option<f64> {
        self.steps += 1;
        self.model_seconds += reply.latency.as_secs_f64();
        self.waited_seconds += reply.waited.as_secs_f64();
        self.retries += reply.retries;
        self.cut_streams += reply.untold;
        self.model = reply.model.clone().or(self.model.take());
        self.effective = reply.effective.clone();
        // One unknown part makes the sum unknown.
        self.usage = self.usage.take().zip(reply.usage.as_ref()).map(|(mut sum, more)| {
            sum += more;
            sum
        });
        let cost = reply.usage.as_ref().and_then(|usage| prices.cost(&client.endpoint().model, usage));
        self.cost_usd = self.cost_usd.zip(cost).map(|(sum, more)| sum + more);
        cost
    }

    /// Its time was over while a reply was waited for, which may be billed.
    pub(super) fn out_of_time(&mut self) -> Ended {
        self.cut_streams += 1;
        Ended::OutOfTime
    }

    /// What it cost in US dollars; `None` where some of it is unknown, be it what a try used that nobody told of.
    pub fn whole_cost(&self) -> Option<f64> {
        self.cost_usd.filter(|_| self.cut_streams == 0)
    }

    /// Notes how it ended; gives back the provider's failure, where that ended it.
    pub(super) fn end(&mut self, ended: Result<Ended, Failure>) -> Option<Failure> {
        let (ended, failure) = match ended {
            Ok(ended) => (ended, None),
            Err(failure) => (Ended::ProviderFailed, Some(failure)),
        };
        self.ended = ended;
        failure
    }

    /// Counts a request that got no reply; gives back how the run ends for it where the conversation itself brought it
    /// about. What tries used of which nobody told stays owed.
    pub(super) fn own_end(&mut self, failure: &Failure, purse: &Purse) -> Option<Ended> {
        if failure.untold == 0 {
            purse.settle();
        }
        self.tried_in_vain(failure);
        match failure.class {
            Class::ContextExceeded => Some(Ended::ContextExceeded),
            Class::Refused => Some(Ended::Refused(None)),
            _ => None,
        }
    }

    /// Counts the tries that came to nothing. What the conversation brought about, and what a recording lacks, is none that
    /// the provider failed at.
    pub(super) fn tried_in_vain(&mut self, failure: &Failure) {
        self.cut_streams += failure.untold;
        if !failure.class.is_askers_own() && !matches!(failure.class, Class::NotRecorded | Class::Recording) {
            self.retries += failure.attempts;
            self.waited_seconds += failure.elapsed.as_secs_f64();
        }
    }

    /// The provider's fault where a cap, the job's on cost among them, can't be held to, since what was used is unknown.
    pub(super) fn unsaid(&self, client: &Client, caps: Caps, is_job_capped: bool) -> Option<Failure> {
        let usage = caps.need_usage() && self.usage.is_none();
        let cost = (caps.cost.is_some() || is_job_capped) && self.cost_usd.is_none();
        (usage || cost).then(|| Failure {
            class: Class::BadReply,
            api: client.endpoint().api,
            host: client.endpoint().host().to_owned(),
            status: None,
            message: format!(
                "its answer does not say {}, so the cap on that can't be held to",
                if self.usage.is_none() { "what it used" } else { "all of what it cost" }
            ),
            body_head: String::new(),
            request_id: None,
            attempts: 1,
            untold: 0,
            elapsed: Duration::ZERO,
        })
    }

    /// The limit that is reached, where one is. What is unknown reaches none: ask [`ModelRun::unsaid`].
    pub(super) fn limit(&self, caps: Caps) -> Option<Ended> {
        if caps.requests.is_some_and(|cap| u64::from(self.steps) >= cap) {
            return Some(Ended::TurnLimit);
        }
        let tokens = self.usage.as_ref().map_or(0, Usage::total);
        if caps.tokens.is_some_and(|budget| tokens >= budget) {
            return Some(Ended::TokenBudget);
        }
        let cost = self.cost_usd.unwrap_or(0.0);
        caps.cost.is_some_and(|budget| cost >= budget).then_some(Ended::CostBudget)
    }
}
