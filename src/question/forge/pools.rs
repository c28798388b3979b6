//! What people of an invented corpus share: towns in states, firms, sites. Pools grow with the number of people, so that
//! about five to fifteen people have each of their members in common.

use super::words::{COLOURS, FIRM, FORM, INSURER, LAST, MOTOR, PLACE, STATES, TOWN, TRADE, USER, words};
use crate::random::Random;
use std::collections::BTreeSet;

/// All pools of one corpus.
pub struct Pools {
    /// States, each with its towns.
    pub states: Vec<(&'static str, Vec<String>)>,
    /// Who people work for.
    pub employers: Vec<String>,
    /// Where their accounts are.
    pub banks: Vec<String>,
    /// Who insures them.
    pub insurers: Vec<String>,
    /// Who made their vehicles.
    pub makes: Vec<String>,
    /// Where they have user names, in the one form in which a site's address is written.
    pub sites: Vec<String>,
}

/// The pools for so many people.
pub fn pools(random: &mut Random, people: usize) -> Pools {
    let states = words(STATES);
    let states = &states[..(people / 10).clamp(5, states.len())];
    let mut taken = BTreeSet::new();
    Pools {
        states: towns(random, states),
        employers: fresh(random, &mut taken, people / 8, employer),
        banks: fresh(random, &mut taken, people * 3 / 10, |r| format!("{} Bank", firm(r))),
        insurers: fresh(random, &mut taken, people / 6, |r| two(r, FIRM, " ", INSURER)),
        makes: fresh(random, &mut taken, people / 8, |r| two(r, FIRM, " ", MOTOR)),
        sites: fresh(random, &mut taken, people / 5, site),
    }
}

/// Two to five towns in each state. Some towns' names are in two states: a city is known by its state only.
fn towns(random: &mut Random, states: &[&'static str]) -> Vec<(&'static str, Vec<String>)> {
    let mut taken = BTreeSet::new();
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for state in states {
        let many = 2 + random.below(4);
        let mut towns = fresh(random, &mut taken, many, |r| two(r, TOWN, "", PLACE));
        if let (Some((_, elsewhere)), true) = (found.last(), random.chance(1, 6)) {
            towns[0] = elsewhere[0].clone();
        }
        found.push((*state, towns));
    }
    found
}

/// So many different ones, none of which is taken already.
pub fn fresh(
    random: &mut Random,
    taken: &mut BTreeSet<String>,
    many: usize,
    mut make: impl FnMut(&mut Random) -> String,
) -> Vec<String> {
    let mut found = Vec::new();
    while found.len() < many {
        let next = make(random);
        if taken.insert(next.clone()) {
            found.push(next);
        }
    }
    found
}

/// A word of each of two lists.
pub fn two(random: &mut Random, first: &'static str, between: &str, second: &'static str) -> String {
    let first = *random.pick(&words(first));
    let second = *random.pick(&words(second));
    format!("{first}{between}{second}")
}

fn employer(random: &mut Random) -> String {
    if random.chance(1, 2) { two(random, FIRM, " ", TRADE) } else { firm(random) }
}

/// The shapes of firms' names: `A, B and C`, `A-B`, `A Ltd`.
fn firm(random: &mut Random) -> String {
    match random.below(3) {
        0 => format!("{} and {}", two(random, LAST, ", ", LAST), random.pick(&words(FIRM))),
        1 => two(random, FIRM, "-", LAST),
        _ => two(random, FIRM, " ", FORM),
    }
}

fn site(random: &mut Random) -> String {
    let scheme = *random.pick(&["http", "https"]);
    let www = *random.pick(&["", "www."]);
    let name = two(random, USER, "-", COLOURS).to_lowercase();
    format!("{scheme}://{www}{name}.example/")
}
