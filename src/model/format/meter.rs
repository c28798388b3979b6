//! What an answer used, read beside its way to somebody else: any pieces of its body in, usage out.

use super::parts::{read, usage};
use super::trouble::{classify, within};
use super::{Events, Gather};
use crate::model::endpoint::Api;
use crate::model::failure::Class;
use crate::model::reply::Stop;
use crate::model::usage::Usage;
use serde_json::Value;

/// Reads usage from an answer that is passed on. What can't be read leaves the usage unknown and stops nothing.
#[derive(Debug)]
pub struct Meter {
    api: Api,
    body: Body,
    /// Bytes of the body so far.
    seen: usize,
    /// The error that the stream held; one for which the conversation itself is to blame stands.
    error: Option<(Class, String)>,
}

#[derive(Debug)]
enum Body {
    Whole(Vec<u8>),
    Stream(Events, Box<Gather>),
    /// Over the cap, or no event stream.
    Lost,
}

/// How much of a body is read, in bytes.
const CAP: usize = 64 << 20;

impl Meter {
    /// For one answer; `content_type` is its header's value.
    pub fn new(api: Api, content_type: Option<&str>) -> Meter {
        let stream = content_type.is_some_and(|value| value.trim_start().starts_with("text/event-stream"));
        let body =
            if stream { Body::Stream(Events::default(), Box::new(Gather::new(api))) } else { Body::Whole(Vec::new()) };
        Meter { api, body, seen: 0, error: None }
    }

    /// The next piece of the body, cut anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        self.seen = self.seen.saturating_add(piece.len());
        match &mut self.body {
            _ if self.seen > CAP => self.body = Body::Lost,
            Body::Whole(whole) => whole.extend_from_slice(piece),
            Body::Stream(events, gather) => match events.push(piece) {
                // What is in the stream is for whoever reads the answer; that it is an error is kept.
                Ok(events) => {
                    let errors = events.iter().filter_map(|data| gather.push(data).err());
                    for class in errors.map(|error| classify(None, &error).0) {
                        if self.error.as_ref().is_none_or(|(before, _)| !before.is_own_doing()) {
                            self.error = Some((class, format!("broke off its answer: {}", class.word())));
                        }
                    }
                }
                Err(error) => {
                    self.body = Body::Lost;
                    let why = format!("sent no event stream that can be read: {error}");
                    self.error.get_or_insert((Class::BadReply, why));
                }
            },
            Body::Lost => {}
        }
    }

    fn head(&self) -> Option<Value> {
        match &self.body {
            Body::Whole(whole) => serde_json::from_slice(whole).ok(),
            Body::Stream(_, gather) => Some(gather.head().clone()),
            Body::Lost => None,
        }
    }

    /// What it used; `None` where the answer has not said it: that is unknown, not nothing. Ask at the end. A stream
    /// that broke off has said what it used until then: not all, see [`Meter::says_all`].
    pub fn usage(&self) -> Option<Usage> {
        usage(self.api, &self.head()?)
    }

    /// True where `usage` is all of it, not only what a stream said before it broke off or its reader left.
    pub fn says_all(&self) -> bool {
        let is_whole = match &self.body {
            Body::Stream(_, gather) => gather.has_ended() || gather.is_whole(),
            Body::Whole(_) | Body::Lost => true,
        };
        is_whole && self.usage().is_some()
    }

    /// True once the stream has said an error.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// What is wrong with the answer: it is no reply, the same that a client of ours takes for none, or one in which the
    /// model won't or can't go on. Its class says whose doing that is. Until it has `ended`, only what the provider has
    /// said itself.
    pub fn failure(&self, ended: bool) -> Option<(Class, String)> {
        let unreadable = |why: &str| Some((Class::BadReply, format!("sent no reply that can be read: {why}")));
        match &self.body {
            _ if self.error.is_some() => self.error.clone(),
            Body::Stream(_, gather) if gather.has_ended() || gather.is_whole() => {
                let reply = gather.as_ref().clone().finish().0;
                read(self.api, &reply).ok().and_then(|parts| stopped(&parts.stop))
            }
            Body::Stream(..) if ended => {
                Some((Class::Connection, "broke off its answer: the stream ended before the reply".to_owned()))
            }
            // Events under another name are for whoever asked to read.
            Body::Whole(whole) if ended && !whole.starts_with(b"data:") && !whole.starts_with(b"event:") => {
                match serde_json::from_slice(whole) {
                    Err(_) => unreadable("no JSON"),
                    Ok(reply) => match (within(&reply), read(self.api, &reply)) {
                        (Some((class, message)), _) => {
                            Some((class, format!("answered an error, {}: {message}", class.word())))
                        }
                        (None, Err(why)) => unreadable(&why),
                        (None, Ok(parts)) => stopped(&parts.stop),
                    },
                }
            }
            _ => None,
        }
    }

    /// The reply, as far as it came: its JSON, and the events of it that nobody knew. `None` where it can't be read.
    pub fn reply(self) -> Option<(Value, Vec<Value>)> {
        match self.body {
            Body::Whole(whole) => Some((serde_json::from_slice(&whole).ok()?, Vec::new())),
            Body::Stream(_, gather) => Some(gather.finish()),
            Body::Lost => None,
        }
    }
}

/// A reply after which the conversation can't go on.
fn stopped(stop: &Stop) -> Option<(Class, String)> {
    let class = match stop {
        Stop::Refusal { .. } => Class::Refused,
        Stop::ContextExceeded => Class::ContextExceeded,
        _ => return None,
    };
    Some((class, format!("stopped: {}", class.word())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stream_has_said_before_its_end_is_not_all_that_it_used() {
        let start = r#"data: {"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}"#;
        let end = r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":900}}"#;
        let mut meter = Meter::new(Api::Messages, Some("text/event-stream; charset=utf-8"));
        meter.push(format!("{start}\n\n").as_bytes());
        assert_eq!((meter.usage().map(|usage| usage.output), meter.says_all()), (Some(1), false));
        meter.push(format!("{end}\n\ndata: {{\"type\":\"message_stop\"}}\n\n").as_bytes());
        assert_eq!((meter.usage().map(|usage| usage.output), meter.says_all()), (Some(900), true));
    }
}
