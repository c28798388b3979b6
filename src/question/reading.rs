//! In how many ways a question's words can be read. The plain reading is the one in which the plan language is
//! defined; each other one departs from it in one point, and is tried where a plan leaves that point open.

use jiff::civil::Date;

/// How the words of a question are taken. The default is the plain reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Reading {
    /// Which addresses of the person that a source describes count, where a state or city is shared.
    pub anchor_place: Place,
    /// Which addresses of everybody else count there.
    pub member_place: Place,
    /// What "the highest salary" of somebody with several jobs is.
    pub salary: Salary,
    /// Whether the person that a source describes is left out of the group.
    pub anchor_out: bool,
    /// Policies that expired before this day, and cards whose month was over, are left out.
    pub lapsed_before: Option<Date>,
    /// Whether months are sorted as the text `MM/YY`, as only a mistake would.
    pub months_as_text: bool,
    /// Whether cities of one name in two states are one city.
    pub city_by_name: bool,
    /// Whether, among holders of a provider's cards, only those cards are counted.
    pub provider_cards: bool,
    /// Whether two URLs of one host are the same.
    pub url_host: bool,
    /// Which one is meant where a handle has several owners, from 0 (the last, where there are fewer); all of them, where
    /// that isn't said.
    pub owner: Option<usize>,
}

/// Which of a person's addresses count, in the file's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Place {
    /// Each of them.
    #[default]
    Any,
    /// The first.
    First,
    /// The last.
    Last,
}

/// What the salary of a person with several jobs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Salary {
    /// The highest of all jobs.
    #[default]
    Best,
    /// The sum of all jobs.
    Sum,
    /// That of the job which began last (the highest, where several began that day).
    Latest,
}
