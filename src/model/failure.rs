//! A request that got no reply, after all retries: what kind of trouble it was, and enough to act on it. A class says
//! whose trouble it is, so that a provider's is never taken for an agent's.

use super::endpoint::Api;
use super::secret::Secret;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The provider says that too much is asked of it by this key (429).
    Throttled,
    /// The provider is overloaded or broken (529, 5xx, 408, 409).
    Overloaded,
    /// The key is missing or wrong (401).
    Authentication,
    /// The provider does not allow this: the key, the model or the place (403).
    Forbidden,
    /// No money (402, an exhausted quota).
    Billing,
    /// The provider can't read or won't take the request (400, 422).
    BadRequest,
    /// No such model or path (404).
    NotFound,
    /// The conversation is longer than the model or the provider takes (413 and 400s that say so).
    ContextExceeded,
    /// The provider's policy forbids the content, before any reply.
    Refused,
    /// No answer, or silence within one, for longer than allowed.
    Timeout,
    /// The provider can't be reached, or the connection broke.
    Connection,
    /// What came is no reply: not the format, not UTF-8, over the cap.
    BadReply,
    /// Played back, and never recorded.
    NotRecorded,
    /// The recording can't be kept here.
    Recording,
}

impl Class {
    /// The class as a word; the same as the stored one.
    pub fn word(self) -> &'static str {
        match self {
            Class::Throttled => "throttled",
            Class::Overloaded => "overloaded",
            Class::Authentication => "authentication",
            Class::Forbidden => "forbidden",
            Class::Billing => "billing",
            Class::BadRequest => "bad_request",
            Class::NotFound => "not_found",
            Class::ContextExceeded => "context_exceeded",
            Class::Refused => "refused",
            Class::Timeout => "timeout",
            Class::Connection => "connection",
            Class::BadReply => "bad_reply",
            Class::NotRecorded => "not_recorded",
            Class::Recording => "recording",
        }
    }

    /// True where the next request with the same key or model must fail alike, so that going on is of no use.
    pub fn is_lasting(self) -> bool {
        matches!(self, Class::Authentication | Class::Forbidden | Class::Billing | Class::NotFound)
    }

    /// True where the request itself was wrong, for whoever wrote it: an agent in a container writes its own.
    pub fn is_own_doing(self) -> bool {
        self.is_askers_own() || matches!(self, Class::BadRequest | Class::NotFound)
    }

    /// True where the conversation itself brought it about: the asking agent's own outcome, no fault of a provider.
    pub fn is_askers_own(self) -> bool {
        matches!(self, Class::ContextExceeded | Class::Refused)
    }
}

/// A request that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.line())]
pub struct Failure {
    /// What kind of trouble.
    pub class: Class,
    /// The interface that was asked.
    pub api: Api,
    /// The host that was asked.
    pub host: String,
    /// The last HTTP status, where one came.
    pub status: Option<u16>,
    /// What the provider, or the system, said; one line.
    pub message: String,
    /// The beginning of the last answer's body, keys removed.
    pub body_head: String,
    /// The provider's id of the last request.
    pub request_id: Option<String>,
    /// How many times it was tried.
    pub attempts: u32,
    /// How many of the tries may be billed though nobody said what they used, as in [`crate::model::Reply::untold`].
    pub untold: u32,
    /// How long all of it took, waits included.
    pub elapsed: Duration,
}

/// How much of a body is kept.
pub(super) const HEAD: usize = 2000;

impl Failure {
    fn line(&self) -> String {
        let status = self.status.map(|status| format!(" ({status})")).unwrap_or_default();
        // Nobody was asked.
        let is_played = self.class == Class::NotRecorded;
        let who = if is_played { "what models say".to_owned() } else { format!("`{}`", self.host) };
        let mut line = format!("{who} {}{status}", self.what());
        if !self.message.is_empty() {
            line.push_str(&format!(": {}", self.message));
        }
        if self.attempts > 1 {
            line.push_str(&format!(", after {} tries in {:.0} s", self.attempts, self.elapsed.as_secs_f64()));
        }
        if let Some(id) = &self.request_id {
            line.push_str(&format!(" (request `{id}`)"));
        }
        line
    }

    fn what(&self) -> &'static str {
        match self.class {
            Class::Throttled => "asks for fewer requests",
            Class::Overloaded => "is overloaded or broken",
            Class::Authentication => "does not accept the key",
            Class::Forbidden => "does not allow this request",
            Class::Billing => "says that the account has no money left",
            Class::BadRequest => "does not accept the request",
            Class::NotFound => "does not have this model or path",
            Class::ContextExceeded => "says that the conversation is too long",
            Class::Refused => "refuses the content",
            Class::Timeout => "did not answer in time",
            // A status came, so it was reached.
            Class::Connection if self.status.is_some() => "broke off its answer",
            Class::Connection => "can't be reached",
            Class::BadReply => "sent no reply that can be read",
            Class::Recording => "was not asked",
            Class::NotRecorded => "is played back, and this request was never recorded",
        }
    }

    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        let (key, base_url, _) = self.api.variables();
        Some(match self.class {
            Class::Throttled => "run fewer trials at once: `-n`".to_owned(),
            Class::Authentication => format!("look at the key in `{key}`"),
            Class::Forbidden => "look at what the provider allows this key and this model".to_owned(),
            Class::NotFound => format!("look at the model's name, and at the base URL if you set one (`{base_url}`)"),
            Class::Connection => format!("`{base_url}` names another server"),
            Class::NotRecorded => "record again with `--record DIR`: something in the request has changed".to_owned(),
            _ => return None,
        })
    }

    /// Takes a key out of everything that was said.
    pub(super) fn scrubbed(mut self, key: Option<&Secret>) -> Failure {
        if let Some(key) = key {
            self.message = key.scrub(&self.message);
            self.body_head = key.scrub(&self.body_head);
        }
        self
    }
}
