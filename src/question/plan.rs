//! A plan says without any doubt how a question's answer is found: whom to look at, how to rank them, what to report.
//! Its text form is read by [`Plan::parse`](super::parse) and written by `Display`; both are one line:
//!
//! ```text
//! plan     := TOP chain                            name of the winner
//!           | ONLY group                           name of the single member
//!           | NUM chain => value                   number of the winner
//!           | CMP chain | chain … -> rank          name of the best of the chains' winners
//!           | SUM chain | chain … -> value         the winners' values added
//!           | TOPkSUM chain => value               the values of the k best added
//!           | IF chain | chain -> metric THEN attr ELSE attr
//!                                                  of the first winner if he is better, else of the second
//! chain    := group ; rank                         the winner of a group
//! group    := (relation source | all) & filter …
//! rank     := metric,metric …                      each decides where all before it are level
//! value    := metric+metric …
//! attr     := relation | value                     `expiry` is the value here
//! source   := pet:Name | pet:Name/Species | plate:X | user:X
//! relation := state city blood condition provider title policy_type url make expiry employer bank
//! metric   := vehicles pets cards policies net accounts jobs balance salary start    the most, the highest, the latest
//!           | dob oldest_car expiry card_expiry                                      the earliest
//! filter   := lacks F | has F | count(F)>=n | count(F)=n | provider=X | policy=X | started=YEAR | top15(metric)
//!           | in(relation source) | out(relation source) | winner(relation ; rank) | state_winner
//! ```
//!
//! Filters are predicates over everybody, so their order has no meaning: `top15(balance)` are the 15 richest of all.
//! `state_winner` is short for `winner(state ; balance)`. Who has no value for a metric ranks last by it, and can't win
//! by it where it is the first.

/// How a question's answer is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// The winner's name.
    Top(Chain),
    /// The single member's name.
    Only(Group),
    /// The winner's number.
    Num(Chain, Total),
    /// The name of the best among the winners of two chains or more.
    Cmp(Vec<Chain>, Rank),
    /// The values of all winners, added.
    Sum(Vec<Chain>, Total),
    /// The values of the best so many of one chain, added.
    TopSum(usize, Chain, Total),
    /// Something of the first winner, if he is better by the metric than the second; else something of the second.
    If {
        /// The first winner's chain.
        first: Chain,
        /// The second winner's chain.
        second: Chain,
        /// What the two are compared by.
        by: Metric,
        /// What is reported of the first.
        then: Attr,
        /// What is reported of the second.
        otherwise: Attr,
    },
}

/// Whom to look at and how to rank them: the way to a winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Whom to look at.
    pub group: Group,
    /// How to rank them.
    pub rank: Rank,
}

/// Metrics in the order in which they decide; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank(pub Vec<Metric>);

/// Metrics that are added; never empty. More than one are all counts or all amounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total(pub Vec<Metric>);

/// People: all, or those who share something with a source, less those whom a filter leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they share with whom; everybody, where there is nothing.
    pub base: Option<Link>,
    /// What else must hold of them.
    pub filters: Vec<Filter>,
}

/// Who shares something with the person that a source describes; that person included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What is shared.
    pub relation: Relation,
    /// With whom.
    pub source: Source,
}

/// A person described by something that is his.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The owner of a pet.
    Pet {
        /// What it is called.
        name: String,
        /// What it is, where that is said.
        species: Option<String>,
    },
    /// The owner of the vehicle with a licence plate.
    Plate(String),
    /// The person with a username.
    User(String),
}

/// A condition that leaves some people out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Has no such record.
    Lacks(Kind),
    /// Has one such record or more.
    Has(Kind),
    /// Has so many such records or more.
    AtLeast(Kind, usize),
    /// Has exactly so many such records.
    Exactly(Kind, usize),
    /// Has a card of a provider.
    Provider(String),
    /// Has a policy of a type.
    Policy(String),
    /// The job that began last began in a year.
    Started(i16),
    /// Is one of the so many first of all people by a metric; who is level with the last of them is one too.
    TopOf(usize, Metric),
    /// Shares something with a source.
    In(Link),
    /// Shares it not.
    Out(Link),
    /// Is first among all who have the same value: `winner(state ; balance)` is the richest of a state. Who has
    /// several values needs to be first in one.
    Winner(Relation, Rank),
}

/// What is reported at the end of an `IF`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attr {
    /// Words of a record: the blood type, the state.
    Of(Relation),
    /// A number.
    Total(Total),
}

/// An enum whose variants have one word each in text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, in this order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
pub(super) use words;

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

impl Total {
    /// What kind of number it is: that of its metrics.
    pub fn kind(&self) -> AnswerKind {
        self.0.first().map_or(AnswerKind::Count, |metric| metric.kind())
    }

    /// Whether it is a number of which several can be added: dates can't.
    pub fn adds_up(&self) -> bool {
        matches!(self.kind(), AnswerKind::Count | AnswerKind::Money)
    }
}

impl Attr {
    /// What kind of thing is reported.
    pub fn kind(&self) -> AnswerKind {
        match self {
            Attr::Of(_) => AnswerKind::Text,
            Attr::Total(total) => total.kind(),
        }
    }
}

impl Plan {
    /// What kind of thing the answer is.
    pub fn kind(&self) -> AnswerKind {
        match self {
            Plan::Top(_) | Plan::Only(_) | Plan::Cmp(..) => AnswerKind::Name,
            Plan::Num(_, total) | Plan::Sum(_, total) | Plan::TopSum(_, _, total) => total.kind(),
            Plan::If { then, .. } => then.kind(),
        }
    }

    /// The chains, in the order in which the text names them.
    pub fn chains(&self) -> Vec<&Chain> {
        match self {
            Plan::Only(_) => Vec::new(),
            Plan::Top(chain) | Plan::Num(chain, _) | Plan::TopSum(_, chain, _) => vec![chain],
            Plan::Cmp(chains, _) | Plan::Sum(chains, _) => chains.iter().collect(),
            Plan::If { first, second, .. } => vec![first, second],
        }
    }

    /// The groups, in the order in which the text names them.
    pub fn groups(&self) -> Vec<&Group> {
        match self {
            Plan::Only(group) => vec![group],
            _ => self.chains().into_iter().map(|chain| &chain.group).collect(),
        }
    }

    /// All links to sources, in the order in which the text names them.
    pub fn links(&self) -> Vec<&Link> {
        self.groups().into_iter().flat_map(Group::links).collect()
    }

    /// Every metric that the plan ranks, filters or reports by, with repetitions.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = self.chains().into_iter().flat_map(|chain| chain.rank.0.clone()).collect();
        for filter in self.groups().into_iter().flat_map(|group| &group.filters) {
            match filter {
                Filter::TopOf(_, metric) => metrics.push(*metric),
                Filter::Winner(_, rank) => metrics.extend(&rank.0),
                _ => {}
            }
        }
        match self {
            Plan::Top(_) | Plan::Only(_) => {}
            Plan::Cmp(_, rank) => metrics.extend(&rank.0),
            Plan::Num(_, total) | Plan::Sum(_, total) | Plan::TopSum(_, _, total) => metrics.extend(&total.0),
            Plan::If { by, then, otherwise, .. } => {
                metrics.push(*by);
                for attr in [then, otherwise] {
                    if let Attr::Total(total) = attr {
                        metrics.extend(&total.0);
                    }
                }
            }
        }
        metrics
    }
}

impl Group {
    /// The links to sources: the base and those of filters.
    pub fn links(&self) -> Vec<&Link> {
        let filters = self.filters.iter().filter_map(|filter| match filter {
            Filter::In(link) | Filter::Out(link) => Some(link),
            _ => None,
        });
        self.base.iter().chain(filters).collect()
    }
}
