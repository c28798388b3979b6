//! Tests that may be looked at after every trial: Wald's, and intervals that hold at all times at once. The tiers don't
//! use them (a posterior's mass decides); the interval is told beside them, for who distrusts priors.

use super::beta::Beta;

/// Wald's test of a rate of `low` against one of `high`, as steps of the log likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// At or above this, `high` is accepted.
    pub upper: f64,
    /// At or below this, `low` is accepted.
    pub lower: f64,
    /// What a pass adds.
    pub pass: f64,
    /// What a failure adds.
    pub fail: f64,
}

impl Sprt {
    /// The test with these chances of a wrong `high` (`alpha`) and a wrong `low` (`beta`).
    pub fn new(low: f64, high: f64, alpha: f64, beta: f64) -> Sprt {
        Sprt {
            upper: ((1.0 - beta) / alpha).ln(),
            lower: (beta / (1.0 - alpha)).ln(),
            pass: (high / low).ln(),
            fail: ((1.0 - high) / (1.0 - low)).ln(),
        }
    }

    /// What these trials say: `Some(true)` for the high rate, `Some(false)` for the low one, `None` for "go on".
    pub fn decide(&self, passes: u64, failures: u64) -> Option<bool> {
        let sum = passes as f64 * self.pass + failures as f64 * self.fail;
        // A sum that meets a bound exactly, such as 2 ln 3, must not miss it by rounding.
        const ROUNDING: f64 = 1e-12;
        if sum >= self.upper - ROUNDING { Some(true) } else { (sum <= self.lower + ROUNDING).then_some(false) }
    }
}

/// All rates that `passes` of `n` trials don't speak against, at every `n` at once with a chance of `alpha` of ever being
/// wrong (Robbins 1970, with a uniform mixture).
pub fn confidence_sequence(n: u64, passes: u64, alpha: f64) -> (f64, f64) {
    if n == 0 || passes > n {
        return (0.0, 1.0);
    }
    let (c, rest) = (passes as f64, (n - passes) as f64);
    // ln of p^c (1−p)^(n−c) / B(c+1, n−c+1), the last as the chance of these passes under a uniform rate.
    let uniform = Beta { a: 1.0, b: 1.0 }.ln_chance(n, passes) - statrs::function::factorial::ln_binomial(n, passes);
    let times = |factor: f64, of: f64| if factor == 0.0 { 0.0 } else { factor * of.ln() };
    let inside = |p: f64| times(c, p) + times(rest, 1.0 - p) - uniform > alpha.ln();
    let edge = |mut within: f64, mut beyond: f64| {
        for _ in 0..100 {
            let middle = (within + beyond) / 2.0;
            if inside(middle) { within = middle } else { beyond = middle }
        }
        within
    };
    let top = c / n as f64;
    let low = if passes == 0 { 0.0 } else { edge(top, 0.0) };
    let high = if passes == n { 1.0 } else { edge(top, 1.0) };
    (low, high)
}
