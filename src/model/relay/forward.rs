//! One request on its way: checked, sent on with the real key, and its answer passed back piece by piece. Whose failure
//! it is when it fails is decided here, once.

use super::answer::{Body, Refusal};
use super::call::{Call, SILENCE};
use super::heard::Asked;
use super::route::{Route, route, way_out};
use super::trial::{Halt, TrialRelay};
use crate::model::format::classify;
use crate::model::{Api, Class, HttpRequest, HttpResponse, Meter, Secret, TransportError};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response, header};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The largest request, in bytes; providers take no more.
const REQUEST: usize = 32 << 20;
/// How much of an answer that says an error is passed on, in bytes.
const ERROR: usize = 1 << 20;

/// Headers that are sent on: those that say how the body is to be read. What names an account, an organisation or a
/// project is ours to say, like the key. What the official clients say of themselves may pass too.
const SENT_ON: [&str; 6] =
    ["accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent"];
const OF_CLIENTS: &str = "x-stainless-";

impl TrialRelay {
    /// The answer to one request of the agent.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let api = self.relay.endpoint.api;
        let (parts, body) = request.into_parts();
        let mut call = Call::begin(Arc::clone(&self), parts.uri.path());
        match self.sent_on(&parts, body, &mut call).await {
            Ok(response) => {
                call.called.status = Some(response.status);
                self.passed_back(response, call).await
            }
            Err(refusal) => {
                call.called.status = Some(refusal.status);
                if !call.sent {
                    call.called.refused = Some(refusal.message.clone());
                }
                call.ended = true;
                refusal.answer(api)
            }
        }
    }

    /// The provider's answer, its body still to come.
    async fn sent_on(&self, parts: &Parts, body: Incoming, call: &mut Call) -> Result<HttpResponse, Refusal> {
        let endpoint = &self.relay.endpoint;
        if !self.is_token(token(&parts.headers)) {
            return Err(Refusal::new(401, "wrong_token", "the key is not this trial's token"));
        }
        let (method, path, query) = (parts.method.as_str(), parts.uri.path(), parts.uri.query());
        let Some(Route { rest, form }) = route(endpoint.api, method, path, query) else {
            let what = format!("`{method} {path}` is not among the requests that are sent on to `{}`", endpoint.host());
            return Err(Refusal::new(403, "path_not_allowed", what));
        };
        // Before the body is read: what a trial's requests take of this machine's memory is bounded.
        call.turn = Arc::clone(&self.turns).acquire_owned().await.ok();
        let body = Limited::new(body, REQUEST).collect().await;
        let body =
            body.map_err(|e| Refusal::new(413, "request_too_large", format!("the request can't be read: {e}")))?;
        let body = body.to_bytes();
        call.called.up = body.len() as u64;
        if method == "POST" {
            self.look_into(&body, form, call)?;
        }
        // Who needs no more may end: the job stops when somebody does.
        if let Some(why) = self.purse.job.over() {
            self.halt(Halt::Spent(why.clone()));
            return Err(Refusal::new(403, "job_over_cap", why));
        }
        self.admit(call.model.as_deref()).map_err(|over| {
            Refusal::new(403, "trial_over_cap", format!("this trial may use {over} of models, and has used them"))
        })?;
        call.sent = true;
        call.form = form;
        let request = HttpRequest {
            method: method.to_owned(),
            base_url: endpoint.base_url.clone(),
            path: rest,
            headers: self.headers(&parts.headers),
            body,
            secrets: self.secrets(),
            leaves: self.leaves.clone(),
        };
        let failed = |class: Class, why: String, call: &mut Call| {
            call.fails(class, why.as_str());
            Refusal::new(502, "provider_not_reached", format!("`{}` {why}", endpoint.host()))
        };
        call.waits = Some(Instant::now());
        let response = timeout(SILENCE, self.relay.transport.send(&request)).await;
        if let Ok(Err(TransportError::Left { silent })) = &response {
            call.held(*silent).await;
        }
        call.waits = None;
        let response = match response {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_of_recording() => {
                return Err(Refusal::new(400, "recording", call.recording_failed(&error)));
            }
            Ok(Err(TransportError::Left { .. })) | Err(_) => {
                let why = format!("gave no answer for {} s", SILENCE.as_secs());
                return Err(failed(Class::Timeout, why, call));
            }
            Ok(Err(error)) => return Err(failed(Class::Connection, format!("can't be reached: {error}"), call)),
        };
        if (200..300).contains(&response.status) {
            // What a provider packs though it was asked not to can't be read on its way.
            let plain = value(&response, "content-encoding").is_none_or(|encoding| encoding == "identity");
            call.meter = form.filter(|_| plain).map(|form| Meter::new(form, value(&response, "content-type")));
            call.length = value(&response, "content-length").and_then(|length| length.parse().ok());
        }
        Ok(response)
    }

    /// What the request itself says: the model, and what must not be sent on. `form` is `None` where it uses no tokens.
    fn look_into(&self, bytes: &[u8], form: Option<Api>, call: &mut Call) -> Result<(), Refusal> {
        let body: Value = serde_json::from_slice(bytes)
            .map_err(|e| Refusal::new(400, "not_json", format!("the request is not JSON: {e}")))?;
        if let Some(what) = way_out(&body) {
            let why = format!("{what} would reach outside the sandbox, so the request is not sent on");
            return Err(Refusal::new(403, "hosted_tool", why));
        }
        let Some(form) = form else { return Ok(()) };
        call.model = body.get("model").and_then(Value::as_str).map(|model| model.chars().take(100).collect());
        call.asked = Some(Asked::of(form, &body, bytes.len()));
        let says = |at: &str| body.pointer(at).and_then(Value::as_bool) == Some(true);
        let counted = form != Api::Chat || !says("/stream") || says("/stream_options/include_usage");
        if !counted && (self.relay.caps.need_usage() || self.purse.job.is_capped()) {
            let why = "a cap on tokens or cost holds, so a stream has to say what it used: set \
                       `stream_options.include_usage`";
            return Err(Refusal::new(400, "usage_needed", why));
        }
        let model = call.model.as_deref().unwrap_or_default();
        let priced = || self.relay.prices.cost(model, &Default::default()).is_some();
        if (self.relay.caps.cost.is_some() || self.purse.job.is_capped()) && !priced() {
            let why = format!("a cap on cost holds, and the price of `{model}` isn't known");
            return Err(Refusal::new(403, "price_needed", why));
        }
        Ok(())
    }

    /// The agent's headers, with the real key.
    fn headers(&self, given: &HeaderMap) -> Vec<(String, String)> {
        let own = self.relay.endpoint.headers();
        let passes = |name: &str| SENT_ON.contains(&name) || name.starts_with(OF_CLIENTS);
        let sent_on = given.iter().filter(|(name, _)| passes(name.as_str()));
        let text = |value: &header::HeaderValue| value.to_str().ok().map(str::to_owned);
        let mut headers: Vec<(String, String)> =
            sent_on.filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?))).collect();
        // What the agent says of the format's version counts.
        headers.extend(own.into_iter().filter(|(name, _)| !given.contains_key(name) || !passes(name)));
        headers.push(("accept-encoding".to_owned(), "identity".to_owned()));
        headers
    }

    /// The answer as it comes; one that says an error whole, so that whose doing it is can be seen.
    async fn passed_back(&self, response: HttpResponse, mut call: Call) -> Response<Body> {
        let api = self.relay.endpoint.api;
        let mut answer = Response::builder().status(response.status);
        let fine = (200..300).contains(&response.status);
        // The length of what is read whole is found anew.
        let passed = |name: &str| name != "set-cookie" && (fine || name != "content-length");
        for (name, value) in response.headers.iter().filter(|(name, _)| passed(name)) {
            answer = answer.header(name, value);
        }
        let broken = |_| Refusal::new(502, "bad_answer", "the provider's answer can't be passed on").answer(api);
        if !fine {
            let (body, whole) = read_error(response.body).await;
            call.passes(&body);
            call.ended = true;
            let key = self.relay.endpoint.key.as_ref();
            if self.blame(response.status, &body, whole, &mut call) == Class::Authentication {
                // Its words may hold a part of the key.
                let why = "the provider refused the runner's key";
                return Refusal::new(response.status, "key_refused", why).answer(api);
            }
            let body = key.map_or_else(|| body.clone(), |key| scrubbed(&body, key));
            return answer.body(Full::new(body).map_err(|never| match never {}).boxed_unsync()).unwrap_or_else(broken);
        }
        let stream = futures_util::stream::unfold((response.body, call), |(mut body, mut call)| async move {
            // Where the agent leaves, this is dropped in the midst of waiting, or while the agent was to take what came.
            call.waits = Some(Instant::now());
            let next = timeout(SILENCE, body.next()).await;
            if let Ok(Some(Err(TransportError::Left { silent }))) = &next {
                call.held(*silent).await;
            }
            call.waits = None;
            let (class, error) = match next {
                Ok(None) => {
                    call.ends();
                    return None;
                }
                Ok(Some(Ok(piece))) => {
                    call.passes(&piece);
                    return Some((Ok(Frame::data(piece)), (body, call)));
                }
                Ok(Some(Err(TransportError::Left { .. }))) | Err(_) => {
                    (Class::Timeout, format!("was silent in its answer for {} s", SILENCE.as_secs()))
                }
                Ok(Some(Err(error))) => {
                    if error.is_of_recording() {
                        call.recording_failed(&error);
                    }
                    (Class::Connection, format!("broke off its answer: {error}"))
                }
            };
            call.fails(class, error.as_str());
            Some((Err(std::io::Error::other(error)), (body, call)))
        });
        answer.body(BodyExt::boxed_unsync(StreamBody::new(stream))).unwrap_or_else(broken)
    }

    /// Whose fault an answer with this status is, and of which class. What is wrong with the request itself is the agent's.
    fn blame(&self, status: u16, body: &[u8], whole: bool, call: &mut Call) -> Class {
        let endpoint = &self.relay.endpoint;
        let host = endpoint.host();
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        let (class, message) = classify(Some(status), &body);
        // A model that has answered is there and allowed: then it is something else in the request that isn't.
        let wanted = call.model.as_deref().is_some_and(|model| model == endpoint.model)
            && !self.relay.answered.load(Ordering::Relaxed);
        let names = message.contains(&endpoint.model) || body["error"]["code"] == "model_not_found";
        let lasting = match class {
            Class::NotFound => wanted && names,
            Class::Forbidden => wanted,
            _ => !class.is_own_doing(),
        };
        if whole && !lasting {
            // The request's own doing.
            call.own_doing = Some(class);
            return class;
        }
        call.fails(class, format!("answered {status}, {}", class.word()));
        if class == Class::Billing {
            self.halt(Halt::Refused(format!("`{host}` says that the account has no money left (status {status})")));
        } else if class == Class::Authentication {
            let (variable, ..) = endpoint.api.variables();
            self.halt(Halt::Refused(format!("`{host}` refused the key in `{variable}` (status {status})")));
        } else if class == Class::NotFound && lasting {
            self.halt(Halt::Refused(format!("`{host}` has no model `{}` (status 404)", endpoint.model)));
        } else if class == Class::Forbidden && lasting {
            let model = &endpoint.model;
            self.halt(Halt::Refused(format!("`{host}` does not allow this key the model `{model}` (status 403)")));
        }
        class
    }
}

/// What the agent's client sent as its key.
fn token(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
    headers.get("x-api-key").and_then(|value| value.to_str().ok()).or(bearer)
}

fn value<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

/// A body that says an error, as far as it came within the cap, and whether that is all of it.
async fn read_error(mut body: crate::model::Body) -> (Bytes, bool) {
    let mut all = BytesMut::new();
    loop {
        match timeout(Duration::from_secs(60), body.next()).await {
            Ok(Some(Ok(piece))) if all.len() + piece.len() <= ERROR => all.extend_from_slice(&piece),
            Ok(None) => return (all.freeze(), true),
            _ => return (all.freeze(), false),
        }
    }
}

fn scrubbed(body: &Bytes, key: &Secret) -> Bytes {
    match std::str::from_utf8(body) {
        Ok(text) => Bytes::from(key.scrub(text)),
        // No error of a provider's is anything but text.
        Err(_) => Bytes::new(),
    }
}
