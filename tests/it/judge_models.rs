//! Judges that ask models, through the real binary: outages, a wrong key, votes, what is asked and what is said before
//! anything runs.

use crate::judge_bed::{KEY, RUBRIC, RUN, honest, judged, says, suite};
use crate::model_server::{Act, Server, message};
use crate::support;
use crate::tiny::{self, fake, ledger, tally, trial};
use seatrial::results::OutcomeKind::Ungraded;
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[test]
fn an_outage_pauses_judging_while_agents_go_on_and_all_is_judged_in_the_end() {
    let tasks: Vec<_> = (0..12).map(|n| (format!("t{n:02}"), if n % 2 == 0 { "42" } else { "41" })).collect();
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0..5 => Act::json(500, &json!({"error": {"message": "down"}})),
        _ => says(&honest(request)),
    });
    let (suite, script) = suite(&tasks, "model: org/m, max_retries: 0");
    let run = judged(&suite, &script, &server, &RUN, KEY).expect_code(0);
    assert!(run.stderr.contains("the judge failed 5 times in a row, so it is left alone"), "{}", run.stderr);
    assert_eq!(server.requests().len(), 17, "5 that failed, and 12 verdicts");
    for (name, record) in ledger(&suite.join("jobs/j")) {
        let reward = if record.trial.task[1..].parse::<u32>().expect("a number") % 2 == 0 { 1.0 } else { 0.0 };
        assert_eq!(record.reward, Some(reward), "{name}");
    }
    assert!(tally(&suite).values().all(|runs| *runs == 1), "no agent ran twice");
    let report = suite.run(&["report", "jobs/j"]).expect_code(0).stdout;
    assert!(report.contains("17 requests, 1320 tokens read, 60 written"), "{report}");
}

#[test]
fn a_judge_that_is_down_all_the_time_leaves_a_job_that_a_resume_finishes() {
    let tasks: Vec<_> = (0..9).map(|n| (format!("t{n}"), "42")).collect();
    let well = std::sync::Arc::new(AtomicBool::new(false));
    let switch = std::sync::Arc::clone(&well);
    let server = Server::with(move |request| match switch.load(Ordering::SeqCst) {
        true => says(&honest(request)),
        false => Act::json(503, &json!({"error": {"message": "down"}})),
    });
    let (suite, script) = suite(&tasks, "model: org/m, max_retries: 0");
    judged(&suite, &script, &server, &RUN, KEY).expect_code(3);
    let dir = suite.join("jobs/j");
    assert!(ledger(&dir).values().all(|record| (record.outcome, record.reward) == (Ungraded, None)));
    assert_eq!(server.requests().len(), 6, "five in a row, and one more try at the end");
    well.store(true, Ordering::SeqCst);
    judged(&suite, &script, &server, &["resume", "jobs/j", "-q"], KEY).expect_code(0);
    assert!(ledger(&dir).values().all(|record| record.reward == Some(1.0)));
    assert!(tally(&suite).len() == 9 && tally(&suite).values().all(|runs| *runs == 1), "no agent ran again");
}

#[test]
fn a_wrong_key_stops_the_job_at_once_with_one_sentence_and_is_found_nowhere() {
    let tasks: Vec<_> = (0..9).map(|n| (format!("t{n}"), "42")).collect();
    let server = Server::with(|request| match request.header("authorization") {
        Some("Bearer sk-good") => says(&honest(request)),
        _ => Act::json(401, &json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})),
    });
    let (suite, script) = suite(&tasks, "model: org/m");
    let run = judged(&suite, &script, &server, &RUN, KEY).expect_code(2);
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{}", run.stderr);
    assert!(errors[0].contains("does not accept the key") && errors[0].contains("`OPENAI_API_KEY`"), "{}", errors[0]);
    assert!(run.stderr.contains("`seatrial resume jobs/j`"), "{}", run.stderr);
    assert_eq!(server.requests().len(), 1);
    for (path, bytes) in crate::mini::tree(&suite.join("jobs/j")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{path} holds the key");
    }
    assert!(!run.stderr.contains(KEY) && !run.stdout.contains(KEY));
    judged(&suite, &script, &server, &["resume", "jobs/j", "-q"], "sk-good").expect_code(0);
    assert!(ledger(&suite.join("jobs/j")).values().all(|record| record.reward == Some(1.0)));
}

#[test]
fn votes_that_differ_are_ambiguous_and_all_are_kept() {
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        1 => says("{\"score\": 0, \"rationale\": \"dissent\"}"),
        _ => says(&honest(request)),
    });
    let (suite, script) = suite(&[("a".to_owned(), "42"), ("b".to_owned(), "42")], "");
    let args = [&RUN[..], &["--judge-model", "org/m", "--judge-model", "org/n", "--judge-votes", "2"]].concat();
    judged(&suite, &script, &server, &args, KEY).expect_code(0);
    let dir = suite.join("jobs/j");
    let verdict = |task: &str| trial(&dir, task).verdict.expect("a verdict");
    let (split, clear) = (verdict("a"), verdict("b"));
    assert_eq!((split.reward, split.ambiguous, split.votes.len()), (1.0, true, 4));
    let cast: Vec<_> = split.votes.iter().map(|vote| (vote.model.as_str(), vote.reward)).collect();
    assert_eq!(cast, [("org/m", Some(1.0)), ("org/n", Some(0.0)), ("org/m", Some(1.0)), ("org/n", Some(1.0))]);
    assert_eq!((clear.reward, clear.ambiguous), (1.0, false));
    assert_eq!(trial(&dir, "a").judge_spent.expect("spent").requests, 4);
    let record: Value = serde_json::from_str(&suite.read("jobs/j/seatrial.json")).expect("JSON");
    let asked = &record["judge_parameters"];
    assert_eq!((&asked["votes"], &asked["models"][1]["model"]), (&json!(2), &json!("org/n")));
    assert_eq!(asked["models"][0]["temperature"], 0.0);
    let shown = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
    crate::report::matches_schema("report.json", &shown("json"));
    assert!(shown("text").contains("\njudging\n  used          8 requests, "), "{}", shown("text"));
    assert!(shown("text").contains("  ambiguous     1 verdict: votes differed\n"), "{}", shown("text"));
    assert!(shown("md").contains("| ambiguous | 1 verdict: votes differed |"), "{}", shown("md"));
    assert!(shown("html").contains("<dt>ambiguous</dt><dd>1 verdict: votes differed</dd>"));
}

#[test]
fn a_judge_of_anthropics_is_asked_in_its_own_format() {
    let server = Server::start(vec![Act::json(
        200,
        &message(
            &json!([{"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "{\"score\": 1, \"rationale\": \"same\"}"}]),
            "end_turn",
        ),
    )]);
    let (suite, script) = suite(&[("a".to_owned(), "42")], "model: claude-x");
    judged(&suite, &script, &server, &RUN, KEY).expect_code(0);
    assert_eq!(trial(&suite.join("jobs/j"), "a").reward, Some(1.0));
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), request.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!(request.body["output_config"]["format"]["type"], "json_schema");
}

#[test]
fn what_a_judge_needs_is_said_before_anything_runs() {
    let (suite, script) = suite(&[("a".to_owned(), "42")], "");
    let run = |args: &[&str]| {
        suite.write("engine.json", &script);
        let mut command = suite.command(&tiny::fake_args(&[&RUN[..], args].concat()));
        for name in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "JUDGE_MODEL", "JUDGE_MODELS"] {
            command.env_remove(name);
        }
        let out = command.output().expect("it starts");
        (out.status.code(), String::from_utf8(out.stderr).expect("UTF-8"))
    };
    for (args, said) in [
        (&[][..], "error: judge `rubric` asks a model, and none is named\n\nhint: name it with `--judge-model MODEL`"),
        (
            &["--judge-model", "openai/gpt-x"],
            "error: the judge can't be asked: model `openai/gpt-x` needs a key, and `OPENAI_API_KEY` is not set",
        ),
        (&["--judge", "rules", "--judge-votes", "3"], "error: judge `rules` asks no model, so `--judge-votes` means"),
        (&["--judge-model", "m", "--judge-votes", "0"], "error: `--judge-votes`: must be from 1 to 99"),
        (&["--judge", "rubrik"], "error: there is no judge `rubrik`\n\nhint: did you mean `rubric`?"),
    ] {
        let (code, stderr) = run(args);
        assert!(code == Some(2) && stderr.starts_with(said), "{args:?}: {stderr}");
    }
    suite.write("tasks/a/tests/rubric.txt", "no place for an answer");
    let server = Server::start(vec![says("1")]);
    let run = judged(&suite, &script, &server, &[&RUN[..], &["--judge-model", "org/m"]].concat(), KEY).expect_code(2);
    assert!(run.stderr.contains("`a`: its `tests/rubric.txt` has no `{submission}`"), "{}", run.stderr);
    assert!(tally(&suite).is_empty() && server.requests().is_empty());
}

#[test]
fn a_resumed_job_keeps_its_judge() {
    let (suite, script) = suite(&[("a".to_owned(), "42")], "model: org/m");
    let server = Server::start(vec![says("1")]);
    judged(&suite, &script, &server, &RUN, KEY).expect_code(0);
    let other = Server::start(vec![says("1")]);
    let run = judged(&suite, &script, &other, &["resume", "jobs/j", "-q"], KEY).expect_code(2);
    assert!(run.stderr.contains("the judge's `models` was"), "{}", run.stderr);
    let plain = fake(&suite, &script, &["run", "tasks", "-a", "nop", "--judge", "rules", "--job-name", "k", "-q"]);
    plain.expect_code(0);
}

#[tokio::test]
async fn an_answer_out_of_a_container_is_judged_by_a_model() {
    if support::docker("an_answer_out_of_a_container_is_judged_by_a_model").await.is_none() {
        return;
    }
    let server = Server::with(|request| says(&honest(request)));
    let (suite, _) = suite(&[], "model: org/m");
    for (name, line) in [("right", "echo 42"), ("wrong", "echo 41")] {
        tiny::task(&suite, name, BASE, "");
        suite.write(&format!("tasks/{name}/instruction.md"), format!("mkdir -p /app\n{line} > /app/answer.txt\n"));
        suite.write(&format!("tasks/{name}/tests/rubric.txt"), RUBRIC);
    }
    let job = format!("judged-{}", std::process::id());
    let out = suite
        .command(&["run", "tasks", "--command", ". \"$SEATRIAL_INSTRUCTION\"", "--job-name", &job, "-q"])
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .env("OPENAI_API_KEY", KEY)
        .output()
        .expect("it starts");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let dir = suite.join(&format!("jobs/{job}"));
    assert_eq!((trial(&dir, "right").reward, trial(&dir, "wrong").reward), (Some(1.0), Some(0.0)));
}
