//! One request of an agent, from its beginning until its answer has ended or the agent has left: what is known of it is
//! counted when this is dropped, whatever became of it.

use super::heard::Asked;
use super::trial::TrialRelay;
use crate::model::{Api, Class, Meter, TransportError};
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
    pub(super) started: Instant,
    /// When the last of it came by which the agent can tell how it ends.
    pub(super) told: Instant,
    /// The model that it names.
    pub(super) model: Option<String>,
    /// It was sent on.
    pub(super) sent: bool,
    /// Since when the provider is waited for, where it is.
    pub(super) waits: Option<Instant>,
    /// Played back: how long the provider had been silent when the agent left here.
    pub(super) was_silent: Option<Duration>,
    /// The provider's fault, where it failed so.
    pub(super) failure: Option<(Class, String)>,
    /// What the agent itself made it fail by.
    pub(super) own_doing: Option<Class>,
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
        let started = Instant::now();
        Call {
            trial,
            called,
            started,
            told: started,
            model: None,
            sent: false,
            waits: None,
            was_silent: None,
            failure: None,
            own_doing: None,
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
        self.tells();
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
        if !self.ended {
            self.tells();
        }
        self.ended = true;
    }

    /// It fails by the provider's fault.
    pub(super) fn fails(&mut self, class: Class, why: impl Into<String>) {
        self.tells();
        self.failure = Some((class, why.into()));
    }

    /// Something new reaches the agent. After an error within the answer nothing is new.
    fn tells(&mut self) {
        if !self.meter.as_ref().is_some_and(Meter::has_failed) {
            self.told = Instant::now();
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.called.duration = self.started.elapsed();
        let usage = self.meter.as_ref().and_then(Meter::usage);
        let error = self.meter.as_ref().and_then(|meter| meter.failure(self.ended));
        let (own, error) = match error {
            Some((class, _)) if class.is_own_doing() => (Some(class), None),
            other => (None, other),
        };
        self.own_doing = self.own_doing.or(own);
        let waited = self.waits.map(|since| since.elapsed());
        let silent = self.was_silent.or(waited).filter(|silent| *silent >= self.trial.patience);
        let failure = self.failure.take().or(error).or_else(|| {
            let seconds = silent?.as_secs_f64();
            // It was to blame before the agent left.
            let blamed = self.waits.zip(waited).map(|(since, waited)| since + waited.min(self.trial.patience));
            self.told = blamed.unwrap_or(self.told);
            Some((Class::Timeout, format!("was silent for {seconds:.0} s, until the agent left")))
        });
        let says_all = self.meter.as_ref().is_some_and(Meter::says_all);
        let trial = Arc::clone(&self.trial);
        trial.finished(self, usage, says_all, failure);
    }
}
