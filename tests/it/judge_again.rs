//! `seatrial judge`: stored answers judged again, without running agents.

use crate::report::{keeps_to, matches_schema};
use crate::support::{Run, Suite};
use crate::tiny::{self, fake, fake_args, sealed, tally, trial};
use seatrial::results::OutcomeKind::{AgentError, NoAnswer, Scored, Ungraded};
use seatrial::results::Store;
use serde_json::Value;

/// What agents do: the key is 42 everywhere.
const ENGINE: &str = r#"{"tally": "tally.txt", "default": {"answer": "42"}, "tasks": {
    "wrong": [{"answer": "41"}], "silent": [{}], "breaks": [{"answer": "42", "exit": 7}]}}"#;

/// A judge that is down for two tasks, and wrong about one.
const JUDGE: &str = r#"{"default": {"reward": 1.0}, "tasks": {
    "wrong": {"reward": 1.0}, "down": {"failure": "no connection"}, "breaks": {"failure": "no connection"}}}"#;

fn judged_badly() -> Suite {
    let suite = tiny::suite(&["right", "wrong", "silent", "down", "breaks"]);
    suite.write("judge.json", JUDGE);
    let args = ["run", "--job-name", "one", "-q", "--scripted-judge", "judge.json", "--command", "true"];
    fake(&suite, ENGINE, &args).expect_code(3);
    suite
}

fn judge(suite: &Suite, args: &[&str]) -> Run {
    suite.run(&fake_args(&[&["judge", "jobs/one"], args].concat()))
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn another_judges_verdicts_lie_beside_and_what_was_ungraded_gets_them() {
    let suite = judged_badly();
    let dir = suite.join("jobs/one");
    let ends = |suite: &Suite| {
        ["right", "wrong", "silent", "down", "breaks"].map(|t| {
            let record = trial(&suite.join("jobs/one"), t);
            (record.outcome, record.reward)
        })
    };
    let before = [(Scored, Some(1.0)), (Scored, Some(1.0)), (NoAnswer, Some(0.0)), (Ungraded, None), (Ungraded, None)];
    assert_eq!(ends(&suite), before);
    let names = ["right", "wrong", "silent"].map(|task| trial(&dir, task).trial.name);
    let kept = names.each_ref().map(|name| sealed(&dir, name));
    let runs = tally(&suite);

    let run = judge(&suite, &["--judge", "rules"]).expect_code(0);
    assert!(run.stdout.starts_with("judge rules: 4 answers judged, 3 changed, 0 ungraded\n"), "{}", run.stdout);
    assert!(run.stdout.contains(&names[1]), "{}", run.stdout);
    let after =
        [(Scored, Some(1.0)), (Scored, Some(1.0)), (NoAnswer, Some(0.0)), (Scored, Some(1.0)), (AgentError, Some(1.0))];
    assert_eq!(ends(&suite), after, "sealed verdicts stay, the ungraded get one");
    assert_eq!(tally(&suite), runs, "no agent ran");
    for (name, kept) in names.iter().zip(kept) {
        let mut now = sealed(&dir, name);
        now.retain(|path, _| !path.contains("judgments"));
        assert_eq!(now, kept, "{name}");
    }

    let second = judge(&suite, &["--judge", "rules", "--format", "json"]).expect_code(0);
    keeps_to("judge.json", &second.stdout, "/entries/0");
    let second = json(&second);
    let counts = ["judged", "changed", "ungraded", "known"].map(|key| second[key].as_u64().expect("a number"));
    assert_eq!(counts, [4, 1, 0, 4], "a second pass asks nobody: {second}");
    let third = json(&judge(&suite, &["--judge", "rules", "--format", "json", "--no-cache"]).expect_code(0));
    assert_eq!(third["known"], 0);

    let report = |judge: &[&str]| {
        let args = [&["report", "jobs/one", "--format", "json"], judge].concat();
        json(&suite.run(&args).expect_code(0))
    };
    let rewards = |report: &Value| {
        let trials = report["trials"].as_array().expect("trials").iter();
        trials.map(|t| t["reward"].as_f64().expect("a reward")).sum::<f64>()
    };
    assert_eq!((rewards(&report(&[])), rewards(&report(&["--judge", "rules"]))), (4.0, 3.0));
    let run = suite.run(&["report", "jobs/one", "--judge", "nobody"]).expect_code(2);
    assert!(
        run.stderr.contains("has no verdicts of one judge `nobody`; there are those of `rules` ("),
        "{}",
        run.stderr
    );
}

#[test]
fn a_headline_says_how_many_trials_another_judge_graded() {
    let suite = judged_badly();
    let text = |args: &[&str]| suite.run(args).expect_code(0).stdout;
    assert!(!text(&["report", "jobs/one"]).contains("another judge"));
    judge(&suite, &["--judge", "rules"]).expect_code(0);
    let by = trial(&suite.join("jobs/one"), "down").judged_by.expect("another judge");
    assert!(by.judge == "rules" && by.digest.starts_with("sha256:"), "{by:?}");
    assert_eq!(trial(&suite.join("jobs/one"), "right").judged_by, None);
    for format in ["text", "md", "html"] {
        let report = text(&["report", "jobs/one", "--format", format]);
        assert!(report.contains("2 trials were graded by another judge"), "{format}: {report}");
    }
    let report = text(&["report", "jobs/one", "--format", "json"]);
    matches_schema("report.json", &report);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let judges = report["arms"][0]["other_judges"].as_object().expect("judges");
    assert!(judges.len() == 1 && judges.iter().all(|(name, n)| name.starts_with("rules (") && n == 2), "{judges:?}");
    let args = ["run", "--job-name", "two", "-q", "--judge", "rules", "--command", "true"];
    fake(&suite, ENGINE, &args).expect_code(0);
    let run = text(&["compare", "jobs/one", "jobs/two", "--format", "json"]);
    assert!(run.contains("that another judge than the job's graded: 2, by rules ("), "{run}");
    keeps_to("compare.json", &run, "/arms/0/all");
    // With all verdicts of that judge, nothing is mixed.
    suite.run(&fake_args(&["judge", "jobs/two", "--judge", "rules"])).expect_code(0);
    let one_judge = text(&["compare", "jobs/one", "jobs/two", "--judge", "rules"]);
    assert!(one_judge.starts_with("compared by task over 5 tasks\n"), "{one_judge}");
    assert!(!text(&["report", "jobs/one", "--judge", "rules"]).contains("another judge"));
}

#[test]
fn a_judge_that_is_down_leaves_ungraded_what_was_and_can_be_asked_again() {
    let suite = judged_badly();
    let run = judge(&suite, &["--scripted-judge", "judge.json", "--format", "json"]).expect_code(3);
    keeps_to("judge.json", &run.stdout, "/spent");
    let counts = ["judged", "changed", "ungraded"].map(|key| json(&run)[key].as_u64().expect("a number"));
    assert_eq!(counts, [4, 0, 2], "{}", run.stdout);
    let shown = suite.run(&["report", "jobs/one", "--judge", "scripted"]).expect_code(0).stderr;
    let hint = "hint: `seatrial judge jobs/one --judge scripted`, with its models and votes as before, judges what";
    assert!(shown.contains(hint), "`resume` would not ask this judge: {shown}");
    suite.write("judge.json", r#"{"default": {"reward": 0.5}}"#);
    let run = judge(&suite, &["--scripted-judge", "judge.json"]).expect_code(0);
    assert!(run.stdout.contains("4 answers judged, 4 changed, 0 ungraded"), "{}", run.stdout);
    let down = trial(&suite.join("jobs/one"), "down");
    assert_eq!((down.outcome, down.reward), (Scored, Some(0.5)));
}

#[test]
fn a_job_that_runs_or_whose_tasks_have_changed_is_not_judged() {
    let suite = judged_badly();
    let held = Store::open(&suite.join("jobs/one")).expect("it opens");
    let run = judge(&suite, &[]).expect_code(2);
    assert!(run.stderr.contains("`jobs/one` is being run by"), "{}", run.stderr);
    drop(held);
    suite.write("tasks/right/tests/case.json", r#"{"input": "How many?", "ground_truth": "43"}"#);
    let run = judge(&suite, &[]).expect_code(2);
    assert!(run.stderr.contains("task `right` has changed"), "{}", run.stderr);
}

#[test]
fn a_verdict_is_taken_over_from_another_job_with_the_same_answer() {
    let suite = judged_badly();
    judge(&suite, &["--judge", "rules"]).expect_code(0);
    fake(&suite, ENGINE, &["run", "--job-name", "two", "-q", "--command", "true"]).expect_code(0);
    let run = suite.run(&fake_args(&["judge", "jobs/two", "--format", "json"])).expect_code(0);
    assert_eq!(json(&run)["known"], 4, "{}", run.stdout);
}
