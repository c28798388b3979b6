//! Everything that a judge's provider can do wrong, in one of three replies, in every reply, and in all for a while: each
//! time the verdict is the true one or there is none. Through the real binary and over real HTTP.

use crate::judge_bed::{KEY, RUN, honest, judged, prompt, says, suite};
use crate::model_server::{Act, Received, Server, chat};
use crate::tiny::{ledger, tally, trial};
use seatrial::results::OutcomeKind::{Scored, Ungraded};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Everything a provider can do wrong, by name, and whether the verdict can be read all the same.
fn faults() -> Vec<(&'static str, bool)> {
    vec![
        ("429", false),
        ("429-after", false),
        ("429-seconds", false),
        ("500", false),
        ("529", false),
        ("slow", false),
        ("drip", false),
        ("reset", false),
        ("cut", false),
        ("no-json", false),
        ("half-json", false),
        ("fenced", true),
        ("prose", true),
        ("think", true),
        ("text-score", true),
        ("nan", false),
        ("two", false),
        ("null", false),
        ("schema", false),
        ("twice", false),
        ("empty", false),
        ("nothing", false),
        ("html", false),
        ("huge", false),
        ("not-utf8", false),
        ("refusal", false),
        ("sorry", false),
        ("length", false),
    ]
}

fn fault(name: &str, request: &Received) -> Act {
    let verdict = honest(request);
    let error = |status| Act::json(status, &json!({"error": {"message": "try later", "type": "server_error"}}));
    match name {
        "429" => error(429),
        "429-after" => error(429).header("retry-after-ms", "5"),
        "429-seconds" => error(429).header("retry-after", "1"),
        "500" => error(500),
        "529" => error(529),
        "slow" => says(&verdict).slow(Duration::from_secs(2)),
        "drip" => says(&verdict).drip(Duration::from_millis(50)),
        "reset" => says(&verdict).cut(0),
        "cut" => says(&verdict).cut(60),
        "no-json" => Act::bytes(200, "application/json", "{\"choices\": ["),
        "half-json" => says(&verdict[..verdict.len() - 4]),
        "fenced" => says(&format!("```json\n{verdict}\n```")),
        "prose" => says(&format!("My verdict {{so far}} is:\n{verdict}\nThat is all.")),
        "think" => says(&format!("<think>perhaps {{\"score\": 0.3}}</think>{verdict}")),
        "text-score" => says(&verdict.replace("1.0", "\"1.0\"").replace("0.0", "\"0.0\"")),
        "nan" => says("{\"score\": NaN, \"rationale\": \"\"}"),
        "two" => says("{\"score\": 2, \"rationale\": \"\"}"),
        "null" => says("{\"score\": null, \"rationale\": \"\"}"),
        "schema" => says("{\"points\": 1}"),
        "twice" => says("{\"score\": 1, \"score\": 0}"),
        "empty" => says(""),
        "nothing" => Act::bytes(200, "application/json", ""),
        "html" => Act::bytes(200, "text/html", "<html><body>1.0</body></html>"),
        "huge" => Act::bytes(200, "application/json", vec![b' '; 10 << 20]),
        "not-utf8" => Act::bytes(200, "application/json", b"{\"choices\": \"\xff\xfe\"}".to_vec()),
        "refusal" => Act::json(
            200,
            &chat(&json!({"role": "assistant", "content": null, "refusal": "I can't judge this."}), "stop"),
        ),
        "sorry" => says("I'm sorry, but I can't help with that."),
        "length" => Act::json(200, &chat(&json!({"role": "assistant", "content": verdict}), "length")),
        other => panic!("no fault is called {other}"),
    }
}

/// Each fault for a right and a wrong answer, with a sound answer in between: five failures in a row would be an outage.
fn each_fault() -> Vec<(String, &'static str)> {
    let of = |(n, (name, _)): (usize, &(&str, bool))| {
        [("right", "42"), ("sound", "42"), ("wrong", "41")]
            .map(|(end, answer)| (format!("{n:02}-{name}-{end}"), answer))
    };
    faults().iter().enumerate().flat_map(of).collect()
}

/// The fault that a request's task is about, and the task.
fn about(request: &Received) -> (String, String) {
    let prompt = prompt(request);
    let task = prompt.split("task ").nth(1).and_then(|rest| rest.split('?').next()).expect("a task").to_owned();
    let fault = task[3..].rsplit_once('-').expect("an end").0.to_owned();
    (fault, task)
}

#[test]
fn a_fault_in_one_of_three_replies_changes_no_verdict() {
    let asked: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let server = Server::with(move |request| {
        let (name, task) = about(request);
        let mut asked = asked.lock().expect("not poisoned");
        let count = asked.entry(task.clone()).or_default();
        *count += 1;
        if *count == 1 && !task.ends_with("sound") { fault(&name, request) } else { says(&honest(request)) }
    });
    let (suite, script) = suite(&each_fault(), "model: org/m, timeout_sec: 1, max_retries: 2");
    // Most of the time is waits before another try, which several answers can share.
    judged(&suite, &script, &server, &[&RUN[..], &["-n", "8"]].concat(), KEY).expect_code(0);
    for (name, record) in ledger(&suite.join("jobs/j")) {
        let reward = if name.contains("wrong") { 0.0 } else { 1.0 };
        assert_eq!((record.outcome, record.reward), (Scored, Some(reward)), "{name}: {:?}", record.reason);
        let spent = record.judge_spent.expect("models were asked");
        assert!(spent.requests >= 1 && spent.requests <= 3, "{name}: {spent:?}");
        assert!(spent.input_tokens >= 110 && spent.cost_usd.is_none(), "{name}: {spent:?}");
    }
}

#[test]
fn a_fault_in_every_reply_leaves_the_verdict_true_or_the_trial_ungraded() {
    let well = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&well);
    let server = Server::with(move |request| {
        let (name, task) = about(request);
        let sound = task.ends_with("sound") || switch.load(Ordering::SeqCst);
        if sound { says(&honest(request)) } else { fault(&name, request) }
    });
    let (suite, script) = suite(&each_fault(), "model: org/m, timeout_sec: 0.5, max_retries: 0");
    judged(&suite, &script, &server, &RUN, KEY).expect_code(3);
    let dir = suite.join("jobs/j");
    for (n, (fault, readable)) in faults().into_iter().enumerate() {
        for (end, reward) in [("right", 1.0), ("sound", 1.0), ("wrong", 0.0)] {
            let task = format!("{n:02}-{fault}-{end}");
            let record = trial(&dir, &task);
            if readable || end == "sound" {
                assert_eq!((record.outcome, record.reward), (Scored, Some(reward)), "{task}: {:?}", record.reason);
            } else {
                assert_eq!((record.outcome, record.reward), (Ungraded, None), "{task}");
                let replies = suite.read(&format!("jobs/j/{}/verifier/replies.jsonl", record.trial.name));
                let reply: Value = serde_json::from_str(replies.lines().next().expect("one")).expect("JSON");
                assert!(reply["trouble"].is_string() && reply["model"] == "org/m", "{task}: {reply}");
                assert!(replies.len() < 300_000, "{task}: a long reply is cut");
            }
        }
    }
    well.store(true, Ordering::SeqCst);
    judged(&suite, &script, &server, &["resume", "jobs/j", "-q"], KEY).expect_code(0);
    for (name, record) in ledger(&dir) {
        let reward = if name.contains("wrong") { 0.0 } else { 1.0 };
        assert_eq!((record.outcome, record.reward), (Scored, Some(reward)), "{name}: {:?}", record.reason);
    }
    assert!(tally(&suite).values().all(|runs| *runs == 1), "no agent ran twice");
}

/// Seven answers, right and wrong in turn.
fn seven() -> Vec<(String, &'static str)> {
    (0..7).map(|n| (format!("t{n}"), if n % 2 == 0 { "42" } else { "41" })).collect()
}

/// The fault in every reply until five answers have been asked about in vain and the first is asked about again.
fn for_a_while(name: &'static str, readable: bool) {
    let (fifth, back) = (AtomicBool::new(false), AtomicBool::new(false));
    let server = Server::with(move |request| {
        let prompt = prompt(request);
        fifth.fetch_or(prompt.contains("task t4?"), Ordering::SeqCst);
        if fifth.load(Ordering::SeqCst) && prompt.contains("task t0?") {
            back.store(true, Ordering::SeqCst);
        }
        if back.load(Ordering::SeqCst) { says(&honest(request)) } else { fault(name, request) }
    });
    let (suite, script) = suite(&seven(), "model: org/m, timeout_sec: 0.8, max_retries: 0, pause_sec: 30");
    let loud = &RUN[..RUN.len() - 1];
    let run = judged(&suite, &script, &server, loud, KEY).expect_code(0);
    let paused = run.stderr.contains("the judge failed 5 times in a row, so it is left alone");
    assert_eq!(paused, !readable, "{name}: {}", run.stderr);
    let asked = |task: &str| server.requests().iter().filter(|request| prompt(request).contains(task)).count();
    assert_eq!(asked("task t6?"), 1, "{name}: an answer that came while the judge was left alone waits for it");
    for (trial, record) in ledger(&suite.join("jobs/j")) {
        let reward = if record.trial.task[1..].parse::<u32>().expect("a number") % 2 == 0 { 1.0 } else { 0.0 };
        assert_eq!((record.outcome, record.reward), (Scored, Some(reward)), "{name} {trial}: {:?}", record.reason);
        let spent = record.judge_spent.expect("a model was asked");
        assert_eq!(spent.requests as usize, asked(&format!("task {}?", record.trial.task)), "{name} {trial}");
    }
    assert!(tally(&suite).len() == 7 && tally(&suite).values().all(|runs| *runs == 1), "{name}: no agent ran twice");
}

#[test]
fn a_fault_in_all_replies_for_a_while_pauses_judging_and_every_verdict_is_true_in_the_end() {
    let (faults, next) = (faults(), AtomicUsize::new(0));
    // Each waits for timeouts and processes more than it works.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((name, readable)) = faults.get(next.fetch_add(1, Ordering::SeqCst)) {
                    for_a_while(name, *readable);
                }
            });
        }
    });
}
