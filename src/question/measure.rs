//! What one person's records amount to under a reading: counts, sums, dates, and what is shared with others.

use super::answer::Answer;
use super::plan::{Attr, Filter, Group, Kind, Metric, Rank, Relation, Total};
use super::reading::{Place, Reading, Salary};
use super::table::{Address, CreditCard, InsurancePolicy};
use super::world::World;
use jiff::civil::Date;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl<'a> World<'a> {
    /// How good somebody is by each metric of a rank.
    pub(super) fn scores(
        &self,
        person: usize,
        rank: &Rank,
        reading: &Reading,
        cards: Option<&BTreeSet<Cow<'a, str>>>,
    ) -> Vec<Option<i64>> {
        rank.0.iter().map(|metric| self.score(person, *metric, reading, cards)).collect()
    }

    /// How good somebody is by a metric: more is better, so what is earliest first comes negated. Days are `YYYYMMDD`,
    /// months `YYYYMM`. `cards` are the providers whose cards are counted; all, where there are none.
    pub(super) fn score(
        &self,
        person: usize,
        metric: Metric,
        reading: &Reading,
        cards: Option<&BTreeSet<Cow<'a, str>>>,
    ) -> Option<i64> {
        let life = &self.lives[person];
        match metric {
            Metric::Count(kind) => i64::try_from(self.count(person, kind, reading, cards)).ok(),
            Metric::Balance => life.accounts.iter().map(|account| account.balance.0).reduce(|a, b| a + b),
            Metric::Salary => self.salary(person, reading.salary),
            Metric::Start => life.jobs.iter().map(|job| day(job.start_date)).max(),
            Metric::Dob => Some(-day(life.person.dob)),
            Metric::OldestCar => life.vehicles.iter().map(|vehicle| -i64::from(vehicle.year)).max(),
            Metric::Expiry => self.policies(person, reading).map(|policy| -day(policy.expires)).max(),
            Metric::CardExpiry => {
                let months = self.cards(person, reading).map(|card| card.expire);
                let first = match reading.months_as_text {
                    true => months.min_by_key(|month| (month.month, month.year)),
                    false => months.min(),
                };
                first.map(|m| match reading.months_as_text {
                    // As text the month comes first, so it weighs more.
                    true => -(i64::from(m.month) * 100 + i64::from(m.year % 100)),
                    false => -(i64::from(m.year) * 100 + i64::from(m.month)),
                })
            }
        }
    }

    /// Metrics added; nothing where one has no value.
    pub(super) fn total(&self, person: usize, total: &Total, reading: &Reading) -> Option<i64> {
        let value = |metric: &Metric| {
            // Reported months are months, however they are sorted.
            let reading = Reading { months_as_text: false, ..*reading };
            let score = self.score(person, *metric, &reading, None)?;
            Some(if metric.earliest_first() { -score } else { score })
        };
        total.0.iter().map(value).sum()
    }

    /// What an attribute says of somebody; several answers where he has several.
    pub(super) fn attr(&self, person: usize, attr: &Attr, reading: &Reading) -> BTreeSet<Answer> {
        match attr {
            Attr::Total(total) => {
                let number = self.total(person, total, reading);
                number.and_then(|n| Answer::of_number(total.kind(), n)).into_iter().collect()
            }
            Attr::Of(Relation::City) => {
                let places = pick(self.lives[person].addresses, reading.member_place).iter();
                places.map(|address| Answer::Text(address.city.clone())).collect()
            }
            Attr::Of(relation) => {
                // A reported URL is the whole of it, however URLs are compared.
                let reading = &Reading { url_host: false, ..*reading };
                let words = self.shares(person, *relation, reading.member_place, reading);
                words.into_iter().map(|word| Answer::Text(word.into_owned())).collect()
            }
        }
    }

    /// What somebody can share by a relation. Cities carry their states, so that two of one name differ.
    pub(super) fn shares(
        &self,
        person: usize,
        relation: Relation,
        place: Place,
        reading: &Reading,
    ) -> BTreeSet<Cow<'a, str>> {
        let life = &self.lives[person];
        let places = pick(life.addresses, place).iter();
        match relation {
            Relation::State => places.map(|address| address.state.as_str().into()).collect(),
            Relation::City if reading.city_by_name => places.map(|address| address.city.as_str().into()).collect(),
            Relation::City => places.map(|address| format!("{}, {}", address.city, address.state).into()).collect(),
            Relation::Blood => life.medical.iter().map(|record| record.blood_type.as_str().into()).collect(),
            Relation::Condition => life.medical.iter().map(|record| record.condition.as_str().into()).collect(),
            Relation::Provider => self.cards(person, reading).map(|card| card.provider.as_str().into()).collect(),
            Relation::Expiry => self.cards(person, reading).map(|card| card.expire.to_string().into()).collect(),
            Relation::Title => life.jobs.iter().map(|job| job.job_title.as_str().into()).collect(),
            Relation::Employer => life.jobs.iter().map(|job| job.employer.as_str().into()).collect(),
            Relation::PolicyType => {
                self.policies(person, reading).map(|policy| policy.policy_type.as_str().into()).collect()
            }
            Relation::Url if reading.url_host => life.net.iter().map(|account| host(&account.url).into()).collect(),
            Relation::Url => life.net.iter().map(|account| account.url.as_str().into()).collect(),
            Relation::Make => life.vehicles.iter().map(|vehicle| vehicle.make.as_str().into()).collect(),
            Relation::Bank => life.accounts.iter().map(|account| account.bank_name.as_str().into()).collect(),
        }
    }

    pub(super) fn count(
        &self,
        person: usize,
        kind: Kind,
        reading: &Reading,
        cards: Option<&BTreeSet<Cow<'a, str>>>,
    ) -> usize {
        let life = &self.lives[person];
        match kind {
            Kind::Vehicles => life.vehicles.len(),
            Kind::Pets => life.pets.len(),
            Kind::Cards => {
                let counted = |card: &&CreditCard| cards.is_none_or(|names| names.contains(card.provider.as_str()));
                self.cards(person, reading).filter(counted).count()
            }
            Kind::Policies => self.policies(person, reading).count(),
            Kind::Net => life.net.len(),
            Kind::Accounts => life.accounts.len(),
            Kind::Jobs => life.jobs.len(),
        }
    }

    /// The cards that a reading counts; a card is valid to the end of its month.
    pub(super) fn cards(&self, person: usize, reading: &Reading) -> impl Iterator<Item = &'a CreditCard> + use<'a> {
        let from = reading.lapsed_before.map(|day| (day.year(), day.month()));
        let valid = move |card: &&CreditCard| from.is_none_or(|from| (card.expire.year, card.expire.month) >= from);
        self.lives[person].cards.iter().filter(valid)
    }

    /// The policies that a reading counts.
    pub(super) fn policies(
        &self,
        person: usize,
        reading: &Reading,
    ) -> impl Iterator<Item = &'a InsurancePolicy> + use<'a> {
        let from = reading.lapsed_before;
        self.lives[person].policies.iter().filter(move |policy| from.is_none_or(|from| policy.expires >= from))
    }

    /// The providers whose cards alone are counted in a group's rank, where the reading has it so.
    pub(super) fn cards_of(&self, group: &Group, reading: &Reading) -> Option<BTreeSet<Cow<'a, str>>> {
        if !reading.provider_cards {
            return None;
        }
        let mut names = BTreeSet::new();
        if let Some(link) = group.base.as_ref().filter(|link| link.relation == Relation::Provider) {
            for anchor in self.owners(&link.source, reading) {
                names.extend(self.shares(anchor, Relation::Provider, Place::Any, reading));
            }
        }
        for filter in &group.filters {
            if let Filter::Provider(name) = filter {
                names.insert(name.clone().into());
            }
        }
        (!names.is_empty()).then_some(names)
    }

    fn salary(&self, person: usize, how: Salary) -> Option<i64> {
        let jobs = self.lives[person].jobs.iter();
        match how {
            Salary::Best => jobs.map(|job| job.salary.0).max(),
            Salary::Sum => jobs.map(|job| job.salary.0).reduce(|a, b| a + b),
            Salary::Latest => jobs.map(|job| (job.start_date, job.salary.0)).max().map(|(_, salary)| salary),
        }
    }
}

/// A day as a number that sorts like it: `YYYYMMDD`.
fn day(date: Date) -> i64 {
    i64::from(date.year()) * 10_000 + i64::from(date.month()) * 100 + i64::from(date.day())
}

fn pick(addresses: &[Address], place: Place) -> &[Address] {
    match (place, addresses) {
        (Place::First, [first, ..]) => std::slice::from_ref(first),
        (Place::Last, [.., last]) => std::slice::from_ref(last),
        _ => addresses,
    }
}

/// A URL without its scheme, `www.` and last slash.
fn host(url: &str) -> &str {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url);
    rest.strip_prefix("www.").unwrap_or(rest).trim_end_matches('/')
}
