//! Any other text: the key's words in a row, as a phrase of their own. "Pilot" is not said by "Deputy
//! pilot", nor "Diver" by "Diver, commercial", nor "Oregon" by "Oregon or Ohio".

use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};
use super::{name, states};

/// Where the key's phrase stands.
pub fn phrases(key: &[Token], tokens: &[Token], asked: &[Token]) -> Vec<Hit<()>> {
    let mut hits = phrase(&key.iter().collect::<Vec<_>>(), tokens, asked);
    if let Some(turned) = turned(key) {
        hits.extend(phrase(&turned, tokens, asked));
    }
    hits.retain(|hit| !narrowed(tokens, asked, hit));
    hits.extend(states::coded(key, tokens).into_iter().filter(|hit| alone(tokens, asked, hit)));
    hits.sort_by_key(|hit| hit.from);
    hits
}

/// "Diver (commercial)": where a job's title is asked for, a lone word in brackets makes it another title.
fn narrowed(tokens: &[Token], asked: &[Token], hit: &Hit<()>) -> bool {
    let title = asked.iter().any(|t| has("job title occupation profession position", &t.low));
    let word = |t: &Token| t.shape == Shape::Word && !t.capital() && !has(words::COMMON, &t.low);
    title
        && matches!(&tokens[hit.to..], [open, inner, close, ..] if open.is('(') && word(inner) && close.is(')'))
        && !asked.iter().any(|t| t.low == tokens[hit.to + 1].low)
}

/// `Diver, commercial` is spoken as "commercial diver".
fn turned(key: &[Token]) -> Option<Vec<&Token>> {
    let comma = key.iter().position(|t| t.is(','))?;
    let (head, tail) = (&key[..comma], &key[comma + 1..]);
    let plain = |t: &Token| t.shape == Shape::Word && !t.capital();
    let title = head.len() == 1 && !tail.is_empty() && tail.iter().all(plain);
    title.then(|| tail.iter().chain(head).collect())
}

fn phrase(key: &[&Token], tokens: &[Token], asked: &[Token]) -> Vec<Hit<()>> {
    // "and" is a sign too where the key has one, since it may be written `&`.
    let joined = key.iter().any(|t| t.low == "and" || t.is('&'));
    let key: Vec<&&Token> = key.iter().filter(|t| counts(t) && t.low != "and").collect();
    let Some(first) = key.first() else { return Vec::new() };
    let letter = key.len() == 1 && first.text.chars().count() == 1;
    // A hyphen may be a space.
    let parts = |t: &Token| t.low.split('-').map(str::to_string).collect::<Vec<_>>();
    let want: Vec<String> = key.iter().flat_map(|t| parts(t)).collect();
    (0..tokens.len())
        .filter_map(|n| {
            // Most words are not the first, and need no cutting.
            tokens[n].low.starts_with(&*want[0]).then_some(())?;
            let (mut at, mut rest) = (n, want.as_slice());
            while !rest.is_empty() {
                // Between the words of a phrase, its signs may differ.
                let sign =
                    |t: &Token| (t.shape == Shape::Mark && ",;-'./()&".contains(&t.text)) || (joined && t.low == "and");
                while at > n && tokens.get(at).is_some_and(sign) {
                    at += 1;
                }
                let said = tokens.get(at)?;
                rest = rest.strip_prefix(parts(said).as_slice())?;
                at += 1;
            }
            (!letter || tokens[n].text == first.text).then_some(())?;
            let hit = Hit { value: (), from: n, to: at };
            alone(tokens, asked, &hit).then_some(hit)
        })
        .collect()
}

/// The words, joined as in [`words::STATES`].
pub fn joined<'a>(tokens: impl IntoIterator<Item = &'a Token>) -> String {
    tokens.into_iter().map(|t| &*t.low).collect::<Vec<_>>().join("-")
}

fn counts(token: &Token) -> bool {
    token.text.chars().any(char::is_alphanumeric)
}

/// Nothing beside the phrase makes it part of a longer one, or one of several.
fn alone(tokens: &[Token], asked: &[Token], hit: &Hit<()>) -> bool {
    let usual = |t: &Token| has(words::BESIDE, &t.low) || asked.iter().any(|a| a.low == t.low);
    let choice = |t: &Token| t.is('/') || t.is('&');
    let joins = |t: &Token| has("or and oder o ou y und et e nor +", &t.low);
    let beyond = tokens.get(hit.to + 1);
    let grown = |t: &Token, next: Option<&Token>| t.is('-') && t.glued && next.is_some_and(|n| n.glued && counts(n));
    let left_free = |t: &Token| match t.shape {
        Shape::Break => true,
        Shape::Mark if choice(t) => false,
        Shape::Mark if t.is(',') => !listed_before(tokens, hit),
        Shape::Mark => !grown(t, tokens.get(hit.from)),
        _ => usual(t) && (hit.from == 1 || !joins(t)),
    };
    let goes_on = |t: &Token| has("has had is was owns also then so", &t.low);
    // "VA 23220": the number is the code of a district.
    let right_free = |t: &Token| match t.shape {
        Shape::Number if t.text.len() == 5 => true,
        Shape::Break => true,
        Shape::Mark if choice(t) => false,
        Shape::Mark if t.is(',') => !listed_after(tokens, hit, &usual),
        Shape::Mark => !grown(t, beyond),
        _ => usual(t) && (!joins(t) || beyond.is_none_or(goes_on)),
    };
    !belongs(tokens, hit)
        && hit.from.checked_sub(1).is_none_or(|n| left_free(&tokens[n]))
        && tokens.get(hit.to).is_none_or(right_free)
}

/// What is named after a place and is not the place.
const HOUSES: &str = "university bank college institute museum school church port bay gulf hospital company airlines \
    city tech beach island county avenue street road lane boulevard";

/// "University of Oregon", "assistant to the diver": a longer name, or somebody else. "State of Oregon" is Oregon, and so
/// is what "Ann Lee of Oregon" says.
fn belongs(tokens: &[Token], hit: &Hit<()>) -> bool {
    let from = hit.from;
    // "Oregon State University"
    if tokens[hit.to..].iter().take(3).take_while(|t| t.capital()).any(|t| has(HOUSES, &t.low)) {
        return true;
    }
    let low = |n: usize| from.checked_sub(n).map_or("", |n| &*tokens[n].low);
    let of = 1 + usize::from(low(1) == "the");
    if !has("of to", low(of)) {
        return false;
    }
    let Some(owner) = from.checked_sub(of + 1).map(|n| &tokens[n]) else { return false };
    let plain = "state commonwealth city town county republic resident native citizen";
    let person = !low(of + 2).is_empty() && name::part_of_name(&tokens[from - of - 2]);
    let serves = "assistant deputy aide trainee apprentice secretary";
    let named = name::part_of_name(owner) && !person;
    !has(plain, &owner.low) && (has(HOUSES, &owner.low) || has(serves, &owner.low) || named)
}

/// `Oregon, Ohio` and `Diver, commercial`: a few words that no sentence is made of follow the comma. A state after a
/// city says where that is, but a state is never where another state is.
fn listed_after(tokens: &[Token], hit: &Hit<()>, usual: &dyn Fn(&Token) -> bool) -> bool {
    let said = &tokens[hit.from..hit.to];
    let rest: Vec<&Token> = tokens[hit.to + 1..].iter().take_while(|t| !t.ends_clause() && !t.is('(')).collect();
    let located = has(words::STATES, &joined(rest.iter().copied())) && !has(words::STATES, &joined(said));
    !rest.is_empty()
        && rest.len() <= 4
        && !located
        && rest.iter().all(|t| t.shape == Shape::Word)
        && !usual(rest[0])
        && !has(words::RETRACTS, &rest[0].low)
        && !has("usa us u.s america", &rest[0].low)
        && !has("not earning making living according", &rest[0].low)
}

/// `Ohio, Oregon`: one or two words of no sentence stand before the comma. A city before a state is in it.
fn listed_before(tokens: &[Token], hit: &Hit<()>) -> bool {
    let comma = hit.from - 1;
    let start = (0..comma).rev().find(|n| tokens[*n].ends_clause()).map_or(0, |n| n + 1);
    let words = &tokens[start..comma];
    let located = has(words::STATES, &joined(&tokens[hit.from..hit.to])) && !has(words::STATES, &joined(words));
    !words.is_empty()
        && words.len() <= 2
        && !located
        && words.iter().all(|t| t.shape == Shape::Word && !has(words::COMMON, &t.low))
        && !words.iter().any(|t| has(words::NEGATES, &t.low))
}
