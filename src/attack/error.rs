//! What keeps the attacks from being tried at all. What came of one is a finding.

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The servers that the attacks need can't be had.
    #[error("failed to start the {what} for the attacks: {why}")]
    Server {
        /// Which of them.
        what: &'static str,
        /// The system's words.
        why: String,
    },
    /// A sandbox did not open, run or close.
    #[error(transparent)]
    Sandbox(#[from] crate::sandbox::Error),
    /// The attackers' policy can't be applied.
    #[error(transparent)]
    Network(#[from] crate::network::Error),
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Server { .. } => Some("`seatrial doctor` without `--network` needs no servers".to_owned()),
            Error::Sandbox(e) => e.hint(),
            Error::Network(e) => e.hint(),
        }
    }
}
