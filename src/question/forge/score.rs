//! How hard a question is by its structure. It is no measurement: runs say how hard a question is for a model.

use super::gates::Passed;
use crate::question::plan::{Filter, Plan};

/// A third of all questions, by structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the three words of tiers")]
pub enum Tier {
    Easy,
    Medium,
    Hard,
}

impl Tier {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Easy => "easy",
            Tier::Medium => "medium",
            Tier::Hard => "hard",
        }
    }
}

/// Files + 2 for each chain after the first + levels of tie-breaks + log2 of all group sizes, rounded up + filters +
/// mistakes that lead elsewhere.
pub fn score(plan: &Plan, passed: &Passed) -> usize {
    let filters = plan.groups().iter().flat_map(|group| &group.filters).count();
    // Sets that one person must be in are followed one after the other, as chains are.
    let sets = plan.groups().iter().flat_map(|group| &group.filters).filter(|f| matches!(f, Filter::In(_))).count();
    let chains = plan.chains().len().max(sets).max(1);
    let ties = plan.chains().iter().map(|chain| chain.rank.0.len() - 1).max().unwrap_or(0);
    let people = passed.groups.iter().sum::<usize>().max(1);
    let halvings = people.next_power_of_two().ilog2() as usize;
    passed.files.len() + 2 * (chains - 1) + ties + halvings + filters + passed.mistakes.len()
}

/// The tier of each of some questions, given as score and whether it may be called hard. Questions of one score are in
/// one tier, unless one may not be hard and is medium; the tiers are as near to thirds as that lets them be.
pub fn tiers(scores: &[(usize, bool)]) -> Vec<Tier> {
    let below = |score: usize| scores.iter().filter(|(other, _)| *other < score).count();
    let cut = |third: usize| {
        let off = |score: &usize| (3 * below(*score)).abs_diff(third * scores.len());
        scores.iter().map(|(score, _)| *score).min_by_key(|score| (off(score), *score)).unwrap_or(0)
    };
    let (medium, hard) = (cut(1), cut(2));
    let tier = |(score, may_be_hard): &(usize, bool)| match score {
        score if *score < medium => Tier::Easy,
        score if *score < hard || !may_be_hard => Tier::Medium,
        _ => Tier::Hard,
    };
    scores.iter().map(tier).collect()
}

/// A hard question punishes two mistakes or more, and what it compares last is close.
pub fn may_be_hard(passed: &Passed) -> bool {
    passed.mistakes.len() >= 2 && passed.narrow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_are_by_score_and_not_everything_may_be_hard() {
        let found = tiers(&[(9, true), (5, true), (7, true), (7, false), (10, false), (4, true)]);
        use Tier::*;
        assert_eq!(found, [Hard, Easy, Medium, Medium, Medium, Easy]);
    }
}
