//! Caps: what one trial may use of models, and what all trials of a job may cost together. Whoever asks for an agent, the
//! relay or a loop of ours, holds to the same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    pub fn need_usage(&self) -> bool {
        self.tokens.is_some() || self.cost.is_some()
    }

    /// Both: of two caps on the same, the smaller one.
    pub fn and(self, other: Caps) -> Caps {
        let cost = [self.cost, other.cost].into_iter().flatten().min_by(f64::total_cmp);
        let less = |one: Option<u64>, two: Option<u64>| one.into_iter().chain(two).min();
        Caps { requests: less(self.requests, other.requests), tokens: less(self.tokens, other.tokens), cost }
    }
}

/// What all trials of a job have cost so far.
#[derive(Debug, Default)]
pub struct Spend {
    cap: Option<f64>,
    /// Answers are played back, which costs nothing.
    is_free: bool,
    spent: Mutex<f64>,
}

impl Spend {
    /// Nothing yet, up to a cap in US dollars.
    pub fn new(cap: Option<f64>) -> Spend {
        Spend { cap, ..Spend::default() }
    }

    /// The same where answers are played back: nothing is paid, so the cap is never reached. What holds because there is
    /// one (each answer has to say its use, say) holds all the same, since it did when the answers were recorded.
    pub fn of_nothing(cap: Option<f64>) -> Spend {
        Spend { cap, is_free: true, ..Spend::default() }
    }

    /// Whether there is a cap.
    pub fn is_capped(&self) -> bool {
        self.cap.is_some()
    }

    /// Says why nothing more may be spent, where that is so.
    pub fn over(&self) -> Option<String> {
        let (cap, spent) = (self.cap?, *lock(&self.spent));
        (spent >= cap).then(|| format!("the job's models have cost ${spent:.4}, and its cap is ${cap:.4}"))
    }

    /// Adds what something cost.
    pub fn add(&self, dollars: f64) {
        *lock(&self.spent) += dollars;
    }
}

/// What one trial pays from, all its starts together; what it pays counts for the job too. Clones share it.
#[derive(Debug, Clone)]
pub struct Purse {
    /// What all trials of the job cost together.
    pub job: Arc<Spend>,
    spent: Arc<Mutex<f64>>,
    /// How many things were asked of which nobody knows yet, or ever, all that they cost.
    open: Arc<AtomicU64>,
}

impl Purse {
    /// The purse of a trial whose starts in earlier runs of the job have cost so much, which the job has counted.
    pub fn new(job: &Arc<Spend>, before: f64) -> Purse {
        Purse { job: Arc::clone(job), spent: Arc::new(Mutex::new(before)), open: Arc::default() }
    }

    /// Pays, unless nothing has to be paid.
    pub fn pay(&self, dollars: f64) {
        if self.job.is_free {
            return;
        }
        self.job.add(dollars);
        *lock(&self.spent) += dollars;
    }

    /// Something is asked that costs: whoever is stopped before [`Purse::settle`] leaves it open.
    pub fn owe(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// All that was owed for one thing is paid.
    pub fn settle(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether [`Purse::spent`] is all that the trial has cost: nothing was asked of which the cost isn't known.
    pub fn is_all(&self) -> bool {
        self.open.load(Ordering::Relaxed) == 0
    }

    /// What the trial has cost, as far as it is known, in US dollars.
    pub fn spent(&self) -> f64 {
        *lock(&self.spent)
    }
}

fn lock(sum: &Mutex<f64>) -> MutexGuard<'_, f64> {
    // A sum stays true whatever panics.
    sum.lock().unwrap_or_else(PoisonError::into_inner)
}
