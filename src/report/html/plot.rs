//! Drawings as SVG, made here and not in the browser. Each says in its position or height what it means, so that it reads
//! without color, and in its title what it says in words.

use crate::stats::Posterior;
use maud::{Markup, html as markup};

/// A share from 0 to 1 as a bar, with an interval as a line with ends.
pub fn bar(share: Option<f64>, interval: Option<(f64, f64)>, title: &str) -> Markup {
    let x = |share: f64| format!("{:.1}", 2.0 + share.clamp(0.0, 1.0) * 196.0);
    markup! {
        svg.bar viewBox="0 0 200 18" role="img" aria-label=(title) {
            title { (title) }
            rect.track x="2" y="4" width="196" height="10" {}
            @if let Some(share) = share { rect.fill x="2" y="4" width=(format!("{:.1}", share.clamp(0.0, 1.0) * 196.0)) height="10" {} }
            @if let Some((low, high)) = interval {
                path.mark d=(format!("M{a} 9H{b}M{a} 4V14M{b} 4V14", a = x(low), b = x(high))) {}
            }
        }
    }
}

/// How many columns show a posterior.
const COLUMNS: usize = 20;

/// What is believed of a pass rate, as columns over 0 to 1 with the thresholds as lines and the rate itself as a point.
pub fn posterior(posterior: &Posterior, thresholds: (f64, f64), rate: Option<f64>, title: &str) -> Markup {
    let at = |column: usize| column as f64 / COLUMNS as f64;
    let masses: Vec<f64> =
        (0..COLUMNS).map(|i| (posterior.below(at(i + 1)) - posterior.below(at(i))).max(0.0)).collect();
    let most = masses.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut columns = String::new();
    for (i, mass) in masses.iter().enumerate() {
        let height = mass / most * 20.0;
        // What can't be seen need not be drawn.
        if height >= 0.2 {
            columns.push_str(&format!("M{} 22v-{height:.1}h4.6v{height:.1}z", i * 5));
        }
    }
    let line = |share: f64| format!("M{:.1} 0V24", share * 100.0);
    markup! {
        svg.post viewBox="-3 0 106 28" role="img" aria-label=(title) {
            title { (title) }
            path.fill d=(columns) {}
            path.axis d="M0 22H100" {}
            path.cut d=(format!("{}{}", line(thresholds.0), line(thresholds.1))) {}
            @if let Some(rate) = rate { circle.dot cx=(format!("{:.1}", rate * 100.0)) cy="25" r="2.4" {} }
        }
    }
}
