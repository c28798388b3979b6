//! One trial's side of the network: its policy, which the next phase switches at once, what it has used of its caps,
//! and its evidence.

use super::meter::Meter;
use super::{Attempt, Decision, Policy, Reason, Target};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How many records of allowed attempts reach the sink, and how many of denied ones; apart, so that noise of one kind
/// does not hide the other. What is beyond is only counted, in [`Totals`].
pub const RECORDS: u64 = 1000;

type Sink = Box<dyn Fn(Attempt) + Send + Sync>;

/// What all attempts of a trial come to, whether their records reached the sink or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Attempts that were allowed and kept to it.
    pub allowed: u64,
    /// Attempts that were denied, names that were refused when looked up included.
    pub denied: u64,
    /// Attempts of both kinds beyond [`RECORDS`], of which there is no record.
    pub unrecorded: u64,
    /// Bytes that the agent's side sent on.
    pub up: u64,
    /// Bytes that it was sent.
    pub down: u64,
}

/// The network of one trial.
pub struct TrialNetwork {
    phase: watch::Sender<Phase>,
    open: watch::Sender<usize>,
    moved: AtomicU64,
    /// When the next stream has its turn, if no burst goes before it.
    next: Mutex<Instant>,
    totals: Mutex<Totals>,
    sink: Sink,
}

/// What holds now.
#[derive(Debug, Clone)]
pub(super) struct Phase {
    pub(super) name: Arc<str>,
    pub(super) policy: Arc<Policy>,
    pub(super) over: bool,
}

impl TrialNetwork {
    /// The network of a trial whose first phase has this policy. The sink gets each attempt when it ends, from any
    /// thread; it should return soon.
    pub fn new(
        policy: Policy,
        phase: impl Into<String>,
        sink: impl Fn(Attempt) + Send + Sync + 'static,
    ) -> TrialNetwork {
        let phase = Phase { name: phase.into().into(), policy: policy.into(), over: false };
        TrialNetwork {
            phase: watch::Sender::new(phase),
            open: watch::Sender::new(0),
            moved: AtomicU64::new(0),
            next: Mutex::new(Instant::now()),
            totals: Mutex::default(),
            sink: Box::new(sink),
        }
    }

    /// Begins the next phase. It holds at once: open streams that the new policy does not permit are closed.
    pub fn switch(&self, policy: Policy, phase: impl Into<String>) {
        let (name, policy) = (phase.into().into(), Arc::new(policy));
        self.phase.send_modify(|now| *now = Phase { name, policy, over: now.over });
    }

    /// Records a name that was looked up and isn't listed.
    pub fn denied_name(&self, name: &str) {
        let phase = self.phase.borrow().clone();
        // What isn't listed by name may still be no name at all; port 0 is no listed port, so nothing is allowed here.
        let reason = match phase.policy.permits(&Target { host: name.to_owned(), port: 0 }).reason {
            Reason::Listed(_) | Reason::Public | Reason::Port => Reason::NotListed,
            reason => reason,
        };
        self.record(Attempt::begin(&phase.name, name, None, Decision::of(reason)));
    }

    /// Closes all streams, lets no more begin, and waits until the last has its record.
    pub async fn close(&self) {
        self.phase.send_modify(|now| now.over = true);
        // Fails only when there is no sender any more, and there is: `self.open`.
        let _ = self.open.subscribe().wait_for(|open| *open == 0).await;
    }

    /// What the trial has done so far; all of it, once [`TrialNetwork::close`] has returned.
    pub fn totals(&self) -> Totals {
        *self.totals_mut()
    }

    /// Begins a stream, whose record is made when what is returned is dropped. `None` when the trial is over.
    pub(super) fn begin(&self, target: &Target) -> Option<Stream<'_>> {
        // Counted first: `close` either sees this stream or has ended the trial before the look at the phase.
        self.open.send_modify(|open| *open += 1);
        let phases = self.phase.subscribe();
        let phase = phases.borrow().clone();
        if phase.over {
            self.open.send_modify(|open| *open -= 1);
            return None;
        }
        let decision = phase.policy.permits(target);
        let attempt = Attempt::begin(&phase.name, &target.host, Some(target.port), decision);
        Some(Stream { trial: self, attempt, phases, meter: Meter::new() })
    }

    /// Streams that are open now.
    pub(super) fn open(&self) -> usize {
        *self.open.borrow()
    }

    /// Waits until one more stream may begin: `burst` of them at once, then one after each `pace`.
    pub(super) async fn turn(&self, burst: u32, pace: Duration) {
        let at = {
            // Nothing panics while it is held.
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let at = now.checked_sub(pace * burst).map_or(*next, |earliest| next.max(earliest));
            *next = at + pace;
            at
        };
        tokio::time::sleep_until(at).await;
    }

    /// Bytes moved so far, all streams together.
    pub(super) fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Takes `bytes` out of what the trial may move; false when that is more than is left.
    pub(super) fn spend(&self, bytes: u64, cap: u64) -> bool {
        let spent = |moved: u64| moved.checked_add(bytes).filter(|moved| *moved <= cap);
        self.moved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent).is_ok()
    }

    fn totals_mut(&self) -> MutexGuard<'_, Totals> {
        // Nothing panics while it is held, and counts stay true if something did.
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, attempt: Attempt) {
        {
            let mut totals = self.totals_mut();
            totals.up += attempt.up;
            totals.down += attempt.down;
            let count = if attempt.decision.allowed { &mut totals.allowed } else { &mut totals.denied };
            *count += 1;
            if *count > RECORDS {
                totals.unrecorded += 1;
                return;
            }
        }
        (self.sink)(attempt);
    }
}

/// One open stream of a trial.
pub(super) struct Stream<'a> {
    pub(super) trial: &'a TrialNetwork,
    pub(super) attempt: Attempt,
    pub(super) phases: watch::Receiver<Phase>,
    pub(super) meter: Meter,
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let mut attempt = self.attempt.clone();
        attempt.address = self.meter.address();
        (attempt.up, attempt.down) = self.meter.moved();
        attempt.duration = self.meter.elapsed();
        self.trial.record(attempt);
        self.trial.open.send_modify(|open| *open -= 1);
    }
}
