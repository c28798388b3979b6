//! The `rules` judge, by its labelled cases and its verb. Nothing here knows how a rule works.

use crate::report::keeps_to;
use crate::support::{Suite, project, shared};

const RIGHT: &str = r#"{"id": "a", "question": "How many boats?", "key": "14", "submission": "14", "expected": 1.0}"#;
const WRONG_LABEL: &str = r#"{"id": "b", "question": "How many boats?", "key": "14", "submission": "I count 14.",
    "expected": 0.0, "reason": "a wrong label", "policy": true}"#;

fn measured(args: &[&str]) -> serde_json::Value {
    let suite = Suite::new();
    let run = suite.run(&[&["judge-cases", "--format", "json"], args].concat()).expect_code(0);
    keeps_to("judge-cases.json", &run.stdout, "/entries/0");
    serde_json::from_str(&run.stdout).expect("JSON on stdout")
}

#[test]
fn the_rules_agree_with_every_labelled_case_of_ours() {
    let file = project().join("tests/fixtures/judge.jsonl");
    let report = measured(&[file.to_str().expect("a path"), "--min-agreement", "1"]);
    assert!(report["cases"].as_u64() >= Some(2000), "{report}");
    assert_eq!(report["agree"], report["cases"]);
    assert_eq!(report["false_accepts"], 0);
    // Every verdict says by which rule, and what was read, unless nothing was there.
    for entry in report["entries"].as_array().expect("entries") {
        let (rule, span) = (entry["rule"].as_str().expect("a rule"), entry["span"].as_str().unwrap_or_default());
        assert!(!rule.is_empty() && (rule == "empty" || !span.is_empty()), "{entry}");
    }
}

#[test]
fn the_rules_agree_with_every_published_case() {
    let Some(dir) = shared("the_rules_agree_with_every_published_case") else { return };
    let file = dir.join("cases/judge.jsonl");
    let report = measured(&[file.to_str().expect("a path"), "--judge", "rules", "--min-agreement", "1"]);
    assert_eq!((&report["cases"], &report["agree"], &report["false_accepts"]), (&70.into(), &70.into(), &0.into()));
}

#[test]
fn a_corpus_own_names_are_rivals_and_change_no_verdict_on_its_keys() {
    let Some(dir) = shared("a_corpus_own_names_are_rivals_and_change_no_verdict_on_its_keys") else { return };
    let corpus = dir.join("contextbench/corpus");
    let names = seatrial::judge::read_rivals(&corpus.join("files/people.txt")).expect("names");
    assert_eq!(names.len(), 500);
    let questions = std::fs::read_to_string(corpus.join("filesystem_cloud.jsonl")).expect("questions");
    for line in questions.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        let (question, truth) =
            (record["input"].as_str().expect("input"), record["ground_truth"].as_str().expect("key"));
        let key = seatrial::judge::Key::infer(question, truth);
        for answer in [truth.to_string(), format!("The answer is {truth}."), format!("{{\"answer\": \"{truth}\"}}")] {
            let verdict = seatrial::judge::judge(question, &key, &answer, &names);
            assert!((verdict.reward - 1.0).abs() < 1e-9, "{question}\n{answer}\n{verdict:?}");
        }
        let wrong = names.iter().find(|name| *name != truth).expect("another name");
        assert!(seatrial::judge::judge(question, &key, wrong, &names).reward < 1.0, "{question}: {wrong}");
    }
}

#[test]
fn a_disagreement_is_shown_with_rule_and_span_and_fails_the_minimum() {
    let suite = Suite::new();
    suite.write("cases.jsonl", format!("{RIGHT}\n\n{}\n", WRONG_LABEL.replace('\n', "")));
    let run = suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "0.96"]).expect_code(1);
    assert_eq!(
        run.stdout,
        "judge rules: 1 of 2 cases agree (50.0 %), 1 wrongly taken for right\n\n\
         right taken for right (sensitivity)  1.000  [0.207, 1.000]  1 of 1\n\
         others taken so (specificity)        0.000  [0.000, 0.793]  0 of 1\n\
         kappa 0.000, AC1 0.200, alpha 0.000\n\n\
         expected  given  cases\n     0.0    1.0      1\n     1.0    1.0      1\n\n\
         b: expected 0.0, given 1.0 by rule `count`: the same value\n  read:     \"I count 14.\"\n  \
         expected: \"a wrong label\" (a choice: the rubric is silent here)\n"
    );
    suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "0.5"]).expect_code(0);
    suite.run(&["judge-cases", "cases.jsonl"]).expect_code(0);
}

#[test]
fn what_was_measured_is_kept_for_calibration_and_two_judges_are_set_side_by_side() {
    let suite = Suite::new();
    suite.write("cases.jsonl", format!("{RIGHT}\n{}\n", WRONG_LABEL.replace('\n', "")));
    suite.run(&["judge-cases", "cases.jsonl", "-o", "judge.json"]).expect_code(0);
    let kept: serde_json::Value = serde_json::from_str(&suite.read("judge.json")).expect("JSON");
    assert_eq!((&kept["sensitivity"]["rate"], &kept["sensitivity"]["n"]), (&1.0.into(), &1.into()), "{kept}");
    assert_eq!((&kept["specificity"]["rate"], &kept["specificity"]["n"]), (&0.0.into(), &1.into()), "{kept}");
    assert!(kept["judge_digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{kept}");
    suite.write("judge.script", r#"{"default": {"reward": 0.0}, "tasks": {"a": {"failure": "no connection"}}}"#);
    let args = ["judge-cases", "cases.jsonl", "--scripted-judge", "judge.script"];
    let run = suite.run(&args).expect_code(3);
    assert!(run.stdout.contains("0 wrongly taken for right, 1 ungraded"), "{}", run.stdout);
    assert!(run.stdout.contains("a: expected 1.0, ungraded: no connection"), "{}", run.stdout);
    for (min, code) in [("1", 1), ("0.51", 1), ("0.5", 3), ("0", 3)] {
        // The one case that is left has a wrong label, so with any verdict on the other one at most half agree.
        suite.write("judge.script", r#"{"default": {"reward": 1.0}, "tasks": {"a": {"failure": "no connection"}}}"#);
        suite.run(&[&args[..], &["--min-agreement", min]].concat()).expect_code(code);
    }
    let run = suite.run(&["judge-cases", "cases.jsonl", "--judge", "rules", "--judge", "rules"]).expect_code(0);
    assert!(run.stdout.ends_with("the judges differ on 0 cases (kappa -, alpha -)\n"), "{}", run.stdout);
    let run = suite.run(&["judge-cases", "cases.jsonl", "--judge", "rules", "--judge", "rules", "--format", "json"]);
    keeps_to("judge-cases.json", &run.expect_code(0).stdout, "/judges/1/sensitivity");
    let run = suite.run(&[&args[..], &["--format", "json"]].concat()).expect_code(3);
    keeps_to("judge-cases.json", &run.stdout, "/confusion/0");
    let run = suite.run(&["judge-cases", "cases.jsonl", "--judge", "script"]).expect_code(2);
    assert!(run.stderr.contains("needs a task"), "{}", run.stderr);
}

#[test]
fn whatever_should_not_pass_and_does_is_wrongly_taken_for_right() {
    let suite = Suite::new();
    let case = |id: &str, expected: f64| {
        serde_json::json!({"id": id, "question": "Which?", "key": "14", "submission": "14", "expected": expected})
            .to_string()
    };
    let cases = [case("right", 1.0), case("refusal", 0.5), case("wrong", 0.0), case("half", 0.0)];
    suite.write("cases.jsonl", cases.join("\n"));
    suite.write("judge.script", r#"{"default": {"reward": 1.0}, "tasks": {"half": {"reward": 0.5}}}"#);
    let args = ["judge-cases", "cases.jsonl", "--scripted-judge", "judge.script"];
    let run = suite.run(&args).expect_code(0);
    let line = "judge scripted: 1 of 4 cases agree (25.0 %), 2 wrongly taken for right\n";
    assert!(run.stdout.starts_with(line), "{}", run.stdout);
    assert!(run.stdout.contains("others taken so (specificity)        0.333"), "the other third: {}", run.stdout);
}

#[test]
fn bad_lines_are_named_together_with_file_and_line() {
    let suite = Suite::new();
    suite.write(
        "cases.jsonl",
        format!(
            "{RIGHT}\nnot json\n{}\n{}\n",
            r#"{"question": "q", "key": "1", "submission": "1"}"#,
            r#"{"question": "q", "key": "1", "submission": "1", "expected": 0.7}"#
        ),
    );
    let run = suite.run(&["judge-cases", "cases.jsonl"]).expect_code(2);
    for part in
        ["`cases.jsonl:2`: expected", "`cases.jsonl:3`: missing field `expected`", "`cases.jsonl:4`: `expected` is 0.7"]
    {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    assert!(run.stdout.is_empty() && run.stderr.contains("hint: "), "{}", run.stderr);
}

#[test]
fn a_missing_or_empty_file_is_bad_input_that_names_the_file() {
    let suite = Suite::new();
    suite.write("empty.jsonl", "\n").write("cases.jsonl", RIGHT).write("names.txt", "\n");
    for args in [vec!["nowhere.jsonl"], vec!["empty.jsonl"], vec!["cases.jsonl", "--rivals", "names.txt"]] {
        let run = suite.run(&[vec!["judge-cases"], args.clone()].concat()).expect_code(2);
        assert!(run.stderr.contains(args.last().expect("a file")), "{}", run.stderr);
    }
    let run = suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "96"]).expect_code(2);
    assert!(run.stderr.contains("a share is a number from 0 to 1"), "{}", run.stderr);
}

#[test]
fn a_rivals_name_without_capitals_is_known_from_the_list() {
    let suite = Suite::new();
    let answer = "it is ora vey with cal dunn beside";
    let case =
        serde_json::json!({"question": "Who owns most?", "key": "Ora Vey", "submission": answer, "expected": 0.0});
    suite.write("cases.jsonl", case.to_string()).write("names.txt", "Ora Vey\nCal Dunn\n");
    suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "1"]).expect_code(1);
    suite.run(&["judge-cases", "cases.jsonl", "--rivals", "names.txt", "--min-agreement", "1"]).expect_code(0);
}

#[test]
fn a_typed_key_says_its_kind_and_what_else_is_right() {
    let suite = Suite::new();
    let case = |submission: &str, expected: f64| {
        serde_json::json!({"question": "Which make?", "submission": submission, "expected": expected,
            "key": {"kind": "text", "value": "Lark", "accept": ["Lark Motors"]}})
        .to_string()
    };
    suite.write("cases.jsonl", [case("Lark", 1.0), case("Lark Motors", 1.0), case("Larkspur", 0.0)].join("\n"));
    suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "1"]).expect_code(0);
    suite.write(
        "bad.jsonl",
        r#"{"question": "q", "key": {"kind": "txt", "value": "x"}, "submission": "x", "expected": 1.0}"#,
    );
    let run = suite.run(&["judge-cases", "bad.jsonl"]).expect_code(2);
    assert!(run.stderr.contains("`bad.jsonl:1`") && run.stderr.contains("unknown variant `txt`"), "{}", run.stderr);
}
