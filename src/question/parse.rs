//! Reads a plan's text form; the grammar stands at the head of `plan.rs`. What can't be read is said by its words.

use super::Error;
use super::plan::{Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
use crate::spelling::close_to;
use std::str::FromStr;

impl Plan {
    /// Reads a plan's text. Fails with what is wrong in it, and with the word that was likely meant.
    pub fn parse(text: &str) -> Result<Plan, Error> {
        plan(text.trim()).map_err(|why| Error::Plan { text: text.into(), why })
    }
}

impl FromStr for Plan {
    type Err = Error;
    fn from_str(text: &str) -> Result<Plan, Error> {
        Plan::parse(text)
    }
}

fn plan(text: &str) -> Result<Plan, String> {
    let (verb, rest) = text.split_once(' ').ok_or_else(|| format!("`{text}` ends after its first word"))?;
    match verb {
        "TOP" => Ok(Plan::Top(chain(rest)?)),
        "ONLY" => Ok(Plan::Only(group(rest)?)),
        "NUM" => {
            let (left, right) = last_cut(rest, " => ")?;
            Ok(Plan::Num(chain(left)?, total(right)?))
        }
        "CMP" => {
            let (left, right) = last_cut(rest, " -> ")?;
            Ok(Plan::Cmp(chains(left)?, rank(right)?))
        }
        "SUM" => {
            let (left, right) = last_cut(rest, " -> ")?;
            Ok(Plan::Sum(chains(left)?, added(right)?))
        }
        "IF" => condition(rest),
        _ => match verb.strip_prefix("TOP").and_then(|verb| verb.strip_suffix("SUM")) {
            Some(k) => {
                let (left, right) = last_cut(rest, " => ")?;
                Ok(Plan::TopSum(number(k)?, chain(left)?, added(right)?))
            }
            None => Err(unknown("no plan's first word", verb, ["TOP", "ONLY", "NUM", "CMP", "SUM", "TOP3SUM", "IF"])),
        },
    }
}

fn condition(text: &str) -> Result<Plan, String> {
    let (left, right) = last_cut(text, " -> ")?;
    let (by, attrs) = last_cut(right, " THEN ")?;
    let (then, otherwise) = last_cut(attrs, " ELSE ")?;
    let mut chains = chains(left)?;
    let (Some(second), Some(first), None) = (chains.pop(), chains.pop(), chains.pop()) else {
        return Err("`IF` compares two chains".into());
    };
    let (then, otherwise) = (attr(then)?, attr(otherwise)?);
    if then.kind() != otherwise.kind() {
        return Err(format!("`{then}` and `{otherwise}` are different kinds of things, and one question asks for one"));
    }
    Ok(Plan::If { first, second, by: metric(by)?, then, otherwise })
}

fn chains(text: &str) -> Result<Vec<Chain>, String> {
    let chains: Vec<Chain> = text.split(" | ").map(chain).collect::<Result<_, _>>()?;
    if chains.len() < 2 { Err("no ` | ` between two chains".into()) } else { Ok(chains) }
}

fn chain(text: &str) -> Result<Chain, String> {
    let (left, right) = last_cut(text, " ; ")?;
    Ok(Chain { group: group(left)?, rank: rank(right)? })
}

fn group(text: &str) -> Result<Group, String> {
    let mut parts = text.split(" & ").map(str::trim);
    let base = match parts.next().unwrap_or_default() {
        "all" => None,
        first => Some(link(first)?),
    };
    Ok(Group { base, filters: parts.map(filter).collect::<Result<_, _>>()? })
}

fn link(text: &str) -> Result<Link, String> {
    let (first, rest) = text.trim().split_once(' ').ok_or_else(|| format!("`{text}` is not `relation source`"))?;
    Ok(Link { relation: relation(first)?, source: source(rest)? })
}

fn source(text: &str) -> Result<Source, String> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is no source such as `pet:Name`"))?;
    let value = named(value)?;
    match kind {
        "plate" => Ok(Source::Plate(value)),
        "user" => Ok(Source::User(value)),
        "pet" => match value.split_once('/') {
            Some((name, species)) => Ok(Source::Pet { name: named(name)?, species: Some(named(species)?) }),
            None => Ok(Source::Pet { name: value, species: None }),
        },
        _ => Err(unknown("no source", kind, ["pet", "plate", "user"])),
    }
}

fn filter(text: &str) -> Result<Filter, String> {
    if text == "state_winner" {
        return Ok(Filter::Winner(Relation::State, Rank(vec![Metric::Balance])));
    }
    // What stands in brackets belongs to the word before them, whatever signs it holds.
    if let Some((word, inner)) = text.split_once('(') {
        return bracketed(text, word, inner);
    }
    if let Some((word, value)) = text.split_once('=') {
        return match word {
            "provider" => Ok(Filter::Provider(named(value)?)),
            "policy" => Ok(Filter::Policy(named(value)?)),
            "started" => Ok(Filter::Started(number(value)?)),
            _ => Err(unknown("no filter", word, ["provider", "policy", "started"])),
        };
    }
    match text.split_once(' ') {
        Some(("lacks", of)) => Ok(Filter::Lacks(kind(of)?)),
        Some(("has", of)) => Ok(Filter::Has(kind(of)?)),
        _ => Err(unknown(
            "no filter",
            text,
            ["lacks pets", "has pets", "count(pets)>=2", "provider=…", "policy=…", "in(…)"],
        )),
    }
}

fn bracketed(text: &str, word: &str, inner: &str) -> Result<Filter, String> {
    let (inner, after) = inner.rsplit_once(')').ok_or_else(|| format!("`{text}` has no closing bracket"))?;
    if word == "count" {
        let counted = kind(inner)?;
        return match (after.strip_prefix(">="), after.strip_prefix('=')) {
            (Some(n), _) => Ok(Filter::AtLeast(counted, number(n)?)),
            (None, Some(n)) => Ok(Filter::Exactly(counted, number(n)?)),
            (None, None) => Err(format!("`{text}` needs `>=` or `=` and a number")),
        };
    }
    if !after.is_empty() {
        return Err(format!("`{text}` goes on after its bracket"));
    }
    match word {
        "in" => Ok(Filter::In(link(inner)?)),
        "out" => Ok(Filter::Out(link(inner)?)),
        "winner" => {
            let (per, by) = last_cut(inner, " ; ")?;
            Ok(Filter::Winner(relation(per)?, rank(by)?))
        }
        _ => match word.strip_prefix("top") {
            Some(n) => Ok(Filter::TopOf(number(n)?, metric(inner)?)),
            None => Err(unknown("no filter", word, ["count", "in", "out", "winner", "top15"])),
        },
    }
}

fn rank(text: &str) -> Result<Rank, String> {
    Ok(Rank(text.split(',').map(metric).collect::<Result<_, _>>()?))
}

fn total(text: &str) -> Result<Total, String> {
    let total = Total(text.split('+').map(metric).collect::<Result<_, _>>()?);
    let same = total.0.iter().all(|metric| metric.kind() == total.kind());
    if total.0.len() == 1 || (same && total.adds_up()) { Ok(total) } else { Err(format!("`{total}` can't be added")) }
}

/// A total of which several people's are added.
fn added(text: &str) -> Result<Total, String> {
    let total = total(text)?;
    if total.adds_up() { Ok(total) } else { Err(format!("`{total}` can't be added")) }
}

fn attr(text: &str) -> Result<Attr, String> {
    match Relation::ALL.iter().find(|relation| relation.word() == text && **relation != Relation::Expiry) {
        Some(relation) => Ok(Attr::Of(*relation)),
        None => total(text).map(Attr::Total),
    }
}

fn metric(text: &str) -> Result<Metric, String> {
    let all = Metric::all();
    let found = all.iter().find(|metric| metric.word() == text.trim());
    found.copied().ok_or_else(|| unknown("no metric", text.trim(), all.iter().map(|metric| metric.word())))
}

fn kind(text: &str) -> Result<Kind, String> {
    let found = Kind::ALL.iter().find(|kind| kind.word() == text);
    found.copied().ok_or_else(|| unknown("no kind of record", text, Kind::ALL.iter().map(|kind| kind.word())))
}

fn relation(text: &str) -> Result<Relation, String> {
    let found = Relation::ALL.iter().find(|relation| relation.word() == text);
    found.copied().ok_or_else(|| unknown("no relation", text, Relation::ALL.iter().map(|relation| relation.word())))
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// A name out of a file. The signs that part a plan are refused, since the plan could not be written down again.
fn named(text: &str) -> Result<String, String> {
    let parting = [" & ", " ; ", " | ", " -> ", " => "].iter().any(|sign| text.contains(sign));
    if text.is_empty() || text.trim() != text || parting {
        return Err(format!("`{text}` is no name"));
    }
    Ok(text.to_owned())
}

fn last_cut<'a>(text: &'a str, sign: &str) -> Result<(&'a str, &'a str), String> {
    text.rsplit_once(sign).ok_or_else(|| format!("no `{}` in `{text}`", sign.trim()))
}

fn unknown<'a>(what: &str, word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match close_to(word, known.iter().copied()).first() {
        Some(close) => format!("`{word}` is {what}; did you mean `{close}`?"),
        None => format!("`{word}` is {what}; known here: `{}`", known.join("`, `")),
    }
}
