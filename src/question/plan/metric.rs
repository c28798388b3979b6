//! The words of plans: what can be counted, shared and ranked by, and what kind of thing an answer is. How plans are made
//! of them is in `tree.rs`.

use crate::question::worded::words;

words! {
    /// A kind of record that can be counted.
    Kind {
        /// Vehicles.
        Vehicles = "vehicles",
        /// Pets.
        Pets = "pets",
        /// Credit cards.
        Cards = "cards",
        /// Insurance policies.
        Policies = "policies",
        /// Internet accounts.
        Net = "net",
        /// Bank accounts.
        Accounts = "accounts",
        /// Jobs on record.
        Jobs = "jobs",
    }
}

words! {
    /// What two people can share.
    Relation {
        /// An address in the same state.
        State = "state",
        /// An address in the same city of the same state.
        City = "city",
        /// The blood type.
        Blood = "blood",
        /// The medical condition.
        Condition = "condition",
        /// The provider of a card.
        Provider = "provider",
        /// A job title.
        Title = "title",
        /// A policy's type.
        PolicyType = "policy_type",
        /// The URL of an internet account, letter by letter.
        Url = "url",
        /// A vehicle's make.
        Make = "make",
        /// The month in which a card expires.
        Expiry = "expiry",
        /// An employer.
        Employer = "employer",
        /// A bank.
        Bank = "bank",
    }
}

/// A number of a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// How many records of a kind; none is 0. The most is first.
    Count(Kind),
    /// The total over all bank accounts; the highest is first.
    Balance,
    /// The highest salary of any single job; the highest is first.
    Salary,
    /// The day on which the job that began last began; the latest is first.
    Start,
    /// The day of birth; the earliest is first.
    Dob,
    /// The earliest model year of a vehicle; the earliest is first.
    OldestCar,
    /// The day on which the first of all policies expires, lapsed ones included; the earliest is first.
    Expiry,
    /// The month in which the first of all cards expires, lapsed ones included; the earliest is first.
    CardExpiry,
}

/// What kind of thing an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// A person's name.
    Name,
    /// Words of a record.
    Text,
    /// A number of records.
    Count,
    /// Dollars and cents.
    Money,
    /// A day.
    Date,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Metric {
    /// All of them, in the order of the grammar.
    pub fn all() -> Vec<Metric> {
        let others = [
            Metric::Balance,
            Metric::Salary,
            Metric::Start,
            Metric::Dob,
            Metric::OldestCar,
            Metric::Expiry,
            Metric::CardExpiry,
        ];
        Kind::ALL.iter().map(|kind| Metric::Count(*kind)).chain(others).collect()
    }

    /// The word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Metric::Count(kind) => kind.word(),
            Metric::Balance => "balance",
            Metric::Salary => "salary",
            Metric::Start => "start",
            Metric::Dob => "dob",
            Metric::OldestCar => "oldest_car",
            Metric::Expiry => "expiry",
            Metric::CardExpiry => "card_expiry",
        }
    }

    /// What kind of number it is.
    pub fn kind(self) -> AnswerKind {
        match self {
            Metric::Count(_) => AnswerKind::Count,
            Metric::Balance | Metric::Salary => AnswerKind::Money,
            Metric::Start | Metric::Dob | Metric::Expiry => AnswerKind::Date,
            Metric::OldestCar => AnswerKind::Year,
            Metric::CardExpiry => AnswerKind::Month,
        }
    }

    /// Whether the least is first.
    pub fn earliest_first(self) -> bool {
        matches!(self, Metric::Dob | Metric::OldestCar | Metric::Expiry | Metric::CardExpiry)
    }
}
