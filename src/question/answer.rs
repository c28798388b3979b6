//! Answers that a plan gives, and how an answer key says them.

use super::plan::AnswerKind;
use super::value::{Money, Month, Value as _};
use jiff::civil::Date;
use std::fmt;

/// One answer. Its text is what an answer key says: a name, `14`, `$138,439.16`, an ISO date, `06/25`, words verbatim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// A person's name, or words of a record.
    Text(String),
    /// A number of records.
    Count(i64),
    /// An amount.
    Money(Money),
    /// A day.
    Date(Date),
    /// A month.
    Month(Month),
    /// A year.
    Year(i64),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Text(text) => f.write_str(text),
            Answer::Count(n) | Answer::Year(n) => write!(f, "{n}"),
            Answer::Money(amount) => f.write_str(&amount.dollars()),
            Answer::Date(date) => write!(f, "{date}"),
            Answer::Month(month) => write!(f, "{month}"),
        }
    }
}

impl Answer {
    /// A number as an answer of `kind`: cents, a count, a year; days as `YYYYMMDD`, months as `YYYYMM`.
    pub(super) fn of_number(kind: AnswerKind, n: i64) -> Option<Answer> {
        let part = |by: i64, modulo: i64| i8::try_from(n / by % modulo).ok();
        Some(match kind {
            AnswerKind::Name | AnswerKind::Text => return None,
            AnswerKind::Count => Answer::Count(n),
            AnswerKind::Money => Answer::Money(Money(n)),
            AnswerKind::Year => Answer::Year(n),
            AnswerKind::Date => {
                Answer::Date(Date::new(i16::try_from(n / 10_000).ok()?, part(100, 100)?, part(1, 100)?).ok()?)
            }
            AnswerKind::Month => Answer::Month(Month { year: i16::try_from(n / 100).ok()?, month: part(1, 100)? }),
        })
    }

    /// Text of a database as an answer of `kind`; months come as `YYYY-MM` or, sorted as text, as `MM/YY`.
    pub(super) fn of_text(kind: AnswerKind, text: &str) -> Option<Answer> {
        match kind {
            AnswerKind::Name | AnswerKind::Text => Some(Answer::Text(text.into())),
            AnswerKind::Date => text.parse().ok().map(Answer::Date),
            AnswerKind::Month => match text.split_once('-') {
                Some((year, month)) => {
                    Some(Answer::Month(Month { year: year.parse().ok()?, month: month.parse().ok()? }))
                }
                None => Month::parse(text).map(Answer::Month),
            },
            AnswerKind::Count | AnswerKind::Money | AnswerKind::Year => None,
        }
    }

    /// Whether an answer key says this. Numbers are compared as numbers: a key may have a unit behind its count
    /// (`18 records`), and an amount needs neither sign nor commas. Words are compared letter by letter.
    pub fn is_said_by(&self, key: &str) -> bool {
        let key = key.trim();
        match self {
            Answer::Count(n) | Answer::Year(n) => {
                key.split_whitespace().next().and_then(|first| first.replace(',', "").parse().ok()) == Some(*n)
            }
            Answer::Money(Money(cents)) => cents_of(key) == Some(*cents),
            _ => self.to_string() == key,
        }
    }
}

fn cents_of(key: &str) -> Option<i64> {
    let plain: String = key.trim_start_matches('$').chars().filter(|c| *c != ',').collect();
    let (whole, cents) = plain.split_once('.').unwrap_or((&plain, "00"));
    if cents.len() != 2 || !(whole.to_owned() + cents).bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(whole.parse::<i64>().ok()?.checked_mul(100)? + cents.parse::<i64>().ok()?)
}
