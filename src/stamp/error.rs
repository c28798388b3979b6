//! What can go wrong in this room: one variant per verb.

use crate::task::missing_hint;
use std::path::PathBuf;

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read.
    #[error("failed to read `{path}`: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The calibration isn't a file of that kind.
    #[error("failed to parse `{path}`: {message}")]
    Parse {
        /// Which file.
        path: PathBuf,
        /// What is wrong, with the line where it is known.
        message: String,
    },
    /// The audit isn't a file of that kind.
    #[error("failed to read an audit from `{path}`: {message}")]
    Audit {
        /// Which file.
        path: PathBuf,
        /// What is wrong, with the line where it is known.
        message: String,
    },
    /// Some entries of the file can't be used; all of them.
    #[error("nothing was stamped: `{path}` has entries that can't be used\n{}", .entries.join("\n"))]
    BadEntries {
        /// The file.
        path: PathBuf,
        /// One line per entry.
        entries: Vec<String>,
    },
    /// Some task files can't be edited; all of them.
    #[error("nothing was stamped: some tasks can't be edited\n{}", .tasks.join("\n"))]
    BadTasks {
        /// One line per task.
        tasks: Vec<String>,
    },
    /// Not one entry belongs to a task of the dataset.
    #[error("nothing was stamped: no entry of `{path}` belongs to a task in `{dataset}`")]
    NoneBelongs {
        /// The file of entries.
        path: PathBuf,
        /// The dataset.
        dataset: PathBuf,
    },
    /// The dataset can't be read.
    #[error(transparent)]
    Dataset(#[from] crate::task::Error),
    /// A task file can't be written.
    #[error("failed to write `{path}`: {source}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Read { path, source } => missing_hint(path, source),
            Error::BadTasks { .. } => None,
            Error::Parse { .. } => {
                Some("a calibration is JSON of the form {\"tasks\": {\"<task>\": {\"tier\": \"easy\"}}}".into())
            }
            Error::Audit { .. } => Some("`seatrial audit --format json > FILE` writes such a file".into()),
            Error::BadEntries { .. } => {
                Some("an id is a task folder's name; tiers are `easy`, `medium`, `hard`".into())
            }
            Error::NoneBelongs { .. } => Some("its ids must be the names of the task folders".into()),
            Error::Dataset(e) => e.hint(),
            Error::Write { .. } => Some("tasks before it are stamped; run the same command again".into()),
        }
    }
}
