//! `seatrial calibrate`: from the trials of jobs to tiers, and what is refused on the way.

use crate::job_fixture::{config, end, fault, job_of, no_answer, scored, ungraded, verdict};
use crate::support::Suite;
use seatrial::event::{Event, Outcome};
use seatrial::judge::Verdict;
use seatrial::results::{JobRecord, Store};
use serde_json::Value;

const MODELS: [(&str, Option<&str>); 2] = [("solver", Some("alpha")), ("solver", Some("beta"))];

/// How the attempts of a task ended: `+` passed, `-` failed, `n` no answer, `e` an error of the agent's own, `x` its
/// command could not be started, `u` ungraded, `f` a fault, `a` passed by most votes of a judge and not by all, `.` not
/// ended.
fn outcome(mark: char) -> Option<Outcome> {
    Some(match mark {
        '+' => scored(1.0),
        '-' => scored(0.0),
        'n' => no_answer(),
        'e' => Outcome::AgentError { refused: false, reason: "it ended with exit code 3".into(), verdict: None },
        'x' => Outcome::AgentError { refused: false, reason: "it ended with exit code 127".into(), verdict: None },
        'u' => ungraded("the judge was out"),
        'a' => Outcome::Scored { verdict: Verdict { ambiguous: true, ..verdict(1.0, "two of three") } },
        'f' => fault("the engine was out"),
        _ => return None,
    })
}

/// Writes `jobs/<name>` in which each task's attempts ended so, the same for all models unless there is a line for each.
pub fn write(suite: &Suite, name: &str, models: &[(&str, Option<&str>)], tasks: &[(&str, &[&str])]) -> JobRecord {
    let names: Vec<&str> = tasks.iter().map(|(name, _)| *name).collect();
    let attempts = tasks.iter().map(|(_, marks)| marks[0].len()).max().expect("a task");
    let mut record = job_of(name, &names, models, attempts as u32);
    record.observed.id = format!("id-{name}");
    keep(suite, &record, tasks);
    record
}

pub fn keep(suite: &Suite, record: &JobRecord, tasks: &[(&str, &[&str])]) {
    let dir = suite.join(&format!("jobs/{}", record.name));
    let mut store = Store::create(&dir, record.clone(), config(&record.name)).expect("a new job");
    for (place, planned) in record.trials.iter().enumerate() {
        let marks = tasks[planned.task_index].1;
        let marks = marks.get(planned.agent_index).unwrap_or(&marks[0]);
        let mark = marks.chars().nth(planned.attempt as usize - 1).unwrap_or('.');
        let Some(outcome) = outcome(mark) else { continue };
        store.handle(&Event::TrialStarted { trial: place, retry: 0 }).expect("kept");
        let mut end = Box::new(end(planned, place, outcome));
        if let (Some(run), true) = (&mut end.agent, ['e', 'x'].contains(&mark)) {
            run.exit_code = Some(if mark == 'x' { 127 } else { 3 });
        }
        store.handle(&Event::TrialFinished { trial: place, end }).expect("kept");
    }
    store.handle(&Event::JobFinished).expect("kept");
}

pub fn calibration(suite: &Suite) -> Value {
    serde_json::from_str(&suite.read("c.json")).expect("JSON")
}

#[test]
fn tiers_are_told_only_where_they_are_likely_enough() {
    let suite = Suite::new();
    let tasks: [(&str, &[&str]); 6] = [
        ("always", &["++++++"]),
        ("never", &["-n-n--"]),
        ("half", &["+-+-+-"]),
        ("nearly", &["+++++-"]),
        ("two", &["++...."]),
        ("lost", &["+++fu."]),
    ];
    write(&suite, "a", &[("solver", Some("alpha"))], &tasks);
    let run = suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    insta::assert_snapshot!(run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    assert!(run.stderr.contains("seatrial stamp tasks --calibration c.json"), "{}", run.stderr);
    let found = calibration(&suite);
    let of = |task: &str| &found["tasks"][task];
    for (task, tier) in [("always", "easy"), ("never", "hard"), ("half", "medium")] {
        assert_eq!(of(task)["tier"], tier, "{task}");
        assert_eq!(of(task)["reference"]["status"], "stamped", "{task}");
        assert_eq!(of(task)["calibration"]["n"], 6);
    }
    assert_eq!((&of("nearly")["tier"], &of("nearly")["reference"]["needs_more"]), (&Value::Null, &16.into()));
    assert_eq!(of("two")["reference"]["needs_more"], 1, "three at least");
    // Half of the trials are missing: neither failed nor passed, and too many of them.
    let lost = &of("lost")["reference"];
    assert_eq!((&lost["n"], &lost["passes"], &lost["missing"]), (&3.into(), &3.into(), &3.into()));
    assert_eq!(lost["worst"], serde_json::json!(["medium", "easy"]));
    // The fields of published calibrations.
    assert_eq!((&of("nearly")["n"], &of("nearly")["pass_at_bare"]), (&6.into(), &0.8333.into()));
    let mass = of("always")["reference"]["masses"]["easy"].as_f64().expect("a chance");
    assert!((mass - 0.905_357_6).abs() < 1e-6, "{mass}");
    let bytes = suite.read("c.json");
    suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    assert_eq!(suite.read("c.json"), bytes, "the same jobs, the same bytes");
}

#[test]
fn a_prior_learnt_from_the_suite_is_kept_in_the_file_and_asks_more_of_what_stands_out() {
    let suite = Suite::new();
    let names: Vec<String> = (0..21).map(|i| format!("t-{i:02}")).collect();
    let marks: Vec<(&str, &[&str])> = names
        .iter()
        .enumerate()
        .map(|(i, n)| (n.as_str(), if i == 0 { &["------"][..] } else { &["++++++"] }))
        .collect();
    write(&suite, "a", &[("solver", None)], &marks);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    let found = calibration(&suite);
    let prior = &found["models"]["solver"]["prior"];
    assert_eq!((&prior["kind"], prior["weights"].as_array().map(Vec::len)), (&"hierarchical".into(), Some(200)));
    assert_eq!(found["tasks"]["t-01"]["tier"], "easy");
    assert_eq!(found["tasks"]["t-00"]["tier"], Value::Null, "0 of 6 among easy tasks needs more");
    let weights: f64 = prior["weights"].as_array().expect("weights").iter().filter_map(Value::as_f64).sum();
    assert!((weights - 1.0).abs() < 1e-9);
}

#[test]
fn several_models_need_a_reference_and_disagreements_are_flagged() {
    let suite = Suite::new();
    let tasks: [(&str, &[&str]); 3] =
        [("both", &["++++++", "++++++"]), ("split", &["++++++", "--++--"]), ("nobody", &["------", "------"])];
    write(&suite, "a", &MODELS, &tasks);
    let run = suite.run(&["calibrate", "jobs/a"]).expect_code(2);
    insta::assert_snapshot!(run.stderr, @"
    error: several agents were measured, and none is the reference; there are `solver (alpha)`, `solver (beta)`

    hint: `--reference NAME` says whose tiers are to be stamped, `--reference panel-mean` the mean of all
    ");
    for (slip, meant) in [("gamma", "beta"), ("alpa", "alpha"), ("slover", "solver"), ("panel-maen", "panel-mean")] {
        let run = suite.run(&["calibrate", "jobs/a", "--reference", slip]).expect_code(2);
        let guessed = run.stderr.contains(&format!("hint: did you mean `{meant}`?"));
        assert_eq!(guessed, slip != "gamma", "{}", run.stderr);
    }
    let told = |reference: &str| {
        suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--reference", reference]).expect_code(0);
        let found = calibration(&suite);
        ["both", "split", "nobody"].map(|task| found["tasks"][task]["tier"].as_str().unwrap_or("open").to_owned())
    };
    assert_eq!(told("alpha"), ["easy", "easy", "open"]);
    let found = calibration(&suite);
    assert_eq!(found["tasks"]["split"]["flags"], serde_json::json!(["model-split"]));
    assert_eq!(found["tasks"]["nobody"]["flags"], serde_json::json!(["suspect-key"]));
    assert_eq!(found["tasks"]["nobody"]["reference"]["status"], "blocked");
    assert_eq!(found["tasks"]["split"]["models"]["solver (beta)"]["passes"], 2);
    assert_eq!(told("beta"), ["easy", "open", "open"]);
    assert_eq!(told("panel-mean"), ["easy", "medium", "open"]);
    let found = calibration(&suite);
    let mass = found["tasks"]["both"]["reference"]["masses"]["easy"].as_f64().expect("a chance");
    assert!((mass - 0.948_860_9).abs() < 1e-6, "{mass}");
    // A person's word, or a proof, lifts the suspicion.
    let run = suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--reference", "beta", "--signed", "nobody"]);
    run.expect_code(0);
    assert_eq!(calibration(&suite)["tasks"]["nobody"]["tier"], "hard");
    let run = suite.run(&["calibrate", "jobs/a", "--reference", "beta", "--signed", "nobdy"]).expect_code(2);
    assert!(run.stderr.contains("hint: did you mean `nobody`?"), "{}", run.stderr);
}

#[test]
fn a_task_with_a_bad_key_gets_no_tier_and_one_with_a_proved_key_may_be_hard() {
    let suite = Suite::new();
    let tasks: [(&str, &[&str]); 2] = [("wrong", &["++++++"]), ("proved", &["------"])];
    let mut record = job_of("a", &["wrong", "proved"], &MODELS, 6);
    record.tasks[0].audit = Some("wrong".into());
    record.tasks[1].audit = Some("proved".into());
    keep(&suite, &record, &tasks);
    let run = suite.run(&["calibrate", "jobs/a", "--reference", "alpha", "-o", "c.json"]).expect_code(0);
    let found = calibration(&suite);
    assert_eq!(found["tasks"]["wrong"]["flags"], serde_json::json!(["bad-key"]));
    assert_eq!(found["tasks"]["wrong"]["tier"], Value::Null);
    assert_eq!(found["tasks"]["proved"]["tier"], "hard");
    assert!(run.stdout.contains("bad-key       wrong: the audit calls the key bad"), "{}", run.stdout);
}

#[test]
fn a_key_that_one_job_calls_bad_stays_bad_in_whichever_order_jobs_are_named() {
    let suite = Suite::new();
    for (name, word) in [("a", "fragile"), ("b", "wrong")] {
        let mut record = job_of(name, &["one"], &[("solver", None)], 6);
        record.observed.id = format!("id-{name}");
        record.tasks[0].audit = Some(word.into());
        keep(&suite, &record, &[("one", &["++++++"])]);
    }
    for jobs in [["jobs/a", "jobs/b"], ["jobs/b", "jobs/a"]] {
        suite.run(&["calibrate", jobs[0], jobs[1], "-o", "c.json"]).expect_code(0);
        let one = &calibration(&suite)["tasks"]["one"];
        assert_eq!((&one["tier"], &one["flags"]), (&Value::Null, &serde_json::json!(["bad-key"])), "{jobs:?}");
    }
}

#[test]
fn jobs_are_added_up_only_where_everything_that_decides_is_the_same() {
    let suite = Suite::new();
    let half: [(&str, &[&str]); 1] = [("one", &["+++"])];
    write(&suite, "a", &[("solver", None)], &half);
    let second = write(&suite, "b", &[("solver", None)], &half);
    suite.run(&["calibrate", "jobs/a", "jobs/b", "-o", "c.json"]).expect_code(0);
    assert_eq!(calibration(&suite)["tasks"]["one"]["tier"], "easy", "three and three are six");
    let bytes = suite.read("c.json");
    suite.run(&["calibrate", "jobs/b", "jobs/a", "-o", "c.json"]).expect_code(0);
    assert_eq!(suite.read("c.json"), bytes, "in any order");
    let run = suite.run(&["calibrate", "jobs/a", "jobs/a"]).expect_code(2);
    assert!(run.stderr.contains("`jobs/a` is the same job as one before it"), "{}", run.stderr);
    let mut other = second;
    (other.name, other.observed.id, other.judge) = ("c".into(), "id-c".into(), "rubric".into());
    other.tasks[0].content_digest = "sha256:other".into();
    other.corpus = None;
    keep(&suite, &other, &half);
    let run = suite.run(&["calibrate", "jobs/a", "jobs/c"]).expect_code(2);
    insta::assert_snapshot!(run.stderr, @"
    error: the jobs can't be added up:
      the judge is `rules` in `jobs/a` and `rubric` in `jobs/c`
      the documents in `jobs/c` are others than in `jobs/a`
      task `one` in `jobs/c` is another version than in the jobs before

    hint: calibrate by jobs of the same tasks, agents, judge and documents; other ones apart
    ");
    // The same agent with another setting is another agent.
    let mut other = job_of("d", &["one"], &[("solver", None)], 3);
    other.observed.id = "id-d".into();
    let mut config = config("d");
    config["agents"][0]["kwargs"] = serde_json::json!({"effort": "high"});
    drop(Store::create(&suite.join("jobs/d"), other, config).expect("a new job"));
    let run = suite.run(&["calibrate", "jobs/a", "jobs/d"]).expect_code(2);
    assert!(run.stderr.contains("agent `solver` in `jobs/d` is set otherwise"), "{}", run.stderr);
}

#[test]
fn what_no_container_ran_measures_nothing() {
    let suite = crate::tiny::suite(&["one"]);
    crate::tiny::fake(&suite, r#"{"default": {"answer": "42"}}"#, &["run", "tasks", "--job-name", "j"]).expect_code(0);
    let run = suite.run(&["calibrate", "jobs/j", "-o", "c.json"]).expect_code(2);
    assert!(run.stderr.contains("`jobs/j` measures nothing: it ran on the fake engine (one__"), "{}", run.stderr);
    assert!(!suite.join("c.json").exists());
}

#[test]
fn a_stamp_keeps_the_evidence_and_goes_stale_with_its_task() {
    let suite = crate::tiny::suite(&["one", "two"]);
    let mut record = job_of("a", &["one", "two"], &[("solver", Some("alpha"))], 6);
    for task in &mut record.tasks {
        task.content_digest =
            seatrial::task::digests(&suite.join(&format!("tasks/{}", task.name))).expect("a task").content;
    }
    keep(&suite, &record, &[("one", &["++++++"]), ("two", &["+++++-"])]);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    let stamp = ["stamp", "tasks", "--calibration", "c.json"];
    let run = suite.run(&[&stamp[..], &["--check"]].concat()).expect_code(1);
    assert!(run.stderr.contains("1 would be stamped"), "{}", run.stderr);
    let run = suite.run(&stamp).expect_code(0);
    insta::assert_snapshot!(run.stderr, @"
    warning: tier still open in the calibration, left alone: two
    1 stamped, 0 unchanged
    ");
    let text = suite.read("tasks/one/task.toml");
    for part in [
        "difficulty = \"easy\"",
        "[metadata.calibration]",
        "mass = 0.9054",
        "n = 6",
        "c = 6",
        "thresholds = [0.2, 0.8]",
        "prior = \"jeffreys\"",
        "reference = \"solver (alpha)\"",
        "date = \"2023-11-14\"",
        "digests = { task = \"sha256:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let again = suite.run(&stamp).expect_code(0).stderr;
    assert!(again.contains("0 stamped, 1 unchanged"), "{again}");
    assert_eq!(suite.read("tasks/one/task.toml"), text, "a second stamp changes nothing");
    suite.run(&[&stamp[..], &["--check"]].concat()).expect_code(0);
    let run = suite.run(&["stamp", "tasks", "--check"]).expect_code(0);
    assert_eq!(run.stderr, "1 of 2 tasks stamped, and no stamp is stale\n");
    assert!(!suite.run(&["lint", "tasks"]).stdout.contains("stale"));
    suite.write("tasks/one/instruction.md", "How many, really?\n");
    let run = suite.run(&["stamp", "tasks", "--check"]).expect_code(1);
    assert!(run.stderr.starts_with("error: the calibration of `one` is stale: the task has changed"), "{}", run.stderr);
    let lint = suite.run(&["lint", "tasks"]).stdout;
    assert!(lint.contains("tasks/one/task.toml: warning: its calibration is stale: the task has changed"), "{lint}");
    // The old measurement is of another task now.
    let run = suite.run(&stamp).expect_code(0);
    assert!(
        run.stderr.contains("warning: not the task that was measured in the calibration, left alone: one"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_tier_is_explained_in_words_and_numbers() {
    let suite = Suite::new();
    write(&suite, "a", &MODELS, &[("one", &["++++++", "+++++f"]), ("two", &["+++++-", "------"])]);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--reference", "alpha"]).expect_code(0);
    suite.write("tasks/one/task.toml", "");
    let explain = |task: &str| suite.run(&["stamp", "tasks", "--calibration", "c.json", "--explain", task]);
    let (one, two) = (explain("one").expect_code(0).stdout, explain("two").expect_code(0).stdout);
    assert!(one.lines().chain(two.lines()).all(|line| line.chars().count() <= 80), "{one}{two}");
    insta::assert_snapshot!(format!("{one}\n{two}"));
    let run = explain("onee").expect_code(2);
    assert!(run.stderr.contains("`c.json` has no task `onee`\n\nhint: did you mean `one`?"), "{}", run.stderr);
}

#[test]
fn an_agent_that_never_worked_makes_no_task_hard() {
    for marks in ["eeeeee", "nnnnnn", "enenen", "xxxxxx"] {
        let suite = crate::tiny::suite(&["one", "two"]);
        write(&suite, "a", &[("solver", None)], &[("one", &[marks]), ("two", &[marks])]);
        let run = suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
        let begin = "warning: no tier is told by `solver`: every trial of it ended with an error of its own or without an \
            answer, so it measures the agent and not the tasks; one of them: ";
        assert!(run.stderr.contains(begin) && run.stderr.contains("\n\nhint: mend the agent"), "{}", run.stderr);
        let found = calibration(&suite);
        assert!(found["models"]["solver"]["broken"].as_str().is_some_and(|why| !why.is_empty()), "{found}");
        for task in ["one", "two"] {
            let of = &found["tasks"][task];
            assert_eq!((&of["tier"], &of["reference"]["status"]), (&Value::Null, &"agent-broken".into()), "{marks}");
            assert_eq!((&of["flags"], &of["n"]), (&serde_json::json!(["agent-broken"]), &6.into()));
        }
        assert!(
            run.stdout.contains("agent did not work") && run.stdout.contains("told          0 of 2"),
            "{}",
            run.stdout
        );
        crate::report::keeps_to("calibration.json", &suite.read("c.json"), "/tasks/one/reference");
        let stamp = suite.run(&["stamp", "tasks", "--calibration", "c.json"]).expect_code(0);
        assert!(stamp.stderr.ends_with("0 stamped, 0 unchanged\n"), "{}", stamp.stderr);
        let explain = suite.run(&["stamp", "tasks", "--calibration", "c.json", "--explain", "one"]).expect_code(0);
        assert!(explain.stdout.contains("not asked, since the agent did not work"), "{}", explain.stdout);
        assert!(run.stdout.lines().chain(explain.stdout.lines()).all(|line| line.chars().count() <= 80));
    }
}

#[test]
fn a_command_that_one_image_lacks_says_nothing_of_that_task_alone() {
    let suite = Suite::new();
    let tasks: [(&str, &[&str]); 4] =
        [("lacks-it", &["xxxxxx"]), ("crashes", &["eeeeee"]), ("hard", &["------"]), ("mixed", &["xx----"])];
    write(&suite, "a", &[("solver", None)], &tasks);
    let run = suite.run(&["calibrate", "jobs/a", "-o", "c.json"]).expect_code(0);
    assert!(!run.stderr.contains("warning"), "it works elsewhere: {}", run.stderr);
    let found = calibration(&suite);
    let of = |task: &str| (found["tasks"][task]["tier"].clone(), found["tasks"][task]["flags"].clone());
    assert_eq!(of("lacks-it"), (Value::Null, serde_json::json!(["agent-broken"])));
    assert_eq!(of("crashes"), ("hard".into(), serde_json::json!(["agent-errors"])), "a failure is the agent's");
    assert_eq!(of("hard"), ("hard".into(), serde_json::json!([])));
    assert_eq!(of("mixed"), ("hard".into(), serde_json::json!([])));
    assert!(run.stdout.contains("agent-broken  lacks-it: the agent did not work"), "{}", run.stdout);
    // A panel rests on all its members.
    let tasks: [(&str, &[&str]); 2] = [("one", &["++++++", "xxxxxx"]), ("two", &["++++++", "++++++"])];
    write(&suite, "b", &MODELS, &tasks);
    suite.run(&["calibrate", "jobs/b", "-o", "c.json", "--reference", "panel-mean"]).expect_code(0);
    let found = calibration(&suite);
    assert_eq!((&found["tasks"]["one"]["tier"], &found["tasks"]["two"]["tier"]), (&Value::Null, &"easy".into()));
    suite.run(&["calibrate", "jobs/b", "-o", "c.json", "--reference", "alpha"]).expect_code(0);
    assert_eq!(calibration(&suite)["tasks"]["one"]["tier"], "easy", "the reference itself works");
}

#[test]
fn a_check_without_a_stamp_says_that_there_is_none() {
    let suite = crate::tiny::suite(&["one", "two"]);
    let run = suite.run(&["stamp", "tasks", "--check"]).expect_code(0);
    insta::assert_snapshot!(run.stderr, @"
    no task in `tasks` is stamped, so there is nothing to check

    hint: `seatrial calibrate JOBDIR -o calibration.json`, then `seatrial stamp tasks --calibration calibration.json`
    ");
}

#[test]
fn a_calibration_is_as_its_schema_says() {
    let suite = Suite::new();
    let tasks: [(&str, &[&str]); 4] = [
        ("easy", &["++++++", "++++++"]),
        ("split", &["++++++", "--++--"]),
        ("lost", &["+++fu.", "n-x+e."]),
        ("a", &["+a", "++"]),
    ];
    let mut record = job_of("a", &["easy", "split", "lost", "a"], &MODELS, 6);
    record.tasks[1].audit = Some("wrong".into());
    keep(&suite, &record, &tasks);
    for reference in ["alpha", "panel-mean"] {
        suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--reference", reference, "--signed", "a"]).expect_code(0);
        crate::report::keeps_to("calibration.json", &suite.read("c.json"), "/tasks/easy/reference");
    }
    let many: Vec<String> = (0..20).map(|i| format!("t-{i}")).collect();
    let many: Vec<(&str, &[&str])> = many.iter().map(|name| (name.as_str(), &["+++++-"][..])).collect();
    write(&suite, "b", &[("solver", None)], &many);
    suite.run(&["calibrate", "jobs/b", "-o", "c.json"]).expect_code(0);
    crate::report::keeps_to("calibration.json", &suite.read("c.json"), "/tasks/t-3/reference");
}
