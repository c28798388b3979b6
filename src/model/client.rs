//! Asks a model and sees to it that one question gets one reply: tries again what may be tried again, waits as asked,
//! notices silence.

use super::endpoint::Endpoint;
use super::failure::{Class, Failure, HEAD};
use super::format::{Events, Gather, Parts, body, classify, effective, read, usage, within};
use super::reply::Reply;
use super::request::Request;
use super::retry::{Retry, header};
use super::transport::{Body, HttpRequest, HttpResponse, Leaves, Transport, TransportError};
use futures_util::StreamExt;
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::time::timeout;

/// How long a client waits for what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What is tried again.
    pub retry: Retry,
    /// Until the answer begins, and of a stream until the next piece of it. Thinking models are silent for minutes.
    pub silence: Duration,
    /// For one try as a whole.
    pub whole: Duration,
    /// How many bytes of one answer are read.
    pub body_cap: usize,
}

/// How long somebody whose time is limited must have waited for a byte in vain before the provider is to blame for it, and
/// not a model that is slow: a minute, or nearly all of a shorter time.
pub fn patience(limit: Option<Duration>) -> Duration {
    const MINUTE: Duration = Duration::from_secs(60);
    limit.map_or(MINUTE, |limit| MINUTE.min(limit * 9 / 10))
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            retry: Retry::default(),
            silence: Duration::from_secs(600),
            whole: Duration::from_secs(3600),
            body_cap: 64 << 20,
        }
    }
}

/// Asks one model. Cheap to clone; to give up a request, drop its future.
#[derive(Debug, Clone)]
pub struct Client {
    endpoint: Endpoint,
    transport: Transport,
    settings: Settings,
}

/// What one try came to, where it is no reply.
struct Trouble {
    class: Class,
    status: Option<u16>,
    message: String,
    body_head: String,
    headers: Vec<(String, String)>,
    /// Another try may go better.
    passes: bool,
    /// A reply had begun.
    cut: bool,
    /// Whoever asked had no more time, after so long without a byte.
    left: Option<Duration>,
}

/// What one try came to, where it is a reply.
struct Whole {
    parts: Parts,
    reply: Value,
    unknown: Vec<Value>,
    headers: Vec<(String, String)>,
}

impl Client {
    /// A client of that endpoint.
    pub fn new(endpoint: Endpoint, transport: Transport, settings: Settings) -> Client {
        Client { endpoint, transport, settings }
    }

    /// Where it asks.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks, and asks again as the settings say. A stream that breaks off is asked for again as a whole.
    ///
    /// # Errors
    /// A [`Failure`] that says whose trouble it is.
    pub async fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        // Without a limit a try ends as a reply or as trouble.
        loop {
            if let Some(reply) = self.ask_within(request, None, Duration::MAX).await? {
                return Ok(reply);
            }
        }
    }

    /// The same, where the model may take no longer than `limit`; `None` where it does. Only the try that is under way
    /// counts: what failed tries and waits took is the provider's doing, and so is a limit that is reached after
    /// `patience` without a byte.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub async fn ask_within(
        &self,
        request: &Request,
        limit: Option<Duration>,
        patience: Duration,
    ) -> Result<Option<Reply>, Failure> {
        let body = body(&self.endpoint, request);
        let mut headers = self.endpoint.headers();
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        headers.extend(request.headers.iter().cloned());
        let out_of_time = Arc::new(AtomicBool::new(false));
        let leaves = Arc::clone(&out_of_time);
        let sent = HttpRequest {
            method: "POST".to_owned(),
            base_url: self.endpoint.base_url.clone(),
            path: self.endpoint.api.path().to_owned(),
            headers,
            body: body.to_string().into(),
            secrets: self.endpoint.key.iter().cloned().collect(),
            leaves: Leaves::new(move || leaves.load(Ordering::Relaxed)),
        };
        let began = Instant::now();
        let (mut retries, mut cut_streams, mut untold) = (0, 0, 0);
        let mut got_over = None;
        loop {
            let waited = began.elapsed();
            let whole = limit.map_or(self.settings.whole, |limit| limit.min(self.settings.whole));
            let heard = Arc::new(Mutex::new(Instant::now()));
            let mut attempt = std::pin::pin!(self.attempt(&sent, request.stream, &heard));
            let tried = match timeout(whole, attempt.as_mut()).await {
                Ok(tried) => tried,
                Err(_) if limit == Some(whole) => {
                    // Said before the attempt is dropped, since it is kept in a recording.
                    out_of_time.store(true, Ordering::Relaxed);
                    let silent = heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
                    Err(Trouble { left: Some(silent), ..Trouble::default() })
                }
                Err(_) => Err(Trouble::silent(self.settings.whole, "no whole reply")),
            };
            // Its time is over, or was when this was recorded: nobody waits for that again.
            if let Some(silent) = tried.as_ref().err().and_then(|trouble| trouble.left).filter(|_| limit.is_some()) {
                if silent < patience {
                    return Ok(None);
                }
                let trouble = Trouble::silent(silent, "not a byte");
                return Err(self.failure(trouble, (retries + 1, untold + 1), began.elapsed()));
            }
            let trouble = match tried {
                Ok(whole) => {
                    return Ok(Some(Reply {
                        blocks: whole.parts.blocks,
                        stop: whole.parts.stop,
                        usage: usage(self.endpoint.api, &whole.reply),
                        model: whole.reply["model"].as_str().map(str::to_owned),
                        effective: effective(&body),
                        raw: whole.parts.raw,
                        container: whole.reply["container"]["id"].as_str().map(str::to_owned),
                        unknown: whole.unknown,
                        request_id: request_id(&whole.headers),
                        latency: began.elapsed() - waited,
                        waited,
                        retries,
                        cut_streams,
                        untold,
                        got_over,
                    }));
                }
                Err(trouble) => trouble,
            };
            cut_streams += u32::from(trouble.cut);
            let was_answered = trouble.status.is_some_and(|status| (200..300).contains(&status));
            untold += u32::from(trouble.cut || was_answered || trouble.class == Class::Timeout);
            let wait = self.settings.retry.wait(retries, &trouble.headers, SystemTime::now(), chance());
            let too_late = began.elapsed() + wait > self.settings.retry.total;
            if !trouble.passes || retries >= self.settings.retry.max_retries || too_late {
                return Err(self.failure(trouble, (retries + 1, untold), began.elapsed()));
            }
            tokio::time::sleep(wait).await;
            retries += 1;
            got_over = Some(trouble.class);
        }
    }

    fn failure(&self, trouble: Trouble, (attempts, untold): (u32, u32), elapsed: Duration) -> Failure {
        let failure = Failure {
            class: trouble.class,
            api: self.endpoint.api,
            host: self.endpoint.host().to_owned(),
            status: trouble.status,
            request_id: request_id(&trouble.headers),
            message: trouble.message,
            body_head: trouble.body_head,
            attempts,
            untold,
            elapsed,
        };
        failure.scrubbed(self.endpoint.key.as_ref())
    }

    /// One try; `heard` is when its last byte came.
    async fn attempt(&self, sent: &HttpRequest, stream: bool, heard: &Arc<Mutex<Instant>>) -> Result<Whole, Trouble> {
        let silence = self.settings.silence;
        let answer = timeout(silence, self.transport.send(sent)).await;
        let HttpResponse { status, headers, body } = match answer {
            Ok(answer) => answer.map_err(|e| Trouble::transport(e, false))?,
            Err(_) => return Err(Trouble::silent(silence, "no answer")),
        };
        let heard = Arc::clone(heard);
        let hear = move || *heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        hear();
        let mut body: Body = Box::pin(body.inspect(move |_| hear()));
        let kind = header(&headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        let tried = if (200..300).contains(&status) {
            if stream && kind.starts_with("text/event-stream") {
                self.gather(&mut body).await
            } else {
                self.whole(&mut body, &kind).await
            }
        } else {
            let bytes = match self.bytes(&mut body).await {
                Err(trouble) if trouble.left.is_some() => return Err(trouble),
                bytes => bytes.unwrap_or_default(),
            };
            let said = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
            let (class, message) = classify(Some(status), &said);
            let passes = Retry::may(status, &headers) && matches!(class, Class::Throttled | Class::Overloaded)
                || header(&headers, "x-should-retry") == Some("true");
            Err(Trouble { class, message, passes, body_head: head(&bytes), ..Trouble::default() })
        };
        match tried {
            Ok((reply, unknown)) => match read(self.endpoint.api, &reply) {
                Ok(parts) => Ok(Whole { parts, reply, unknown, headers }),
                Err(why) => {
                    let body_head = head(reply.to_string().as_bytes());
                    let (class, message) = within(&reply).unwrap_or((Class::BadReply, why));
                    let passes = matches!(class, Class::Throttled | Class::Overloaded);
                    let status = Some(status);
                    Err(Trouble { class, message, status, headers, body_head, passes, ..Trouble::default() })
                }
            },
            Err(trouble) => Err(Trouble { status: Some(status), headers, ..trouble }),
        }
    }

    /// A reply that comes in one piece.
    async fn whole(&self, body: &mut Body, kind: &str) -> Result<(Value, Vec<Value>), Trouble> {
        let bytes = self.bytes(body).await?;
        serde_json::from_slice(&bytes).map(|reply| (reply, Vec::new())).map_err(|e| {
            // JSON that isn't one was broken on its way; a page for people is a wrong address.
            let (json, head) = (kind.contains("json"), head(&bytes));
            let message = if json { format!("no JSON: {e}") } else { format!("no JSON, but `{kind}`") };
            Trouble { message, body_head: head, passes: json, ..Trouble::default() }
        })
    }

    async fn bytes(&self, body: &mut Body) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece(body, &mut bytes.len()).await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// A reply that comes as a stream.
    async fn gather(&self, body: &mut Body) -> Result<(Value, Vec<Value>), Trouble> {
        let (mut events, mut gather, mut read) = (Events::default(), Gather::new(self.endpoint.api), 0);
        while !gather.has_ended() {
            let piece = match self.piece(body, &mut read).await {
                Ok(Some(piece)) => piece,
                // What is whole is not asked, and paid, again because its connection ended badly.
                Ok(None) | Err(_) if gather.is_whole() => break,
                Ok(None) => {
                    return Err(Trouble::transport(TransportError::Connection("the stream broke off".into()), true));
                }
                Err(trouble) => return Err(Trouble { cut: true, ..trouble }),
            };
            let said = events.push(&piece).map_err(|e| Trouble {
                message: e,
                cut: true,
                passes: true,
                ..Trouble::default()
            })?;
            for data in said {
                if let Err(event) = gather.push(&data) {
                    let (class, message) = classify(None, &event);
                    let passes = matches!(class, Class::Throttled | Class::Overloaded | Class::BadReply);
                    let body_head = head(event.to_string().as_bytes());
                    return Err(Trouble { class, message, passes, cut: true, body_head, ..Trouble::default() });
                }
            }
        }
        let (mut reply, unknown) = gather.finish();
        // What was cut in two pieces of a stream is whole only now.
        self.endpoint.key.iter().for_each(|key| key.scrub_json(&mut reply));
        Ok((reply, unknown))
    }

    /// The next piece of a body; `read` counts what has come.
    async fn piece(&self, body: &mut Body, read: &mut usize) -> Result<Option<bytes::Bytes>, Trouble> {
        let silence = self.settings.silence;
        let piece = match timeout(silence, body.next()).await {
            Ok(None) => return Ok(None),
            Ok(Some(piece)) => piece.map_err(|e| Trouble::transport(e, false))?,
            Err(_) => return Err(Trouble::silent(silence, "nothing more of the answer")),
        };
        *read += piece.len();
        if *read > self.settings.body_cap {
            let message = format!("the answer has more than {} bytes", self.settings.body_cap);
            return Err(Trouble { message, ..Trouble::default() });
        }
        Ok(Some(piece))
    }
}

impl Default for Trouble {
    fn default() -> Trouble {
        Trouble {
            class: Class::BadReply,
            status: None,
            message: String::new(),
            body_head: String::new(),
            headers: Vec::new(),
            passes: false,
            cut: false,
            left: None,
        }
    }
}

impl Trouble {
    fn silent(limit: Duration, what: &str) -> Trouble {
        let message = format!("{what} within {:.0} s", limit.as_secs_f64());
        Trouble { class: Class::Timeout, message, passes: true, ..Trouble::default() }
    }

    fn transport(error: TransportError, cut: bool) -> Trouble {
        let (class, passes) = match error {
            TransportError::Connection(_) => (Class::Connection, true),
            TransportError::Timeout(_) | TransportError::Left { .. } => (Class::Timeout, true),
            TransportError::NotRecorded(_) => (Class::NotRecorded, false),
            TransportError::Record(_) => (Class::Recording, false),
        };
        let left = if let TransportError::Left { silent } = &error { *silent } else { None };
        Trouble { class, message: error.to_string(), passes, cut, left, ..Trouble::default() }
    }
}

fn request_id(headers: &[(String, String)]) -> Option<String> {
    header(headers, "request-id").or_else(|| header(headers, "x-request-id")).map(str::to_owned)
}

fn head(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).into_owned()
}

/// Something in [0, 1) that differs from call to call; it moves waits apart and decides nothing else.
fn chance() -> f64 {
    (RandomState::new().hash_one(0) >> 11) as f64 / (1u64 << 53) as f64
}
