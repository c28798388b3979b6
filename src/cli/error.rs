//! One error for every verb: wraps the rooms' errors, gives the exit code in one exhaustive match, and the hint.

use super::exit;
use crate::{attack, report, results, sandbox, task};

/// What ends a verb early.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "one variant per room, named like it")]
pub enum Error {
    #[error(transparent)]
    Corpus(#[from] crate::corpus::Error),
    #[error(transparent)]
    Question(#[from] crate::question::Error),
    #[error(transparent)]
    Task(#[from] crate::task::Error),
    #[error(transparent)]
    Populate(#[from] crate::populate::Error),
    #[error(transparent)]
    Config(#[from] crate::config::Error),
    #[error(transparent)]
    Sandbox(#[from] crate::sandbox::Error),
    #[error(transparent)]
    Network(#[from] crate::network::Error),
    #[error(transparent)]
    Model(#[from] crate::model::Error),
    #[error(transparent)]
    Attack(#[from] crate::attack::Error),
    #[error(transparent)]
    Agent(#[from] crate::agent::Error),
    #[error(transparent)]
    Judge(#[from] crate::judge::Error),
    #[error(transparent)]
    Job(#[from] crate::job::Error),
    #[error(transparent)]
    Results(#[from] crate::results::Error),
    #[error(transparent)]
    Stats(#[from] crate::stats::Error),
    #[error(transparent)]
    Stamp(#[from] crate::stamp::Error),
    #[error(transparent)]
    Report(#[from] crate::report::Error),
    /// Flags or settings that don't go together; no single room can say it.
    #[error("{0}")]
    Usage(String),
    /// A flag names what isn't there; the hint says what may be meant.
    #[error("{why}")]
    NoSuch { why: String, near: Option<String> },
    /// A file that a flag names can't be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Read { path: std::path::PathBuf, source: std::io::Error },
    /// This machine failed while a job ran.
    #[error("{why}")]
    Host { why: String, hint: Option<String> },
}

impl Error {
    /// The exit code that this error gives the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Corpus(_)
            | Error::Question(_)
            | Error::Task(_)
            | Error::Populate(_)
            | Error::Config(_)
            | Error::Stats(_)
            | Error::Stamp(_) => exit::BAD_INPUT,
            Error::Results(results::Error::Write { .. }) => exit::HOST,
            Error::Results(_) | Error::Job(_) => exit::BAD_INPUT,
            Error::Usage(_) | Error::NoSuch { .. } | Error::Read { .. } => exit::BAD_INPUT,
            Error::Agent(_) | Error::Judge(_) | Error::Network(_) | Error::Model(_) => exit::BAD_INPUT,
            Error::Sandbox(sandbox::Error::Script { .. } | sandbox::Error::Base(_)) => exit::BAD_INPUT,
            Error::Attack(attack::Error::Sandbox(_)) | Error::Sandbox(_) => exit::ENGINE,
            Error::Attack(_) => exit::HOST,
            Error::Report(report::Error::NoFolder { .. }) => exit::BAD_INPUT,
            Error::Report(_) | Error::Host { .. } => exit::HOST,
        }
    }

    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Corpus(e) => e.hint(),
            Error::Question(e) => e.hint(),
            Error::Task(e) => e.hint(),
            Error::Populate(e) => e.hint(),
            Error::Config(e) => e.hint(),
            Error::Sandbox(e) => e.hint(),
            Error::Network(e) => e.hint(),
            Error::Model(e) => e.hint(),
            Error::Attack(e) => e.hint(),
            Error::Agent(e) => e.hint(),
            Error::Judge(e) => e.hint(),
            Error::Job(e) => e.hint(),
            Error::Results(e) => near_job(e).map(|near| format!("did you mean `{near}`?")).or_else(|| e.hint()),
            Error::Stats(e) => e.hint(),
            Error::Stamp(e) => e.hint(),
            Error::Report(e) => e.hint(),
            Error::Usage(_) => None,
            Error::NoSuch { near, .. } => near.clone(),
            Error::Read { path, source } => task::missing_hint(path, source),
            Error::Host { hint, .. } => hint.clone(),
        }
    }
}

/// The job that was meant where a job's directory is not there: its name alone was given, or it is misspelt.
fn near_job(error: &results::Error) -> Option<String> {
    let results::Error::NotAJob { dir, .. } = error else { return None };
    let in_jobs = std::path::Path::new("jobs").join(dir);
    match dir.exists() {
        true => None,
        false if in_jobs.is_dir() => Some(in_jobs.display().to_string()),
        false => task::near(dir).or_else(|| task::near(&in_jobs)),
    }
}
