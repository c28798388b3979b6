//! Plans evaluated without SQL, over slices and maps of the records. It shares no code with the compiler to SQL, so that
//! the two can check each other; what a word of the plan language means is said in `plan.rs`.

use super::answer::Answer;
use super::plan::{Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
use super::reading::Reading;
use super::records::Records;
use super::table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Record,
    Vehicle,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The records of a corpus by their owners.
#[derive(Debug, Clone)]
pub struct World<'a> {
    pub(super) lives: Vec<Life<'a>>,
    plates: BTreeMap<&'a str, BTreeSet<usize>>,
    users: BTreeMap<&'a str, BTreeSet<usize>>,
}

/// Everything that is one person's.
#[derive(Debug, Clone)]
pub(super) struct Life<'a> {
    pub(super) person: &'a Person,
    pub(super) addresses: &'a [Address],
    pub(super) accounts: &'a [BankAccount],
    pub(super) cards: &'a [CreditCard],
    pub(super) jobs: &'a [Employment],
    pub(super) policies: &'a [InsurancePolicy],
    pub(super) net: &'a [InternetAccount],
    pub(super) medical: &'a [MedicalRecord],
    pub(super) pets: &'a [Pet],
    pub(super) vehicles: &'a [Vehicle],
}

/// One line of a group's ranked table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// The person's place in [`Records::people`].
    pub person: usize,
    /// From 1; who is level shares a place, and as many places after it are left out.
    pub place: usize,
    /// The rank's metrics in order; nothing where the person has no value.
    pub values: Vec<Option<Answer>>,
}

/// How good somebody is by each metric of a rank: more is better, nothing is worst.
type Score = Vec<Option<i64>>;

impl<'a> World<'a> {
    /// Sorts records by their owners.
    pub fn new(records: &'a Records) -> World<'a> {
        let mut world =
            World { lives: Vec::with_capacity(records.people.len()), plates: BTreeMap::new(), users: BTreeMap::new() };
        for (person, named) in records.people.iter().enumerate() {
            world.lives.push(Life {
                person: named,
                addresses: of(&records.addresses, person),
                accounts: of(&records.bank_accounts, person),
                cards: of(&records.credit_cards, person),
                jobs: of(&records.employments, person),
                policies: of(&records.insurance_policies, person),
                net: of(&records.internet_accounts, person),
                medical: of(&records.medical_records, person),
                pets: of(&records.pets, person),
                vehicles: of(&records.vehicles, person),
            });
        }
        world.find_owners();
        world
    }

    /// Notes whose the plates and usernames are.
    pub(super) fn find_owners(&mut self) {
        self.plates.clear();
        self.users.clear();
        for (person, life) in self.lives.iter().enumerate() {
            for vehicle in life.vehicles {
                self.plates.entry(&vehicle.license_plate).or_default().insert(person);
            }
            for account in life.net {
                self.users.entry(&account.username).or_default().insert(person);
            }
        }
    }

    /// A person's name.
    pub fn name(&self, person: usize) -> &'a str {
        &self.lives[person].person.name
    }

    /// All answers that a plan gives under a reading: none where nobody is left, several where something is level.
    pub fn answers(&self, plan: &Plan, reading: &Reading) -> BTreeSet<Answer> {
        let name = |person: usize| Answer::Text(self.name(person).to_owned());
        match plan {
            Plan::Top(chain) => self.winners(chain, reading).into_iter().map(name).collect(),
            Plan::Only(group) => self.members(group, reading).into_iter().map(name).collect(),
            Plan::Num(chain, total) => {
                let values = self.winners(chain, reading).into_iter().filter_map(|p| self.total(p, total, reading));
                values.filter_map(|n| Answer::of_number(total.kind(), n)).collect()
            }
            Plan::Cmp(chains, rank) => self.best(chains, rank, reading).into_iter().map(name).collect(),
            Plan::Sum(chains, total) => {
                let mut sums = BTreeSet::from([0]);
                for chain in chains {
                    let winners = self.winners(chain, reading);
                    let values: BTreeSet<i64> =
                        winners.into_iter().filter_map(|p| self.total(p, total, reading)).collect();
                    sums = sums.iter().flat_map(|sum| values.iter().map(move |value| sum + value)).collect();
                }
                sums.into_iter().filter_map(|n| Answer::of_number(total.kind(), n)).collect()
            }
            Plan::TopSum(k, chain, total) => {
                let sums = self.sums_of_first(*k, chain, |p| self.total(p, total, reading), reading);
                sums.into_iter().filter_map(|n| Answer::of_number(total.kind(), n)).collect()
            }
            Plan::If { first, second, by, then, otherwise } => {
                let score = |person| self.score(person, *by, reading, None);
                let (left, right) = (self.winners(first, reading), self.winners(second, reading));
                let mut answers = BTreeSet::new();
                for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))) {
                    let (person, attr) = if score(a) > score(b) { (a, then) } else { (b, otherwise) };
                    answers.extend(self.attr(person, attr, reading));
                }
                answers
            }
        }
    }

    /// The people of a group.
    pub fn members(&self, group: &Group, reading: &Reading) -> BTreeSet<usize> {
        let mut members = match &group.base {
            Some(link) => self.sharers(link, reading),
            None => (0..self.lives.len()).collect(),
        };
        for filter in &group.filters {
            members = self.filtered(&members, filter, reading);
        }
        members
    }

    /// Who is first in a chain; several where they are level.
    pub fn winners(&self, chain: &Chain, reading: &Reading) -> BTreeSet<usize> {
        self.scored(chain, reading)
            .into_iter()
            .take_while(|(place, ..)| *place == 1)
            .map(|(_, _, person)| person)
            .collect()
    }

    /// The whole ranked table of a chain's group, the first first; who can't win stands in it too.
    pub fn ranked(&self, chain: &Chain, reading: &Reading) -> Vec<Ranked> {
        let value = |person: usize, metric: Metric, score: Option<i64>| {
            // A month's score depends on how months are sorted; what is shown doesn't.
            let number = match metric {
                Metric::CardExpiry => self.total(person, &Total(vec![metric]), reading),
                _ => score.map(i64::abs),
            };
            number.and_then(|n| Answer::of_number(metric.kind(), n))
        };
        let cards = self.cards_of(&chain.group, reading);
        let rows = self.members(&chain.group, reading).into_iter();
        let rows = rows.map(|person| (self.scores(person, &chain.rank, reading, cards.as_ref()), person)).collect();
        let row = |(place, score, person): (usize, Score, usize)| Ranked {
            person,
            place,
            values: chain.rank.0.iter().zip(score).map(|(metric, score)| value(person, *metric, score)).collect(),
        };
        placed(rows).into_iter().map(row).collect()
    }

    /// Who is described by a source: nobody, one person, or several.
    pub fn owners(&self, source: &Source, reading: &Reading) -> BTreeSet<usize> {
        let owners = match source {
            Source::Plate(plate) => self.plates.get(plate.as_str()).cloned().unwrap_or_default(),
            Source::User(user) => self.users.get(user.as_str()).cloned().unwrap_or_default(),
            Source::Pet { name, species } => {
                let fits = |pet: &&Pet| pet.name == *name && species.as_ref().is_none_or(|s| pet.species == *s);
                let owns = |person: &usize| self.lives[*person].pets.iter().any(|pet| fits(&pet));
                (0..self.lives.len()).filter(owns).collect()
            }
        };
        match reading.owner {
            Some(n) => owners.iter().nth(n).or(owners.last()).copied().into_iter().collect(),
            None => owners,
        }
    }

    /// Who shares a link's relation with its source.
    fn sharers(&self, link: &Link, reading: &Reading) -> BTreeSet<usize> {
        let anchors = self.owners(&link.source, reading);
        let shared: BTreeSet<Cow<'_, str>> =
            anchors.iter().flat_map(|p| self.shares(*p, link.relation, reading.anchor_place, reading)).collect();
        let member = |person: &usize| {
            let own = self.shares(*person, link.relation, reading.member_place, reading);
            own.iter().any(|value| shared.contains(value)) && !(reading.anchor_out && anchors.contains(person))
        };
        (0..self.lives.len()).filter(member).collect()
    }

    fn filtered(&self, members: &BTreeSet<usize>, filter: &Filter, reading: &Reading) -> BTreeSet<usize> {
        let keep = |wanted: &dyn Fn(usize) -> bool| members.iter().copied().filter(|p| wanted(*p)).collect();
        let count = |person: usize, kind: Kind| self.count(person, kind, reading, None);
        match filter {
            Filter::Lacks(kind) => keep(&|p| count(p, *kind) == 0),
            Filter::Has(kind) => keep(&|p| count(p, *kind) > 0),
            Filter::AtLeast(kind, n) => keep(&|p| count(p, *kind) >= *n),
            Filter::Exactly(kind, n) => keep(&|p| count(p, *kind) == *n),
            Filter::Provider(name) => keep(&|p| self.cards(p, reading).any(|card| card.provider == *name)),
            Filter::Policy(name) => keep(&|p| self.policies(p, reading).any(|policy| policy.policy_type == *name)),
            Filter::Started(year) => {
                keep(&|p| self.lives[p].jobs.iter().map(|job| job.start_date).max().is_some_and(|d| d.year() == *year))
            }
            Filter::TopOf(n, metric) => {
                let all = (0..self.lives.len()).map(|p| (vec![self.score(p, *metric, reading, None)], p)).collect();
                let first = placed(all).into_iter().filter(|(place, score, _)| place <= n && score[0].is_some());
                let first: BTreeSet<usize> = first.map(|(_, _, person)| person).collect();
                keep(&|p| first.contains(&p))
            }
            Filter::In(link) => {
                let sharers = self.sharers(link, reading);
                keep(&|p| sharers.contains(&p))
            }
            Filter::Out(link) => {
                let sharers = self.sharers(link, reading);
                keep(&|p| !sharers.contains(&p))
            }
            Filter::Winner(relation, rank) => {
                let firsts = self.firsts(*relation, rank, reading);
                keep(&|p| firsts.contains(&p))
            }
        }
    }

    /// Who is first among all with the same value of a relation, for each of its values.
    fn firsts(&self, relation: Relation, rank: &Rank, reading: &Reading) -> BTreeSet<usize> {
        let mut by_value: BTreeMap<Cow<'_, str>, Vec<(Score, usize)>> = BTreeMap::new();
        for person in 0..self.lives.len() {
            let scores = self.scores(person, rank, reading, None);
            for value in self.shares(person, relation, reading.member_place, reading) {
                by_value.entry(value).or_default().push((scores.clone(), person));
            }
        }
        let first = |rows| placed(rows).into_iter().filter(|(place, score, _)| *place == 1 && score[0].is_some());
        by_value.into_values().flat_map(first).map(|(_, _, person)| person).collect()
    }

    /// Places, scores and people of a chain's group, the best first; only those who can win.
    fn scored(&self, chain: &Chain, reading: &Reading) -> Vec<(usize, Score, usize)> {
        let cards = self.cards_of(&chain.group, reading);
        let members = self.members(&chain.group, reading).into_iter();
        let rows = members.map(|person| (self.scores(person, &chain.rank, reading, cards.as_ref()), person));
        placed(rows.filter(|(score, _)| score[0].is_some()).collect())
    }

    /// Who can be the best of the chains' winners, whichever of those who are level each chain is taken to give.
    fn best(&self, chains: &[Chain], rank: &Rank, reading: &Reading) -> BTreeSet<usize> {
        let sides: Vec<Vec<(Score, usize)>> = chains
            .iter()
            .map(|chain| {
                let winners = self.winners(chain, reading).into_iter();
                winners.map(|person| (self.scores(person, rank, reading, None), person)).collect()
            })
            .collect();
        let mut best = BTreeSet::new();
        for (at, side) in sides.iter().enumerate() {
            for (score, person) in side.iter().filter(|(score, _)| score[0].is_some()) {
                let beats = |other: &Vec<(Score, usize)>| other.iter().any(|(rival, _)| score >= rival);
                if sides.iter().enumerate().all(|(n, other)| n == at || beats(other)) {
                    best.insert(*person);
                }
            }
        }
        best
    }

    /// The values of a chain's first `k` added: the least and the greatest sum, where several are level at the end.
    fn sums_of_first(
        &self,
        k: usize,
        chain: &Chain,
        value: impl Fn(usize) -> Option<i64>,
        reading: &Reading,
    ) -> BTreeSet<i64> {
        let rows = self.scored(chain, reading);
        let Some((last, ..)) = k.checked_sub(1).and_then(|at| rows.get(at)) else { return BTreeSet::new() };
        let values = |level: &dyn Fn(usize) -> bool| -> Option<Vec<i64>> {
            rows.iter().filter(|(place, ..)| level(*place)).map(|(_, _, person)| value(*person)).collect()
        };
        let (Some(sure), Some(mut level)) = (values(&|place| place < *last), values(&|place| place == *last)) else {
            return BTreeSet::new();
        };
        level.sort_unstable();
        let (open, sure_sum) = (k - sure.len(), sure.iter().sum::<i64>());
        let least: i64 = level.iter().take(open).sum();
        let greatest: i64 = level.iter().rev().take(open).sum();
        BTreeSet::from([sure_sum + least, sure_sum + greatest])
    }
}

/// The records of one owner in a table that is sorted by owners.
fn of<R: Record>(table: &[R], owner: usize) -> &[R] {
    let start = table.partition_point(|record| record.owner() < owner);
    let end = table.partition_point(|record| record.owner() <= owner);
    &table[start..end]
}

/// Sorts rows, the best first and people of one score by their place in the corpus, and numbers their places.
fn placed(mut rows: Vec<(Score, usize)>) -> Vec<(usize, Score, usize)> {
    rows.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.cmp(right)));
    let mut placed: Vec<(usize, Score, usize)> = Vec::with_capacity(rows.len());
    for (at, (score, person)) in rows.into_iter().enumerate() {
        let place = placed.last().filter(|(_, last, _)| *last == score).map_or(at + 1, |(place, ..)| *place);
        placed.push((place, score, person));
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::placed;

    #[test]
    fn who_is_level_shares_a_place_and_nothing_is_worst() {
        let rows = vec![(vec![None], 0), (vec![Some(3)], 1), (vec![Some(-1)], 2), (vec![Some(3)], 3)];
        let places: Vec<(usize, usize)> = placed(rows).into_iter().map(|(place, _, person)| (place, person)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (3, 2), (4, 0)]);
    }
}
