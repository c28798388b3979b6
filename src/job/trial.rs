//! One trial: image, sandbox, agent, answer, judge, in this order, again after a fault.
//!
//! Each step's error has one place here, so that it is decided once whose failure it is.

use super::clock::Clock;
use super::decide::decide;
use super::grading::{self, Grading};
use super::images::Images;
use super::judging::{self, Judged, Left};
use super::lend::{Lent, provider_fault};
use super::setup::{Job, JobTask};
use super::stop::{Stop, Why};
use super::way_out::WayOut;
use crate::agent::{self, AgentRun, Launch};
use crate::answer::{self, Answer, NoAnswer};
use crate::artifact::{self, Artifacts};
use crate::event::{Event, Fault, Judging, Outcome, Stage, Timing, TrialEnd};
use crate::judge::ScriptEnvironment;
use crate::model::Purse;
use crate::plan::{Plan, PlannedTrial};
use crate::sandbox::{self, Engine, Owner, Sandbox, Spec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The phase in which agents run; Harbor's word.
const PHASE: &str = "agent";

/// What all trials of a job share.
#[derive(Debug)]
pub struct Context {
    pub engine: Engine,
    pub job: Arc<Job>,
    /// The trials so far; a calibrating job gets more.
    pub plan: Plan,
    pub images: Arc<Images>,
    pub events: UnboundedSender<Event>,
    pub stop: Stop,
    /// What trials have cost before this run of the job, by their indices.
    pub spent: Arc<BTreeMap<usize, f64>>,
    /// Of which of them that isn't all, by their indices.
    pub spent_in_part: Arc<BTreeSet<usize>>,
    /// How answers are judged.
    pub grading: Grading,
    /// One for each trial that may run at a time.
    pub places: Arc<Semaphore>,
}

impl Context {
    pub fn say(&self, event: Event) {
        // Nobody reads any more where the job is being stopped.
        let _ = self.events.send(event);
    }
}

/// Where a trial runs. It is given back as soon as the agent is gone and its answer is here: while the engine removes
/// one sandbox, the next trial can start.
type Place = Option<OwnedSemaphorePermit>;

/// Runs one planned trial to its end, started again after faults as often as the settings say.
pub async fn run(context: &Context, index: usize, mut place: Place) -> TrialEnd {
    let retry = context.job.settings.retry;
    let mut faults = Vec::new();
    let purse = Purse::new(&context.job.spend, context.spent.get(&index).copied().unwrap_or(0.0));
    if context.spent_in_part.contains(&index) {
        purse.owe();
    }
    let provider_gone = || matches!(context.stop.reason(), Some(Why::Provider { .. }));
    loop {
        let retries = faults.len() as u32;
        context.say(Event::TrialStarted { trial: index, retry: retries });
        let mut end = attempt(context, index, &purse, &mut place).await;
        // The engine is asked also where nothing is left to retry: the trials to come need it.
        if let Outcome::Fault { fault } = &end.outcome
            && engine_is_back(context).await
            && retries < retry.max_retries
            && fault.stage != Stage::Recording
            && !provider_gone()
        {
            let wait = retry.wait(retries);
            context.say(Event::TrialRetry { trial: index, fault: fault.clone(), wait: wait.as_secs_f64() });
            faults.push(fault.clone());
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = context.stop.wait() => {}
            }
            if !context.stop.is_set() {
                if place.is_none() {
                    place = Arc::clone(&context.places).acquire_owned().await.ok();
                }
                continue;
            }
            // Where a provider takes nothing more, the fault says why.
            if !provider_gone() {
                end.outcome = Outcome::Cancelled { why: None };
            }
        }
        if let Outcome::Cancelled { why } = &mut end.outcome {
            *why = context.stop.reason().and_then(Why::sentence);
        }
        end.faults = faults;
        end.spent_usd = Some(purse.spent()).filter(|spent| *spent > 0.0);
        end.spent_is_all = purse.is_all();
        return end;
    }
}

/// True where the engine answers, perhaps after a pause. Where it doesn't come back the job stops: every further trial
/// would only be one more fault.
async fn engine_is_back(context: &Context) -> bool {
    let deadline = tokio::time::Instant::now() + context.job.settings.engine_wait;
    while !context.engine.answers().await {
        if context.stop.is_set() {
            return false;
        }
        if tokio::time::Instant::now() > deadline {
            context.stop.set(Why::Engine);
            return false;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    true
}

async fn attempt(context: &Context, index: usize, purse: &Purse, place: &mut Place) -> TrialEnd {
    let planned = context.plan.trials[index].clone();
    let clock = Clock::start();
    let started_at = clock.now();
    let mut end = TrialEnd {
        planned: planned.clone(),
        outcome: Outcome::Cancelled { why: None },
        agent: None,
        answer: None,
        artifacts: Artifacts::default(),
        script: None,
        timing: Timing::default(),
        faults: Vec::new(),
        image: None,
        network: None,
        model: None,
        spent_usd: None,
        spent_is_all: true,
        judging: None,
    };
    end.outcome = match steps(context, index, &planned, purse, &clock, &mut end, place).await {
        Ok(outcome) => outcome,
        Err(fault) => Outcome::Fault { fault },
    };
    end.timing.trial = clock.since(started_at);
    end
}

/// The steps; an error is a fault, everything else an outcome.
async fn steps(
    context: &Context,
    index: usize,
    planned: &PlannedTrial,
    purse: &Purse,
    clock: &Clock,
    end: &mut TrialEnd,
    place: &mut Place,
) -> Result<Outcome, Fault> {
    let job = &context.job;
    let task = &job.tasks[planned.task_index];
    let enter = |stage| context.say(Event::TrialStage { trial: index, stage });

    enter(Stage::Image);
    let began = clock.now();
    let image = tokio::select! {
        image = context.images.of(&context.engine, job, planned.task_index, Some(planned.agent_index), &context.events) => image,
        () = context.stop.wait() => return Ok(Outcome::Cancelled { why: None }),
    };
    let image = image.map_err(|e| fault(Stage::Image, &e))?;
    end.timing.image = Some(clock.since(began));
    end.image = Some((image.tag.clone(), image.id.clone()));

    enter(Stage::Sandbox);
    let owner = Owner { job: job.name.clone(), trial: planned.name.clone() };
    let policy = &task.network[planned.agent_index];
    let setup = &job.agents[planned.agent_index];
    let lent = Lent::new(setup, purse, job.agent_timeout(task, setup), policy, &context.stop);
    let way = WayOut::new(policy, &job.egress, PHASE, lent.as_ref());
    let spec = Spec { image, network: way.network(), limits: task.limits, owner };
    let began = clock.now();
    // Not cut short by a stop: a container that is half made would have no owner that removes it.
    let mut sandbox = context.engine.open(&spec).await.map_err(|e| fault(Stage::Sandbox, &e))?;
    end.timing.sandbox = Some(clock.since(began));

    let relay_env = lent.as_ref().map(Lent::env).unwrap_or_default();
    let launch = launch(job, planned, &relay_env, purse);
    let ran = within(context, index, planned, &launch, clock, end, &mut sandbox).await;
    if matches!(ran, Ok(None) | Err(_)) {
        sandbox.abandon();
    }
    // A script's sandbox takes the agent's place.
    if task.script.is_none() {
        *place = None;
    }
    let began = clock.now();
    // What was collected stands whether or not the engine can remove the rest now; the sweep does it then.
    if let Err(error) = sandbox.close().await {
        context.say(Event::Notice { text: error.to_string() });
    }
    if let Some(span) = &mut end.timing.collect {
        span.finished_at += clock.now() - began;
    }
    let (mut attempts, mut unrecorded) = (Vec::new(), 0);
    if let Some((seen, network)) = way.close().await {
        context.say(Event::Network { trial: index, attempts: seen.clone(), unrecorded: network.unrecorded });
        (attempts, unrecorded) = (seen, network.unrecorded);
        end.network = Some(network);
    }
    end.model = lent.as_ref().map(Lent::used);
    let Some(mut ran) = ran? else {
        let refused = lent.as_ref().and_then(Lent::refused);
        return refused.map_or(Ok(Outcome::Cancelled { why: None }), Err);
    };
    if let (Some(lent), None) = (&lent, &ran.run.conversation) {
        let model = setup.model.as_deref().unwrap_or_default();
        ran.run.conversation = lent.conversation(setup.agent.name(), model).map(Box::new);
    }
    if let Some(used) = &end.model {
        ran.run.over_budget.clone_from(&used.over);
        ran.run.own_doing = used.own_doing();
        if let Some(fault) = provider_fault(&ran.run, &ran.answer, used) {
            (end.agent, end.answer) = (Some(ran.run), Some(ran.answer));
            return Err(fault);
        }
    }

    enter(Stage::Judge);
    let began = clock.now();
    let judged = match ran.judged {
        Some(judged) => judged,
        None => {
            let left = Left { trial: &planned.name, answer: &ran.answer, artifacts: &ran.artifacts };
            grading::judge(context, planned.task_index, left).await
        }
    };
    let outcome = decide(&ran.run, &ran.answer, judged.judgment.as_ref().map(|judgment| &judgment.result));
    end.timing.judge = Some(clock.since(began));
    if !judged.attempts.is_empty() {
        attempts.extend(judged.attempts);
        context.say(Event::Network { trial: index, attempts, unrecorded });
    }
    end.judging = judged.judgment.map(|judgment| Judging::new(None, judgment));
    (end.agent, end.answer, end.artifacts, end.script) =
        (Some(ran.run), Some(ran.answer), ran.artifacts, judged.script);
    Ok(outcome)
}

/// What was found in a sandbox when its agent had ended.
struct Ran {
    run: AgentRun,
    answer: Answer,
    artifacts: Artifacts,
    /// What the task's script made of it in the same sandbox, where it was to run there.
    judged: Option<Judged>,
}

/// What happens in an open sandbox: the agent runs, its answer is collected. `None` where the job is being stopped.
async fn within(
    context: &Context,
    index: usize,
    planned: &PlannedTrial,
    launch: &Launch<'_>,
    clock: &Clock,
    end: &mut TrialEnd,
    sandbox: &mut Sandbox,
) -> Result<Option<Ran>, Fault> {
    let job = &context.job;
    let task = &job.tasks[planned.task_index];
    let setup = &job.agents[planned.agent_index];
    context.say(Event::TrialStage { trial: index, stage: Stage::Agent });
    let began = clock.now();
    let mut on_text = |text| context.say(Event::AgentOutput { trial: index, text });
    let run = tokio::select! {
        biased;
        () = context.stop.wait() => return Ok(None),
        run = agent::run(&setup.agent, sandbox, launch, &mut on_text) => run,
    };
    end.timing.agent = Some(clock.since(began));
    let mut run = match run {
        Ok(run) => run,
        Err(agent::Failed::Spent(why)) => {
            context.stop.set(Why::Spent(why));
            return Ok(None);
        }
        Err(agent::Failed::Sandbox(error)) => return Err(fault(Stage::Agent, &error)),
        Err(agent::Failed::Provider { failure, run }) => {
            end.agent = Some(*run);
            if failure.class.is_lasting() {
                context.stop.set(&failure);
            }
            return Err(Fault::of_model(failure.class, failure.to_string()));
        }
    };

    context.say(Event::TrialStage { trial: index, stage: Stage::Collect });
    let began = clock.now();
    let answer = collect(sandbox, &mut run).await.map_err(|e| fault(Stage::Collect, &e))?;
    let artifacts = artifacts(sandbox, task, &run).await.map_err(|e| fault(Stage::Collect, &e))?;
    let mut ran = Ran { run, answer, artifacts, judged: None };
    let shared = task.script.as_ref().filter(|script| script.environment == ScriptEnvironment::Shared);
    let is_asked = matches!(ran.answer, Answer::Text { .. }) || task.case.is_none();
    if let Some(script) = shared.filter(|_| is_asked && ran.run.spoiled.is_none()) {
        ran.judged = Some(tokio::select! {
            judged = judging::judge_in(sandbox, script) => judged,
            () = context.stop.wait() => return Ok(None),
        });
    }
    // What can't be read any more is no reason to doubt the answer.
    let files = agent::logs(&setup.agent, sandbox).await.unwrap_or_default();
    ran.run.reported = agent::reported(&setup.agent, &files);
    if !files.is_empty() {
        context.say(Event::AgentLogs { trial: index, files });
    }
    // An exit code of 137 has many reasons. Which it was only the engine knows; it is asked last, since that ends the
    // sandbox.
    if !ran.run.is_clean() && !ran.run.out_of_memory {
        ran.run.out_of_memory = sandbox.out_of_memory().await.map_err(|e| fault(Stage::Collect, &e))?;
    }
    end.timing.collect = Some(clock.since(began));
    Ok(Some(ran))
}

/// What the agent left beside its answer. Nothing, where it has broken its own sandbox.
async fn artifacts(sandbox: &mut Sandbox, task: &JobTask, run: &AgentRun) -> Result<Artifacts, sandbox::Error> {
    if task.script.is_none() && task.artifacts.is_empty() || run.spoiled.is_some() {
        return Ok(Artifacts::default());
    }
    match artifact::take(sandbox, &task.artifacts, answer::PATH).await {
        Err(sandbox::Error::OutOfMemory { .. } | sandbox::Error::Spoiled(_)) => Ok(Artifacts::default()),
        Err(_) if run.out_of_memory => Ok(Artifacts::default()),
        other => other,
    }
}

/// The answer, by the engine's archive call where the supervisor is gone or its stream can't be trusted any more.
async fn collect(sandbox: &mut Sandbox, run: &mut AgentRun) -> Result<Answer, sandbox::Error> {
    if run.not_handed_in {
        return Ok(Answer::None { reason: NoAnswer::NotHandedIn, raw: None });
    }
    match answer::collect(sandbox).await {
        Err(sandbox::Error::OutOfMemory { .. }) => run.out_of_memory = true,
        Err(sandbox::Error::Spoiled(why)) => run.spoiled = Some(why),
        other => return other,
    }
    answer::collect(sandbox).await
}

fn launch<'a>(job: &'a Job, planned: &PlannedTrial, relay_env: &'a [(String, String)], purse: &'a Purse) -> Launch<'a> {
    let task = &job.tasks[planned.task_index];
    let setup = &job.agents[planned.agent_index];
    Launch {
        instruction: &task.instruction,
        solution: &task.solution,
        env: &task.env,
        solution_env: &task.solution_env,
        agent_env: &setup.env,
        relay_env,
        purse,
        model: setup.model.as_deref(),
        workdir: task.workdir.clone(),
        user: task.user.clone(),
        timeout: Some(job.agent_timeout(task, setup)),
        grace: job.settings.grace,
        output_cap: job.settings.output_cap,
    }
}

fn fault(stage: Stage, error: &sandbox::Error) -> Fault {
    Fault::new(stage, error.to_string())
}
