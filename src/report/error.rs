//! What can go wrong when a report is shown or written.

use std::io;
use std::path::PathBuf;

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The report's file can't be written.
    #[error(transparent)]
    File(#[from] crate::results::Error),
    /// The report's file is to be in a folder that isn't there.
    #[error("failed to write `{}`: there is no folder `{}`", file.display(), folder.display())]
    NoFolder {
        /// The file.
        file: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Standard output does not take the report.
    #[error("failed to write the report to standard output: {0}")]
    Stdout(#[source] io::Error),
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::File(_) | Error::NoFolder { .. } => {
                Some("`-o` wants a file in a folder that exists and can be written".into())
            }
            Error::Stdout(_) => Some("`-o FILE` writes the report to a file".into()),
        }
    }
}
