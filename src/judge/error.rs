//! What can go wrong in this room beside a judge that can't decide (that is a `JudgeError`): files of labelled cases.

use crate::spelling::did_you_mean;
use crate::task::missing_hint;
use std::path::{Path, PathBuf};

/// Why labelled cases can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can't be read.
    #[error("failed to read `{path}`: {source}")]
    ReadCases {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Lines of the file are no cases; all bad lines are in it.
    #[error("{}", bad_lines(path, lines))]
    ParseCases {
        /// The file.
        path: PathBuf,
        /// Line numbers from 1, and what is wrong.
        lines: Vec<(usize, String)>,
    },
    /// The file has no case.
    #[error("`{path}` holds no cases")]
    NoCases {
        /// The file.
        path: PathBuf,
    },
    /// No judge has that name.
    #[error("there is no judge `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A judge that asks models was given none.
    #[error("judge `{judge}` asks a model, and none is named")]
    NoModel {
        /// The judge.
        judge: &'static str,
    },
    /// Models, votes or the like for a judge that asks no model.
    #[error("judge `{judge}` asks no model, so `{setting}` means nothing to it")]
    NoUse {
        /// The judge.
        judge: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A judge's model can't be asked.
    #[error("the judge can't be asked: {0}")]
    Model(crate::model::Error),
    /// The script of a scripted judge can't be used.
    #[error("failed to read the judge's script `{path}`: {why}")]
    Script {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file of rivals has no name.
    #[error("`{path}` holds no names")]
    NoNames {
        /// The file.
        path: PathBuf,
    },
}

/// How many bad lines a message shows.
const SHOWN: usize = 20;

fn bad_lines(path: &Path, lines: &[(usize, String)]) -> String {
    let mut shown: Vec<String> =
        lines.iter().take(SHOWN).map(|(line, what)| format!("`{}:{line}`: {what}", path.display())).collect();
    if lines.len() > SHOWN {
        shown.push(format!("and {} more lines", lines.len() - SHOWN));
    }
    shown.join("\n       ")
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::ReadCases { path, source } => missing_hint(path, source),
            Error::Unknown { name, known } => did_you_mean(name, known.iter().copied()).or_else(|| {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                Some(format!("there are {}", known.join(", ")))
            }),
            Error::NoModel { .. } => {
                Some("name it with `--judge-model MODEL`, `JUDGE_MODEL`, or `models` of `judge` in the job file".into())
            }
            Error::NoUse { .. } => Some("judges that ask models: `rubric`, `answer-set`, `letter` and others".into()),
            Error::Model(error) => error.hint(),
            Error::Script { .. } => None,
            Error::NoNames { .. } => Some("`--rivals` takes one name a line, or a corpus's `people.txt`".into()),
            Error::ParseCases { .. } | Error::NoCases { .. } => Some(
                "each line is a JSON object with `question`, `key`, `submission` and `expected` (0.0, 0.5 or 1.0), and \
                 `id`, `category`, `answer_type`, `reason`, `policy` as you like"
                    .into(),
            ),
        }
    }
}
