//! All trials of a job: as many at once as the settings say, in the plan's order, and one loop that hands everything
//! that happens to the readers, one event after the other.

use super::images::Images;
use super::setup::Job;
use super::stop::Stop;
use super::trial::{self, Context};
use crate::event::{Event, Fault, Outcome, Stage, Timing, TrialEnd};
use crate::plan::Round;
use crate::sandbox::{self, Engine};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;

/// How a job came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The user stopped it.
    pub interrupted: bool,
    /// The engine stopped answering and did not come back.
    pub engine_gone: bool,
}

/// Why a job ended early.
#[derive(Debug)]
pub enum Broken<E> {
    /// A reader could not do its work, such as keep a finished trial.
    Reader(E),
    /// The engine could not be asked at the start.
    Engine(sandbox::Error),
}

/// Runs the trials of `todo` (indices into the plan), everything else counting as done. `reader` gets every event in
/// order; when it returns, what the event said is kept. When all trials have ended, `more` says whether others follow.
///
/// # Errors
/// [`Broken`]; trials that were running are ended and removed first.
pub async fn run<E>(
    engine: Engine,
    job: Arc<Job>,
    todo: Vec<usize>,
    stop: Stop,
    reader: &mut impl FnMut(&Event) -> Result<(), E>,
    more: &mut impl FnMut() -> Result<Option<Round>, E>,
) -> Result<Ended, Broken<E>> {
    // What dead jobs left goes first, so that it can't stand in the way of this one.
    engine.sweep(None).await.map_err(Broken::Engine)?;
    let done = (0..job.plan.trials.len()).filter(|index| !todo.contains(index)).collect();
    let first = Event::JobStarted { plan: job.plan.clone(), done };
    let mut failed = reader(&first).err();
    let images = Arc::new(Images::new(job.tasks.len()));
    let (mut plan, mut todo) = (job.plan.clone(), todo);
    let mut engine_gone = false;
    while failed.is_none() {
        let context = |events| Context {
            engine: engine.clone(),
            images: Arc::clone(&images),
            job: Arc::clone(&job),
            plan: plan.clone(),
            events,
            stop: stop.clone(),
            engine_gone: AtomicBool::new(false),
            places: Arc::new(Semaphore::new(job.settings.n_concurrent.max(1))),
        };
        engine_gone = round(context, std::mem::take(&mut todo), &stop, reader, &mut failed).await;
        if failed.is_some() || stop.is_set() {
            break;
        }
        match more() {
            Ok(Some(round)) => {
                failed = reader(&Event::Round(round.clone())).err();
                todo = (plan.trials.len()..plan.trials.len() + round.trials.len()).collect();
                plan.trials.extend(round.trials);
            }
            Ok(None) => break,
            Err(error) => failed = Some(error),
        }
        if todo.is_empty() {
            break;
        }
    }
    // Every trial has closed its own; this catches what a panic or an engine's hiccup has left.
    let _ = engine.sweep(Some(&job.name)).await;
    if let Some(error) = failed {
        return Err(Broken::Reader(error));
    }
    reader(&Event::JobFinished).map_err(Broken::Reader)?;
    Ok(Ended { interrupted: stop.is_set() && !engine_gone, engine_gone })
}

/// Runs some trials to their ends; says whether the engine was lost. Where a reader fails, the rest is stopped.
async fn round<E>(
    context: impl FnOnce(mpsc::UnboundedSender<Event>) -> Context,
    todo: Vec<usize>,
    stop: &Stop,
    reader: &mut impl FnMut(&Event) -> Result<(), E>,
    failed: &mut Option<E>,
) -> bool {
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
    dispatcher.await.unwrap_or(false)
}

/// Starts trials one after the other as places become free; says whether the engine was lost.
async fn dispatch(context: Arc<Context>, todo: Vec<usize>) -> bool {
    let mut trials = JoinSet::new();
    for index in todo {
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
                if !engine_gone() {
                    context.say(Event::Interrupted);
                }
            }
            ended = trials.join_next() => if ended.is_none() { break },
        }
    }
    engine_gone()
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
            timing: Timing::default(),
            faults: Vec::new(),
            image: None,
            network: None,
        },
    };
    context.say(Event::TrialFinished { trial: index, end: Box::new(end) });
}
