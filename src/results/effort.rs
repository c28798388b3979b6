//! What an agent's work in one trial took, out of whatever saw it: our own loop, the model relay, or the agent's log. Pure.

use super::record::TrialRecord;
use serde::Serialize;

/// What one trial's agent took; the judge's time is in no number. What nobody saw is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Effort {
    /// Messages of the agent, each with the results of what it called.
    pub steps: Option<u64>,
    /// Calls of tools.
    pub tool_calls: Option<u64>,
    /// How long the agent ran by the host's clock, in seconds, without the waits for a provider that failed.
    pub latency_sec: f64,
    /// Of it, how long models were asked; requests at the same time are added up.
    pub model_sec: Option<f64>,
    /// Of it, how long tools ran.
    pub tool_sec: Option<f64>,
    /// Beside it, how long a provider that failed was waited for.
    pub waiting_sec: Option<f64>,
    /// Tokens read, cached or not.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// The agent's own count of requests or tokens is another than the relay's, which counts.
    pub differs: bool,
}

impl TrialRecord {
    /// What the agent's work took; `None` where it did not run.
    pub fn effort(&self) -> Option<Effort> {
        let run = self.agent_run.as_ref()?;
        let seconds = self.timing.agent.map_or(run.seconds, |span| span.seconds());
        if let Some(model) = &run.model {
            return Some(Effort {
                steps: Some(model.steps.into()),
                tool_calls: Some(model.tool_calls.into()),
                latency_sec: (seconds - model.waited_seconds).max(0.0),
                model_sec: Some(model.model_seconds),
                tool_sec: Some(model.tool_seconds),
                waiting_sec: Some(model.waited_seconds),
                input_tokens: model.usage.as_ref().map(|usage| usage.prompt()),
                output_tokens: model.usage.as_ref().map(|usage| usage.output),
                cost_usd: model.whole_cost(),
                differs: false,
            });
        }
        let said = run.reported.clone().unwrap_or_default();
        // What the relay saw counts; where an answer did not say its use, the relay saw less than all.
        let seen = self.model.as_ref().filter(|used| used.requests > 0);
        let metered = seen.filter(|used| used.unmetered == 0);
        let other = |said: Option<u64>, seen: Option<u64>| said.zip(seen).is_some_and(|(said, seen)| said != seen);
        let (input, output) = (metered.map(|used| used.usage.prompt()), metered.map(|used| used.usage.output));
        Some(Effort {
            // What the agent says of itself is closer to what it did: it can call tools in words that no relay reads.
            steps: said.steps.or(seen.and_then(|used| used.replies)),
            tool_calls: said.tool_calls.or(seen.and_then(|used| used.tool_calls)),
            latency_sec: seconds,
            model_sec: seen.map(|used| used.seconds),
            tool_sec: None,
            waiting_sec: None,
            input_tokens: input.or(said.input_tokens),
            output_tokens: output.or(said.output_tokens),
            cost_usd: seen.and_then(|used| used.cost_usd),
            differs: other(said.requests, seen.map(|used| used.requests))
                || other(said.input_tokens, input)
                || other(said.output_tokens, output),
        })
    }
}
