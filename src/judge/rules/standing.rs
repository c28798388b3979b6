//! Which of the values found in a span still stand at its end: not those in brackets beside the statement, not those
//! denied, asked about, told as an earlier guess, or replaced by a correction.

use super::denial;
use super::token::Token;
use super::words::{self, has};

/// A value and the tokens that say it: `from..to`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<T> {
    /// What was said.
    pub value: T,
    /// First token.
    pub from: usize,
    /// One past the last token.
    pub to: usize,
}

/// The hits that stand.
pub fn standing<T: Clone>(tokens: &[Token], asked: &[Token], hits: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let hits = denial::undenied(tokens, asked, hits);
    let hits = prefer(hits, |hit| !tokens[hit.from].aside);
    let mut past = Retracted::default();
    let hits = prefer(hits, |hit| !past.at(tokens, hit.from));
    let hits = unquestioned(tokens, hits);
    after_correction(tokens, hits)
}

/// Those that pass, if any does, else all.
pub fn prefer<T: Clone>(hits: Vec<Hit<T>>, pass: impl FnMut(&Hit<T>) -> bool) -> Vec<Hit<T>> {
    // Each hit is asked about once, in order.
    let passed: Vec<bool> = hits.iter().map(pass).collect();
    if !passed.contains(&true) {
        return hits;
    }
    hits.into_iter().zip(passed).filter(|(_, passed)| *passed).map(|(hit, _)| hit).collect()
}

/// Tells whether places in a text are told as an earlier guess. It keeps the last clause, so that a long one with many
/// places is read once.
#[derive(Default)]
pub struct Retracted {
    clause: std::ops::Range<usize>,
    past: bool,
}

impl Retracted {
    /// "Initially I got …", "I first thought …", "my earlier guess was …", "I said … before".
    pub fn at(&mut self, tokens: &[Token], at: usize) -> bool {
        if !self.clause.contains(&at) {
            let end = (at..tokens.len()).find(|n| ends_thought(&tokens[*n])).unwrap_or(tokens.len());
            self.clause = clause_start(tokens, at)..end;
            let but = (end..end + 2).any(|n| tokens.get(n).is_some_and(|t| has("but however", &t.low)));
            let clause = &tokens[self.clause.clone()];
            // "Previously: X. Now: Y": a label takes its value along.
            let start = self.clause.start;
            let label = start
                .checked_sub(1)
                .filter(|n| tokens[*n].is(':'))
                .map_or(&[][..], |colon| &tokens[clause_start(tokens, colon)..colon]);
            // "X. Wrong: it's Y" is no label of Y.
            let says = clause.first().is_some_and(|t| t.low == "it");
            let old =
                matches!(label, [word] if has(words::RETRACTS, &word.low) || (has(words::OLD, &word.low) && !says));
            self.past = tells_the_past(clause) || old || (but && (found_first(clause) || conceded(clause)));
        }
        let so_thought = |w: &[Token]| w[0].low == "so" && w[1].low == "i" && w[2].low == "thought";
        self.past || tokens[at..].windows(3).take(12).any(so_thought)
    }
}

fn tells_the_past(clause: &[Token]) -> bool {
    let thought = |n: usize| clause.get(n).is_some_and(|t| has(words::THOUGHT, &t.low));
    let then = clause.iter().any(|t| has("before earlier previously", &t.low))
        || clause.windows(2).any(|w| w[0].low == "at" && w[1].low == "first");
    let past = then && (0..clause.len()).any(thought);
    past || (0..clause.len()).any(|n| {
        let low = &*clause[n].low;
        let used = low == "used" && clause.get(n + 1).is_some_and(|t| t.low == "to");
        let first = has("first initial original earlier previous once had preliminary old", low);
        // "My first sum was …", but not "the first owner was …", which may be one of two.
        let old = has("initial original earlier previous preliminary", low)
            || (low == "first" && n > 0 && has("my our", &clause[n - 1].low));
        let was =
            (n + 1..=n + 3).any(|n| clause.get(n).is_some_and(|t| has("was were gave came showed yielded", &t.low)));
        used || has(words::RETRACTS, low) || (first && (thought(n + 1) || thought(n + 2))) || (old && was)
    })
}

/// "I first found …", which a "but" takes back.
fn found_first(clause: &[Token]) -> bool {
    clause.windows(2).any(|w| w[0].low == "first" && has("found picked identified selected chose", &w[1].low))
}

/// "Some would say …", which a "but" takes back.
fn conceded(clause: &[Token]) -> bool {
    let thought = "say think expect guess argue assume suppose suggest";
    clause.windows(2).any(|w| has("would might could may", &w[0].low) && has(thought, &w[1].low))
}

fn ends_thought(token: &Token) -> bool {
    token.ends_clause() || has("but sondern sino mais pero aber", &token.low)
}

/// The first token of the clause that holds `at`.
pub fn clause_start(tokens: &[Token], at: usize) -> usize {
    (0..at).rev().find(|n| ends_thought(&tokens[*n])).map_or(0, |n| n + 1)
}

/// "Ann? No, Bob": what is asked gives way to what comes later.
fn unquestioned<T: Clone>(tokens: &[Token], hits: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let last = hits.last().map(|hit| hit.from);
    let mut sentence = 0..0;
    prefer(hits, |hit| {
        if !sentence.contains(&hit.from) {
            let ends = |n: &usize| tokens[*n].ends_sentence();
            sentence = hit.from..(hit.from..tokens.len()).find(ends).map_or(tokens.len(), |n| n + 1);
        }
        !tokens[sentence.end - 1].is('?') || Some(hit.from) == last
    })
}

fn after_correction<T: Clone>(tokens: &[Token], hits: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let Some(last) = hits.last().map(|hit| hit.from) else { return hits };
    let Some(turn) = (0..last).rev().find(|n| corrects(tokens, *n)) else { return hits };
    hits.into_iter().filter(|hit| hit.from > turn).collect()
}

/// Where the last correction begins that says something that passes.
pub fn last_replacement(tokens: &[Token], says: &dyn Fn(&Token) -> bool) -> Option<usize> {
    let said = tokens.iter().rposition(says)?;
    (0..said).rev().find(|n| corrects(tokens, *n))
}

/// A correction begins at `n`: a word for it at a clause's start, or a phrase like "I mean".
fn corrects(tokens: &[Token], n: usize) -> bool {
    let low = |k: usize| tokens.get(n + k).map_or("", |t| &*t.low);
    let opens = n == 0
        || tokens[n - 1].ends_clause()
        || tokens[n - 1].is('(')
        || has("but oh hmm and no or later now", &tokens[n - 1].low);
    // "No further records" corrects nothing.
    let no = ["no", "nein"].contains(&low(0));
    let turns = !no || tokens.get(n + 1).is_none_or(Token::ends_clause) || has("wait it that the", low(1));
    let phrase = match (low(0), low(1), low(2)) {
        ("i", "mean", _) | ("make", "that", _) | ("on", _, "thought") | ("better" | "or", "rather", _) => true,
        ("after", word, _) => has(words::CORRECTS, word),
        ("wrong" | "false" | "incorrect", ":" | "." | "," | "!" | "-", "it") => opens,
        ("should", "be", _) => n > 0 && tokens[n - 1].low != "answer",
        _ => false,
    };
    phrase || (opens && turns && has(words::CORRECTS, low(0)))
}
