//! Tasks chosen by their categories, types of questions and tags, from `run` to the report.

use crate::support::{Run, Suite};
use crate::tiny;
use serde_json::Value;

/// Three tasks: two types of questions, two tags, and one task with neither.
fn suite() -> Suite {
    let suite = tiny::suite(&["bare"]);
    tiny::task(&suite, "one", "fake", "[metadata]\nquestion_type = \"lookup\"\ntags = [\"lite\", \"dates\"]");
    tiny::task(&suite, "two", "fake", "[metadata]\nquestion_type = \"negation\"\ntags = [\"lite\"]");
    suite
}

fn run(suite: &Suite, job: &str, more: &[&str]) -> Run {
    let args = [&["run", "tasks", "-q", "--job-name", job, "-a", "nop"], more].concat();
    tiny::fake(suite, r#"{"default": {"answer": "42"}}"#, &args)
}

fn tasks(suite: &Suite, job: &str) -> Vec<String> {
    let mut tasks: Vec<String> =
        tiny::ledger(&suite.join(&format!("jobs/{job}"))).into_values().map(|end| end.trial.task).collect();
    tasks.sort();
    tasks
}

#[test]
fn only_tasks_of_the_wanted_categories_run_and_exclusion_wins() {
    let suite = suite();
    for (job, args, wanted) in [
        ("type", &["--category", "lookup"][..], &["one"][..]),
        ("tag", &["--category", "lite"], &["one", "two"]),
        ("both", &["--category", "lookup", "--category", "nega*"], &["one", "two"]),
        ("wins", &["--category", "lite", "--exclude-category", "dates"], &["two"]),
        ("without", &["--exclude-category", "lite"], &["bare"]),
        ("first", &["--category", "lite", "-l", "1"], &["one"]),
        ("names", &["--category", "lite", "-x", "one"], &["two"]),
    ] {
        run(&suite, job, args).expect_code(0);
        assert_eq!(tasks(&suite, job), wanted, "{args:?}");
    }
}

#[test]
fn a_category_that_no_task_has_is_named_with_those_that_there_are_and_nothing_runs() {
    let suite = suite();
    for flag in ["--category", "--exclude-category"] {
        let said = run(&suite, "j", &[flag, "lokup"]).expect_code(2).stderr;
        let wanted = "`lokup` matches no category of a task; the categories are\n  dates\n  lite\n  lookup\n  negation\n\n\
                      hint: did you mean `lookup`?\n";
        assert!(said.contains(wanted), "{said}");
        let said = run(&suite, "j", &[flag, "xy*"]).expect_code(2).stderr;
        assert!(said.contains("\n  negation\n") && !said.contains("hint"), "{said}");
    }
    let said = run(&suite, "j", &["--category", "lookup", "--exclude-category", "lite"]).expect_code(2).stderr;
    assert!(said.contains("no task is left"), "{said}");
    assert!(!suite.join("jobs").exists());
}

#[test]
fn a_resumed_job_keeps_its_choice_and_the_report_scores_types_and_tags() {
    let suite = suite();
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\nseatrial: {categories: [lite]}\n");
    run(&suite, "j", &[]).expect_code(0);
    suite.run(&["resume", "jobs/j", "-q", "--fake-engine", "engine.json"]).expect_code(0);
    assert_eq!(tasks(&suite, "j"), ["one", "two"]);
    let report: Value =
        serde_json::from_str(&suite.run(&["report", "jobs/j", "--format", "json"]).expect_code(0).stdout)
            .expect("JSON");
    let rows = report["arms"][0]["categories"].as_array().expect("categories");
    let rows: Vec<_> = rows.iter().map(|row| (&row["question_type"], &row["tag"], &row["tasks"])).collect();
    let found = format!("{rows:?}").replace("String(", "").replace("Number(", "").replace(')', "");
    let wanted = r#"[("lookup", Null, 1, ("negation", Null, 1, (Null, "dates", 1, (Null, "lite", 2]"#;
    assert_eq!(found, wanted);
    let text = suite.run(&["report", "jobs/j", "--exclude-category", "dates"]).expect_code(0).stdout;
    assert!(text.contains("tag lite") && !text.contains("lookup"), "{text}");
}
