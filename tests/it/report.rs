//! `seatrial report`: the same job gives the same bytes in every format, and says what it leaves out.

use crate::job_fixture::{config, end, fault, handle, job, job_of, make, mixed, scored};
use crate::support::{Suite, shared};
use seatrial::agent::ModelRun;
use seatrial::event::{Event, Judging, Limit, Outcome};
use seatrial::judge::Spent;
use seatrial::model::{ModelUse, Usage};
use seatrial::results::{Store, read_job};
use seatrial::stats::{self, pass_at_k, pass_hat_k, summarize, wilson};

fn mixed_suite() -> Suite {
    let suite = Suite::new();
    let (job, ends) = mixed();
    make(&suite.join("jobs/mixed"), &job, ends);
    suite
}

#[test]
fn every_format_shows_the_same_job_in_the_same_bytes() {
    let (suite, other) = (mixed_suite(), mixed_suite());
    for format in ["text", "json", "md", "junit"] {
        let run = suite.run(&["report", "jobs/mixed", "--format", format]).expect_code(0);
        insta::assert_snapshot!(format!("report_{format}"), run.stdout);
        let again = other.run(&["report", "jobs/mixed", "--format", format]).expect_code(0);
        assert_eq!(run.stdout, again.stdout, "{format}");
        let harmful = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert_eq!(run.stdout.matches(harmful).count(), 0, "{format}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.stderr, @r"
            warning: 3 of 8 trials have no reward: 1 ungraded, 1 ended as faults, 1 missing

            hint: `seatrial resume jobs/mixed` goes on with them
            ");
        }
    }
}

#[test]
fn many_attempts_show_a_few_k_and_json_has_them_all() {
    let suite = Suite::new();
    let name = "a-task-with-a-name-that-is-much-longer-than-any-column-of-the-table";
    let ends = (0..120).map(|i| Some(if i == 0 { fault("no engine") } else { scored(f64::from(i % 2)) })).collect();
    make(&suite.join("jobs/many"), &job("many", &[name], 120), ends);
    let run = suite.run(&["report", "jobs/many"]).expect_code(0);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    let shown = |text: &str, begin: &str| -> Vec<u64> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(begin)?.split_whitespace().next()?.parse().ok());
        lines.collect()
    };
    let few = [1, 2, 3, 5, 10, 20, 50, 100, 120];
    assert_eq!(shown(&run.stdout, "  k = "), few, "{}", run.stdout);
    assert!(run.stdout.contains("60/119    1  0.504  "), "one of 120 is lost: {}", run.stdout);
    let markdown = suite.run(&["report", "jobs/many", "--format", "md"]).expect_code(0).stdout;
    let table = markdown.split("| k |").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a table by k");
    assert_eq!(shown(table, "| "), few, "{markdown}");
    assert!(markdown.contains(" | 60/119 | 1 | 0.504 | 41.6-59.2% | 0 / 100 / 0 |"), "{markdown}");
    let json: serde_json::Value =
        serde_json::from_str(&suite.run(&["report", "jobs/many", "--format", "json"]).expect_code(0).stdout)
            .expect("JSON");
    assert_eq!(json["arms"][0]["pass_k"].as_array().map(Vec::len), Some(120));
}

#[test]
fn a_part_of_a_job_is_said_to_be_one_in_every_format() {
    let suite = Suite::new();
    let (mut job, ends) = mixed();
    job.tasks[0].question_type = Some("lookup".into());
    make(&suite.join("jobs/part"), &job, ends);
    for format in ["text", "json", "md", "junit", "html"] {
        let run = suite.run(&["report", "jobs/part", "--format", format, "--category", "lookup"]).expect_code(0);
        assert!(run.stdout.contains("only lookup: 1 of 4 tasks"), "{format}: {}", run.stdout);
    }
    let junit = suite.run(&["report", "jobs/part", "--format", "junit", "--category", "lookup"]).stdout;
    assert!(junit.contains("<property name=\"part\" value=\"only lookup: 1 of 4 tasks\"/>"), "{junit}");
}

#[test]
fn a_report_goes_to_a_file_whole() {
    let suite = mixed_suite();
    let run = suite.run(&["report", "jobs/mixed", "--format", "md", "-o", "report.md"]).expect_code(0);
    assert_eq!(run.stdout, "");
    assert_eq!(suite.read("report.md"), suite.run(&["report", "jobs/mixed", "--format", "md"]).stdout);
    let run = suite.run(&["report", "jobs/mixed", "-o", "no/such/report.txt"]).expect_code(2);
    let expected = "error: failed to write `no/such/report.txt`: there is no folder `no/such`\n";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
    assert!(run.stderr.contains("hint: `-o` wants a file in a folder that exists"), "{}", run.stderr);
}

#[test]
fn what_is_no_job_is_named_with_what_to_do() {
    let suite = mixed_suite();
    suite
        .write("empty/.keep", "")
        .write("file", "")
        .write("bad/seatrial.json", "{")
        .write("new/seatrial.json", "{\"format\": 7}");
    let table = [
        ("typo", "`typo` is not a job directory: there is no such directory"),
        ("empty", "`empty` is not a job directory: it holds no `seatrial.json`"),
        ("jobs", "`jobs` is not a job directory: it holds no `seatrial.json`; the jobs in it are `jobs/mixed`"),
        ("file", "`file` is not a job directory: it is not a directory"),
        ("bad", "`bad/seatrial.json` can't be read as a job's record: EOF while parsing"),
        ("new", "`new/seatrial.json` has format 7, newer than this seatrial's 1"),
    ];
    for (dir, message) in table {
        let run = suite.run(&["report", dir]).expect_code(2);
        assert!(run.stderr.starts_with(&format!("error: {message}")), "{dir}: {}", run.stderr);
        assert!(run.stderr.contains("\n\nhint: "), "{dir}: {}", run.stderr);
    }
}

#[test]
fn a_job_that_is_named_without_its_folder_or_misspelt_is_guessed() {
    let suite = mixed_suite();
    for (verb, dir) in [("report", "mixed"), ("report", "jobs/mixd"), ("resume", "mixed"), ("resume", "job/mixed")] {
        let run = suite.run(&[verb, dir]).expect_code(2);
        assert!(run.stderr.ends_with("hint: did you mean `jobs/mixed`?\n"), "{verb} {dir}: {}", run.stderr);
    }
}

#[test]
fn a_job_that_runs_is_said_to_run() {
    let suite = mixed_suite();
    let (store, _) = Store::open(&suite.join("jobs/mixed")).expect("the job");
    let run = suite.run(&["report", "jobs/mixed"]).expect_code(0);
    assert!(run.stderr.starts_with("`jobs/mixed` is still running: 3 of 8 trials have no reward"), "{}", run.stderr);
    assert!(!run.stderr.contains("resume"), "{}", run.stderr);
    drop(store);
    assert!(suite.run(&["report", "jobs/mixed"]).stderr.contains("hint: `seatrial resume"));
}

#[test]
fn a_damaged_trial_is_counted_as_damaged_in_every_format() {
    let suite = mixed_suite();
    let job = read_job(&suite.join("jobs/mixed")).expect("a job");
    suite.write(&format!("jobs/mixed/{}/result.json", job.trials[0].trial.name), "{");
    let say = |format| suite.run(&["report", "jobs/mixed", "--format", format]).expect_code(0);
    let text = say("text");
    assert!(text.stdout.contains("missing 1, damaged 1\n"), "{}", text.stdout);
    assert!(text.stderr.contains("1 missing, 1 damaged\n"), "{}", text.stderr);
    assert!(say("md").stdout.contains("| missing | damaged |\n"));
    let json: serde_json::Value = serde_json::from_str(&say("json").stdout).expect("JSON");
    let counts = &json["arms"][0]["all"]["counts"];
    assert_eq!((&counts["missing"], &counts["damaged"]), (&1.into(), &1.into()));
    let junit = say("junit").stdout;
    assert!(junit.contains("errors=\"3\" skipped=\"1\"") && junit.contains("<error type=\"damaged\""), "{junit}");
}

#[test]
fn one_success_and_29_faults_is_1_of_30_and_nine_tasks_without_data() {
    let suite = Suite::new();
    let tasks: Vec<String> = (0..10).map(|i| format!("t-{i}")).collect();
    let job = job("outage", &tasks.iter().map(String::as_str).collect::<Vec<_>>(), 3);
    let mut ends: Vec<_> = (0..30).map(|_| Some(fault("no engine"))).collect();
    ends[0] = Some(scored(1.0));
    make(&suite.join("jobs/outage"), &job, ends);
    let run = suite.run(&["report", "jobs/outage"]).expect_code(0);
    for expected in [
        "  passes        1 of 1 trials with a reward pass: 100.0%\n  Wilson 95%    20.7-100.0%, over trials taken as independent\n",
        "1 of 30 planned, 3.3%",
        "scored 1, no answer 0,",
        "fault 29",
        "pass@1 1.000, pass^1 1.000 over 1 task\n",
        "pass@3 n/a, pass^3 n/a over 0 tasks",
        "no data       t-1, t-2, t-3, t-4, t-5, t-6, t-7, t-8, t-9\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}:\n{}", run.stdout);
    }
    assert!(run.stderr.starts_with("warning: 29 of 30 trials have no reward"), "{}", run.stderr);
    let arm = &summarize(&read_job(&suite.join("jobs/outage")).expect("a job")).arms[0];
    assert_eq!((arm.no_data.len(), arm.all.strict_reward), (9, Some(1.0 / 30.0)));
}

#[test]
fn two_agents_in_one_job_are_never_mixed() {
    let suite = Suite::new();
    let job = job_of("two", &["a", "b"], &[("loop", Some("acme/small")), ("loop", Some("acme/large"))], 1);
    let ends = [0.0, 1.0, 0.0, 1.0].map(|reward| Some(scored(reward))).to_vec();
    make(&suite.join("jobs/two"), &job, ends);
    let summary = summarize(&read_job(&suite.join("jobs/two")).expect("a job"));
    let arms: Vec<_> =
        summary.arms.iter().map(|arm| (arm.model.as_deref(), arm.all.passes, arm.all.rewarded)).collect();
    assert_eq!(arms, [(Some("acme/small"), 0, 2), (Some("acme/large"), 2, 2)]);
    let junit = suite.run(&["report", "jobs/two", "--format", "junit"]).expect_code(0);
    assert_eq!(junit.stdout.matches("<testsuite name=\"loop (acme/").count(), 2, "{}", junit.stdout);
    assert_eq!(junit.stderr, "", "nothing is left out");
}

#[test]
fn half_a_reward_is_half_in_the_mean_and_no_pass() {
    let suite = Suite::new();
    make(&suite.join("jobs/half"), &job("half", &["a"], 2), vec![Some(scored(0.5)), Some(scored(1.0))]);
    let summary = stats::summarize(&read_job(&suite.join("jobs/half")).expect("a job"));
    let all = &summary.arms[0].all;
    assert_eq!((all.mean_reward, all.passes, all.rewarded), (Some(0.75), 1, 2));
}

#[test]
fn the_estimators_agree_with_the_shared_vectors() {
    let Some(dir) = shared("the_estimators_agree_with_the_shared_vectors") else { return };
    let text = std::fs::read(dir.join("vectors/stat-vectors.json")).expect("the vectors");
    let vectors: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let near = |found: Option<f64>, expected: &serde_json::Value, what: &str| {
        let (found, expected) = (found.expect(what), expected.as_f64().expect(what));
        assert!((found - expected).abs() < 1e-9, "{what}: {found} is not {expected}");
    };
    let group = |group: &str| vectors[group]["cases"].as_array().expect("a group").clone();
    let number = |vector: &serde_json::Value, key: &str| vector[key].as_u64().expect("a count");
    for vector in group("pass_k") {
        let (n, c, k) = (number(&vector, "n"), number(&vector, "c"), number(&vector, "k"));
        near(pass_at_k(n, c, k), &vector["pass_at_k"], "pass@k");
        near(pass_hat_k(n, c, k), &vector["pass_hat_k"], "pass^k");
    }
    for vector in group("intervals_95") {
        let ends = wilson(number(&vector, "n"), number(&vector, "c"));
        near(ends.map(|ends| ends.0), &vector["wilson"][0], "low end");
        near(ends.map(|ends| ends.1), &vector["wilson"][1], "high end");
    }
}

/// Holds a report in JSON against its schema, which documents every field and knows no other.
#[track_caller]
pub fn matches_schema(schema: &str, report: &str) {
    keeps_to(schema, report, "/arms/0/all");
}

/// Holds JSON against a schema of ours; `place` points at an object in it, in which a field too much must be noticed.
#[track_caller]
pub fn keeps_to(schema: &str, report: &str, place: &str) {
    let path = crate::support::project().join("schemas").join(schema);
    let schema = serde_json::from_str(&std::fs::read_to_string(&path).expect("the schema")).expect("JSON");
    let report: serde_json::Value = serde_json::from_str(report).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = schema.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What holds for anything would hold for this too.
    let mut other = report;
    other.pointer_mut(place).expect("it is there")["more_"] = 1.into();
    assert!(!schema.is_valid(&other), "a field that isn't documented is noticed");
}

/// Every object that lists its fields knows no others, and says of each what it means.
#[test]
fn schemas_document_every_field() {
    fn look(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
        if let Some(fields) = value["properties"].as_object() {
            if value["additionalProperties"] != false {
                found.push(format!("{path}: takes any field"));
            }
            let bare = fields.iter().filter(|(_, field)| !field["description"].is_string());
            found.extend(bare.map(|(name, _)| format!("{path}: `{name}` has no description")));
        }
        match value {
            serde_json::Value::Object(map) => map.iter().for_each(|(key, v)| look(v, &format!("{path}/{key}"), found)),
            serde_json::Value::Array(list) => list.iter().for_each(|v| look(v, path, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for name in ["report.json", "compare.json", "calibration.json", "judge.json", "judge-cases.json", "audit.json"] {
        let text = std::fs::read_to_string(crate::support::project().join("schemas").join(name)).expect("a schema");
        look(&serde_json::from_str(&text).expect("JSON"), name, &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn tasks_stand_in_the_order_of_their_numbers_in_every_format() {
    let suite = Suite::new();
    let names: Vec<String> = (0..12).map(|i| format!("ledger-{i}")).collect();
    // As a folder is read: by text.
    let mut by_text: Vec<&str> = names.iter().map(String::as_str).collect();
    by_text.sort_unstable();
    assert_eq!(by_text[2], "ledger-10");
    let mut record = job("j", &by_text, 3);
    record.observed.engine.kind = "docker".into();
    make(&suite.join("jobs/j"), &record, (0..36).map(|i| Some(scored(f64::from(i % 2)))).collect());
    let order = |text: &str, wanted: &dyn Fn(&str) -> String| {
        let places: Vec<usize> =
            names.iter().map(|name| text.find(&wanted(name)).unwrap_or_else(|| panic!("{name}: {text}"))).collect();
        assert!(places.is_sorted(), "{text}");
    };
    let shown = |format: &str| suite.run(&["report", "jobs/j", "--format", format]).expect_code(0).stdout;
    order(&shown("text"), &|name| format!("\n  {name} "));
    order(&shown("md"), &|name| format!("\n| {name} |"));
    order(&shown("html"), &|name| format!(">{name}</a>"));
    order(&shown("html"), &|name| format!("<strong>{name}</strong>"));
    order(&shown("json"), &|name| format!("          \"task\": \"{name}\",\n          \"question_type\""));
    order(&shown("junit"), &|name| format!("name=\"{name} attempt 1\""));
    order(&suite.run(&["calibrate", "jobs/j"]).expect_code(0).stdout, &|name| format!("\n  {name} "));
}

#[test]
fn what_agents_used_of_models_is_in_every_report_apart_from_what_the_judge_used() {
    let suite = Suite::new();
    let job = job("spent", &["loop", "lent", "none"], 1);
    let mut store = Store::create(&suite.join("jobs/spent"), job.clone(), config("spent")).expect("a job");
    for (trial, planned) in job.trials.iter().enumerate() {
        handle(&mut store, Event::TrialStarted { trial, retry: 0 });
        let mut end = end(planned, trial, scored(1.0));
        let usage = |input, output| Usage { input, output, cache_read: 100, ..Usage::default() };
        match trial {
            0 => {
                let run = ModelRun {
                    steps: 4,
                    tool_calls: 9,
                    retries: 1,
                    usage: Some(usage(1000, 50)),
                    cost_usd: Some(0.25),
                    ..ModelRun::default()
                };
                end.agent.as_mut().expect("it ran").model = Some(run);
            }
            1 => {
                end.model = Some(ModelUse {
                    requests: 3,
                    refused: 1,
                    usage: usage(500, 25),
                    cost_usd: Some(0.5),
                    ..ModelUse::default()
                });
            }
            _ => {}
        }
        let spent = Spent { requests: 2, input_tokens: 7000, output_tokens: 70, cost_usd: Some(0.125) };
        end.judging = Some(Judging { spent, ..Judging::default() });
        handle(&mut store, Event::TrialFinished { trial, end: Box::new(end) });
    }
    handle(&mut store, Event::JobFinished);
    let shown = |format: &str| suite.run(&["report", "jobs/spent", "--format", format]).expect_code(0).stdout;
    for (name, text) in [
        ("requests", "8 in 2 trials, 1 refused"),
        ("steps", "4 replies, 9 calls of tools"),
        ("tokens", "1700 read (200 from a cache), 75 written"),
        ("cost", "$0.7500"),
    ] {
        assert!(shown("text").contains(&format!("\n  {name:<12}  {text}\n")), "{}", shown("text"));
        assert!(shown("md").contains(&format!("| {name} | {text} |\n")), "{}", shown("md"));
        assert!(shown("html").contains(&format!("<dt>{name}</dt><dd>{text}</dd>")), "{}", shown("html"));
    }
    for (format, head, judge) in [
        ("text", "\njudging\n", "6 requests"),
        ("md", "\n## Judging\n", "6 requests"),
        ("html", ">Judging</h3>", "6 requests"),
    ] {
        let text = shown(format);
        assert_eq!(text.matches(head).count(), 1, "{format}: said once: {text}");
        assert!(text.split(head).nth(1).is_some_and(|rest| rest.contains(judge) && rest.contains("0.375")), "{text}");
    }
    matches_schema("report.json", &shown("json"));
    let json: serde_json::Value = serde_json::from_str(&shown("json")).expect("JSON");
    assert_eq!((&json["models"]["cost_usd"], &json["judging"]["spent"]["cost_usd"]), (&0.75.into(), &0.375.into()));
}

#[test]
fn other_models_that_an_agent_asked_for_and_the_cap_that_it_hit_are_named() {
    let suite = Suite::new();
    let suite = &suite;
    let of = |name: &'static str, models: &[(&str, u64)]| {
        let job = job_of(name, &["t"], &[("mini-swe-agent", Some("anthropic/claude-x"))], 1);
        let mut store = Store::create(&suite.join(&format!("jobs/{name}")), job.clone(), config(name)).expect("a job");
        handle(&mut store, Event::TrialStarted { trial: 0, retry: 0 });
        let mut end = end(&job.trials[0], 0, Outcome::Limit { limit: Limit::Budget, verdict: None });
        end.agent.as_mut().expect("it ran").over_budget = Some("3 requests".into());
        let models = models.iter().map(|(name, requests)| ((*name).to_owned(), *requests)).collect();
        end.model = Some(ModelUse { requests: 3, models, ..ModelUse::default() });
        handle(&mut store, Event::TrialFinished { trial: 0, end: Box::new(end) });
        handle(&mut store, Event::JobFinished);
        move |format: &str| suite.run(&["report", &format!("jobs/{name}"), "--format", format]).expect_code(0).stdout
    };
    let shown = of("other", &[("claude-x", 1), ("claude-<b>\u{1b}", 2)]);
    assert!(shown("text").contains("\n  asked for     claude-<b>\\u{1b} 2, claude-x 1\n"), "{}", shown("text"));
    assert!(shown("md").contains("| asked for | claude-&lt;b&gt;\\\\u{1b} 2, claude-x 1 |\n"), "{}", shown("md"));
    assert!(shown("html").contains("<dt>asked for</dt><dd>claude-&lt;b&gt;\\u{1b} 2, claude-x 1</dd>"));
    matches_schema("report.json", &shown("json"));
    let json: serde_json::Value = serde_json::from_str(&shown("json")).expect("JSON");
    assert_eq!(json["models"]["names"], serde_json::json!({"claude-x": 1, "claude-<b>\u{1b}": 2}));
    assert!(shown("text").contains("\n  requests      3 in 1 trial, 0 refused\n"), "{}", shown("text"));
    let line = shown("text").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("the agent used up what it may use of models: 3 requests;"), "{line}");

    let shown = of("lent", &[("claude-x", 3)]);
    assert!(!shown("text").contains("asked for"), "it asked for what it was lent: {}", shown("text"));
}

#[test]
fn json_keeps_to_its_schema() {
    let suite = mixed_suite();
    let run = suite.run(&["report", "jobs/mixed", "--format", "json"]).expect_code(0);
    matches_schema("report.json", &run.stdout);
    let (mut job, ends) = mixed();
    job.tasks[0].question_type = Some("lookup".into());
    job.tasks[1].audit = Some("wrong".into());
    make(&suite.join("jobs/typed"), &job, ends);
    matches_schema("report.json", &suite.run(&["report", "jobs/typed", "--format", "json"]).expect_code(0).stdout);
}
