//! How much work answers took, and how that compares with the best that is known, for every format.

use super::numbers::dollars;
use crate::stats::Efficiency;

/// What there is to say, as named facts for people.
pub fn facts(efficiency: &Efficiency) -> Vec<(&'static str, String)> {
    let e = efficiency;
    let number = |number: Option<f64>, places: usize| number.map_or("n/a".to_owned(), |n| format!("{n:.places$}"));
    let part = |name: &str, seconds: Option<f64>| seconds.map(|seconds| format!("{name} {seconds:.2} s"));
    let parts = [part("models", e.model_sec), part("tools", e.tool_sec), part("waiting beside it", e.waiting_sec)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let mut facts = vec![
        (
            "effort",
            format!(
                "a trial, in the mean: {} steps, {} tool calls, {} s{parts}",
                number(e.steps, 1),
                number(e.tool_calls, 1),
                number(e.latency_sec, 2)
            ),
        ),
        (
            "tokens",
            format!(
                "a trial, in the mean: {} read, {} written, cost {}",
                number(e.input_tokens, 0),
                number(e.output_tokens, 0),
                e.cost_usd.map_or("n/a".to_owned(), dollars)
            ),
        ),
    ];
    if [e.step_ratio, e.tool_call_ratio, e.latency_ratio, e.solve_rate].iter().any(Option::is_some) {
        facts.push((
            "to the ideal",
            format!(
                "steps {}, tool calls {}, latency {} times the best known; solve rate {} steps/s",
                number(e.step_ratio, 2),
                number(e.tool_call_ratio, 2),
                number(e.latency_ratio, 2),
                number(e.solve_rate, 2)
            ),
        ));
    }
    if e.differing > 0 {
        facts.push((
            "own counts",
            format!(
                "in {} of {} trials the agent counts otherwise than the relay, which counts",
                e.differing, e.trials
            ),
        ));
    }
    facts
}
