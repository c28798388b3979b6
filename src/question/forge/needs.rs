//! Which of the ten files a plan reads, and worlds in which one file's records belong to other people: an answer that
//! does not change there can be had without that file.

use crate::question::plan::{Attr, Filter, Group, Kind, Metric, Plan, Relation, Source};
use crate::question::{AnswerKind, World};
use crate::random::Random;
use std::collections::BTreeSet;

/// One of the ten files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    Addresses,
    Accounts,
    Cards,
    Jobs,
    Policies,
    Net,
    Medical,
    People,
    Pets,
    Vehicles,
}

impl File {
    /// All of them, by name.
    pub const ALL: [File; 10] = [
        File::Addresses,
        File::Accounts,
        File::Cards,
        File::Jobs,
        File::Policies,
        File::Net,
        File::Medical,
        File::People,
        File::Pets,
        File::Vehicles,
    ];

    /// The file's name.
    pub fn name(self) -> &'static str {
        match self {
            File::Addresses => "addresses.txt",
            File::Accounts => "bank_accounts.txt",
            File::Cards => "credit_cards.txt",
            File::Jobs => "employments.txt",
            File::Policies => "insurance_policies.txt",
            File::Net => "internet_accounts.txt",
            File::Medical => "medical_records.txt",
            File::People => "people.txt",
            File::Pets => "pets.txt",
            File::Vehicles => "vehicles.txt",
        }
    }
}

/// The files that a plan reads.
pub fn files(plan: &Plan) -> BTreeSet<File> {
    let mut files: BTreeSet<File> = plan.metrics().into_iter().map(of_metric).collect();
    for group in plan.groups() {
        files.extend(of_group(group));
    }
    if let Plan::If { then, otherwise, .. } = plan {
        files.extend([then, otherwise].into_iter().filter_map(|attr| match attr {
            Attr::Of(relation) => Some(of_relation(*relation)),
            Attr::Total(_) => None,
        }));
    }
    if plan.kind() == AnswerKind::Name {
        files.insert(File::People);
    }
    files
}

fn of_group(group: &Group) -> BTreeSet<File> {
    let mut files = BTreeSet::new();
    for link in group.links() {
        files.insert(of_relation(link.relation));
        files.insert(match link.source {
            Source::Pet { .. } => File::Pets,
            Source::Plate(_) => File::Vehicles,
            Source::User(_) => File::Net,
        });
    }
    files.extend(group.filters.iter().filter_map(|filter| match filter {
        Filter::Lacks(kind) | Filter::Has(kind) | Filter::AtLeast(kind, _) | Filter::Exactly(kind, _) => {
            Some(of_kind(*kind))
        }
        Filter::Provider(_) => Some(File::Cards),
        Filter::Policy(_) => Some(File::Policies),
        Filter::Started(_) => Some(File::Jobs),
        Filter::Winner(relation, _) => Some(of_relation(*relation)),
        // Their links and metrics are counted already.
        Filter::TopOf(..) | Filter::In(_) | Filter::Out(_) => None,
    }));
    files
}

fn of_kind(kind: Kind) -> File {
    match kind {
        Kind::Vehicles => File::Vehicles,
        Kind::Pets => File::Pets,
        Kind::Cards => File::Cards,
        Kind::Policies => File::Policies,
        Kind::Net => File::Net,
        Kind::Accounts => File::Accounts,
        Kind::Jobs => File::Jobs,
    }
}

fn of_metric(metric: Metric) -> File {
    match metric {
        Metric::Count(kind) => of_kind(kind),
        Metric::Balance => File::Accounts,
        Metric::Salary | Metric::Start => File::Jobs,
        Metric::Dob => File::People,
        Metric::OldestCar => File::Vehicles,
        Metric::Expiry => File::Policies,
        Metric::CardExpiry => File::Cards,
    }
}

fn of_relation(relation: Relation) -> File {
    match relation {
        Relation::State | Relation::City => File::Addresses,
        Relation::Blood | Relation::Condition => File::Medical,
        Relation::Provider | Relation::Expiry => File::Cards,
        Relation::Title | Relation::Employer => File::Jobs,
        Relation::PolicyType => File::Policies,
        Relation::Url => File::Net,
        Relation::Make => File::Vehicles,
        Relation::Bank => File::Accounts,
    }
}

/// The world with one file's records given to other people at random: each person gets all that one other person had.
pub fn shuffled<'a>(world: &World<'a>, file: File, random: &mut Random) -> World<'a> {
    let mut to: Vec<usize> = (0..world.lives.len()).collect();
    random.shuffle(&mut to);
    let mut other = world.clone();
    for (from, to) in to.iter().enumerate() {
        let (old, new) = (&world.lives[from], &mut other.lives[*to]);
        match file {
            File::Addresses => new.addresses = old.addresses,
            File::Accounts => new.accounts = old.accounts,
            File::Cards => new.cards = old.cards,
            File::Jobs => new.jobs = old.jobs,
            File::Policies => new.policies = old.policies,
            File::Net => new.net = old.net,
            File::Medical => new.medical = old.medical,
            File::People => new.person = old.person,
            File::Pets => new.pets = old.pets,
            File::Vehicles => new.vehicles = old.vehicles,
        }
    }
    other.find_owners();
    other
}

/// The world of a reader who stops at each person's first record, of accounts, jobs, policies, cards and vehicles, as far
/// as the plan asks for their values and not for their number.
pub fn one_record<'a>(world: &World<'a>, plan: &Plan) -> World<'a> {
    let metrics = plan.metrics();
    let asked =
        |values: &[Metric], kind| values.iter().any(|m| metrics.contains(m)) && !metrics.contains(&Metric::Count(kind));
    let mut other = world.clone();
    for life in &mut other.lives {
        if asked(&[Metric::Balance], Kind::Accounts) {
            life.accounts = first(life.accounts);
        }
        if asked(&[Metric::Salary, Metric::Start], Kind::Jobs) {
            life.jobs = first(life.jobs);
        }
        if asked(&[Metric::Expiry], Kind::Policies) {
            life.policies = first(life.policies);
        }
        if asked(&[Metric::CardExpiry], Kind::Cards) {
            life.cards = first(life.cards);
        }
        if asked(&[Metric::OldestCar], Kind::Vehicles) {
            life.vehicles = first(life.vehicles);
        }
    }
    other
}

fn first<R>(records: &[R]) -> &[R] {
    &records[..records.len().min(1)]
}
