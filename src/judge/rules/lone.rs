//! The only name in a span, where the span says all the same that it is not the answer. It knows no other names, and
//! decides nothing between several.

use super::people::Who;
use super::ranking::{Rank, ranking, stem};
use super::standing::Hit;
use super::token::Token;
use super::words::{self, has};

/// "X lost", "X has fewer boats", "somebody richer than X", "in the same state as X": the only name is not the answer.
pub fn loses(tokens: &[Token], asked: &[Token], hit: &Hit<Who>) -> bool {
    let start = tokens[..hit.from].iter().rposition(Token::ends_clause).map_or(0, |n| n + 1);
    let end = tokens[hit.to..].iter().position(Token::ends_clause).map_or(tokens.len(), |n| hit.to + n);
    let (before, after) = (&tokens[start..hit.from], &tokens[hit.to..end]);
    let has_one = |words: &[Token], list: &'static str| words.iter().any(|t| has(list, &t.low));
    if has_one(before, words::NEGATES) || has_one(before, "no nobody none") || has_one(after, words::NEGATES) {
        return false;
    }
    let last = |n: usize| before.len().checked_sub(n).map_or("", |n| &*before[n].low);
    let beside =
        last(1) == "than" || (last(1) == "as" && has_one(before, "same")) || (last(2) == "next" && last(1) == "to");
    let placed = after.first().is_some_and(|t| has("came comes finished finishes ranks ranked is", &t.low))
        && after.get(1).is_some_and(|t| has("second third last runner-up", &t.low))
        && after.len() == 2;
    let lost = has_one(after, "lost loses loser") || has_one(before, "runner-up loser") || placed;
    let Rank { more, nouns, .. } = ranking(asked);
    let fewer = more && after.windows(2).any(|w| w[0].low == "fewer" && nouns.contains(&stem(&w[1].low)));
    beside || lost || fewer
}
