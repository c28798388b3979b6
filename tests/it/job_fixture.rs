//! Job directories for tests, made by the real store from events written by hand. No engine, no clock in what is kept.

use seatrial::agent::AgentRun;
use seatrial::answer::{self, Answer, NoAnswer};
use seatrial::event::{Event, Fault, Outcome, Span, Stage, Timing, TrialEnd};
use seatrial::judge::Verdict;
use seatrial::plan::{AgentRef, PlannedTrial, plan};
use seatrial::results::{EngineRecord, FORMAT, JobRecord, Observed, Store, TaskRecord};
use std::path::Path;

/// When every fixture's job began, in seconds since the Unix epoch.
pub const BEGIN: f64 = 1_700_000_000.0;

/// A job of the oracle agent with these tasks.
pub fn job(name: &str, tasks: &[&str], attempts: u32) -> JobRecord {
    job_of(name, tasks, &[("oracle", None)], attempts)
}

/// A job of these agents, each with its model, and these tasks.
pub fn job_of(name: &str, tasks: &[&str], agents: &[(&str, Option<&str>)], attempts: u32) -> JobRecord {
    let names: Vec<String> = tasks.iter().map(|task| task.to_string()).collect();
    let agent =
        |(name, model): &(&str, Option<&str>)| AgentRef { name: (*name).into(), model: model.map(str::to_string) };
    let agents: Vec<AgentRef> = agents.iter().map(agent).collect();
    let task = |(i, name): (usize, &String)| TaskRecord {
        name: name.clone(),
        path: format!("tasks/{name}"),
        digest: format!("sha256:{i:064x}"),
        content_digest: format!("sha256:{:064x}", i + 1000),
        ..TaskRecord::default()
    };
    JobRecord {
        format: FORMAT,
        seatrial: "0.1.0".into(),
        name: name.into(),
        dataset: "tasks".into(),
        judge: "rules".into(),
        judge_parameters: None,
        verifier: None,
        corpus: Some("sha256:c0".into()),
        tasks: names.iter().enumerate().map(task).collect(),
        trials: plan(&names, &agents, attempts).trials,
        calibrate: None,
        observed: Observed {
            id: "6f1d3c1e-3f0a-4c9e-8d26-0a4a6a1f2b3c".into(),
            started_at: BEGIN,
            engine: EngineRecord {
                kind: "docker".into(),
                api_version: Some("1.41".into()),
                os: Some("linux".into()),
                arch: Some("x86_64".into()),
            },
            base_images: Vec::new(),
            images: vec![],
            played_back: false,
            prices: std::collections::BTreeMap::new(),
        },
    }
}

/// A config as the runner would pass it.
pub fn config(name: &str) -> serde_json::Value {
    serde_json::json!({
        "job_name": name,
        "jobs_dir": "jobs",
        "n_attempts": 2,
        "n_concurrent_trials": 4,
        "timeout_multiplier": 1.0,
        "agents": [{"name": "oracle", "override_timeout_sec": null}],
        "environment": {"type": "docker"},
        "verifier": {},
        "datasets": [{"path": "tasks"}],
    })
}

pub fn verdict(reward: f64, reason: &str) -> Verdict {
    let (judge, rule, reason, span) = ("rules".into(), "count".into(), reason.into(), Some("42".into()));
    Verdict { reward, judge, rule, reason, span, ..Verdict::default() }
}

pub fn scored(reward: f64) -> Outcome {
    Outcome::Scored { verdict: verdict(reward, "compared by value") }
}

pub fn fault(message: &str) -> Outcome {
    Outcome::Fault { fault: Fault::new(Stage::Sandbox, message) }
}

pub fn ungraded(reason: &str) -> Outcome {
    Outcome::Ungraded { reason: reason.into() }
}

pub fn no_answer() -> Outcome {
    Outcome::NoAnswer { reason: NoAnswer::Missing }
}

/// The end of a trial: times in quarters of a second from the trial's place in the plan, so that all are different and
/// exact in binary.
pub fn end(planned: &PlannedTrial, place: usize, outcome: Outcome) -> TrialEnd {
    let at = BEGIN + place as f64;
    let span = |from: f64, to: f64| Span { started_at: at + from, finished_at: at + to };
    let ran = !matches!(outcome, Outcome::Fault { .. } | Outcome::Cancelled { .. });
    let answer = match outcome {
        Outcome::NoAnswer { reason } => Answer::None { reason, raw: None },
        _ => answer::decode(b"42 dogs\r\n".to_vec()),
    };
    TrialEnd {
        planned: planned.clone(),
        timing: Timing {
            image: None,
            trial: span(0.0, 1.0 + place as f64 / 4.0),
            sandbox: ran.then(|| span(0.0, 0.25)),
            agent: ran.then(|| span(0.25, 0.5)),
            collect: ran.then(|| span(0.5, 0.75)),
            judge: ran.then(|| span(0.75, 0.8125)),
        },
        agent: ran.then_some(AgentRun {
            exit_code: Some(0),
            signal: None,
            timed_out: false,
            out_of_memory: false,
            seconds: 0.25,
            output_bytes: 6,
            dropped_bytes: 0,
            ..AgentRun::default()
        }),
        answer: ran.then_some(answer),
        artifacts: Default::default(),
        script: None,
        outcome,
        faults: vec![],
        image: ran.then(|| ("seatrial/task:abc".into(), "sha256:1d".into())),
        judging: None,
        network: None,
        model: None,
        spent_usd: None,
        spent_is_all: true,
    }
}

/// Runs one trial of the job through the store.
pub fn run_trial(store: &mut Store, job: &JobRecord, trial: usize, outcome: Outcome) {
    let planned = &job.trials[trial];
    handle(store, Event::TrialStarted { trial, retry: 0 });
    handle(store, Event::TrialStage { trial, stage: Stage::Agent });
    handle(store, Event::AgentOutput { trial, text: "hello\n".into() });
    handle(store, Event::TrialFinished { trial, end: Box::new(end(planned, trial, outcome)) });
}

#[track_caller]
pub fn handle(store: &mut Store, event: Event) {
    store.handle(&event).unwrap_or_else(|e| panic!("{event:?}: {e}"));
}

/// Makes a whole job: `ends` says how each trial ends, in the order of the plan; `None` leaves it out.
pub fn make(dir: &Path, job: &JobRecord, ends: Vec<Option<Outcome>>) {
    let mut store = Store::create(dir, job.clone(), config(&job.name)).unwrap_or_else(|e| panic!("create: {e}"));
    for (trial, outcome) in ends.into_iter().enumerate() {
        if let Some(outcome) = outcome {
            run_trial(&mut store, job, trial, outcome);
        }
    }
    handle(&mut store, Event::JobFinished);
}

/// A job in which every kind of end occurs: four tasks, two attempts.
pub fn mixed() -> (JobRecord, Vec<Option<Outcome>>) {
    let job = job("mixed", &["right", "wrong", "hostile", "unlucky"], 2);
    let attack = "said \u{1b}[2J<b>|`\u{202e}dcba\u{202c} & \"quotes\"\nover two lines";
    let ends = vec![
        Some(scored(1.0)),
        Some(scored(0.0)),
        Some(Outcome::Scored { verdict: verdict(0.5, attack) }),
        Some(fault("the engine refused `seatrial/task:abc`: no space left on device")),
        Some(scored(1.0)),
        Some(Outcome::AgentTimeout { verdict: Some(verdict(1.0, "right all the same")) }),
        Some(ungraded("the judge said \u{1b}]0;owned\u{7}")),
        None,
    ];
    (job, ends)
}
