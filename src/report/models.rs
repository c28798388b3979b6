//! What agents used of models, through the relay or by the loop, for every format. What judging used is apart, in
//! `judging.rs`.

use super::numbers::{dollars, most_used, number_of};
use crate::model::{Endpoint, Usage};
use crate::results::Job;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A job's use of models, out of the trials that had the model relay or a model of ours to ask.
#[derive(Debug, Serialize)]
pub struct Models {
    /// How many trials had it.
    pub trials: usize,
    /// Requests that were sent on, retries included.
    pub requests: u64,
    /// Replies of models to the loop.
    pub steps: u64,
    /// Calls of tools that the loop ran.
    pub tool_calls: u64,
    /// Requests that the relay refused.
    pub refused: u64,
    /// Requests that failed by the provider's fault, those that were sent again included.
    pub failed: u64,
    /// Answers that did not say what they used.
    pub unmetered: u64,
    /// Tokens read, cached or not.
    pub input_tokens: u64,
    /// Of them from a cache.
    pub cache_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// US dollars; null where some of it isn't known.
    pub cost_usd: Option<f64>,
    /// Requests of agents in containers by the model that they named; of each trial the first so many names.
    pub names: BTreeMap<String, u64>,
    /// By the prices of which day, by the model's name at its provider.
    pub prices: BTreeMap<String, String>,
    /// Time in requests, summed, in seconds.
    pub seconds: f64,
    /// Names were asked for that are not those of the models that agents were lent.
    #[serde(skip)]
    others: bool,
    /// All of it was played back, so that nothing was paid now.
    #[serde(skip)]
    played_back: bool,
}

/// The use of models of a job; `None` where no trial asked one through us.
pub fn models(job: &Job) -> Option<Models> {
    let mut sum = Models {
        trials: 0,
        requests: 0,
        steps: 0,
        tool_calls: 0,
        refused: 0,
        failed: 0,
        unmetered: 0,
        input_tokens: 0,
        cache_tokens: 0,
        output_tokens: 0,
        cost_usd: Some(0.0),
        names: BTreeMap::new(),
        prices: job.record.observed.prices.clone(),
        seconds: 0.0,
        others: false,
        played_back: job.record.observed.played_back,
    };
    for run in job.trials.iter().filter_map(|record| record.agent_run.as_ref()?.model.as_ref()) {
        sum.trials += 1;
        sum.requests += u64::from(run.steps) + u64::from(run.retries);
        sum.steps += u64::from(run.steps);
        sum.tool_calls += u64::from(run.tool_calls);
        sum.failed += u64::from(run.retries);
        match &run.usage {
            Some(usage) => sum.tokens(usage),
            None => sum.unmetered += 1,
        }
        // A stream that broke off is billed, perhaps, and nobody said how much it used.
        sum.unmetered += u64::from(run.cut_streams);
        sum.cost_usd = sum.cost_usd.zip(run.whole_cost()).map(|(all, one)| all + one);
        sum.seconds += run.model_seconds;
    }
    for record in &job.trials {
        let Some(used) = &record.model else { continue };
        let lent = record.trial.agent.model.as_deref().map(Endpoint::name_of);
        for (name, requests) in &used.models {
            *sum.names.entry(name.clone()).or_default() += requests;
            sum.others |= lent != Some(name);
        }
        sum.trials += 1;
        sum.requests += used.requests;
        sum.refused += used.refused;
        sum.failed += used.failed;
        sum.unmetered += used.unmetered;
        sum.tokens(&used.usage);
        sum.cost_usd = sum.cost_usd.zip(used.cost()).map(|(all, one)| all + one);
        sum.seconds += used.seconds;
    }
    (sum.trials > 0).then_some(sum)
}

impl Models {
    fn tokens(&mut self, usage: &Usage) {
        self.input_tokens += usage.prompt();
        self.cache_tokens += usage.cache_read;
        self.output_tokens += usage.output;
    }

    /// What there is to say, as named facts for people.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let days: BTreeSet<&str> = self.prices.values().map(String::as_str).collect();
        let days = days.into_iter().collect::<Vec<_>>().join(" and ");
        let by = if days.is_empty() { days } else { format!(" by prices of {days}") };
        let played = if self.played_back { "; played back, so nothing was paid" } else { "" };
        let cost = self.cost_usd.map_or("unknown".to_owned(), |cost| format!("{}{by}{played}", dollars(cost)));
        let (read, cached, written) = (self.input_tokens, self.cache_tokens, self.output_tokens);
        let trials = number_of(self.trials as u64, "trial");
        let mut facts = vec![
            ("requests", format!("{} in {trials}, {} refused", self.requests, self.refused)),
            ("steps", format!("{} replies, {} calls of tools", self.steps, self.tool_calls)),
            ("tokens", format!("{read} read ({cached} from a cache), {written} written")),
            ("cost", cost),
            ("time", format!("{:.1} s in requests", self.seconds)),
        ];
        if self.others {
            facts.insert(1, ("asked for", most_used(&self.names)));
        }
        if self.steps == 0 {
            facts.retain(|(name, _)| *name != "steps");
        }
        if self.failed > 0 {
            facts.push(("failed", format!("{} by the provider's fault", number_of(self.failed, "request"))));
        }
        if self.unmetered > 0 {
            facts.push(("unmetered", format!("{} did not say all that was used", number_of(self.unmetered, "answer"))));
        }
        facts
    }
}
