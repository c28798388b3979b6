//! An engine that fails: whatever it does, the trial is a fault with stage and words, or what the engine itself says
//! that the agent did; never a 0 for a failure of ours, and never a judge asked.

use crate::fake_daemon::{Act, Daemon, ended, well};
use crate::support::{Run, Suite};
use crate::tiny::{self, trial};
use seatrial::event::Stage;
use seatrial::results::OutcomeKind;
use std::sync::atomic::{AtomicUsize, Ordering};

fn run_on(suite: &Suite, host: &str, args: &[&str]) -> Run {
    let args = [&["run", "tasks", "--command", "x"], args].concat();
    let out = suite.command(&args).env("DOCKER_HOST", host).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

fn fails(status: u16, message: &str) -> Act {
    Act::Answer(status, format!(r#"{{"message": "{message}"}}"#))
}

#[test]
fn whatever_an_engine_fails_at_is_a_fault_with_stage_and_words() {
    type Answers = fn(&str) -> Option<Act>;
    let table: [(&str, Answers, Stage, &str); 9] = [
        (
            "an image that can't be looked at",
            |r| (r == "GET /images/fake/json").then(|| fails(500, "driver failed")),
            Stage::Image,
            "failed to inspect image `fake`: driver failed",
        ),
        (
            "an image that is nowhere",
            |r| (r == "GET /images/fake/json" || r == "POST /images/create").then(|| fails(404, "no such image")),
            Stage::Image,
            "image `fake` is not in the engine and could not be pulled: no such image",
        ),
        (
            "no space for a container",
            |r| (r == "POST /containers/create").then(|| fails(500, "no space left on device")),
            Stage::Sandbox,
            "no space left on device",
        ),
        (
            "a container that vanished",
            |r| (r == "POST /containers/c1/attach").then(|| fails(404, "No such container: c1")),
            Stage::Sandbox,
            "No such container: c1",
        ),
        (
            "a start that is refused",
            |r| (r == "POST /containers/c1/start").then(|| fails(500, "OCI runtime create failed")),
            Stage::Sandbox,
            "OCI runtime create failed",
        ),
        (
            "a start that breaks off",
            |r| (r == "POST /containers/c1/start").then_some(Act::Close),
            Stage::Sandbox,
            "failed to start container `seatrial-a__",
        ),
        ("a supervisor that never speaks", |_| None, Stage::Sandbox, "the engine says that it ended with code 137"),
        (
            "a container killed while the agent runs",
            |r| (r == "POST /containers/c1/attach").then_some(Act::ShortStream),
            Stage::Agent,
            "lost sandbox `seatrial-a__",
        ),
        (
            "a container that can't be asked about",
            |r| match r {
                "POST /containers/c1/attach" => Some(Act::ShortStream),
                "GET /containers/c1/json" => Some(fails(409, "container c1 is not running")),
                _ => None,
            },
            Stage::Agent,
            "container c1 is not running",
        ),
    ];
    for (what, answers, stage, words) in table {
        let suite = tiny::suite(&["a"]);
        let daemon = Daemon::start(move |request| answers(request).unwrap_or_else(|| well(request)));
        let run = run_on(&suite, &daemon.host(), &["--job-name", "j", "-r", "0"]);
        assert_eq!(run.code, Some(3), "{what}: {}", run.stderr);
        let record = trial(&suite.join("jobs/j"), "a");
        assert_eq!((record.outcome, record.reward), (OutcomeKind::Fault, None), "{what}");
        let fault = record.fault.expect("it is told");
        assert_eq!(fault.stage, stage, "{what}: {}", fault.message);
        assert!(fault.message.contains(words), "{what}: {}", fault.message);
        let seen = daemon.seen.lock().expect("the log");
        let (created, removed) =
            (|s: &String| s == "POST /containers/create", |s: &String| s == "DELETE /containers/c1");
        if !words.contains("space") {
            let count = |f: &dyn Fn(&String) -> bool| seen.iter().filter(|s| f(s)).count();
            assert_eq!(count(&created), count(&removed), "{what}: what was made is removed: {seen:?}");
        }
    }
}

#[test]
fn only_the_engines_word_makes_a_killed_container_the_agents_doing() {
    let suite = tiny::suite(&["a"]);
    let daemon = Daemon::start(|request| match request {
        "POST /containers/c1/attach" => Act::ShortStream,
        "GET /containers/c1/json" => ended(true),
        other => well(other),
    });
    let run = run_on(&suite, &daemon.host(), &["--job-name", "j", "-r", "0"]).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "a");
    assert_eq!((record.outcome, record.reward), (OutcomeKind::Limit, Some(0.0)), "{}", run.stdout);
}

#[test]
fn an_engine_that_cannot_be_used_is_said_before_anything_is_made() {
    let suite = tiny::suite(&["a"]);
    let other = Daemon::start(|request| match request {
        "GET /version" => Act::Answer(200, r#"{"ApiVersion": "1.41", "Os": "linux", "Arch": "riscv64"}"#.to_owned()),
        other => well(other),
    });
    let gone = suite.join("gone.sock");
    for (host, expected) in [
        (other.host(), "it runs linux/riscv64, and this build of seatrial has a supervisor for linux/"),
        (format!("unix://{}", gone.display()), "error: failed to reach the Docker engine at `unix://"),
        (format!("unix://{}", gone.display()), "gone.sock`: there is no such socket\n"),
        ("tcp://127.0.0.1:1".to_owned(), "`tcp://127.0.0.1:1`: nothing listens there\n"),
        (
            "nonsense".to_owned(),
            "error: `nonsense` is not the address of a Docker engine\n\nhint: `DOCKER_HOST` is `unix:",
        ),
    ] {
        let run = run_on(&suite, &host, &[]);
        assert_eq!(run.code, Some(4), "{host}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{host}: {}", run.stderr);
        assert!(!suite.join("jobs").exists(), "{host}");
    }
    let run = run_on(&suite, &format!("unix://{}", gone.display()), &[]);
    assert!(run.stderr.contains("hint: start Docker"), "{}", run.stderr);
    assert!(!other.seen.lock().expect("the log").iter().any(|r| r.starts_with("POST")), "nothing was asked of it");
}

#[test]
fn an_engine_that_goes_away_is_waited_for_and_then_the_job_stops_with_what_it_has() {
    for retries in ["0", "2"] {
        let suite = tiny::suite(&["a", "b", "c", "d", "e", "f"]);
        suite.write("harbor.yml", "seatrial: {engine_wait_sec: 0.2}\nretry: {min_wait_sec: 0.01}\n");
        let gone = AtomicUsize::new(0);
        let daemon = Daemon::start(move |request| match request {
            "POST /containers/create" => {
                gone.store(1, Ordering::Relaxed);
                Act::Close
            }
            _ if gone.load(Ordering::Relaxed) > 0 => Act::Close,
            other => well(other),
        });
        let run = run_on(&suite, &daemon.host(), &["--job-name", "j", "-n", "2", "-r", retries]);
        assert_eq!(run.code, Some(4), "-r {retries}: {}", run.stderr);
        let hint = "error: the engine stopped answering\n\nhint: start it, then `seatrial resume jobs/j`\n";
        assert!(run.stderr.ends_with(hint), "{}", run.stderr);
        assert!(
            run.stdout.contains("0 of 0 trials with a reward pass") && run.stdout.contains("fault 2"),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("missing 4"), "nothing more was started: {}", run.stdout);
        assert!(daemon.socket().exists());
    }
}

#[test]
fn an_engine_that_comes_back_is_used_again() {
    let suite = tiny::suite(&["a"]);
    let asked = AtomicUsize::new(0);
    let daemon = Daemon::start(move |request| match request {
        "POST /containers/create" => fails(500, "it is starting"),
        "GET /_ping" if asked.fetch_add(1, Ordering::Relaxed) == 0 => Act::Close,
        other => well(other),
    });
    let run = run_on(&suite, &daemon.host(), &["--job-name", "j", "-r", "1"]).expect_code(3);
    assert!(run.stderr.contains("starts again in"), "{}", run.stderr);
    assert_eq!(trial(&suite.join("jobs/j"), "a").earlier_faults.len(), 1);
}

#[test]
fn what_a_dead_job_left_and_cannot_be_removed_keeps_no_new_job_from_running() {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("Linux");
    let namespace = std::fs::read_link("/proc/self/ns/pid").expect("Linux");
    // No process has the largest id that there can be and this start time.
    let runner = format!("{}/{}/4194303/1", boot.trim(), namespace.display());
    let labels = format!(r#"{{"dev.seatrial": "1", "dev.seatrial.job": "old", "dev.seatrial.runner": "{runner}"}}"#);
    let list = format!(r#"[{{"Id": "c9", "Names": ["/seatrial-old"], "State": "exited", "Labels": {labels}}}]"#);
    let daemon = Daemon::start(move |request| match request {
        "GET /containers/json" => Act::Answer(200, list.clone()),
        "DELETE /containers/c9" => fails(500, "device is busy"),
        other => well(other),
    });
    let suite = tiny::suite(&["a"]);
    let run = run_on(&suite, &daemon.host(), &["--job-name", "j", "-r", "0"]).expect_code(3);
    assert!(run.stdout.contains("fault 1"), "the trial has run: {}", run.stdout);
    let out = suite.command(&["clean"]).env("DOCKER_HOST", daemon.host()).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("error: failed to remove container `seatrial-old`: device is busy"), "{stderr}");
}
