//! What is wrong with a file, as data: where, which key, why, and what to do. Problems are collected in a [`Sink`] and
//! shown together; nothing here prints.

use super::node::Place;
use serde::Serialize;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The task or job can't run.
    Error,
    /// It can run, but perhaps not as meant.
    Warning,
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How bad.
    pub level: Level,
    /// The file, or the folder where a file is missing.
    pub path: PathBuf,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The column in characters, from 1, where it is known.
    pub column: Option<usize>,
    /// The key with its parents, such as `environment.allowed_hosts[2]`, where one is meant.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// An error about a whole file or folder.
    pub fn error(path: &Path, message: impl Into<String>) -> Problem {
        Problem {
            level: Level::Error,
            path: path.to_path_buf(),
            line: None,
            column: None,
            key: None,
            message: message.into(),
            hint: None,
        }
    }

    /// A file that can't be read.
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
        match error.kind() {
            std::io::ErrorKind::InvalidData => Problem::error(path, "is not UTF-8 text"),
            _ => Problem::error(path, format!("can't be read: {error}")),
        }
    }

    /// The same as a warning.
    pub fn warning(path: &Path, message: impl Into<String>) -> Problem {
        Problem { level: Level::Warning, ..Problem::error(path, message) }
    }

    /// With advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// With a position.
    pub fn at(mut self, at: Place) -> Problem {
        if at.line > 0 {
            (self.line, self.column) = (Some(at.line), Some(at.column));
        }
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, ": {level}: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// Problems in words, those of a task together, each with the folder of its task (empty where that is none). What is
/// wrong in the same way with more than three tasks of `dataset` is said once, with the names of the first three.
pub fn in_words(dataset: &Path, problems: &[Problem]) -> Vec<(String, String)> {
    let places: Vec<(String, PathBuf)> = problems.iter().map(|problem| place_in(dataset, &problem.path)).collect();
    let same = |one: usize, two: usize| {
        let (a, b) = (&problems[one], &problems[two]);
        (a.level, &a.message, &a.hint, &places[one].1) == (b.level, &b.message, &b.hint, &places[two].1)
    };
    let mut lines = Vec::new();
    for (index, problem) in problems.iter().enumerate() {
        let alike: Vec<usize> = (0..problems.len()).filter(|other| same(index, *other)).collect();
        let mut tasks: Vec<&str> = alike.iter().map(|other| places[*other].0.as_str()).collect();
        tasks.dedup();
        let line = match tasks.as_slice() {
            [first, second, third, rest @ ..] if !rest.is_empty() => {
                if alike[0] != index {
                    continue;
                }
                let places = format!("in `{first}`, `{second}`, `{third}` and {} more", rest.len());
                format!("{problem}\n  the same {places}")
            }
            _ => problem.to_string(),
        };
        lines.push((places[index].0.clone(), line));
    }
    lines
}

/// A task's folder in a dataset, and a path below it; a dataset that is one task has no such folder.
fn place_in(dataset: &Path, path: &Path) -> (String, PathBuf) {
    let below = path.strip_prefix(dataset).unwrap_or(path);
    let mut parts = below.components();
    let first = parts.next().map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    match dataset.join("task.toml").exists() {
        true => (String::new(), below.to_path_buf()),
        false => (first, parts.as_path().to_path_buf()),
    }
}

/// Collects the problems of one file. Shared by reference among the sections that are open at a time.
#[derive(Debug)]
pub struct Sink {
    path: PathBuf,
    problems: RefCell<Vec<Problem>>,
}

impl Sink {
    /// An empty one for `path`.
    pub fn new(path: &Path) -> Sink {
        Sink { path: path.to_path_buf(), problems: RefCell::default() }
    }

    /// Adds a problem about a key.
    pub fn add(&self, level: Level, at: Place, key: Option<String>, message: String, hint: Option<String>) {
        let problem = Problem { level, key, hint, ..Problem::error(&self.path, message) }.at(at);
        self.problems.borrow_mut().push(problem);
    }

    /// All problems, in the file's order.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|p| (p.line, p.column));
        problems
    }
}
