//! Times of a trial: the host's wall clock at its start, and from there on a clock that never jumps.

use crate::event::Span;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A clock of one trial.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    began: f64,
    started: Instant,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        Clock { began, started: Instant::now() }
    }

    /// Seconds since the Unix epoch.
    pub fn now(&self) -> f64 {
        self.began + self.started.elapsed().as_secs_f64()
    }

    /// From then until now.
    pub fn since(&self, started_at: f64) -> Span {
        Span { started_at, finished_at: self.now() }
    }
}
