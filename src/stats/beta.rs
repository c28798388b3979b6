//! The Beta distribution: what is believed of a pass rate after some trials. The special functions are `statrs`'s.

use statrs::function::beta::{beta_reg, ln_beta};
use statrs::function::factorial::ln_binomial;

/// A Beta distribution over rates in [0, 1]; both parameters are positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    /// Passes, with those of the prior.
    pub a: f64,
    /// Failures, with those of the prior.
    pub b: f64,
}

impl Beta {
    /// Jeffreys' prior, half a pass and half a failure: it says next to nothing.
    pub const JEFFREYS: Beta = Beta { a: 0.5, b: 0.5 };

    /// What is believed after `n` further trials of which `passes` passed.
    pub fn after(self, n: u64, passes: u64) -> Beta {
        Beta { a: self.a + passes as f64, b: self.b + n.saturating_sub(passes) as f64 }
    }

    /// The chance that the rate is at most `x`.
    pub fn below(self, x: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else if x >= 1.0 {
            1.0
        } else {
            beta_reg(self.a, self.b, x)
        }
    }

    /// The chance that the rate is above `x`, exact also where it is tiny.
    pub fn above(self, x: f64) -> f64 {
        Beta { a: self.b, b: self.a }.below(1.0 - x)
    }

    /// The rate with a chance of `share` of being below it.
    pub fn quantile(self, share: f64) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        if share >= 1.0 {
            return 1.0;
        }
        // Halving needs no derivative, which has no bound at the ends; near 1 the distance to 1 is looked for.
        if self.below(0.5) < share {
            return 1.0 - halve(|x| self.above(1.0 - x) < 1.0 - share);
        }
        halve(|x| self.below(x) < share)
    }

    /// The mean: the pass rate, drawn towards the prior's.
    pub fn mean(self) -> f64 {
        self.a / (self.a + self.b)
    }

    /// The logarithm of the chance of `passes` among the next `n` trials (beta-binomial).
    pub fn ln_chance(self, n: u64, passes: u64) -> f64 {
        let next = self.after(n, passes);
        ln_binomial(n, passes) + ln_beta(next.a, next.b) - ln_beta(self.a, self.b)
    }
}

/// The largest `x` in [0, 0.5] that is still `too_low`, to the last digit; small ones are found as exactly as large ones.
fn halve(too_low: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0_f64, 0.5_f64);
    for _ in 0..200 {
        let middle = if low > 0.0 { (low + high) / 2.0 } else { high / 16.0 };
        if middle <= low || middle >= high || middle < f64::MIN_POSITIVE {
            break;
        }
        if too_low(middle) { low = middle } else { high = middle }
    }
    high
}

/// The Beta distribution whose beta-binomial fits counts of `(n, passes)` best (greatest likelihood), with the logarithm
/// of that likelihood. `None` without counts.
///
/// The simplex method of Nelder and Mead (1965) over the logarithms of both parameters.
pub fn fit(counts: &[(u64, u64)]) -> Option<(Beta, f64)> {
    if counts.is_empty() {
        return None;
    }
    let beta = |at: [f64; 2]| Beta { a: at[0].clamp(-7.0, 12.0).exp(), b: at[1].clamp(-7.0, 12.0).exp() };
    let cost = |at: [f64; 2]| -counts.iter().map(|(n, c)| beta(at).ln_chance(*n, *c)).sum::<f64>();
    let mut corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|at| (cost(at), at));
    for _ in 0..400 {
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [best, good, worst] = corners;
        if worst.0 - best.0 < 1e-13 {
            break;
        }
        let along = |step: f64| {
            let at = [0, 1].map(|i| {
                let middle = (best.1[i] + good.1[i]) / 2.0;
                middle + step * (middle - worst.1[i])
            });
            (cost(at), at)
        };
        let reflected = along(1.0);
        corners[2] = if reflected.0 < best.0 {
            let further = along(2.0);
            if further.0 < reflected.0 { further } else { reflected }
        } else if reflected.0 < good.0 {
            reflected
        } else {
            let nearer = along(if reflected.0 < worst.0 { 0.5 } else { -0.5 });
            if nearer.0 < worst.0.min(reflected.0) {
                nearer
            } else {
                for corner in &mut corners[1..] {
                    let at = [0, 1].map(|i| (best.1[i] + corner.1[i]) / 2.0);
                    *corner = (cost(at), at);
                }
                continue;
            }
        };
    }
    let best = corners.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((beta(best.1), -best.0))
}
