//! What can be wrong with a vendor directory, in words that name the file and, where there is one, the line.

use std::fmt;
use std::path::PathBuf;

/// Why a vendor directory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder can't be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The manifest is not there.
    #[error("no suite file at `{}`", path.display())]
    NoSuite {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something in the documents' folder is a link, a pipe, a socket or a device.
    #[error("`{}` is {what}, and a corpus holds plain files and folders only", path.display())]
    NotPlain {
        /// Which entry.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The documents' folder has no document.
    #[error("no file in `{}`{}", folder.display(), glob.as_ref().map_or(String::new(), |g| format!(" matches `{g}`")))]
    NoDocuments {
        /// The folder.
        folder: PathBuf,
        /// The glob that none matches, where files were chosen by one.
        glob: Option<String>,
    },
    /// A document would carry the key or the rubric into the agent's container.
    #[error("the document `{}` is the {what} `{}`, and agents would read it", document.display(), secret.display())]
    Secret {
        /// The document.
        document: PathBuf,
        /// Whose content it has.
        secret: PathBuf,
        /// What that is: questions file, rubric, suite file.
        what: &'static str,
    },
    /// Manifest, questions or rubric say something that can't be used.
    #[error("{}", list(.0))]
    Invalid(Vec<Problem>),
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Read { .. } => return None,
            Error::NoSuite { .. } => {
                "`--vendor DIR` names the vendor directory and `--suite FILE` its manifest; `seatrial init` makes both"
                    .into()
            }
            Error::NotPlain { .. } => "put a copy of what it leads to there, or remove it".into(),
            Error::NoDocuments { glob: None, .. } => return None,
            Error::NoDocuments { .. } => "`corpus.folder` and `corpus.files` in the suite file choose documents".into(),
            Error::Secret { .. } => "keep the documents in a folder of their own".into(),
            Error::Invalid(problems) => return problems.iter().find_map(|p| p.hint.clone()),
        })
    }
}

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

fn list(problems: &[Problem]) -> String {
    match problems {
        [one] => one.to_string(),
        many => {
            let lines: Vec<String> = many.iter().map(|p| format!("\n  {p}")).collect();
            format!("{} problems{}", many.len(), lines.concat())
        }
    }
}
