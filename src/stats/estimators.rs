//! Estimators of a pass rate from `n` trials with `passes` passes. Where the data can't say, the answer is `None`:
//! nothing is extrapolated.

/// The chance that at least one of `k` trials passes, without bias: 1 − C(n−c, k) / C(n, k).
///
/// As a product, 1 − ∏ (1 − k/i) for i in n−c+1..=n, so that nothing overflows (Chen et al. 2021, arXiv 2107.03374).
/// `None` where fewer than `k` trials were made, or `k` is 0.
pub fn pass_at_k(n: u64, passes: u64, k: u64) -> Option<f64> {
    if k == 0 || k > n || passes > n {
        return None;
    }
    if n - passes < k {
        return Some(1.0);
    }
    let all_fail: f64 = (n - passes + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product();
    Some(1.0 - all_fail)
}

/// The chance that all of `k` trials pass, without bias: C(c, k) / C(n, k) (τ-bench, arXiv 2406.12045).
///
/// `None` where fewer than `k` trials were made, or `k` is 0.
pub fn pass_hat_k(n: u64, passes: u64, k: u64) -> Option<f64> {
    if k == 0 || k > n || passes > n {
        return None;
    }
    if passes < k {
        return Some(0.0);
    }
    Some((0..k).map(|i| (passes - i) as f64 / (n - i) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn pass_at_k_is_unbiased_and_says_nothing_beyond_the_data() {
        let table = [
            (3, 0, 3, 0.0),
            (3, 1, 3, 1.0),
            (5, 2, 3, 0.9),
            (4, 4, 1, 1.0),
            (1000, 1, 500, 0.5),
            (6, 3, 2, 0.8),
            (10, 3, 5, 11.0 / 12.0),
            (24, 1, 6, 0.25),
            (200, 7, 100, 0.9929911172418123),
        ];
        for (n, passes, k, expected) in table {
            near(pass_at_k(n, passes, k), expected);
        }
        for (n, passes, k) in [(2, 0, 5), (0, 0, 1), (3, 3, 0), (2, 3, 1)] {
            assert_eq!(pass_at_k(n, passes, k), None, "{n} {passes} {k}");
            assert_eq!(pass_hat_k(n, passes, k), None, "{n} {passes} {k}");
        }
    }

    #[test]
    fn pass_hat_k_is_the_chance_that_all_pass() {
        for (n, passes, k, expected) in [(6, 3, 2, 0.2), (6, 5, 1, 5.0 / 6.0), (6, 2, 3, 0.0), (6, 6, 6, 1.0)] {
            near(pass_hat_k(n, passes, k), expected);
        }
    }
}
