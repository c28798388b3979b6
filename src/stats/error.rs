//! What can go wrong in this room.

/// Why a calibration gives no candidates.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text isn't a calibration at all.
    #[error("failed to parse the calibration: {0}")]
    Parse(String),
    /// Entries that can't be used; all of them.
    #[error("{} entries of the calibration can't be used\n{}", .0.len(), .0.join("\n"))]
    Entries(Vec<String>),
    /// More tasks are wanted than there are, or none.
    #[error("failed to choose {wanted} of {there} tasks")]
    Size {
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        there: usize,
    },
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Parse(_) | Error::Entries(_) => "an entry is {\"source_difficulty\": \"hard\", \"question_type\": \
                \"negation\", \"n\": 6, \"rates\": {\"MODEL\": 0.5}}; `--tasks DIR` takes difficulty and type from tasks"
                .into(),
            Error::Size { there, .. } => format!("`-k` is a number from 1 to {there}"),
        })
    }
}
