//! How good a judge is, measured on answers whose right reward is known. Pure: labels and rewards in, numbers out.
//!
//! Right means a full reward; a refusal's half is not right. An answer that the judge could not decide is in no rate, and
//! is counted beside them.

use super::agreement::{cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent};
use super::intervals::wilson;
use serde::Serialize;

/// What was measured of a judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeQuality {
    /// Of right answers, how many were judged right.
    pub sensitivity: Option<Share>,
    /// Of answers that aren't right, how many were judged so.
    pub specificity: Option<Share>,
    /// Answers that the judge could not decide.
    pub ungraded: u64,
    /// The share of equal rewards, in [0, 1].
    pub percent: Option<f64>,
    /// Cohen's kappa of labels and rewards.
    pub cohen_kappa: Option<f64>,
    /// Gwet's AC1.
    pub gwet_ac1: Option<f64>,
    /// Krippendorff's alpha, nominal; ungraded answers are missing values.
    pub krippendorff_alpha: Option<f64>,
}

/// A share of `n`, with its 95 % Wilson interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// How many there were.
    pub n: u64,
    /// How many of them it was.
    pub count: u64,
    /// `count` over `n`.
    pub rate: f64,
    /// The interval's ends.
    pub interval: (f64, f64),
}

/// Measures a judge by pairs of the right reward and the given one, in [0, 1]; `None` where it gave none.
pub fn judge_quality(pairs: &[(f64, Option<f64>)]) -> JudgeQuality {
    let right = |reward: f64| reward > 1.0 - 1e-9;
    let given: Vec<(f64, f64)> = pairs.iter().filter_map(|(label, given)| Some((*label, (*given)?))).collect();
    let rate = |is_right: bool| {
        let side: Vec<_> = given.iter().filter(|(label, _)| right(*label) == is_right).collect();
        let count = side.iter().filter(|(_, reward)| right(*reward) == is_right).count() as u64;
        let n = side.len() as u64;
        wilson(n, count).map(|interval| Share { n, count, rate: count as f64 / n as f64, interval })
    };
    let (a, b): (Vec<u32>, Vec<u32>) =
        given.iter().map(|(label, reward)| (category(*label), category(*reward))).unzip();
    let raters = [
        pairs.iter().map(|(label, _)| Some(category(*label))).collect::<Vec<_>>(),
        pairs.iter().map(|(_, given)| given.map(category)).collect(),
    ];
    JudgeQuality {
        sensitivity: rate(true),
        specificity: rate(false),
        ungraded: (pairs.len() - given.len()) as u64,
        percent: percent(&a, &b),
        cohen_kappa: cohen_kappa(&a, &b),
        gwet_ac1: gwet_ac1(&a, &b),
        krippendorff_alpha: krippendorff_alpha(&raters),
    }
}

/// How much several judges agree with each other on the same answers, whoever is right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Between {
    /// Fleiss' kappa, of the answers that all of them decided.
    pub fleiss_kappa: Option<f64>,
    /// Krippendorff's alpha, nominal, of the answers that two or more decided.
    pub krippendorff_alpha: Option<f64>,
}

/// Compares judges by their rewards of the same answers in the same order; `None` where one gave none.
pub fn judges_between(given: &[Vec<Option<f64>>]) -> Between {
    let rater = |rewards: &Vec<Option<f64>>| rewards.iter().map(|reward| reward.map(category)).collect();
    let raters: Vec<Vec<Option<u32>>> = given.iter().map(rater).collect();
    Between { fleiss_kappa: fleiss_kappa(&raters), krippendorff_alpha: krippendorff_alpha(&raters) }
}

/// A reward as a category: equal to a millionth.
fn category(reward: f64) -> u32 {
    (reward.clamp(0.0, 1.0) * 1e6).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_judged_is_in_no_rate_and_half_is_not_right() {
        let pairs =
            [(1.0, Some(1.0)), (1.0, Some(0.0)), (0.0, Some(0.0)), (0.5, Some(0.5)), (0.0, Some(1.0)), (1.0, None)];
        let quality = judge_quality(&pairs);
        let rate = |rate: &Option<Share>| rate.as_ref().map(|rate| (rate.count, rate.n));
        assert_eq!((rate(&quality.sensitivity), rate(&quality.specificity)), (Some((1, 2)), Some((2, 3))));
        assert_eq!((quality.ungraded, quality.percent), (1, Some(0.6)));
        assert_eq!(judge_quality(&[]).sensitivity, None);
    }
}
