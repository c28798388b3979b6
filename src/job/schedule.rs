//! All trials of a job: as many at once as the settings say, in the plan's order, and one loop that hands everything
//! that happens to the readers, one event after the other.

use super::grading::{self, Grading, Unjudged};
use super::images::Images;
use super::setup::Job;
use super::stop::{Stop, Why};
use super::trial::{self, Context};
use crate::artifact::Artifacts;
use crate::event::{Event, Fault, Outcome, Stage, Timing, TrialEnd};
use crate::failure::FailureClass;
use crate::plan::Round;
use crate::sandbox::{self, Engine};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;

/// What a job has to do; everything else of its plan counts as done.
#[derive(Debug, Default)]
pub struct Todo {
    /// The trials that run: indices into the plan.
    pub run: Vec<usize>,
    /// The trials whose agents have answered, but were not judged.
    pub judge: Vec<Unjudged>,
    /// What trials that run again have cost before, in US dollars, by their indices.
    pub spent: BTreeMap<usize, f64>,
    /// Of which of them that isn't all.
    pub spent_in_part: BTreeSet<usize>,
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
/// trials have ended, `more` says whether others follow. Gives back why the job stopped before its end, where it did.
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
) -> Result<Option<Why>, Broken<E>> {
    // What dead jobs left goes first, so that it can't stand in the way of this one.
    engine.sweep(None).await.map_err(Broken::Engine)?;
    let open = |index: &usize| todo.run.contains(index) || todo.judge.iter().any(|(other, _)| other == index);
    let done = (0..job.plan.trials.len()).filter(|index| !open(index)).collect();
    let first = Event::JobStarted { plan: job.plan.clone(), done };
    let mut failed = reader(&first).err();
    let images = Arc::new(Images::new(job.tasks.len(), job.agents.len()));
    let (mut plan, mut todo) = (job.plan.clone(), todo);
    let spent = Arc::new(std::mem::take(&mut todo.spent));
    let spent_in_part = Arc::new(std::mem::take(&mut todo.spent_in_part));
    while failed.is_none() {
        let context = |events| Context {
            engine: engine.clone(),
            images: Arc::clone(&images),
            job: Arc::clone(&job),
            plan: plan.clone(),
            events,
            stop: stop.clone(),
            spent: Arc::clone(&spent),
            spent_in_part: Arc::clone(&spent_in_part),
            grading: Grading::new(job.settings.n_concurrent),
            places: Arc::new(Semaphore::new(job.settings.n_concurrent.max(1))),
        };
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
    Ok(stop.reason().cloned())
}

/// Runs some trials to their ends. Where a reader fails, the rest is stopped.
async fn round<E>(
    context: impl FnOnce(mpsc::UnboundedSender<Event>) -> Context,
    todo: Todo,
    stop: &Stop,
    reader: &mut impl FnMut(&Event) -> Result<(), E>,
    failed: &mut Option<E>,
) {
    let (events, mut received) = mpsc::unbounded_channel();
    let dispatcher = tokio::spawn(dispatch(Arc::new(context(events)), todo));
    while let Some(event) = received.recv().await {
        if failed.is_none() {
            *failed = reader(&event).err();
        }
        if failed.is_some() {
            stop.set(Why::User);
        }
    }
    // A panic in it has been said where it happened.
    let _ = dispatcher.await;
}

/// Starts trials one after the other as places become free, while answers are judged.
async fn dispatch(context: Arc<Context>, todo: Todo) {
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
    let mut told = false;
    loop {
        tokio::select! {
            biased;
            // Also where all trials have started: what runs is cut short, and the job is not over.
            () = context.stop.wait(), if !told => {
                told = true;
                if matches!(context.stop.reason(), Some(Why::User | Why::Spent(_))) {
                    context.say(Event::Interrupted);
                }
            }
            ended = trials.join_next() => if ended.is_none() { break },
        }
    }
    grading::last(&context).await;
    probe.shutdown().await;
}

/// One trial, in a task of its own: a panic in it is a fault of ours and ends that trial only.
async fn one(context: Arc<Context>, index: usize, place: Option<OwnedSemaphorePermit>) {
    let inner = Arc::clone(&context);
    let end = match tokio::spawn(async move { trial::run(&inner, index, place).await }).await {
        Ok(end) => end,
        Err(panic) => TrialEnd {
            planned: context.plan.trials[index].clone(),
            outcome: Outcome::Fault {
                fault: Fault {
                    class: Some(FailureClass::Runner),
                    ..Fault::new(Stage::Sandbox, format!("the runner failed: {panic}"))
                },
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
            spent_usd: None,
            spent_is_all: false,
            judging: None,
        },
    };
    grading::finished(&context, index, end);
}
