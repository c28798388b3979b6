//! The order of the rules, from bytes to verdict. Each step is a function of the step before and decides one thing.

use super::compare::{self, Said};
use super::key::{Key, Kind};
use super::span::{self, Wanted};
use super::unwrap::{self, Structure};
use super::{addressed, labels, markup, name, normalise, refusal};
use crate::judge::Verdict;

/// Judges `answer` against `key`. `rivals` are names of people who could be meant instead (a corpus's own list); an
/// empty list leaves it to the look of names. Never fails: what can't be read is a wrong answer.
///
/// The reward is 1.0 (right), 0.5 (a refusal without an attempt) or 0.0. The rule is the key's kind, or `empty`,
/// `addressed` (nothing but words to a judge) or `refusal`.
pub fn judge(question: &str, key: &Key, answer: &str, rivals: &[String]) -> Verdict {
    // One sign may fold to many, so the length is held again.
    let text = markup::drop_hidden(&normalise::cap(&normalise::signs(&normalise::cap(answer))));
    if !text.chars().any(char::is_alphanumeric) {
        return verdict(0.0, "empty", "there is no answer in it", None);
    }
    let asked = markup::undress(&normalise::signs(question));
    let (stated, marked) = match unwrap::structure(&text) {
        Structure::Answer(inner) => (inner, true),
        Structure::Fields(lines) => (lines, true),
        Structure::Plain => (text.clone(), false),
    };
    let (stated, dropped) = addressed::drop_addressed(&asked, &markup::undress(&stated));
    if !stated.chars().any(char::is_alphanumeric) {
        let (rule, reason) = if dropped {
            ("addressed", "it speaks to the judge and gives no answer")
        } else {
            ("empty", "the answer's place is empty")
        };
        return verdict(0.0, rule, reason, Some(text.trim()));
    }
    let named = |value: &String| name::words_of(&normalise::signs(value));
    let stated = match key.kind {
        Kind::Name => {
            let names: Vec<Vec<String>> = std::iter::once(&key.value).chain(&key.accept).map(named).collect();
            labels::resolved(&stated, &names, rivals).unwrap_or(stated)
        }
        _ => stated,
    };
    let wanted = Wanted { numeric: matches!(key.kind, Kind::Count | Kind::Money), list: key.kind == Kind::List };
    // A key's currency is part of its value; the unit of a count is not.
    let unit = key.unit.as_deref().filter(|_| key.kind == Kind::Money).unwrap_or("");
    let value = |text: &String| normalise::signs(format!("{text} {unit}").trim());
    let values: Vec<String> = std::iter::once(&key.value).chain(&key.accept).map(value).collect();
    let says = |piece: &str| values.iter().any(|value| compare::says(key.kind, value, piece, &asked));
    let span = if marked && !span::has_mark(&stated) {
        stated.trim().to_string()
    } else {
        span::final_span(&stated, wanted, &says)
    };
    let said: Vec<Said> = values.iter().map(|value| compare::compare(key.kind, value, &span, &asked, rivals)).collect();
    if let Some(Said::Key(why)) = said.iter().find(|said| matches!(said, Said::Key(_))) {
        return verdict(1.0, key.kind.name(), why, Some(&span));
    }
    let first = said.first().copied().unwrap_or(Said::Nothing("the key is empty"));
    if let Said::Nothing(_) = first
        && refusal::refuses(&stated)
    {
        return verdict(0.5, "refusal", "it refuses and shows no attempt", Some(&span));
    }
    let (Said::Key(why) | Said::Other(why) | Said::Nothing(why)) = first;
    verdict(0.0, key.kind.name(), why, Some(&span))
}

/// How much of a span a verdict quotes, in bytes.
const QUOTE: usize = 400;

fn verdict(reward: f64, rule: &str, reason: &str, span: Option<&str>) -> Verdict {
    let quote = |span: &str| span[..span.floor_char_boundary(QUOTE)].to_string();
    let (rule, reason, span) = (rule.into(), reason.into(), span.map(quote));
    Verdict { reward, judge: "rules".into(), rule, reason, span, ..Verdict::default() }
}
