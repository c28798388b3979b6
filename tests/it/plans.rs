//! The plan language: its text form, what its words mean, and that SQL and plain Rust give the same answers.
#![expect(clippy::unwrap_used, reason = "what a test needs and doesn't get fails it")]

use crate::records::files;
use crate::support::{project, shared};
use jiff::civil::date;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use seatrial::question::{
    Attr, Chain, Database, Distance, Filter, Group, Kind, Link, Metric, Place, Plan, Rank, Reading, Records, Relation,
    Salary, Source, Total, World, english, sql, variations,
};
use std::collections::BTreeSet;
use std::path::Path;

fn records(folder: &Path) -> Records {
    Records::parse(&files(folder)).unwrap()
}

fn shipped() -> Records {
    records(&project().join("vendor/files"))
}

fn sources(records: &Records) -> BoxedStrategy<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for pet in records.pets.iter().take(200) {
        sources.push(Source::Pet { name: pet.name.clone(), species: None });
        sources.push(Source::Pet { name: pet.name.clone(), species: Some(pet.species.clone()) });
    }
    sources.extend(records.vehicles.iter().take(200).map(|v| Source::Plate(v.license_plate.clone())));
    sources.extend(records.internet_accounts.iter().take(200).map(|a| Source::User(a.username.clone())));
    sources.push(Source::User("o'nobody".into()));
    select(sources).boxed()
}

fn metric() -> BoxedStrategy<Metric> {
    select(Metric::all()).boxed()
}

fn rank() -> BoxedStrategy<Rank> {
    prop::collection::vec(metric(), 1..4).prop_map(Rank).boxed()
}

fn total() -> BoxedStrategy<Total> {
    let counts = prop::collection::vec(select(Kind::ALL).prop_map(Metric::Count), 1..4);
    let amounts = prop::collection::vec(select(vec![Metric::Balance, Metric::Salary]), 1..3);
    prop_oneof![counts, amounts, metric().prop_map(|metric| vec![metric])].prop_map(Total).boxed()
}

fn link(records: &Records) -> BoxedStrategy<Link> {
    (select(Relation::ALL), sources(records)).prop_map(|(relation, source)| Link { relation, source }).boxed()
}

fn filter(records: &Records) -> BoxedStrategy<Filter> {
    let kind = || select(Kind::ALL);
    let providers: Vec<String> = records.credit_cards.iter().take(30).map(|card| card.provider.clone()).collect();
    let policies: Vec<String> = records.insurance_policies.iter().take(30).map(|p| p.policy_type.clone()).collect();
    prop_oneof![
        kind().prop_map(Filter::Lacks),
        kind().prop_map(Filter::Has),
        (kind(), 0..5_usize).prop_map(|(kind, n)| Filter::AtLeast(kind, n)),
        (kind(), 0..5_usize).prop_map(|(kind, n)| Filter::Exactly(kind, n)),
        select(providers).prop_map(Filter::Provider),
        select(policies).prop_map(Filter::Policy),
        (2015..2026_i16).prop_map(Filter::Started),
        (1..20_usize, metric()).prop_map(|(n, metric)| Filter::TopOf(n, metric)),
        link(records).prop_map(Filter::In),
        link(records).prop_map(Filter::Out),
        (select(Relation::ALL), rank()).prop_map(|(relation, rank)| Filter::Winner(relation, rank)),
    ]
    .boxed()
}

fn group(records: &Records) -> BoxedStrategy<Group> {
    (prop::option::weighted(0.8, link(records)), prop::collection::vec(filter(records), 0..3))
        .prop_map(|(base, filters)| Group { base, filters })
        .boxed()
}

fn plan(records: &Records) -> BoxedStrategy<Plan> {
    let chain = || (group(records), rank()).prop_map(|(group, rank)| Chain { group, rank });
    let chains = || prop::collection::vec(chain(), 2..4);
    let words = select(Relation::ALL).prop_filter("`expiry` is a value there", |r| *r != Relation::Expiry);
    let attrs = prop_oneof![
        (words.clone(), words).prop_map(|(a, b)| (Attr::Of(a), Attr::Of(b))),
        total().prop_map(|total| (Attr::Total(total.clone()), Attr::Total(total))),
    ];
    prop_oneof![
        chain().prop_map(Plan::Top),
        group(records).prop_map(Plan::Only),
        (chain(), total()).prop_map(|(chain, total)| Plan::Num(chain, total)),
        (chains(), rank()).prop_map(|(chains, rank)| Plan::Cmp(chains, rank)),
        (
            chains(),
            total().prop_filter(
                "dates don't add up",
                |t| !matches!(t.0[..], [m] if m.earliest_first() || m == Metric::Start)
            )
        )
            .prop_map(|(chains, total)| Plan::Sum(chains, total)),
        (
            1..6_usize,
            chain(),
            total().prop_filter(
                "dates don't add up",
                |t| !matches!(t.0[..], [m] if m.earliest_first() || m == Metric::Start)
            )
        )
            .prop_map(|(k, chain, total)| Plan::TopSum(k, chain, total)),
        (chain(), chain(), metric(), attrs).prop_map(|(first, second, by, (then, otherwise))| Plan::If {
            first,
            second,
            by,
            then,
            otherwise
        }),
    ]
    .boxed()
}

fn reading() -> BoxedStrategy<Reading> {
    let place = || select(vec![Place::Any, Place::First, Place::Last]);
    let days = vec![date(2025, 6, 20), date(2026, 12, 31), date(2029, 2, 28)];
    let salary = select(vec![Salary::Best, Salary::Sum, Salary::Latest]);
    let flags = any::<[bool; 5]>();
    (place(), place(), salary, prop::option::of(select(days)), flags, prop::option::of(0..3_usize))
        .prop_map(|(anchor_place, member_place, salary, lapsed_before, flags, owner)| {
            let [anchor_out, months_as_text, city_by_name, provider_cards, url_host] = flags;
            Reading {
                anchor_place,
                member_place,
                salary,
                anchor_out,
                lapsed_before,
                months_as_text,
                city_by_name,
                provider_cards,
                url_host,
                owner,
            }
        })
        .boxed()
}

/// What fails is printed whole, so nothing is kept in files.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Random plans over a corpus, each evaluated twice.
fn both_agree(records: &Records, cases: u32) {
    let (world, database) = (World::new(records), Database::load(records).unwrap());
    let mut runner = TestRunner::new(ProptestConfig { cases, ..config() });
    let readings = prop_oneof![Just(Reading::default()), reading()];
    let (mut none, mut one, mut several) = (0, 0, 0);
    let counts = std::cell::RefCell::new((&mut none, &mut one, &mut several));
    let result = runner.run(&(plan(records), readings), |(plan, reading)| {
        prop_assert_eq!(&Plan::parse(&plan.to_string()).unwrap(), &plan);
        let plain = world.answers(&plan, &reading);
        let by_sql = database.answers(&plan, &reading).unwrap();
        prop_assert_eq!(&plain, &by_sql, "{}\n{}", &plan, sql(&plan, &reading));
        for chain in plan.chains() {
            let table = world.ranked(chain, &reading);
            prop_assert_eq!(table.len(), world.members(&chain.group, &reading).len());
            let first = table.iter().filter(|row| row.place == 1 && row.values[0].is_some()).map(|row| row.person);
            prop_assert_eq!(first.collect::<BTreeSet<_>>(), world.winners(chain, &reading));
        }
        let mut counts = counts.borrow_mut();
        match plain.len() {
            0 => *counts.0 += 1,
            1 => *counts.1 += 1,
            _ => *counts.2 += 1,
        }
        Ok(())
    });
    result.unwrap();
    // A test of empty answers alone would pass whatever the two did.
    assert!(one > cases / 8 && several > cases / 20, "{none} empty, {one} single, {several} several");
}

#[test]
fn sql_and_plain_rust_give_the_same_answers() {
    both_agree(&shipped(), 400);
}

#[test]
fn sql_and_plain_rust_agree_on_the_real_corpus() {
    let Some(shared) = shared("sql_and_plain_rust_agree_on_the_real_corpus") else { return };
    both_agree(&records(&shared.join("contextbench/corpus/files")), 100);
}

#[test]
fn a_plan_that_cannot_be_read_is_said_by_its_words() {
    let said = |text: &str| Plan::parse(text).unwrap_err().to_string();
    let cases = [
        ("TOP staet pet:Dawn ; pets", "`staet` is no relation; did you mean `state`?"),
        ("TOP state pet:Dawn ; balence", "`balence` is no metric; did you mean `balance`?"),
        ("TOP state pet:Dawn", "no `;` in `state pet:Dawn`"),
        ("TIP state pet:Dawn ; pets", "`TIP` is no plan's first word; did you mean `TOP`?"),
        (
            "ONLY all & pets",
            "`pets` is no filter; known here: `lacks pets`, `has pets`, `count(pets)>=2`, `provider=…`, `policy=…`, `in(…)`",
        ),
        ("ONLY all & count(cards)>4", "`count(cards)>4` needs `>=` or `=` and a number"),
        ("CMP state pet:Dawn ; pets -> pets", "no ` | ` between two chains"),
        ("NUM all ; pets => pets+balance", "`pets+balance` can't be added"),
        ("SUM all ; pets | all ; cards -> dob", "`dob` can't be added"),
        ("ONLY state pet:", "`` is no name"),
        ("TOPxSUM all ; pets => pets", "`x` is no number"),
        (
            "IF all ; pets | all ; cards -> pets THEN blood ELSE balance",
            "`blood` and `balance` are different kinds of things, and one question asks for one",
        ),
        ("", "`` ends after its first word"),
    ];
    for (text, why) in cases {
        assert_eq!(said(text), format!("the plan `{text}` can't be read: {why}"));
    }
}

#[test]
fn no_query_of_the_plain_reading_hides_a_tie_behind_a_limit() {
    let plan = Plan::parse("TOP state pet:O'Hara ; vehicles,dob").unwrap();
    let sql = sql(&plan, &Reading::default());
    assert!(!sql.contains("LIMIT") && sql.contains("RANK() OVER") && sql.contains("'O''Hara'"), "{sql}");
}

/// Chooses variants by a number: the same number, the same choices.
fn chosen(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |n| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    }
}

#[test]
fn a_question_made_from_a_plan_leaves_no_reading_open() {
    let records = shipped();
    let world = World::new(&records);
    let mut runner = TestRunner::new(config());
    let result = runner.run(&(plan(&records), any::<u64>()), |(plan, seed)| {
        let question = english(&plan, &mut chosen(seed));
        prop_assert_eq!(&question, &english(&plan, &mut chosen(seed)));
        for variation in variations(&plan, &question, &world) {
            prop_assert_eq!(variation.distance, Distance::Mistaken, "{}: {}", variation.name, &question);
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn two_plans_never_make_the_same_question() {
    let records = shipped();
    let mut runner = TestRunner::new(config());
    let plans = (plan(&records), plan(&records), any::<u64>());
    let result = runner.run(&plans, |(one, other, seed)| {
        let same = english(&one, &mut chosen(seed)) == english(&other, &mut chosen(seed));
        prop_assert_eq!(same, one == other, "{} / {}", &one, &other);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn plans_of_each_kind_read_as_questions() {
    let plans = [
        "TOP state pet:Dawn/Cat ; vehicles,dob",
        "ONLY employer plate:AB 1 & count(cards)>=2 & lacks pets",
        "ONLY all & top15(balance) & in(state user:ann)",
        "NUM blood user:ann ; salary => pets+vehicles",
        "CMP bank pet:Dawn ; balance | all & provider=Visa ; cards,balance -> policies,balance",
        "SUM all & state_winner ; dob | title user:ann ; start -> balance",
        "TOP3SUM policy_type user:ann ; policies,net => balance",
        "IF state plate:AB 1 ; pets,dob | city plate:AB 1 ; oldest_car -> expiry THEN blood ELSE employer",
    ];
    let text = |plan: &&str| format!("{plan}\n  {}\n", english(&Plan::parse(plan).unwrap(), &mut |_| 0));
    insta::assert_snapshot!(plans.iter().map(text).collect::<String>());
}

#[test]
fn a_ranked_table_shows_every_member_with_places_and_values() {
    let records = shipped();
    let world = World::new(&records);
    let Plan::Top(chain) = Plan::parse("TOP employer plate:APJ 477 ; vehicles,dob").unwrap() else {
        panic!("a TOP plan")
    };
    let table = world.ranked(&chain, &Reading::default());
    let row = |at: usize| {
        let values = table[at].values.iter().map(|value| value.as_ref().map(ToString::to_string).unwrap_or_default());
        format!("{} {} {}", table[at].place, world.name(table[at].person), values.collect::<Vec<_>>().join(" "))
    };
    let shown: Vec<String> = (0..table.len()).map(row).collect();
    insta::assert_snapshot!(shown.join("\n"));
}
