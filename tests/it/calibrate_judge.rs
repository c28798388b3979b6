//! What a judge does to tiers: one that was measured, one that was not of one mind, another one than the job's.

use crate::calibrate::{calibration, keep, write};
use crate::job_fixture::{config, end, job_of, scored};
use crate::support::Suite;
use seatrial::event::{Event, JudgedBy, Judging};
use seatrial::results::Store;
use serde_json::Value;

#[test]
fn a_measured_judge_moves_the_thresholds_and_a_weak_one_tells_nothing() {
    let suite = Suite::new();
    write(&suite, "a", &[("solver", None)], &[("one", &["++++++"])]);
    let measured = |se: f64, sp: f64, n: u64| {
        let text =
            format!(r#"{{"sensitivity": {{"rate": {se}, "n": {n}}}, "specificity": {{"rate": {sp}, "n": 50}}}}"#);
        suite.write("judge.json", text);
        suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--judge-measured", "judge.json"])
    };
    measured(1.0, 1.0, 40).expect_code(0);
    assert_eq!(calibration(&suite)["tasks"]["one"]["tier"], "easy");
    measured(0.95, 0.98, 40).expect_code(0);
    let found = calibration(&suite);
    assert_eq!(found["tasks"]["one"]["tier"], Value::Null, "0.843 is not enough");
    let mass = found["tasks"]["one"]["reference"]["masses"]["easy"].as_f64().expect("a chance");
    assert!((mass - 0.843_115_336).abs() < 1e-6, "{mass}");
    assert_eq!(found["judge"]["sensitivity"], 0.95);
    let run = measured(0.7, 0.7, 40).expect_code(2);
    assert!(run.stderr.contains("it passes 0.7 of right answers"), "{}", run.stderr);
    let run = measured(0.95, 0.98, 29).expect_code(2);
    assert!(run.stderr.contains("on 29 right and 50 wrong answers only"), "{}", run.stderr);
}

#[test]
fn a_tier_is_told_only_where_it_holds_whichever_way_ambiguous_verdicts_go() {
    let suite = Suite::new();
    let split: [(&str, &[&str]); 2] = [("clear", &["++++++"]), ("split", &["+++++a"])];
    write(&suite, "a", &[("solver", None)], &split);
    let run = suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    let found = calibration(&suite);
    assert_eq!(found["tasks"]["clear"]["tier"], "easy");
    let one = &found["tasks"]["split"];
    assert_eq!((&one["tier"], &one["reference"]["ambiguous"]), (&Value::Null, &1.into()));
    let counted = ["n", "passes", "missing"].map(|key| one["reference"][key].as_u64());
    assert_eq!(counted, [Some(6), Some(5), Some(0)], "the majority's reward is no pass here");
    let easy = |masses: &str| one["reference"][masses]["easy"].as_f64().expect("a chance");
    assert!((easy("masses") - 0.535).abs() < 1e-3 && (easy("masses_if_passed") - 0.9053).abs() < 1e-3, "{one}");
    assert_eq!(one["flags"], serde_json::json!(["judge-unstable"]), "one of six is more than a tenth");
    assert!(run.stdout.contains("11 of 12 trials passed, 1 ambiguous"), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    suite.write("tasks/split/task.toml", "");
    let explained = suite.run(&["stamp", "tasks", "--calibration", "c.json", "--explain", "split"]).expect_code(0);
    for part in ["1 ambiguous", "if ambiguous trials had", "judge-unstable"] {
        assert!(explained.stdout.contains(part), "{part}: {}", explained.stdout);
    }
    // With enough clear ones, both ways agree.
    write(&suite, "b", &[("solver", None)], &[("long", &["+++++++++++++++++++a"])]);
    suite.run(&["calibrate", "jobs/b", "-o", "c.json"]).expect_code(0);
    let long = &calibration(&suite)["tasks"]["long"];
    assert_eq!((&long["tier"], &long["calibration"]["ambiguous"]), (&"easy".into(), &1.into()), "{long}");
    assert_eq!(long["flags"], serde_json::json!([]));
}

#[test]
fn a_trial_that_another_judge_graded_counts_as_missing() {
    let suite = Suite::new();
    let mut record = job_of("a", &["one"], &[("solver", None)], 6);
    record.observed.id = "id-a".into();
    record.judge = "rubric".into();
    keep(&suite, &record, &[("one", &["++++++"])]);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    let one = &calibration(&suite)["tasks"]["one"];
    // The records' verdicts are of the rules.
    assert_eq!((&one["tier"], &one["n"], &one["reference"]["missing"]), (&Value::Null, &0.into(), &6.into()), "{one}");
}

#[test]
fn the_same_judge_set_otherwise_is_another_judge() {
    let suite = Suite::new();
    let mut record = job_of("a", &["one"], &[("solver", None)], 2);
    record.observed.id = "id-a".into();
    let mut store = Store::create(&suite.join("jobs/a"), record.clone(), config("a")).expect("a new job");
    for (place, planned) in record.trials.iter().enumerate() {
        let by = (place == 0).then(|| JudgedBy { judge: "rules".into(), digest: "sha256:0123".into() });
        let mut end = Box::new(end(planned, place, scored(1.0)));
        end.judging = Some(Judging { by, ..Judging::default() });
        store.handle(&Event::TrialStarted { trial: place, retry: 0 }).expect("kept");
        store.handle(&Event::TrialFinished { trial: place, end }).expect("kept");
    }
    store.handle(&Event::JobFinished).expect("kept");
    drop(store);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    let one = &calibration(&suite)["tasks"]["one"];
    assert_eq!((&one["n"], &one["reference"]["missing"]), (&1.into(), &1.into()), "{one}");
    let report = suite.run(&["report", "jobs/a"]).expect_code(0).stdout;
    assert!(report.contains("1 trial was graded by another judge: rules (0123)"), "{report}");
}

#[test]
fn what_judge_cases_measured_moves_the_thresholds_of_the_same_judge_alone() {
    let suite = Suite::new();
    write(&suite, "a", &[("solver", None)], &[("one", &["++++++"])]);
    // The rules pass all right answers and fail all wrong ones, but for two whose labels say otherwise.
    let line = |i: usize, said: &str, expected: f64| {
        serde_json::json!({"id": format!("c-{i}"), "question": "How many?", "key": "42", "submission": said,
            "expected": expected, "answer_type": "count"})
        .to_string()
    };
    let right = (0..40).map(|i| line(i, if i < 2 { "41" } else { "42" }, 1.0));
    let wrong = (40..80).map(|i| line(i, "41", 0.0));
    suite.write("cases.jsonl", right.chain(wrong).collect::<Vec<_>>().join("\n"));
    suite.run(&["judge-cases", "cases.jsonl", "-o", "judge.json"]).expect_code(0);
    let args = ["calibrate", "jobs/a", "-o", "c.json", "--judge-measured", "judge.json"];
    suite.run(&args).expect_code(0);
    let found = calibration(&suite);
    assert_eq!((&found["judge"]["sensitivity"], &found["judge"]["specificity"]), (&0.95.into(), &1.0.into()));
    assert_eq!(found["tasks"]["one"]["tier"], Value::Null, "six passes are not enough with this judge");
    let measured = suite.read("judge.json");
    suite.write("judge.json", measured.replace("\"rules\"", "\"rubric\""));
    let run = suite.run(&args).expect_code(2);
    let wanted = "error: `judge.json` measured the judge `rubric`, but `rules` judged in `jobs/a`";
    assert!(run.stderr.starts_with(wanted), "{}", run.stderr);
    let mut other: Value = serde_json::from_str(&measured).expect("JSON");
    other["judge_digest"] = "sha256:of-another-version".into();
    suite.write("judge.json", other.to_string());
    let run = suite.run(&args).expect_code(2);
    let wanted = "error: `judge.json` measured the judge `rules` of another version than judged";
    assert!(run.stderr.starts_with(wanted), "{}", run.stderr);
    other["judge_parameters"] = serde_json::json!({"votes": 3});
    suite.write("judge.json", other.to_string());
    let run = suite.run(&args).expect_code(2);
    assert!(run.stderr.contains("with other models, votes or settings than in `jobs/a`"), "{}", run.stderr);
}
