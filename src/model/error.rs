//! What can go wrong in this room before any request is sent; what happens to a request is a
//! [`Failure`](super::Failure).

use crate::spelling::closest;
use std::path::PathBuf;

/// Why a model can't be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name says no provider, and no server is named either.
    #[error("the name `{model}` does not say which provider has this model")]
    UnknownModel {
        /// The name.
        model: String,
    },
    /// No key for a provider that wants one.
    #[error("model `{model}` needs a key, and `{variable}` is not set")]
    NoKey {
        /// The model.
        model: String,
        /// The variable with the key.
        variable: &'static str,
        /// The variable with the base URL.
        url_variable: &'static str,
    },
    /// A base URL that is none.
    #[error("`{variable}` is `{url}`, which is no http or https URL")]
    BaseUrl {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        url: String,
    },
    /// The HTTP client can't be made.
    #[error("failed to set up HTTPS: {0}")]
    Tls(String),
    /// A file or folder of this room can't be read or written.
    #[error("failed to {verb} `{path}`: {source}")]
    Io {
        /// What was tried.
        verb: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("failed to parse `{path}`: {why}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A folder to record into holds a recording.
    #[error(
        "`{path}` holds a recording already ({exchanges} exchange{}), whose answers would be played first",
        if *exchanges == 1 { "" } else { "s" }
    )]
    Recorded {
        /// The folder.
        path: PathBuf,
        /// How many exchanges it holds.
        exchanges: usize,
    },
    /// A folder to play back from holds no recordings.
    #[error("`{path}` holds no recordings")]
    NoRecordings {
        /// The folder.
        path: PathBuf,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::UnknownModel { model } => Some(meant(model).unwrap_or_else(|| {
                "write `anthropic/NAME`, `openai/NAME` or `openai-responses/NAME`; for an OpenAI-compatible server set \
                 `OPENAI_BASE_URL`, for instance to `http://127.0.0.1:8000/v1`"
                    .to_owned()
            })),
            Error::NoKey { variable, url_variable, .. } => {
                Some(format!("set `{variable}`; a server that wants no key is named by `{url_variable}`"))
            }
            Error::BaseUrl { .. } => Some("write it as `http://127.0.0.1:8000/v1`".to_owned()),
            Error::Tls(_) => Some("the system's root certificates are needed: install `ca-certificates`".to_owned()),
            Error::NoRecordings { .. } => Some("make them with `--record DIR`".to_owned()),
            Error::Recorded { path, .. } => Some(format!(
                "name a new folder, or remove that one; only `seatrial resume JOBDIR --record {}` adds to it",
                path.display()
            )),
            Error::Io { .. } | Error::Parse { .. } => None,
        }
    }
}

/// The model that was meant, where only its provider is misspelt.
fn meant(model: &str) -> Option<String> {
    let (provider, name) = model.split_once('/').filter(|(_, name)| !name.is_empty())?;
    let provider = closest(provider, ["anthropic", "openai", "openai-responses"])?;
    Some(format!("did you mean `{provider}/{name}`?"))
}
