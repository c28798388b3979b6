//! Finds amounts in tokens: digits and words, with sign, scale, currency and what makes them no amount at all (dates,
//! times, ordinals, percentages, labels such as "step 3", bounds such as "more than 3"). Values are millionths, exact.

use super::currency::{Currency, currency};
use super::number_words;
use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};

/// One in the unit of [`Amount::micros`].
pub const ONE: i128 = 1_000_000;

/// No amount is read as more, so that sums of amounts stay in range.
const MOST: i128 = ONE.pow(5);

/// An amount as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// The value in millionths.
    pub micros: i128,
    /// What it is counted in.
    pub currency: Currency,
    /// It was said with decimals.
    pub decimals: bool,
    /// It only bounds the value: "at least 3", "3+".
    pub bound: bool,
}

/// All amounts, in order. `money` reads `51.630` and `51 630` as thousands. `skip` are token ranges of dates.
pub fn amounts(tokens: &[Token], money: bool, skip: &[(usize, usize)]) -> Vec<Hit<Amount>> {
    let mut out: Vec<Hit<Amount>> = Vec::new();
    let enumerated = (0..tokens.len()).filter(|n| enumerates(tokens, *n)).nth(1).is_some();
    let mut skip = skip.iter().copied().peekable();
    let mut n = 0;
    while n < tokens.len() {
        while skip.next_if(|(_, end)| *end <= n).is_some() {}
        if let Some((_, end)) = skip.next_if(|(from, _)| *from <= n) {
            n = end;
            continue;
        }
        let Some((micros, decimals, to)) = value(tokens, n, money) else {
            n += 1;
            continue;
        };
        let (scale, to) = scaled(tokens, to);
        let enumerator = enumerated && to == n + 1 && enumerates(tokens, n);
        if !enumerator && !not_an_amount(tokens, n, to) {
            let micros = micros.saturating_mul(scale).min(MOST);
            let micros = if negative(tokens, n) { -micros } else { micros };
            let amount = Amount { micros, currency: currency(tokens, n, to), decimals, bound: bound(tokens, n, to) };
            out.push(Hit { value: amount, from: n, to });
        }
        n = to;
    }
    with_cents(tokens, out)
}

/// The number that begins at `n`, whether it has decimals, and the token after it.
fn value(tokens: &[Token], n: usize, money: bool) -> Option<(i128, bool, usize)> {
    let token = &tokens[n];
    match token.shape {
        Shape::Number => {
            let mut text = token.text.clone();
            let mut to = n + 1;
            let digits = |t: &str| t.len() <= 3 && t.bytes().all(|b| b.is_ascii_digit());
            // A longer run of groups is no number; `decimal` says so.
            while money && text.len() <= 32 && digits(text.rsplit('\'').next().unwrap_or("")) {
                let Some(next) = tokens.get(to).filter(|t| t.shape == Shape::Number && !t.glued) else { break };
                let head: String = next.text.chars().take_while(char::is_ascii_digit).collect();
                if head.len() != 3 {
                    break;
                }
                text = format!("{text}'{}", next.text);
                to += 1;
            }
            let (micros, decimals) = decimal(&text, money)?;
            Some((micros, decimals, to))
        }
        Shape::Word => {
            if token.low == "one" && pronoun(tokens, n) {
                return None;
            }
            let words: Vec<&str> =
                tokens[n..].iter().take_while(|t| t.shape == Shape::Word).take(16).map(|t| &*t.low).collect();
            let (value, taken) = number_words::leading(&words)?;
            Some((value.saturating_mul(ONE), false, n + taken))
        }
        _ => None,
    }
}

/// Digits with separators, in millionths, and whether there are decimals. The last separator is the decimal one, unless
/// it can only part thousands.
pub fn decimal(text: &str, money: bool) -> Option<(i128, bool)> {
    let signs: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let (whole, fraction) = match signs.last() {
        None => (text, ""),
        Some((at, last)) => {
            let (before, after) = (&text[..*at], &text[at + 1..]);
            let once = signs.iter().filter(|(_, c)| c == last).count() == 1;
            let lone = signs.len() == 1;
            let thousands = after.len() == 3 && lone && before.len() <= 3 && !before.starts_with('0');
            let groups = match last {
                '\'' | '_' => true,
                ',' => !once || thousands,
                _ => !once || (thousands && money),
            };
            if groups { (text, "") } else { (before, after) }
        }
    };
    let mut groups = whole.split(|c: char| !c.is_ascii_digit());
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    // Western groups of three, or Indian ones of two before the last.
    let grouped = rest.last().is_none_or(|g| g.len() == 3)
        && rest.iter().all(|g| g.len() == 3 || g.len() == 2)
        && (rest.is_empty() || (1..=3).contains(&first.len()));
    let same_sign = whole.chars().filter(|c| !c.is_ascii_digit()).collect::<std::collections::BTreeSet<_>>().len() <= 1;
    if !grouped || !same_sign || whole.len() > 24 {
        return None;
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let micros: String = format!("{fraction:0<6}").chars().take(6).collect();
    Some((digits.parse::<i128>().ok()? * ONE + micros.parse::<i128>().ok()?, !fraction.is_empty()))
}

fn scaled(tokens: &[Token], to: usize) -> (i128, usize) {
    let Some(next) = tokens.get(to) else { return (1, to) };
    match next.low.as_str() {
        "k" if next.glued => (1000, to + 1),
        "m" if next.glued => (1_000_000, to + 1),
        "hundred" => (100, to + 1),
        "thousand" | "mil" | "tausend" => (1000, to + 1),
        "million" | "millions" => (1_000_000, to + 1),
        "billion" => (1_000_000_000, to + 1),
        "dozen" => (12, to + 1),
        _ => (1, to),
    }
}

/// "the one who", "this one", "no one", "one of them".
fn pronoun(tokens: &[Token], n: usize) -> bool {
    let before = n.checked_sub(1).map_or("", |p| &*tokens[p].low);
    let after = tokens.get(n + 1).map_or("", |t| &*t.low);
    has("the this that no any every each which another other first second right last some", before)
        || has("of who with that whose which can else could is's", after)
}

fn not_an_amount(tokens: &[Token], from: usize, to: usize) -> bool {
    let before = |k: usize| from.checked_sub(k).map(|p| &tokens[p]);
    let next = tokens.get(to);
    // `12:30` is a time, `12/13` a fraction.
    let digits = tokens[from].shape == Shape::Number;
    let number = |token: Option<&Token>| token.is_some_and(|t| t.shape == Shape::Number);
    let pair = |sign: char| {
        let sign = |token: Option<&Token>| token.is_some_and(|t| t.is(sign) && t.glued);
        let left = sign(next) && tokens.get(to + 1).is_some_and(|t| t.glued) && number(tokens.get(to + 1));
        left || (tokens[from].glued && sign(before(1)) && number(before(2)))
    };
    let ordinal = digits && next.is_some_and(|t| t.glued && ["st", "nd", "rd", "th", "e", "er"].contains(&&*t.low));
    let percent = next.is_some_and(|t| {
        t.is('%')
            || ["percent", "pct", "prozent"].contains(&&*t.low)
            || (t.low == "per" && tokens.get(to + 1).is_some_and(|t| t.low == "cent"))
    });
    let label = before(1).is_some_and(|t| {
        has(words::LABELS, &t.low)
            || (t.is(':') && before(2).is_some_and(|t| t.low.ends_with("error")))
            || (t.is('#') && before(2).is_some_and(|t| t.shape == Shape::Word))
    });
    // `.9`
    let fraction = digits && tokens[from].glued && before(1).is_some_and(|t| t.is('.') && (from == 1 || !t.glued));
    ordinal || percent || label || fraction || (digits && (pair(':') || pair('/')))
}

/// `1.` or `1)` before text at a line's start; no amount where another line has one too.
fn enumerates(tokens: &[Token], n: usize) -> bool {
    (n == 0 || tokens[n - 1].shape == Shape::Break)
        && tokens[n].shape == Shape::Number
        && tokens.get(n + 1).is_some_and(|t| t.glued && (t.is('.') || t.is(')')))
        && tokens.get(n + 2).is_some_and(|t| t.shape != Shape::Break)
}

fn negative(tokens: &[Token], from: usize) -> bool {
    let mut at = from;
    // The sign may stand before the currency: `-$5`, `- US$5`.
    while at > 0 && (tokens[at - 1].is('$') || (tokens[at - 1].low == "us" && tokens[at].glued)) {
        at -= 1;
    }
    let Some(sign) = at.checked_sub(1).map(|p| &tokens[p]) else { return false };
    if ["minus", "negative"].contains(&&*sign.low) {
        return true;
    }
    let after_value = sign.glued
        && at
            .checked_sub(2)
            .is_some_and(|p| matches!(tokens[p].shape, Shape::Number | Shape::Word | Shape::Code) || tokens[p].is(')'));
    let inside = sign.is('-') && tokens[at].glued && !after_value;
    // `$-5`
    inside || (sign.is('-') && tokens[at].glued && at >= 2 && tokens[at - 2].is('$'))
}

fn bound(tokens: &[Token], from: usize, to: usize) -> bool {
    let mut at = from;
    while at > 0 && (tokens[at - 1].is('$') || tokens[at - 1].is('=')) {
        at -= 1;
    }
    let low = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map_or("", |t| &*t.low);
    let (one, two) = (low(at.checked_sub(1)), low(at.checked_sub(2)));
    let three = low(at.checked_sub(3));
    let before = has(
        "than hardly twice double half over above under below exceeding nearly almost against > < ≥ ≤ minimum maximum",
        one,
    ) || (two == "at" && has("least most", one))
        || (one == "as" && has("many much few little", two))
        || (two == "up" && one == "to" && !has("add adds adding sum sums summing", three))
        || (has("between from", one) && ["and", "to", "-"].contains(&low(Some(to))))
        || (["and", "to", "-"].contains(&one) && has("between from", low(at.checked_sub(3))));
    let plus = tokens.get(to).is_some_and(|t| t.is('+') && t.glued)
        && tokens.get(to + 1).is_none_or(|t| !matches!(t.shape, Shape::Number | Shape::Word) || !t.glued)
        && !tokens.get(to + 1).is_some_and(|t| t.shape == Shape::Number);
    let most = (low(Some(to)) == "at" && has("most least", low(Some(to + 1))))
        || has("max maximum minimum tops", low(Some(to)));
    // "14 too many", "14 short of", "off by 14", "14 fewer than 20", "14 on average"
    let after = |n: usize| low(Some(to + n));
    let number_at = |n: usize| {
        tokens.get(to + n).is_some_and(|t| t.shape == Shape::Number || number_words::leading(&[&*t.low]).is_some())
    };
    let off = (after(0) == "too" && has("many few much little high low", after(1)))
        || (has("short shy", after(0)) && after(1) == "of")
        || (has("fewer less more", after(0)) && after(1) == "than" && number_at(2))
        || (after(0) == "on" && after(1) == "average")
        || (one == "by" && two == "off");
    // "up from 14"
    let left = one == "from" && has("up down", two);
    let more = low(Some(to)) == "or" && has("more fewer less higher over above", low(Some(to + 1)));
    let change = low(Some(to)) == "and" && [1, 2].iter().any(|n| low(Some(to + n)) == "change");
    // "14 / 2", "half of 14": a sum that is still to be done.
    let times = |n: Option<usize>| {
        n.and_then(|n| tokens.get(n)).is_some_and(|t| t.is('*') || t.is('/') || t.is('×') || t.low == "x")
    };
    let digits = |n: Option<usize>| n.and_then(|n| tokens.get(n)).is_some_and(|t| t.shape == Shape::Number);
    let undone = (times(Some(to)) && digits(Some(to + 1)))
        || (times(from.checked_sub(1)) && digits(from.checked_sub(2)))
        || (one == "of" && has("half third quarter", two));
    // "17 1/2"
    let number = |n: usize| tokens.get(n).is_some_and(|t| t.shape == Shape::Number);
    let mixed = number(to) && tokens.get(to + 1).is_some_and(|t| t.is('/') && t.glued) && number(to + 2);
    before || plus || most || left || off || more || change || undone || mixed
}

/// "51,630 dollars and 48 cents" is one amount.
fn with_cents(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let mut out: Vec<Hit<Amount>> = Vec::new();
    for mut hit in hits {
        if hit.value.currency == Currency::Cent {
            hit.value.micros /= 100;
            hit.value.currency = Currency::Dollar;
            hit.value.decimals = true;
            hit.to += 1;
            if let Some(whole) = out.last_mut()
                && whole.value.currency == Currency::Dollar
                && !whole.value.decimals
                && tokens[whole.to..hit.from].iter().all(|t| has("dollar dollars us and ,", &t.low))
                && hit.value.micros < ONE
            {
                whole.value.micros += hit.value.micros;
                whole.value.decimals = true;
                whole.to = hit.to;
                continue;
            }
        }
        out.push(hit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn the_decimal_sign_is_found_by_its_place() {
        for (text, money, want) in [
            ("14", false, Some(14_000_000)),
            ("1,204", false, Some(1_204_000_000)),
            ("1.204", false, Some(1_204_000)),
            ("1.204", true, Some(1_204_000_000)),
            ("51,630.48", true, Some(51_630_480_000)),
            ("51.630,48", true, Some(51_630_480_000)),
            ("51'630.48", true, Some(51_630_480_000)),
            ("1,27,009.80", true, Some(127_009_800_000)),
            ("51630.479999999", true, Some(51_630_479_999)),
            ("8.11.2024", false, None),
            ("1,2,3", false, None),
        ] {
            assert_eq!(decimal(text, money).map(|(micros, _)| micros), want, "{text}");
        }
    }

    #[test]
    fn only_amounts_are_amounts() {
        let found = |text: &str| {
            amounts(&tokens(text), false, &[])
                .iter()
                .filter(|h| !h.value.bound)
                .map(|h| (h.value.micros / ONE).to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (text, want) in [
            ("14 records", "14"),
            ("-14", "-14"),
            ("5 - 4", "5 4"),
            ("14th", ""),
            ("14%", ""),
            ("14/20", ""),
            ("step 3: 14", "14"),
            ("at 12:30", ""),
            ("more than 14", ""),
            ("14+", ""),
            ("14 at most", ""),
            ("14, up from 12", "14"),
            (".9", ""),
            ("5+4", "5 4"),
            ("the one with 3", "3"),
            ("one", "1"),
            ("1. Ann\n2. Bob", ""),
            ("14. I saw it", "14"),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }
}
