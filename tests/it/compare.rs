//! `seatrial compare`: the same tasks only, paired, with both tests, and nothing settled that isn't.

use crate::job_fixture::{fault, job_of, make, scored};
use crate::report::matches_schema;
use crate::support::{Suite, shared};
use seatrial::results::JobRecord;
use seatrial::stats::{paired, smallest_difference, tasks_to_find};
use serde_json::Value;

/// A job of one agent; `passes` of `attempts` attempts of each task pass.
fn counted(suite: &Suite, name: &str, passes: &[u32], attempts: u32, change: impl Fn(&mut JobRecord)) {
    let names: Vec<String> = (0..passes.len()).map(|i| format!("t-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut job = job_of(name, &names, &[("loop", Some(name))], attempts);
    for (i, task) in job.tasks.iter_mut().enumerate() {
        task.question_type = Some(["lookup", "negation"][i % 2].into());
    }
    change(&mut job);
    let ends = job.trials.iter().map(|trial| {
        let passes = passes[trial.task_index];
        // A number above the attempts stands for trials that all end as faults.
        if passes > attempts { fault("no engine") } else { scored(f64::from(trial.attempt <= passes)) }
    });
    let ends = ends.map(Some).collect();
    make(&suite.join(&format!("jobs/{name}")), &job, ends);
}

/// What two models did on the same thirty tasks, six attempts each.
const TERRA: [u32; 30] = [5, 6, 6, 6, 6, 5, 6, 6, 6, 6, 6, 6, 5, 5, 6, 5, 6, 5, 5, 3, 5, 5, 6, 6, 6, 0, 3, 2, 4, 6];
const LUNA: [u32; 30] = [5, 2, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5, 6, 6, 6, 6, 6, 0, 6, 5, 5, 6];

#[test]
fn two_jobs_are_compared_by_task_and_what_is_not_settled_is_called_so() {
    let suite = Suite::in_memory();
    counted(&suite, "terra", &TERRA, 6, |_| {});
    counted(&suite, "luna", &LUNA, 6, |_| {});
    let run = suite.run(&["compare", "jobs/terra", "jobs/luna"]).expect_code(0);
    insta::assert_snapshot!("compare_text", run.stdout);
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(
        "compare_md",
        suite.run(&["compare", "jobs/terra", "jobs/luna", "--format", "md"]).expect_code(0).stdout
    );
    let run = suite.run(&["compare", "jobs/terra", "jobs/luna", "--format", "json"]).expect_code(0);
    matches_schema("compare.json", &run.stdout);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let all = &json["pairs"][0]["all"];
    assert_eq!(all["better"], Value::Null);
    assert_eq!(
        (&json["arms"][0]["places"], &json["arms"][1]["places"]),
        (&serde_json::json!([1, 2]), &serde_json::json!([1, 2]))
    );
}

#[test]
fn a_clear_difference_is_settled_and_several_agents_get_places() {
    let suite = Suite::in_memory();
    counted(&suite, "weak", &[0; 12], 3, |_| {});
    counted(&suite, "strong", &[3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3], 3, |_| {});
    counted(&suite, "level", &[3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3], 3, |_| {});
    let run = suite.run(&["compare", "jobs/weak", "jobs/strong"]).expect_code(0);
    assert!(run.stdout.contains("  better        B\n"), "{}", run.stdout);
    let run = suite.run(&["compare", "jobs/weak", "jobs/strong", "jobs/level"]).expect_code(0);
    insta::assert_snapshot!("compare_three", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
}

#[test]
fn trials_without_a_reward_are_named_and_can_undo_a_difference() {
    let suite = Suite::in_memory();
    counted(&suite, "a", &[3; 8], 3, |_| {});
    // Better where it has rewards, but two thirds of its tasks have none.
    let mut passes = [9; 24];
    passes[..8].fill(3);
    counted(&suite, "lossy", &passes, 3, |_| {});
    let mut whole = [3; 24];
    whole[..8].fill(0);
    counted(&suite, "whole", &whole, 3, |_| {});
    let run = suite.run(&["compare", "jobs/whole", "jobs/lossy"]).expect_code(0);
    for expected in [
        "no data       16 of 24 tasks, in no difference: t-8, t-9, t-10,",
        "strict        -0.333 where each trial without a reward counts as failed",
        "better        not settled: the strict difference does not point the same way",
        "fault                 0     48",
    ] {
        assert!(run.stdout.contains(expected), "{expected}:\n{}", run.stdout);
    }
}

#[test]
fn other_tasks_are_refused_unless_the_common_part_is_asked_for() {
    let suite = Suite::in_memory();
    counted(&suite, "a", &[1, 2, 3], 3, |_| {});
    counted(&suite, "b", &[1, 2, 3, 3], 3, |job| job.tasks[1].content_digest = "sha256:other".into());
    let run = suite.run(&["compare", "jobs/a", "jobs/b"]).expect_code(2);
    insta::assert_snapshot!(run.stderr, @"
    error: failed to compare: 2 of the jobs' tasks are not the same in all of them
      another version in job `b`: `t-1`
      not in job `a`: `t-3`

    hint: `--common` compares the 2 that are the same; agents that ran on other tasks can't be compared
    ");
    let run = suite.run(&["compare", "jobs/a", "jobs/b", "--common"]).expect_code(0);
    let head: Vec<&str> = run.stdout.lines().take(4).collect();
    insta::assert_snapshot!(head.join("\n"), @"
    compared by task over 2 tasks
      not compared  2 tasks, not the same in all jobs: another version in job `b`:
                    `t-1`; not in job `a`: `t-3`
    ");
    for (args, error) in [
        (&["compare", "jobs/a"][..], "there is one agent only"),
        (&["compare", "jobs/a", "jobs/../jobs/a"], "named twice"),
        (
            &["compare", "jobs/a", "jobs/b", "--category", "lokup"],
            "`lokup` matches no category of a task; the categories are\n  lookup\n  negation\n\nhint: did you mean `lookup`?",
        ),
    ] {
        let run = suite.run(args).expect_code(2);
        assert!(run.stderr.contains(error), "{}", run.stderr);
    }
}

#[test]
fn what_is_not_compared_is_said_once_for_each_reason_in_the_order_of_names() {
    let suite = Suite::in_memory();
    counted(&suite, "a", &[1, 2], 3, |_| {});
    counted(&suite, "b", &[1; 40], 3, |_| {});
    let run = suite.run(&["compare", "jobs/a", "jobs/b"]).expect_code(2);
    let names = "`t-2`, `t-3`, `t-4`, `t-5`, `t-6`, `t-7`, `t-8`, `t-9`, `t-10`, `t-11` and 28 more";
    assert!(run.stderr.contains(&format!("\n  not in job `a`: {names}\n")), "{}", run.stderr);
    let run = suite.run(&["compare", "jobs/a", "jobs/b", "--common"]).expect_code(0);
    assert_eq!(run.stdout.matches("job `a`").count(), 1, "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    let run = suite.run(&["compare", "jobs/a", "jobs/b", "--common", "--format", "json"]).expect_code(0);
    matches_schema("compare.json", &run.stdout);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(json["left_out"].as_array().map(Vec::len), Some(38), "JSON has all of them");
}

#[test]
fn a_report_can_be_of_some_types_of_questions_and_says_so() {
    let suite = Suite::in_memory();
    counted(&suite, "a", &[3, 0, 3, 0, 3], 3, |_| {});
    let run = suite.run(&["report", "jobs/a", "--category", "look*"]).expect_code(0);
    assert!(run.stdout.contains("9 of 9 trials with a reward pass"), "{}", run.stdout);
    for (format, part) in [
        ("text", "only look*: 3 of 5 tasks"),
        ("md", "only look\\*: 3 of 5 tasks"),
        ("json", "\"part\": \"only look*: 3 of 5 tasks\""),
        ("html", "only look*: 3 of 5 tasks"),
    ] {
        let run = suite.run(&["report", "jobs/a", "--category", "look*", "--format", format]).expect_code(0);
        assert!(run.stdout.replace('\n', " ").contains(part), "{format}: {}", run.stdout);
    }
    let run = suite.run(&["report", "jobs/a", "--exclude-category", "lookup"]).expect_code(0);
    assert!(run.stdout.contains("0 of 6 trials with a reward pass"), "{}", run.stdout);
    let run = suite.run(&["report", "jobs/a", "--category", "lookup", "--exclude-category", "l*"]).expect_code(2);
    assert!(run.stderr.contains("job `a` has no task left"), "{}", run.stderr);
}

#[test]
fn differences_agree_with_the_reference_vectors() {
    let Some(shared) = shared("differences_agree_with_the_reference_vectors") else { return };
    let text = std::fs::read_to_string(shared.join("vectors/stat-vectors.json")).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let near = |found: f64, expected: &Value| {
        let expected = expected.as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
    };
    let rates = |counts: [u32; 30]| counts.map(|passes| f64::from(passes) / 6.0);
    let differences: Vec<f64> = rates(LUNA).iter().zip(rates(TERRA)).map(|(luna, terra)| luna - terra).collect();
    let (found, group) = (paired(&differences).expect("a number"), &vectors["paired"]);
    near(found.difference, &group["mean_diff"]);
    near(found.standard_error.expect("a number"), &group["se_paired"]);
    near(found.t.expect("a number"), &group["t"]);
    near(found.p_t.expect("a number"), &group["p_t"]);
    near(found.interval_95.expect("ends").0, &group["ci95_t"][0]);
    near(found.interval_95.expect("ends").1, &group["ci95_t"][1]);
    near(found.p_sign_flip, &group["sign_flip_exact_p"]);
    assert!(found.sign_flip_is_exact && found.differing == group["n_nonzero"].as_u64().expect("a number"));

    let variance = |case: &Value| {
        let of = |key: &str| case[key].as_f64().expect("a number");
        of("omega2") + of("sA2") / of("KA") + of("sB2") / of("KB")
    };
    let power = &vectors["power"];
    for case in power["cases"].as_array().expect("cases") {
        near(tasks_to_find(case["delta"].as_f64().expect("a number"), variance(case)), &case["n"]);
    }
    for case in power["mde"].as_array().expect("cases") {
        near(smallest_difference(case["n"].as_f64().expect("a number"), variance(case)), &case["mde"]);
    }
}

#[test]
fn the_same_judge_with_another_model_is_said_to_be_another() {
    let suite = Suite::in_memory();
    for (name, model) in [("a", "gpt-4.1"), ("b", "gpt-5")] {
        counted(&suite, name, &[1, 0, 1], 1, |job| {
            job.judge = "rubric".into();
            let asked = serde_json::json!({"model": model, "base_url": "http://judge", "temperature": 0.0});
            let all = serde_json::json!({"models": [asked], "max_tokens": 1, "votes": 1, "timeout_sec": 1.0,
                "boundary": true, "words": ""});
            job.judge_parameters = Some(serde_json::from_value(all).expect("parameters"));
        });
    }
    let run = suite.run(&["compare", "jobs/a", "jobs/b", "--format", "json"]).expect_code(0);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let note = json["judges_differ"][0].as_str().expect("a note");
    assert!(note.starts_with("the judge `rubric` of `a` is set otherwise in `b`: `models` was "), "{note}");
    assert!(note.contains("gpt-4.1") && note.contains("gpt-5"), "{note}");
}

#[test]
fn grades_of_different_judges_are_no_comparison_in_any_format_until_one_judge_has_graded_all() {
    let suite = Suite::in_memory();
    counted(&suite, "weak", &[0; 12], 3, |_| {});
    counted(&suite, "strong", &[3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3], 3, |_| {});
    counted(&suite, "other", &[3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3], 3, |job| job.judge = "letter".into());
    let compare = |args: &[&str]| suite.run(&[&["compare"], args].concat()).expect_code(0);
    let run = compare(&["jobs/weak", "jobs/other"]);
    let head = "not like for like: different judges graded the agents, over 12 tasks\n  judges        the jobs have different \
                judges: letter, rules\n";
    assert!(run.stdout.starts_with(head), "{}", run.stdout);
    assert!(run.stdout.contains("  better        not settled: different judges graded them\n"), "{}", run.stdout);
    assert!(run.stderr.starts_with("warning: different judges graded the agents"), "{}", run.stderr);
    let md = compare(&["jobs/weak", "jobs/other", "--format", "md"]).stdout;
    assert!(md.starts_with("# Not like for like: different judges graded the agents, over 12 tasks\n"), "{md}");
    let html = suite.run(&["report", "jobs/weak", "jobs/other", "--format", "html"]).expect_code(0).stdout;
    assert!(html.contains("<h2>Not like for like: different judges graded the agents, over 12 tasks</h2>"));
    // Scripts that are run with something else judge otherwise.
    counted(&suite, "set", &[3; 12], 3, |job| job.verifier = Some(serde_json::json!({"env": {"MODE": "strict"}})));
    let run = compare(&["jobs/weak", "jobs/set"]);
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "judges the jobs run tasks' own scripts with different settings (`verifier` of the job file)";
    assert!(words.starts_with("not like for like") && words.contains(why), "{}", run.stdout);
    // Of three agents, those that one judge graded are told apart as before.
    let run = compare(&["jobs/weak", "jobs/strong", "jobs/other", "--format", "json"]);
    matches_schema("compare.json", &run.stdout);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let pairs = json["pairs"].as_array().expect("pairs").iter();
    let told: Vec<_> = pairs.map(|pair| (pair["same_judge"].clone(), pair["all"]["better"].clone())).collect();
    assert_eq!(told, [(true.into(), "b".into()), (false.into(), Value::Null), (false.into(), Value::Null)]);
    let places: Vec<_> = json["arms"].as_array().expect("arms").iter().map(|arm| arm["places"].to_string()).collect();
    assert_eq!(places, ["[2,3]", "[1,2]", "[1,3]"]);
}
