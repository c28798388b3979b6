//! What goes in and comes out of a transport, and the three kinds of it behind one verb.

use super::live::Live;
use super::record::{Record, exchanges};
use super::replay::Replay;
use crate::model::Error;
use crate::model::secret::Secret;
use bytes::Bytes;
use futures_util::Stream;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A body, piece by piece as it comes.
pub type Body = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// A request as it is sent.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// Such as `POST`.
    pub method: String,
    /// The URL up to the path that the provider's interface adds, as in [`crate::model::Endpoint::base_url`].
    pub base_url: String,
    /// The rest of the URL.
    pub path: String,
    /// Names in lower case, with values, the key's among them.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// What must not be kept of it: the key, and its like.
    pub secrets: Vec<Secret>,
    /// Whether whoever asks leaves of its own accord, where it leaves before the answer's end.
    pub leaves: Leaves,
}

/// Tells of its own accord from being made to: an agent whose time is over goes by itself, and one whose job is being
/// stopped does not. It is asked when an answer is dropped before its end.
#[derive(Clone)]
pub struct Leaves(Arc<dyn Fn() -> bool + Send + Sync>);

impl Leaves {
    /// Of its own accord where `by_itself` says so then.
    pub fn new(by_itself: impl Fn() -> bool + Send + Sync + 'static) -> Leaves {
        Leaves(Arc::new(by_itself))
    }

    /// What is so now.
    pub fn by_itself(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Leaves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Leaves").field(&self.by_itself()).finish()
    }
}

/// What came back. The body may still be coming.
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// Names in lower case, with values; what belongs to the connection alone is left out.
    pub headers: Vec<(String, String)>,
    /// The body, from its beginning.
    pub body: Body,
}

/// Why no answer came, or no more of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The address can't be reached, or the connection broke.
    #[error("{0}")]
    Connection(String),
    /// It took too long to connect.
    #[error("no connection within the time for it: {0}")]
    Timeout(String),
    /// Played back: when this was recorded, whoever asked left here.
    #[error("whoever asked left here when this was recorded")]
    Left {
        /// After so long without a byte, where it left of its own accord.
        silent: Option<Duration>,
    },
    /// Played back, and not in the recording.
    #[error("{0}")]
    NotRecorded(String),
    /// The recording can't be kept: the disk, say.
    #[error("failed to keep the recording: {0}")]
    Record(String),
}

impl TransportError {
    /// True where a recording is to blame, and neither the provider nor the way to it.
    pub fn is_of_recording(&self) -> bool {
        matches!(self, TransportError::NotRecorded(_) | TransportError::Record(_))
    }
}

/// How HTTP is sent. Cheap to clone; all clones share connections and recording.
#[derive(Debug, Clone)]
pub struct Transport {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Live(Live),
    Record(Record),
    Replay(Replay),
}

/// How long connecting may take.
pub(super) const CONNECT: Duration = Duration::from_secs(10);

impl Transport {
    /// Sends to providers.
    ///
    /// # Errors
    /// [`Error::Tls`] where HTTPS can't be set up here.
    pub fn live() -> Result<Transport, Error> {
        Ok(Transport { kind: Kind::Live(Live::new()?) })
    }

    /// Sends to providers, and keeps what was said below `folder`, without secrets.
    ///
    /// # Errors
    /// As [`Transport::live`], and [`Error::Io`] where the folder can't be made.
    pub fn recording(folder: &Path) -> Result<Transport, Error> {
        Ok(Transport { kind: Kind::Record(Record::new(folder)?) })
    }

    /// Whether answers come from a recording.
    pub fn plays_back(&self) -> bool {
        matches!(self.kind, Kind::Replay(_))
    }

    /// How many exchanges `folder` holds; none where it isn't there.
    pub fn recorded(folder: &Path) -> usize {
        exchanges(folder)
    }

    /// Sends nothing: answers come from the recording below `folder`.
    ///
    /// # Errors
    /// Where there is no recording, or it can't be read.
    pub fn replaying(folder: &Path) -> Result<Transport, Error> {
        Ok(Transport { kind: Kind::Replay(Replay::new(folder)?) })
    }

    /// Sends a request and gives back the answer as soon as its head is there. Redirects are not followed: the key is
    /// meant for one host. There is no time limit but that for connecting; whoever reads the body keeps the time.
    ///
    /// # Errors
    /// Where no answer came; whatever the status, an answer is no error.
    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        match &self.kind {
            Kind::Live(live) => live.send(request).await,
            Kind::Record(record) => record.send(request).await,
            Kind::Replay(replay) => replay.send(request),
        }
    }
}
