//! What a job leaves on disk, and what a resumed job makes of it, whatever happened to the files in between.

use crate::job_fixture::{
    config, end, fault, handle, job, job_of, make, mixed, no_answer, run_trial, scored, ungraded,
};
use crate::support::Suite;
use seatrial::answer::Answer;
use seatrial::event::{Event, Fault, Outcome, Span, Stage};
use seatrial::results::{Error, Job, Next, Store, next, read_job, read_kept, unjudged};
use seatrial::stats::summarize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file below `dir` with its bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(dir).into_iter().filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path());
    files
        .map(|path| (path.strip_prefix(dir).expect("below").to_path_buf(), std::fs::read(path).expect("bytes")))
        .collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn read(dir: &Path) -> Job {
    read_job(dir).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_finished_trial_is_on_disk_in_harbors_layout() {
    let suite = Suite::new();
    let job = job("layout", &["ledger-1"], 1);
    make(&suite.join("jobs/layout"), &job, vec![Some(scored(1.0))]);
    let files = files(&suite.join("jobs/layout"));
    let trial = &job.trials[0].name;
    let names: Vec<String> = files.keys().map(|path| path.display().to_string().replace(trial, "<trial>")).collect();
    let mut expected = vec![
        ".lock",
        "config.json",
        "job.log",
        "lock.json",
        "result.json",
        "seatrial.json",
        "<trial>/agent/oracle.txt",
        "<trial>/artifacts/app/answer.txt",
        "<trial>/artifacts/manifest.json",
        "<trial>/config.json",
        "<trial>/lock.json",
        "<trial>/result.json",
        "<trial>/trial.log",
        "<trial>/verifier/reward.txt",
        "<trial>/verifier/verdict.json",
    ];
    let mut names = names.iter().map(String::as_str).collect::<Vec<_>>();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    let text = |name: &str| String::from_utf8(files[&Path::new(trial).join(name)].clone()).expect("text");
    assert_eq!(text("agent/oracle.txt"), "hello\n");
    assert_eq!(text("artifacts/app/answer.txt"), "42 dogs\r\n", "the raw bytes");
    assert_eq!(text("verifier/reward.txt"), "1.0\n");
}

#[test]
fn the_stored_shapes_are_format_1() {
    let suite = Suite::new();
    let dir = suite.join("jobs/shapes");
    let (job, mut ends) = mixed();
    ends.truncate(4);
    make(&dir, &job, ends);
    let result = |trial: usize| {
        let mut value = json(&dir.join(&job.trials[trial].name).join("result.json"));
        value["trial_uri"] = "<uri>".into();
        value["config"]["trials_dir"] = "<dir>".into();
        serde_json::to_string_pretty(&value).expect("JSON")
    };
    insta::assert_snapshot!("stored_trial_scored", result(0));
    insta::assert_snapshot!("stored_trial_fault", result(3));
    insta::assert_snapshot!("stored_job", std::fs::read_to_string(dir.join("seatrial.json")).expect("a file"));
}

#[test]
fn harbors_view_of_an_outcome_says_whether_its_reward_counts() {
    let suite = Suite::new();
    let dir = suite.join("jobs/outcomes");
    let timeout = || Outcome::AgentTimeout { verdict: None };
    let no_image = Outcome::Fault { fault: Fault::new(Stage::Image, "no such image") };
    let table = [
        (scored(0.5), None, Some(0.5)),
        (no_answer(), None, Some(0.0)),
        (timeout(), Some("AgentTimeoutError"), Some(0.0)),
        (
            Outcome::AgentError { refused: false, reason: "exit 3".into(), verdict: None },
            Some("NonZeroAgentExitCodeError"),
            Some(0.0),
        ),
        (ungraded("no words"), Some("VerifierOutputParseError"), None),
        (fault("no engine"), Some("RuntimeRequestError"), None),
        (no_image, Some("SandboxBuildFailedError"), None),
        (Outcome::Cancelled { why: None }, Some("CancelledError"), None),
    ];
    let tasks: Vec<String> = (0..table.len()).map(|i| format!("t-{i}")).collect();
    let job = job("outcomes", &tasks.iter().map(String::as_str).collect::<Vec<_>>(), 1);
    make(&dir, &job, table.iter().map(|(outcome, ..)| Some(outcome.clone())).collect());
    for (planned, (outcome, exception, reward)) in job.trials.iter().zip(&table) {
        let trial = dir.join(&planned.name);
        let result = json(&trial.join("result.json"));
        assert_eq!(result["exception_info"]["exception_type"].as_str(), *exception, "{outcome:?}");
        assert_eq!(result["verifier_result"]["rewards"]["reward"].as_f64(), *reward, "{outcome:?}");
        assert_eq!(result["reward_valid"].as_bool(), Some(reward.is_some()), "{outcome:?}");
        assert_eq!(trial.join("verifier/reward.txt").exists(), reward.is_some(), "{outcome:?}");
        assert_eq!(trial.join("exception.txt").exists(), exception.is_some(), "{outcome:?}");
    }
    let stats = &json(&dir.join("result.json"))["stats"];
    assert_eq!(stats["n_completed_trials"], 8);
    assert_eq!(stats["n_errored_trials"], 6);
    assert_eq!(stats["n_cancelled_trials"], 1);
    let eval = &stats["evals"]["oracle__tasks"];
    assert_eq!((eval["n_trials"].as_u64(), eval["metrics"][0]["mean"].as_f64()), (Some(4), Some(0.125)));
}

#[test]
fn harbors_statistics_go_by_the_models_own_name_and_have_no_mean_without_a_reward() {
    let suite = Suite::new();
    let dir = suite.join("jobs/models");
    let job = job_of("models", &["ledger-1"], &[("command", Some("maker/one")), ("command", Some("two"))], 1);
    make(&dir, &job, vec![Some(scored(1.0)), Some(fault("no engine"))]);
    let evals = &json(&dir.join("result.json"))["stats"]["evals"];
    assert_eq!(evals["command__one__tasks"]["metrics"], serde_json::json!([{"mean": 1.0}]), "{evals}");
    assert_eq!(evals["command__two__tasks"]["metrics"], serde_json::json!([]), "a fault is missing, not 0: {evals}");
    let info = json(&dir.join(&job.trials[0].name).join("result.json"))["agent_info"].take();
    assert_eq!(info["model_info"], serde_json::json!({"name": "one", "provider": "maker"}));
}

#[test]
fn a_trials_log_says_in_its_last_line_how_it_ended_and_why() {
    let suite = Suite::new();
    let dir = suite.join("jobs/why");
    let table = [
        (scored(1.0), "ended: scored, reward 1.0: compared by value"),
        (no_answer(), "ended: no_answer, reward 0.0: no file at /app/answer.txt"),
        (fault("over\ntwo lines"), "ended: fault: over two lines"),
    ];
    let job = job("why", &["right", "silent", "unlucky"], 1);
    make(&dir, &job, table.iter().map(|(outcome, _)| Some(outcome.clone())).collect());
    for (planned, (_, expected)) in job.trials.iter().zip(&table) {
        let log = std::fs::read_to_string(dir.join(&planned.name).join("trial.log")).expect("a log");
        let last = log.lines().last().expect("a line");
        assert_eq!(last.split_once(' ').map(|(_, text)| text), Some(*expected));
    }
}

#[test]
fn a_reward_that_is_no_number_in_0_to_1_is_ungraded_and_never_0() {
    let suite = Suite::new();
    let rewards = [f64::NAN, f64::INFINITY, -0.5, 1.5];
    let tasks = ["a", "b", "c", "d"];
    let job = job("nan", &tasks, 1);
    make(&suite.join("jobs/nan"), &job, rewards.map(|reward| Some(scored(reward))).to_vec());
    let job = read(&suite.join("jobs/nan"));
    assert!(job.damaged.is_empty(), "{:?}", job.damaged);
    assert_eq!(next(&job), [Next::Judge; 4]);
    assert_eq!(summarize(&job).arms[0].all.counts.ungraded, 4);
}

#[test]
fn resume_runs_exactly_what_says_nothing_about_the_agent() {
    let suite = Suite::new();
    let dir = suite.join("jobs/again");
    let limit = seatrial::event::Limit::Memory;
    let table = [
        (Some(scored(1.0)), Next::Keep),
        (Some(scored(0.0)), Next::Keep),
        (Some(Outcome::AgentTimeout { verdict: None }), Next::Keep),
        (Some(Outcome::AgentError { refused: false, reason: "exit 1".into(), verdict: None }), Next::Keep),
        (Some(Outcome::Limit { limit, verdict: None }), Next::Keep),
        (Some(no_answer()), Next::Keep),
        (Some(ungraded("HTTP 500: model gpt-4 at 10.0.0.1")), Next::Judge),
        (Some(fault("build failed")), Next::Run),
        (Some(Outcome::Cancelled { why: None }), Next::Run),
        (None, Next::Run),
    ];
    let tasks: Vec<String> = (0..table.len()).map(|i| format!("t-{i}")).collect();
    let record = job("again", &tasks.iter().map(String::as_str).collect::<Vec<_>>(), 1);
    make(&dir, &record, table.iter().map(|(outcome, _)| outcome.clone()).collect());
    let sealed = |i: usize| files(&dir.join(&record.trials[i].name));
    let before: Vec<_> = (0..table.len()).map(sealed).collect();

    let (mut store, job) = Store::open(&dir).expect("it opens");
    let decided = next(&job);
    assert_eq!(decided, table.iter().map(|(_, next)| *next).collect::<Vec<_>>());
    for (trial, next) in decided.iter().enumerate() {
        match next {
            Next::Keep => {}
            Next::Run => run_trial(&mut store, &record, trial, scored(1.0)),
            Next::Judge => {
                let kept = job.by_name()[record.trials[trial].name.as_str()];
                let left = read_kept(&dir, kept).expect("it is there").expect("an answer");
                assert!(matches!(&left.answer, Answer::Text { text, .. } if text == "42 dogs\n"));
                let mut end = unjudged(kept, left);
                (end.outcome, end.timing.judge) = (scored(1.0), Some(Span { started_at: 1.0, finished_at: 2.0 }));
                handle(&mut store, Event::TrialFinished { trial, end: Box::new(end) });
            }
        }
    }
    handle(&mut store, Event::JobFinished);
    let job = read(&dir);
    assert_eq!(next(&job), [Next::Keep; 10]);
    for (trial, next) in decided.iter().enumerate().filter(|(_, next)| **next == Next::Keep) {
        assert_eq!(before[trial], sealed(trial), "{next:?} {trial}");
    }
    let judged = sealed(6);
    assert_eq!(judged[Path::new("agent/oracle.txt")], b"hello\n", "the agent did not run again");
    assert!(!judged.contains_key(Path::new("exception.txt")), "nothing is wrong any more");
    let again = sealed(7);
    assert!(again.contains_key(Path::new("retries/1/result.json")), "the fault's evidence is kept: {:?}", again.keys());
}

#[test]
fn a_result_that_cannot_be_trusted_runs_again_and_the_summary_is_that_of_an_uninterrupted_run() {
    let suite = Suite::new();
    let tasks = ["empty", "torn", "other", "newer", "folder", "edited", "fine"];
    let record = job("damage", &tasks, 1);
    let all_right = || tasks.map(|_| Some(scored(1.0))).to_vec();
    let (whole, dir) = (suite.join("whole/damage"), suite.join("jobs/damage"));
    make(&whole, &record, all_right());
    make(&dir, &record, all_right());
    let path = |task: usize| dir.join(&record.trials[task].name).join("result.json");
    let text = |task: usize| std::fs::read_to_string(path(task)).expect("a result");
    let write = |task: usize, text: &str| std::fs::write(path(task), text).expect("it is written");
    write(0, "");
    write(1, "{");
    write(2, &text(6));
    write(3, &text(3).replace("\"format\": 1", "\"format\": 2"));
    std::fs::remove_file(path(4)).expect("it is removed");
    std::fs::create_dir(path(4)).expect("a directory in its place");
    write(5, &text(5).replace("\"reward\": 1.0", "\"reward\": 0.0"));

    let reasons: Vec<_> = read(&dir).damaged.into_iter().map(|damaged| damaged.why).collect();
    let expected = [
        "is empty",
        "is not whole",
        "is of another trial: `fine`, attempt 1",
        "has format 2, newer than this seatrial's 1",
        "can't be read",
        "was changed after it was written",
    ];
    assert_eq!(reasons.len(), expected.len(), "{reasons:?}");
    for (reason, expected) in reasons.iter().zip(expected) {
        assert!(reason.contains(expected), "{reason}");
    }
    let run = suite.run(&["report", "jobs/damage"]).expect_code(0);
    assert!(run.stderr.contains("warning: 6 of 7 trials have no reward: 6 damaged"), "{}", run.stderr);

    let (mut store, job) = Store::open(&dir).expect("it opens");
    for (trial, next) in next(&job).iter().enumerate() {
        if *next == Next::Run {
            run_trial(&mut store, &record, trial, scored(1.0));
        }
    }
    handle(&mut store, Event::JobFinished);
    assert_eq!(summarize(&read(&dir)), summarize(&read(&whole)));
    let stats = |dir: &Path| json(&dir.join("result.json"))["stats"].clone();
    assert_eq!(stats(&dir), stats(&whole));
}

#[test]
fn a_runner_that_dies_after_any_event_loses_nothing_and_counts_nothing_twice() {
    let suite = Suite::new();
    let record = job("dies", &["a", "b"], 2);
    let plan = seatrial::plan::Plan { trials: record.trials.clone() };
    let finished = |trial: usize, outcome: Outcome| Event::TrialFinished {
        trial,
        end: Box::new(end(&record.trials[trial], trial, outcome)),
    };
    let text = || "half a line".to_string();
    let lost = Fault::new(Stage::Sandbox, "the engine went away");
    let events = [
        Event::JobStarted { plan, done: vec![] },
        Event::ImageReady {
            task: "ledger-1".into(),
            image: "seatrial/x".into(),
            id: "1d".into(),
            base: None,
            built: true,
            seconds: 1.0,
        },
        Event::TrialStarted { trial: 0, retry: 0 },
        Event::TrialStarted { trial: 1, retry: 0 },
        Event::AgentOutput { trial: 0, text: text() },
        Event::TrialRetry { trial: 1, fault: lost, wait: 0.0 },
        finished(0, scored(1.0)),
        Event::TrialStarted { trial: 1, retry: 1 },
        finished(1, scored(0.5)),
        Event::TrialStarted { trial: 2, retry: 0 },
        finished(2, fault("no engine")),
        Event::TrialStarted { trial: 3, retry: 0 },
        finished(3, no_answer()),
    ];
    let last = [scored(1.0), scored(0.5), scored(1.0), no_answer()];
    let whole = suite.join("whole/dies");
    make(&whole, &record, last.iter().cloned().map(Some).collect());

    for died in 0..=events.len() {
        let dir = suite.join(&format!("jobs-{died}/dies"));
        let mut store = Store::create(&dir, record.clone(), config("dies")).expect("a store");
        events[..died].iter().cloned().for_each(|event| handle(&mut store, event));
        drop(store); // nothing is flushed or finished here: what was handled is on disk already
        let sealed = |trial: usize| files(&dir.join(&record.trials[trial].name));
        let (mut store, job) = Store::open(&dir).expect("it opens");
        assert!(job.damaged.is_empty(), "{died}: {:?}", job.damaged);
        let before: Vec<_> = (0..4).map(sealed).collect();
        for (trial, next) in next(&job).into_iter().enumerate() {
            match next {
                Next::Run => run_trial(&mut store, &record, trial, last[trial].clone()),
                _ => assert_eq!(before[trial], sealed(trial), "{died}: {trial}"),
            }
        }
        handle(&mut store, Event::JobFinished);
        assert_eq!(summarize(&read(&dir)), summarize(&read(&whole)), "{died}");
        let result = json(&dir.join("result.json"));
        assert_eq!(result["stats"]["evals"], json(&whole.join("result.json"))["stats"]["evals"], "{died}");
        assert!(result["finished_at"].is_string(), "{died}");
    }
}

#[test]
fn a_flipped_bit_in_a_result_is_noticed_or_harmless() {
    let suite = Suite::new();
    let record = job("flip", &["a"], 1);
    let dir = suite.join("jobs/flip");
    make(&dir, &record, vec![Some(scored(0.5))]);
    let right = read(&dir).trials;
    let path = dir.join(&record.trials[0].name).join("result.json");
    let bytes = std::fs::read(&path).expect("a result");
    for place in (0..bytes.len()).step_by(3) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&path, flipped).expect("it is written");
        let job = read(&dir);
        assert!(job.trials == right || (job.trials.is_empty() && job.damaged.len() == 1), "{place}");
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let suite = Suite::new();
    let record = job("notes", &["a"], 1);
    let dir = suite.join("jobs/notes");
    make(&dir, &record, vec![Some(fault("no engine"))]);
    let trial = format!("jobs/notes/{}", record.trials[0].name);
    let foreign = ["jobs/notes/my-notes/a.md".to_string(), format!("{trial}/notes.md"), format!("{trial}/mine/b.md")];
    for path in &foreign {
        suite.write(path, "keep me");
    }
    let (mut store, _) = Store::open(&dir).expect("it opens");
    run_trial(&mut store, &record, 0, scored(1.0));
    for path in &foreign {
        assert_eq!(suite.read(path), "keep me", "{path}");
    }
}

#[test]
fn a_retry_keeps_the_evidence_of_the_try_before() {
    let suite = Suite::new();
    let record = job("retry", &["a"], 1);
    let mut store = Store::create(&suite.join("jobs/retry"), record.clone(), config("retry")).expect("a store");
    let went_wrong = Fault::new(Stage::Sandbox, "the engine went away");
    handle(&mut store, Event::TrialStarted { trial: 0, retry: 0 });
    handle(&mut store, Event::AgentOutput { trial: 0, text: "first try\n".into() });
    handle(&mut store, Event::TrialRetry { trial: 0, fault: went_wrong.clone(), wait: 1.0 });
    handle(&mut store, Event::TrialStarted { trial: 0, retry: 1 });
    handle(&mut store, Event::AgentOutput { trial: 0, text: "second try\n".into() });
    let mut end = end(&record.trials[0], 0, scored(1.0));
    end.faults = vec![went_wrong];
    handle(&mut store, Event::TrialFinished { trial: 0, end: Box::new(end) });
    let read = |name: &str| suite.read(&format!("jobs/retry/{}/{name}", record.trials[0].name));
    assert_eq!(read("retries/1/agent/oracle.txt"), "first try\n");
    assert_eq!(read("retries/1/exception.txt"), "fault in sandbox: the engine went away\n");
    assert_eq!(read("agent/oracle.txt"), "second try\n");
    handle(&mut store, Event::JobFinished);
    assert_eq!(json(&suite.join("jobs/retry/result.json"))["stats"]["n_retries"], 1);
}

#[test]
fn a_second_runner_is_refused_with_the_pid_of_the_first() {
    let suite = Suite::new();
    let record = job("held", &["a"], 1);
    let dir = suite.join("jobs/held");
    let store = Store::create(&dir, record.clone(), config("held")).expect("a store");
    let error = Store::open(&dir).map(|_| ()).expect_err("it is held");
    assert!(error.to_string().ends_with(&format!("is being run by process {}", std::process::id())), "{error}");
    drop(store);
    Store::open(&dir).expect("free again");
    let error = Store::create(&dir, record, config("held")).map(|_| ()).expect_err("it is there already");
    assert!(matches!(error, Error::Exists { .. }), "{error}");
}

#[test]
fn a_changed_task_is_named_before_a_job_goes_on() {
    let before = job("same", &["a", "b", "c"], 2);
    assert_eq!(before.differences(&before.clone()), Vec::<String>::new());
    let mut now = job("same", &["a", "b", "d"], 2);
    now.tasks[1].content_digest = "sha256:other".into();
    now.judge = "rubric".into();
    assert_eq!(
        before.differences(&now),
        ["task `b` has changed", "task `c` is gone", "task `d` is new", "the judge was `rules` and is `rubric`"]
    );
    let more = job("same", &["a", "b", "c"], 3);
    assert_eq!(before.differences(&more), ["the agents, attempts or the order of tasks differ (6 trials, now 9)"]);
}

#[test]
fn hostile_agent_names_and_trial_names_stay_inside_the_job() {
    let suite = Suite::new();
    let mut record = job("names", &["a"], 1);
    record.trials[0].agent.name = "../../../outside".into();
    make(&suite.join("jobs/names"), &record, vec![Some(scored(1.0))]);
    let trial = &record.trials[0].name;
    assert_eq!(suite.read(&format!("jobs/names/{trial}/agent/_.._.._outside.txt")), "hello\n");
    let text = suite.read("jobs/names/seatrial.json").replace(trial, "../../outside");
    suite.write("jobs/names/seatrial.json", text);
    let error = read_job(&suite.join("jobs/names")).map(|_| ()).expect_err("a record that leads outside");
    assert!(error.to_string().contains("can't be a trial's folder"), "{error}");
}
