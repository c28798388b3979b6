//! How much work answers took beside the best that is known: the worked example, `seatrial ideal`, and every format.

use crate::job_fixture::{end, handle, job, job_of, scored};
use crate::report::matches_schema;
use crate::support::Suite;
use crate::tiny;
use seatrial::agent::{ModelRun, Reported};
use seatrial::event::{Event, Outcome, Span};
use seatrial::ideal::Ideal;
use seatrial::model::{ModelUse, Usage};
use seatrial::results::{JobRecord, Store};
use seatrial::task::digests;
use serde_json::{Value, json};

/// What one trial's agent took: steps, tool calls, seconds, of them waited for its provider; and its reward.
type Took = (u32, u32, f64, f64, f64);

/// A job of the loop whose trials, in the order of the plan, took this.
fn stored(suite: &Suite, mut record: JobRecord, took: &[Took]) {
    record.trials.iter_mut().for_each(|trial| trial.agent.name = "loop".into());
    let dir = suite.join(&format!("jobs/{}", record.name));
    let config = crate::job_fixture::config(&record.name);
    let mut store = Store::create(&dir, record.clone(), config).expect("a new job");
    assert_eq!(record.trials.len(), took.len());
    for (trial, (steps, tool_calls, seconds, waited_seconds, reward)) in took.iter().enumerate() {
        let mut end = end(&record.trials[trial], trial, scored(*reward));
        let agent = end.agent.as_mut().expect("it ran");
        let model = ModelRun {
            steps: *steps,
            tool_calls: *tool_calls,
            model_seconds: 5.0,
            tool_seconds: 2.0,
            waited_seconds: *waited_seconds,
            ..ModelRun::default()
        };
        agent.model = Some(model);
        end.timing.agent = Some(Span { started_at: 0.0, finished_at: *seconds });
        // A judge that takes long changes no number.
        end.timing.judge = Some(Span { started_at: *seconds, finished_at: *seconds + 1000.0 });
        handle(&mut store, Event::TrialStarted { trial, retry: 0 });
        handle(&mut store, Event::TrialFinished { trial, end: Box::new(end) });
    }
    handle(&mut store, Event::JobFinished);
}

fn json_of(suite: &Suite, dir: &str) -> Value {
    let text = suite.run(&["report", dir, "--format", "json"]).expect_code(0).stdout;
    matches_schema("report.json", &text);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_worked_example_comes_out_in_every_format_without_the_judges_time() {
    let suite = Suite::new();
    let mut record = job("j", &["t"], 1);
    record.tasks[0].ideal = Some(Ideal { steps: Some(4), tool_calls: Some(4), latency_sec: Some(8.0) });
    // Observed 6 steps, 5 calls and 14 s, and 3 s more for a provider that failed.
    stored(&suite, record, &[(6, 5, 17.0, 3.0, 1.0)]);
    let report = json_of(&suite, "jobs/j");
    let found = &report["arms"][0]["efficiency"];
    for (name, expected) in [
        ("steps", 6.0),
        ("tool_calls", 5.0),
        ("latency_sec", 14.0),
        ("model_sec", 5.0),
        ("tool_sec", 2.0),
        ("waiting_sec", 3.0),
        ("step_ratio", 1.5),
        ("tool_call_ratio", 1.25),
        ("latency_ratio", 1.75),
        ("solve_rate", 4.0 / 14.0),
    ] {
        assert_eq!(found[name], expected, "{name} in {found:#}");
    }
    assert_eq!(report["arms"][0]["tasks"][0]["efficiency"]["step_ratio"], 1.5);
    assert_eq!(report["trials"][0]["effort"]["latency_sec"], 14.0);
    for format in ["text", "md", "html"] {
        let shown = suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
        // Lines may be broken anywhere between words.
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let ratios = "steps 1.50, tool calls 1.25, latency 1.75 times the best known; solve rate 0.29 steps/s";
        assert!(shown.contains(ratios), "{format}: {shown}");
        let split = "14.00 s (models 5.00 s, tools 2.00 s, waiting beside it 3.00 s)";
        assert!(shown.contains(split), "{format}: {shown}");
    }
}

#[test]
fn ratios_are_sums_over_sums_a_wrong_answer_solves_nothing_and_without_an_ideal_there_is_none() {
    let suite = Suite::new();
    let mut record = job("j", &["t", "without"], 2);
    record.tasks[0].ideal = Some(Ideal { steps: Some(4), ..Ideal::default() });
    let took = |task: &str, attempt: u32| match (task, attempt) {
        ("t", 1) => (6, 5, 8.0, 0.0, 1.0),
        ("t", _) => (4, 1, 1.0, 0.0, 0.0),
        _ => (9, 9, 9.0, 0.0, 1.0),
    };
    let all: Vec<Took> = record.trials.iter().map(|trial| took(&trial.task, trial.attempt)).collect();
    stored(&suite, record, &all);
    let report = json_of(&suite, "jobs/j");
    let arm = &report["arms"][0];
    let (all, of) = (&arm["efficiency"], |task: usize| &arm["tasks"][task]["efficiency"]);
    // The wrong trial's steps count; a task without an ideal is in no ratio.
    assert_eq!((&all["step_ratio"], &all["solve_rate"]), (&json!(10.0 / 8.0), &json!(0.25)));
    assert_eq!((&all["tool_call_ratio"], &all["latency_ratio"]), (&Value::Null, &Value::Null));
    assert_eq!((&of(0)["step_ratio"], &of(1)["step_ratio"]), (&json!(1.25), &Value::Null));
    assert_eq!((&of(1)["steps"], &of(1)["solve_rate"]), (&json!(9.0), &Value::Null));
}

#[test]
fn times_that_were_played_back_are_compared_with_no_ideal() {
    let suite = Suite::new();
    let mut record = job("j", &["t"], 1);
    record.tasks[0].ideal = Some(Ideal { steps: Some(4), tool_calls: Some(4), latency_sec: Some(8.0) });
    record.observed.played_back = true;
    stored(&suite, record, &[(6, 5, 0.5, 0.0, 1.0)]);
    let report = json_of(&suite, "jobs/j");
    for of in [&report["arms"][0]["efficiency"], &report["arms"][0]["tasks"][0]["efficiency"]] {
        assert_eq!((&of["step_ratio"], &of["tool_call_ratio"]), (&json!(1.5), &json!(1.25)));
        assert_eq!((&of["latency_ratio"], &of["solve_rate"]), (&Value::Null, &Value::Null));
    }
    let shown = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("steps 1.50, tool calls 1.25, latency n/a times the best known; solve rate n/a steps/s"),
        "{shown}"
    );
}

#[test]
fn the_best_right_trial_becomes_the_ideal_once_and_the_task_stays_the_same_task() {
    let suite = tiny::suite(&["t", "u"]);
    let toml = suite.read("tasks/t/task.toml");
    suite.write("tasks/t/task.toml", format!("{toml}# the author's word\n[metadata]\nsuite = \"s\"\n"));
    let before = digests(&suite.join("tasks/t")).expect("readable").content;
    let mut record = job("j", &["t", "u"], 3);
    record.tasks[0].content_digest = before.clone();
    record.trials.iter().for_each(|trial| assert_eq!(trial.task_index, usize::from(trial.task == "u")));
    let took = |task: &str, attempt: u32| match (task, attempt) {
        ("t", 1) => (6, 2, 9.0, 0.0, 1.0),
        ("t", 2) => (3, 1, 1.0, 0.0, 0.0),
        ("t", _) => (5, 4, 20.5, 0.5, 1.0),
        _ => (2, 1, 1.0, 0.0, 0.5),
    };
    let all: Vec<Took> = record.trials.iter().map(|trial| took(&trial.task, trial.attempt)).collect();
    stored(&suite, record, &all);
    let old = suite.read("tasks/t/task.toml");
    let shown = suite.run(&["ideal", "jobs/j", "--dry-run"]).expect_code(0);
    assert!(shown.stdout.contains("+steps = 5") && shown.stdout.contains("+latency_sec = 20.0"), "{}", shown.stdout);
    assert_eq!(suite.read("tasks/t/task.toml"), old);
    let said = suite.run(&["ideal", "jobs/j"]).expect_code(0).stderr;
    assert!(said.contains("1 task got another ideal, 0 unchanged"), "{said}");
    assert!(said.contains("no trial passes whose steps are known, left alone: u"), "{said}");
    let twice = suite.run(&["ideal", "jobs/j", "jobs/j", "--dry-run"]).expect_code(0).stderr;
    assert!(twice.contains("are known, left alone: u\n"), "a task is named once, however many jobs ran it: {twice}");
    let new = suite.read("tasks/t/task.toml");
    assert!(new.starts_with(&old) && new.contains("[metadata.ideal]"), "{new}");
    let tasks = seatrial::task::load_dataset(&suite.join("tasks")).expect("right").tasks;
    let ideal = Ideal { steps: Some(5), tool_calls: Some(4), latency_sec: Some(20.0) };
    assert_eq!(tasks[0].spec.metadata.ideal, Some(ideal));
    assert_eq!(digests(&suite.join("tasks/t")).expect("readable").content, before, "jobs can still be resumed");
    let said = suite.run(&["ideal", "jobs/j"]).expect_code(0).stderr;
    assert!(said.contains("0 tasks got another ideal, 1 unchanged"), "{said}");
    assert_eq!(suite.read("tasks/t/task.toml"), new, "a second time changes nothing");
    let mut record = job("back", &["t"], 1);
    record.tasks[0].content_digest = before;
    record.observed.played_back = true;
    stored(&suite, record, &[(5, 4, 0.1, 0.0, 1.0)]);
    let said = suite.run(&["ideal", "jobs/back"]).expect_code(0).stderr;
    assert!(said.contains("0 tasks got another ideal, 1 unchanged"), "a recording's time is nobody's: {said}");
    suite.write("tasks/t/instruction.md", "How many, really?\n");
    let said = suite.run(&["ideal", "jobs/j"]).expect_code(0).stderr;
    assert!(said.contains("`t` is not the task that was run, left alone"), "{said}");
}

#[test]
fn an_ideal_that_can_not_be_is_said_with_its_line_and_a_job_without_containers_gives_none() {
    let suite = tiny::suite(&["t"]);
    tiny::task(&suite, "t", "fake", "[metadata.ideal]\nsteps = 0\nlatency_sec = -1\nturns = 3");
    let said = suite.run(&["lint", "tasks"]).expect_code(1).stdout;
    for part in ["`metadata.ideal.steps`", "`metadata.ideal.latency_sec`", "unknown key `metadata.ideal.turns`"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    tiny::task(&suite, "t", "fake", "[metadata.ideal]\nsteps = 2");
    tiny::fake(&suite, r#"{"default": {"answer": "42"}}"#, &["run", "tasks", "-q", "--job-name", "j"]).expect_code(0);
    let said = suite.run(&["ideal", "jobs/j"]).expect_code(2).stderr;
    assert!(said.contains("measures nothing: it ran on the fake engine"), "{said}");
}

#[test]
fn a_trial_that_ended_as_a_fault_is_in_no_figure() {
    let suite = Suite::new();
    let mut record = job("j", &["t"], 1);
    record.tasks[0].ideal = Some(Ideal { steps: Some(4), ..Ideal::default() });
    crate::job_fixture::make(&suite.join("jobs/j"), &record, vec![Some(crate::job_fixture::fault("x"))]);
    assert!(matches!(crate::job_fixture::fault("x"), Outcome::Fault { .. }));
    assert_eq!(json_of(&suite, "jobs/j")["arms"][0]["efficiency"], Value::Null);
}

#[test]
fn what_the_relay_counted_stands_against_the_agents_own_words_and_the_difference_is_said() {
    let suite = Suite::new();
    let record = job_of("j", &["t"], &[("mini-swe-agent", Some("openai/gpt-x"))], 1);
    let mut store = Store::create(&suite.join("jobs/j"), record.clone(), crate::job_fixture::config("j")).expect("new");
    let mut end = end(&record.trials[0], 0, scored(1.0));
    let own = Reported { steps: Some(3), requests: Some(3), input_tokens: Some(7), ..Reported::default() };
    end.agent.as_mut().expect("it ran").reported = Some(own);
    let usage = Usage { input: 200, cache_read: 20, output: 10, ..Usage::default() };
    end.model = Some(ModelUse { requests: 2, usage, seconds: 1.5, ..ModelUse::default() });
    handle(&mut store, Event::TrialStarted { trial: 0, retry: 0 });
    handle(&mut store, Event::TrialFinished { trial: 0, end: Box::new(end) });
    handle(&mut store, Event::JobFinished);
    drop(store);
    let report = json_of(&suite, "jobs/j");
    let effort = &report["trials"][0]["effort"];
    assert_eq!(
        (&effort["input_tokens"], &effort["output_tokens"], &effort["steps"]),
        (&json!(220), &json!(10), &json!(3))
    );
    assert_eq!((&effort["tool_calls"], &effort["model_sec"]), (&Value::Null, &json!(1.5)));
    assert_eq!(report["arms"][0]["efficiency"]["differing"], 1);
    let shown = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("in 1 of 1 trials the agent counts otherwise than the relay"), "{shown}");
}

#[test]
fn tokens_of_which_an_answer_said_nothing_are_unknown_to_harbor_too() {
    let suite = Suite::new();
    let record = job_of("j", &["t"], &[("mini-swe-agent", Some("openai/gpt-x"))], 1);
    let mut store = Store::create(&suite.join("jobs/j"), record.clone(), crate::job_fixture::config("j")).expect("new");
    let mut end = end(&record.trials[0], 0, scored(1.0));
    let usage = Usage { input: 200, output: 10, ..Usage::default() };
    end.model = Some(ModelUse { requests: 2, unmetered: 1, usage, ..ModelUse::default() });
    handle(&mut store, Event::TrialStarted { trial: 0, retry: 0 });
    handle(&mut store, Event::TrialFinished { trial: 0, end: Box::new(end) });
    handle(&mut store, Event::JobFinished);
    drop(store);
    let path = format!("jobs/j/{}/result.json", record.trials[0].name);
    let result: Value = serde_json::from_str(&suite.read(&path)).expect("JSON");
    assert_eq!(
        (&result["agent_result"]["n_input_tokens"], &result["agent_result"]["cost_usd"]),
        (&Value::Null, &Value::Null)
    );
}
