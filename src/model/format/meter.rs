//! What an answer used, read beside its way to somebody else: any pieces of its body in, usage out.

use super::parts::usage;
use super::{Events, Gather};
use crate::model::endpoint::Api;
use crate::model::usage::Usage;
use serde_json::Value;

/// Reads usage from an answer that is passed on. What can't be read leaves the usage unknown and stops nothing.
#[derive(Debug)]
pub struct Meter {
    api: Api,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Whole(Vec<u8>),
    Stream(Events, Gather),
    /// Over the cap, or no event stream.
    Lost,
}

/// How much of a whole body is kept.
const CAP: usize = 64 << 20;

impl Meter {
    /// For one answer; `content_type` is its header's value.
    pub fn new(api: Api, content_type: Option<&str>) -> Meter {
        let stream = content_type.is_some_and(|value| value.trim_start().starts_with("text/event-stream"));
        let body = if stream { Body::Stream(Events::default(), Gather::new(api)) } else { Body::Whole(Vec::new()) };
        Meter { api, body }
    }

    /// The next piece of the body, cut anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        match &mut self.body {
            Body::Whole(whole) if whole.len() + piece.len() <= CAP => whole.extend_from_slice(piece),
            Body::Stream(events, gather) => match events.push(piece) {
                // The provider's error is for whoever reads the answer.
                Ok(events) => events.iter().for_each(|data| drop(gather.push(data))),
                Err(_) => self.body = Body::Lost,
            },
            Body::Whole(_) | Body::Lost => self.body = Body::Lost,
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
    /// that broke off has said what it used until then.
    pub fn usage(&self) -> Option<Usage> {
        usage(self.api, &self.head()?)
    }

    /// The model that the provider says it was.
    pub fn model(&self) -> Option<String> {
        self.head()?["model"].as_str().map(str::to_owned)
    }
}
