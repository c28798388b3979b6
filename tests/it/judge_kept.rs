//! What is kept of judging stored answers again: what it took and what was said, beside trials that have their verdict
//! and in those that have none, in vain or not.

use crate::judge_bed::{KEY, RUN, honest, judged, prompt, says, suite};
use crate::model_server::{Act, Server};
use crate::support::Suite;
use crate::tiny::{self, ledger, trial};
use seatrial::results::OutcomeKind::Ungraded;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const JUDGE: [&str; 6] = ["judge", "jobs/j", "--judge", "rubric", "--judge-model", "org/m"];

const PRICES: &str = "[\"org/m\"]\ndate = \"2026-11-30\"\ninput = 1.0\noutput = 2.0\ncache_read = 0.1\n";

/// A server that is asked about `a` and says what is so, and about `b` nothing that can be read until it is well.
fn half_well() -> (Server, Arc<AtomicBool>) {
    let well = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&well);
    let server =
        Server::with(move |request| match prompt(request).contains("task b?") && !switch.load(Ordering::SeqCst) {
            true => says("I'd rather not say."),
            false => says(&honest(request)),
        });
    (server, well)
}

/// Two answers, with prices for the judge's model.
fn two() -> (Suite, String) {
    let (suite, script) = suite(&["a", "b"].map(|name| (name.to_owned(), "42")), "");
    suite.write("harbor.yml", format!("{}  model: {{prices: prices.toml}}\n", suite.read("harbor.yml")));
    suite.write("prices.toml", PRICES);
    (suite, script)
}

/// The judgment beside a trial's verdict, and every reply that lies beside it.
fn beside(suite: &Suite, task: &str) -> (Value, Vec<Value>) {
    let folder = suite.join("jobs/j").join(trial(&suite.join("jobs/j"), task).trial.name).join("verifier/judgments");
    let files = crate::mini::tree(&folder);
    let ends = |end: &str| files.iter().filter(|(path, _)| path.ends_with(end)).collect::<Vec<_>>();
    let (record, replies) = (ends(".json"), ends("/replies.jsonl"));
    assert_eq!((record.len(), replies.len()), (1, 1), "{:?}", files.keys());
    let line = |line: &str| serde_json::from_str(line).expect("JSON");
    let replies = String::from_utf8_lossy(replies[0].1).lines().map(line).collect();
    (serde_json::from_slice(record[0].1).expect("JSON"), replies)
}

#[test]
fn what_another_judge_took_and_said_lies_beside_verdicts_that_stay_and_adds_up() {
    let (server, well) = half_well();
    let (suite, script) = two();
    judged(&suite, &script, &server, &[&RUN[..], &["--judge", "rules"]].concat(), KEY).expect_code(0);
    let sealed = |task: &str| {
        let mut files = tiny::sealed(&suite.join("jobs/j"), &trial(&suite.join("jobs/j"), task).trial.name);
        files.retain(|path, _| !path.contains("judgments"));
        files
    };
    let before = [sealed("a"), sealed("b")];
    judged(&suite, &script, &server, &JUDGE, KEY).expect_code(3);
    let of = |task: &str| {
        let (record, replies) = beside(&suite, task);
        let spent = &record["spent"];
        let numbers = ["requests", "input_tokens", "output_tokens"].map(|key| spent[key].as_u64().expect(key));
        let micros = (spent["cost_usd"].as_f64().expect("prices are known") * 1e6).round();
        (numbers, micros, record["verdict"]["reward"].as_f64(), replies.len())
    };
    assert_eq!(of("a"), ([1, 110, 5], 30.0, Some(1.0), 1));
    assert_eq!(of("b"), ([3, 330, 15], 90.0, None, 3), "what was in vain is counted and kept too");
    let (record, replies) = beside(&suite, "b");
    assert!(record["reason"].as_str().is_some_and(|why| why.contains("could not be read in 3 tries")), "{record}");
    assert!(replies.iter().all(|reply| reply["text"] == "I'd rather not say." && reply["trouble"].is_string()));

    let report = |more: &[&str]| suite.run(&[&["report", "jobs/j"], more].concat()).expect_code(0).stdout;
    assert!(!report(&[]).contains("judging"), "the job's own judge asked no model");
    let by_model = report(&["--judge", "rubric"]);
    assert!(by_model.contains("4 requests, 440 tokens read, 20 written, 0.000120 USD"), "{by_model}");
    assert!(report(&["--judge", "rubric", "--format", "json"]).contains("could not be read in 3 tries"));

    well.store(true, Ordering::SeqCst);
    judged(&suite, &script, &server, &JUDGE, KEY).expect_code(0);
    assert_eq!(of("a"), ([1, 110, 5], 30.0, Some(1.0), 1), "a verdict that is known is not asked for");
    assert_eq!(of("b"), ([4, 440, 20], 120.0, Some(1.0), 4), "on top of what was in vain");
    well.store(false, Ordering::SeqCst);
    judged(&suite, &script, &server, &[&JUDGE[..], &["--no-cache"]].concat(), KEY).expect_code(3);
    assert_eq!(of("a"), ([2, 220, 10], 60.0, Some(1.0), 2));
    assert_eq!(of("b"), ([7, 770, 35], 210.0, Some(1.0), 7), "asked in vain, it keeps the verdict that it had");
    assert_eq!([sealed("a"), sealed("b")], before);
}

#[test]
fn what_an_ungraded_answer_took_adds_up_over_all_who_judge_it() {
    let (server, well) = half_well();
    let (suite, script) = two();
    let run = [&RUN[..], &["--judge-model", "org/m"]].concat();
    let now = || {
        let record = trial(&suite.join("jobs/j"), "b");
        let replies = suite.read(&format!("jobs/j/{}/verifier/replies.jsonl", record.trial.name));
        let spent = record.judge_spent.expect("a model was asked");
        (record.reward, spent.requests, (spent.cost_usd.expect("a price") * 1e6).round(), replies.lines().count())
    };
    judged(&suite, &script, &server, &run, KEY).expect_code(3);
    // The job itself tries an ungraded answer once more when all agents are done.
    assert_eq!(now().0, None);
    let (first, replies) = (now().1, now().3);
    judged(&suite, &script, &server, &JUDGE, KEY).expect_code(3);
    assert_eq!((now().0, now().1), (None, first + 3));
    well.store(true, Ordering::SeqCst);
    judged(&suite, &script, &server, &JUDGE, KEY).expect_code(0);
    assert_eq!(now(), (Some(1.0), first + 4, 30.0 * (first + 4) as f64, replies + 4));
    let all = server.requests().len() as u64;
    let counted: u64 = ledger(&suite.join("jobs/j")).values().filter_map(|r| r.judge_spent).map(|s| s.requests).sum();
    // `a` had its verdict before, so the one request about it of the first `judge` is counted beside it.
    assert_eq!(counted + beside(&suite, "a").0["spent"]["requests"].as_u64().expect("a number"), all);
}

#[test]
fn a_refused_key_ends_judging_and_what_was_judged_at_the_same_time_is_kept() {
    let (suite, script) = suite(&["a", "b", "c", "d"].map(|name| (name.to_owned(), "42")), "");
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::json(401, &json!({"error": {"message": "Incorrect API key"}})),
        _ => says(&honest(request)).slow(std::time::Duration::from_millis(300)),
    });
    judged(&suite, &script, &server, &[&RUN[..], &["--judge", "rules"]].concat(), KEY).expect_code(0);
    let run = judged(&suite, &script, &server, &[&JUDGE[..], &["-n", "2"]].concat(), KEY).expect_code(2);
    assert!(run.stderr.contains("does not accept the key"), "{}", run.stderr);
    let sent = server.requests().len();
    assert!(sent <= 3, "nothing new is begun: {sent}");
    let kept = ["a", "b", "c", "d"].into_iter().filter(|task| {
        let name = trial(&suite.join("jobs/j"), task).trial.name;
        suite.join(&format!("jobs/j/{name}/verifier/judgments")).exists()
    });
    let kept: Vec<Value> = kept.map(|task| beside(&suite, task).0).collect();
    let verdicts = kept.iter().filter(|record| record["verdict"]["reward"] == 1.0).count();
    assert_eq!((kept.len(), verdicts), (sent, sent - 1), "{kept:?}");
    assert!(ledger(&suite.join("jobs/j")).values().all(|record| record.outcome != Ungraded));
}
