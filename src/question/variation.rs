//! The other readings of a question: which are tried, and what it means when one gives another answer.
//!
//! A reading is tried only where the plan has the point that it is about and the wording doesn't fix that point. Three
//! kinds are told apart:
//! - fair: a careful reader could choose it. The group "in the same state as" somebody with two states; somebody who may
//!   or may not belong to the group he describes; what "expires first" when lapsed records may be out, for any day of
//!   asking after the plain winner's date; cities of one name.
//! - loose: a careful reader wouldn't choose it, but a careless solver may. Salaries of two jobs added, or the latest;
//!   only the named provider's cards counted among its holders.
//! - mistaken: no reading of the words at all, but a usual mistake. Months sorted as text, one address of each member
//!   only, URLs of one host. It never decides; it explains where a wrong key comes from.
//!
//! Each differs from the plain reading in one point; two points at once are not tried, nor is the middle one of three
//! addresses.

use super::plan::{Filter, Kind, Metric, Plan, Relation, Source};
use super::reading::{Place, Reading, Salary};
use super::wording::{Point, fixes};
use super::world::World;
use jiff::ToSpan;
use jiff::civil::Date;
use std::collections::BTreeSet;

/// How far a reading is from the plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// A careful reader could choose it.
    Fair,
    /// A careful reader wouldn't, a careless solver may.
    Loose,
    /// It is a mistake.
    Mistaken,
}

/// A reading that is tried besides the plain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variation {
    /// What it takes otherwise, in words.
    pub name: String,
    /// How far it is from the plain reading.
    pub distance: Distance,
    /// The reading.
    pub reading: Reading,
}

/// The readings to try for a plan, given the question's words.
pub fn variations(plan: &Plan, question: &str, world: &World<'_>) -> Vec<Variation> {
    use Distance::{Fair, Loose, Mistaken};
    let plain = Reading::default();
    let (links, metrics) = (plan.links(), plan.metrics());
    let relations: BTreeSet<Relation> = links.iter().map(|link| link.relation).collect();
    let open = |point| !fixes(question, point);
    let mut all = Vec::new();
    let mut add = |when: bool, name: &str, distance: Distance, reading: Reading| {
        if when {
            all.push(Variation { name: name.to_owned(), distance, reading });
        }
    };

    let place = open(Point::Place) && [Relation::State, Relation::City].iter().any(|r| relations.contains(r));
    for (which, name) in [(Place::First, "first"), (Place::Last, "last")] {
        let of = |whose: &str| format!("only the {name} address of {whose}");
        add(place, &of("the person described"), Fair, Reading { anchor_place: which, ..plain });
        let everybody = Reading { anchor_place: which, member_place: which, ..plain };
        add(place || wins_a_place(plan), &of("everybody"), Mistaken, everybody);
    }
    let anchor = open(Point::Anchor) && !links.is_empty();
    add(anchor, "the person described left out", Fair, Reading { anchor_out: true, ..plain });
    let city = open(Point::City) && relations.contains(&Relation::City);
    add(city, "cities by their names alone", Fair, Reading { city_by_name: true, ..plain });
    if open(Point::Lapsed) {
        for day in days_after(plan, world) {
            let name = format!("lapsed records left out, asked on {day}");
            add(true, &name, Fair, Reading { lapsed_before: Some(day), ..plain });
        }
    }

    let salary = open(Point::Salary) && metrics.contains(&Metric::Salary);
    add(salary, "salaries of several jobs added", Loose, Reading { salary: Salary::Sum, ..plain });
    add(salary, "the salary of the latest job", Loose, Reading { salary: Salary::Latest, ..plain });
    let cards = open(Point::Cards) && ranks_holders_by_cards(plan);
    add(cards, "only cards of the provider counted", Loose, Reading { provider_cards: true, ..plain });

    let months = metrics.contains(&Metric::CardExpiry);
    add(months, "months sorted as text", Mistaken, Reading { months_as_text: true, ..plain });
    let url = open(Point::Url) && relations.contains(&Relation::Url);
    add(url, "URLs by their hosts", Mistaken, Reading { url_host: true, ..plain });
    all
}

/// One reading for each owner of a handle that has several; empty where each describes one person.
pub fn owner_variations(plan: &Plan, world: &World<'_>) -> Vec<Variation> {
    let plain = Reading::default();
    let sources: Vec<&Source> = plan.links().into_iter().map(|link| &link.source).collect();
    let Some(most) = sources.iter().map(|source| world.owners(source, &plain).len()).max().filter(|most| *most > 1)
    else {
        return Vec::new();
    };
    let reading = |n| Variation {
        name: format!("owner {} of {most} of the handle", n + 1),
        distance: Distance::Fair,
        reading: Reading { owner: Some(n), ..plain },
    };
    (0..most).map(reading).collect()
}

fn wins_a_place(plan: &Plan) -> bool {
    let by_place = |filter: &Filter| matches!(filter, Filter::Winner(Relation::State | Relation::City, _));
    plan.groups().into_iter().any(|group| group.filters.iter().any(by_place))
}

/// Whether holders of a provider's cards are ranked by how many cards they have.
fn ranks_holders_by_cards(plan: &Plan) -> bool {
    plan.chains().into_iter().any(|chain| {
        let base = chain.group.base.as_ref().is_some_and(|link| link.relation == Relation::Provider);
        let filter = chain.group.filters.iter().any(|filter| matches!(filter, Filter::Provider(_)));
        (base || filter) && chain.rank.0.contains(&Metric::Count(Kind::Cards))
    })
}

/// For each plain winner of a plan about expiry dates, the first day on which that record has lapsed.
fn days_after(plan: &Plan, world: &World<'_>) -> BTreeSet<Date> {
    let (plain, metrics) = (Reading::default(), plan.metrics());
    let mut people: BTreeSet<usize> =
        plan.chains().into_iter().flat_map(|chain| world.winners(chain, &plain)).collect();
    if let Plan::Only(group) = plan {
        people = world.members(group, &plain);
    }
    let policies = metrics.contains(&Metric::Expiry);
    let cards = metrics.contains(&Metric::CardExpiry);
    let mut days = BTreeSet::new();
    for person in people {
        let expires = world.policies(person, &plain).map(|policy| policy.expires).min();
        days.extend(expires.filter(|_| policies).and_then(|day| day.tomorrow().ok()));
        let month = world.cards(person, &plain).map(|card| card.expire).min();
        let first_of = month.filter(|_| cards).and_then(|m| Date::new(m.year, m.month, 1).ok());
        days.extend(first_of.and_then(|day| day.checked_add(1.month()).ok()));
    }
    days
}
