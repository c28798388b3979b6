//! Puts names where an answer gives labels: "Person A: X. Person B: Y. Winner: A" says X. Only where at least two labels
//! are each given to one person; a letter that may be an ordinary word stays.

use super::name;
use super::people::{self, Who};
use super::score::FEW;
use super::standing::Hit;
use super::token::{Shape, Token, tokens};
use super::words::{self, has};
use std::ops::Range;

const NOUNS: &str = "person candidate option chain group side owner resident member entity individual case choice";
/// May follow a letter that stands for somebody.
const VERBS: &str = "has owns wins is holds leads beats had owned held";

/// A label where it is given to somebody.
#[derive(Debug)]
struct Given<'a> {
    label: Label,
    /// Where label and name stand together.
    at: Range<usize>,
    name: &'a str,
    who: Who,
}

#[derive(Debug, PartialEq, Eq, Clone)]
enum Label {
    /// "Person A", "A", "Candidate 1", "candidate_1": its last part.
    Mark(String),
    /// "Maine": a word of one name or place.
    Word(String),
}

/// The text with names for labels, where it gives labels.
pub fn resolved(text: &str, key: &[Vec<String>], rivals: &[String]) -> Option<String> {
    let all = tokens(text);
    let hits = people::everybody(key, rivals, &all);
    let given: Vec<Given> = hits.iter().filter_map(|hit| given(text, &all, hit)).collect();
    let apart = |n: usize| {
        let twice = |o: &Given| o.label == given[n].label || o.who == given[n].who;
        !given.iter().enumerate().any(|(m, other)| m != n && twice(other))
    };
    if !(2..=FEW).contains(&given.len()) || !(0..given.len()).all(apart) {
        return None;
    }
    let mut out = String::new();
    let (mut done, mut n) = (0, 0);
    while n < all.len() {
        let found = given.iter().find_map(|g| {
            let free = !given.iter().any(|g| g.at.contains(&n));
            Some((g.name, used(&all, n, &g.label).filter(|_| free)?))
        });
        let Some((name, to)) = found else {
            n += 1;
            continue;
        };
        out.push_str(&text[done..all[n].at.0]);
        out.push_str(name);
        done = all[to - 1].at.1;
        n = to;
    }
    out.push_str(&text[done..]);
    (done > 0).then_some(out)
}

/// "Person A: X", "A = X", "Person 1 is X", "Maine: X".
fn given<'a>(text: &'a str, all: &[Token], hit: &Hit<Who>) -> Option<Given<'a>> {
    let sign = hit.from.checked_sub(1)?;
    let by_sign = all[sign].is(':') || all[sign].is('=');
    (by_sign || all[sign].low == "is").then_some(())?;
    let last = sign.checked_sub(1)?;
    let noun = last.checked_sub(1).is_some_and(|n| has(NOUNS, &all[n].low));
    let start = last - usize::from(noun);
    let opens = start == 0 || all[start - 1].ends_clause() || has("and let", &all[start - 1].low);
    let token = &all[last];
    let word = name::part_of_name(token) || (token.capital() && has(words::STATES, &token.low));
    let label = if let Some(mark) = mark(token, noun) {
        Label::Mark(mark)
    } else if !noun && word && by_sign {
        Label::Word(token.low.clone())
    } else {
        return None;
    };
    let name = &text[all[hit.from].at.0..all[hit.to - 1].at.1];
    opens.then(|| Given { label, at: start..hit.to, name, who: hit.value.clone() })
}

/// The part of a label that tells it from others: a capital letter, a digit behind a noun, both of `candidate_1`.
fn mark(token: &Token, noun: bool) -> Option<String> {
    let sign = |text: &str| text.len() == 1 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    if let Some((name, part)) = token.text.rsplit_once('_') {
        return (has(NOUNS, &name.to_lowercase()) && part.len() == 1).then(|| part.to_uppercase());
    }
    let digit = token.shape == Shape::Number;
    (sign(&token.text) && (noun || !digit)).then(|| token.text.clone())
}

/// The token after the label that is used at `n`.
fn used(all: &[Token], n: usize, label: &Label) -> Option<usize> {
    match label {
        Label::Word(word) => {
            let one = |t: &Token| has("one person resident owner candidate", &t.low);
            let whole = all[n].low == "the" && all.get(n + 1).is_some_and(|t| t.low == *word);
            (whole && all.get(n + 2).is_some_and(one)).then_some(n + 3)
        }
        Label::Mark(want) => {
            let noun = has(NOUNS, &all[n].low);
            let at = n + usize::from(noun);
            let said = all.get(at)?;
            let code = said.text.contains('_');
            (mark(said, noun).as_ref() == Some(want)).then_some(())?;
            let ends = |t: &Token| t.shape != Shape::Word || has(VERBS, &t.low);
            (noun || code || all.get(at + 1).is_none_or(ends)).then_some(at + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_names_where_each_has_one() {
        let key = [name::words_of("Ora Vey")];
        for (text, want) in [
            ("A: Ora Vey, B: Cal Dunn. Winner: A", Some("A: Ora Vey, B: Cal Dunn. Winner: Ora Vey")),
            ("winner: B\nA: Ora Vey\nB: Cal Dunn", Some("winner: Cal Dunn\nA: Ora Vey\nB: Cal Dunn")),
            (
                "candidate_1: Ora Vey\ncandidate_2: Cal Dunn\nwinner: candidate_2",
                Some("candidate_1: Ora Vey\ncandidate_2: Cal Dunn\nwinner: Cal Dunn"),
            ),
            (
                "Person 1 is Ora Vey and Person 2 is Cal Dunn. Person 2 wins.",
                Some("Person 1 is Ora Vey and Person 2 is Cal Dunn. Cal Dunn wins."),
            ),
            ("Maine: Ora Vey. Iowa: Cal Dunn. The Maine one.", Some("Maine: Ora Vey. Iowa: Cal Dunn. Ora Vey.")),
            ("A: Ora Vey. Winner: A", None),
            ("A: Ora Vey, B: Cal Dunn. A person of Ohio.", None),
            ("A: Ora Vey, A: Cal Dunn. Winner: A", None),
        ] {
            assert_eq!(resolved(text, &key, &[]).as_deref(), want, "{text}");
        }
    }
}
