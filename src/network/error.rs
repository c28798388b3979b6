//! What is wrong with what a user asks of the network. What happens to one stream is no error: it is an attempt.

/// What can go wrong in this room.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An entry of an allowlist can't be applied as it stands.
    #[error("the allowlist's entry `{entry}` {why}")]
    Entry {
        /// The entry.
        entry: String,
        /// What is wrong, as a fragment that reads after it.
        why: String,
    },
    /// A port can't be listed.
    #[error("port `{0}` can't be listed")]
    Port(u16),
    /// A name that the user maps to a server of his own is none.
    #[error("the mapped host `{name}` {why}")]
    Mapped {
        /// The name.
        name: String,
        /// What is wrong, as a fragment that reads after it.
        why: String,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Entry { .. } => {
                Some("an entry is a name, `*.` and a name, an address, or a network such as `10.0.0.0/8`".to_owned())
            }
            Error::Port(_) => Some("ports are numbers from 1 to 65535".to_owned()),
            Error::Mapped { .. } => Some("map names without `*`, such as `model.internal: 127.0.0.1:8000`".to_owned()),
        }
    }
}
