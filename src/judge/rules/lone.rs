//! The only name in a span, where the span says all the same that it is not the answer. It knows no other whole names,
//! and decides nothing between several.

use super::name;
use super::people::Who;
use super::ranking::{Rank, ranking, stem};
use super::standing::Hit;
use super::token::Token;
use super::words::{self, has};
use std::collections::HashSet;

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
    let of_it = |next: Option<&Token>| next.is_none_or(|t| nouns.contains(&stem(&t.low)));
    let down = if more { "fewer" } else { "more" };
    let worse = !nouns.is_empty() && (0..after.len()).any(|n| after[n].low == down && of_it(after.get(n + 1)));
    beside || lost || worse
}

/// The hits, and those whom the span speaks of without a whole name: "the other", "Quist has more".
pub fn beside(tokens: &[Token], asked: &[Token], hits: &[Hit<Who>]) -> Option<Vec<Hit<Who>>> {
    const VERBS: &str = "has owns holds had owned held have own hold keeps wins";
    let said = |n: usize| tokens.get(n).map_or("", |t| &*t.low);
    let own: HashSet<&str> = hits.iter().flat_map(|hit| &tokens[hit.from..hit.to]).map(|t| &*t.low).collect();
    let other = |n: usize| {
        let noun = has("resident one person owner candidate member", said(n + 2));
        let whole = noun || has(VERBS, said(n + 2)) || tokens.get(n + 2).is_none_or(Token::ends_clause);
        (said(n) == "the" && said(n + 1) == "other" && whole).then_some(n + 2 + usize::from(noun))
    };
    let surname = |n: usize| {
        let asked_of = asked.iter().any(|t| t.low == tokens[n].low);
        let place = has(words::STATES, said(n)) || n.checked_sub(1).is_some_and(|p| has("in at from near of", said(p)));
        let whole = name::part_of_name(&tokens[n]) && has(VERBS, said(n + 1));
        (whole && !asked_of && !place && !own.contains(said(n))).then_some(n + 1)
    };
    let others = (0..tokens.len()).filter_map(|n| {
        let to = other(n).or_else(|| surname(n))?;
        Some(Hit {
            value: Who::Other(tokens[n..to].iter().map(|t| &*t.low).collect::<Vec<_>>().join(" ")),
            from: n,
            to,
        })
    });
    let mut all = hits.to_vec();
    all.extend(others);
    all.sort_by_key(|hit| hit.from);
    (all.len() > hits.len()).then_some(all)
}
