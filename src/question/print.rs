//! Writes a plan's text form; the grammar stands at the head of `plan.rs`. What is written reads back as the same plan.

use super::plan::{Attr, Chain, Filter, Group, Link, Metric, Plan, Rank, Relation, Source, Total};
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::Top(chain) => write!(f, "TOP {chain}"),
            Plan::Only(group) => write!(f, "ONLY {group}"),
            Plan::Num(chain, total) => write!(f, "NUM {chain} => {total}"),
            Plan::Cmp(chains, rank) => write!(f, "CMP {} -> {rank}", joined(chains, " | ")),
            Plan::Sum(chains, total) => write!(f, "SUM {} -> {total}", joined(chains, " | ")),
            Plan::TopSum(k, chain, total) => write!(f, "TOP{k}SUM {chain} => {total}"),
            Plan::If { first, second, by, then, otherwise } => {
                write!(f, "IF {first} | {second} -> {by} THEN {then} ELSE {otherwise}")
            }
        }
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ; {}", self.group, self.rank)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            Some(link) => write!(f, "{link}")?,
            None => f.write_str("all")?,
        }
        self.filters.iter().try_for_each(|filter| write!(f, " & {filter}"))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.relation, self.source)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Pet { name, species: None } => write!(f, "pet:{name}"),
            Source::Pet { name, species: Some(species) } => write!(f, "pet:{name}/{species}"),
            Source::Plate(plate) => write!(f, "plate:{plate}"),
            Source::User(user) => write!(f, "user:{user}"),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::Lacks(kind) => write!(f, "lacks {kind}"),
            Filter::Has(kind) => write!(f, "has {kind}"),
            Filter::AtLeast(kind, n) => write!(f, "count({kind})>={n}"),
            Filter::Exactly(kind, n) => write!(f, "count({kind})={n}"),
            Filter::Provider(name) => write!(f, "provider={name}"),
            Filter::Policy(name) => write!(f, "policy={name}"),
            Filter::Started(year) => write!(f, "started={year}"),
            Filter::TopOf(n, metric) => write!(f, "top{n}({metric})"),
            Filter::In(link) => write!(f, "in({link})"),
            Filter::Out(link) => write!(f, "out({link})"),
            Filter::Winner(Relation::State, rank) if rank.0 == [Metric::Balance] => f.write_str("state_winner"),
            Filter::Winner(relation, rank) => write!(f, "winner({relation} ; {rank})"),
        }
    }
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Of(relation) => write!(f, "{relation}"),
            Attr::Total(total) => write!(f, "{total}"),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0, ","))
    }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0, "+"))
    }
}

fn joined(parts: &[impl fmt::Display], between: &str) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
