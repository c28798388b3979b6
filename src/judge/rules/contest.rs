//! How people who are named together come out against each other: by a comparison ("X beats Y") or by what is said of
//! each ("X wins, Y is second"). It must not choose where the words don't: then nobody is chosen.

use super::lacking::{lacked, lacks};
use super::people::Who;
use super::ranking::{Rank, quality, ranking, stem};
use super::score::FEW;
use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};
use super::{date, number};
use std::collections::HashSet;

/// "X beats Y", "Y has fewer cars than X", "Y is beaten by X".
pub fn compared(tokens: &[Token], asked: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let more = ranking(asked).more;
    let mut verdict = None;
    for pair in hits.windows(2) {
        let [a, b] = pair else { continue };
        let between: Vec<&Token> = tokens[a.to..b.from].iter().filter(|t| !t.aside).collect();
        let any = |list: &'static str| between.iter().any(|t| has(list, &t.low));
        // How two others stand to each other says nothing of the key.
        let both_others = a.value != Who::Key && b.value != Who::Key;
        if a.value == b.value
            || both_others
            || between.iter().any(|t| t.ends_sentence())
            || any("or")
            || between.iter().any(|t| has(words::NEGATES, &t.low) || t.low.ends_with("n't"))
        {
            continue;
        }
        let pair = |x: &str, y: &str| between.windows(2).any(|w| w[0].low == x && w[1].low == y);
        let passive = any("beaten defeated outdone edged topped outranked surpassed exceeded outnumbered") && any("by");
        let numbers = number::amounts(&tokens[a.to..b.from], false, &[]);
        let score = match numbers.as_slice() {
            [one, two] if any("against versus vs compared") && one.value.micros != two.value.micros => {
                Some((one.value.micros > two.value.micros) == more)
            }
            _ => None,
        };
        let than = any("than compared als que di");
        let order = order(asked);
        let first_wins = if passive || any("loses trails behind lost") || pair("second", "to") {
            Some(false)
        } else if any(words::BEATS)
            || pair("ahead", "of")
            || (any("followed") && any("by"))
            || (between.len() == 1 && any("over"))
        {
            Some(true)
        } else if pair("short", "of") || (any("half") && any("as")) {
            Some(!more)
        } else if any("twice double thrice triple") && any("as") {
            Some(more)
        } else if any("before precedes earlier sooner") && order.is_some() {
            order
        } else if (any("after follows outlasts outlives later") || pair("more", "recently")) && order.is_some() {
            order.map(|first| !first)
        } else if any(words::EXCEEDS) || (than && any(words::MORE)) {
            Some(more)
        } else if any("<") || (than && any(words::LESS)) {
            Some(!more)
        } else {
            score
        };
        let Some(first_wins) = first_wins else { continue };
        let key_wins = (a.value == Who::Key) == first_wins;
        if verdict.is_some_and(|v| v != key_wins) {
            return None;
        }
        verdict = Some(key_wins);
    }
    verdict
}

/// "X can't match Y", "X doesn't own as many as Y", "X is no match for Y", of the last two who are named. It must come
/// before denials are taken away, which would take Y for denied.
pub fn negated(tokens: &[Token], asked: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let [.., a, b] = hits else { return None };
    let pair = |hit: &Hit<Who>| hit.value == a.value || hit.value == b.value;
    let key_first = a.value == Who::Key;
    let between = &tokens[a.to..b.from];
    let any = |list: &'static str| between.iter().any(|t| has(list, &t.low));
    let negation = |t: &Token| has(words::NEGATES, &t.low) || t.low == "no" || t.low.ends_with("n't");
    let clear = hits.len() <= FEW
        && hits.iter().all(pair)
        && a.value != b.value
        && (key_first || b.value == Who::Key)
        && between.iter().filter(|t| negation(t)).count() == 1
        && !between.iter().any(Token::ends_clause)
        && !any("but and or so while whereas sino sondern mais because since");
    if !clear {
        return None;
    }
    let more = ranking(asked).more;
    let last = between.last().map_or("", |t| &*t.low);
    let first_wins = if any("match beat rival equal surpass exceed outnumber reach top catch matched beaten") {
        false
    } else if last == "as" && any("as many much") && between.len() > 2 {
        !more
    } else if last == "than" && (any(words::MORE) || any(words::LESS)) && any(words::MORE) == more && key_first {
        false
    } else {
        return None;
    };
    Some(first_wins == key_first)
}

/// Whether the question asks for the first in time (`true`) or the last.
fn order(asked: &[Token]) -> Option<bool> {
    let any = |list: &'static str| asked.iter().any(|t| has(list, &t.low));
    match (any("first earliest soonest oldest"), any("last latest recently newest youngest recent")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// "Second state: Y", "the second is Y", "Y in the second": it says which one is spoken of, not how that came out.
fn counts_along(clause: &[Token], n: usize) -> bool {
    let place = |t: &Token| t.shape != Shape::Word || has("place to with at by behind best most only", &t.low);
    let label = n == 0 || has("the in for from of", &clause[n - 1].low) || !clause.get(n + 1).is_none_or(place);
    let ranks = clause.get(n + 1).is_some_and(|t| has("place best most", &t.low));
    has("second third", &clause[n].low) && label && !ranks
}

/// A colon between two people: what follows is said of the second alone.
fn between_people(tokens: &[Token], hits: &[Hit<Who>], n: usize) -> bool {
    let place = hits.partition_point(|hit| hit.from < n);
    let near = |next: &Hit<Who>| next.from <= n + 4 && !tokens[n + 1..next.from].iter().any(Token::ends_clause);
    tokens[n].is(':') && place > 1 && hits.get(place).is_some_and(near)
}

/// "expires first", "the first to expire", "expires last", where the question asks for the first.
fn timed(clause: &[Token], asked: Option<&str>) -> Option<bool> {
    asked.filter(|asked| *asked == "first" || *asked == "last")?;
    let event =
        |n: usize| clause.get(n).is_some_and(|t| date::event(t).is_some() || has("came comes due vence", &t.low));
    let at = (0..clause.len()).find(|n| {
        let to = clause.get(n + 1).is_some_and(|t| t.low == "to") && event(n + 2);
        ranks_in_time(&clause[*n].low) && (to || n.checked_sub(1).is_some_and(event))
    })?;
    Some(quality(&clause[at].low) == asked)
}

fn ranks_in_time(low: &str) -> bool {
    matches!(quality(low), Some("first" | "last"))
}

/// "X wins, Y is second": clauses that speak of one person and say how that one came out.
pub fn marked(tokens: &[Token], asked: &[Token], rank: &Rank, hits: &[Hit<Who>]) -> Option<bool> {
    let (more, nouns) = (rank.more, &rank.nouns);
    let lacked = if rank.none { lacked(asked) } else { Vec::new() };
    let begin = |range: std::ops::Range<usize>| {
        let place = |n: usize| hits.partition_point(|hit| hit.from < n);
        &hits[place(range.start)..place(range.end)]
    };
    // "X, with Y second" turns to Y; "the one with more boats" doesn't turn.
    let turns_to = |n: usize| tokens[n].low == "with" && !begin(n + 1..n + 3).is_empty();
    let parts = |n: usize| {
        let joint = has("but while whereas and yet since because", &tokens[n].low) || turns_to(n);
        !tokens[n].aside
            && ((tokens[n].ends_clause() && !tokens[n].is(':')) || joint || between_people(tokens, hits, n))
    };
    let (mut wins, mut loses): (HashSet<&Who>, HashSet<&Who>) = Default::default();
    let mut from = 0;
    for n in 0..=tokens.len() {
        if n < tokens.len() && !parts(n) {
            continue;
        }
        let mut here: Vec<&Who> = begin(from..n).iter().map(|hit| &hit.value).collect();
        // "…, who wins" is said of the one before the comma.
        let relative = tokens.get(from).is_some_and(|t| has("who whose which", &t.low)) && from > 0;
        if here.is_empty() && relative {
            let before = hits.partition_point(|hit| hit.to < from);
            here.extend(before.checked_sub(1).map(|n| &hits[n]).filter(|hit| hit.to + 1 == from).map(|hit| &hit.value));
        }
        if let Some(who) = here.first().filter(|who| here.iter().all(|h| h == *who)) {
            let clause = &tokens[from..n];
            let to_nobody = clause.windows(2).any(|w| w[0].low == "to" && has("no nobody none", &w[1].low));
            let negated = to_nobody || clause.iter().any(|t| has(words::NEGATES, &t.low) || t.low.ends_with("n't"));
            let ranks = |list: &'static str| {
                clause.iter().enumerate().any(|(i, t)| {
                    has(list, &t.low)
                        && (clause[i + 1..].iter().take(3).any(|t| nouns.contains(&stem(&t.low)))
                            || (has("more fewer less", &t.low) && clause.get(i + 1).is_none_or(|t| t.low == "than")))
                })
            };
            let (up, down) = if more { (words::MORE, words::LESS) } else { (words::LESS, words::MORE) };
            let only = clause.windows(2).any(|w| {
                let have = "has have owns own keeps keep holds hold had";
                (w[0].low == "only" && has(have, &w[1].low)) || (w[1].low == "only" && has(have, &w[0].low))
            });
            let lost = (0..clause.len()).any(|n| has(words::LOSES, &clause[n].low) && !counts_along(clause, n))
                || ranks(down)
                || (more && only)
                || timed(clause, rank.quality.as_deref()) == Some(false);
            let likely = clause.windows(2).any(|w| w[0].low == "most" && w[1].low == "likely");
            let the_only = clause.windows(2).any(|w| w[0].low == "the" && w[1].low == "only");
            let lacks = lacks(clause, &lacked);
            let none = rank.none && (clause.iter().any(|t| t.low == "none") || lacks == Some(true));
            let so = |t: &Token| rank.quality.is_some() && quality(&t.low) == rank.quality.as_deref();
            let won = clause.iter().any(|t| has(words::WINS, &t.low) || so(t))
                || timed(clause, rank.quality.as_deref()) == Some(true)
                || ranks(up)
                || likely
                || the_only;
            if lacks == Some(false) {
                loses.insert(who);
            } else if none {
                wins.insert(who);
            } else if lost && !negated {
                loses.insert(who);
            } else if won && !negated {
                wins.insert(who);
            }
        }
        from = n + 1;
    }
    let others_lost = hits.iter().all(|hit| hit.value == Who::Key || loses.contains(&hit.value));
    match (wins.contains(&Who::Key), wins.iter().any(|who| **who != Who::Key)) {
        (true, false) => (!loses.contains(&Who::Key)).then_some(true),
        (false, true) => Some(false),
        (false, false) => (others_lost && !loses.contains(&Who::Key)).then_some(true),
        (true, true) => None,
    }
}
