//! Caps: what one trial may use, and what all trials of a job may cost together.

use std::sync::{Mutex, PoisonError};

/// What one trial may use; `None` is no cap.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Caps {
    /// Requests to the provider.
    pub requests: Option<u64>,
    /// Tokens, read and written together, caches included.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

impl Caps {
    /// What was counted has to be known for each answer.
    pub(super) fn need_usage(&self) -> bool {
        self.tokens.is_some() || self.cost.is_some()
    }
}

/// What all trials of a job have cost so far.
#[derive(Debug, Default)]
pub struct Spend {
    cap: Option<f64>,
    spent: Mutex<f64>,
}

impl Spend {
    /// Nothing yet, up to a cap in US dollars.
    pub fn new(cap: Option<f64>) -> Spend {
        Spend { cap, spent: Mutex::default() }
    }

    /// Whether there is a cap.
    pub fn is_capped(&self) -> bool {
        self.cap.is_some()
    }

    /// Says why nothing more may be spent, where that is so.
    pub fn over(&self) -> Option<String> {
        let (cap, spent) = (self.cap?, *self.spent.lock().unwrap_or_else(PoisonError::into_inner));
        (spent >= cap).then(|| format!("the job's models have cost ${spent:.4}, and its cap is ${cap:.4}"))
    }

    /// Adds what something cost.
    pub fn add(&self, dollars: f64) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += dollars;
    }
}
