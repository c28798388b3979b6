//! A plan as an English question in our own words. Its wording leaves no reading open: every phrase comes from the lexicon
//! in `wording.rs`, every tie-break is said, and every group says whether it holds the person it is described by.

use super::plan::{AnswerKind, Attr, Chain, Filter, Group, Metric, Plan, Rank, Relation, Total};
use super::wording::{best, better, filter, kind, link};

/// Chooses one of so many variants: an index below the number. A seeded generator makes the same question again.
type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

/// The question that a plan answers. `choose` is asked for an index below a number, for each phrase with variants.
pub fn english(plan: &Plan, choose: &mut dyn FnMut(usize) -> usize) -> String {
    match plan {
        Plan::Top(chain) => top(chain, choose),
        Plan::Only(group) => {
            let people = people(group, choose);
            let start = ["Look for", "Consider"][choose(2)];
            format!("{start} {people}; there is exactly one. Who is it?")
        }
        Plan::Num(chain, total) => format!("Take {}. {}", winner(chain, choose), of_one(total)),
        Plan::Cmp(chains, rank) => compared(chains, rank, choose),
        Plan::Sum(chains, total) => {
            let winners: Vec<String> = chains.iter().map(|chain| winner(chain, choose)).collect();
            format!("Take these people: {}. {}", listed(&winners, "and"), of_each(total))
        }
        Plan::TopSum(k, chain, total) => {
            let (people, first) = (people(&chain.group, choose), best(chain.rank.0[0]));
            let ties = ties(&chain.rank, choose, "; where several are level, first the one who ");
            format!("Order {people}, beginning with whoever {first}{ties}. Take the first {k}. {}", of_each(total))
        }
        Plan::If { first, second, by, then, otherwise } => format!(
            "Call A {}. Call B {}. If A {} than B, what is {}? Otherwise, also where they are level, what is {}?",
            winner(first, choose),
            winner(second, choose),
            than(*by),
            reported(then, "A"),
            reported(otherwise, "B")
        ),
    }
}

fn top(chain: &Chain, choose: Choose<'_>) -> String {
    let (people, first) = (people(&chain.group, choose), best(chain.rank.0[0]));
    let ties = ties(&chain.rank, choose, " If several are level, take the one who ");
    let end = if ties.is_empty() { "" } else { "." };
    // Where the group itself ends with who somebody is, a second "who" could be read as going on with that.
    let winners = chain.group.filters.iter().any(|filter| matches!(filter, Filter::Winner(..)));
    match choose(2) {
        0 if !winners => format!("Among {people}, who {first}?{ties}{end}"),
        _ => format!("Of {people}, which one {first}?{ties}{end}"),
    }
}

/// The winner of a chain: "the person who … among all people …".
fn winner(chain: &Chain, choose: Choose<'_>) -> String {
    let people = people(&chain.group, choose);
    let ties = ties(&chain.rank, choose, " (if several are level, the one who ");
    let end = if ties.is_empty() { "" } else { ")" };
    format!("the person who {} among {people}{ties}{end}", best(chain.rank.0[0]))
}

/// The tie-breaks after the first metric; nothing where there are none.
fn ties(rank: &Rank, choose: Choose<'_>, start: &str) -> String {
    let mut text = String::new();
    for (n, metric) in rank.0.iter().enumerate().skip(1) {
        let again = if choose(2) == 0 {
            "; if they are still level, the one who "
        } else {
            ", and if still level, the one who "
        };
        text += if n == 1 { start } else { again };
        text += &best(*metric);
    }
    text
}

fn people(group: &Group, choose: Choose<'_>) -> String {
    let base = match &group.base {
        Some(of) => format!("all people {}", link(of, choose(2))),
        None => "all people on record".to_owned(),
    };
    let filters: Vec<String> = group.filters.iter().map(|f| filter(f, choose(2))).collect();
    if filters.is_empty() { base } else { format!("{base} {}", filters.join(" and ")) }
}

fn compared(chains: &[Chain], rank: &Rank, choose: Choose<'_>) -> String {
    let winners: Vec<String> = chains.iter().map(|chain| winner(chain, choose)).collect();
    let asked = if chains.len() == 2 { better(rank.0[0]) } else { best(rank.0[0]) };
    let ties = ties(rank, choose, " If they are level, take the one who ");
    let end = if ties.is_empty() { "" } else { "." };
    format!("Who {asked}: {}?{ties}{end}", listed(&winners, "or"))
}

/// "first; and second".
fn listed(things: &[String], word: &str) -> String {
    let (last, first) = things.split_last().map_or(("", things), |(last, first)| (last.as_str(), first));
    format!("{}; {word} {last}", first.join("; "))
}

/// The question for a number of "that person".
fn of_one(total: &Total) -> String {
    match (total.kind(), total.0.as_slice()) {
        (AnswerKind::Count, [one]) => format!("How many {} does that person have on record?", counted(*one)),
        (AnswerKind::Count, _) => {
            format!("How many {} does that person have on record, counted together?", kinds(total))
        }
        _ => format!("For that person, what is {}?", numbers(total, "their")),
    }
}

/// The question for the sum of several people's numbers.
fn of_each(total: &Total) -> String {
    match total.kind() {
        AnswerKind::Count => format!("How many {} do they have on record, all counted together?", kinds(total)),
        _ => format!("For each of them take {}. What is the sum?", numbers(total, "their")),
    }
}

fn kinds(total: &Total) -> String {
    let kinds: Vec<&str> = total.0.iter().map(|metric| counted(*metric)).collect();
    let (last, first) = kinds.split_last().map_or(("", &kinds[..]), |(last, first)| (*last, first));
    if first.is_empty() { last.to_owned() } else { format!("{} and {last}", first.join(", ")) }
}

fn numbers(total: &Total, whose: &str) -> String {
    total.0.iter().map(|metric| number(*metric, whose)).collect::<Vec<_>>().join(" plus ")
}

fn counted(metric: Metric) -> &'static str {
    match metric {
        Metric::Count(k) => kind(k).0,
        other => other.word(),
    }
}

/// A number of somebody's: "their total balance over all bank accounts".
fn number(metric: Metric, whose: &str) -> String {
    match metric {
        Metric::Count(k) => format!("the number of {whose} {} on record", kind(k).0),
        Metric::Balance => format!("the total balance over all {whose} bank accounts"),
        Metric::Salary => format!("{whose} highest salary in any single job"),
        Metric::Start => format!("the latest start date of all {whose} jobs"),
        Metric::Dob => format!("{whose} date of birth"),
        Metric::OldestCar => format!("the earliest model year of {whose} vehicles"),
        Metric::Expiry => format!("the earliest expiry date of {whose} insurance policies (lapsed ones included)"),
        Metric::CardExpiry => format!("the earliest expiry month of {whose} credit cards (lapsed ones included)"),
    }
}

/// "has more vehicles", ready for "than B does".
fn than(metric: Metric) -> String {
    match metric {
        Metric::Count(_) => better(metric),
        Metric::Balance => "has a higher total balance over all bank accounts".into(),
        Metric::Salary => "has a higher salary in any single job".into(),
        Metric::Start => "has a later start date, taking the latest of all jobs,".into(),
        Metric::Dob => "has an earlier date of birth".into(),
        Metric::OldestCar => "has an earlier model year, taking the oldest vehicle,".into(),
        Metric::Expiry => {
            "has an earlier expiry date, taking the first of all insurance policies (lapsed ones included),".into()
        }
        Metric::CardExpiry => {
            "has an earlier expiry month, taking the first of all credit cards (lapsed ones included),".into()
        }
    }
}

fn reported(attr: &Attr, who: &str) -> String {
    match attr {
        Attr::Of(relation) => format!("{who}'s {}", thing(*relation)),
        Attr::Total(total) => numbers(total, &format!("{who}'s")),
    }
}

fn thing(relation: Relation) -> &'static str {
    match relation {
        Relation::State => "state",
        Relation::City => "city",
        Relation::Blood => "blood type",
        Relation::Condition => "medical condition",
        Relation::Provider => "credit card provider",
        Relation::Title => "job title",
        Relation::PolicyType => "type of insurance policy",
        Relation::Url => "internet account's URL",
        Relation::Make => "vehicle's make",
        Relation::Expiry => "credit card's expiry month",
        Relation::Employer => "employer",
        Relation::Bank => "bank",
    }
}
