//! What is kept of one request and its answer, and how a request is known again: by what it asks, not by when it is
//! asked, over which connection or with which key.

use super::send::HttpRequest;
use crate::model::secret::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The version of the files. Those of [`OLDER`] are read too.
pub const FORMAT: u32 = 2;
/// In these, [`Asked::path`] is all of the URL's path, and nothing says why whoever asked has left.
pub const OLDER: u32 = 1;

/// One file of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// [`FORMAT`].
    pub format: u32,
    /// The how-manyth request that asks the same, from 0.
    pub ordinal: u32,
    pub request: Asked,
    pub response: Answered,
}

/// What was asked. No host: the same is asked of another one with another base URL. No headers but those that change
/// the answer: a key is in the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub method: String,
    /// What comes behind the base URL, with its query: the same is asked of another server, or through a gateway.
    pub path: String,
    /// Headers that change what the provider does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The body; a string where it is no JSON.
    pub body: Value,
}

/// What was answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// None where no answer began: nobody gave one (`cut`), or whoever asked left before (`left`).
    pub status: Option<u16>,
    /// Headers that whoever asks looks at.
    pub headers: Vec<(String, String)>,
    /// The body, as UTF-8.
    pub body: String,
    /// The body broke off before its end.
    pub cut: bool,
    /// Whoever asked read no further than this, so that what would have followed is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    /// How long the provider had been silent by then, in seconds, where whoever asked left of its own accord; not there
    /// where it was made to, or where that isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_sec: Option<f64>,
}

const OF_REQUEST: [&str; 2] = ["anthropic-beta", "anthropic-version"];
const OF_ANSWER: [&str; 6] =
    ["content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id"];

impl Asked {
    /// What this request asks, secrets removed.
    pub fn of(request: &HttpRequest) -> Asked {
        let text = scrub(&String::from_utf8_lossy(&request.body), &request.secrets);
        let mut headers = kept(&request.headers, &OF_REQUEST);
        headers.sort();
        Asked {
            method: request.method.clone(),
            path: scrub(&request.path, &request.secrets),
            headers,
            body: serde_json::from_str(&text).unwrap_or(Value::String(text)),
        }
    }

    /// The same request as files of [`OLDER`] have it.
    pub fn older(&self, base_url: &str) -> Asked {
        let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
        let base = rest.find('/').map_or("", |at| &rest[at..]);
        Asked { path: format!("{base}{}", self.path), ..self.clone() }
    }

    /// The name under which equal requests are kept.
    pub fn key(&self) -> String {
        let bytes = serde_json::to_vec(self).expect("it has only string keys");
        Sha256::digest(bytes).iter().take(10).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Headers of these names.
fn kept(headers: &[(String, String)], names: &[&str]) -> Vec<(String, String)> {
    let named = |(name, _): &&(String, String)| names.contains(&name.to_ascii_lowercase().as_str());
    headers.iter().filter(named).cloned().collect()
}

/// The headers of an answer that are kept.
pub fn answer_headers(headers: &[(String, String)]) -> Vec<(String, String)> {
    kept(headers, &OF_ANSWER)
}

/// A text without any of the secrets.
pub fn scrub(text: &str, secrets: &[Secret]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| secret.scrub(&text))
}
