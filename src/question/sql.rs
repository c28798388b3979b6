//! A plan as one SQL query over the tables of [`Database`](super::Database). Ties are kept: winners are all rows of
//! `RANK() = 1`, and no query says `LIMIT` to find one. A reading other than the plain one changes the same query in the
//! place that it is about.

use super::plan::{Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
use super::reading::{Place, Reading, Salary};

/// The query that gives all answers of a plan under a reading, each once: one column of names, words, dates
/// (`YYYY-MM-DD`, months `YYYY-MM`) or numbers (amounts in cents).
pub fn sql(plan: &Plan, reading: &Reading) -> String {
    let r = reading;
    match plan {
        Plan::Top(chain) => names(&winners(chain, r)),
        Plan::Only(group) => names(&candidates(group, r)),
        Plan::Num(chain, total) => values(&winners(chain, r), total, r),
        Plan::Cmp(chains, rank) => compared(chains, rank, r),
        Plan::Sum(chains, total) => {
            let sides: Vec<String> = chains
                .iter()
                .enumerate()
                .map(|(n, c)| format!("({}) w{n}", values(&winners(c, r), total, r)))
                .collect();
            let sum: Vec<String> = (0..chains.len()).map(|n| format!("w{n}.v")).collect();
            format!("SELECT DISTINCT {} AS v FROM {}", sum.join(" + "), sides.join(", "))
        }
        Plan::TopSum(k, chain, total) => {
            let sum = |way: &str| sum_of_first(*k, chain, total, way, r);
            format!("{} UNION {}", sum("ASC"), sum("DESC"))
        }
        Plan::If { first, second, by, then, otherwise } => {
            let (left, right) = (winners(first, r), winners(second, r));
            let (a, b) = (metric(*by, "a.id", None, r), metric(*by, "b.id", None, r));
            let beats = if by.earliest_first() { "<" } else { ">" };
            let pairs = format!("SELECT a.id AS a, b.id AS b, {a} AS x, {b} AS y FROM ({left}) a, ({right}) b");
            let better = format!("x IS NOT NULL AND (y IS NULL OR x {beats} y)");
            let of = |side: &str, condition: &str, attr: &Attr| {
                reported(&format!("SELECT {side} AS id FROM ({pairs}) WHERE {condition}"), attr, r)
            };
            format!("{} UNION {}", of("a", &better, then), of("b", &format!("NOT ({better})"), otherwise))
        }
    }
}

/// The names of the people whose ids a query gives.
fn names(ids: &str) -> String {
    format!("SELECT DISTINCT full_name FROM people WHERE person_id IN ({ids})")
}

/// A total for each person whose id a query gives, each number once.
fn values(ids: &str, total: &Total, r: &Reading) -> String {
    let value = sum(total, "w.id", r);
    format!("SELECT DISTINCT v FROM (SELECT {value} AS v FROM ({ids}) w) WHERE v IS NOT NULL")
}

fn sum(total: &Total, id: &str, r: &Reading) -> String {
    // Reported months are months, however they are sorted.
    let r = Reading { months_as_text: false, ..*r };
    total.0.iter().map(|m| metric(*m, id, None, &r)).collect::<Vec<_>>().join(" + ")
}

fn reported(ids: &str, attr: &Attr, r: &Reading) -> String {
    match attr {
        Attr::Total(total) => values(ids, total, r),
        Attr::Of(relation) => {
            // A reported URL is the whole of it, however URLs are compared.
            let r = &Reading { url_host: false, ..*r };
            let mut source = shared(*relation, r.member_place, r);
            if *relation == Relation::City {
                source.columns = "city".into();
            }
            format!("SELECT DISTINCT {} FROM {} WHERE owner_id IN ({ids}){}", source.columns, source.table, source.only)
        }
    }
}

/// The ids of a chain's winners.
fn winners(chain: &Chain, r: &Reading) -> String {
    let cards = cards_of(&chain.group, r);
    let rows = measured(&candidates(&chain.group, r), &chain.rank, cards.as_deref(), r);
    format!(
        "SELECT id FROM (SELECT id, m0, RANK() OVER (ORDER BY {}) AS place FROM ({rows})) WHERE place = 1 AND m0 IS NOT NULL",
        order(&chain.rank)
    )
}

/// The values of a chain's first `k` added; of those who are level at the end, the ones with the least values are taken
/// first, or with the greatest.
fn sum_of_first(k: usize, chain: &Chain, total: &Total, way: &str, r: &Reading) -> String {
    let cards = cards_of(&chain.group, r);
    let rows = measured(&candidates(&chain.group, r), &chain.rank, cards.as_deref(), r);
    let rows = format!("SELECT *, {} AS v FROM ({rows}) w WHERE m0 IS NOT NULL", sum(total, "w.id", r));
    let level = format!("RANK() OVER (ORDER BY {}) AS place", order(&chain.rank));
    let number = format!("ROW_NUMBER() OVER (ORDER BY {}, v {way}) AS n", order(&chain.rank));
    let numbered = format!("SELECT v, {level}, {number} FROM ({rows})");
    let marked = format!("SELECT *, MAX(CASE WHEN n = {k} THEN place END) OVER () AS last FROM ({numbered})");
    // Nobody's value may be missing, whoever of those who are level is taken.
    format!(
        "SELECT SUM(CASE WHEN n <= {k} THEN v END) FROM ({marked}) WHERE place <= last GROUP BY last HAVING COUNT(v) = \
         COUNT(*)"
    )
}

/// The names of who can be the best of the chains' winners, whichever of those who are level each chain gives: no other
/// chain has only better ones.
fn compared(chains: &[Chain], rank: &Rank, r: &Reading) -> String {
    let side = |(n, chain): (usize, &Chain)| format!("SELECT {n} AS side, id FROM ({})", winners(chain, r));
    let sides: Vec<String> = chains.iter().enumerate().map(side).collect();
    let rows = measured("SELECT * FROM w", rank, None, r);
    format!(
        "WITH w AS ({}), r AS (SELECT side, id, m0, RANK() OVER (ORDER BY {}) AS place FROM ({rows})) {}",
        sides.join(" UNION ALL "),
        order(rank),
        names(&format!(
            "SELECT id FROM r WHERE m0 IS NOT NULL AND (SELECT COUNT(DISTINCT side) FROM w) = {} AND NOT EXISTS \
             (SELECT 1 FROM r o WHERE o.side <> r.side GROUP BY o.side HAVING MAX(o.place) < r.place)",
            chains.len()
        ))
    )
}

/// The rows of a query with each metric of a rank beside them: `m0`, `m1`, …
fn measured(rows: &str, rank: &Rank, cards: Option<&str>, r: &Reading) -> String {
    let column = |(n, m): (usize, &Metric)| format!("{} AS m{n}", metric(*m, "g.id", cards, r));
    let columns: Vec<String> = rank.0.iter().enumerate().map(column).collect();
    format!("SELECT g.*, {} FROM ({rows}) g", columns.join(", "))
}

fn order(rank: &Rank) -> String {
    let term = |(n, metric): (usize, &Metric)| match metric.earliest_first() {
        true => format!("m{n} ASC NULLS LAST"),
        false => format!("m{n} DESC NULLS LAST"),
    };
    rank.0.iter().enumerate().map(term).collect::<Vec<_>>().join(", ")
}

/// A metric of the person whose id an expression gives.
fn metric(metric: Metric, id: &str, cards: Option<&str>, r: &Reading) -> String {
    let of =
        |what: &str, table: &str, only: &str| format!("(SELECT {what} FROM {table} x WHERE x.owner_id = {id}{only})");
    match metric {
        Metric::Count(Kind::Cards) => of("COUNT(*)", "credit_cards", &(valid_cards(r) + cards.unwrap_or_default())),
        Metric::Count(kind) => of("COUNT(*)", table(kind), &valid(kind, r)),
        Metric::Balance => of("SUM(balance)", "bank_accounts", ""),
        Metric::Salary => match r.salary {
            Salary::Best => of("MAX(salary)", "employments", ""),
            Salary::Sum => of("SUM(salary)", "employments", ""),
            Salary::Latest => {
                let latest = of("MAX(start_date)", "employments", "");
                of("MAX(salary)", "employments", &format!(" AND start_date = {latest}"))
            }
        },
        Metric::Start => of("MAX(start_date)", "employments", ""),
        Metric::Dob => format!("(SELECT dob FROM people x WHERE x.person_id = {id})"),
        Metric::OldestCar => of("MIN(year)", "vehicles", ""),
        Metric::Expiry => of("MIN(expires)", "insurance_policies", &valid(Kind::Policies, r)),
        Metric::CardExpiry if r.months_as_text => of("MIN(expire)", "credit_cards", &valid_cards(r)),
        Metric::CardExpiry => of(&format!("MIN({MONTH})"), "credit_cards", &valid_cards(r)),
    }
}

/// `MM/YY` as `YYYY-MM`, which sorts as it should.
const MONTH: &str = "'20' || substr(expire, 4, 2) || '-' || substr(expire, 1, 2)";
/// A URL without its scheme, `www.` and last slash.
const HOST: &str = "rtrim(replace(replace(replace('^' || url, '^https://', '^'), '^http://', '^'), '^www.', '^'), '/')";

fn table(kind: Kind) -> &'static str {
    match kind {
        Kind::Vehicles => "vehicles",
        Kind::Pets => "pets",
        Kind::Cards => "credit_cards",
        Kind::Policies => "insurance_policies",
        Kind::Net => "internet_accounts",
        Kind::Accounts => "bank_accounts",
        Kind::Jobs => "employments",
    }
}

/// The condition that leaves lapsed records of a kind out, where the reading has it so.
fn valid(kind: Kind, r: &Reading) -> String {
    match (kind, r.lapsed_before) {
        (Kind::Policies, Some(day)) => format!(" AND expires >= '{day}'"),
        (Kind::Cards, _) => valid_cards(r),
        _ => String::new(),
    }
}

fn valid_cards(r: &Reading) -> String {
    match r.lapsed_before {
        Some(day) => format!(" AND {MONTH} >= '{:04}-{:02}'", day.year(), day.month()),
        None => String::new(),
    }
}

/// The condition on cards of a group that is about holders of one provider's cards, where only those are counted.
fn cards_of(group: &Group, r: &Reading) -> Option<String> {
    if !r.provider_cards {
        return None;
    }
    let mut providers = Vec::new();
    if let Some(link) = group.base.as_ref().filter(|link| link.relation == Relation::Provider) {
        let of = shared(Relation::Provider, Place::Any, r);
        providers.push(format!(
            "provider IN (SELECT provider FROM credit_cards WHERE owner_id IN ({}){})",
            owners(&link.source, r),
            of.only
        ));
    }
    for filter in &group.filters {
        if let Filter::Provider(name) = filter {
            providers.push(format!("provider = {}", text(name)));
        }
    }
    (!providers.is_empty()).then(|| format!(" AND ({})", providers.join(" OR ")))
}

/// The ids of a group's people, in a column `id`.
fn candidates(group: &Group, r: &Reading) -> String {
    let conditions: Vec<String> = group
        .base
        .iter()
        .map(|link| sharers(link, r))
        .chain(group.filters.iter().map(|filter| condition(filter, r)))
        .collect();
    let all = "SELECT p.person_id AS id FROM people p";
    if conditions.is_empty() { all.to_owned() } else { format!("{all} WHERE {}", conditions.join(" AND ")) }
}

fn condition(filter: &Filter, r: &Reading) -> String {
    let count = |kind: &Kind| metric(Metric::Count(*kind), "p.person_id", None, r);
    let holds = |table: &str, column: &str, value: &str, only: &str| {
        format!("p.person_id IN (SELECT owner_id FROM {table} WHERE {column} = {}{only})", text(value))
    };
    match filter {
        Filter::Lacks(kind) => format!("{} = 0", count(kind)),
        Filter::Has(kind) => format!("{} > 0", count(kind)),
        Filter::AtLeast(kind, n) => format!("{} >= {n}", count(kind)),
        Filter::Exactly(kind, n) => format!("{} = {n}", count(kind)),
        Filter::Provider(name) => holds("credit_cards", "provider", name, &valid_cards(r)),
        Filter::Policy(name) => holds("insurance_policies", "policy_type", name, &valid(Kind::Policies, r)),
        Filter::Started(year) => {
            format!("substr({}, 1, 4) = '{year:04}'", metric(Metric::Start, "p.person_id", None, r))
        }
        Filter::TopOf(n, by) => {
            let rank = Rank(vec![*by]);
            let rows = measured("SELECT person_id AS id FROM people", &rank, None, r);
            let order = order(&rank);
            format!(
                "p.person_id IN (SELECT id FROM (SELECT id, m0, RANK() OVER (ORDER BY {order}) AS place FROM ({rows})) \
                 WHERE place <= {n} AND m0 IS NOT NULL)"
            )
        }
        Filter::In(link) => sharers(link, r),
        Filter::Out(link) => format!("NOT ({})", sharers(link, r)),
        Filter::Winner(relation, rank) => {
            let per = shared(*relation, r.member_place, r);
            let rows = measured(
                &format!("SELECT DISTINCT owner_id AS id, {} FROM {} WHERE TRUE{}", per.columns, per.table, per.only),
                rank,
                None,
                r,
            );
            let (order, columns) = (order(rank), per.names);
            format!(
                "p.person_id IN (SELECT id FROM (SELECT id, m0, RANK() OVER (PARTITION BY {columns} ORDER BY {order}) AS \
                 place FROM ({rows})) WHERE place = 1 AND m0 IS NOT NULL)"
            )
        }
    }
}

/// The condition on `p` of sharing something with a source.
fn sharers(link: &Link, r: &Reading) -> String {
    let theirs = shared(link.relation, r.anchor_place, r);
    let own = shared(link.relation, r.member_place, r);
    let owners = owners(&link.source, r);
    let out = if r.anchor_out { format!(" AND owner_id NOT IN ({owners})") } else { String::new() };
    format!(
        "p.person_id IN (SELECT owner_id FROM {table} WHERE ({columns}) IN (SELECT {columns} FROM {table} WHERE owner_id IN \
         ({owners}){only_theirs}){only_own}{out})",
        table = own.table,
        columns = own.bare,
        only_theirs = theirs.only,
        only_own = own.only,
    )
}

/// Where a relation's values are: the table, the columns (with names to select them under, and without), and a condition
/// on its rows.
struct Shared {
    table: &'static str,
    columns: String,
    names: &'static str,
    bare: String,
    only: String,
}

fn shared(relation: Relation, place: Place, r: &Reading) -> Shared {
    let (table, bare, only) = match relation {
        Relation::State => ("addresses", "state", at(place)),
        Relation::City if r.city_by_name => ("addresses", "city", at(place)),
        Relation::City => ("addresses", "city, state", at(place)),
        Relation::Blood => ("medical_records", "blood_type", String::new()),
        Relation::Condition => ("medical_records", "condition", String::new()),
        Relation::Provider => ("credit_cards", "provider", valid_cards(r)),
        Relation::Expiry => ("credit_cards", "expire", valid_cards(r)),
        Relation::Title => ("employments", "job_title", String::new()),
        Relation::Employer => ("employments", "employer", String::new()),
        Relation::PolicyType => ("insurance_policies", "policy_type", valid(Kind::Policies, r)),
        Relation::Url if r.url_host => ("internet_accounts", HOST, String::new()),
        Relation::Url => ("internet_accounts", "url", String::new()),
        Relation::Make => ("vehicles", "make", String::new()),
        Relation::Bank => ("bank_accounts", "bank_name", String::new()),
    };
    let (columns, names) = if bare == HOST { (format!("{HOST} AS host"), "host") } else { (bare.to_owned(), bare) };
    Shared { table, columns, names, bare: bare.to_owned(), only }
}

/// The condition that leaves one address of each person.
fn at(place: Place) -> String {
    let edge = match place {
        Place::Any => return String::new(),
        Place::First => "MIN",
        Place::Last => "MAX",
    };
    format!(" AND rowid IN (SELECT {edge}(rowid) FROM addresses GROUP BY owner_id)")
}

/// The ids of who is described by a source.
fn owners(source: &Source, r: &Reading) -> String {
    let all = match source {
        Source::Pet { name, species: None } => format!("FROM pets WHERE name = {}", text(name)),
        Source::Pet { name, species: Some(species) } => {
            format!("FROM pets WHERE name = {} AND species = {}", text(name), text(species))
        }
        Source::Plate(plate) => format!("FROM vehicles WHERE license_plate = {}", text(plate)),
        Source::User(user) => format!("FROM internet_accounts WHERE username = {}", text(user)),
    };
    match r.owner {
        None => format!("SELECT owner_id {all}"),
        Some(n) => {
            format!(
                "SELECT owner_id FROM (SELECT owner_id, DENSE_RANK() OVER (ORDER BY owner_id) AS n {all}) WHERE n = \
                 (SELECT MIN({}, COUNT(DISTINCT owner_id)) {all})",
                n + 1
            )
        }
    }
}

/// A text literal.
fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
