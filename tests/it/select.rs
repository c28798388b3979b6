//! `seatrial select`: a subset that stands for the whole, and what is said about it.

use crate::support::{Suite, shared};
use serde_json::{Value, json};

/// A calibration of `n` tasks that two models tried six times each.
fn calibration(n: usize) -> Value {
    let task = |i: usize| {
        let entry = json!({
            "source_difficulty": (["easy", "medium", "hard"][i % 3]),
            "question_type": (["negation", "aggregation"][i / 3 % 2]),
            "n": 6,
            "pass_at_bare": 0.5,
            "rates": {"alpha": (i % 7) as f64 / 6.0, "beta": (i * 5 % 7) as f64 / 6.0},
        });
        (format!("task-{i}"), entry)
    };
    json!({ "tasks": (0..n).map(task).collect::<serde_json::Map<_, _>>() })
}

fn objective(stderr: &str) -> f64 {
    let line = stderr.lines().find_map(|line| line.strip_prefix("objective ")).expect("an objective");
    line.split(':').next().expect("a number").parse().expect("a number")
}

#[test]
fn a_subset_keeps_the_mix_and_says_that_its_own_scores_are_no_measurement() {
    let suite = Suite::new();
    suite.write("c.json", calibration(42).to_string());
    let run = suite.run(&["select", "-k", "14", "--from", "c.json"]).expect_code(0);
    let chosen: Vec<usize> =
        run.stdout.lines().map(|id| id.strip_prefix("task-").expect("an id").parse().expect("a number")).collect();
    assert_eq!(chosen.len(), 14);
    assert!(chosen.is_sorted_by(|a, b| a < b), "the file's order, nothing twice: {chosen:?}");
    for (stratum, wanted) in [(0, 5), (1, 4), (2, 5)] {
        let found = chosen.iter().filter(|i| *i % 3 == stratum).count();
        assert!(found.abs_diff(wanted) <= 1, "{stratum}: {found}");
    }
    assert!(run.stderr.contains("no independent\nmeasurement"), "{}", run.stderr);
    assert!(run.stderr.contains("passes of alpha") && run.stderr.contains("type negation"), "{}", run.stderr);
    assert!(objective(&run.stderr) < 10.0, "{}", run.stderr);
    let again = suite.run(&["select", "-k", "14", "--from", "c.json"]).expect_code(0);
    assert_eq!(again.stdout, run.stdout, "same inputs, same subset");
}

#[test]
fn what_is_missing_in_the_calibration_is_named_for_every_task_and_taken_from_the_tasks_where_they_have_it() {
    let suite = Suite::new();
    let mut file = calibration(3);
    file["tasks"]["task-1"] = json!({"question_type": "negation"});
    file["tasks"]["task-2"]["rates"] = json!({"alpha": 1.5});
    suite.write("c.json", file.to_string());
    let run = suite.run(&["select", "-k", "2", "--from", "c.json"]).expect_code(2);
    insta::assert_snapshot!(run.stderr, @r#"
    error: 2 entries of the calibration can't be used
    `task-1`: no `source_difficulty`, `n` is not a number of attempts, no pass rate
    `task-2`: the rate of `alpha` is not a number from 0 to 1

    hint: difficulties are measured by `seatrial run tasks --calibrate --job-name measured`, then `seatrial calibrate jobs/measured -o calibration.json`, then `seatrial stamp tasks --calibration calibration.json`; `--tasks tasks` takes types, and difficulties that you know, from tasks; an entry is {"source_difficulty": "hard", "question_type": "negation", "n": 6, "rates": {"MODEL": 0.5}}
    "#);
    file["tasks"]["task-1"] = json!({"n": 6, "rates": {"alpha": 0.5, "beta": 1}});
    file["tasks"]["task-2"]["rates"] = json!({"alpha": 1, "beta": 0});
    suite.write("c.json", file.to_string());
    suite.write("tasks/task-1/task.toml", "[metadata]\nquestion_type = \"negation\"\ndifficulty = \"easy\"\n");
    suite.write("tasks/task-1/instruction.md", "Which?\n").write("tasks/task-1/environment/Dockerfile", "FROM x\n");
    suite.write("tasks/task-1/tests/test.sh", "true\n");
    suite.run(&["select", "-k", "2", "--from", "c.json", "--tasks", "tasks"]).expect_code(0);
    let run = suite.run(&["select", "-k", "4", "--from", "c.json", "--tasks", "tasks"]).expect_code(2);
    assert_eq!(run.stderr, "error: failed to choose 4 of 3 tasks\n\nhint: `-k` is a number from 1 to 3\n");
    let run = suite.run(&["select", "-k", "4", "--from", "nowhere.json"]).expect_code(2);
    assert!(run.stderr.contains("`nowhere.json`") && run.stderr.contains("hint: difficulties are measured by"));
}

#[test]
fn types_are_not_needed_and_their_want_is_said() {
    let suite = Suite::new();
    let mut file = calibration(42);
    let untyped = |file: &mut Value, some: &[usize]| {
        for i in some {
            file["tasks"][format!("task-{i}")].as_object_mut().expect("an entry").remove("question_type");
        }
    };
    untyped(&mut file, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    suite.write("c.json", file.to_string());
    let run = suite.run(&["select", "-k", "14", "--from", "c.json"]).expect_code(0);
    let warning = "warning: 9 of 42 tasks have no `question_type`: they count as one type\n\nhint: `--tasks DIR`";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert!(run.stderr.contains("type (none)") && run.stderr.contains("type negation"), "{}", run.stderr);
    untyped(&mut file, &(9..42).collect::<Vec<_>>());
    suite.write("c.json", file.to_string());
    let run = suite.run(&["select", "-k", "14", "--from", "c.json"]).expect_code(0);
    assert_eq!(run.stdout.lines().count(), 14);
    let warning = "warning: 42 of 42 tasks have no `question_type`: the mix of types is left to chance";
    assert!(run.stderr.contains(warning) && !run.stderr.contains("\ntype "), "{}", run.stderr);
    assert!(run.stderr.contains("passes of alpha"), "what is known is kept: {}", run.stderr);
}

#[test]
fn the_known_instance_is_solved_as_well_as_by_an_exact_solver() {
    let Some(shared) = shared("the_known_instance_is_solved_as_well_as_by_an_exact_solver") else { return };
    let text = std::fs::read_to_string(shared.join("vectors/sampling-instance.json")).expect("the instance");
    let instance: Value = serde_json::from_str(&text).expect("JSON");
    let of = instance["n_rollouts"].as_f64().expect("a number");
    let rate = |model: &str, i: usize| instance[model][i].as_f64().expect("passes") / of;
    let task = |i: usize| {
        let entry = json!({
            "source_difficulty": instance["difficulty"][i],
            "question_type": instance["type"][i],
            "n": of as u64,
            // Rounded as published files are.
            "terra_pass_at_bare": (rate("terra", i) * 1e4).round() / 1e4,
            "luna_pass_at_bare": (rate("luna", i) * 1e4).round() / 1e4,
        });
        (format!("task-{i}"), entry)
    };
    let tasks = (0..instance["type"].as_array().expect("types").len()).map(task);
    let suite = Suite::new();
    suite.write("c.json", json!({ "tasks": tasks.collect::<serde_json::Map<_, _>>() }).to_string());
    let run = suite.run(&["select", "-k", "30", "--from", "c.json"]).expect_code(0);
    assert!(objective(&run.stderr) <= 5.2, "{}", run.stderr);
}
