//! Whole jobs through the real binary on the fake engine: how trials end, what is tried again, what a resumed job
//! does, which settings pick what runs, and what is refused in which words.

use crate::support::Suite;
use crate::tiny::{self, fake, ledger, tally, trial};
use seatrial::event::Stage;
use seatrial::results::OutcomeKind::{self, AgentError, AgentTimeout, Fault, Limit, NoAnswer, Scored, Ungraded};
use std::path::Path;

/// Every way in which a trial can end: a task named by it, its script, its outcome, its reward, and why.
const ENDS: [(&str, &str, OutcomeKind, Option<f64>, &str); 18] = [
    ("right", r#"[{"answer": "42\n", "output": "thinking\n"}]"#, Scored, Some(1.0), ""),
    ("wrong", r#"[{"answer": "41"}]"#, Scored, Some(0.0), ""),
    ("silent", "[{}]", NoAnswer, Some(0.0), "no file at /app/answer.txt"),
    ("link", r#"[{"found": "link"}]"#, NoAnswer, Some(0.0), "is a symbolic link"),
    ("pipe", r#"[{"found": "fifo"}]"#, NoAnswer, Some(0.0), "is a named pipe"),
    ("folder", r#"[{"found": "directory"}]"#, NoAnswer, Some(0.0), "is a directory"),
    ("late", r#"[{"delay_ms": 60000}]"#, AgentTimeout, Some(0.0), "ran out of time"),
    ("late-but-right", r#"[{"delay_ms": 60000, "answer": "42"}]"#, AgentTimeout, Some(1.0), "ran out of time"),
    (
        "breaks",
        r#"[{"exit": 3, "output": "one\nno\u001b[2J \n\n"}]"#,
        AgentError,
        Some(0.0),
        "3; its last line: `no\u{1b}[2J`",
    ),
    ("not-there", r#"[{"exit": 127}]"#, AgentError, Some(0.0), "its command is not in the image"),
    ("breaks-but-right", r#"[{"exit": 3, "answer": "42"}]"#, AgentError, Some(1.0), "exit code 3"),
    ("spoils", r#"[{"spoil": true}]"#, AgentError, Some(0.0), "spoiled the sandbox's stream"),
    ("greedy", r#"[{"exit": 137, "oom": true}]"#, Limit, Some(0.0), "memory limit"),
    ("unlucky", r#"[{"fault": "open"}]"#, Fault, None, "failed to start container"),
    ("lost", r#"[{"fault": "run"}]"#, Fault, None, "lost sandbox"),
    ("unread", r#"[{"fault": "read"}]"#, Fault, None, "failed to read from container"),
    ("lucky", r#"[{"fault": "open"}, {"fault": "run"}, {"answer": "42"}]"#, Scored, Some(1.0), ""),
    ("unsure", r#"[{"answer": "42"}]"#, Ungraded, None, "HTTP 500: model 4 at 10.0.0.1"),
];

/// A suite with a task for each of [`ENDS`], and the scripts for engine and judge.
fn all_ends() -> (Suite, String) {
    let suite = tiny::suite(&ENDS.map(|(name, ..)| name));
    for late in ["late", "late-but-right"] {
        tiny::task(&suite, late, "fake", "[agent]\ntimeout_sec = 0.2");
    }
    let acts: Vec<String> = ENDS.iter().map(|(name, acts, ..)| format!("\"{name}\": {acts}")).collect();
    let rewards: Vec<String> = ENDS
        .iter()
        .map(|(name, ..)| match *name {
            "unsure" => r#""unsure": {"failure": "HTTP 500: model 4 at 10.0.0.1"}"#.to_owned(),
            name => format!("\"{name}\": {{\"reward\": {}}}", u8::from(name != "wrong")),
        })
        .collect();
    suite.write("judge.json", format!(r#"{{"default": {{"reward": 1}}, "tasks": {{{}}}}}"#, rewards.join(",")));
    suite.write("judge-2.json", r#"{"default": {"reward": 0.5}}"#);
    (suite, format!(r#"{{"tally": "tally.txt", "tasks": {{{}}}}}"#, acts.join(",")))
}

#[test]
fn an_agents_error_is_told_with_its_last_line_and_alike_ones_are_one_line_of_a_report() {
    let suite = tiny::suite(&["a", "b", "c", "d"]);
    let act = |exit: u32, line: &str| format!(r#"[{{"exit": {exit}, "output": "Traceback:\n  {line}\n"}}]"#);
    let (a, b, c) = (act(3, "KeyError: a"), act(3, "KeyError: b"), act(4, "KeyError: c"));
    let script =
        format!(r#"{{"tasks": {{"a": {a}, "b": {b}, "c": {c}, "d": [{{"answer": "42", "output": "fine"}}]}}}}"#);
    fake(&suite, &script, &["run", "tasks", "-a", "command", "--command", "x", "--job-name", "j"]).expect_code(0);
    let dir = suite.join("jobs/j");
    assert_eq!(trial(&dir, "b").reason.as_deref(), Some("it ended with exit code 3; its last line: `KeyError: b`"));
    assert_eq!(trial(&dir, "d").agent_run.expect("it ran").last_line, None, "who ends well needs no words");
    let text = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    let shown = text.split("\nwhat went otherwise").nth(1).expect("the section");
    let counts: Vec<&str> = shown.lines().skip(1).filter_map(|line| line.get(..6)?.split_whitespace().next()).collect();
    assert_eq!(counts, ["2", "1"], "{text}");
    assert!(shown.contains("agent error: it ended with exit code 3; its last line: `KeyError: a`;"), "{text}");
}

const RUN: [&str; 10] =
    ["run", "tasks", "-a", "command", "--command", "x", "--job-name", "j", "--scripted-judge", "judge.json"];

#[test]
fn every_trial_ends_as_what_happened_and_only_faults_are_tried_again() {
    let (suite, script) = all_ends();
    let run = fake(&suite, &script, &RUN).expect_code(3);
    assert!(
        run.stderr.contains("warning: 4 of 18 trials have no reward: 1 ungraded, 3 ended as faults"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("hint: `seatrial resume jobs/j` goes on with them"), "{}", run.stderr);
    assert!(run.stdout.contains("fake engine: no container ran"), "{}", run.stdout);
    let dir = suite.join("jobs/j");
    for (task, _, outcome, reward, why) in ENDS {
        let record = trial(&dir, task);
        assert_eq!((record.outcome, record.reward), (outcome, reward), "{task}: {:?}", record.reason);
        assert!(record.reason.unwrap_or_default().contains(why), "{task}");
    }
    let tally = tally(&suite);
    let faults = |task: &str| trial(&dir, task).earlier_faults.iter().map(|fault| fault.stage).collect::<Vec<_>>();
    for (task, runs, stages) in [
        ("right", 1, vec![]),
        ("breaks", 1, vec![]),
        ("late", 1, vec![]),
        ("unsure", 1, vec![]),
        ("unlucky", 0, vec![Stage::Sandbox; 2]),
        ("lost", 3, vec![Stage::Agent; 2]),
        ("unread", 3, vec![Stage::Collect; 2]),
        ("lucky", 2, vec![Stage::Sandbox, Stage::Agent]),
    ] {
        assert_eq!(tally.get(task).copied().unwrap_or(0), runs, "{task}");
        assert_eq!(faults(task), stages, "{task}");
        let evidence = dir.join(trial(&dir, task).trial.name).join("retries");
        for retry in 1..=stages.len() {
            let said = std::fs::read_to_string(evidence.join(format!("{retry}/exception.txt"))).expect("it is kept");
            assert!(said.contains("the script says so"), "{task}: {said}");
        }
    }
    let name = trial(&dir, "right").trial.name;
    assert_eq!(suite.read(&format!("jobs/j/{name}/agent/command.txt")), "thinking\n");
    assert_eq!(suite.read(&format!("jobs/j/{name}/artifacts/app/answer.txt")), "42\n");
}

#[test]
fn a_resumed_job_runs_faults_judges_the_ungraded_and_keeps_the_rest_byte_for_byte() {
    let (suite, script) = all_ends();
    fake(&suite, &script, &RUN).expect_code(3);
    let dir = suite.join("jobs/j");
    let (before, runs) = (ledger(&dir), tally(&suite));
    let files = |name: &str| tiny::sealed(&dir, name);
    let kept: Vec<_> = before.keys().map(|name| (name.clone(), files(name))).collect();

    // The engine is well again, the judge too.
    let well = r#"{"tally": "tally.txt", "default": {"answer": "42"}}"#;
    let resume = ["resume", "jobs/j", "-q", "--scripted-judge", "judge-2.json"];
    let run = fake(&suite, well, &resume).expect_code(0);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let after = tally(&suite);
    for (name, files_before) in &kept {
        let record = &before[name];
        let task = record.trial.task.as_str();
        let ran = after.get(task).copied().unwrap_or(0) - runs.get(task).copied().unwrap_or(0);
        assert_eq!(ran, usize::from(record.outcome == Fault), "agent runs of {task}");
        if !matches!(record.outcome, Fault | Ungraded) {
            assert_eq!(&files(name), files_before, "{task}");
        }
    }
    for (task, reward) in [("unlucky", 0.5), ("lost", 0.5), ("unread", 0.5), ("unsure", 0.5), ("right", 1.0)] {
        assert_eq!(trial(&dir, task).reward, Some(reward), "{task}");
    }
    let kept: Vec<_> = before.keys().map(|name| files(name)).collect();
    fake(&suite, well, &resume).expect_code(0);
    assert_eq!(before.keys().map(|name| files(name)).collect::<Vec<_>>(), kept, "nothing was left to do");
    assert_eq!(tally(&suite), after);
}

#[test]
fn a_trial_whose_result_was_torn_runs_again_with_a_warning() {
    let suite = tiny::suite(&["a", "b"]);
    let script = r#"{"tally": "tally.txt", "default": {"answer": "42"}}"#;
    fake(&suite, script, &["run", "tasks", "--job-name", "j"]).expect_code(0);
    let whole = tiny::report(&suite, "jobs/j");
    let name = trial(&suite.join("jobs/j"), "a").trial.name;
    suite.write(&format!("jobs/j/{name}/result.json"), "{");
    let run = fake(&suite, script, &["resume", "jobs/j"]).expect_code(0);
    assert!(run.stderr.contains(&format!("warning: {name} runs again: `result.json` is not whole")), "{}", run.stderr);
    assert_eq!(tally(&suite), [("a".to_owned(), 2), ("b".to_owned(), 1)].into());
    assert_eq!(tiny::report(&suite, "jobs/j"), whole);
}

#[test]
fn a_fault_while_an_image_is_made_is_no_reward_of_0() {
    let suite = tiny::suite(&["a"]);
    let run = fake(&suite, r#"{"default": {"fault": "image"}}"#, &["run", "tasks", "--job-name", "j", "-r", "0"]);
    let run = run.expect_code(3);
    assert!(run.stdout.contains("fault 1"), "{}", run.stdout);
    let record = trial(&suite.join("jobs/j"), "a");
    assert_eq!((record.outcome, record.reward), (Fault, None));
    assert_eq!(record.fault.expect("it is told").stage, Stage::Image);
}

#[test]
fn faults_are_counted_beside_the_rate_and_never_drop_out_of_it() {
    let names: Vec<String> = (0..10).map(|i| format!("t-{i}")).collect();
    let suite = tiny::suite(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let script = r#"{"default": {"fault": "open"}, "tasks": {"t-0": [{"answer": "42"}]}}"#;
    let run = fake(&suite, script, &["run", "tasks", "-k", "3", "-r", "0", "--job-name", "j"]).expect_code(3);
    assert!(run.stdout.contains("passes        3 of 3 trials with a reward pass"), "{}", run.stdout);
    let name = ledger(&suite.join("jobs/j")).into_values().filter(|r| r.reward.is_some()).map(|r| r.trial.name);
    // The engine goes on to fail two of the three.
    for name in name.skip(1) {
        std::fs::remove_file(suite.join(&format!("jobs/j/{name}/result.json"))).expect("removed");
    }
    let run = fake(&suite, r#"{"default": {"fault": "open"}}"#, &["resume", "jobs/j", "-r", "0"]).expect_code(3);
    for line in [
        "passes        1 of 1 trials with a reward pass: 100.0%",
        "fault 29",
        "strict        1 of 30 planned, 3.3%",
        "no data       t-1, t-2, t-3, t-4, t-5, t-6, t-7, t-8, t-9",
    ] {
        assert!(run.stdout.contains(line), "`{line}` in:\n{}", run.stdout);
    }
    assert!(run.stderr.contains("29 of 30 trials have no reward"), "{}", run.stderr);
}

#[test]
fn the_same_job_says_the_same_however_many_trials_run_at_once() {
    let (suite, script) = all_ends();
    let mut seen = Vec::new();
    for (n, name) in [("1", "one"), ("8", "eight"), ("32", "many")] {
        let args = [&RUN[..6], &["-k", "2", "-n", n, "--job-name", name, "--scripted-judge", "judge.json"]].concat();
        fake(&suite, &script, &args).expect_code(3);
        let dir = format!("jobs/{name}");
        seen.push((tiny::report(&suite, &dir), ledger(&suite.join(&dir))));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:#?}");
}

#[test]
fn flags_pick_which_tasks_run_how_often() {
    let suite = tiny::suite(&["ant", "bee", "cat-1", "cat-2"]);
    std::fs::create_dir(suite.join("more")).expect("a folder");
    std::fs::rename(suite.join("tasks/bee"), suite.join("more/bee")).expect("moved");
    let script = r#"{"tally": "tally.txt", "default": {"answer": "42"}}"#;
    let table: [(&[&str], &str); 9] = [
        (&["tasks"], "ant 1, cat-1 1, cat-2 1"),
        (&["tasks", "more", "-k", "2"], "ant 2, bee 2, cat-1 2, cat-2 2"),
        (&["tasks", "-i", "cat-*"], "cat-1 1, cat-2 1"),
        (&["tasks", "-i", "cat-*", "-i", "ant", "-x", "*-2"], "ant 1, cat-1 1"),
        (&["tasks", "-l", "2"], "ant 1, cat-1 1"),
        (&["tasks/ant"], "ant 1"),
        (&["tasks", "more", "-i", "bee"], "bee 1"),
        (&["tasks", "more", "-i", "bee", "-i", "ant", "-x", "a*"], "bee 1"),
        (&["tasks/ant", "-a", "oracle", "-a", "command", "--command", "x"], "ant 2"),
    ];
    for (i, (args, expected)) in table.into_iter().enumerate() {
        let _ = std::fs::remove_file(suite.join("tally.txt"));
        let name = format!("j{i}");
        let args = [&["run", "-q", "-o", "elsewhere", "--job-name", &name], args].concat();
        let run = fake(&suite, script, &args).expect_code(0);
        let counts: Vec<String> = tally(&suite).iter().map(|(task, n)| format!("{task} {n}")).collect();
        assert_eq!(counts.join(", "), expected, "{args:?}");
        assert!(suite.join(&format!("elsewhere/{name}/result.json")).exists());
        assert_eq!(run.stderr.lines().count(), 1, "quiet: {}", run.stderr);
    }
    assert!(!suite.join("jobs").exists());
}

#[test]
fn a_dry_run_says_what_would_run_and_makes_nothing() {
    let suite = tiny::suite(&["ant", "bee"]);
    let args = ["run", "tasks", "-k", "3", "-a", "oracle", "-a", "nop", "--dry-run"];
    let run = suite.run(&args).expect_code(0);
    assert_eq!(
        run.stdout,
        "task  network        time     memory  cpus  image\n\
         ant   none          900 s   2048 MiB     1  fake\n\
         bee   none          900 s   2048 MiB     1  fake\n\n\
         12 trials: 2 tasks × 3 × oracle, nop; 4 at a time; judge rules\n"
    );
    assert!(!suite.join("jobs").exists());
}

#[test]
fn what_cannot_run_is_refused_in_plain_words_before_anything_is_made() {
    let suite = tiny::suite(&["right", "wrong"]);
    tiny::task(&suite, "../other/right", "fake", "");
    suite.write("empty/readme.txt", "").write("broken.json", "{").write("engine.json", "{}");
    let names: [(&[&str], &str); 16] = [
        (&["run", "taks"], "error: dataset `taks` does not exist\n\nhint: did you mean `tasks`?"),
        (&["run", "empty"], "error: no task in `empty`"),
        (&["run", "tasks", "-i", "rigth"], "error: `rigth` matches no task\n\nhint: did you mean `right`?"),
        (
            &["run", "tasks", "-i", "right", "-i", "x*"],
            "error: `x*` matches no task\n\nhint: globs are matched against",
        ),
        (&["run", "tasks", "-x", "*"], "error: no task is left"),
        (&["run", "tasks", "other"], "error: two tasks of the job are called `right`: `tasks/right` and `other/right`"),
        (&["run", "tasks", "-a", "orcale"], "error: there is no agent `orcale`; there are oracle, nop, command"),
        (&["run", "tasks", "-a", "python-openai"], "error: agent `python-openai` needs a model to ask: `-m"),
        (&["run", "tasks", "-a", "command"], "error: agent `command` needs the line to run: `--command LINE`"),
        (&["run", "tasks", "--judge", "rubrik"], "error: there is no judge `rubrik`"),
        (&["run", "tasks", "--job-name", "a/b"], "error: `--job-name`: must be a folder's name"),
        (&["run", "tasks", "-k", "0"], "error: `--n-attempts`: must be at least 1"),
        (&["run", "tasks", "--network", "public"], "error: 2 tasks can't be run as asked:"),
        (&["run", "tasks", "-c", "nope.yml"], "error: failed to read job file `nope.yml`"),
        (
            &["run", "tasks", "--scripted-judge", "broken.json"],
            "error: failed to read the judge's script `broken.json`",
        ),
        (&["resume", "jobs/none"], "error: `jobs/none` is not a job directory: there is no such directory"),
    ];
    for (args, expected) in names {
        let run = suite.run(&tiny::fake_args(args)).expect_code(2);
        assert!(run.stderr.starts_with(expected), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(!suite.join("jobs").exists(), "{args:?}");
    }
    tiny::task(&suite, "right", "fake", "");
    suite.write("tasks/right/task.toml", suite.read("tasks/right/task.toml").replace("no-network", "alowlist"));
    let run = suite.run(&tiny::fake_args(&["run", "tasks"])).expect_code(2);
    assert!(run.stderr.contains("`alowlist`"), "{}", run.stderr);
    let allowlist =
        suite.read("tasks/right/task.toml").replace("\"alowlist\"", "\"allowlist\"\nallowed_hosts = [\"a.example\"]");
    suite.write("tasks/right/task.toml", allowlist);
    let run = suite.run(&tiny::fake_args(&["run", "tasks", "--network", "public"])).expect_code(2);
    assert!(run.stderr.contains("asks for more") && run.stderr.contains("--allow-agent-host"), "{}", run.stderr);
    let run = suite.run(&tiny::fake_args(&["run", "tasks", "--allow-agent-host", "http://x"])).expect_code(2);
    assert!(run.stderr.contains("is a URL; write the host alone"), "{}", run.stderr);
    assert!(!suite.join("jobs").exists(), "a policy that can't be applied starts nothing");
}

#[test]
fn a_job_goes_on_only_as_the_job_that_it_was() {
    let suite = tiny::suite(&["a", "b"]);
    let script = r#"{"tally": "tally.txt", "default": {"fault": "open"}}"#;
    fake(&suite, script, &["run", "tasks", "--job-name", "j", "-r", "0", "--command", "one"]).expect_code(3);
    let again = fake(&suite, script, &["run", "tasks", "--job-name", "j"]).expect_code(2);
    assert!(
        again.stderr.starts_with("error: `jobs/j` exists already\n\nhint: `seatrial resume jobs/j`"),
        "{}",
        again.stderr
    );
    let refused = |what: &str| {
        let run = fake(&suite, script, &["resume", "jobs/j"]).expect_code(2);
        assert!(
            run.stderr.starts_with("error: `jobs/j` can't be resumed, it would be another job:\n"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(what), "`{what}` in: {}", run.stderr);
    };
    let instruction = suite.read("tasks/a/instruction.md");
    suite.write("tasks/a/instruction.md", "How many more?\n");
    refused("task `a` has changed");
    suite.write("tasks/a/instruction.md", instruction);
    tiny::task(&suite, "c", "fake", "");
    refused("task `c` is new");
    std::fs::remove_dir_all(suite.join("tasks/c")).expect("removed");
    let config = suite.read("jobs/j/config.json");
    for (from, to, what) in [
        ("\"n_attempts\": 1", "\"n_attempts\": 2", "(2 trials, now 4)"),
        ("\"one\"", "\"two\"", "`agents[0].kwargs.command` in `config.json`"),
        ("\"timeout_multiplier\": 1.0", "\"timeout_multiplier\": 2.0", "`timeout_multiplier` in `config.json`"),
    ] {
        let edited = config.replacen(from, to, 1);
        assert_ne!(edited, config);
        suite.write("jobs/j/config.json", edited);
        refused(what);
    }
    suite.write("jobs/j/config.json", &config);
    suite.write("judge.json", r#"{"default": {"reward": 1}}"#);
    let run = fake(&suite, script, &["resume", "jobs/j", "--scripted-judge", "judge.json"]).expect_code(2);
    assert!(run.stderr.contains("the judge was `rules` and is `scripted`"), "{}", run.stderr);
    assert_eq!(tally(&suite), [].into(), "no agent ran");
    fake(&suite, r#"{"default": {"answer": "42"}}"#, &["resume", "jobs/j", "-n", "1"]).expect_code(0);
}

#[test]
fn a_reader_that_closes_its_end_does_not_end_a_job() {
    let suite = tiny::suite(&["a", "b", "c"]);
    suite.write("engine.json", r#"{"default": {"answer": "42", "fault": null, "delay_ms": 50}}"#);
    let mut command = suite.command(&tiny::fake_args(&["run", "tasks", "--job-name", "j", "-n", "1"]));
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(ledger(&suite.join("jobs/j")).len(), 3);
}

#[test]
fn a_folder_that_a_killed_runner_only_began_is_begun_again_and_a_foreign_one_is_not() {
    let suite = tiny::suite(&["a"]);
    let script = r#"{"default": {"answer": "42"}}"#;
    let args = ["run", "tasks", "--job-name", "j"];
    suite.write("jobs/j/.lock", "99999\n").write("jobs/j/config.json", "{").write("jobs/j/.x.seatrial.tmp", "");
    fake(&suite, script, &args).expect_code(0);
    assert!(!suite.join("jobs/j/.x.seatrial.tmp").exists());
    assert_eq!(ledger(&suite.join("jobs/j")).len(), 1);
    suite.write("jobs/mine/config.json", "mine");
    fake(&suite, script, &["run", "tasks", "--job-name", "mine"]).expect_code(2);
    assert_eq!(crate::mini::tree(&suite.join("jobs/mine")), [("config.json".to_owned(), b"mine".to_vec())].into());
    assert!(Path::new(&suite.join("jobs/j/seatrial.json")).exists());
}

#[test]
fn a_task_whose_documents_are_not_there_is_refused_before_anything_runs() {
    let suite = Suite::new();
    tiny::task(&suite, "a", "fake", "");
    let toml = suite.read("tasks/a/task.toml").replace("docker_image = \"fake\"\n", "");
    suite.write("tasks/a/task.toml", toml);
    suite.write("tasks/a/environment/Dockerfile", "FROM x\nCOPY files/ /app/files/\n");
    suite.write("engine.json", "{}");
    let ran = suite.run(&["run", "tasks", "-a", "nop", "--fake-engine", "engine.json"]).expect_code(2);
    assert!(ran.stderr.contains("`a`: `environment/files/` is missing"), "{}", ran.stderr);
    assert!(!suite.join("jobs").exists(), "nothing was begun");
    suite.write("tasks/a/environment/files/notes.txt", "a note");
    suite.run(&["run", "tasks", "-a", "nop", "--fake-engine", "engine.json"]).expect_code(0);
}
