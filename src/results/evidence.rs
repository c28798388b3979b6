//! `network.jsonl`: what a trial's agent tried to reach, a line each. Kept apart from the live type, so that the file
//! stays readable when that changes.

use super::time;
use crate::network::Attempt;
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;

/// The version of a line's shape.
const FORMAT: u32 = 1;

/// All attempts as JSON lines. `unrecorded` further ones were only counted; the last line says how many.
pub fn lines(attempts: &[Attempt], unrecorded: u64) -> Vec<u8> {
    let mut text = String::new();
    for attempt in attempts {
        text.push_str(&format!("{}\n", line(attempt)));
    }
    if unrecorded > 0 {
        text.push_str(&format!("{}\n", json!({"format": FORMAT, "unrecorded": unrecorded})));
    }
    text.into_bytes()
}

/// `reason` and `end` are words for programs, `why` and `how` the same for people. Bytes are seen from the agent: `up`
/// is what it sent.
fn line(attempt: &Attempt) -> Value {
    let at = attempt.at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let mut line = json!({
        "format": FORMAT,
        "at": time::utc(at),
        "phase": attempt.phase,
        "host": attempt.host,
        "port": attempt.port,
        "address": attempt.address,
        "allowed": attempt.decision.allowed,
        "reason": attempt.decision.reason.code(),
        "why": attempt.decision.reason.to_string(),
        "end": attempt.end.code(),
        "how": attempt.end.to_string(),
        "up": attempt.up,
        "down": attempt.down,
        "seconds": attempt.duration.as_secs_f64(),
    });
    if let Some(request) = &attempt.request {
        (line["path"], line["status"]) = (json!(request.path), json!(request.status));
    }
    line
}
