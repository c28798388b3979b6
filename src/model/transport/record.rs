//! Sends to providers and keeps each exchange as a file, whole and without secrets, once its body has come or was given
//! up. The name says what was asked: `<digest of the request>-<ordinal>.json`.

use super::exchange::{Answered, Asked, Exchange, FORMAT, answer_headers, scrub};
use super::live::Live;
use super::send::{Body, HttpRequest, HttpResponse, Leaves, TransportError};
use crate::model::Error;
use crate::model::retry::header;
use crate::model::secret::Secret;
use bytes::Bytes;
use futures_util::Stream;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// A recording that is being made.
#[derive(Debug, Clone)]
pub struct Record {
    live: Live,
    folder: PathBuf,
    /// How often each request was sent.
    sent: Arc<Mutex<HashMap<String, u32>>>,
}

/// How many exchanges a folder holds; none where it isn't there.
pub fn exchanges(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "json")).count()
}

impl Record {
    pub fn new(folder: &Path) -> Result<Record, Error> {
        let failed = |source| Error::Io { verb: "create", path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        Ok(Record { live: Live::new()?, folder: folder.to_owned(), sent: Arc::default() })
    }

    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let asked = Asked::of(request);
        let ordinal = self.ordinal(&asked.key());
        let mut kept = Kept {
            file: self.folder.join(format!("{}-{ordinal}.json", asked.key())),
            exchange: Some(Exchange { format: FORMAT, ordinal, request: asked, response: Answered::default() }),
            secrets: request.secrets.clone(),
            leaves: request.leaves.clone(),
            // Until its head has come, an answer is waited for.
            waits: Some(Instant::now()),
            seen: Vec::new(),
        };
        let response = match self.live.send(request).await {
            Ok(response) => response,
            // That nobody answered plays back too. Where it can't be kept, the provider's trouble is the greater one.
            Err(error) => {
                let _ = kept.keep(true, false);
                return Err(error);
            }
        };
        kept.waits = None;
        if let Some(exchange) = &mut kept.exchange {
            exchange.response.status = Some(response.status);
            exchange.response.headers = answer_headers(&response.headers);
        }
        let length = header(&response.headers, "content-length").and_then(|length| length.parse().ok());
        let body = Box::pin(Passing { body: response.body, length, kept });
        Ok(HttpResponse { status: response.status, headers: response.headers, body })
    }

    /// The next number of this request. A recording that is gone on with keeps what it has.
    fn ordinal(&self, key: &str) -> u32 {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let next = sent.entry(key.to_owned()).or_insert(0);
        while self.folder.join(format!("{key}-{next}.json")).exists() {
            *next += 1;
        }
        *next += 1;
        *next - 1
    }
}

/// An exchange while it lasts; written once its end is known.
struct Kept {
    file: PathBuf,
    /// Gone once it is written.
    exchange: Option<Exchange>,
    secrets: Vec<Secret>,
    leaves: Leaves,
    /// Since when the provider is waited for, where it is.
    waits: Option<Instant>,
    /// The body so far.
    seen: Vec<u8>,
}

impl Kept {
    fn keep(&mut self, cut: bool, left: bool) -> Result<(), TransportError> {
        let Some(mut exchange) = self.exchange.take() else { return Ok(()) };
        // The whole at once: a secret may lie across pieces.
        exchange.response.body = scrub(&String::from_utf8_lossy(&self.seen), &self.secrets);
        (exchange.response.cut, exchange.response.left) = (cut, left);
        if left && self.leaves.by_itself() {
            let silent = self.waits.map_or(Duration::ZERO, |since| since.elapsed());
            exchange.response.silent_sec = Some(silent.as_secs_f64());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            serde_json::to_writer_pretty(&mut file, &exchange)?;
            file.persist(&self.file).map(drop).map_err(|e| e.error)
        });
        written.map_err(|e| TransportError::Record(format!("`{}`: {e}", self.file.display())))
    }
}

impl Drop for Kept {
    /// Given up in the middle, or after the last word of a stream. What can't be written here is missed in playing back.
    fn drop(&mut self) {
        let _ = self.keep(false, true);
    }
}

/// A body that is passed on and kept.
struct Passing {
    body: Body,
    /// How long it is, where that was said: who has read so much may not ask for its end.
    length: Option<usize>,
    kept: Kept,
}

impl Stream for Passing {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready(piece) = self.body.as_mut().poll_next(context) else {
            self.kept.waits.get_or_insert_with(Instant::now);
            return Poll::Pending;
        };
        self.kept.waits = None;
        Poll::Ready(match piece {
            Some(Ok(piece)) => {
                self.kept.seen.extend_from_slice(&piece);
                let whole = self.length == Some(self.kept.seen.len());
                Some(if whole { self.kept.keep(false, false).and(Ok(piece)) } else { Ok(piece) })
            }
            Some(Err(error)) => Some(self.kept.keep(true, false).and(Err(error))),
            None => self.kept.keep(false, false).err().map(Err),
        })
    }
}
