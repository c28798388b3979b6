//! One comparison a kind: what a span says against the key. It reads tokens only; where the span is, has been decided.

use super::currency::Currency;
use super::key::Kind;
use super::people::{self, Who};
use super::standing::{Hit, Retracted, last_replacement, prefer, standing};
use super::token::{Shape, Token, tokens};
use super::words::has;
use super::{blood, category, contest, date, list, lone, money, name, number, numerals, refusal, states, total, yesno};

/// What a span says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The key, and why that is clear.
    Key(&'static str),
    /// Something of the key's kind that is not the key, or more than one thing.
    Other(&'static str),
    /// Nothing of the key's kind.
    Nothing(&'static str),
}

/// Compares what `span` says with `key`, an answer of `kind`.
pub fn compare(kind: Kind, key: &str, span: &str, question: &str, rivals: &[String]) -> Said {
    let (said, asked) = (tokens(span), tokens(question));
    // What was said on the way counts for nothing where the end is that there is no answer.
    let stop = said[..said.len().saturating_sub(1)].iter().rposition(Token::ends_sentence);
    let last = stop.map_or(0, |n| said[n].at.1);
    match kind {
        _ if last > 0 && refusal::gives_up(&span[last..]) && !says(kind, key, &span[last..], question) => {
            Said::Nothing("it ends without an answer")
        }
        _ if refusal::unfinished(span) => Said::Nothing("the work was not finished"),
        Kind::Count | Kind::Money => amount(kind, key, &said, &asked),
        Kind::Date => day(key, &said, &asked),
        Kind::BloodType => {
            let want = blood::types(&tokens(key)).first().map(|hit| hit.value.clone());
            one(standing(&said, &asked, blood::types(&said)), |value| Some(value) == want.as_ref())
        }
        Kind::YesNo => {
            let want = yesno::statements(&tokens(key)).first().map(|hit| hit.value);
            // "No, I can't help with that" and "No, I don't know" are no "no".
            let refused = |hit: &Hit<bool>| {
                let near = near(span, said[hit.from].at.0);
                !hit.value && (refusal::refuses(near) || refusal::knows_not(near))
            };
            let mut stated = yesno::statements(&said);
            if stated.is_empty() {
                stated.extend(yesno::restated(&said, &asked));
            }
            let few = stated.len() <= MANY;
            let stated = stated.into_iter().filter(|hit| !(few && refused(hit))).collect();
            let stated = standing(&said, &[], stated);
            let compared = yesno::compares(&said, &asked);
            if stated.iter().any(|hit| compared.is_some_and(|value| value != hit.value)) {
                return Said::Other("its yes or no and its comparison contradict each other");
            }
            one(stated, |value| Some(*value) == want)
        }
        Kind::Name => person(key, rivals, &uncapped(said, &asked), &asked),
        Kind::List => match list::said(&list::members(key), rivals, &uncapped(said.clone(), &asked), &asked) {
            Ok(why) => Said::Key(why),
            Err(why) if people::everybody(&[], rivals, &said).is_empty() => Said::Nothing(why),
            Err(why) => Said::Other(why),
        },
        Kind::Text => text(key, &said, &asked),
    }
}

/// Nobody who says yes or no more often refuses.
const MANY: usize = 64;

/// What stands from byte `from` on, as far as a refusal reaches.
fn near(span: &str, from: usize) -> &str {
    const REACH: usize = 2 << 10;
    &span[from..span.floor_char_boundary(from + REACH)]
}

/// A capital word that the question has in lower case ("Skipper") is no part of a name.
fn uncapped(mut said: Vec<Token>, asked: &[Token]) -> Vec<Token> {
    for token in said.iter_mut().filter(|t| t.capital()) {
        if asked.iter().any(|a| a.shape == Shape::Word && a.text == token.low) {
            token.text = token.text.to_lowercase();
        }
    }
    said
}

/// Whether a piece of text says anything of the kind.
pub fn says(kind: Kind, key: &str, piece: &str, question: &str) -> bool {
    let said = tokens(piece);
    match kind {
        Kind::Count | Kind::Money => !number::amounts(&said, kind == Kind::Money, &dated(&said)).is_empty(),
        Kind::Date => !date::days(&said).is_empty(),
        Kind::BloodType => !blood::types(&said).is_empty(),
        Kind::YesNo => !yesno::statements(&said).is_empty(),
        Kind::Name => !people::everybody(&[name::words_of(key)], &[], &said).is_empty(),
        Kind::List => said.iter().any(|t| t.text.chars().any(char::is_alphanumeric)),
        Kind::Text => !category::phrases(&tokens(key), &said, &tokens(question)).is_empty(),
    }
}

/// The token ranges that are dates, so that their digits are no amounts.
fn dated(said: &[Token]) -> Vec<(usize, usize)> {
    date::dates(said).iter().map(|hit| (hit.from, hit.to)).collect()
}

fn one<T: PartialEq>(hits: Vec<Hit<T>>, is_key: impl Fn(&T) -> bool) -> Said {
    match hits.split_first() {
        None => Said::Nothing("nothing of the key's kind"),
        Some((first, rest)) if rest.iter().any(|hit| hit.value != first.value) => {
            Said::Other("several values, none chosen")
        }
        Some((first, _)) if is_key(&first.value) => Said::Key("the same value"),
        Some(_) => Said::Other("another value"),
    }
}

fn amount(kind: Kind, key: &str, said: &[Token], asked: &[Token]) -> Said {
    let as_money = kind == Kind::Money;
    let key_tokens = tokens(key);
    let Some(want) = number::amounts(&key_tokens, as_money, &[]).first().map(|hit| hit.value) else {
        return Said::Nothing("the key holds no number");
    };
    if let Some(micros) = numerals::alone(said) {
        let same = (want.micros - micros).abs() < if as_money { money::TOLERANCE } else { 1 };
        return if same { Said::Key("the same value") } else { Said::Other("another value") };
    }
    let found = number::amounts(said, as_money, &dated(said));
    let any = !found.is_empty();
    let hits = standing(said, asked, found.clone());
    let hits = if as_money { money::candidates(said, hits) } else { hits };
    let hits: Vec<_> =
        if as_money { hits } else { hits.into_iter().filter(|hit| hit.value.currency == Currency::None).collect() };
    let restated: Vec<i128> = number::amounts(asked, as_money, &[]).iter().map(|hit| hit.value.micros).collect();
    if hits.is_empty() && any {
        return Said::Other("every number in it is denied or of another kind");
    }
    if hits.is_empty() {
        return nothing_counts_as_zero(want.micros, said, asked);
    }
    let hits = total::results(said, asked, &restated, hits);
    if hits.is_empty() {
        return Said::Other("only bounds or parts of a sum");
    }
    if !total::one_value(&hits) {
        return Said::Other("several values, none chosen");
    }
    let same = |hit: &Hit<number::Amount>| {
        if as_money { money::same(&want, &hit.value) } else { want.micros == hit.value.micros }
    };
    if !hits.iter().all(same) {
        return Said::Other("another value");
    }
    if hits.iter().any(|hit| total::said_again(said, &found, hit) == Some(false)) {
        return Said::Other("a bracket says another number");
    }
    Said::Key("the same value")
}

/// "None", "no cats", "there are no such cats": what the question counts is said not to be there.
fn nothing_counts_as_zero(want: i128, said: &[Token], asked: &[Token]) -> Said {
    let words: Vec<&str> = said.iter().filter(|t| t.text.chars().any(char::is_alphanumeric)).map(|t| &*t.low).collect();
    let counted = total::unit(asked);
    let opened = words.iter().position(|w| *w == "no").filter(|n| words[..*n].iter().all(|w| has(OPENS_NONE, w)));
    let noun = opened.and_then(|n| words[n + 1..].iter().find(|w| **w != "such"));
    let none = words == ["none"] || (words.len() <= 8 && noun.is_some_and(|noun| counted.contains(&total::stem(noun))));
    if want == 0 && none { Said::Key("none is zero") } else { Said::Nothing("no number in the final answer") }
}

/// May stand before the "no" of "no cats".
const OPENS_NONE: &str = "there is are he she they has have owns own";

fn day(key: &str, said: &[Token], asked: &[Token]) -> Said {
    let Some(want) = date::days(&tokens(key)).first().map(|hit| hit.value) else {
        return Said::Nothing("the key holds no date");
    };
    let restated: Vec<date::Date> = date::days(asked).into_iter().map(|hit| hit.value).collect();
    let hits = standing(said, asked, date::days(said));
    // "before 2031-11-08" is another day.
    let bound =
        |hit: &Hit<date::Date>| hit.from.checked_sub(1).is_some_and(|n| has("before after until", &said[n].low));
    let hits: Vec<_> = hits.into_iter().filter(|hit| !bound(hit)).collect();
    let hits = prefer(hits, |hit| !restated.contains(&hit.value));
    let hits = date::of_the_event(said, asked, hits);
    if !hits.is_empty() && hits.iter().all(|hit| want.same(&hit.value)) {
        return Said::Key("the same date");
    }
    one(hits, |value| want.same(value))
}

fn person(key: &str, rivals: &[String], said: &[Token], asked: &[Token]) -> Said {
    let hits = people::everybody(&[name::words_of(key)], rivals, said);
    let any = !hits.is_empty();
    match contest::negated(said, asked, &hits) {
        Some(true) => return Said::Key("the name, which the other doesn't reach"),
        Some(false) => return Said::Other("the name doesn't reach the other"),
        None => {}
    }
    let hits = prefer(hits, |hit| !lone::only_starts(said, asked, hit));
    let hits = standing(said, asked, hits);
    let turn = last_replacement(said, &name::part_of_name);
    let replaced = hits.last().is_some_and(|last| turn >= Some(last.to));
    match people::chosen(said, asked, &hits) {
        Ok(_) if replaced => Said::Other("the name is replaced by another"),
        Ok(why) => Said::Key(why),
        Err(_) if any && hits.is_empty() => Said::Other("every name in it is denied"),
        Err(why) if hits.iter().any(|hit| hit.value == Who::Key) || any => Said::Other(why),
        Err(why) => Said::Nothing(why),
    }
}

fn text(key: &str, said: &[Token], asked: &[Token]) -> Said {
    let key = tokens(key);
    let found = category::phrases(&key, said, asked);
    let any = !found.is_empty();
    if any && states::another(&key, &found, said, asked) {
        return Said::Other("another state is said too, or instead");
    }
    let stands = standing(said, asked, found);
    let word = |t: &Token| t.shape == Shape::Word;
    let turn = last_replacement(said, &word);
    let mut past = Retracted::default();
    // "Maine (Vermont is second)": what a bracket says beside other words is no answer.
    let beside =
        said.iter().any(|t| t.capital() && !t.aside && name::part_of_name(t) && !asked.iter().any(|a| a.low == t.low));
    let replaced = |hit: &Hit<()>| turn >= Some(hit.to) || past.at(said, hit.from) || (beside && said[hit.from].aside);
    if !stands.is_empty() && !stands.iter().all(replaced) {
        Said::Key("the same words")
    } else if any {
        Said::Other("the words are denied or replaced")
    } else {
        Said::Nothing("the key's words are not in the final answer")
    }
}
