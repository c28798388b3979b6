//! How often one would be right who reads hardly anything: what a suite's score must be held against.

use super::make::Forged;
use super::mistakes::best_of_all;
use crate::question::plan::{AnswerKind, Metric, Plan};
use crate::question::{Answer, World};
use std::collections::BTreeMap;

/// One way of guessing.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// What is always done.
    pub what: String,
    /// How many of the questions it would get right, on average.
    pub right: f64,
    /// How many questions it can be tried on.
    pub of: usize,
}

/// The baselines of a suite: the same answer always, the same person of all people always, one of the compared
/// winners by lot, and the same number always.
pub fn baselines(forged: &Forged) -> Vec<Baseline> {
    let world = World::new(&forged.records);
    let of_kind = |kind: AnswerKind| forged.questions.iter().filter(move |q| q.plan.kind() == kind);
    let most = |answers: Vec<&Answer>| {
        let mut times: BTreeMap<&Answer, usize> = BTreeMap::new();
        answers.iter().for_each(|answer| *times.entry(answer).or_default() += 1);
        (times.values().copied().max().unwrap_or(0) as f64, answers.len())
    };
    let baseline = |what: &str, (right, of): (f64, usize)| Baseline { what: what.to_owned(), right, of };
    let argmax = |metric: &Metric| {
        let best = best_of_all(&world, *metric).map(|person| Answer::Text(world.name(person).to_owned()));
        of_kind(AnswerKind::Name).filter(|q| Some(&q.passed.answer) == best.as_ref()).count()
    };
    let best = Metric::all().iter().map(argmax).max().unwrap_or(0);
    let compared: Vec<f64> = forged
        .questions
        .iter()
        .filter(|q| matches!(q.plan, Plan::Cmp(..) | Plan::If { .. }))
        .map(|q| 1.0 / q.plan.chains().len() as f64)
        .collect();
    vec![
        baseline("the most frequent answer", most(forged.questions.iter().map(|q| &q.passed.answer).collect())),
        baseline("whoever is first of all people by one metric", (best as f64, of_kind(AnswerKind::Name).count())),
        baseline("one of the winners compared, by lot", (compared.iter().sum(), compared.len())),
        baseline("the most frequent count", most(of_kind(AnswerKind::Count).map(|q| &q.passed.answer).collect())),
    ]
}
