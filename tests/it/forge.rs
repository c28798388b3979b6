//! `seatrial forge`: new suites whose keys are proved, the same for the same seed.

use crate::support::{Suite, project};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A small suite with a question of each type at least.
fn forged(suite: &Suite, seed: &str, dir: &str) -> Vec<Value> {
    suite.run(&["forge", "--seed", seed, "--people", "150", "--questions", "30", "-o", dir]).expect_code(0);
    suite
        .read(&format!("{dir}/questions.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn extra<'a>(record: &'a Value, key: &str) -> &'a Value {
    &record["agent_args"]["extra"][key]
}

fn text<'a>(record: &'a Value, key: &str) -> &'a str {
    extra(record, key).as_str().expect("text")
}

/// Every file below a folder, with its bytes.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(|entry| entry.expect("an entry"));
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(root).expect("below").display().to_string();
            (path, std::fs::read(entry.path()).expect("bytes"))
        })
        .collect()
}

#[test]
fn every_key_is_proved_and_every_type_is_there() {
    let suite = Suite::new();
    let records = forged(&suite, "3", "v");
    let audit = suite.run(&["audit", "--vendor", "v"]).expect_code(0);
    assert!(audit.stdout.ends_with("30 questions: 30 proved\n"), "{}", audit.stdout);
    let types: BTreeSet<&str> = records.iter().map(|record| text(record, "question_type")).collect();
    assert_eq!(types.len(), 10, "{types:?}");
    let tiers: BTreeSet<&str> = records.iter().map(|record| text(record, "difficulty")).collect();
    assert_eq!(tiers, BTreeSet::from(["easy", "hard", "medium"]));
    for record in &records {
        let (key, question) =
            (record["ground_truth"].as_str().expect("a key"), record["input"].as_str().expect("text"));
        assert!(!question.contains(key) || key.parse::<u32>().is_ok(), "the question says its answer: {question}");
        assert_eq!(extra(record, "key")["value"], key);
        assert!(!text(record, "sql").contains("LIMIT"), "a limit would hide a tie");
        assert!(extra(record, "required_files").as_array().expect("files").len() >= 4, "{question}");
        assert!(!extra(record, "mistakes").as_array().expect("mistakes").is_empty(), "{question}");
        assert!(!extra(record, "tables")[0].is_null(), "the proof has a table: {question}");
    }
}

#[test]
fn no_answer_comes_often_no_chain_twice_and_the_winner_stands_on_either_side() {
    let suite = Suite::new();
    suite
        .run(&[
            "forge",
            "--seed",
            "5",
            "--people",
            "300",
            "--questions",
            "20",
            "--mix",
            "multi_entity_comparison=1",
            "-o",
            "v",
        ])
        .expect_code(0);
    let mut answers = BTreeSet::new();
    let mut chains = BTreeSet::new();
    let mut first = 0;
    for line in suite.read("v/questions.jsonl").lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let answer = record["ground_truth"].as_str().expect("a key").to_owned();
        assert!(answers.insert(answer.clone()), "{answer} twice");
        let tables = extra(&record, "tables").as_array().expect("tables");
        for table in tables {
            assert!(chains.insert(table["group"].to_string()), "{table}");
        }
        first += usize::from(tables[0]["rows"][0][1] == answer.as_str());
    }
    assert_eq!(first, 10, "of 20 winners, half are named first");
}

#[test]
fn the_same_seed_makes_the_same_bytes_and_another_seed_another_corpus() {
    let suite = Suite::new();
    forged(&suite, "4", "one");
    forged(&suite, "4", "two");
    let (one, two) = (files(&suite.join("one")), files(&suite.join("two")));
    assert!(one == two, "same seed, same bytes");
    forged(&suite, "5", "three");
    let three = files(&suite.join("three"));
    assert_ne!(one["files/people.txt"], three["files/people.txt"]);
    // The manifest lists every other file by its digest.
    let manifest = suite.read("one/MANIFEST");
    let listed: BTreeSet<&str> = manifest.lines().filter_map(|line| line.split_once("  ")).map(|line| line.1).collect();
    let there: BTreeSet<&str> = one.keys().map(String::as_str).filter(|path| *path != "MANIFEST").collect();
    assert_eq!(listed, there);
    let digest = manifest.lines().find(|line| line.ends_with("rubric.txt")).expect("a line");
    let sha256 = <sha2::Sha256 as sha2::Digest>::digest(&one["rubric.txt"]);
    let hex: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(digest.starts_with(&hex), "{digest}");
}

#[test]
fn the_shipped_suite_is_byte_for_byte_what_the_command_in_its_manifest_makes() {
    let shipped = project().join("vendor");
    let manifest = std::fs::read_to_string(shipped.join("suite.toml")).expect("suite.toml");
    let command = manifest.split('`').nth(1).and_then(|command| command.strip_prefix("seatrial ")).expect("a command");
    let suite = Suite::new();
    suite.run(&command.split(' ').collect::<Vec<_>>()).expect_code(0);
    let (made, shipped) = (files(&suite.join("DIR")), files(&shipped));
    assert_eq!(made.keys().collect::<Vec<_>>(), shipped.keys().collect::<Vec<_>>());
    for (path, bytes) in &made {
        assert!(*bytes == shipped[path], "`vendor/{path}` differs");
    }
    let questions = suite.read("DIR/questions.jsonl");
    let types: BTreeSet<String> = questions
        .lines()
        .take(30)
        .map(|line| text(&serde_json::from_str(line).expect("JSON"), "question_type").to_owned())
        .collect();
    assert_eq!((questions.lines().count(), types.len()), (60, 10), "the first thirty have every type: {types:?}");
}

#[test]
fn tasks_of_a_forged_suite_say_how_records_are_read_and_have_typed_keys() {
    let suite = Suite::new();
    forged(&suite, "6", "v");
    suite.run(&["generate", "--vendor", "v", "--limit", "2", "-o", "v/tasks"]).expect_code(0);
    suite.run(&["populate", "v/tasks"]).expect_code(0);
    suite.run(&["lint", "v/tasks"]).expect_code(0);
    assert!(suite.read("v/tasks/forged-6-0/instruction.md").contains("How to read the records"));
    let case: Value = serde_json::from_str(&suite.read("v/tasks/forged-6-0/tests/case.json")).expect("JSON");
    assert_eq!(case["key"]["value"], case["ground_truth"]);
}

#[test]
fn what_is_not_a_suite_is_refused_before_anything_is_written() {
    let suite = Suite::new();
    let forge = |args: &[&str]| suite.run(&[&["forge", "--seed", "1", "-o", "v"], args].concat()).expect_code(2).stderr;
    assert!(forge(&["--mix", "negatoin=1"]).contains("did you mean `negation`?"));
    assert!(forge(&["--mix", "negation"]).contains("TYPE=NUMBER"));
    assert!(forge(&["--mix", "negation=0"]).contains("no number from 1 to 1000"));
    let few = forge(&["--people", "20"]);
    assert_eq!(
        few,
        "error: failed to forge 60 questions about 20 people\n\nhint: a corpus has 100 to 2000 people, a suite 1 to 1000 questions\n"
    );
    assert!(forge(&["--name", "../x"]).contains("`--name`"));
    assert!(!suite.join("v").exists());
    suite.write("v/mine.txt", "mine");
    let full = forge(&["--people", "100", "--questions", "1"]);
    assert!(full.contains("`v` is not empty"), "{full}");
    assert_eq!(files(&suite.join("v")).len(), 1);
}
