//! Who answers. (Types that other rooms read; the running of agents is in the files beside this one.)

use serde::{Deserialize, Serialize};

/// What came of an agent's run in its sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// The exit code, where the agent ended by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// It was stopped because its time was over.
    pub timed_out: bool,
    /// The engine saw a process killed for the sandbox's memory cap.
    pub out_of_memory: bool,
    /// How long it ran, in seconds, by the sandbox's clock.
    pub seconds: f64,
    /// How many bytes it wrote to stdout and stderr.
    pub output_bytes: u64,
    /// How many of them were dropped, over the cap.
    pub dropped_bytes: u64,
    /// Something was wrong with the sandbox's stream that only the agent can have caused, in words.
    pub spoiled: Option<String>,
}
