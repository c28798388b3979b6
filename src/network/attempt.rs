//! The evidence: one record for each stream that an agent opened and each name that it was denied. Types only; who
//! keeps them, and in which form, is not known here.

use super::Decision;
use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

/// One attempt to reach something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub at: SystemTime,
    /// The phase in which it began, in the caller's words.
    pub phase: String,
    /// The host that was asked for: printable ASCII, shortened if it was longer than any name.
    pub host: String,
    /// The port; none for a name that was refused when it was looked up.
    pub port: Option<u16>,
    /// The address that was dialled last, if any was.
    pub address: Option<SocketAddr>,
    /// Allowed or denied, and why. A stream that was allowed and then sent what it may not is denied.
    pub decision: Decision,
    /// How it ended.
    pub end: End,
    /// Bytes that the agent's side sent on.
    pub up: u64,
    /// Bytes that it was sent.
    pub down: u64,
    /// From its beginning to its end.
    pub duration: Duration,
    /// The request, where a service of the runner sent one on for the agent or refused to.
    pub request: Option<Request>,
}

/// A request that a service of the runner saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its path: printable ASCII, shortened.
    pub path: String,
    /// The status of what the agent was answered; none where it left before.
    pub status: Option<u16>,
}

/// How an attempt ended. `Display` gives words for people, [`End::code`] a word for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It was denied.
    Denied,
    /// Both sides had sent their end.
    Closed,
    /// One side broke it off; says which.
    Broken(&'static str),
    /// The name did not resolve; the resolver's words.
    Unresolved(String),
    /// No address of the host answered; the system's words.
    Unreachable(String),
    /// Nothing moved for the longest idle time.
    Idle,
    /// The trial had moved as many bytes as it may.
    Bytes,
    /// A new phase's policy does not permit it.
    Switched,
    /// The trial was over.
    TrialOver,
}

impl End {
    /// One word for programs that read the evidence; never changes.
    pub fn code(&self) -> &'static str {
        match self {
            End::Denied => "denied",
            End::Closed => "closed",
            End::Broken(_) => "broken",
            End::Unresolved(_) => "unresolved",
            End::Unreachable(_) => "unreachable",
            End::Idle => "idle",
            End::Bytes => "bytes",
            End::Switched => "switched",
            End::TrialOver => "trial_over",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Denied => write!(f, "denied"),
            End::Closed => write!(f, "closed"),
            End::Broken(side) => write!(f, "broken off by {side}"),
            End::Unresolved(why) => write!(f, "did not resolve: {why}"),
            End::Unreachable(why) => write!(f, "did not answer: {why}"),
            End::Idle => write!(f, "idle for too long"),
            End::Bytes => write!(f, "too many bytes in one trial"),
            End::Switched => write!(f, "closed by the next phase's policy"),
            End::TrialOver => write!(f, "closed with the trial"),
        }
    }
}

impl Attempt {
    /// A request that a service sent on to `host` for the agent, or refused, beginning `at`.
    pub fn request(
        at: SystemTime,
        phase: &str,
        host: &str,
        port: u16,
        decision: Decision,
        request: Request,
    ) -> Attempt {
        let end = if decision.allowed { End::Closed } else { End::Denied };
        let request = Request { path: printable(&request.path), ..request };
        Attempt { at, end, request: Some(request), ..Attempt::begin(phase, host, Some(port), decision) }
    }

    /// An attempt that begins now. Until something else is said, it ends as denied, or with its trial.
    pub(super) fn begin(phase: &str, host: &str, port: Option<u16>, decision: Decision) -> Attempt {
        let end = if decision.allowed { End::TrialOver } else { End::Denied };
        Attempt {
            at: SystemTime::now(),
            phase: phase.to_owned(),
            host: printable(host),
            port,
            address: None,
            decision,
            end,
            up: 0,
            down: 0,
            duration: Duration::ZERO,
            request: None,
        }
    }
}

/// Untrusted text as evidence shows it: no control character, no more than a host name has.
pub(super) fn printable(text: &str) -> String {
    let mut shown: String = text.chars().take(256).flat_map(char::escape_default).collect();
    shown.truncate(256);
    shown
}
