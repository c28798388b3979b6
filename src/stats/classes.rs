//! Answers by class, where a judge has classes, and what benchmarks make of that. Pure.
//!
//! Of n answers: accuracy = correct / n; attempted accuracy = correct / (correct + incorrect), as BrowseComp's graders
//! count it; F = their harmonic mean, as in SimpleQA; Omniscience index = 100 (correct - incorrect) / n, from -100 to 100;
//! hallucination rate = incorrect / (incorrect + partial + abstained). Each is `None` where its denominator is 0.

use crate::results::Job;
use serde::Serialize;
use std::collections::BTreeMap;

/// A job's answers by class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classes {
    /// How many answers each class has.
    pub counts: BTreeMap<String, u64>,
    /// In [0, 1].
    pub accuracy: Option<f64>,
    /// In [0, 1].
    pub attempted_accuracy: Option<f64>,
    /// Harmonic mean of the two, in [0, 1].
    pub f: Option<f64>,
    /// From -100 to 100.
    pub index: Option<f64>,
    /// In [0, 1].
    pub hallucination_rate: Option<f64>,
    /// Means of the numbers that the judge gave beside the reward, such as `precision`; each over the trials that have it.
    pub means: BTreeMap<String, f64>,
}

/// The answers of a job by class; `None` where its judge has no classes.
pub fn classes(job: &Job) -> Option<Classes> {
    let verdicts = || job.trials.iter().filter_map(|record| record.verdict.as_ref());
    let mut counts = BTreeMap::new();
    for class in verdicts().filter_map(|verdict| verdict.class.clone()) {
        *counts.entry(class).or_default() += 1;
    }
    if counts.is_empty() {
        return None;
    }
    let mut sums: BTreeMap<String, (f64, u64)> = BTreeMap::new();
    for (name, number) in verdicts().flat_map(|verdict| &verdict.numbers) {
        let sum = sums.entry(name.clone()).or_default();
        *sum = (sum.0 + number, sum.1 + 1);
    }
    let means = sums.into_iter().map(|(name, (sum, n))| (name, sum / n as f64)).collect();
    Some(Classes { means, ..of(counts) })
}

fn of(counts: BTreeMap<String, u64>) -> Classes {
    let count = |class: &str| counts.get(class).copied().unwrap_or(0) as f64;
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let all: f64 = counts.values().map(|count| *count as f64).sum();
    let (right, wrong) = (count("correct"), count("incorrect"));
    let accuracy = share(right, all);
    let attempted_accuracy = share(right, right + wrong);
    let f = accuracy.zip(attempted_accuracy).and_then(|(a, b)| share(2.0 * a * b, a + b));
    let index = share(100.0 * (right - wrong), all);
    let hallucination_rate = share(wrong, wrong + count("partial") + count("abstained"));
    Classes { accuracy, attempted_accuracy, f, index, hallucination_rate, counts, means: BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_formulas() {
        let counted = |pairs: &[(&str, u64)]| of(pairs.iter().map(|(c, n)| ((*c).to_owned(), *n)).collect());
        let classes = counted(&[("correct", 40), ("incorrect", 30), ("partial", 10), ("abstained", 20)]);
        let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-9);
        assert!(close(classes.accuracy, 0.4) && close(classes.index, 10.0), "{classes:?}");
        assert!(close(classes.attempted_accuracy, 4.0 / 7.0) && close(classes.hallucination_rate, 0.5), "{classes:?}");
        assert!(close(classes.f, 2.0 * 0.4 * (4.0 / 7.0) / (0.4 + 4.0 / 7.0)), "{classes:?}");
        let none = counted(&[("abstained", 3)]);
        assert_eq!((none.accuracy, none.attempted_accuracy, none.f), (Some(0.0), None, None));
    }
}
