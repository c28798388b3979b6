//! What stands between an observed pass rate and the true one: a judge that errs, and trials that are missing for a
//! reason. A corrected rate is not cut to [0, 1]: a value outside says that the judge's measured errors don't fit.

/// How often a judge is right, measured on answers that people have judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeRates {
    /// Sensitivity: the share of right answers that it passes.
    pub sensitivity: f64,
    /// Specificity: the share of wrong answers that it fails.
    pub specificity: f64,
}

impl JudgeRates {
    /// A judge that never errs.
    pub const PERFECT: JudgeRates = JudgeRates { sensitivity: 1.0, specificity: 1.0 };

    /// The observed rate that a true rate gives: p · sensitivity + (1 − p) · (1 − specificity).
    pub fn observed(self, rate: f64) -> f64 {
        self.sensitivity * rate + (1.0 - self.specificity) * (1.0 - rate)
    }

    /// How much the judge tells right from wrong: 1 for a perfect one, 0 for a coin.
    pub fn power(self) -> f64 {
        self.sensitivity + self.specificity - 1.0
    }

    /// The true rate behind an observed one (Rogan and Gladen 1978); `None` where the judge can't tell right from wrong.
    pub fn corrected(self, observed: f64) -> Option<f64> {
        (self.power() > 0.0).then(|| (observed + self.specificity - 1.0) / self.power())
    }

    /// The standard error of [`JudgeRates::corrected`] over `n` trials, where the judge's rates come from `right` and
    /// `wrong` answers that people judged (delta method).
    pub fn corrected_error(self, observed: f64, n: u64, right: u64, wrong: u64) -> Option<f64> {
        let rate = self.corrected(observed)?;
        let spread = |share: f64, of: u64| share * (1.0 - share) / of as f64;
        let variance = spread(observed, n)
            + rate.powi(2) * spread(self.sensitivity, right)
            + (1.0 - rate).powi(2) * spread(self.specificity, wrong);
        Some(variance.sqrt() / self.power())
    }
}

/// A mean that a judge estimated on many answers, put right by the few that people judged too (prediction-powered
/// inference, Angelopoulos et al. 2023, with λ = 1), and its standard error. `pairs` are (people's, judge's) rewards of
/// the few, `judged` the judge's of the others. `None` below two of either.
pub fn prediction_powered(pairs: &[(f64, f64)], judged: &[f64]) -> Option<(f64, f64)> {
    let off: Vec<f64> = pairs.iter().map(|(people, judge)| people - judge).collect();
    let estimate = super::clusters::mean(judged)? + super::clusters::mean(&off)?;
    // The method divides by n, not n − 1.
    let spread = |numbers: &[f64]| {
        let n = numbers.len() as f64;
        super::clusters::variance(numbers).map(|variance| variance * (n - 1.0) / (n * n))
    };
    Some((estimate, (spread(judged)? + spread(&off)?).sqrt()))
}

/// The pass rate that is seen where trials are lost unevenly: `lost_passes` of those that would have passed, and
/// `lost_failures` of the others. With 0.05 and 0.2, a true 0.7 looks like 0.735.
pub fn apparent_rate(rate: f64, lost_passes: f64, lost_failures: f64) -> f64 {
    let passes = rate * (1.0 - lost_passes);
    passes / (passes + (1.0 - rate) * (1.0 - lost_failures))
}
