//! What is believed of a pass rate as a small bar: 0 on the left, 1 on the right, high where the rate is likely to be,
//! cut where the tiers meet. One line, no color.

use crate::stats::{Masses, Thresholds};

/// How many steps a bar has, the two cuts not counted.
const STEPS: usize = 20;
/// How many columns a bar takes.
pub const BAR: usize = STEPS + 2;
/// The heights, lowest first.
const HEIGHTS: [char; 8] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '█'];

/// The bar of a belief; `below` is the chance that the rate is at most `x`.
pub fn bar(thresholds: Thresholds, below: impl Fn(f64) -> f64) -> String {
    let edges: Vec<f64> = (0..=STEPS).map(|i| below(i as f64 / STEPS as f64)).collect();
    let steps: Vec<f64> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let most = steps.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let cut = |threshold: f64| (threshold * STEPS as f64).round() as usize;
    let mut text = String::new();
    for (i, step) in steps.iter().enumerate() {
        if i == cut(thresholds.hard) || i == cut(thresholds.easy) {
            text.push('|');
        }
        let height = (step / most * (HEIGHTS.len() - 1) as f64).round() as usize;
        text.push(HEIGHTS[height.min(HEIGHTS.len() - 1)]);
    }
    text
}

/// The same where only the tiers' chances are known: each is spread evenly over its part.
pub fn bar_of_masses(thresholds: Thresholds, masses: &Masses) -> String {
    let Thresholds { hard, easy } = thresholds;
    bar(thresholds, |x| {
        let part = |mass: f64, from: f64, to: f64| mass * ((x - from) / (to - from)).clamp(0.0, 1.0);
        part(masses.hard, 0.0, hard) + part(masses.medium, hard, easy) + part(masses.easy, easy, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Prior;

    #[test]
    fn a_bar_is_high_where_the_rate_is_likely_to_be_and_cut_where_the_tiers_meet() {
        let of = |n, c| bar(Thresholds::DEFAULT, |x| Prior::Jeffreys.posterior(n, c).below(x));
        assert_eq!(of(6, 6), "    |            |▁▁▂█");
        assert_eq!(of(6, 0), "█▂▁▁|            |    ");
        assert_eq!(of(6, 3).chars().count(), BAR);
        let masses = Masses { hard: 0.0, medium: 0.05, easy: 0.95 };
        assert_eq!(bar_of_masses(Thresholds::DEFAULT, &masses), "    |            |████");
        assert_eq!(bar(Thresholds::LEGACY, |x| x).chars().position(|c| c == '|'), Some(2));
    }
}
