//! What can go wrong when a job is kept or read back. One variant per verb, with the path in it; a trial whose record
//! can't be read is no error but [`super::Damaged`].

use std::io;
use std::path::PathBuf;

/// What can go wrong in this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The job's directory is taken.
    #[error("`{}` exists already", dir.display())]
    Exists {
        /// The job's directory.
        dir: PathBuf,
    },
    /// A directory is not a job's.
    #[error("`{}` is not a job directory: {why}", dir.display())]
    NotAJob {
        /// The directory.
        dir: PathBuf,
        /// What is missing or wrong.
        why: String,
    },
    /// The job's own record can't be understood.
    #[error("`{}` can't be read as a job's record: {why}", path.display())]
    Record {
        /// The record's path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The job was written by a newer seatrial.
    #[error("`{}` has format {found}, newer than this seatrial's {}", path.display(), super::FORMAT)]
    Newer {
        /// The record's path.
        path: PathBuf,
        /// Its format version.
        found: u64,
    },
    /// Another runner has the job.
    #[error("`{}` is being run by {holder}", dir.display())]
    Locked {
        /// The job's directory.
        dir: PathBuf,
        /// Who has it: `process 4711`, or `another process`.
        holder: String,
    },
    /// A file or folder can't be written, moved or synced.
    #[error("failed to write `{}`: {source}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A file can't be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A job can't go on, since it would be another job now.
    #[error("`{}` can't be resumed, it would be another job:\n  {}", dir.display(), differences.join("\n  "))]
    Changed {
        /// The job's directory.
        dir: PathBuf,
        /// What differs, a line each.
        differences: Vec<String>,
    },
    /// Another judge's verdicts can't be told.
    #[error("`{}` has no verdicts of one judge `{judge}`{}", dir.display(), by(known))]
    Judgments {
        /// The job's directory.
        dir: PathBuf,
        /// What was asked for.
        judge: String,
        /// The judges that there are verdicts of, each with the beginning of its digest.
        known: Vec<String>,
    },
    /// A kept answer is not the one that the trial's record speaks of.
    #[error("the answer in `{}` is not the one that was recorded", path.display())]
    Answer {
        /// The answer's path.
        path: PathBuf,
    },
}

fn by(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; there are those of {}", known.join(", ")) }
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Exists { dir } => {
                let dir = dir.display();
                Some(format!("`seatrial resume {dir}` goes on with it; `--job-name` starts another beside it"))
            }
            Error::NotAJob { .. } => {
                Some("a job directory is what `seatrial run` makes: `jobs/<job>`, with `seatrial.json` in it".into())
            }
            Error::Record { .. } => {
                Some("restore the file from a copy, or run the job again under another name".into())
            }
            Error::Newer { .. } => Some("use the seatrial that wrote it, or a newer one".into()),
            Error::Locked { .. } => Some("wait until it has ended, or stop it".into()),
            Error::Write { .. } => {
                Some("check free space and permissions; what is sealed stays, and `seatrial resume` goes on".into())
            }
            Error::Changed { .. } => {
                Some("put back what differs, or start a new job: results of different tasks don't add up".into())
            }
            Error::Judgments { dir, known, .. } => Some(match known.is_empty() {
                true => format!("`seatrial judge {} --judge NAME` makes some", dir.display()),
                false => "name one of them by its digest".into(),
            }),
            Error::Read { .. } => None,
            Error::Answer { .. } => {
                Some("restore the file, or delete the trial's `result.json` to run it again".into())
            }
        }
    }
}
