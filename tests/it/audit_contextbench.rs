//! The keys of Context-Bench's hundred questions, as the audit finds them: plans and verdicts in `tests/fixtures/`.

use crate::support::{Run, Suite, project, shared};
use seatrial::question::Plan;
use serde_json::Value;
use std::collections::BTreeMap;

/// The audit's exit code and report over the real corpus, or none where that is missing.
fn audit(test: &str, format: &str) -> Option<Run> {
    let vendor = shared(test)?.join("contextbench/corpus");
    let (manifest, plans) = (project().join("examples/contextbench/suite.toml"), fixture("plans"));
    let paths = [vendor, manifest, plans].map(|path| path.to_str().unwrap().to_string());
    let [vendor, manifest, plans] = &paths;
    let args = ["audit", "--vendor", vendor, "--suite", manifest, "--plans", plans, "--format", format];
    Some(Suite::new().run(&args).expect_code(1))
}

fn fixture(name: &str) -> std::path::PathBuf {
    project().join(format!("tests/fixtures/contextbench-{name}.json"))
}

fn questions(run: &Run) -> Vec<Value> {
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["questions"].as_array().unwrap().clone()
}

#[test]
fn every_key_of_context_bench_has_the_verdict_that_reading_it_by_hand_gave() {
    let test = "every_key_of_context_bench_has_the_verdict_that_reading_it_by_hand_gave";
    let Some(run) = audit(test, "json") else { return };
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let found: BTreeMap<String, String> =
        questions(&run).iter().map(|entry| (text(&entry["id"]), text(&entry["verdict"]))).collect();
    let by_hand: BTreeMap<String, String> =
        serde_json::from_str(&std::fs::read_to_string(fixture("verdicts")).unwrap()).unwrap();
    assert_eq!(found.len(), 100);
    let differ: Vec<_> = by_hand.iter().filter(|(id, verdict)| found.get(*id) != Some(verdict)).collect();
    assert!(differ.is_empty(), "by hand: {differ:?}, found: {:?}", differ.iter().map(|(id, _)| found.get(*id)));
}

#[test]
fn the_card_that_expires_first_is_found_by_date_and_not_by_its_letters() {
    let Some(run) = audit("the_card_that_expires_first_is_found_by_date_and_not_by_its_letters", "json") else { return };
    let entries = questions(&run);
    let entry = entries.iter().find(|entry| entry["id"] == "cb-cloud-78").unwrap();
    assert_eq!(entry["verdict"], "wrong");
    assert_eq!(entry["answer"], "David Walker");
}

#[test]
fn each_of_the_hundred_plans_reads_back_as_it_is_written() {
    let plans: BTreeMap<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(fixture("plans")).unwrap()).unwrap();
    let texts: Vec<&str> = plans.values().filter_map(|entry| entry["plan"].as_str()).collect();
    assert_eq!(texts.len(), 100);
    for text in texts {
        let read = Plan::parse(text).map(|plan| plan.to_string());
        assert_eq!(read.as_deref().map_err(ToString::to_string), Ok(text));
    }
}
