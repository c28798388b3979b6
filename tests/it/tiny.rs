//! Tiny suites for whole jobs: tasks that need no image built, scripts for the fake engine and the scripted judge, and
//! what a job has left, with everything taken out that differs between two runs of the same job.

use crate::support::{Run, Suite};
use seatrial::results::{TrialRecord, read_job};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A scratch directory with these tasks in `tasks/`. Their image is never asked for what it is, and their key is 42.
pub fn suite(tasks: &[&str]) -> Suite {
    let suite = Suite::in_memory();
    // Faults are retried at once here: tests have no time to lose.
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\n");
    tasks.iter().for_each(|name| task(&suite, name, "fake", ""));
    suite
}

/// Writes a task with this image; `more` goes to the end of its `task.toml`, where `[environment]` is open.
pub fn task(suite: &Suite, name: &str, image: &str, more: &str) {
    let toml = format!(
        "schema_version = \"1.4\"\n[environment]\nnetwork_mode = \"no-network\"\ndocker_image = \"{image}\"\n{more}\n"
    );
    suite.write(&format!("tasks/{name}/task.toml"), toml);
    suite.write(&format!("tasks/{name}/instruction.md"), "How many?\n");
    suite.write(&format!("tasks/{name}/tests/case.json"), r#"{"input": "How many?", "ground_truth": "42"}"#);
    suite.write(&format!("tasks/{name}/solution/solve.sh"), "#!/bin/sh\necho 42 > /app/answer.txt\n");
    suite.write(&format!("tasks/{name}/environment/.keep"), "");
}

/// Runs the binary on the fake engine with this script; agents' runs are counted by [`tally`].
pub fn fake(suite: &Suite, script: &str, args: &[&str]) -> Run {
    suite.write("engine.json", script);
    suite.run(&fake_args(args))
}

/// The arguments that [`fake`] gives the binary.
pub fn fake_args<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--fake-engine", "engine.json"]].concat()
}

/// How often the agent of each trial has run, by the task's name.
pub fn tally(suite: &Suite) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    // No agent has run where there is no file.
    for line in std::fs::read_to_string(suite.join("tally.txt")).unwrap_or_default().lines() {
        let task = line.rsplit_once("__").map_or(line, |(task, _)| task);
        *counts.entry(task.to_owned()).or_default() += 1;
    }
    counts
}

/// What a job says of its trials, by name, without times.
pub fn ledger(dir: &Path) -> BTreeMap<String, TrialRecord> {
    let job = read_job(dir).unwrap_or_else(|e| panic!("{e}"));
    assert!(job.damaged.is_empty(), "{:?}", job.damaged);
    let mut trials = BTreeMap::new();
    for mut record in job.trials {
        record.timing = Default::default();
        record.agent_run.iter_mut().for_each(|run| run.seconds = 0.0);
        let twice = trials.insert(record.trial.name.clone(), record);
        assert!(twice.is_none(), "a trial counts once: {twice:?}");
    }
    trials
}

/// The record of the only trial of a task.
#[track_caller]
pub fn trial(dir: &Path, task: &str) -> TrialRecord {
    let found = ledger(dir).into_values().find(|record| record.trial.task == task);
    found.unwrap_or_else(|| panic!("no trial of `{task}` has ended"))
}

/// The JSON report without what differs between two runs of the same job: its name and its times.
pub fn report(suite: &Suite, dir: &str) -> String {
    let run = suite.run(&["report", dir, "--format", "json"]).expect_code(0);
    let mut report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    report["job"]["name"].take();
    strip_times(&mut report);
    serde_json::to_string_pretty(&report).expect("JSON")
}

fn strip_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !["times", "seconds", "started_at", "finished_at"].contains(&key.as_str()));
            map.values_mut().for_each(strip_times);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_times),
        _ => {}
    }
}

/// Every file below a trial's folder with its bytes.
pub fn sealed(dir: &Path, trial: &str) -> BTreeMap<String, Vec<u8>> {
    crate::mini::tree(&dir.join(trial))
}

/// Looks again and again until `look` gives something, for at most 30 seconds.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come to be");
        std::thread::sleep(Duration::from_millis(5));
    }
}
