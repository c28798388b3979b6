//! Two agents on the same tasks: the difference of each task's means, and what can be said of their mean. Tasks are the
//! unit, since trials of one task are no independent look at an agent.

use crate::random::Random;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Up to so many tasks that differ, all signs are tried; above, as many as [`DRAWS`] are drawn.
const EXACT: usize = 20;
const DRAWS: u64 = 100_000;
const SEED: u64 = 1;
/// The stream of [`Random`] that signs are drawn from.
const STREAM: u64 = 0x7369_676e;

/// z for 97.5 % and z for 80 %: a two-sided test at 5 % that finds the difference four times in five.
const SURE: f64 = 1.959963984540054 + 0.8416212335729143;

/// What the differences of some tasks say. All are differences of rewards, in [-1, 1].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// Over how many tasks.
    pub tasks: u64,
    /// How many of them differ at all.
    pub differing: u64,
    /// The mean of the differences.
    pub difference: f64,
    /// Its standard error over tasks; `None` below two tasks.
    pub standard_error: Option<f64>,
    /// The 95 % interval by Student's t; `None` below two tasks, or where all differences are equal: then they say
    /// nothing of their spread.
    pub interval_95: Option<(f64, f64)>,
    /// The difference over its standard error; `None` as the interval.
    pub t: Option<f64>,
    /// The two-sided p by Student's t; `None` as the interval.
    pub p_t: Option<f64>,
    /// The two-sided p of the sign-flip test: how often a mean this far from 0 comes up where each task's difference
    /// could as well have had the other sign.
    pub p_sign_flip: f64,
    /// Whether all signs were tried; else 100,000 were drawn, with a fixed seed.
    pub sign_flip_is_exact: bool,
    /// The smallest difference that this many such tasks find four times in five; `None` as the interval.
    pub smallest_difference: Option<f64>,
}

impl Paired {
    /// The larger of both p: a difference counts as settled only where both tests agree.
    pub fn p(&self) -> f64 {
        self.p_t.unwrap_or(0.0).max(self.p_sign_flip)
    }
}

/// Sums up the differences of tasks; `None` without any.
pub fn paired(differences: &[f64]) -> Option<Paired> {
    let n = differences.len() as f64;
    let difference = (n > 0.0).then(|| differences.iter().sum::<f64>() / n)?;
    let variance = differences.iter().map(|d| (d - difference).powi(2)).sum::<f64>() / (n - 1.0);
    let standard_error = (n > 1.0).then(|| (variance / n).sqrt());
    // Rounding leaves a spread where there is none.
    let spread = standard_error.filter(|error| *error > 1e-12);
    let student = StudentsT::new(0.0, 1.0, n - 1.0).ok();
    let half = spread.zip(student).map(|(error, student)| student.inverse_cdf(0.975) * error);
    let t = spread.map(|error| difference / error);
    let (p_sign_flip, sign_flip_is_exact) = sign_flip(differences);
    Some(Paired {
        tasks: differences.len() as u64,
        differing: differences.iter().filter(|d| **d != 0.0).count() as u64,
        difference,
        standard_error,
        interval_95: half.map(|half| ((difference - half).max(-1.0), (difference + half).min(1.0))),
        t,
        p_t: t.zip(student).map(|(t, student)| 2.0 * student.cdf(-t.abs())),
        p_sign_flip,
        sign_flip_is_exact,
        smallest_difference: spread.map(|error| smallest_difference(n, error * error * n)),
    })
}

/// The smallest difference between two agents that `tasks` tasks find with a chance of 80 % at 5 %, where the
/// differences of tasks' means have this variance: ω² + σ²a/ka + σ²b/kb (Miller 2024, arXiv 2411.00640, §5).
pub fn smallest_difference(tasks: f64, variance: f64) -> f64 {
    SURE * (variance / tasks).sqrt()
}

/// How many tasks it takes to find `difference` likewise.
pub fn tasks_to_find(difference: f64, variance: f64) -> f64 {
    variance * (SURE / difference).powi(2)
}

/// The p of the sign-flip test, and whether it is exact. Tasks that don't differ have no sign to flip.
fn sign_flip(differences: &[f64]) -> (f64, bool) {
    let sizes: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    // Sums in another order differ in their last digits; what is as far from 0 counts.
    let far = sizes.iter().sum::<f64>().abs() - 1e-9;
    // All sums of eight are worked out once and then looked up.
    let sum = |bits: usize, some: &[f64]| -> f64 {
        some.iter().enumerate().map(|(i, size)| if bits >> i & 1 == 1 { *size } else { -size }).sum()
    };
    let tables: Vec<Vec<f64>> = sizes.chunks(8).map(|some| (0..256).map(|bits| sum(bits, some)).collect()).collect();
    let look_up = |tables: &[Vec<f64>], bits: u64| -> f64 {
        tables.iter().zip(bits.to_le_bytes()).map(|(table, byte)| table[usize::from(byte)]).sum()
    };
    if sizes.len() <= EXACT {
        let all = 1_u64 << sizes.len();
        let found = (0..all).filter(|bits| look_up(&tables, *bits).abs() >= far).count();
        return (found as f64 / all as f64, true);
    }
    let mut random = Random::new(SEED, STREAM);
    let mut draw = || tables.chunks(4).map(|four| look_up(four, random.below(1 << 32) as u64)).sum::<f64>();
    let found = (0..DRAWS).filter(|_| draw().abs() >= far).count() as f64;
    // What was seen is one of the ways it can come out.
    ((found + 1.0) / (DRAWS as f64 + 1.0), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn a_small_difference_by_hand() {
        let differences = [0.5, 0.0, 0.0, 0.25, 0.0];
        let found = paired(&differences).expect("a number");
        near(found.difference, 0.15);
        near(found.standard_error.expect("a number"), 0.1);
        near(found.t.expect("a number"), 1.5);
        assert_eq!((found.tasks, found.differing, found.p_sign_flip), (5, 2, 0.5));
    }

    #[test]
    fn without_a_spread_only_the_signs_speak() {
        let found = paired(&[1.0; 6]).expect("a number");
        assert_eq!((found.interval_95, found.p_t, found.smallest_difference), (None, None, None));
        assert_eq!((found.p_sign_flip, found.p()), (2.0 / 64.0, 2.0 / 64.0));
        let same = paired(&[0.0; 4]).expect("a number");
        assert_eq!((same.differing, same.p_t, same.p()), (0, None, 1.0));
        let one = paired(&[0.5]).expect("a number");
        assert_eq!((one.standard_error, one.interval_95, one.p_sign_flip), (None, None, 1.0));
        assert_eq!(paired(&[]), None);
    }

    #[test]
    fn drawn_signs_come_near_all_signs_and_are_the_same_each_time() {
        // 21 differences of size 1, 15 of them up: P(|B - 10.5| >= 4.5) for B of Bin(21, 1/2).
        let differences: Vec<f64> = (0..21).map(|i| if i < 15 { 1.0 } else { -1.0 }).collect();
        let (p, exact) = sign_flip(&differences);
        assert!(!exact && (p - 0.078_353_881_835_937_5).abs() < 0.004, "{p}");
        assert_eq!(sign_flip(&differences), (p, exact));
    }
}
