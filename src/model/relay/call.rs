//! One request of an agent, from its beginning until its answer has ended or the agent has left: what is known of it is
//! counted when this is dropped, whatever became of it.

use super::heard::Asked;
use super::trial::TrialRelay;
use crate::model::{Api, Meter, TransportError};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::OwnedSemaphorePermit;

/// How long a provider may be silent before an answer and within one. The agent's own patience is mostly shorter.
pub(super) const SILENCE: Duration = Duration::from_secs(15 * 60);

/// What became of one request, for evidence.
#[derive(Debug, Clone)]
pub struct Called {
    /// When it began.
    pub at: SystemTime,
    /// Its path, as the agent sent it.
    pub path: String,
    /// The status that the agent was answered; none where it left before.
    pub status: Option<u16>,
    /// Why it was not sent on, where it wasn't.
    pub refused: Option<String>,
    /// Bytes of the request's body.
    pub up: u64,
    /// Bytes of the answer's body.
    pub down: u64,
    /// From its beginning to its answer's end.
    pub duration: Duration,
}

/// One request while it lasts.
pub(super) struct Call {
    trial: Arc<TrialRelay>,
    pub(super) called: Called,
    started: Instant,
    /// The model that it names.
    pub(super) model: Option<String>,
    /// It was sent on.
    pub(super) sent: bool,
    /// Since when the provider is waited for, where it is.
    pub(super) waits: Option<Instant>,
    /// Played back: how long the provider had been silent when the agent left here.
    pub(super) was_silent: Option<Duration>,
    /// The provider's fault, where it failed so.
    pub(super) failure: Option<String>,
    /// What was wrong with the recording, where there is one.
    pub(super) recording: Option<String>,
    /// In which form its answer should say what it used, where it should.
    pub(super) form: Option<Api>,
    /// What it says.
    pub(super) asked: Option<Asked>,
    /// Reads what the answer used.
    pub(super) meter: Option<Meter>,
    /// How long the answer's body is, where that was said.
    pub(super) length: Option<u64>,
    /// The answer has come whole.
    pub(super) ended: bool,
    /// Where calls go one after the other.
    pub(super) turn: Option<OwnedSemaphorePermit>,
}

impl Call {
    pub(super) fn begin(trial: Arc<TrialRelay>, path: &str) -> Call {
        let (at, duration) = (SystemTime::now(), Duration::ZERO);
        let called = Called { at, path: path.to_owned(), status: None, refused: None, up: 0, down: 0, duration };
        Call {
            trial,
            called,
            started: Instant::now(),
            model: None,
            sent: false,
            waits: None,
            was_silent: None,
            failure: None,
            recording: None,
            form: None,
            asked: None,
            meter: None,
            length: None,
            ended: false,
            turn: None,
        }
    }

    /// A piece of the answer passes.
    pub(super) fn passes(&mut self, piece: &[u8]) {
        self.called.down += piece.len() as u64;
        if let Some(meter) = &mut self.meter {
            meter.push(piece);
        }
        self.ended |= self.length == Some(self.called.down);
    }

    /// Played back: the agent left here, after so much silence where that is known. It is held up until it leaves again,
    /// or until a silence that nothing is known of has lasted too long.
    pub(super) async fn held(&mut self, silent: Option<Duration>) {
        self.was_silent = silent;
        match silent {
            Some(_) => std::future::pending().await,
            None => tokio::time::sleep(SILENCE).await,
        }
    }

    /// A recording is to blame for there being no answer, or no more of it; gives back how.
    pub(super) fn recording_failed(&mut self, error: &TransportError) -> String {
        let host = self.trial.relay.endpoint.host();
        let why = format!("what `{host}` says is played back or recorded, and that failed: {error}");
        self.recording.insert(why).clone()
    }

    /// The answer has come whole.
    pub(super) fn ends(&mut self) {
        self.ended = true;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.called.duration = self.started.elapsed();
        let usage = self.meter.as_ref().and_then(Meter::usage);
        let error = self.meter.as_ref().and_then(|meter| meter.trouble(self.ended));
        let silent = self.was_silent.or(self.waits.map(|since| since.elapsed()));
        let silent = silent.filter(|silent| *silent >= self.trial.patience);
        let failure = self.failure.take().or(error);
        let failure = failure
            .or(silent.map(|silent| format!("was silent for {:.0} s, until the agent left", silent.as_secs_f64())));
        let says_all = self.meter.as_ref().is_some_and(Meter::says_all);
        let trial = Arc::clone(&self.trial);
        trial.finished(self, usage, says_all, failure);
    }
}
