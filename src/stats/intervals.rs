//! Intervals around a pass rate of `passes` among `n` trials that are independent. `None` without trials.

use super::beta::Beta;

/// The 97.5 % point of the standard normal distribution.
const Z: f64 = 1.959963984540054;

/// What each tail of a 95 % interval holds.
const TAIL: f64 = 0.025;

/// The 95 % Wilson score interval of a pass rate, within [0, 1]; `None` without trials.
///
/// Used because it holds for few trials and for rates of 0 and 1, where ± 1.96 standard errors does not.
pub fn wilson(n: u64, passes: u64) -> Option<(f64, f64)> {
    if n == 0 || passes > n {
        return None;
    }
    let (n_f, rate) = (n as f64, passes as f64 / n as f64);
    let z2 = Z * Z / n_f;
    let center = (rate + z2 / 2.0) / (1.0 + z2);
    let half = Z / (1.0 + z2) * (rate * (1.0 - rate) / n_f + z2 / (4.0 * n_f)).sqrt();
    // The ends at rates 0 and 1 are exact; rounding must not move them.
    let low = if passes == 0 { 0.0 } else { (center - half).max(0.0) };
    let high = if passes == n { 1.0 } else { (center + half).min(1.0) };
    Some((low, high))
}

/// The 95 % Clopper-Pearson interval: it never covers too little, at the price of being wide.
pub fn clopper_pearson(n: u64, passes: u64) -> Option<(f64, f64)> {
    if n == 0 || passes > n {
        return None;
    }
    let (c, rest) = (passes as f64, (n - passes) as f64);
    let low = if passes == 0 { 0.0 } else { Beta { a: c, b: rest + 1.0 }.quantile(TAIL) };
    let high = if passes == n { 1.0 } else { Beta { a: c + 1.0, b: rest }.quantile(1.0 - TAIL) };
    Some((low, high))
}

/// The 95 % interval of Jeffreys' posterior, with 2.5 % beyond each end; at rates of 0 and 1 the outer end is the rate
/// (Brown, Cai and DasGupta 2001).
pub fn jeffreys(n: u64, passes: u64) -> Option<(f64, f64)> {
    if n == 0 || passes > n {
        return None;
    }
    let beta = Beta::JEFFREYS.after(n, passes);
    let low = if passes == 0 { 0.0 } else { beta.quantile(TAIL) };
    let high = if passes == n { 1.0 } else { beta.quantile(1.0 - TAIL) };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wilson_interval_stays_within_0_and_1_and_is_exact_at_the_ends() {
        let table = [
            (6, 6, 0.609666, 1.0),
            (6, 5, 0.436497, 0.969947),
            (6, 0, 0.0, 0.390334),
            (6, 3, 0.187616, 0.812384),
            (180, 153, 0.790555, 0.894818),
        ];
        for (n, passes, low, high) in table {
            let (found_low, found_high) = wilson(n, passes).expect("an interval");
            assert!((found_low - low).abs() < 1e-6 && (found_high - high).abs() < 1e-6, "{n} {passes}");
        }
        assert_eq!(wilson(6, 6).map(|i| i.1), Some(1.0));
        assert_eq!(wilson(0, 0), None);
    }
}
