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
    let hits = prefer(hits, |hit| !retracted(tokens, hit.from));
    let hits = unquestioned(tokens, hits);
    after_correction(tokens, hits)
}

/// Those that pass, if any does, else all.
pub fn prefer<T: Clone>(hits: Vec<Hit<T>>, pass: impl Fn(&Hit<T>) -> bool) -> Vec<Hit<T>> {
    if hits.iter().any(&pass) { hits.into_iter().filter(pass).collect() } else { hits }
}

/// "Initially I got …", "I first thought …", "my earlier guess was …", "I said … before".
pub fn retracted(tokens: &[Token], at: usize) -> bool {
    let start = clause_start(tokens, at);
    let clause = &tokens[start..(at..tokens.len()).find(|n| ends_thought(&tokens[*n])).unwrap_or(tokens.len())];
    let thought = |n: usize| clause.get(n).is_some_and(|t| has(words::THOUGHT, &t.low));
    let past = clause.iter().any(|t| has("before earlier previously", &t.low)) && (0..clause.len()).any(thought);
    let so_thought =
        tokens[at..].windows(3).take(12).any(|w| w[0].low == "so" && w[1].low == "i" && w[2].low == "thought");
    past || so_thought
        || (0..clause.len()).any(|n| {
            let low = &*clause[n].low;
            let used = low == "used" && clause.get(n + 1).is_some_and(|t| t.low == "to");
            let first = has("first initial original earlier previous once had preliminary old", low);
            used || has(words::RETRACTS, low) || (first && (thought(n + 1) || thought(n + 2)))
        })
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
    let asked = |at: usize| (at..tokens.len()).find(|n| tokens[*n].ends_sentence()).is_some_and(|n| tokens[n].is('?'));
    let last = hits.last().map(|hit| hit.from);
    prefer(hits, |hit| !asked(hit.from) || Some(hit.from) == last)
}

fn after_correction<T: Clone>(tokens: &[Token], hits: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let Some(last) = hits.last().map(|hit| hit.from) else { return hits };
    let Some(turn) = (0..last).rev().find(|n| corrects(tokens, *n)) else { return hits };
    hits.into_iter().filter(|hit| hit.from > turn).collect()
}

/// A correction follows at or after `from`, and says something that passes.
pub fn replaced_after(tokens: &[Token], from: usize, says: &dyn Fn(&Token) -> bool) -> bool {
    (from..tokens.len()).any(|n| corrects(tokens, n) && tokens[n + 1..].iter().any(says))
}

/// A correction begins at `n`: a word for it at a clause's start, or a phrase like "I mean".
fn corrects(tokens: &[Token], n: usize) -> bool {
    let low = |k: usize| tokens.get(n + k).map_or("", |t| &*t.low);
    let opens = n == 0
        || tokens[n - 1].ends_clause()
        || tokens[n - 1].is('(')
        || has("but oh hmm and no or", &tokens[n - 1].low);
    // "No further records" corrects nothing.
    let no = ["no", "nein"].contains(&low(0));
    let turns = !no || tokens.get(n + 1).is_none_or(Token::ends_clause) || has("wait it that the", low(1));
    let phrase = match (low(0), low(1), low(2)) {
        ("i", "mean", _) | ("make", "that", _) | ("on", _, "thought") | ("better" | "or", "rather", _) => true,
        ("after", word, _) => has(words::CORRECTS, word),
        ("should", "be", _) => n > 0 && tokens[n - 1].low != "answer",
        _ => false,
    };
    phrase || (opens && turns && has(words::CORRECTS, low(0)))
}
