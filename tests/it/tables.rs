//! Tables of all verbs: what fits 80 columns, and that no name is cut.

use crate::job_fixture::{fault, job, job_of, make, scored};
use crate::support::Suite;

#[test]
fn the_text_fits_80_columns() {
    let suite = Suite::new();
    let long = "a-task-with-a-name-that-is-much-longer-than-any-column-of-the-table";
    let message = "no space left on device ".repeat(20);
    make(&suite.join("jobs/long"), &job("long", &[long], 2), vec![Some(fault(&message)), Some(scored(1.0))]);
    let run = suite.run(&["report", "jobs/long"]).expect_code(0);
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn tasks_agents_and_types_whose_long_names_begin_and_end_alike_are_told_apart_in_every_format() {
    let suite = Suite::in_memory();
    let names = [
        "a-long-name-of-a-suite-with-variant-1-of-its-question",
        "a-long-name-of-a-suite-with-variant-2-of-its-question",
    ];
    for agent in
        ["an-agent-with-a-long-name-before-the-change-of-it", "an-agent-with-a-long-name-behind-the-change-of-it"]
    {
        let mut record = job_of(agent, &names, &[(agent, Some("m"))], 1);
        record.tasks.iter_mut().for_each(|task| task.question_type = Some(format!("{}-type", task.name)));
        record.tasks[1].audit = Some("wrong".into());
        make(&suite.join(&format!("jobs/{}", &agent[26..32])), &record, vec![Some(scored(1.0)), Some(scored(0.0))]);
    }
    for format in ["text", "md", "html"] {
        let text = suite.run(&["report", "jobs/before", "--format", format]).expect_code(0).stdout;
        for name in names {
            assert!(text.contains(name) && text.contains(&format!("{name}-type")), "{format} {name}: {text}");
        }
        assert!(format != "text" || text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let text = suite.run(&["report", "jobs/before"]).expect_code(0).stdout;
    assert!(text.contains(&format!("\n  {} (wrong)\n  {:21}     0/1", names[1], "")), "{text}");
    let text = suite.run(&["compare", "jobs/before", "jobs/behind"]).expect_code(0).stdout;
    for agent in ["before", "behind"] {
        assert!(text.contains(&format!(": an-agent-with-a-long-name-{agent}-the-change-of-it (m)\n")), "{text}");
    }
    assert!(text.contains(&format!("{}-type\n", names[0])), "{text}");
}

/// An id that no column holds, though it fits a line.
const LONG: &str = "a-task-of-a-suite-whose-owners-like-names-that-say-everything-0001";

#[test]
fn tables_of_other_verbs_fit_80_columns_and_name_long_ids_whole() {
    let suite = crate::tiny::suite(&[LONG, "b"]);
    let narrow = |args: &[&str]| {
        let out = suite.command(args).env("COLUMNS", "80").output().expect("the binary starts");
        String::from_utf8(out.stdout).expect("UTF-8")
    };
    let dry = narrow(&["run", "tasks", "--dry-run"]);
    let line = |id: &str, said: &str| {
        let reason = "the label of this answer was chosen by hand and has a long story behind it";
        serde_json::json!({"id": id, "question": "How many?", "key": "42", "submission": said, "expected": 1.0,
            "answer_type": "count", "reason": reason})
        .to_string()
    };
    suite.write(
        "cases.jsonl",
        format!("{}\n{}\n", line(LONG, "I have counted 41 of them, again and again"), line("b", "42")),
    );
    let cases = narrow(&["judge-cases", "cases.jsonl"]);
    let rex = "TOP state pet:Rex/Cat ; dob";
    let town = crate::audit::town().asks(crate::audit::CLEAR, "Ann Ash", rex);
    town.write(&suite);
    let manifest =
        suite.read("vendor/suite.toml").replace("\"ledger\"", &format!("\"{}\"", LONG.trim_end_matches("-0001")));
    suite.write("vendor/suite.toml", &manifest);
    let (audit, doctor) = (narrow(&["audit"]), narrow(&["doctor"]));
    let forge =
        suite.run(&["forge", "--seed", "3", "--people", "150", "--questions", "12", "-o", "forged"]).expect_code(0);
    let entry = |i: usize| {
        let rates = serde_json::json!({"a-provider/a-model-with-a-long-name-2026-11-30": 0.5});
        let (id, kind) = (format!("t-{i}"), ["multi_entity_comparison", "comparison_tiebreak"][i % 2]);
        (id, serde_json::json!({"difficulty": "medium", "question_type": kind, "n": 6, "rates": rates}))
    };
    let entries: serde_json::Map<_, _> = (0..8).map(entry).collect();
    suite.write("c.json", serde_json::json!({ "tasks": entries }).to_string());
    let select = suite.run(&["select", "-k", "4", "--from", "c.json"]).expect_code(0).stderr;
    make(&suite.join("jobs/long"), &job("long", &[LONG, "b"], 6), (0..12).map(|_| Some(scored(1.0))).collect());
    let calibrate = suite.run(&["calibrate", "jobs/long"]).expect_code(0).stdout;
    for (verb, text) in [("forge", &forge.stdout), ("select", &select)] {
        let long = text.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{verb}:\n{text}");
        assert!(text.contains("multi_entity_comparison"), "{verb}:\n{text}");
    }
    for (verb, text) in
        [("run", dry), ("judge-cases", cases), ("audit", audit), ("doctor", doctor), ("calibrate", calibrate)]
    {
        let long = text.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{verb}:\n{text}");
        let id = if verb == "audit" { LONG.trim_end_matches("0001") } else { LONG };
        assert!(verb == "doctor" || text.contains(id), "{verb}:\n{text}");
    }
}

#[test]
fn where_no_terminal_is_a_row_of_a_table_is_one_line() {
    let suite = crate::tiny::suite(&[LONG, "b"]);
    let dockerfile = "an-image-with-a-name-that-is-too-long-to-stand-beside-anything-at-all:local";
    crate::tiny::task(&suite, LONG, dockerfile, "");
    let dry = suite.run(&["run", "tasks", "--dry-run"]).expect_code(0).stdout;
    let row = dry.lines().find(|line| line.starts_with(LONG)).expect("its row");
    assert!(row.ends_with(&format!("2048 MiB     1  {dockerfile}")), "{dry}");
    let mut doctor = suite.command(&["doctor"]);
    let out = doctor.env("DOCKER_HOST", format!("unix:///{LONG}/{LONG}.sock")).output().expect("it starts");
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let row = said.lines().find(|line| line.starts_with("PROBLEM  engine")).expect("its row");
    assert!(row.contains(&format!("{LONG}.sock")), "{said}");
}
