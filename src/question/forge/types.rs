//! The ten types of question and how many of each are wanted.

use crate::question::worded::words;
use crate::quota::quotas;
use std::collections::BTreeMap;

words! {
    /// A type of question.
    QuestionType {
        /// Who is first by a count in which several are level.
        Tiebreak = "comparison_tiebreak",
        /// An amount of money over all accounts of a winner.
        Aggregation = "aggregation",
        /// Several kinds of record of a winner, counted together.
        Counting = "cross_file_counting",
        /// The one who lacks something.
        Negation = "negation",
        /// The one who is in two sets.
        Intersection = "set_intersection",
        /// Who is first by a date.
        Temporal = "temporal_reasoning",
        /// The better of two winners of one kind.
        Comparison = "multi_entity_comparison",
        /// Two winners of different kinds, compared or added.
        MultiHop = "multi_hop_chain",
        /// One thing or another, by who of two winners is better.
        Conditional = "conditional",
        /// The winner among the winners of groups.
        Nested = "nested_superlative",
    }
}

impl QuestionType {
    /// Its usual share, in hundredths.
    pub fn usual_share(self) -> usize {
        match self {
            QuestionType::Tiebreak | QuestionType::Aggregation | QuestionType::Temporal | QuestionType::Conditional => {
                10
            }
            QuestionType::Counting | QuestionType::Negation | QuestionType::Intersection | QuestionType::Nested => 8,
            QuestionType::Comparison | QuestionType::MultiHop => 14,
        }
    }
}

/// How many questions of each type, out of `questions`: by the usual shares, or by those of `mix` alone.
pub fn wanted(mix: &[(QuestionType, usize)], questions: usize) -> BTreeMap<QuestionType, usize> {
    let usual: Vec<_> = QuestionType::ALL.iter().map(|kind| (*kind, kind.usual_share())).collect();
    let shares = if mix.is_empty() { &usual[..] } else { mix };
    let by_word: BTreeMap<String, usize> =
        shares.iter().map(|(kind, share)| (kind.word().to_owned(), *share)).collect();
    let seats = quotas(&by_word, questions);
    let of = |kind: &QuestionType| (*kind, seats.get(kind.word()).copied().unwrap_or(0));
    QuestionType::ALL.iter().map(of).filter(|(_, many)| *many > 0).collect()
}
