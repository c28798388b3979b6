//! What `seatrial stamp` writes into task files, and what it leaves alone.

use crate::support::{Suite, shared};
use std::path::Path;

/// A file that is hard to keep: byte order mark, CRLF, odd spacing, comments everywhere, no end of the last line.
const ODD: &str = "\u{feff}# mine\r\nschema_version = '1.4'\r\n\r\n[metadata] # about\r\n  difficulty   =  \"easy\"  # measured?\r\nsource_difficulty=\"easy\"\r\n# end";

fn suite() -> Suite {
    let suite = Suite::new();
    suite.write("tasks/one/task.toml", ODD).write("tasks/two/task.toml", "[metadata]\ndifficulty = \"hard\"\n");
    suite
}

fn tiers(one: &str, two: &str) -> String {
    format!(r#"{{"model": "m", "tasks": {{"one": {{"tier": "{one}", "n": 6}}, "two": {{"tier": "{two}"}}}}}}"#)
}

#[test]
fn only_the_difficulty_changes_and_a_second_stamp_changes_nothing() {
    let suite = suite();
    suite.write("c.json", tiers("hard", "hard"));
    let stamp = ["stamp", "tasks", "--calibration", "c.json"];
    let run = suite.run(&stamp).expect_code(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "1 stamped, 1 unchanged\n"));
    let wanted = ODD.replace("=  \"easy\"  #", "=  \"hard\"  #");
    assert_eq!(suite.read("tasks/one/task.toml"), wanted);
    let run = suite.run(&stamp).expect_code(0);
    assert_eq!(run.stderr, "0 stamped, 2 unchanged\n");
    assert_eq!(suite.read("tasks/one/task.toml"), wanted);
    let left: Vec<_> = std::fs::read_dir(suite.join("tasks/one")).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file stays behind");
}

#[test]
fn a_dry_run_shows_the_lines_and_changes_nothing() {
    let suite = suite();
    suite.write("c.json", tiers("medium", "easy"));
    let run = suite.run(&["stamp", "tasks", "--calibration", "c.json", "--dry-run"]).expect_code(0);
    insta::assert_snapshot!(run.stdout, @r#"
    tasks/one/task.toml:5
    -  difficulty   =  "easy"  # measured?
    +  difficulty   =  "medium"  # measured?
    tasks/two/task.toml:2
    -difficulty = "hard"
    +difficulty = "easy"
    "#);
    assert_eq!(run.stderr, "2 would be stamped, 0 unchanged\n");
    assert_eq!(suite.read("tasks/one/task.toml"), ODD);
}

#[test]
fn tasks_and_entries_without_a_partner_are_named() {
    let suite = suite();
    suite.write("c.json", r#"{"tasks": {"one": {"tier": null}, "three": {"tier": "easy"}}}"#);
    let run = suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(0);
    insta::assert_snapshot!(run.stderr, @r"
    warning: no entry in the calibration, left alone: two
    warning: no such task in the dataset, entry not used: three
    warning: tier still open in the calibration, left alone: one
    0 stamped, 0 unchanged
    ");
}

#[test]
fn bad_ids_and_tiers_are_refused_together_before_anything_is_written() {
    let suite = suite();
    let bad = r#"{"tasks": {"one": {"tier": "hard"}, "../two": {"tier": "easy"}, "": {"tier": "easy"},
                  "two": {"tier": "Hard"}, "x": {"tier": 3}, "y": {}, "z": "easy", "one": {"tier": "easy"}}}"#;
    suite.write("c.json", bad);
    let run = suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(2);
    for part in [
        "`../two`: not the name of a task folder",
        "``: not the name",
        "`two`: no such tier as `Hard`",
        "`x`: no such tier as `3`",
        "`y`: has no `tier`",
        "`z`: not an object",
        "`one`: is there twice",
        "hint: an id is a task folder's name",
    ] {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    assert_eq!(suite.read("tasks/one/task.toml"), ODD);
}

#[test]
fn a_file_that_is_no_calibration_or_a_task_that_is_no_toml_stamps_nothing() {
    let suite = suite();
    for (text, part) in [
        ("", "failed to parse `c.json`"),
        ("{}", "missing field `tasks`"),
        (r#"{"tasks": []}"#, "an object with one entry per task"),
        (r#"{"tasks": {"nobody": {"tier": "easy"}}}"#, "no entry of `c.json` belongs to a task in `tasks`"),
    ] {
        suite.write("c.json", text);
        let run = suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(2);
        assert!(run.stderr.contains(part) && run.stderr.contains("hint: "), "{}", run.stderr);
    }
    suite.write("tasks/two/task.toml", "[metadata").write("c.json", tiers("hard", "easy"));
    let run = suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(2);
    assert!(run.stderr.contains("`tasks/two/task.toml`: failed to parse"), "{}", run.stderr);
    assert_eq!(suite.read("tasks/one/task.toml"), ODD);
    let run = suite.run(&["stamp", "tasks", "--calibration", "none.json"]).expect_code(2);
    assert!(run.stderr.contains("failed to read `none.json`"), "{}", run.stderr);
}

#[test]
fn a_measurement_is_kept_beside_the_tier_where_the_calibration_has_one() {
    let suite = suite();
    suite.write("c.json", r#"{"tasks": {"two": {"tier": "hard", "calibration": {"n": 6, "c": 0, "mass": 0.905}}}}"#);
    suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(0);
    let wanted = "[metadata]\ndifficulty = \"hard\"\n\n[metadata.calibration]\nn = 6\nc = 0\nmass = 0.905\n";
    assert_eq!(suite.read("tasks/two/task.toml"), wanted);
}

#[test]
fn a_check_fails_where_an_older_stamp_stands_though_the_calibration_tells_no_tier_any_more() {
    let suite = suite();
    let check = ["stamp", "tasks", "--calibration", "c.json", "--check"];
    suite.write("c.json", r#"{"tasks": {"two": {"tier": "hard", "calibration": {"n": 6, "c": 0}}}}"#);
    suite.run(&check[..4]).expect_code(0);
    suite.run(&check).expect_code(0);
    // Measured on, and no longer sure of it; nothing was ever measured of the other one.
    suite.write("c.json", r#"{"tasks": {"one": {"tier": null}, "two": {"tier": null}}}"#);
    let stamped = suite.read("tasks/two/task.toml");
    for (args, code) in [(&check[..4], 0), (&check[..], 1)] {
        let run = suite.run(args).expect_code(code);
        assert!(
            run.stderr.contains("warning: tier still open in the calibration, left alone: one\n"),
            "{}",
            run.stderr
        );
        let stands = "warning: tier open by now in the calibration, but an older stamp stands: two\n";
        assert!(run.stderr.contains(stands) && run.stderr.contains("hint: measure these on"), "{}", run.stderr);
        assert_eq!(suite.read("tasks/two/task.toml"), stamped);
    }
    suite.write("tasks/two/task.toml", "[metadata]\n");
    suite.run(&check).expect_code(0);
}

#[test]
fn a_dry_run_shows_what_changes_and_nothing_that_stands_between() {
    let suite = suite();
    let stands = "[metadata.ideal]\nsteps = 3\nsource = \"jobs/a\"\n";
    suite.write(
        "tasks/two/task.toml",
        format!("[metadata]\ndifficulty = \"hard\"\n\n{stands}\n[agent]\ntimeout_sec = 7\n"),
    );
    suite.write("c.json", r#"{"tasks": {"two": {"tier": "easy", "calibration": {"n": 6, "c": 6}}}}"#);
    let stamp = ["stamp", "tasks", "--calibration", "c.json"];
    let shown = suite.run(&[&stamp[..], &["--dry-run"]].concat()).expect_code(0).stdout;
    insta::assert_snapshot!(shown, @r#"
    tasks/two/task.toml:2
    -difficulty = "hard"
    +difficulty = "easy"
    tasks/two/task.toml:7
    +
    +[metadata.calibration]
    +n = 6
    +c = 6
    "#);
    suite.run(&stamp).expect_code(0);
    assert!(suite.read("tasks/two/task.toml").contains(stands));
}

#[test]
fn the_published_calibration_stamps_the_published_tasks() {
    let Some(shared) = shared("the_published_calibration_stamps_the_published_tasks") else { return };
    let suite = Suite::new();
    let dataset = shared.join("contextbench/dataset");
    for dir in std::fs::read_dir(&dataset).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let name = dir.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(dir.join("task.toml")).unwrap();
        // Stamped otherwise first, so that there is something to do.
        let text = text.replace("\ndifficulty = \"hard\"", "\ndifficulty = \"medium\"");
        suite.write(&format!("tasks/{name}/task.toml"), text);
    }
    let calibration = dataset.join("calibration.json");
    let stamp = ["stamp", "tasks", "--calibration", calibration.to_str().unwrap()];
    let run = suite.run(&stamp).expect_code(0);
    assert_eq!(run.stderr, "18 stamped, 12 unchanged\n");
    for dir in std::fs::read_dir(suite.join("tasks")).unwrap().map(|e| e.unwrap().path()) {
        let published = dataset.join(dir.file_name().unwrap()).join("task.toml");
        assert_eq!(read(&dir.join("task.toml")), read(&published));
    }
    assert_eq!(suite.run(&stamp).expect_code(0).stderr, "0 stamped, 30 unchanged\n");
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a task file")
}
