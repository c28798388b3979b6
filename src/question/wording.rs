//! The phrase lexicon: what each symbol of the plan language is called in English. A phrase here fixes how it is to be
//! read; [`fixes`] finds such phrases again in any question, so that no reading is tried that the wording rules out.

use super::plan::{Filter, Kind, Link, Metric, Relation, Source};

/// A point in which a question can be read in several ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Point {
    /// Which of several addresses counts.
    Place,
    /// What the salary of several jobs is.
    Salary,
    /// Whether the described person is in the group.
    Anchor,
    /// Whether lapsed records count.
    Lapsed,
    /// Whether a city's name alone makes it the same city.
    City,
    /// Which cards of a provider's holder are counted.
    Cards,
    /// Which URLs are the same.
    Url,
}

/// Phrases after which a point is not open any more.
const FIXES: &[(Point, &str)] = &[
    (Point::Place, "in a state in which"),
    (Point::Place, "in any state in which"),
    (Point::Place, "in a city in which"),
    (Point::Place, "in any city in which"),
    (Point::City, "the name and the state the same"),
    (Point::Salary, "in any single job"),
    (Point::Anchor, "that person included"),
    (Point::Anchor, "group includes the person it is described by"),
    (Point::Lapsed, "lapsed ones included"),
    (Point::Cards, "of every provider"),
    (Point::Url, "letter by letter"),
];

/// Whether a question's words leave no doubt in a point.
pub(super) fn fixes(question: &str, point: Point) -> bool {
    FIXES.iter().any(|(fixed, phrase)| *fixed == point && question.contains(phrase))
}

/// Who a source describes: "the owner of the cat named 'X'".
pub(super) fn source(source: &Source) -> String {
    match source {
        Source::Pet { name, species } => {
            let species = species.as_ref().map_or("pet".to_owned(), |species| species.to_lowercase());
            format!("the owner of the {species} named '{name}'")
        }
        Source::Plate(plate) => format!("the owner of the vehicle with licence plate '{plate}'"),
        Source::User(user) => format!("the person with the internet username '{user}'"),
    }
}

/// What people of a link have: "with an address in a state in which … has an address (that person included)". `variant`
/// is 0 or 1.
pub(super) fn link(link: &Link, variant: usize) -> String {
    let (who, a) = (source(&link.source), if variant == 0 { "a" } else { "any" });
    let (shared, fixed) = match link.relation {
        Relation::State => (format!("with an address in {a} state in which {who} has an address"), ""),
        Relation::City => {
            (format!("with an address in {a} city in which {who} has an address"), "the name and the state the same; ")
        }
        Relation::Blood => (format!("with the same blood type on record as {who}"), ""),
        Relation::Condition => (format!("with the same medical condition on record as {who}"), ""),
        Relation::Provider => {
            (format!("with a credit card of the same provider as a credit card of {who}"), "lapsed ones included; ")
        }
        Relation::Title => (format!("with a job on record that has the same title as a job of {who}"), ""),
        Relation::PolicyType => (
            format!("with an insurance policy of the same type as an insurance policy of {who}"),
            "lapsed ones included; ",
        ),
        Relation::Url => {
            (format!("with an internet account at the same URL, letter by letter, as an internet account of {who}"), "")
        }
        Relation::Make => (format!("with a vehicle of the same make as a vehicle of {who}"), ""),
        Relation::Expiry => (
            format!("with a credit card that expires in the same month of the same year as a credit card of {who}"),
            "lapsed ones included; ",
        ),
        Relation::Employer => (format!("with a job on record at the same employer as a job of {who}"), ""),
        Relation::Bank => (format!("with an account at a bank at which {who} has an account"), ""),
    };
    format!("{shared} ({fixed}that person included)")
}

/// A kind's records in the plural, and one of them.
pub(super) fn kind(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Vehicles => ("vehicles", "vehicle"),
        Kind::Pets => ("pets", "pet"),
        Kind::Cards => ("credit cards (of every provider, lapsed ones included)", "credit card (lapsed ones included)"),
        Kind::Policies => ("insurance policies (lapsed ones included)", "insurance policy (lapsed ones included)"),
        Kind::Net => ("internet accounts", "internet account"),
        Kind::Accounts => ("bank accounts", "bank account"),
        Kind::Jobs => ("jobs", "job"),
    }
}

/// What holds of people whom a filter leaves in: "who have no pet at all on record".
pub(super) fn filter(filter: &Filter, variant: usize) -> String {
    let some = |n: usize, k: Kind| if n == 1 { kind(k).1 } else { kind(k).0 };
    match filter {
        Filter::Lacks(k) => format!("who have no {} at all on record", kind(*k).1),
        Filter::Has(k) => format!("who have at least one {} on record", kind(*k).1),
        Filter::AtLeast(k, n) => format!("who have at least {n} {} on record", some(*n, *k)),
        Filter::Exactly(k, n) => format!("who have exactly {n} {} on record", some(*n, *k)),
        Filter::Provider(name) => format!("who have a credit card of the provider '{name}' (lapsed ones included)"),
        Filter::Policy(name) => format!("who have an insurance policy of the type '{name}' (lapsed ones included)"),
        Filter::Started(year) => format!("whose job with the latest start date began in {year}"),
        Filter::TopOf(n, metric) => {
            format!("who are among the first {n} of all people on record (ordered by {})", ordered(*metric))
        }
        Filter::In(of) => format!("who are also among the people {}", link(of, variant)),
        Filter::Out(of) => format!("who are not among the people {}", link(of, variant)),
        Filter::Winner(relation, rank) => {
            let first: Vec<String> = rank.0.iter().map(|metric| best(*metric)).collect();
            format!(
                "each of whom, among all people on record {}, is the one who {}",
                per(*relation),
                first.join(" (if several are level, who ") + &")".repeat(first.len() - 1)
            )
        }
    }
}

fn per(relation: Relation) -> &'static str {
    match relation {
        Relation::State => "with an address in one of that person's own states",
        Relation::City => "with an address in one of that person's own cities (the name and the state the same)",
        Relation::Blood => "with that person's own blood type",
        Relation::Condition => "with that person's own medical condition",
        Relation::Provider => "with a credit card of one of that person's own providers",
        Relation::Title => "with one of that person's own job titles",
        Relation::PolicyType => "with a policy of one of the types of that person's own policies",
        Relation::Url => "with an internet account at the URL of one of that person's own, letter by letter",
        Relation::Make => "with a vehicle of the make of one of that person's own",
        Relation::Expiry => "with a credit card that expires in the month of the same year of one of that person's own",
        Relation::Employer => "with a job at one of that person's own employers",
        Relation::Bank => "with an account at one of that person's own banks",
    }
}

fn ordered(metric: Metric) -> String {
    match metric {
        Metric::Count(k) => format!("how many {} they have, the most first", kind(k).0),
        Metric::Balance => "the total balance over all their bank accounts, the highest first".into(),
        Metric::Salary => "their highest salary in any single job, the highest first".into(),
        Metric::Start => "the latest start date of all their jobs, the latest first".into(),
        Metric::Dob => "their date of birth, the oldest first".into(),
        Metric::OldestCar => "the earliest model year of their vehicles, the earliest first".into(),
        Metric::Expiry => {
            "the earliest expiry date of their insurance policies (lapsed ones included), the earliest first".into()
        }
        Metric::CardExpiry => {
            "the earliest expiry month of their credit cards (lapsed ones included), the earliest first".into()
        }
    }
}

/// What the first by a metric does: "owns the most vehicles".
pub(super) fn best(metric: Metric) -> String {
    match metric {
        Metric::Count(k) => format!("has the most {}", kind(k).0),
        Metric::Balance => "has the highest total balance over all their bank accounts".into(),
        Metric::Salary => "has the highest salary in any single job".into(),
        Metric::Start => "started a job most recently (by the latest start date of all their jobs)".into(),
        Metric::Dob => "is the oldest by date of birth".into(),
        Metric::OldestCar => "owns the vehicle with the earliest model year".into(),
        Metric::Expiry => "has the insurance policy (lapsed ones included) with the earliest expiry date".into(),
        Metric::CardExpiry => {
            "has the credit card (lapsed ones included) with the earliest expiry, by year and then month".into()
        }
    }
}

/// What the better of two by a metric does: "has more vehicles".
pub(super) fn better(metric: Metric) -> String {
    match metric {
        Metric::Count(k) => format!("has more {}", kind(k).0),
        Metric::Balance => "has the higher total balance over all their bank accounts".into(),
        Metric::Salary => "has the higher salary, each taken at their highest in any single job".into(),
        Metric::Start => "started a job more recently (by the latest start date of all their jobs)".into(),
        Metric::Dob => "is older by date of birth".into(),
        Metric::OldestCar => "owns a vehicle of an earlier model year, each taken at their oldest vehicle".into(),
        Metric::Expiry => "has the insurance policy (lapsed ones included) with the earlier expiry date".into(),
        Metric::CardExpiry => {
            "has the credit card (lapsed ones included) with the earlier expiry, by year and then month".into()
        }
    }
}
