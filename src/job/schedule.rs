//! All trials of a job: as many at once as the settings say, in the plan's order, and one loop that hands everything
//! that happens to the readers, one event after the other.

use super::grading::{self, Grading, Unjudged};
use super::images::Images;
use super::setup::Job;
use super::stop::Stop;
use super::trial::{self, Context};
use crate::artifact::Artifacts;
use crate::event::{Event, Fault, Outcome, Stage, Timing, TrialEnd};
use crate::model::{Failure, Halt};
use crate::plan::Round;
use crate::sandbox::{self, Engine};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;

/// How a job came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The user stopped it.
    pub interrupted: bool,
    /// The engine stopped answering and did not come back.
    pub engine_gone: bool,
    /// Why no trial could go on: a wrong key, no money, a cap of the job.
    pub halted: Option<Halt>,
    /// A provider takes nothing more with this key or model.
    pub provider_gone: Option<Failure>,
    /// The judge judges nothing of this job, such as for a wrong key; in its words.
    pub judge_refused: Option<String>,
}

/// What a job has to do; everything else of its plan counts as done.
#[derive(Debug, Default)]
pub struct Todo {
    /// The trials that run: indices into the plan.
    pub run: Vec<usize>,
    /// The trials whose agents have answered, but were not judged.
    pub judge: Vec<Unjudged>,
}

/// Why a job ended early.
#[derive(Debug)]
pub enum Broken<E> {
    /// A reader could not do its work, such as keep a finished trial.
    Reader(E),
    /// The engine could not be asked at the start.
    Engine(sandbox::Error),
}

/// Does what there is to do. `reader` gets every event in order; when it returns, what the event said is kept. When all
/// trials have ended, `more` says whether others follow.
///
/// # Errors
/// [`Broken`]; trials that were running are ended and removed first.
pub async fn run<E>(
    engine: Engine,
    job: Arc<Job>,
    todo: Todo,
    stop: Stop,
    reader: &mut impl FnMut(&Event) -> Result<(), E>,
    more: &mut impl FnMut() -> Result<Option<Round>, E>,
) -> Result<Ended, Broken<E>> {
    // What dead jobs left goes first, so that it can't stand in the way of this one.
    engine.sweep(None).await.map_err(Broken::Engine)?;
    let open = |index: &usize| todo.run.contains(index) || todo.judge.iter().any(|(other, _)| other == index);
    let done = (0..job.plan.trials.len()).filter(|index| !open(index)).collect();
    let first = Event::JobStarted { plan: job.plan.clone(), done };
    let mut failed = reader(&first).err();
    let images = Arc::new(Images::new(job.tasks.len(), job.agents.len()));
    let (mut plan, mut todo) = (job.plan.clone(), todo);
    let (mut engine_gone, mut provider_gone, mut judge_refused) = (false, None, None);
    while failed.is_none() {
        let context = |events| Context {
            engine: engine.clone(),
            images: Arc::clone(&images),
            job: Arc::clone(&job),
            plan: plan.clone(),
            events,
            stop: stop.clone(),
            engine_gone: AtomicBool::new(false),
            provider_gone: OnceLock::new(),
            grading: Grading::new(job.settings.n_concurrent),
            places: Arc::new(Semaphore::new(job.settings.n_concurrent.max(1))),
        };
        (engine_gone, provider_gone, judge_refused) =
            round(context, std::mem::take(&mut todo), &stop, reader, &mut failed).await;
        if failed.is_some() || stop.is_set() {
            break;
        }
        match more() {
            Ok(Some(round)) => {
                failed = reader(&Event::Round(round.clone())).err();
                todo.run = (plan.trials.len()..plan.trials.len() + round.trials.len()).collect();
                plan.trials.extend(round.trials);
            }
            Ok(None) => break,
            Err(error) => failed = Some(error),
        }
        if todo.run.is_empty() {
            break;
        }
    }
    // Every trial has closed its own; this catches what a panic or an engine's hiccup has left.
    let _ = engine.sweep(Some(&job.name)).await;
    if let Some(error) = failed {
        return Err(Broken::Reader(error));
    }
    reader(&Event::JobFinished).map_err(Broken::Reader)?;
    let halted = stop.reason().cloned();
    let interrupted =
        stop.is_set() && !engine_gone && provider_gone.is_none() && judge_refused.is_none() && halted.is_none();
    Ok(Ended { interrupted, engine_gone, halted, provider_gone, judge_refused })
}

/// Runs some trials to their ends; says what [`dispatch`] says. Where a reader fails, the rest is stopped.
async fn round<E>(
    context: impl FnOnce(mpsc::UnboundedSender<Event>) -> Context,
    todo: Todo,
    stop: &Stop,
    reader: &mut impl FnMut(&Event) -> Result<(), E>,
    failed: &mut Option<E>,
) -> (bool, Option<Failure>, Option<String>) {
    let (events, mut received) = mpsc::unbounded_channel();
    let dispatcher = tokio::spawn(dispatch(Arc::new(context(events)), todo));
    while let Some(event) = received.recv().await {
        if failed.is_none() {
            *failed = reader(&event).err();
        }
        if failed.is_some() {
            stop.set();
        }
    }
    dispatcher.await.unwrap_or_default()
}

/// Starts trials one after the other as places become free, while answers are judged; says whether the engine was lost,
/// which provider takes nothing more of agents, and why the judge judges nothing, where it is so.
async fn dispatch(context: Arc<Context>, todo: Todo) -> (bool, Option<Failure>, Option<String>) {
    let mut trials = JoinSet::new();
    let unjudged = todo.judge;
    let inner = Arc::clone(&context);
    trials.spawn(async move { grading::each(&inner, unjudged).await });
    let mut probe = JoinSet::new();
    probe.spawn(grading::probe(Arc::clone(&context)));
    for index in todo.run {
        let place = tokio::select! {
            biased;
            () = context.stop.wait() => break,
            place = Arc::clone(&context.places).acquire_owned() => place.ok(),
        };
        // A stop wakes its waiters one after the other: a trial may have ended for it and freed this place already.
        if context.stop.is_set() {
            break;
        }
        let context = Arc::clone(&context);
        trials.spawn(one(context, index, place));
        while trials.try_join_next().is_some() {}
    }
    let engine_gone = || context.engine_gone.load(Ordering::Relaxed);
    let mut told = false;
    loop {
        tokio::select! {
            biased;
            // Also where all trials have started: what runs is cut short, and the job is not over.
            () = context.stop.wait(), if !told => {
                told = true;
                if !engine_gone() && context.provider_gone.get().is_none() && context.grading.refused().is_none() {
                    context.say(Event::Interrupted);
                }
            }
            ended = trials.join_next() => if ended.is_none() { break },
        }
    }
    grading::last(&context).await;
    probe.shutdown().await;
    (engine_gone(), context.provider_gone.get().cloned(), context.grading.refused())
}

/// One trial, in a task of its own: a panic in it is a fault of ours and ends that trial only.
async fn one(context: Arc<Context>, index: usize, place: Option<OwnedSemaphorePermit>) {
    let inner = Arc::clone(&context);
    let end = match tokio::spawn(async move { trial::run(&inner, index, place).await }).await {
        Ok(end) => end,
        Err(panic) => TrialEnd {
            planned: context.plan.trials[index].clone(),
            outcome: Outcome::Fault {
                fault: Fault { stage: Stage::Sandbox, message: format!("the runner failed: {panic}") },
            },
            agent: None,
            answer: None,
            artifacts: Artifacts::default(),
            script: None,
            timing: Timing::default(),
            faults: Vec::new(),
            image: None,
            network: None,
            model: None,
            judging: None,
        },
    };
    grading::finished(&context, index, end);
}
