//! The best that is known of a task: what a run has to be compared with. Written in `task.toml`, kept with a job, shown in
//! reports. Pure.

use serde::{Deserialize, Serialize};

/// What the best known run of a task took; each part where it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ideal {
    /// Messages of the agent, each with the results of what it called; at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// How long the agent ran, in seconds; more than 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_sec: Option<f64>,
}

impl Ideal {
    /// Fewer steps; of these fewer calls of tools; of these less time. What isn't known is worse than anything known.
    pub fn is_better_than(&self, other: &Ideal) -> bool {
        let rank = |ideal: &Ideal| (ideal.steps.unwrap_or(u32::MAX), ideal.tool_calls.unwrap_or(u32::MAX));
        let seconds = |ideal: &Ideal| ideal.latency_sec.unwrap_or(f64::INFINITY);
        rank(self) < rank(other) || (rank(self) == rank(other) && seconds(self) < seconds(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_steps_are_better_then_fewer_calls_then_less_time_and_what_is_known_than_what_is_not() {
        let ideal = |steps, tool_calls, latency_sec| Ideal { steps, tool_calls, latency_sec };
        for (one, two) in [
            (ideal(Some(3), Some(9), Some(9.0)), ideal(Some(4), Some(1), Some(1.0))),
            (ideal(Some(4), Some(1), Some(9.0)), ideal(Some(4), Some(2), Some(1.0))),
            (ideal(Some(4), Some(2), Some(1.0)), ideal(Some(4), Some(2), Some(1.5))),
            (ideal(Some(4), Some(2), Some(1.0)), ideal(Some(4), None, None)),
        ] {
            assert!(one.is_better_than(&two) && !two.is_better_than(&one), "{one:?} {two:?}");
            assert!(!one.is_better_than(&one));
        }
    }
}
