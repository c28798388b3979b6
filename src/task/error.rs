//! What can go wrong in this room: one variant per verb. Problems *inside* tasks are data ([`Problem`]); they become
//! an error only for a caller that needs every task to be right.

use super::problem::{Problem, in_words};
use std::path::{Path, PathBuf};

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder can't be read.
    #[error("failed to read `{path}`: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no such folder.
    #[error("dataset `{path}` does not exist")]
    NoDataset {
        /// The path as it was given.
        path: PathBuf,
        /// A folder beside it with a name like it.
        near: Option<String>,
    },
    /// The path is a file.
    #[error("dataset `{path}` is a file, not a folder")]
    NotAFolder {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The folder has no task in it.
    #[error("no task in `{path}`: neither it nor a folder in it has a `task.toml`")]
    NoTasks {
        /// The folder.
        path: PathBuf,
    },
    /// Some tasks are wrong; all their problems.
    #[error("failed to load `{path}`: {}\n{}", count(.problems.len()), lines(.path, .problems))]
    BadTasks {
        /// The dataset.
        path: PathBuf,
        /// Every error, in the order of tasks and lines.
        problems: Vec<Problem>,
    },
    /// A `task.toml` can't be edited because it isn't TOML.
    #[error("failed to parse task.toml: {message}")]
    Edit {
        /// The parser's words.
        message: String,
    },
    /// Templates name variables that the host doesn't set.
    #[error("environment variables are not set: {}", .names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))]
    MissingVariables {
        /// Their names.
        names: Vec<String>,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Read { .. } | Error::Edit { .. } => None,
            Error::NoDataset { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Error::NoDataset { near: None, .. } => Some("`seatrial generate --all` writes one".into()),
            Error::NotAFolder { .. } => Some("name the folder that holds the task, or a folder of tasks".into()),
            Error::NoTasks { .. } => Some("`seatrial generate --all` writes tasks".into()),
            Error::BadTasks { .. } => Some("`seatrial lint` shows the same, with warnings".into()),
            Error::MissingVariables { .. } => {
                Some("set them, or give a default in the file as `${NAME:-default}`".into())
            }
        }
    }
}

fn count(errors: usize) -> String {
    if errors == 1 { "1 error".into() } else { format!("{errors} errors") }
}

fn lines(dataset: &Path, problems: &[Problem]) -> String {
    in_words(dataset, problems).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}
