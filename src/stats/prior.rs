//! What is believed of a task's pass rate before and after its trials. Either Jeffreys' prior, for few tasks, or one that
//! is learnt from all tasks of the suite: a fixed grid of Beta distributions, weighted by how well each explains what
//! was seen. The weights are written into the calibration, so that every tier can be worked out again from the file.

use super::beta::Beta;
use serde::{Deserialize, Serialize};

/// How many means the grid has: (i + 0.5) / 20.
const MEANS: usize = 20;
/// How many strengths it has: 0.3 · 40^(j / 9), from 0.3 to 12 trials' worth.
const STRENGTHS: usize = 10;

/// From so many tasks on a prior can be learnt from them,
pub const LEARN_TASKS: usize = 20;
/// if each has at least so many trials.
pub const LEARN_TRIALS: u64 = 3;

/// Weights below this are left out of sums: together they can't move a chance by more than 2e-11.
const NOTHING: f64 = 1e-13;

/// What is believed of any task of the suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Prior {
    /// Beta(½, ½).
    Jeffreys,
    /// The grid with these weights, which sum to 1; of mean i and strength j, at 10 i + j. Fixed once it is learnt.
    Hierarchical {
        /// The weights.
        weights: Vec<f64>,
    },
}

impl Prior {
    /// Learns from counts `(n, passes)`, one per task, where they are enough; else Jeffreys'. Every task counts, also
    /// the one that is judged by it later.
    pub fn learn(counts: &[(u64, u64)]) -> Prior {
        let enough = counts.len() >= LEARN_TASKS && counts.iter().all(|(n, _)| *n >= LEARN_TRIALS);
        if enough { Prior::hierarchical(counts) } else { Prior::Jeffreys }
    }

    /// The grid's weights are the likelihood of all counts, alike ones taken together.
    fn hierarchical(counts: &[(u64, u64)]) -> Prior {
        let mut alike: Vec<((u64, u64), f64)> = Vec::new();
        for count in counts {
            match alike.iter_mut().find(|(other, _)| other == count) {
                Some((_, times)) => *times += 1.0,
                None => alike.push((*count, 1.0)),
            }
        }
        let fit = |beta: Beta| alike.iter().map(|((n, c), times)| times * beta.ln_chance(*n, *c)).sum::<f64>();
        let fits: Vec<f64> = grid().map(fit).collect();
        let best = fits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = fits.iter().map(|fit| (fit - best).exp()).collect();
        let sum: f64 = weights.iter().sum();
        Prior::Hierarchical { weights: weights.into_iter().map(|weight| weight / sum).collect() }
    }

    /// What is believed of a task after its trials.
    pub fn posterior(&self, n: u64, passes: u64) -> Posterior {
        Posterior(match self {
            Prior::Jeffreys => vec![(1.0, Beta::JEFFREYS.after(n, passes))],
            Prior::Hierarchical { weights } => grid()
                .zip(weights)
                .filter(|(_, weight)| **weight > NOTHING)
                .map(|(beta, weight)| (*weight, beta.after(n, passes)))
                .collect(),
        })
    }

    /// Its name, as files and people call it.
    pub fn word(&self) -> &'static str {
        match self {
            Prior::Jeffreys => "jeffreys",
            Prior::Hierarchical { .. } => "hierarchical",
        }
    }
}

fn grid() -> impl Iterator<Item = Beta> {
    (0..MEANS).flat_map(|i| {
        let mean = (i as f64 + 0.5) / MEANS as f64;
        (0..STRENGTHS).map(move |j| {
            let strength = 0.3 * 40.0_f64.powf(j as f64 / (STRENGTHS - 1) as f64);
            Beta { a: mean * strength, b: (1.0 - mean) * strength }
        })
    })
}

/// What is believed of one pass rate: a mixture of Beta distributions, by weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior(Vec<(f64, Beta)>);

impl Posterior {
    /// The chance that the rate is at most `x`.
    pub fn below(&self, x: f64) -> f64 {
        self.0.iter().map(|(weight, beta)| weight * beta.below(x)).sum()
    }

    /// The chance that the rate is above `x`.
    pub fn above(&self, x: f64) -> f64 {
        self.0.iter().map(|(weight, beta)| weight * beta.above(x)).sum()
    }

    /// The integral of [`Posterior::below`] up to `x`, at most 1.
    pub fn area(&self, x: f64) -> f64 {
        let area = |beta: Beta| x * beta.below(x) - beta.mean() * Beta { a: beta.a + 1.0, ..beta }.below(x);
        self.0.iter().map(|(weight, beta)| weight * area(*beta)).sum()
    }

    /// The mean of the rate.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|(weight, beta)| weight * beta.mean()).sum()
    }

    /// The chance of `passes` among the next `n` trials.
    pub fn chance(&self, n: u64, passes: u64) -> f64 {
        self.0.iter().map(|(weight, beta)| weight * beta.ln_chance(n, passes).exp()).sum()
    }
}
