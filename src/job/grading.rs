//! Judging within a job: how many answers at once, and what a judge's outage does to the rest.
//!
//! A judge that fails [`IN_A_ROW`] times is left alone: agents go on, and what they leave is ungraded, which is on disk
//! at once. A single answer tries the judge out now and then; when that works, and once more at the job's end, all that
//! is ungraded is judged again. A judge that refuses everybody who comes with this key stops the job.

use super::clock::Clock;
use super::decide::decide;
use super::judging::{self, Judged, Left, Place};
use super::stop::Why;
use super::trial::Context;
use crate::answer::Answer;
use crate::event::{Event, Judging, Outcome, Span, TrialEnd};
use crate::judge::{IN_A_ROW, Streak, Trouble};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The longest time between two answers that try the judge out, as a multiple of the first such time.
const LONGEST: u32 = 12;

/// A trial whose answer is to be judged, all else being done.
pub type Unjudged = (usize, TrialEnd);

/// What all trials of a job share about its judge.
#[derive(Debug)]
pub struct Grading {
    /// One for each answer that may be judged at a time.
    places: Semaphore,
    streak: Streak,
    ungraded: Mutex<VecDeque<Unjudged>>,
    /// Held while kept answers are judged again, by one at a time.
    busy: tokio::sync::Mutex<()>,
}

impl Grading {
    /// Nothing is judged yet.
    pub fn new(at_once: usize) -> Grading {
        Grading {
            places: Semaphore::new(at_once.max(1)),
            streak: Streak::default(),
            ungraded: Mutex::default(),
            busy: tokio::sync::Mutex::default(),
        }
    }

    /// Keeps a trial to be judged again.
    fn keep(&self, unjudged: Unjudged) {
        self.lock().push_back(unjudged);
    }

    fn next(&self) -> Option<Unjudged> {
        self.lock().pop_front()
    }

    fn paused(&self) -> bool {
        self.streak.is_down()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Unjudged>> {
        self.ungraded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Judges what a trial left, where there is anything to judge. While the judge is left alone, and after a stop, nobody
/// is asked; scripts of tasks are no judge that all trials share, and are run whatever its state.
pub async fn judge(context: &Context, task: usize, left: Left<'_>) -> Judged {
    if context.job.tasks[task].script.is_some() || matches!(left.answer, Answer::None { .. }) {
        return decided(context, task, left).await;
    }
    let grading = &context.grading;
    let open = || match (context.stop.reason(), grading.paused(), context.stop.is_set()) {
        (Some(Why::Judge(why)), ..) => Err(why.clone()),
        (_, true, _) => Err("the judge is left alone after several failures in a row".to_owned()),
        (_, false, true) => Err("the job was stopped before the judge decided".to_owned()),
        (_, false, false) => Ok(()),
    };
    if let Err(why) = open() {
        return Judged::not(why);
    }
    // Never closed.
    let _place = grading.places.acquire().await;
    match open() {
        Ok(()) => asked(context, task, left).await,
        Err(why) => Judged::not(why),
    }
}

/// What the task's judge makes of it, unless the job is stopped before.
async fn decided(context: &Context, task: usize, left: Left<'_>) -> Judged {
    let job = &context.job;
    let place = Place { engine: &context.engine, images: &context.images, events: &context.events };
    tokio::select! {
        biased;
        judged = judging::judge(job, &job.tasks[task], task, left, Some(place)) => judged,
        () = context.stop.wait() => Judged::not("the job was stopped before the judge decided"),
    }
}

/// Asks the judge, whatever its state, and draws the conclusions.
async fn asked(context: &Context, task: usize, left: Left<'_>) -> Judged {
    let grading = &context.grading;
    let judged = decided(context, task, left).await;
    let Some(judgment) = judged.judgment.as_ref().filter(|_| context.job.tasks[task].script.is_none()) else {
        return judged;
    };
    match &judgment.result {
        Err(error) if error.trouble == Trouble::Refused => context.stop.set(Why::Judge(error.to_string())),
        Err(_) if context.stop.is_set() => {}
        result => {
            if grading.streak.note(result)
                && let Err(error) = result
            {
                let text = format!(
                    "warning: the judge failed {IN_A_ROW} times in a row, so it is left alone for a while; agents go on, \
                     and their answers are judged later: {error}"
                );
                context.say(Event::Notice { text });
            }
        }
    }
    judged
}

/// Says that a trial has ended, and keeps it where its answer is to be judged again.
pub fn finished(context: &Context, index: usize, end: TrialEnd) {
    let again = matches!(end.outcome, Outcome::Ungraded { .. }) && context.job.judge.may_recover();
    context.say(Event::TrialFinished { trial: index, end: Box::new(end.clone()) });
    if again {
        context.grading.keep((index, end));
    }
}

/// Judges a kept answer again and says what came of it; true where there is a verdict now.
pub async fn again(context: &Context, (index, mut end): Unjudged) -> bool {
    let (Some(run), Some(answer)) = (&end.agent, &end.answer) else { return false };
    if context.stop.is_set() {
        return false;
    }
    let clock = Clock::start();
    let began = clock.now();
    let left = Left { trial: &end.planned.name, answer, artifacts: &end.artifacts };
    let judged = asked(context, end.planned.task_index, left).await;
    let Some(judgment) = judged.judgment else { return false };
    if judgment.result.is_err() && context.stop.is_set() {
        return false; // what is on disk of it says more
    }
    end.outcome = decide(run, answer, Some(&judgment.result));
    end.timing.judge = Some(Span { started_at: began, finished_at: clock.now() });
    end.script = judged.script;
    end.judging = Some(Judging::new(end.judging.take(), judgment));
    let graded = !matches!(end.outcome, Outcome::Ungraded { .. });
    finished(context, index, end);
    graded
}

/// Tries out a judge that is left alone, with one answer at a time, and judges everything when it works again. It never
/// ends; whoever drops it calls [`last`] first.
pub async fn probe(context: Arc<Context>) {
    let first = context.job.settings.judge_pause;
    let mut wait = first;
    loop {
        tokio::time::sleep(if context.grading.paused() { wait } else { first.min(Duration::from_secs(1)) }).await;
        if !context.grading.paused() {
            wait = first;
            continue;
        }
        let _busy = context.grading.busy.lock().await;
        let Some(one) = context.grading.next() else { continue };
        wait = (wait * 2).min(first * LONGEST);
        if again(&context, one).await {
            context.say(Event::Notice { text: "the judge is back: ungraded answers are judged now".to_owned() });
            all(&context).await;
        }
    }
}

/// Judges everything that is ungraded now, once each.
async fn all(context: &Context) {
    let waiting = std::mem::take(&mut *context.grading.lock());
    each(context, waiting).await;
}

/// Judges these, once each, until the judge has to be left alone or the job stops; what is left is kept.
pub async fn each(context: &Context, waiting: impl IntoIterator<Item = Unjudged>) {
    let mut waiting = waiting.into_iter();
    let at_once = context.job.settings.n_concurrent.max(1);
    loop {
        let some: Vec<Unjudged> = waiting.by_ref().take(at_once).collect();
        if some.is_empty() || context.grading.paused() || context.stop.is_set() {
            context.grading.lock().extend(some.into_iter().chain(waiting));
            return;
        }
        futures_util::future::join_all(some.into_iter().map(|one| again(context, one))).await;
    }
}

/// The last look at what is ungraded, when all agents are done: a judge that was left alone gets one more chance.
pub async fn last(context: &Context) {
    let _busy = context.grading.busy.lock().await;
    if context.grading.paused() && !context.stop.is_set() {
        let Some(one) = context.grading.next() else { return };
        if !again(context, one).await {
            return;
        }
    }
    all(context).await;
}
