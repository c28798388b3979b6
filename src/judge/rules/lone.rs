//! The only name in a span, where the span says all the same that it is not the answer. It knows no other whole names,
//! and decides nothing between several.

use super::lacking::{lacked, lacks};
use super::name;
use super::people::Who;
use super::predicate;
use super::ranking::ranking;
use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};
use std::collections::HashSet;

/// How much of a clause is read on each side of a name, in tokens.
const NEAR: usize = 64;

/// "X lost", "X has fewer boats", "somebody richer than X", "in the same state as X": the only name is not the answer.
pub fn loses(tokens: &[Token], asked: &[Token], hit: &Hit<Who>) -> bool {
    // A clause that never ends is read near the name.
    let (near, far) = (hit.from.saturating_sub(NEAR), tokens.len().min(hit.to + NEAR));
    let start = tokens[near..hit.from].iter().rposition(Token::ends_clause).map_or(near, |n| near + n + 1);
    let end = tokens[hit.to..far].iter().position(Token::ends_clause).map_or(far, |n| hit.to + n);
    // "X: fewer boats" goes on behind its sign.
    let led = tokens.get(end).is_some_and(|t| t.is(':') || t.is('-'));
    let end = match tokens[(end + 1).min(far)..far].iter().position(Token::ends_clause) {
        Some(n) if led => end + 1 + n,
        None if led => far,
        _ => end,
    };
    let apposed = tokens[near..start].split_last().is_some_and(|(last, said)| {
        last.is(',') && predicate::apposed(said.rsplit(Token::ends_clause).next().unwrap_or(&[]))
    });
    let (before, after) = (&tokens[start..hit.from], &tokens[hit.to..end]);
    let lacking = ranking(asked).none && lacks(&tokens[start..end], &lacked(asked)) == Some(false);
    // The words of "Loser: X" before its colon.
    let label = tokens[near..start].split_last().filter(|(last, _)| last.is(':') && before.is_empty());
    let label = label.map_or(&[][..], |(_, said)| said.rsplit(Token::ends_clause).next().unwrap_or(&[]));
    let but = after.windows(2).any(|w| w[0].low == "but" && has("fewer less", &w[1].low));
    if lacking
        || predicate::labelled(label)
        || (apposed && before.is_empty())
        || (but && ranking(asked).more)
        || starts_from(before, asked)
        || is_start(after, asked)
        || left_open(tokens, before, start, end)
    {
        return true;
    }
    let negated = |words: &[Token]| words.iter().any(|t| has(words::NEGATES, &t.low));
    if negated(before) || negated(after) {
        return false;
    }
    predicate::led_to(before) || predicate::less(before, asked) || predicate::loses(after, asked)
}

/// "Is it X?", "could be X, could be someone else", "maybe X, maybe not".
fn left_open(tokens: &[Token], before: &[Token], start: usize, end: usize) -> bool {
    let asks = before.first().is_some_and(|t| has("is was does did has could might", &t.low));
    let opens = start == 0 || tokens[start - 1].ends_sentence();
    let last = tokens.len() == end + 1 && tokens[end].is('?');
    let far = &tokens[end..tokens.len().min(end + 8)];
    let other = far.windows(2).any(|w| {
        matches!(
            (&*w[0].low, &*w[1].low),
            ("someone" | "somebody", "else") | ("maybe" | "perhaps" | "or" | "possibly", "not")
        )
    });
    (asks && opens && last) || other
}

/// The clause before the name says only from whom the question starts.
pub fn only_starts(tokens: &[Token], asked: &[Token], hit: &Hit<Who>) -> bool {
    let near = &tokens[hit.from.saturating_sub(NEAR)..hit.from];
    starts_from(near.rsplit(Token::ends_clause).next().unwrap_or(&[]), asked)
}

/// "The owner of Tango is X", "the plate belongs to X", where Tango is only what the question starts from.
fn starts_from(before: &[Token], asked: &[Token]) -> bool {
    // Few clauses end so, and the others need no look.
    if !before.last().is_some_and(|t| has("is was to", &t.low)) {
        return false;
    }
    let any = |list: &'static str| before.iter().any(|t| has(list, &t.low));
    let opens = before.iter().position(|t| has("owner holder user driver", &t.low)).is_some_and(|n| n <= 1);
    // "Opal's owner is X"
    let of_name =
        matches!(before, [name, owner, ..] if name.text.ends_with("'s") && has("owner user driver", &owner.low));
    let names = |t: &Token| t.shape != Shape::Mark && t.text != t.low && asked.iter().any(|a| a.text == t.text);
    let further = asked.iter().any(|t| has("same among", &t.low));
    let ranks = any(words::MORE) || any(words::LESS) || any(words::NEGATES) || any("no who whose which that answer");
    let thing = "plate pet vehicle car account username cat dog bird";
    let belongs = matches!(before, [.., a, b] if a.low == "belongs" && b.low == "to")
        && before.iter().take(3).any(|t| has(thing, &t.low) && asked.iter().any(|a| a.low == t.low));
    belongs && further || opens && further && !ranks && (of_name || before.iter().skip(2).any(names))
}

/// "X is the owner of Tango."
fn is_start(after: &[Token], asked: &[Token]) -> bool {
    let low = |n: usize| after.get(n).map_or("", |t| &*t.low);
    let named = after.get(4..).is_some_and(|rest| {
        rest.len() <= 6 && rest.iter().any(|t| t.text != t.low && asked.iter().any(|a| a.text == t.text))
    });
    let further = asked.iter().any(|t| has("same among", &t.low));
    further
        && has("is was", low(0))
        && low(1) == "the"
        && has("owner holder user driver", low(2))
        && low(3) == "of"
        && named
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
