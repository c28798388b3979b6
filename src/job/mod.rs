//! (to come)

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Placeholder.
    #[error("not built yet")]
    Placeholder,
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        None
    }
}
