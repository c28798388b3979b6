//! Judges measured on labelled answers, and set beside each other on a job's stored answers: through the binary, with
//! models on a server of this machine and scripts in Docker.

use crate::job_fixture;
use crate::judge_bed::{KEY, RUN, honest, judged, says, suite};
use crate::model_server::Server;
use crate::support::{self, Suite};
use crate::tiny::{self, fake, trial};
use seatrial::results::OutcomeKind::Scored;
use seatrial::sandbox::docker::BASE;
use serde_json::{Value, json};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Labelled answers to one question: what was said, the right reward, how often.
fn cases(of: &[(&str, f64, usize)]) -> String {
    let line = |said: &str, reward: f64, n: usize| {
        let case = json!({"id": format!("{said} {n}"), "question": "How many boats?", "key": "42", "submission": said,
                          "expected": reward});
        format!("{case}\n")
    };
    of.iter().flat_map(|(said, reward, n)| (0..*n).map(move |n| line(said, *reward, n))).collect()
}

#[test]
fn a_model_judge_is_measured_beside_the_rules_and_the_measurement_moves_a_calibration() {
    let server = Server::with(|request| says(&honest(request)));
    let (suite, script) = suite(&[], "model: org/m");
    suite.write("cases.jsonl", cases(&[("42", 1.0, 35), ("It is 42.", 1.0, 1), ("41", 0.0, 35)]));
    let both = ["judge-cases", "cases.jsonl", "--judge", "rubric", "--judge", "rules", "--judge-model", "org/m"];
    let run = judged(&suite, &script, &server, &both, KEY).expect_code(0);
    for said in [
        "judge rubric: 70 of 71 cases agree (98.6 %), 0 wrongly taken for right",
        "used  71 requests, 7810 tokens read, 355 written, cost not known",
        "judge rules: 71 of 71 cases agree (100.0 %)",
        "the judges differ on 1 case (kappa 0.972, alpha 0.972)\nIt is 42. 0: expected 1.0, rubric 0.0, rules 1.0\n",
    ] {
        assert!(run.stdout.contains(said), "{said}\n{}", run.stdout);
    }
    let asked = server.requests()[0].body["messages"][0]["content"].to_string();
    assert!(asked.contains("You judge one answer to one question."), "the built-in rubric is used: {asked}");

    let one = ["judge-cases", "cases.jsonl", "--judge", "rubric", "--judge-model", "org/m", "-o", "judge.json"];
    judged(&suite, &script, &server, &one, KEY).expect_code(0);
    let kept = json_of(&suite.read("judge.json"));
    let rate = |name: &str| (kept[name]["count"].as_u64(), kept[name]["n"].as_u64());
    assert_eq!((rate("sensitivity"), rate("specificity")), ((Some(35), Some(36)), (Some(35), Some(35))));
    // Wilson's interval of 35 of 36, by hand.
    let interval: Vec<f64> =
        kept["sensitivity"]["interval"].as_array().expect("two").iter().filter_map(Value::as_f64).collect();
    assert!((interval[0] - 0.858_303).abs() < 1e-4 && (interval[1] - 0.995_080).abs() < 1e-4, "{interval:?}");
    for (name, value) in [("cohen_kappa", 0.971_837), ("gwet_ac1", 0.971_831), ("krippendorff_alpha", 0.972_029)] {
        let found = kept[name].as_f64().expect(name);
        assert!((found - value).abs() < 1e-6, "{name}: {found}");
    }

    let mut job = job_fixture::job("a", &["one"], 6);
    job_fixture::make(&suite.join("jobs/other"), &job, (0..6).map(|_| Some(job_fixture::scored(1.0))).collect());
    let other = ["calibrate", "jobs/other", "-o", "c.json", "--judge-measured", "judge.json"];
    let refused = suite.run(&other).expect_code(2).stderr;
    assert!(refused.contains("measured the judge `rubric`, but `rules` judged in"), "{refused}");
    job.judge = "rubric".into();
    job.judge_parameters = serde_json::from_value(kept["judge_parameters"].clone()).expect("parameters");
    job.tasks[0].rubric_sha256 = Some("0".repeat(64));
    job_fixture::make(&suite.join("jobs/b"), &job, (0..6).map(|_| Some(job_fixture::scored(1.0))).collect());
    let refused = suite.run(&["calibrate", "jobs/b", "-o", "c.json", "--judge-measured", "judge.json"]).expect_code(2);
    assert!(refused.stderr.contains("by another rubric than task `one` has in `jobs/b`"), "{}", refused.stderr);
    job.tasks[0].rubric_sha256 = kept["rubric_sha256"].as_str().map(str::to_owned);
    assert!(job.tasks[0].rubric_sha256.is_some(), "{kept}");
    job_fixture::make(&suite.join("jobs/a"), &job, (0..6).map(|_| Some(job_fixture::scored(1.0))).collect());
    suite.run(&["calibrate", "jobs/a", "-o", "plain.json"]).expect_code(0);
    suite.run(&["calibrate", "jobs/a", "-o", "c.json", "--judge-measured", "judge.json"]).expect_code(0);
    let (plain, moved) = (json_of(&suite.read("plain.json")), json_of(&suite.read("c.json")));
    assert_eq!(moved["judge"]["sensitivity"], kept["sensitivity"]["rate"]);
    let easy = |of: &Value| of["tasks"]["one"]["reference"]["masses"]["easy"].as_f64().expect("a chance");
    assert!((easy(&plain) - easy(&moved)).abs() > 1e-3, "{} {}", easy(&plain), easy(&moved));
}

#[test]
fn the_variables_that_name_a_judges_models_count_where_it_is_measured_too() {
    let server = Server::with(|request| says(&honest(request)));
    let suite = Suite::new();
    suite.write("cases.jsonl", cases(&[("42", 1.0, 1)]));
    let run = |variable: &str, models: &str| {
        let mut command = suite.command(&["judge-cases", "cases.jsonl", "--judge", "rubric", "--format", "json"]);
        command.env("OPENAI_BASE_URL", format!("{}/v1", server.url())).env("OPENAI_API_KEY", KEY);
        command.env_remove("JUDGE_MODELS").env_remove("JUDGE_MODEL").env(variable, models);
        json_of(&String::from_utf8(command.output().expect("it starts").stdout).expect("UTF-8"))
    };
    assert_eq!(run("JUDGE_MODEL", "org/m")["judge_parameters"]["models"][0]["model"], "org/m");
    let two = run("JUDGE_MODELS", "org/m,org/n");
    assert_eq!(
        (&two["judge_parameters"]["models"][1]["model"], &two["spent"]["requests"]),
        (&json!("org/n"), &json!(2))
    );
}

#[test]
fn the_agreement_of_a_judge_is_that_of_the_reference_vectors() {
    let Some(shared) = support::shared("the_agreement_of_a_judge_is_that_of_the_reference_vectors") else { return };
    let vectors = json_of(&std::fs::read_to_string(shared.join("vectors/stat-vectors.json")).expect("the vectors"));
    let near = |found: Option<f64>, wanted: &Value, name: &str| {
        let (found, wanted) = (found.expect(name), wanted.as_f64().expect("a number"));
        assert!((found - wanted).abs() < 1e-9, "{name}: {found}, not {wanted}");
    };
    for group in ["agreement", "agreement_kappa_paradox"] {
        let of = &vectors[group];
        let rewards = |name: &str| of[name].as_array().expect("ratings").iter().map(|r| r.as_f64().expect("0 or 1"));
        let suite = Suite::new();
        let mut lines = String::new();
        let mut script = serde_json::Map::new();
        for (n, (label, given)) in rewards("a").zip(rewards("b")).enumerate() {
            let case = json!({"id": n.to_string(), "question": "?", "key": "1", "submission": "1", "expected": label});
            lines.push_str(&format!("{case}\n"));
            script.insert(n.to_string(), json!({"reward": given}));
        }
        suite
            .write("cases.jsonl", lines)
            .write("judge.script", json!({"default": {"reward": 0.0}, "tasks": script}).to_string());
        let args = ["judge-cases", "cases.jsonl", "--scripted-judge", "judge.script", "-o", "judge.json"];
        suite.run(&args).expect_code(0);
        let kept = json_of(&suite.read("judge.json"));
        for (ours, theirs) in [
            ("percent", "percent"),
            ("cohen_kappa", "cohen_kappa"),
            ("gwet_ac1", "gwet_ac1"),
            ("krippendorff_alpha", "krippendorff_nominal"),
        ] {
            near(kept[ours].as_f64(), &of[theirs], &format!("{group} {ours}"));
        }
    }
}

#[test]
fn an_answer_that_names_a_rival_of_the_tasks_list_beside_the_key_is_wrong() {
    let suite = tiny::suite(&["listed", "alone", "right"]);
    for task in ["listed", "alone", "right"] {
        let case = json!({"input": "Who owns most?", "ground_truth": "Ora Vey"});
        suite.write(&format!("tasks/{task}/tests/case.json"), case.to_string());
    }
    for task in ["listed", "right"] {
        suite.write(&format!("tasks/{task}/tests/rivals.txt"), "Ora Vey\nCal Dunn\n");
    }
    let engine = r#"{"default": {"answer": "it is ora vey with cal dunn beside"}, "tasks": {"right": [{"answer": "it is ora vey"}]}}"#;
    fake(&suite, engine, &["run", "tasks", "--command", "x", "--job-name", "j", "-q"]).expect_code(0);
    let dir = suite.join("jobs/j");
    let reward = |task: &str| (trial(&dir, task).outcome, trial(&dir, task).reward);
    assert_eq!(reward("listed"), (Scored, Some(0.0)), "{:?}", trial(&dir, "listed").verdict);
    assert_eq!(reward("right"), (Scored, Some(1.0)), "{:?}", trial(&dir, "right").verdict);
    assert_eq!(reward("alone"), (Scored, Some(1.0)), "without the list nobody knows that this is a name");
}

#[test]
fn a_second_pass_of_a_model_judge_sends_no_request_unless_it_is_told_to() {
    let server = Server::with(|request| says(&honest(request)));
    let (suite, script) = suite(&[("a".to_owned(), "42"), ("b".to_owned(), "41")], "model: org/m");
    judged(&suite, &script, &server, &[&RUN[..], &["--judge", "rules"]].concat(), KEY).expect_code(0);
    assert!(server.requests().is_empty());
    let pass = |more: &[&str]| {
        let before = server.requests().len();
        let args = ["judge", "jobs/j", "--judge", "rubric", "--judge-model", "org/m", "--format", "json"];
        let run = judged(&suite, &script, &server, &[&args, more].concat(), KEY).expect_code(0);
        let said = json_of(&run.stdout);
        let sent = server.requests().len() - before;
        assert_eq!(said["spent"]["requests"], sent, "{said}");
        (sent, said["judged"].as_u64().expect("a number"), said["known"].as_u64().expect("a number"))
    };
    assert_eq!((pass(&[]), pass(&[]), pass(&["--no-cache"])), ((2, 2, 0), (0, 2, 2), (2, 2, 0)));
    let text = ["judge", "jobs/j", "--judge", "rubric", "--judge-model", "org/n"];
    let run = judged(&suite, &script, &server, &text, KEY).expect_code(0);
    assert!(run.stdout.contains("\nused 2 requests, 220 tokens read, 10 written, cost not known\n"), "{}", run.stdout);
}

#[tokio::test]
async fn stored_answers_are_judged_again_by_the_tasks_own_scripts() {
    if support::docker("stored_answers_are_judged_again_by_the_tasks_own_scripts").await.is_none() {
        return;
    }
    let suite = tiny::suite(&[]);
    for (name, answer) in [("right", "42"), ("wrong", "41")] {
        tiny::task(&suite, name, BASE, "");
        let line = format!("mkdir -p /app\necho {answer} > /app/answer.txt; echo run >> /app/runs\n");
        suite.write(&format!("tasks/{name}/instruction.md"), line);
        let test = "#!/bin/sh\ntest -e /app/runs && exit 1\necho said; echo left > /logs/verifier/left.txt\n\
                    if grep -q 42 /app/answer.txt; then echo 0.75; else echo 0.25; fi > /logs/verifier/reward.txt\n";
        suite.write(&format!("tasks/{name}/tests/test.sh"), test);
    }
    let job = format!("again-{}", std::process::id());
    let run = ["run", "tasks", "--command", ". \"$SEATRIAL_INSTRUCTION\"", "--job-name", &job, "-q"];
    suite.run(&run).expect_code(0);
    let dir = suite.join(&format!("jobs/{job}"));
    let rewards = || (trial(&dir, "right").reward, trial(&dir, "wrong").reward);
    assert_eq!(rewards(), (Some(1.0), Some(0.0)), "by the rules");
    let path = format!("jobs/{job}");
    let again =
        || json_of(&suite.run(&["judge", &path, "--judge", "script", "--format", "json"]).expect_code(0).stdout);
    let first = again();
    let after: Vec<_> = first["entries"].as_array().expect("entries").iter().map(|e| e["after"].as_f64()).collect();
    assert_eq!((&first["judge"], &first["changed"], &first["known"]), (&json!("script"), &json!(2), &json!(0)));
    assert_eq!(after, [Some(0.75), Some(0.25)], "{first}");
    let beside = dir.join(&trial(&dir, "right").trial.name).join("verifier/judgments");
    let kept = crate::mini::tree(&beside);
    let of = |end: &str| kept.iter().find(|(path, _)| path.ends_with(end)).map(|(_, bytes)| bytes.as_slice());
    assert_eq!((of("/test-stdout.txt"), of("/left.txt")), (Some(&b"said\n"[..]), Some(&b"left\n"[..])));
    assert_eq!(again()["known"], 2, "a second pass starts no container");
    assert_eq!(rewards(), (Some(1.0), Some(0.0)), "sealed verdicts stay");
    let report = suite.run(&["report", &path, "--judge", "script", "--format", "json"]).expect_code(0).stdout;
    let by_script: f64 =
        json_of(&report)["trials"].as_array().expect("trials").iter().filter_map(|t| t["reward"].as_f64()).sum();
    assert!((by_script - 1.0).abs() < 1e-9, "{by_script}");
}
