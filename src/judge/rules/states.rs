//! States of the USA that a span says beside the key, where the key is one. It must not know what is asked of them: which
//! of two states is meant, only the form tells.

use super::category::joined;
use super::name;
use super::standing::{Hit, prefer, standing};
use super::token::Token;
use super::words::{self, has};

/// Where `key` is a state, whether another state stands in the span as what it says.
pub fn another(key: &[Token], said_key: &[Hit<()>], said: &[Token], asked: &[Token]) -> bool {
    if !spelled(key) {
        return false;
    }
    let mut hits: Vec<Hit<bool>> = said_key.iter().map(|hit| Hit { value: true, from: hit.from, to: hit.to }).collect();
    let code = code_of(key);
    let mut n = 0;
    while n < said.len() {
        let to = (n + 1..=(n + 2).min(said.len())).rev().find(|to| spelled(&said[n..*to]));
        let to = to.or_else(|| is_code(said, n).then_some(n + 1)).unwrap_or(n);
        let next = said_key.get(said_key.partition_point(|hit| hit.to <= n));
        let known = next.is_some_and(|hit| hit.from < to);
        let same = joined(&said[n..to]) == joined(key) || code.as_ref() == Some(&said[n].text);
        // "Georgia Miller" is a person, "Kansas City" is a city, and what the question says is restated.
        let part = |n: Option<usize>| n.and_then(|n| said.get(n)).is_some_and(name::part_of_name);
        let grown = part(n.checked_sub(1)) || part(Some(to)) || said.get(to).is_some_and(|t| t.low == "city");
        let restated = said[n..to].iter().all(|word| asked.iter().any(|t| t.low == word.low));
        if to > n && !known && !same && !grown && !restated {
            hits.push(Hit { value: false, from: n, to });
        }
        n = to.max(n + 1);
    }
    if hits.iter().all(|hit| hit.value) {
        return false;
    }
    hits.sort_by_key(|hit| hit.from);
    let hits = of_the_verb(said, asked, hits);
    let hits = concluded(said, left_behind(said, standing(said, asked, hits)));
    // "Virginia. Ohio is next door.": the first sentence is nothing but the state.
    let first = hits.first().filter(|hit| hit.from == 0 && said.get(hit.to).is_some_and(Token::ends_sentence));
    match first {
        Some(first) => !first.value,
        None => hits.iter().any(|hit| !hit.value),
    }
}

/// "moved from Ohio to Virginia": Ohio is left.
fn left_behind(said: &[Token], hits: Vec<Hit<bool>>) -> Vec<Hit<bool>> {
    let led = |hit: &Hit<bool>, word: &str| hit.from.checked_sub(1).is_some_and(|n| said[n].low == word);
    let left = |n: usize| led(&hits[n], "from") && hits.get(n + 1).is_some_and(|next| led(next, "to"));
    (0..hits.len()).filter(|n| !left(*n)).map(|n| hits[n].clone()).collect()
}

/// "…, so Virginia": what follows the last conclusion.
fn concluded(said: &[Token], hits: Vec<Hit<bool>>) -> Vec<Hit<bool>> {
    let Some(last) = hits.last().map(|hit| hit.from) else { return hits };
    let turn = (0..last).rev().find(|n| has(words::CONCLUDES, &said[*n].low)).unwrap_or(0);
    hits.into_iter().filter(|hit| hit.from >= turn).collect()
}

/// Where "VA" or "US-VA" stands for the key Virginia.
pub fn coded(key: &[Token], said: &[Token]) -> Vec<Hit<()>> {
    let Some(code) = code_of(key) else { return Vec::new() };
    let whole = format!("US-{code}");
    let lone = one_word(said);
    (0..said.len())
        .filter(|n| {
            let text = &said[*n].text;
            is_code(said, *n) && *text == code || *text == whole || (lone && text.to_uppercase() == code)
        })
        .map(|n| Hit { value: (), from: n, to: n + 1 })
        .collect()
}

/// Two capitals that stand where a state's letters do: alone, behind a comma, or where they are no word.
fn is_code(said: &[Token], n: usize) -> bool {
    let text = &said[n].text;
    let capitals = text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase()) && has(words::STATES, &said[n].low);
    let word = has("in or me ok hi oh la de ma pa id al", &said[n].low);
    capitals && (!word || one_word(said) || n.checked_sub(1).is_some_and(|p| said[p].is(',') || said[p].is(':')))
}

fn one_word(said: &[Token]) -> bool {
    said.len() <= 8 && said.iter().filter(|t| t.text.chars().any(char::is_alphabetic)).count() == 1
}

/// The letters of the state that is spelled out.
fn code_of(key: &[Token]) -> Option<String> {
    let name = joined(key);
    let mut names = words::STATES.split_ascii_whitespace();
    let at = names.position(|state| state == name).filter(|n| *n < 50)?;
    words::STATES.split_ascii_whitespace().nth(at + 50).map(str::to_uppercase)
}

/// "born in Ohio, lives in Maine": where the question says what is done there, the state of which that is said.
fn of_the_verb(said: &[Token], asked: &[Token], hits: Vec<Hit<bool>>) -> Vec<Hit<bool>> {
    const VERBS: [&[&str]; 5] =
        [&["live", "living", "resid", "address"], &["born", "birth"], &["work", "employ"], &["moved"], &["regist"]];
    let verb = |t: &Token| VERBS.iter().position(|stems| stems.iter().any(|stem| t.low.starts_with(stem)));
    let Some(wanted) = asked.iter().rev().find_map(verb) else { return hits };
    let mut floor = 0;
    prefer(hits, |hit| {
        let before = said[floor..hit.from].iter().rev().find_map(verb);
        floor = hit.to;
        before == Some(wanted)
    })
}

/// The words are a state's name, spelled out.
fn spelled(words: &[Token]) -> bool {
    let name = joined(words);
    name.len() > 2 && has(words::STATES, &name)
}
