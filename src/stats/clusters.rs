//! Means over tasks whose trials go together: trials of one task are no independent look at the agent, so every error
//! here is over tasks.

use crate::random::Random;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The stream of [`Random`] that resampling draws from.
const STREAM: u64 = 0x7265_7361_6d70;

/// A mean over trials that come in clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredMean {
    /// The mean over all trials.
    pub mean: f64,
    /// Its standard error with clusters as the unit, without a correction for few of them (CR0).
    pub standard_error: f64,
    /// How many times larger its variance is than if trials were independent; `None` where all are equal.
    pub design_effect: Option<f64>,
}

/// The mean over all trials of all clusters, with the error √(Σ over clusters of (Σ of residuals)²) / N (Miller 2024,
/// arXiv 2411.00640). `None` without trials.
pub fn clustered_mean(clusters: &[Vec<f64>]) -> Option<ClusteredMean> {
    let n: usize = clusters.iter().map(Vec::len).sum();
    if n == 0 {
        return None;
    }
    let n = n as f64;
    let mean = clusters.iter().flatten().sum::<f64>() / n;
    let off = |values: &Vec<f64>| values.iter().map(|value| value - mean).sum::<f64>();
    let variance = clusters.iter().map(|values| off(values).powi(2)).sum::<f64>() / (n * n);
    let naive = clusters.iter().flatten().map(|value| (value - mean).powi(2)).sum::<f64>() / (n * n);
    let design_effect = (naive > 0.0).then(|| variance / naive);
    Some(ClusteredMean { mean, standard_error: variance.sqrt(), design_effect })
}

/// Where the spread of a suite's rewards comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The variance of the tasks' means: some tasks are harder.
    pub between: f64,
    /// The mean of the tasks' own variances: the same task goes now well, now badly.
    pub within: f64,
}

/// Splits the spread of rewards, given by task; both variances have n − 1 below. `None` below two tasks, or where no
/// task has two rewards.
pub fn split(clusters: &[Vec<f64>]) -> Option<Split> {
    let means: Vec<f64> = clusters.iter().filter_map(|values| mean(values)).collect();
    let own: Vec<f64> = clusters.iter().filter_map(|values| variance(values)).collect();
    Some(Split { between: variance(&means)?, within: mean(&own)? })
}

/// The 95 % interval of a mean of tasks' means by Student's t, within [0, 1]; `None` below two tasks, or where all are
/// equal: then they say nothing of their spread.
pub fn interval_over_tasks(means: &[f64]) -> Option<(f64, f64)> {
    let (middle, variance) = (mean(means)?, variance(means)?);
    let n = means.len() as f64;
    if variance < 1e-24 {
        return None;
    }
    let half = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(0.975) * (variance / n).sqrt();
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

/// Means of tasks' means with tasks drawn again with replacement, `times` times; the seed decides the draws. For
/// intervals take shares of them, for an error their standard deviation. Empty without values.
pub fn bootstrap_means(values: &[f64], times: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed, STREAM);
    if values.is_empty() {
        return Vec::new();
    }
    let draw = |random: &mut Random| values.iter().map(|_| values[random.below(values.len())]).sum::<f64>();
    (0..times).map(|_| draw(&mut random) / values.len() as f64).collect()
}

/// The mean; `None` without numbers.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The variance with n − 1 below; `None` below two numbers.
pub fn variance(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers).filter(|_| numbers.len() >= 2)?;
    Some(numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (numbers.len() - 1) as f64)
}
