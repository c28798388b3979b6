//! What can go wrong in this room: records that can't be read, plans that can't be understood.

use super::plan::AnswerKind;
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
    /// The embedded database failed: a stored query that isn't SQL, or no memory.
    #[error("failed to ask the database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A query gave something that is no answer of the plan's kind.
    #[error("the query gave {got}, which is no {kind:?}")]
    Answer {
        /// What it gave.
        got: String,
        /// What was wanted.
        kind: AnswerKind,
    },
    /// A plan can't be understood.
    #[error("the plan `{text}` can't be read: {why}")]
    Plan {
        /// The plan.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A suite of such a size can't be forged.
    #[error("failed to forge {questions} questions about {people} people")]
    Size {
        /// How many people.
        people: usize,
        /// How many questions.
        questions: usize,
    },
    /// A corpus has too few good questions of a type.
    #[error("only {made} of {wanted} questions of the type `{kind}` were found in {drawn} tries")]
    Scarce {
        /// The type.
        kind: &'static str,
        /// How many were found.
        made: usize,
        /// How many were wanted.
        wanted: usize,
        /// How many plans were drawn.
        drawn: usize,
    },
    /// Some questions' plans can't be understood; all of them.
    #[error("{}", .0.join("\n"))]
    BadPlans(Vec<String>),
    /// A file of plans can't be used.
    #[error("failed to read plans from `{}`: {why}", path.display())]
    Plans {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// SQL and plain Rust give different answers, so that neither proves anything.
    #[error("`{id}`: the two evaluations of `{plan}` differ: SQL gives {by_sql}, plain Rust gives {plain}")]
    Disagree {
        /// The question.
        id: String,
        /// Its plan.
        plan: String,
        /// What plain Rust gives.
        plain: String,
        /// What SQL gives.
        by_sql: String,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Read { .. }
            | Error::Record { .. }
            | Error::Plan { .. }
            | Error::BadPlans(_)
            | Error::Database(_)
            | Error::Answer { .. } => None,
            Error::Size { .. } => Some("a corpus has 100 to 2000 people, a suite 1 to 1000 questions".into()),
            Error::Scarce { .. } => Some("take more people, fewer questions, or less of that type by `--mix`".into()),
            Error::Plans { .. } => Some("such a file is JSON of the form {\"<id>\": {\"plan\": \"TOP …\"}}".into()),
            Error::Disagree { .. } => Some("this is a mistake in seatrial itself; please report it".into()),
            Error::NoRecords { .. } => Some(
                "keys can be proved over corpora of ten files of records only: `people.txt` and its nine fellows"
                    .into(),
            ),
        }
    }
}
