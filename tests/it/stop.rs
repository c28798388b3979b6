//! Jobs that are stopped: Ctrl-C, a second runner, and kill -9 at any moment. Whatever happens, `resume` brings the job
//! to the end that it would have had.

use crate::support::Suite;
use crate::tiny::{self, fake_args, ledger, tally, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use seatrial::results::read_job;
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn start(suite: &Suite, args: &[&str]) -> Child {
    let mut command = suite.command(&fake_args(args));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it lives");
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("t-{i:02}")).collect()
}

fn suite_of(n: usize, script: &str) -> Suite {
    let names = names(n);
    let suite = tiny::suite(&names.iter().map(String::as_str).collect::<Vec<_>>());
    suite.write("engine.json", script);
    suite
}

const SLOW: &str = r#"{"tally": "tally.txt", "default": {"answer": "42", "delay_ms": 60000}}"#;
const QUICK: &str = r#"{"tally": "tally.txt", "default": {"answer": "42", "delay_ms": 20}}"#;

fn runs(suite: &Suite) -> usize {
    tally(suite).values().sum()
}

#[test]
fn ctrl_c_starts_nothing_new_and_leaves_a_job_that_goes_on() {
    for (n, running, signal) in [("2", 2, Signal::INT), ("8", 6, Signal::INT), ("2", 2, Signal::TERM)] {
        let suite = suite_of(6, SLOW);
        let child = start(&suite, &["run", "tasks", "--job-name", "j", "-n", n]);
        wait_for("the first agents' runs", || (runs(&suite) == running).then_some(()));
        let asked = Instant::now();
        send(&child, signal);
        let out = child.wait_with_output().expect("it ends");
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("interrupted: nothing new starts"), "{stderr}");
        assert!(stderr.ends_with("interrupted\n\nhint: `seatrial resume jobs/j` goes on\n"), "{stderr}");
        assert_eq!(runs(&suite), running, "nothing new started: {stderr}");
        let result: serde_json::Value = serde_json::from_str(&suite.read("jobs/j/result.json")).expect("JSON");
        assert!(result["finished_at"].is_null(), "the job is not over: {result}");
        tiny::fake(&suite, QUICK, &["resume", "jobs/j"]).expect_code(0);
        assert_eq!(ledger(&suite.join("jobs/j")).values().filter(|r| r.reward == Some(1.0)).count(), 6);
    }
}

#[test]
fn a_second_ctrl_c_is_quick() {
    let suite = suite_of(4, SLOW);
    let child = start(&suite, &["run", "tasks", "--job-name", "j"]);
    wait_for("the first agents' runs", || (runs(&suite) == 4).then_some(()));
    send(&child, Signal::INT);
    let asked = Instant::now();
    // It may have ended already.
    let _ = kill_process(Pid::from_child(&child), Signal::INT);
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    tiny::fake(&suite, QUICK, &["resume", "jobs/j"]).expect_code(0);
}

#[test]
fn ctrl_c_ends_the_wait_before_a_retry() {
    let suite = suite_of(1, r#"{"default": {"fault": "open"}}"#);
    suite.write("harbor.yml", "retry: {min_wait_sec: 600, max_wait_sec: 600}\n");
    let child = start(&suite, &["run", "tasks", "--job-name", "j"]);
    let log = suite.join("jobs/j/job.log");
    wait_for("the retry", || std::fs::read_to_string(&log).ok()?.contains("starts again").then_some(()));
    send(&child, Signal::INT);
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
}

#[test]
fn a_job_has_one_runner_at_a_time() {
    let suite = suite_of(4, SLOW);
    let child = start(&suite, &["run", "tasks", "--job-name", "j"]);
    wait_for("the first agents' runs", || (runs(&suite) == 4).then_some(()));
    let run = tiny::fake(&suite, SLOW, &["resume", "jobs/j"]).expect_code(2);
    let expected = format!("error: `jobs/j` is being run by process {}\n\nhint: wait", child.id());
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    tiny::fake(&suite, QUICK, &["run", "tasks", "--job-name", "other"]).expect_code(0);
    send(&child, Signal::INT);
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
}

/// The next number of a fixed sequence (Knuth's MMIX generator), below `below`.
fn next(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// What has to hold at the moment of a kill, and ever after: each trial that was sealed, its bytes and its agent's runs.
type Sealed = BTreeMap<String, (BTreeMap<String, Vec<u8>>, usize)>;

fn look(suite: &Suite, sealed: &mut Sealed) {
    let dir = suite.join("jobs/j");
    let Ok(job) = read_job(&dir) else {
        return; // not even begun
    };
    assert!(job.damaged.is_empty(), "a kill leaves nothing half: {:?}", job.damaged);
    let log = std::fs::read_to_string(suite.join("tally.txt")).unwrap_or_default();
    for record in &job.trials {
        let name = &record.trial.name;
        let now = (tiny::sealed(&dir, name), log.lines().filter(|line| line == name).count());
        let before = sealed.entry(name.clone()).or_insert_with(|| now.clone());
        assert!(
            *before == now,
            "{name} was sealed and has changed, or its agent ran again ({} and {})",
            before.1,
            now.1
        );
    }
}

#[test]
fn after_kill_9_at_any_moment_nothing_is_lost_nothing_counts_twice_and_nothing_sealed_runs_again() {
    let kills_wanted = if std::env::var_os("CI").is_some() { 50 } else { 15 };
    let script = r#"{"tally": "tally.txt", "default": {"answer": "42", "output": "x\n", "delay_ms": 30},
        "tasks": {"t-03": [{"answer": "7"}], "t-05": [{"delay_ms": 40}], "t-07": [{"fault": "run"}, {"answer": "42"}],
                  "t-11": [{"exit": 2, "delay_ms": 20}]}}"#;
    let args = ["run", "tasks", "-k", "3", "--job-name", "j", "-q"];
    let whole = suite_of(20, script);
    whole.run(&fake_args(&args)).expect_code(0);
    // A killed runner may have met a fault and not another: how often a trial was retried is its own story.
    let story = |suite: &Suite| {
        let mut records = ledger(&suite.join("jobs/j"));
        records.values_mut().for_each(|record| record.earlier_faults.clear());
        records
    };
    let (wanted, report) = (story(&whole), tiny::report(&whole, "jobs/j"));
    assert_eq!(wanted.len(), 60);

    let (mut kills, mut seed) = (0, 7);
    while kills < kills_wanted {
        let suite = suite_of(20, script);
        let (mut sealed, mut here) = (Sealed::new(), 0);
        loop {
            let begun = suite.join("jobs/j/seatrial.json").exists();
            let mut child = start(&suite, if begun { &["resume", "jobs/j", "-q"] } else { &args });
            // Every fourth kill comes while the job is being made or read, the others while trials run and are kept.
            let most = if next(&mut seed, 4) == 0 { 20_000 } else { 250_000 };
            let deadline = Instant::now() + Duration::from_micros(next(&mut seed, most));
            let ended = loop {
                match child.try_wait().expect("it can be asked") {
                    None if Instant::now() < deadline => std::thread::sleep(Duration::from_micros(200)),
                    ended => break ended,
                }
            };
            if let Some(status) = ended {
                let out = child.wait_with_output().expect("its words");
                assert_eq!(status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
                break;
            }
            child.kill().expect("killed");
            child.wait().expect("gone");
            (kills, here) = (kills + 1, here + 1);
            look(&suite, &mut sealed);
        }
        look(&suite, &mut sealed);
        assert_eq!(story(&suite), wanted);
        let without_retries = |report: &str| {
            report.lines().filter(|line| !line.contains("\"retries\"")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(without_retries(&tiny::report(&suite, "jobs/j")), without_retries(&report));
        // Of each kill no more is run again than was running, with the one fault that is retried in each attempt.
        assert!(runs(&suite) <= 60 + 3 * (here + 1) + 4 * here, "{} runs after {here} kills", runs(&suite));
        let litter = |path: &String| path.ends_with(".seatrial.tmp") && !path.contains("/retries/");
        let left: Vec<_> = crate::mini::tree(&suite.join("jobs/j")).into_keys().filter(litter).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
