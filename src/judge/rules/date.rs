//! Dates: ISO, month names in five languages, US numbers, dotted day-first numbers, `MM/YY`. A date without a day is a
//! month; a month is not a day.

use super::standing::{Hit, prefer};
use super::token::{Shape, Token};
use super::words::has;

/// A day, or a month where no day was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// Four digits; `None` where it was not said.
    pub year: Option<u32>,
    /// 1..=12.
    pub month: u32,
    /// 1..=31.
    pub day: Option<u32>,
}

impl Date {
    /// The two agree in all that the key says.
    pub fn same(&self, said: &Date) -> bool {
        self.year == said.year && self.month == said.month && self.day.is_none_or(|day| said.day == Some(day))
    }
}

/// The beginnings of words that say what happened on a day.
const EVENTS: [&str; 16] = [
    "expir", "start", "began", "begin", "born", "birth", "hire", "join", "issue", "open", "end", "close", "left",
    "valid", "regist", "bought",
];

/// What the word says to have happened on a day, by its beginning.
pub fn event(token: &Token) -> Option<&'static str> {
    let event = EVENTS.iter().find(|event| token.low.starts_with(**event)).copied()?;
    // Words for the same.
    Some(match event {
        "birth" => "born",
        "began" | "begin" | "hire" | "join" => "start",
        other => other,
    })
}

/// In "issued on …, expires on …", the dates of what the question asks about.
pub fn of_the_event(said: &[Token], asked: &[Token], hits: Vec<Hit<Date>>) -> Vec<Hit<Date>> {
    let wanted: Vec<&str> = asked.iter().filter_map(event).collect();
    let mut floor = 0;
    prefer(hits, |hit| {
        let before = said[floor..hit.from].iter().rev().find_map(event);
        floor = hit.to;
        before.is_some_and(|event| wanted.contains(&event))
    })
}

/// Reads the date that begins at a token, and says where it ends.
type Reader = fn(&[Token], usize) -> Option<(Date, usize)>;
const READERS: [Reader; 6] = [numeric, stamped, dotted, named, day_first, ideographic];

/// All dates, in order.
pub fn dates(tokens: &[Token]) -> Vec<Hit<Date>> {
    read(tokens, &READERS)
}

/// All dates where a date is asked for: also `20311108`, which elsewhere is a number.
pub fn days(tokens: &[Token]) -> Vec<Hit<Date>> {
    let [a, b, c, d, e, f] = READERS;
    read(tokens, &[compact, a, b, c, d, e, f])
}

fn read(tokens: &[Token], readers: &[Reader]) -> Vec<Hit<Date>> {
    let mut out = Vec::new();
    let mut n = 0;
    while n < tokens.len() {
        let found = readers.iter().find_map(|read| read(tokens, n));
        match found {
            Some((value, to)) => {
                out.push(Hit { value, from: n, to });
                n = to;
            }
            None => n += 1,
        }
    }
    out
}

fn date(year: Option<u32>, month: u32, day: Option<u32>) -> Option<Date> {
    ((1..=12).contains(&month) && day.is_none_or(|d| (1..=31).contains(&d))).then_some(Date { year, month, day })
}

fn full_year(text: &str) -> Option<u32> {
    let n: u32 = text.parse().ok()?;
    match text.len() {
        4 => Some(n),
        2 if n <= 68 => Some(2000 + n),
        2 => Some(1900 + n),
        _ => None,
    }
}

fn small(token: Option<&Token>) -> Option<u32> {
    let token = token?;
    if token.shape == Shape::Word {
        return ordinal(&token.low);
    }
    (token.shape == Shape::Number && token.text.len() <= 2).then(|| token.text.parse().ok())?
}

/// "eighth", "twenty-first".
fn ordinal(low: &str) -> Option<u32> {
    const UNITS: &str = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
        fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth";
    let unit = |word: &str| UNITS.split_ascii_whitespace().position(|unit| unit == word).map(|n| n as u32 + 1);
    match low.split_once('-') {
        Some(("twenty", rest)) => unit(rest).filter(|n| *n < 10).map(|n| 20 + n),
        Some(("thirty", "first")) => Some(31),
        Some(_) => None,
        None if low == "thirtieth" => Some(30),
        None => unit(low),
    }
}

/// `2031-11-08`, `11/08/2031`, `11/31`, `2031-11`.
fn numeric(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let number =
        |n: usize| tokens.get(n).filter(|t| t.shape == Shape::Number && t.text.bytes().all(|b| b.is_ascii_digit()));
    let first = number(n)?;
    let glued = |n: usize| tokens.get(n).is_some_and(|t| t.glued);
    let sign = tokens.get(n + 1).filter(|t| t.glued && (t.is('-') || t.is('/')))?;
    let second = number(n + 2).filter(|t| t.glued && t.text.len() <= 4)?;
    let (a, b) = (first.text.parse::<u32>().ok()?, second.text.parse::<u32>().ok()?);
    if tokens.get(n + 3).is_some_and(|t| t.glued && t.text == sign.text) && glued(n + 4) {
        let third = number(n + 4)?;
        let c = third.text.parse::<u32>().ok()?;
        let found = if first.text.len() == 4 {
            date(Some(a), b, Some(c))
        } else if a > 12 {
            date(full_year(&third.text), b, Some(a))
        } else {
            date(full_year(&third.text), a, Some(b))
        };
        let known = found.filter(|d| d.year.is_some())?;
        return Some((known, n + 5));
    }
    if first.text.len() == 4 && second.text.len() == 2 {
        return Some((date(Some(a), b, None)?, n + 3));
    }
    let short = first.text.len() <= 2 && sign.is('/') && (second.text.len() == 2 || second.text.len() == 4);
    short.then_some(())?;
    Some((date(full_year(&second.text), a, None)?, n + 3))
}

/// `20311108`.
fn compact(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let text = &tokens[n].text;
    (tokens[n].shape == Shape::Number && text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit())).then_some(())?;
    let year = text[..4].parse().ok().filter(|year| (1900..2100).contains(year))?;
    Some((date(Some(year), text[4..6].parse().ok()?, Some(text[6..].parse().ok()?))?, n + 1))
}

/// `8-Nov-2031`, `Nov-08-2031`, `2031-11-08T09:00:00`.
fn stamped(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let text = &tokens[n].text;
    if tokens[n].shape == Shape::Code {
        let parts: Vec<&str> = text.split('-').collect();
        if let [one, two, year] = parts[..] {
            let (first, second) = (month(&one.to_lowercase()), month(&two.to_lowercase()));
            if let Some((month, day)) = second.map(|month| (month, one)).or(first.map(|month| (month, two))) {
                return Some((date(Some(full_year(year)?), month, Some(day.parse().ok()?))?, n + 1));
            }
        }
        let (day, _) = text.split_once(['T', 't'])?;
        let parts: Vec<u32> = day.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [year, month, day] = parts[..] else { return None };
        let found = date(Some(year), month, Some(day))?;
        // The clock after it is eaten too.
        let mut to = n + 1;
        while tokens
            .get(to)
            .is_some_and(|t| t.glued && (t.is(':') || t.shape == Shape::Number || t.shape == Shape::Code))
        {
            to += 1;
        }
        return Some((found, to));
    }
    None
}

/// `8.11.2031`: day first, as everywhere where dates have dots.
fn dotted(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let token = tokens.get(n).filter(|t| t.shape == Shape::Number)?;
    let parts: Vec<&str> = token.text.split('.').collect();
    let [a, b, c] = parts[..] else { return None };
    if a.len() == 4 {
        return Some((date(a.parse().ok(), b.parse().ok()?, Some(c.parse().ok()?))?, n + 1));
    }
    let year = full_year(c).filter(|_| c.len() == 4)?;
    Some((date(Some(year), b.parse().ok()?, Some(a.parse().ok()?))?, n + 1))
}

fn month(low: &str) -> Option<u32> {
    // No name of a month is longer; most words need no look.
    if !(3..=10).contains(&low.len()) {
        return None;
    }
    const MONTHS: [&str; 12] = [
        "january jan januar jänner enero janvier gennaio janeiro ene janv",
        "february feb februar febrero février febbraio fevereiro févr",
        "march mar märz marzo mars março mär",
        "april apr abril avril aprile abr avr",
        "may mai mayo maggio maio",
        "june jun juni junio juin giugno junho",
        "july jul juli julio juillet luglio julho juil",
        "august aug agosto août ago",
        "september sep sept septiembre septembre settembre setembro",
        "october oct oktober octubre octobre ottobre outubro okt",
        "november nov noviembre novembre novembro",
        "december dec dezember diciembre décembre dicembre dezembro dez dic déc",
    ];
    MONTHS.iter().position(|names| has(names, low)).map(|n| n as u32 + 1)
}

/// Skips `of de del the , .` and ordinal endings.
fn skip(tokens: &[Token], mut n: usize) -> usize {
    while tokens.get(n).is_some_and(|t| has("of de del the , . st nd rd th er '", &t.low)) {
        n += 1;
    }
    n
}

fn year_at(tokens: &[Token], n: usize) -> Option<(u32, usize)> {
    let at = skip(tokens, n);
    let token = tokens.get(at).filter(|t| t.shape == Shape::Number)?;
    let apostrophe = at > n && tokens[at - 1].is('\'');
    (token.text.len() == 4 || apostrophe).then_some(())?;
    Some((full_year(&token.text)?, at + 1))
}

/// `November 8, 2031`, `November 2031`, `Nov 8`.
fn named(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let month = month(&tokens[n].low)?;
    if let Some((year, to)) = year_at(tokens, n + 1) {
        return Some((date(Some(year), month, None)?, to));
    }
    let at = skip(tokens, n + 1);
    let day = small(tokens.get(at))?;
    match year_at(tokens, at + 1) {
        Some((year, to)) => Some((date(Some(year), month, Some(day))?, to)),
        None => Some((date(None, month, Some(day))?, at + 1)),
    }
}

/// `8 November 2031`, `8th of November, 2031`, `8. November 2031`.
fn day_first(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let day = small(tokens.get(n))?;
    let at = skip(tokens, n + 1);
    let month = month(&tokens.get(at)?.low)?;
    match year_at(tokens, at + 1) {
        Some((year, to)) => Some((date(Some(year), month, Some(day))?, to)),
        None => Some((date(None, month, Some(day))?, at + 1)),
    }
}

/// `2031年11月8日`.
fn ideographic(tokens: &[Token], n: usize) -> Option<(Date, usize)> {
    let number =
        |k: usize| tokens.get(n + k).filter(|t| t.shape == Shape::Number).and_then(|t| t.text.parse::<u32>().ok());
    let sign = |k: usize, c: char| tokens.get(n + k).is_some_and(|t| t.text.starts_with(c));
    (sign(1, '年') && sign(3, '月')).then_some(())?;
    Some((date(number(0), number(2)?, number(4))?, (n + 6).min(tokens.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn one_day_in_many_spellings() {
        let day = Date { year: Some(2031), month: 11, day: Some(8) };
        for text in [
            "2031-11-08",
            "2031/11/08",
            "2031.11.08",
            "11/08/2031",
            "11/8/31",
            "11-08-2031",
            "8.11.2031",
            "November 8, 2031",
            "Nov. 8th, 2031",
            "8 November 2031",
            "the 8th of November 2031",
            "8. November 2031",
            "8 de noviembre de 2031",
            "le 8 novembre 2031",
            "2031-11-08T09:00:00",
            "8-Nov-2031",
            "Nov-08-2031",
            "the eighth of November, 2031",
            "2031年11月8日",
        ] {
            let found = dates(&tokens(text));
            assert!(found.len() == 1 && day.same(&found[0].value), "{text}: {found:?}");
        }
        let month = Date { year: Some(2031), month: 11, day: None };
        for text in ["11/31", "11/2031", "2031-11", "November 2031", "Nov 2031"] {
            let found = dates(&tokens(text));
            assert!(found.len() == 1 && month.same(&found[0].value), "{text}: {found:?}");
            assert!(!day.same(&found[0].value), "{text}");
        }
        for text in ["14", "may 14 be", "5/6", "14/20", "2031-13-08", "may"] {
            let found = dates(&tokens(text));
            assert!(found.iter().all(|hit| hit.value.year.is_none()), "{text}: {found:?}");
        }
    }
}
