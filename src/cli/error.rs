//! One error for every verb: wraps the rooms' errors, gives the exit code in one exhaustive match, and the hint.

use super::exit;

/// What ends a verb early.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "one variant per room, named like it")]
pub enum Error {
    #[error(transparent)]
    Corpus(#[from] crate::corpus::Error),
    #[error(transparent)]
    Task(#[from] crate::task::Error),
    #[error(transparent)]
    Populate(#[from] crate::populate::Error),
    #[error(transparent)]
    Config(#[from] crate::config::Error),
    #[error(transparent)]
    Sandbox(#[from] crate::sandbox::Error),
    #[error(transparent)]
    Judge(#[from] crate::judge::Error),
    #[error(transparent)]
    Job(#[from] crate::job::Error),
    #[error(transparent)]
    Results(#[from] crate::results::Error),
    #[error(transparent)]
    Stamp(#[from] crate::stamp::Error),
    #[error(transparent)]
    Report(#[from] crate::report::Error),
}

impl Error {
    /// The exit code that this error gives the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Corpus(_) | Error::Task(_) | Error::Populate(_) | Error::Config(_) | Error::Stamp(_) => {
                exit::BAD_INPUT
            }
            Error::Results(_) | Error::Judge(_) => exit::BAD_INPUT,
            Error::Sandbox(_) => exit::ENGINE,
            Error::Job(_) | Error::Report(_) => exit::HOST,
        }
    }

    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Corpus(e) => e.hint(),
            Error::Task(e) => e.hint(),
            Error::Populate(e) => e.hint(),
            Error::Config(e) => e.hint(),
            Error::Sandbox(e) => e.hint(),
            Error::Judge(e) => e.hint(),
            Error::Job(e) => e.hint(),
            Error::Results(e) => e.hint(),
            Error::Stamp(e) => e.hint(),
            Error::Report(e) => e.hint(),
        }
    }
}
