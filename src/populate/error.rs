//! What can go wrong while task directories are written, restored or begun.

use crate::corpus::Problem;
use crate::task::missing_hint;
use std::path::PathBuf;

/// Why nothing, or not everything, could be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The corpus itself can't be used.
    #[error(transparent)]
    Corpus(#[from] crate::corpus::Error),
    /// The dataset can't be used.
    #[error(transparent)]
    Dataset(#[from] crate::task::Error),
    /// A file or folder can't be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file or folder can't be written, made, replaced or removed.
    #[error("failed to write `{}`: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A template has a placeholder that nothing is known for.
    #[error("`{}`:{line}: nothing is known for the placeholder `{{{{{name}}}}}`", template.display())]
    Placeholder {
        /// The template.
        template: PathBuf,
        /// The line in it, from 1.
        line: usize,
        /// What stands between the braces.
        name: String,
        /// What may stand there.
        known: Vec<String>,
    },
    /// The suite's folder of templates holds a file that no part of a task is made from.
    #[error("`{}` is not the name of a template", path.display())]
    UnknownTemplate {
        /// The file.
        path: PathBuf,
        /// The names that are.
        known: Vec<String>,
    },
    /// Some of the ids that were asked for are not ids of the suite.
    #[error("{}", .0.join("\n"))]
    Ids(Vec<String>),
    /// Folders of task directories are links, and nothing is written through one.
    #[error("nothing was written: {} a symbolic link", links(.0))]
    Links(Vec<PathBuf>),
    /// What should be replaced is not a task directory.
    #[error("`{}` is there and is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// There is no dataset, or no task in it.
    #[error("no task in `{}`", .0.display())]
    NoTask(PathBuf),
    /// The dataset has tasks, but none of the suite.
    #[error("`{}` has {tasks}, and none of the suite `{suite}`", dataset.display())]
    NoneOfSuite {
        /// The dataset.
        dataset: PathBuf,
        /// How many tasks it has, in words.
        tasks: String,
        /// The suite's name.
        suite: String,
    },
    /// A new vendor directory would lie among the documents that it is made from.
    #[error("`{}` lies inside the documents' folder `{}`", dir.display(), files.display())]
    Inside {
        /// The vendor directory.
        dir: PathBuf,
        /// The folder of documents.
        files: PathBuf,
    },
    /// A new vendor directory would hide what is already there.
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// Questions or rubric for a new vendor directory can't be used.
    #[error("{}; nothing was written{}", count(.0), list(.0))]
    Begin(Vec<Problem>),
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Corpus(error) => return error.hint(),
            Error::Dataset(error) => return error.hint(),
            Error::Read { path, source } => return missing_hint(path, source),
            Error::Write { .. } => return None,
            Error::Placeholder { known, .. } if known.is_empty() => "this file takes no placeholders".into(),
            Error::Placeholder { known, .. } => format!("known here: `{{{{{}}}}}`", known.join("}}`, `{{")),
            Error::UnknownTemplate { known, .. } => format!("templates are `{}`", known.join("`, `")),
            Error::Ids(_) => "`seatrial generate --all` writes every task of the suite".into(),
            Error::Links(_) => "remove the link, or put a real folder in its place".into(),
            Error::NotAFolder(_) => "move it away, or choose another folder with `-o`".into(),
            Error::NoTask(_) => "`seatrial generate --all` writes the tasks of a suite".into(),
            Error::NoneOfSuite { .. } => "`--vendor DIR` names the vendor directory that they were made from".into(),
            Error::Inside { .. } => "keep the documents in a folder of their own, and make the suite beside it".into(),
            Error::NotEmpty(_) => "choose a folder that is not there yet".into(),
            Error::Begin(problems) => return problems.iter().find_map(|p| p.hint.clone()),
        })
    }
}

fn links(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|p| format!("`{}`", p.display())).collect();
    format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are each" })
}

fn count(problems: &[Problem]) -> String {
    format!("{} problem{}", problems.len(), if problems.len() == 1 { "" } else { "s" })
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(|p| format!("\n  {p}")).collect()
}
