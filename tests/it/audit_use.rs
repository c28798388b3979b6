//! The audit in use: `run` says which keys aren't proved, the job's record keeps it, reports show the score without bad
//! keys, and `stamp` writes the verdicts into tasks.
#![expect(clippy::unwrap_used, reason = "what a test needs and doesn't get fails it")]

use crate::audit::{CLEAR, Town, town};
use crate::support::{Run, Suite};
use crate::tiny::fake;
use serde_json::Value;

const OLDEST: &str = "TOP state pet:Rex/Cat ; dob";

/// Tasks with a right key, a wrong one, a tie, an ambiguous one, and one without a plan.
fn five() -> Town {
    let vague = "Who is the oldest in the same state as the owner of the cat named 'Rex' (that person included)?";
    town()
        .asks(CLEAR, "Cy Cedar", OLDEST)
        .asks(CLEAR, "Ann Ash", OLDEST)
        .asks(CLEAR, "Ann Ash", "TOP state pet:Rex ; cards")
        .asks(vague, "Cy Cedar", OLDEST)
        .asks("What is right?", "Nobody knows", "")
}

/// A scratch directory with the suite in `vendor/` and its tasks in `tasks/`.
fn generated(town: &Town) -> Suite {
    let suite = Suite::in_memory();
    town.write(&suite);
    suite.run(&["generate", "--all"]).expect_code(0);
    suite
}

/// A job in which every trial answers like this.
fn run(suite: &Suite, answer: &str, more: &[&str]) -> Run {
    let script = format!(r#"{{"default": {{"answer": "{answer}"}}}}"#);
    let args = ["run", "tasks", "-a", "command", "--command", "x", "--network", "no-network", "--job-name", "j", "-q"];
    fake(suite, &script, &[&args[..], more].concat())
}

fn verdicts(suite: &Suite) -> Vec<Value> {
    let record: Value = serde_json::from_str(&suite.read("jobs/j/seatrial.json")).unwrap();
    record["tasks"].as_array().unwrap().iter().map(|task| task["audit"].clone()).collect()
}

const WARNING: &str = "warning: 1 key is ambiguous: ledger-3\n\
                       warning: 1 key is wrong: ledger-1\n\
                       warning: 1 key is tied: ledger-2\n\
                       warning: 1 key is unproved: ledger-4\n\
                       \nhint: `seatrial audit` says why; `seatrial report` shows scores without bad keys as well\n";

#[test]
fn keys_that_are_not_proved_are_named_before_a_job_and_kept_with_it() {
    let suite = generated(&five());
    let dry = run(&suite, "Cy Cedar", &["--dry-run"]).expect_code(0);
    assert!(dry.stderr.contains(WARNING), "{}", dry.stderr);
    let ran = run(&suite, "Cy Cedar", &[]).expect_code(0);
    assert!(ran.stderr.starts_with(WARNING), "{}", ran.stderr);
    assert_eq!(verdicts(&suite), ["proved", "wrong", "tie", "ambiguous", "unproved"]);
}

#[test]
fn a_report_shows_the_score_with_and_without_bad_keys_and_each_verdict_beside_its_task() {
    let suite = generated(&five());
    run(&suite, "Cy Cedar", &[]).expect_code(0);
    let report = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
    let text = report("text");
    for part in [
        "  passes        2 of 5 trials with a reward pass: 40.0%",
        "  good keys     1 of 2 trials with a reward pass: 50.0%",
        "  bad keys      ledger-1 (wrong), ledger-2 (tie), ledger-3 (ambiguous)\n",
        "\n  ledger-0                  1/1",
        "\n  ledger-1 (wrong)          0/1",
        "\n  ledger-4 (unproved)       0/1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let markdown = report("md");
    for part in [
        "**2 of 5 trials with a reward pass: 40.0%**",
        "**Without bad keys, 1 of 2 pass: 50.0%**",
        "| task | key | passes |",
        "| ledger-1 | wrong | 0/1 |",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let arm = &json["arms"][0];
    assert_eq!((&arm["all"]["rewarded"], &arm["good_keys"]["all"]["rewarded"]), (&5.into(), &2.into()));
    assert_eq!(arm["good_keys"]["left_out"], serde_json::json!(["ledger-1", "ledger-2", "ledger-3"]));
    assert_eq!(arm["tasks"][2]["audit"], "tie");
}

#[test]
fn a_job_without_bad_keys_or_without_plans_says_nothing_of_keys() {
    for town in [town().asks(CLEAR, "Cy Cedar", OLDEST), town().asks(CLEAR, "Cy Cedar", "")] {
        let suite = generated(&town);
        let ran = run(&suite, "Cy Cedar", &[]).expect_code(0);
        assert!(!ran.stderr.contains("key"), "{}", ran.stderr);
        assert!(!ran.stdout.contains("keys"), "{}", ran.stdout);
    }
}

#[test]
fn plans_come_from_the_file_that_the_suite_names_or_the_user_does() {
    let suite = generated(&town().asks(CLEAR, "Ann Ash", ""));
    let manifest = suite.read("vendor/suite.toml");
    suite.write("vendor/suite.toml", manifest.replace("[questions]\n", "[questions]\nplans = \"../plans/p.json\"\n"));
    let dry = || run(&suite, "x", &["--dry-run"]).expect_code(0).stderr;
    assert!(dry().contains("warning: the answer keys are not audited: failed to read `vendor/../plans/p.json`"));
    suite.write("plans/p.json", format!(r#"{{"ledger-0": {{"plan": "{OLDEST}"}}}}"#));
    assert!(dry().contains("warning: 1 key is wrong: ledger-0\n"), "{}", dry());
    assert!(suite.run(&["audit"]).expect_code(1).stdout.contains("the answer is Cy Cedar"));

    suite.write("other.json", r#"{"ledger-0": {"plan": "TOP state pet:Rex ; jobs"}}"#);
    let named = run(&suite, "x", &["--dry-run", "--plans", "other.json"]).expect_code(0);
    assert!(named.stderr.contains("warning: 1 key is wrong"), "{}", named.stderr);
    let missing = run(&suite, "x", &["--plans", "none.json"]).expect_code(2);
    assert!(missing.stderr.contains("error: failed to read `none.json`"), "{}", missing.stderr);
    assert!(!suite.join("jobs").exists(), "nothing has begun");

    // Plans say how answers are found, so agents must not get them.
    std::fs::copy(suite.join("plans/p.json"), suite.join("vendor/files/copy.txt")).unwrap();
    let secret = suite.run(&["audit"]).expect_code(2).stderr;
    assert!(secret.contains("`vendor/files/copy.txt` is the plans file"), "{secret}");
}

#[test]
fn a_task_with_a_key_of_its_own_has_no_verdict() {
    let suite = generated(&five());
    let case = suite.read("tasks/ledger-1/tests/case.json");
    suite.write("tasks/ledger-1/tests/case.json", case.replace("Ann Ash", "Cy Cedar"));
    let ran = run(&suite, "Cy Cedar", &[]).expect_code(0);
    assert!(!ran.stderr.contains("wrong"), "{}", ran.stderr);
    assert_eq!(verdicts(&suite)[1], Value::Null);
}

#[test]
fn a_job_goes_on_when_its_keys_are_thought_of_otherwise() {
    let suite = generated(&town().asks(CLEAR, "Ann Ash", OLDEST));
    let script = r#"{"default": {"fault": "open"}}"#;
    let args = ["run", "tasks", "--network", "no-network", "--job-name", "j", "-r", "0", "-q"];
    fake(&suite, script, &args).expect_code(3);
    let questions = suite.read("vendor/questions.jsonl");
    suite.write("vendor/questions.jsonl", questions.replace(OLDEST, "TOP state pet:Rex/Cat ; salary"));
    stamp(&suite, 0);
    let resumed = fake(&suite, r#"{"default": {"answer": "Ann Ash"}}"#, &["resume", "jobs/j", "-q"]).expect_code(0);
    assert!(resumed.stdout.contains("1 of 1 trials with a reward pass"), "{}", resumed.stdout);
    assert_eq!(verdicts(&suite), ["wrong"], "as it was when the job began");
}

/// Audits the suite, which ends with `code`, and stamps what it found; what `stamp` said.
fn stamp(suite: &Suite, code: i32) -> String {
    suite.write("audit.json", suite.run(&["audit", "--format", "json"]).expect_code(code).stdout);
    suite.run(&["stamp", "tasks", "--audit", "audit.json"]).expect_code(0).stderr
}

fn content(suite: &Suite, task: &str) -> String {
    seatrial::task::digests(&suite.join("tasks").join(task)).unwrap().content
}

#[test]
fn verdicts_are_stamped_once_and_make_no_task_another_task() {
    let suite = generated(&five());
    let path = "tasks/ledger-1/task.toml";
    let before = format!("# mine\n{}", suite.read(path));
    suite.write(path, &before);
    let digest = content(&suite, "ledger-1");
    suite.write("audit.json", suite.run(&["audit", "--format", "json"]).expect_code(1).stdout);
    let dry = suite.run(&["stamp", "tasks", "--audit", "audit.json", "--dry-run"]).expect_code(0);
    assert!(dry.stdout.contains("\n+verdict = \"wrong\"\n"), "{}", dry.stdout);
    assert_eq!(suite.read(path), before);

    assert_eq!(stamp(&suite, 1), "5 stamped, 0 unchanged\n");
    let stamped = suite.read(path);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(lines(&before).iter().all(|line| lines(&stamped).contains(line)), "{stamped}");
    let table: toml::Table = stamped.parse().unwrap();
    let audit = &table["metadata"]["audit"];
    assert_eq!((audit["verdict"].as_str(), audit["answer"].as_str()), (Some("wrong"), Some("Cy Cedar")));
    for digest in ["corpus_digest", "plan_digest"] {
        assert!(audit[digest].as_str().unwrap().starts_with("sha256:"), "{stamped}");
    }
    let ambiguous: toml::Table = suite.read("tasks/ledger-3/task.toml").parse().unwrap();
    let readings = ambiguous["metadata"]["audit"]["readings"].as_array().unwrap();
    assert_eq!(readings[0].as_str(), Some("only the first address of the person described: Ann Ash"));
    assert_eq!(content(&suite, "ledger-1"), digest);
    assert_eq!(stamp(&suite, 1), "0 stamped, 5 unchanged\n");
    assert_eq!(suite.read(path), stamped);
    suite.run(&["lint", "tasks"]).expect_code(0);
}

#[test]
fn a_stamped_verdict_stays_in_a_task_that_is_written_again_until_its_key_changes() {
    let suite = generated(&five());
    stamp(&suite, 1);
    let again = suite.run(&["generate", "--all"]).expect_code(0).stderr;
    assert!(again.ends_with("0 written, 0 replaced, 5 unchanged\n"), "{again}");
    suite.write("vendor/questions.jsonl", suite.read("vendor/questions.jsonl").replace("Ann Ash", "Di Dale"));
    let again = suite.run(&["generate", "--all"]).expect_code(0).stderr;
    assert!(again.contains("ledger-1: replaced, and its stamp dropped"), "{again}");
    assert!(!suite.read("tasks/ledger-1/task.toml").contains("audit"));
}

#[test]
fn an_audit_of_another_key_or_a_file_that_is_no_audit_stamps_nothing() {
    let suite = generated(&five());
    let case = suite.read("tasks/ledger-1/tests/case.json");
    suite.write("tasks/ledger-1/tests/case.json", case.replace("Ann Ash", "Cy Cedar"));
    let said = stamp(&suite, 1);
    assert!(
        said.contains("warning: another key or other documents than in the audit, left alone: ledger-1\n"),
        "{said}"
    );
    assert!(!suite.read("tasks/ledger-1/task.toml").contains("audit"));

    let audit = suite.read("audit.json");
    for (text, part) in [
        ("{}".to_owned(), "failed to read an audit from `a.json`: missing field `format`"),
        (audit.replace("\"format\": 1", "\"format\": 2"), "it has format 2, and 1 is understood"),
        (audit.replace("\"tie\",", "\"tied\","), "unknown variant `tied`"),
        (audit.replace("\"ledger-0\"", "\"../x\""), "`../x`: not the name of a task folder"),
    ] {
        suite.write("a.json", text);
        let run = suite.run(&["stamp", "tasks", "--audit", "a.json"]).expect_code(2);
        assert!(run.stderr.contains(part) && run.stderr.contains("hint: "), "{part}: {}", run.stderr);
    }
    let neither = suite.run(&["stamp", "tasks"]).expect_code(2);
    assert!(neither.stderr.contains("--calibration <FILE>|--audit <FILE>"), "{}", neither.stderr);
}
