//! The values of records: how each kind is written in the files, and what it means. A value is read only in the one
//! form in which it is written, so that a file can be written again byte for byte.

use jiff::civil::Date;
use rusqlite::types::Value as Cell;
use std::fmt;

/// An amount in integer cents, written as Python prints a float of dollars: `48013.0`, `3490.9`, `0.05`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(pub i64);

impl Money {
    /// As an answer key writes it: `$138,439.16`.
    pub fn dollars(self) -> String {
        let mut whole = (self.0.abs() / 100).to_string();
        for at in (1..whole.len()).rev().filter(|at| (whole.len() - at).is_multiple_of(3)).collect::<Vec<_>>() {
            whole.insert(at, ',');
        }
        format!("{}${whole}.{:02}", if self.0 < 0 { "-" } else { "" }, self.0.abs() % 100)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, cents) = (self.0 / 100, self.0 % 100);
        if cents % 10 == 0 { write!(f, "{whole}.{}", cents / 10) } else { write!(f, "{whole}.{cents:02}") }
    }
}

/// The month in which a card expires, written `MM/YY`; the years are 2000 to 2099.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    /// All four digits.
    pub year: i16,
    /// 1 to 12.
    pub month: i8,
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}/{:02}", self.month, self.year % 100)
    }
}

/// One field of a record.
pub(super) trait Value: Sized {
    /// Reads what a file says, or nothing where that is no such value.
    fn parse(text: &str) -> Option<Self>;
    /// As a file says it.
    fn print(&self) -> String;
    /// As a database keeps it: amounts in cents, years as numbers, all else as the file says it.
    fn cell(&self) -> Cell {
        Cell::Text(self.print())
    }
    /// What kind of value this is, for messages.
    const WHAT: &'static str;
}

impl Value for String {
    const WHAT: &'static str = "text in one line without `: ` and without blanks around it";
    fn parse(text: &str) -> Option<String> {
        let fine = !text.is_empty() && text.trim() == text && !text.contains(": ") && !text.contains(char::is_control);
        fine.then(|| text.to_owned())
    }
    fn print(&self) -> String {
        self.clone()
    }
}

impl Value for Money {
    const WHAT: &'static str = "an amount such as `3490.9`";
    fn parse(text: &str) -> Option<Money> {
        let (whole, part) = text.split_once('.')?;
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<i64>().ok()).flatten();
        let cents = match part.len() {
            1 => digits(part)? * 10,
            2 => digits(part)?,
            _ => return None,
        };
        Some(Money(digits(whole)?.checked_mul(100)?.checked_add(cents)?))
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn cell(&self) -> Cell {
        Cell::Integer(self.0)
    }
}

impl Value for Month {
    const WHAT: &'static str = "a month such as `06/25`";
    fn parse(text: &str) -> Option<Month> {
        let (month, year) = text.split_once('/')?;
        let month = month.parse().ok().filter(|m| (1..=12).contains(m))?;
        Some(Month { year: 2000 + year.parse::<i16>().ok().filter(|y| (0..=99).contains(y))?, month })
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Value for Date {
    const WHAT: &'static str = "a date such as `2025-06-08`";
    fn parse(text: &str) -> Option<Date> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Value for i16 {
    const WHAT: &'static str = "a year such as `1998`";
    fn parse(text: &str) -> Option<i16> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn cell(&self) -> Cell {
        Cell::Integer(i64::from(*self))
    }
}

/// Reads a value in its one written form.
pub(super) fn read<V: Value>(text: &str) -> Result<V, String> {
    V::parse(text).filter(|value| value.print() == text).ok_or_else(|| format!("`{text}` is not {}", V::WHAT))
}
