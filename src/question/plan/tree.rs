//! What a plan is made of: chains, groups, ranks, filters. It says how an answer is found, and finds none.

use super::metric::{AnswerKind, Kind, Metric, Relation};

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
