//! `seatrial run --calibrate`: rounds of trials where tiers are open, the same after any crash, and a score that rests on
//! the first attempts alone.

use crate::support::Suite;
use crate::tiny::{self, fake, fake_args, ledger, tally};
use seatrial::stats::{Beta, JudgeRates, Prior, Scale, Spending, Thresholds, expect};
use std::collections::BTreeMap;
use std::time::Duration;

/// One task is always passed, one never, one can't run.
const SCRIPT: &str = r#"{"tally": "tally.txt", "default": {"answer": "42"}, "tasks": {
    "wrong": [{"answer": "41"}], "lost": [{"fault": "open"}]}}"#;

fn run_calibrating(suite: &Suite, more: &[&str]) -> crate::support::Run {
    fake(suite, SCRIPT, &[&["run", "tasks", "--job-name", "j", "--calibrate", "-r", "0"], more].concat())
}

#[test]
fn trials_go_where_tiers_are_open_and_each_round_says_what_is_decided() {
    let suite = tiny::suite(&["lost", "right", "wrong"]);
    let run = run_calibrating(&suite, &[]).expect_code(3);
    let rounds: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("decided")).collect();
    // Six equal results are enough at 0.2 and 0.8; a task that is always lost is tried up to the cap, and counts nowhere.
    let wanted = [
        "decided 0/3, 9 further trials",
        "decided 2/3, 3 further trials",
        "decided 2/3, 3 further trials",
        "decided 2/3, 0 further trials",
    ];
    assert_eq!(rounds, wanted, "{}", run.stderr);
    assert_eq!(tally(&suite), BTreeMap::from([("right".into(), 6), ("wrong".into(), 6)]));
    assert!(run.stderr.contains("12 of 24 trials have no reward: 12 ended as faults"), "{}", run.stderr);
    assert!(suite.read("jobs/j/job.log").contains("round decided: 2 of 3 tasks have their tier, 3 further trials"));
    // The score: three attempts of each task, whatever came later.
    assert!(run.stdout.contains("3 of 6 trials with a reward pass: 50.0%"), "{}", run.stdout);
    assert!(
        run.stdout.contains("calibration   15 further trials went where tiers were open, 3 passed"),
        "{}",
        run.stdout
    );
    let report: serde_json::Value =
        serde_json::from_str(&suite.run(&["report", "jobs/j", "--format", "json"]).expect_code(0).stdout)
            .expect("JSON");
    let arm = &report["arms"][0];
    assert_eq!((&arm["all"]["planned"], &arm["further"]["planned"]), (&9.into(), &15.into()), "{report}");
    // What is believed of a task rests on all its trials, in every format by the same rule.
    let shown = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
    assert!(shown("html").contains("6 of 6 passed; hard 0%, medium 9%, easy 91%"), "{}", shown("html"));
    assert!(shown("md").contains("| right | 3/3 | 0 | 1.000 | 43.9-100.0% | 0 / 9 / 91 |"), "{}", shown("md"));
    assert!(shown("md").contains("\nCalibration: 15 further trials went where tiers were open, 3 passed"));
    let lock: serde_json::Value = serde_json::from_str(&suite.read("jobs/j/lock.json")).expect("JSON");
    assert_eq!(lock["trials"].as_array().map(Vec::len), Some(24), "the lock has every trial");
}

#[test]
fn an_agent_that_does_not_work_gets_no_further_trials() {
    let suite = tiny::suite(&["a", "b", "c"]);
    let script = r#"{"tally": "tally.txt", "default": {"exit": 127, "output": "sh: 1: agnt: not found\n"}}"#;
    let run = fake(&suite, script, &["run", "tasks", "--job-name", "j", "--calibrate", "--thorough"]).expect_code(0);
    assert!(run.stderr.contains("decided 0/3, 0 further trials"), "{}", run.stderr);
    assert_eq!(tally(&suite).values().sum::<usize>(), 9, "the first round alone");
}

#[test]
fn a_budget_is_never_passed_and_must_be_enough_for_the_first_round() {
    let suite = tiny::suite(&["a", "b", "wrong"]);
    let run = run_calibrating(&suite, &["--budget", "13"]).expect_code(0);
    assert_eq!(tally(&suite).values().sum::<usize>(), 13, "{}", run.stderr);
    assert!(run.stderr.contains("decided 0/3, 0 further trials"), "{}", run.stderr);
    let suite = tiny::suite(&["a", "b"]);
    let run = run_calibrating(&suite, &["--budget", "5"]).expect_code(2);
    assert!(run.stderr.contains("`--budget 5` is less than the 6 trials of the first round"), "{}", run.stderr);
    run_calibrating(&suite, &["-k", "3"]).expect_code(2);
    let run = fake(&suite, SCRIPT, &["run", "tasks", "--budget", "50"]).expect_code(2);
    assert!(run.stderr.contains("--calibrate"), "{}", run.stderr);
}

#[test]
fn a_calibrating_job_that_is_killed_again_and_again_ends_as_if_it_had_not_been() {
    let names: Vec<String> = (0..6).map(|i| format!("t-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let script = r#"{"tally": "tally.txt", "default": {"answer": "42", "delay_ms": 10}, "tasks": {
        "t-0": [{"answer": "41", "delay_ms": 10}], "t-1": [{"answer": "41", "delay_ms": 15}]}}"#;
    let whole = tiny::suite(&names);
    fake(&whole, script, &["run", "tasks", "--job-name", "j", "--calibrate", "-n", "2"]).expect_code(0);
    let wanted = ledger(&whole.join("jobs/j"));
    assert_eq!(wanted.len(), 36, "six attempts each");

    let suite = tiny::suite(&names);
    suite.write("engine.json", script);
    let mut args = vec!["run", "tasks", "--job-name", "j", "--calibrate", "-n", "2"];
    let mut kills = 0;
    for wait in (0..40).map(|i| 40 + 23 * (i % 7)) {
        let mut command = suite.command(&fake_args(&args));
        let mut child = command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(Duration::from_millis(wait));
        if child.try_wait().expect("asked").is_some() {
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        kills += 1;
        if suite.join("jobs/j/seatrial.json").exists() {
            args = vec!["resume", "jobs/j", "-n", "2"];
        }
    }
    assert!(kills > 2, "it was killed {kills} times");
    suite.run(&fake_args(&["resume", "jobs/j"])).expect_code(0);
    assert_eq!(ledger(&suite.join("jobs/j")), wanted, "the same trials, each once");
    let before = suite.read("jobs/j/seatrial.json");
    let runs = tally(&suite);
    suite.run(&fake_args(&["resume", "jobs/j"])).expect_code(0);
    assert_eq!((suite.read("jobs/j/seatrial.json"), tally(&suite)), (before, runs), "a job that is over stays so");
}

/// A task that starts well is left early, one that starts badly is tried again: a mean over all attempts sees more passes
/// than there are, and all passes over all trials sees fewer. The first attempts see neither.
#[test]
fn a_score_over_all_attempts_of_a_calibrating_job_would_be_off() {
    let terra = Beta { a: 2.284, b: 0.424 };
    let scale = Scale::new(Thresholds::DEFAULT, 0.9, Prior::Jeffreys, JudgeRates::PERFECT);
    let adaptive = expect(terra, &scale, Spending { first: 3, step: 3, cap: 12 });
    let first = expect(terra, &scale, Spending { first: 3, step: 3, cap: 3 });
    assert!((first.seen - terra.mean()).abs() < 1e-12 && (first.pooled - terra.mean()).abs() < 1e-12, "{first:?}");
    assert!(adaptive.seen - terra.mean() > 0.005, "{adaptive:?}");
    assert!(adaptive.pooled - terra.mean() < -0.02, "{adaptive:?}");
}
