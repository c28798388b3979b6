//! What a judge that asks models costs, and how it is tried out while it is down. Nothing here knows a judge's words.

use crate::judge_bed::{KEY, RUN, honest, judged, says, suite};
use crate::model_server::{Act, Server};
use crate::tiny::{ledger, tally, trial};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
fn a_judge_whose_price_is_known_has_a_cost_in_record_and_report_and_no_other_has() {
    let server = Server::with(|request| says(&honest(request)));
    let mut words = Vec::new();
    for (priced, boundary) in [("org/m", true), ("org/other", false)] {
        let (suite, script) = suite(&[("a".to_owned(), "42")], &format!("model: org/m, boundary: {boundary}"));
        suite.write("harbor.yml", format!("{}  model: {{prices: prices.toml}}\n", suite.read("harbor.yml")));
        let price = "date = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n";
        suite.write("prices.toml", format!("[\"{priced}\"]\n{price}"));
        judged(&suite, &script, &server, &RUN, KEY).expect_code(0);
        let cost = trial(&suite.join("jobs/j"), "a").judge_spent.expect("a model was asked").cost_usd;
        let report = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
        let markdown = suite.run(&["report", "jobs/j", "--format", "md"]).expect_code(0).stdout;
        let json = suite.run(&["report", "jobs/j", "--format", "json"]).expect_code(0).stdout;
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let said = if priced == "org/m" { "0.000030 USD" } else { "cost not known" };
        let used = format!("1 request, 110 tokens read, 5 written, {said}");
        assert!(report.contains(&used), "{report}");
        assert!(markdown.contains(&format!("## Judging\n\n| | |\n| --- | --- |\n| used | {used} |\n")), "{markdown}");
        // 10 tokens read, 100 from the cache, 5 written.
        let known = cost.map(|cost| (cost * 1e9).round());
        assert_eq!(known, (priced == "org/m").then_some(30_000.0), "{cost:?}");
        assert_eq!(json["judging"]["spent"]["cost_usd"].as_f64(), cost);
        let record: Value = serde_json::from_str(&suite.read("jobs/j/seatrial.json")).expect("JSON");
        words.push(record["judge_parameters"]["words"].clone());
    }
    assert_ne!(words[0], words[1], "the words around the answer are among those that a judge is known by");
}

#[test]
fn what_an_earlier_try_may_have_cost_leaves_the_cost_unknown_and_a_refused_try_does_not() {
    let verdict = "{\"score\": 1.0, \"rationale\": \"same\"}";
    for (first, known) in [
        (Act::json(429, &json!({"error": {"message": "later"}})).header("retry-after-ms", "5"), true),
        (Act::bytes(200, "application/json", "{\"choices\": ["), false),
        (says(verdict).slow(Duration::from_secs(2)), false),
    ] {
        let server = Server::start(vec![first, says(verdict)]);
        let (suite, script) = suite(&[("a".to_owned(), "42")], "model: org/m, timeout_sec: 1");
        suite.write("harbor.yml", format!("{}  model: {{prices: prices.toml}}\n", suite.read("harbor.yml")));
        let price = "date = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n";
        suite.write("prices.toml", format!("[\"org/m\"]\n{price}"));
        judged(&suite, &script, &server, &RUN, KEY).expect_code(0);
        let record = trial(&suite.join("jobs/j"), "a");
        let spent = record.judge_spent.expect("a model was asked");
        assert_eq!((record.reward, spent.requests, spent.cost_usd.is_some()), (Some(1.0), 2, known), "{spent:?}");
    }
}

#[test]
fn a_judge_that_failed_for_good_may_have_cost_what_its_earlier_tries_did() {
    let busy = || Act::json(503, &json!({"error": {"message": "busy"}})).header("retry-after-ms", "5");
    for (first, known) in [(busy(), true), (Act::bytes(200, "application/json", "{\"choices\": ["), false)] {
        let mut acts = vec![first];
        acts.extend((0..40).map(|_| busy()));
        let server = Server::start(acts);
        let (suite, script) = suite(&[("a".to_owned(), "42")], "model: org/m, timeout_sec: 1, max_retries: 1");
        suite.write("harbor.yml", format!("{}  model: {{prices: prices.toml}}\n", suite.read("harbor.yml")));
        let price = "date = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n";
        suite.write("prices.toml", format!("[\"org/m\"]\n{price}"));
        judged(&suite, &script, &server, &RUN, KEY).expect_code(3);
        let record = trial(&suite.join("jobs/j"), "a");
        let spent = record.judge_spent.expect("a model was asked");
        assert_eq!((record.reward, spent.cost_usd.is_some()), (None, known), "{spent:?}");
    }
}

#[test]
fn the_prices_that_an_agent_names_are_the_judges_too() {
    let finish = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function",
        "function": {"name": "finish", "arguments": "{\"answer\": \"42\"}"}}]});
    let server = Server::with(move |request| match request.body.get("stream") {
        Some(Value::Bool(true)) => Act::stream(&crate::model_server::chat_stream(&finish, "tool_calls")),
        _ => says(&honest(request)),
    });
    let (suite, script) = suite(&[("a".to_owned(), "42")], "model: org/m");
    let price = "date = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n";
    suite.write("prices.toml", format!("[\"org/m\"]\n{price}"));
    let args = ["run", "tasks", "-a", "loop", "-m", "org/m", "--ak", "prices=prices.toml", "--job-name", "j", "-q"];
    judged(&suite, &script, &server, &args, KEY).expect_code(0);
    let record = trial(&suite.join("jobs/j"), "a");
    let of_agent = record.agent_run.expect("it ran").model.expect("a model").cost_usd;
    let of_judge = record.judge_spent.expect("a model was asked").cost_usd;
    assert_eq!(of_judge.map(|cost| (cost * 1e9).round()), Some(30_000.0));
    assert!(of_agent.is_some(), "the agent's own cost is counted apart");
}

#[test]
fn a_judge_that_is_down_is_tried_out_after_longer_and_longer_waits_until_it_is_back() {
    const PAUSE: Duration = Duration::from_millis(50);
    // Six agents are done at once, one goes on: while it runs, one answer at a time tries the judge out.
    let tasks: Vec<_> = (0..7).map(|n| (format!("t{n}"), "42")).collect();
    let (count, times) = (AtomicUsize::new(0), Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&times);
    let server = Server::with(move |request| {
        seen.lock().expect("not poisoned").push(Instant::now());
        match count.fetch_add(1, Ordering::SeqCst) {
            0..8 => Act::json(500, &json!({"error": {"message": "down"}})),
            _ => says(&honest(request)),
        }
    });
    let (suite, script) = suite(&tasks, "model: org/m, max_retries: 0, pause_sec: 0.05");
    let mut script: Value = serde_json::from_str(&script).expect("JSON");
    script["tasks"]["t6"] = json!([{"answer": "42", "delay_ms": 4000}]);
    let loud = &RUN[..RUN.len() - 1];
    assert_eq!(RUN.last(), Some(&"-q"), "what is said aloud is looked at");
    let run = judged(&suite, &script.to_string(), &server, loud, KEY).expect_code(0);
    assert!(run.stderr.contains("the judge failed 5 times in a row, so it is left alone"), "{}", run.stderr);
    assert!(run.stderr.contains("the judge is back: ungraded answers are judged now"), "{}", run.stderr);
    let times = times.lock().expect("not poisoned");
    assert_eq!(times.len(), 15, "5 failures in a row, 3 tries in vain, and a verdict on each of 7 answers");
    // The waits before the fourth try in vain and the first that is answered; each begins after the one before.
    let waits: Vec<Duration> = (6..9).map(|n| times[n] - times[n - 1]).collect();
    for (n, wait) in waits.iter().enumerate() {
        assert!(*wait >= PAUSE * (2_u32 << n), "{waits:?}");
    }
    assert!(ledger(&suite.join("jobs/j")).values().all(|record| record.reward == Some(1.0)));
    assert!(tally(&suite).len() == 7 && tally(&suite).values().all(|runs| *runs == 1), "no agent ran twice");
    let record: Value = serde_json::from_str(&suite.read("jobs/j/config.json")).expect("JSON");
    assert_eq!(record["seatrial"]["judge"]["pause_sec"], 0.05);
}

#[test]
fn a_judge_that_is_down_is_not_asked_about_all_stored_answers() {
    let tasks: Vec<_> = (0..12).map(|n| (format!("t{n:02}"), "42")).collect();
    let server = Server::with(|_| Act::json(503, &json!({"error": {"message": "down"}})));
    let (suite, script) = suite(&tasks, "max_retries: 0");
    judged(&suite, &script, &server, &[&RUN[..], &["--judge", "rules"]].concat(), KEY).expect_code(0);
    let args = ["judge", "jobs/j", "--judge", "rubric", "--judge-model", "org/m"];
    let run = judged(&suite, &script, &server, &args, KEY).expect_code(3);
    assert!(run.stdout.starts_with("judge rubric: 12 answers judged, 0 changed, 12 ungraded\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nused 5 requests, 0 tokens read, 0 written, cost not known\n"), "{}", run.stdout);
    assert!(!run.stderr.contains("by these verdicts"), "there are none: {}", run.stderr);
    assert_eq!(run.stdout.matches("the judge failed 5 times in a row, so it was not asked").count(), 7);
    assert_eq!(server.requests().len(), 5, "one at a time, as the job");
    assert!(ledger(&suite.join("jobs/j")).values().all(|record| record.reward == Some(1.0)), "what was judged stays");
}

#[test]
fn a_wrong_key_ends_a_measurement_at_once_with_one_sentence() {
    let server = Server::with(|_| Act::json(401, &json!({"error": {"message": "Incorrect API key"}})));
    let (suite, script) = suite(&[], "");
    let case = json!({"question": "How many?", "key": "42", "submission": "42", "expected": 1.0});
    suite.write("cases.jsonl", format!("{case}\n").repeat(40));
    let args = ["judge-cases", "cases.jsonl", "--judge", "rubric", "--judge-model", "org/m", "-o", "judge.json"];
    let run = judged(&suite, &script, &server, &args, KEY).expect_code(2);
    assert!(run.stdout.is_empty() && run.stderr.contains("does not accept the key"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", run.stderr);
    assert!(server.requests().len() <= 8 && !suite.join("judge.json").exists(), "{}", server.requests().len());
}

#[test]
fn a_measurement_costs_what_the_named_prices_say_and_one_with_ungraded_cases_is_not_done() {
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::json(503, &json!({"error": {"message": "down"}})),
        _ => says(&honest(request)),
    });
    let (suite, script) = suite(&[], "");
    let case = json!({"question": "How many?", "key": "42", "submission": "42", "expected": 1.0});
    suite.write("cases.jsonl", format!("{case}\n"));
    suite.write("prices.toml", "[\"org/m\"]\ndate = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n");
    let args = ["judge-cases", "cases.jsonl", "--judge", "rubric", "--judge-model", "org/m", "--prices", "prices.toml"];
    // The client itself asks again; what the failed try used nobody says.
    let run = judged(&suite, &script, &server, &args, KEY).expect_code(0);
    assert!(run.stdout.contains("used  2 requests, 110 tokens read, 5 written, 0.000030 USD"), "{}", run.stdout);
    let down = Server::with(|_| says("I'd rather not say."));
    let run = judged(&suite, &script, &down, &[&args[..], &["--format", "json"]].concat(), KEY).expect_code(3);
    let said: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&said["ungraded"], &said["spent"]["requests"]), (&json!(1), &json!(3)), "{said}");
    assert!((said["spent"]["cost_usd"].as_f64().expect("a price") - 90e-6).abs() < 1e-12, "{said}");
    let first = AtomicUsize::new(0);
    let html = Server::with(move |request| match first.fetch_add(1, Ordering::SeqCst) {
        0 => Act::bytes(200, "text/html", "<html></html>"),
        _ => says(&honest(request)),
    });
    let run = judged(&suite, &script, &html, &args, KEY).expect_code(0);
    let used = "used  2 requests, 110 tokens read, 5 written, cost not known";
    assert!(run.stdout.contains(used), "what the page was charged for nobody said: {}", run.stdout);
    let missing = judged(&suite, &script, &down, &[&args[..7], &["none.toml"]].concat(), KEY).expect_code(2);
    assert!(missing.stderr.contains("`none.toml`"), "{}", missing.stderr);
}

#[test]
fn what_was_judged_before_a_key_was_refused_counts() {
    let tasks = ["a", "b"].map(|name| (name.to_owned(), "42"));
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        // Each answer is judged again at the job's end.
        0..4 => Act::json(503, &json!({"error": {"message": "down"}})),
        4 => says(&honest(request)),
        _ => Act::json(401, &json!({"error": {"message": "Incorrect API key"}})),
    });
    let (suite, script) = suite(&tasks, "model: org/m, max_retries: 0");
    judged(&suite, &script, &server, &RUN, KEY).expect_code(3);
    let before = suite.read("jobs/j/result.json");
    let run = judged(&suite, &script, &server, &["judge", "jobs/j"], KEY).expect_code(2);
    assert!(run.stderr.contains("does not accept the key"), "{}", run.stderr);
    let rewards: Vec<_> = ["a", "b"].map(|task| trial(&suite.join("jobs/j"), task).reward).into();
    assert_eq!(rewards, [Some(1.0), None]);
    assert_ne!(suite.read("jobs/j/result.json"), before, "the job's summary counts it");
}
