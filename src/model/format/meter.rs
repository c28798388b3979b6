//! What an answer used, read beside its way to somebody else: any pieces of its body in, usage out.

use crate::model::endpoint::Api;
use crate::model::usage::Usage;

/// Reads usage from an answer that is passed on.
#[derive(Debug)]
pub struct Meter {
    api: Api,
    usage: Option<Usage>,
    model: Option<String>,
}

impl Meter {
    /// For one answer; `content_type` is its header's value.
    pub fn new(api: Api, _content_type: Option<&str>) -> Meter {
        Meter { api, usage: None, model: None }
    }

    /// The next piece of the body, cut anywhere.
    pub fn push(&mut self, _piece: &[u8]) {
        let _ = self.api;
    }

    /// What it used so far; `None` where the answer has not said it: that is unknown, not nothing. Ask at the end.
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    /// The model that the provider says it was.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}
