//! A dataset is a folder of tasks, or one task. Loading reads every task, collects every problem of every task, and
//! gives either all tasks or all problems, so that nothing is built while something is wrong. The same function serves
//! `lint` and `run`.

use super::case::{Case, read_case};
use super::dockerfile::missing_sources;
use super::error::Error;
use super::lint::lint_task;
use super::near::near;
use super::problem::{Level, Problem, Sink};
use super::read::read_spec;
use super::spec::TaskSpec;
use std::path::{Path, PathBuf};

/// One task, read and checked.
#[derive(Debug, Clone)]
pub struct Task {
    /// The folder's name: how the task is called everywhere here.
    pub name: String,
    /// The folder.
    pub dir: PathBuf,
    /// `task.toml`.
    pub spec: TaskSpec,
    /// `instruction.md`.
    pub instruction: String,
    /// `tests/case.json`, where there is one.
    pub case: Option<Case>,
    /// `tests/rubric.txt`, where there is one that can be read.
    pub rubric: Option<String>,
}

impl Task {
    /// `environment/`: the build context.
    pub fn environment_dir(&self) -> PathBuf {
        self.dir.join("environment")
    }

    /// `environment/Dockerfile`.
    pub fn dockerfile(&self) -> PathBuf {
        self.dir.join("environment/Dockerfile")
    }

    /// What the Dockerfile copies and the build context lacks, such as documents that nobody has restored; empty where
    /// a ready image is used. To be asked after `populate`.
    pub fn missing_sources(&self) -> Vec<String> {
        if self.spec.environment.docker_image.is_some() {
            return Vec::new();
        }
        let text = std::fs::read_to_string(self.dockerfile()).unwrap_or_default();
        missing_sources(&text, &self.environment_dir())
    }

    /// `solution/`: for the oracle only.
    pub fn solution_dir(&self) -> PathBuf {
        self.dir.join("solution")
    }

    /// `tests/`: for judges only.
    pub fn tests_dir(&self) -> PathBuf {
        self.dir.join("tests")
    }
}

/// Every task of a dataset, all of them right.
#[derive(Debug, Clone)]
pub struct TaskSet {
    /// The dataset's folder.
    pub dir: PathBuf,
    /// The tasks, by name.
    pub tasks: Vec<Task>,
    /// What may not be as meant.
    pub warnings: Vec<Problem>,
}

/// What a check of a dataset found.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The dataset's folder.
    pub dir: PathBuf,
    /// The folders that were looked at, by name.
    pub dirs: Vec<PathBuf>,
    /// The tasks that could be read, by name; some may have errors among `problems`.
    pub tasks: Vec<Task>,
    /// Every problem, in the order of tasks, files and lines.
    pub problems: Vec<Problem>,
}

/// Reads every task of a dataset.
///
/// # Errors
/// Where the folder can't be read or holds no task, and [`Error::BadTasks`] with every error of every task.
pub fn load_dataset(dir: &Path) -> Result<TaskSet, Error> {
    let checked = check_dataset(dir)?;
    let (errors, warnings): (Vec<_>, Vec<_>) = checked.problems.into_iter().partition(|p| p.level == Level::Error);
    if !errors.is_empty() {
        return Err(Error::BadTasks { path: dir.to_path_buf(), problems: errors });
    }
    Ok(TaskSet { dir: dir.to_path_buf(), tasks: checked.tasks, warnings })
}

/// Reads every task of a dataset and says everything that is wrong.
///
/// # Errors
/// Where the folder can't be read or holds no task.
pub fn check_dataset(dir: &Path) -> Result<Checked, Error> {
    let dirs = task_dirs(dir)?;
    let mut problems = strangers(dir, &dirs)?;
    let mut tasks = Vec::new();
    for task in &dirs {
        tasks.extend(read_task(task, &mut problems));
    }
    Ok(Checked { dir: dir.to_path_buf(), dirs, tasks, problems })
}

/// The task folders of a dataset, by name: the folder itself where it holds a `task.toml`, else every folder in it
/// that does. Hidden folders are left out.
///
/// # Errors
/// Where the folder can't be read or holds no task.
pub fn task_dirs(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    if dir.join("task.toml").exists() {
        return Ok(vec![dir.to_path_buf()]);
    }
    let dirs: Vec<PathBuf> = folders(dir)?.into_iter().filter(|d| d.join("task.toml").exists()).collect();
    if dirs.is_empty() { Err(Error::NoTasks { path: dir.to_path_buf() }) } else { Ok(dirs) }
}

/// Fails where a dataset's folder is not there, or is no folder.
///
/// # Errors
/// [`Error::NoDataset`] with a path like it, [`Error::NotAFolder`], [`Error::Read`].
pub fn check_folder(dir: &Path) -> Result<(), Error> {
    match std::fs::metadata(dir) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(Error::NotAFolder { path: dir.to_path_buf() }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::NoDataset { path: dir.to_path_buf(), near: near(dir).filter(|near| Path::new(near).is_dir()) })
        }
        Err(source) => Err(Error::Read { path: dir.to_path_buf(), source }),
    }
}

/// The name by which a task folder is called.
pub fn task_name(dir: &Path) -> String {
    // `.` and `..` have no last part of their own.
    let full = if dir.file_name().is_none() { std::fs::canonicalize(dir).ok() } else { None };
    let dir = full.as_deref().unwrap_or(dir);
    dir.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = |source| Error::Read { path: dir.to_path_buf(), source };
    check_folder(dir)?;
    let mut dirs = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(read)? {
        let entry = entry.map_err(read)?;
        if entry.path().is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
            dirs.push(entry.path());
        }
    }
    dirs.sort();
    Ok(dirs)
}

/// Folders that look like tasks, but have no `task.toml`: they would be missing from the suite without a word.
fn strangers(dir: &Path, tasks: &[PathBuf]) -> Result<Vec<Problem>, Error> {
    if tasks == [dir] {
        return Ok(Vec::new());
    }
    let looks = |d: &PathBuf| d.join("instruction.md").exists() || d.join("environment").is_dir();
    let strangers = folders(dir)?.into_iter().filter(|d| !tasks.contains(d) && looks(d));
    Ok(strangers
        .map(|d| {
            Problem::error(&d, "looks like a task, but has no `task.toml`")
                .hint("add one, or move the folder out of the dataset")
        })
        .collect())
}

fn read_task(dir: &Path, problems: &mut Vec<Problem>) -> Option<Task> {
    let name = task_name(dir);
    let path = dir.join("task.toml");
    let sink = Sink::new(&path);
    let spec = match std::fs::read_to_string(&path) {
        Ok(text) => read_spec(&text, &sink),
        Err(e) => {
            problems.push(Problem::unreadable(&path, &e));
            None
        }
    };
    problems.extend(sink.into_problems());
    let path = dir.join("instruction.md");
    let instruction = match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => Err(Problem::error(&path, "is empty")),
        Ok(text) => Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(Problem::error(&path, "is missing").hint("write there what the agent is asked"))
        }
        Err(e) => Err(Problem::unreadable(&path, &e)),
    };
    let case = read_case(&dir.join("tests/case.json"));
    problems.extend(instruction.as_ref().err().cloned());
    problems.extend(case.as_ref().err().map(|problem| *problem.clone()));
    let known_case = case.as_ref().ok().and_then(|c| c.as_ref());
    problems.extend(lint_task(dir, spec.as_ref(), known_case, case.is_ok()));
    let rubric = std::fs::read_to_string(dir.join("tests/rubric.txt")).ok();
    Some(Task { name, dir: dir.to_path_buf(), spec: spec?, instruction: instruction.ok()?, case: case.ok()?, rubric })
}
