//! The keys of Context-Bench's hundred questions, as the audit finds them: plans and verdicts in `tests/fixtures/`.

use crate::support::{Suite, project, shared};
use seatrial::question::Plan;
use serde_json::Value;
use std::collections::BTreeMap;

/// The audit of the real corpus by the plans in the fixtures, or none where the corpus is missing.
fn audit(test: &str) -> Option<Vec<Value>> {
    let vendor = shared(test)?.join("contextbench/corpus");
    let paths = [vendor, project().join("examples/contextbench/suite.toml"), fixture("plans")];
    let [vendor, manifest, plans] = paths.each_ref().map(|path| path.to_str().expect("a UTF-8 path"));
    let args = ["audit", "--vendor", vendor, "--suite", manifest, "--plans", plans, "--format", "json"];
    let run = Suite::new().run(&args).expect_code(1);
    let report: Value = serde_json::from_str(&run.stdout).expect("a JSON report");
    Some(report["questions"].as_array().expect("a list of questions").clone())
}

fn fixture(name: &str) -> std::path::PathBuf {
    project().join(format!("tests/fixtures/contextbench-{name}.json"))
}

fn entries(name: &str) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(fixture(name)).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is a JSON object")
}

#[test]
fn every_key_of_context_bench_gets_the_verdict_found_by_hand() {
    let Some(questions) = audit("every_key_of_context_bench_gets_the_verdict_found_by_hand") else { return };
    let by_hand = entries("verdicts");
    assert_eq!((questions.len(), by_hand.len()), (100, 100));
    let differ: Vec<String> = questions
        .iter()
        .filter(|entry| by_hand.get(entry["id"].as_str().unwrap()) != Some(&entry["verdict"]))
        .map(|entry| format!("{}: {}, {}", entry["id"], entry["verdict"], entry["readings"]))
        .collect();
    assert!(differ.is_empty(), "otherwise by hand:\n{}", differ.join("\n"));
}

#[test]
fn cards_expire_by_date_and_not_by_letters() {
    let Some(questions) = audit("cards_expire_by_date_and_not_by_letters") else { return };
    let entry = questions.iter().find(|entry| entry["id"] == "cb-cloud-78").unwrap();
    assert_eq!(entry["verdict"], "wrong");
    assert_eq!(entry["answer"], "David Walker");
}

#[test]
fn each_of_the_hundred_plans_reads_back_as_it_is_written() {
    let plans = entries("plans");
    let texts: Vec<&str> = plans.values().filter_map(|entry| entry["plan"].as_str()).collect();
    assert_eq!(texts.len(), 100);
    for text in texts {
        let read = Plan::parse(text).map(|plan| plan.to_string());
        assert_eq!(read.as_deref().map_err(ToString::to_string), Ok(text));
    }
}
