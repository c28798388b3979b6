//! Several models at one task: what is believed of the mean of their pass rates, and of how far two are apart. Rates are
//! taken as independent given their counts. Sums are over narrow steps of each rate, with exact chances and means of the steps.

use super::bias::JudgeRates;
use super::prior::{Posterior, Prior};
use super::tiers::{Masses, Thresholds};

/// Into how many steps the range of a rate is cut.
const STEPS: usize = 2000;

/// One model's rate at a task, as its judge lets it be seen.
#[derive(Debug, Clone)]
pub struct Rate {
    posterior: Posterior,
    judge: JudgeRates,
    /// What lies outside what the judge can show.
    out_low: f64,
    inside: f64,
}

impl Rate {
    /// What is believed after `passes` of `n` trials.
    pub fn new(prior: &Prior, n: u64, passes: u64, judge: JudgeRates) -> Rate {
        let posterior = prior.posterior(n, passes);
        let out_low = posterior.below(judge.observed(0.0));
        let inside = 1.0 - out_low - posterior.above(judge.observed(1.0));
        Rate { posterior, judge, out_low, inside }
    }

    /// The chance that the true rate is at most `x`.
    fn below(&self, x: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else if x >= 1.0 {
            1.0
        } else {
            ((self.posterior.below(self.judge.observed(x)) - self.out_low) / self.inside).clamp(0.0, 1.0)
        }
    }

    /// Chances of the points 0, 1 / STEPS, … 1 that stand for the rate. What lies between two points is shared by them
    /// so that its mean stays: the second differences of the area below.
    fn points(&self) -> Vec<f64> {
        let areas: Vec<f64> = (-1..=STEPS as i32 + 1).map(|i| self.area(f64::from(i) / STEPS as f64)).collect();
        areas.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]) * STEPS as f64).collect()
    }

    /// The integral of [`Rate::below`] up to `x`.
    fn area(&self, x: f64) -> f64 {
        let end = x.clamp(0.0, 1.0); // nothing lies below 0, everything below 1
        let (from, to) = (self.posterior.area(self.judge.observed(0.0)), self.posterior.area(self.judge.observed(end)));
        ((to - from) / self.judge.power() - self.out_low * end) / self.inside + (x - end).max(0.0)
    }

    /// [`Rate::below`] at `top` and so many points below it, each as the mean over the step around it: no single point
    /// stands for a step in which the chance bends sharply.
    fn below_around(&self, top: f64, points: usize) -> Vec<f64> {
        let edge = |i: usize| top + (0.5 - i as f64) / STEPS as f64;
        let areas: Vec<f64> = (0..=points).map(|i| self.area(edge(i))).collect();
        areas.windows(2).map(|pair| (pair[0] - pair[1]) * STEPS as f64).collect()
    }
}

/// How much of what is believed of the mean of these rates lies in each tier. `None` without rates.
pub fn panel_masses(rates: &[Rate], thresholds: Thresholds) -> Option<Masses> {
    let (last, others) = rates.split_last()?;
    if others.is_empty() {
        let (hard, easy) = (last.below(thresholds.hard), 1.0 - last.below(thresholds.easy));
        return Some(Masses { hard, medium: (1.0 - hard - easy).max(0.0), easy });
    }
    // The chance of each sum of the others, in steps.
    let mut sum = vec![1.0];
    for rate in others {
        let points = rate.points();
        let mut next = vec![0.0; sum.len() + points.len() - 1];
        for (i, chance) in sum.iter().enumerate().filter(|(_, chance)| **chance != 0.0) {
            points.iter().enumerate().for_each(|(j, point)| next[i + j] += chance * point);
        }
        sum = next;
    }
    let below = |threshold: f64| -> f64 {
        let means = last.below_around(threshold * rates.len() as f64, sum.len());
        sum.iter().zip(means).map(|(chance, below)| chance * below).sum()
    };
    let (hard, easy) = (below(thresholds.hard), 1.0 - below(thresholds.easy));
    Some(Masses { hard, medium: (1.0 - hard - easy).max(0.0), easy })
}

/// The chance that two rates are more than `gap` apart.
pub fn gap_chance(one: &Rate, other: &Rate, gap: f64) -> f64 {
    // Downwards from 1, as the other's chances come.
    let mut points = one.points();
    points.reverse();
    let (below, within) = (other.below_around(1.0 - gap, points.len()), other.below_around(1.0 + gap, points.len()));
    points.iter().zip(below.iter().zip(within)).map(|(chance, (below, within))| chance * (below + 1.0 - within)).sum()
}
