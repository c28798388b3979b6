//! What can go wrong in this room: one variant per verb, with the file, flag, variable or glob in it.

use crate::task::Problem;
use std::path::PathBuf;

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The job file can't be read.
    #[error("failed to read job file `{path}`: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The job file says something that can't be done; everything at once.
    #[error("failed to load job file `{path}`\n{}", .problems.iter().map(|p| p.to_string()).collect::<Vec<_>>().join("\n"))]
    BadFile {
        /// Which.
        path: PathBuf,
        /// Every problem, by line.
        problems: Vec<Problem>,
    },
    /// A setting has a value that can't be.
    #[error("{origin}: {message}")]
    BadSetting {
        /// The flag, variable or key, in backticks.
        origin: String,
        /// What is wrong with it.
        message: String,
    },
    /// A glob can't be read.
    #[error("`{glob}` is not a glob: {message}")]
    BadGlob {
        /// The glob.
        glob: String,
        /// The reader's words.
        message: String,
    },
    /// A glob matches no task.
    #[error("`{glob}` matches no task")]
    NoMatch {
        /// The glob.
        glob: String,
        /// A task with a name like it.
        near: Option<String>,
        /// The name of a task that there is.
        such_as: Option<String>,
    },
    /// A glob matches no category.
    #[error("`{glob}` matches no category of a task; {}", match &known[..] {
        [] => "there are no types of questions and no tags".to_owned(),
        known => format!("the categories are\n  {}", known.join("\n  ")),
    })]
    NoCategory {
        /// The glob.
        glob: String,
        /// A category that is spelt like it.
        near: Option<String>,
        /// All categories.
        known: Vec<String>,
    },
    /// Every task is excluded.
    #[error("no task is left: what is included is excluded again")]
    NothingLeft,
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Read { .. } => Some("`-c FILE` names another job file; without one, defaults are used".into()),
            Error::NoMatch { near: Some(near), .. } | Error::NoCategory { near: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            Error::NoMatch { such_as: Some(name), .. } => {
                Some(format!("globs are matched against whole task names, such as `{name}`"))
            }
            Error::NoMatch { .. } => None,
            Error::BadGlob { .. } => Some("`*`, `?`, `[abc]` and `[!abc]` are known".into()),
            Error::NoCategory { .. } => None,
            Error::BadFile { .. } | Error::BadSetting { .. } | Error::NothingLeft => None,
        }
    }
}
