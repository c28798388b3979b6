//! What a rule for spending trials comes to, before any trial is made: exactly, by going through every way in which the
//! counts of a task can grow. Tasks' pass rates are taken as Beta distributed.

use super::beta::Beta;
use super::tiers::{Masses, Scale};
use std::collections::BTreeMap;

/// How trials are spent on a task: some first, then some at a time until a tier is likely enough, up to a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spending {
    /// How many first.
    pub first: u64,
    /// How many at a time afterwards.
    pub step: u64,
    /// How many at most.
    pub cap: u64,
}

/// What is to be expected of one task.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expected {
    /// How many trials it takes.
    pub trials: f64,
    /// The chance that its tier is told.
    pub told: f64,
    /// The chance that its tier is told and wrong.
    pub told_wrong: f64,
    /// The chance that its likeliest tier is wrong, told or not.
    pub wrong: f64,
    /// The mean of the pass rates that are seen; its distance from the true mean is what stopping early does to a score.
    pub seen: f64,
    /// All passes over all trials.
    pub pooled: f64,
}

/// What to expect of a task whose pass rate is drawn from `tasks`.
pub fn expect(tasks: Beta, scale: &Scale, spending: Spending) -> Expected {
    let mut out = Expected::default();
    let mut passes = 0.0;
    let mut states: BTreeMap<(u64, u64), f64> = BTreeMap::from([((0, 0), 1.0)]);
    while let Some(((n, c), chance)) = states.pop_first() {
        let truth = tasks.after(n, c);
        let masses = scale.masses(n, c);
        let told = n >= spending.first && scale.tier(&masses).is_some();
        if told || n >= spending.cap {
            let wrong = chance * (1.0 - truth_of(truth, scale).of(masses.lead().0));
            out.trials += chance * n as f64;
            out.wrong += wrong;
            out.seen += chance * c as f64 / n as f64;
            passes += chance * c as f64;
            if told {
                out.told += chance;
                out.told_wrong += wrong;
            }
            continue;
        }
        let more = if n < spending.first { spending.first } else { spending.step }.min(spending.cap - n);
        for passed in 0..=more {
            *states.entry((n + more, c + passed)).or_default() += chance * truth.ln_chance(more, passed).exp();
        }
    }
    out.pooled = passes / out.trials;
    out
}

fn truth_of(beta: Beta, scale: &Scale) -> Masses {
    let (hard, easy) = (beta.below(scale.thresholds.hard), beta.above(scale.thresholds.easy));
    Masses { hard, medium: 1.0 - hard - easy, easy }
}
