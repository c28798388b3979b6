//! Lists: the same members, in any order; one more or one less is another answer.

use super::name;
use super::people::{self, Who};
use super::standing::standing;
use super::token::{Shape, Token, tokens};
use super::words::{self, has};
use std::collections::HashSet;

/// The members of a key, as they are written.
pub fn members(key: &str) -> Vec<String> {
    let sign = if key.contains(';') { ';' } else { ',' };
    key.split(['\n', sign])
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and ").trim().to_string())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Each looks like a person's name: two to four words with capitals.
pub fn of_names(members: &[String]) -> bool {
    members.iter().all(|member| {
        let words: Vec<Token> = tokens(member);
        (2..=4).contains(&words.len()) && words.iter().all(Token::capital)
    })
}

/// Whether the span says exactly the members; else why not.
pub fn said(
    members: &[String],
    rivals: &[String],
    span: &[Token],
    asked: &[Token],
) -> Result<&'static str, &'static str> {
    if of_names(members) { names(members, rivals, span, asked) } else { items(members, span) }
}

fn names(members: &[String], rivals: &[String], span: &[Token], asked: &[Token]) -> Result<&'static str, &'static str> {
    let keys: Vec<Vec<String>> = members.iter().map(|member| name::words_of(member)).collect();
    let hits = standing(span, asked, people::everybody(&keys, rivals, span));
    if hits.windows(2).any(|pair| span[pair[0].to..pair[1].from].iter().any(|t| t.low == "or" || t.is('/'))) {
        return Err("a choice is left open");
    }
    if hits.iter().any(|hit| hit.value != Who::Key) {
        return Err("a member too many");
    }
    let standing: HashSet<usize> = hits.iter().map(|hit| hit.from).collect();
    let missing = keys.iter().any(|key| !name::find(key, span).iter().any(|place| standing.contains(&place.from)));
    if missing { Err("a member is missing") } else { Ok("the same members") }
}

fn items(members: &[String], span: &[Token]) -> Result<&'static str, &'static str> {
    let start = span.iter().position(|t| t.is(':')).map_or(0, |n| n + 1);
    let mut said: Vec<String> = span[start..]
        .split(|t| (t.ends_clause() && !t.is('-')) || t.is('[') || t.is(']') || has("and & und et y but", &t.low))
        .filter(|item| !denied(item))
        .map(phrase)
        .filter(|item| !item.is_empty())
        .collect();
    let mut want: Vec<String> = members.iter().map(|member| phrase(&tokens(member))).collect();
    for list in [&mut said, &mut want] {
        list.sort();
        list.dedup();
    }
    if said == want { Ok("the same members") } else { Err("other members") }
}

/// "not Waffles", "no cats", "Waffles isn't": no member of the list.
fn denied(item: &[Token]) -> bool {
    let words = item.iter().filter(|t| t.shape != Shape::Mark).count();
    words > 1 && item.iter().any(|t| t.low == "no" || has(words::NEGATES, &t.low) || t.low.ends_with("n't"))
}

/// An item's words, without quotes, enumerators and the small words before it.
fn phrase(item: &[Token]) -> String {
    let words: Vec<&Token> =
        item.iter().filter(|t| t.shape != Shape::Mark || t.is('+') || t.is('-')).filter(|t| !t.aside).collect();
    let skip = words
        .iter()
        .take_while(|t| has(words::COMMON, &t.low) && words.len() > 1)
        .count()
        .min(words.len().saturating_sub(1));
    words[skip..].iter().map(|t| t.low.as_str()).collect::<Vec<_>>().join(" ")
}
