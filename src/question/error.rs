//! What can go wrong in this room: records that can't be read, plans that can't be understood.

use std::path::PathBuf;

/// Why records or plans can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// One of the ten files is not among the documents.
    #[error("no document `{name}`")]
    NoRecords {
        /// Its name.
        name: String,
    },
    /// A file departs from the grammar.
    #[error("`{}`, line {line}: {why}", path.display())]
    Record {
        /// Which.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// A plan can't be understood.
    #[error("the plan `{text}` can't be read: {why}")]
    Plan {
        /// The plan.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Read { .. } | Error::Record { .. } | Error::Plan { .. } => None,
            Error::NoRecords { .. } => Some(
                "keys can be proved over corpora of ten files of records only: `people.txt` and its nine fellows"
                    .into(),
            ),
        }
    }
}
