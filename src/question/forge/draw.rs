//! Random plans of each type. They have the type's shape and nothing more: whether one makes a good question is for the
//! gates to say.

use super::types::QuestionType;
use super::words::{POLICIES, PROVIDERS, entries, words};
use crate::question::plan::{Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
use crate::random::Random;
use std::collections::BTreeMap;

/// What most groups share; those that come up more often are here more than once. By provider or kind of policy,
/// groups are too large to be one.
const SHARED: [Relation; 20] = [
    Relation::State,
    Relation::State,
    Relation::State,
    Relation::State,
    Relation::City,
    Relation::City,
    Relation::Blood,
    Relation::Blood,
    Relation::Condition,
    Relation::Employer,
    Relation::Employer,
    Relation::Employer,
    Relation::Bank,
    Relation::Bank,
    Relation::Bank,
    Relation::Title,
    Relation::Make,
    Relation::Make,
    Relation::Url,
    Relation::Expiry,
];
/// What so many share that it leaves few of a small group.
const WIDE: [Relation; 5] =
    [Relation::Provider, Relation::PolicyType, Relation::Blood, Relation::Condition, Relation::State];
/// What has a winner of its own for each of its values.
const WITH_WINNERS: [Relation; 5] =
    [Relation::State, Relation::Blood, Relation::Employer, Relation::Title, Relation::Make];
/// What can be counted of everybody, without jobs: hardly anybody has more than two.
const COUNTED: [Kind; 6] = [Kind::Vehicles, Kind::Pets, Kind::Cards, Kind::Policies, Kind::Net, Kind::Accounts];

/// Who a question can start from, by what is shared with him.
pub type Handles = BTreeMap<Relation, Vec<Source>>;

/// A plan of a type; its sources are among `handles`.
pub fn draw(kind: QuestionType, handles: &Handles, random: &mut Random) -> Plan {
    let mut draw = Draw { handles, random };
    match kind {
        QuestionType::Tiebreak => draw.tiebreak(),
        QuestionType::Aggregation => draw.aggregation(),
        QuestionType::Counting => draw.counting(),
        QuestionType::Negation => draw.negation(),
        QuestionType::Intersection => draw.intersection(),
        QuestionType::Temporal => draw.temporal(),
        QuestionType::Comparison => draw.comparison(),
        QuestionType::MultiHop => draw.multi_hop(),
        QuestionType::Conditional => draw.conditional(),
        QuestionType::Nested => draw.nested(),
    }
}

struct Draw<'a> {
    handles: &'a Handles,
    random: &'a mut Random,
}

impl Draw<'_> {
    fn tiebreak(&mut self) -> Plan {
        let mut rank = self.counts(2);
        if self.random.chance(2, 3) {
            rank.truncate(1);
        }
        rank.push(*self.random.pick(&[Metric::Balance, Metric::Dob]));
        Plan::Top(Chain { group: self.group(), rank: Rank(rank) })
    }

    fn aggregation(&mut self) -> Plan {
        let chain = Chain { group: self.group(), rank: self.count_then_last() };
        let total = Total(vec![Metric::Balance]);
        if self.random.chance(1, 4) {
            Plan::TopSum(2 + self.random.below(2), chain, total)
        } else {
            Plan::Num(chain, total)
        }
    }

    fn counting(&mut self) -> Plan {
        let chain = Chain { group: self.group(), rank: self.amount_or_date() };
        let many = 3 + self.random.below(3);
        Plan::Num(chain, Total(self.counts(many)))
    }

    fn negation(&mut self) -> Plan {
        let mut group = self.group();
        let kinds = self.kinds(2);
        let filter = match self.random.below(4) {
            0 => Filter::Has(kinds[0]),
            1 => Filter::AtLeast(kinds[0], 2 + self.random.below(2)),
            2 => Filter::Policy(self.random.pick(&words(POLICIES)).to_string()),
            _ => Filter::Provider(self.random.pick(&entries(PROVIDERS)).to_string()),
        };
        group.filters = vec![filter, Filter::Lacks(kinds[1])];
        Plan::Only(group)
    }

    fn intersection(&mut self) -> Plan {
        let by = *self.random.pick(&[Metric::Balance, Metric::Balance, Metric::Salary]);
        let mut filters = vec![Filter::TopOf(*self.random.pick(&[10, 15, 20]), by)];
        // Two sets by one relation may be one set under two names.
        let mut relations = WIDE;
        self.random.shuffle(&mut relations);
        for relation in relations.into_iter().take(1 + self.random.below(2)) {
            filters.push(Filter::In(self.link(relation)));
        }
        Plan::Only(Group { base: None, filters })
    }

    fn temporal(&mut self) -> Plan {
        let (metric, kind) = *self.random.pick(&[
            (Metric::Expiry, Kind::Policies),
            (Metric::Expiry, Kind::Policies),
            (Metric::Start, Kind::Jobs),
            (Metric::CardExpiry, Kind::Cards),
            (Metric::OldestCar, Kind::Vehicles),
        ]);
        let mut group = self.group();
        group.filters.push(Filter::Has(kind));
        let mut rank = vec![metric];
        // Months and years are shared often, so that what decides then must be said.
        if matches!(metric, Metric::CardExpiry | Metric::OldestCar) {
            rank.push(*self.random.pick(&[Metric::Balance, Metric::Dob]));
        }
        Plan::Top(Chain { group, rank: Rank(rank) })
    }

    fn comparison(&mut self) -> Plan {
        let rank = if self.random.chance(1, 2) { self.count_then_last() } else { self.amount_or_date() };
        let relation = self.relation();
        let chains = (0..2).map(|_| Chain { group: self.group_by(relation), rank: rank.clone() }).collect();
        Plan::Cmp(chains, Rank(vec![self.another(&rank.0)]))
    }

    fn multi_hop(&mut self) -> Plan {
        let many = if self.random.chance(1, 6) { 3 } else { 2 };
        let chains: Vec<Chain> = (0..many)
            .map(|_| {
                let rank = if self.random.chance(1, 2) { self.count_then_last() } else { self.amount_or_date() };
                Chain { group: self.group(), rank }
            })
            .collect();
        if self.random.chance(1, 2) {
            let ranked: Vec<Metric> = chains.iter().map(|chain| chain.rank.0[0]).collect();
            return Plan::Cmp(chains, Rank(vec![self.another(&ranked)]));
        }
        let total = if self.random.chance(3, 4) { vec![Metric::Balance] } else { self.counts(2) };
        Plan::Sum(chains, Total(total))
    }

    fn conditional(&mut self) -> Plan {
        let rank = self.count_then_last();
        let by = self.another(&rank.0);
        let attr = match self.random.below(5) {
            0 | 1 if by != Metric::Balance => Attr::Total(Total(vec![Metric::Balance])),
            2 => Attr::Of(Relation::Blood),
            3 => Attr::Of(Relation::Employer),
            _ => Attr::Of(Relation::City),
        };
        Plan::If {
            first: Chain { group: self.group(), rank: rank.clone() },
            second: Chain { group: self.group(), rank },
            by,
            then: attr.clone(),
            otherwise: attr,
        }
    }

    fn nested(&mut self) -> Plan {
        let relation = *self.random.pick(&WITH_WINNERS);
        let best = if self.random.chance(1, 2) { self.count_then_last() } else { self.amount_or_date() };
        let mut filters = Vec::new();
        if self.random.chance(1, 3) {
            filters.push(Filter::Has(self.kinds(1)[0]));
        }
        // Last, since what followed could be read as a condition on those whom a winner beats.
        filters.push(Filter::Winner(relation, best));
        let rank = if self.random.chance(2, 3) { self.count_then_last() } else { self.amount_or_date() };
        Plan::Top(Chain { group: Group { base: None, filters }, rank })
    }

    fn group(&mut self) -> Group {
        let relation = self.relation();
        self.group_by(relation)
    }

    fn group_by(&mut self, relation: Relation) -> Group {
        Group { base: Some(self.link(relation)), filters: Vec::new() }
    }

    fn relation(&mut self) -> Relation {
        *self.random.pick(&SHARED)
    }

    fn link(&mut self, relation: Relation) -> Link {
        Link { relation, source: self.random.pick(&self.handles[&relation]).clone() }
    }

    fn kinds(&mut self, many: usize) -> Vec<Kind> {
        let mut kinds = COUNTED;
        self.random.shuffle(&mut kinds);
        kinds[..many].to_vec()
    }

    fn counts(&mut self, many: usize) -> Vec<Metric> {
        self.kinds(many).into_iter().map(Metric::Count).collect()
    }

    /// A count, and what decides where several are level.
    fn count_then_last(&mut self) -> Rank {
        let mut rank = self.counts(1);
        rank.push(*self.random.pick(&[Metric::Balance, Metric::Dob]));
        Rank(rank)
    }

    /// What hardly two people are level in.
    fn amount_or_date(&mut self) -> Rank {
        Rank(vec![*self.random.pick(&[Metric::Balance, Metric::Balance, Metric::Salary, Metric::Dob, Metric::Start])])
    }

    /// What winners are compared by: not what they have won by, or the best of all groups together would be asked for.
    fn another(&mut self, won: &[Metric]) -> Metric {
        loop {
            let metric = if self.random.chance(1, 3) { Metric::Balance } else { self.counts(1)[0] };
            if !won.contains(&metric) {
                return metric;
            }
        }
    }
}
