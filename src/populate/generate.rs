//! `generate`: questions become task directories. All chosen tasks are rendered and written beside the dataset first,
//! then synced at once, then swapped in one by one: a crash leaves every task as it was or as it should be.

use super::Error;
use super::render::{TaskFile, render};
use super::stamped::{Stamp, carry};
use super::template::templates;
use crate::corpus::{Corpus, Question};
use crate::spelling::close_to;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// Which tasks to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// These.
    Ids(Vec<String>),
    /// The first so many, in the order of the questions.
    First(usize),
    /// Every one.
    All,
}

/// What became of one chosen task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was not there before.
    Written,
    /// It took the place of an older one.
    Replaced {
        /// The older one was stamped, and that didn't hold any more.
        dropped_stamp: bool,
    },
    /// It was already what it should be.
    Unchanged,
}

/// The chosen tasks, in the order of the questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Each task's id and what became of it.
    pub tasks: Vec<(String, Fate)>,
}

/// Writes the chosen tasks of the corpus into the folder `out`, which is made where it is missing.
///
/// Nothing is written when an id is wrong, a template can't be filled, or something else stands in a task's place.
pub fn generate(corpus: &Corpus, choice: &Choice, out: &Path) -> Result<Generated, Error> {
    let templates = templates(corpus.templates.as_deref())?;
    let mut tasks = Vec::new();
    for question in choose(corpus, choice)? {
        let dir = out.join(&question.id);
        let mut files = render(corpus, &templates, question)?;
        let stamp = carry(&dir, &mut files);
        tasks.push((question.id.clone(), fate(&dir, &files, stamp), files));
    }
    refuse_obstacles(out, tasks.iter().map(|(id, ..)| id))?;

    let changed: Vec<_> = tasks.iter().filter(|(_, fate, _)| *fate != Fate::Unchanged).collect();
    if !changed.is_empty() {
        let fail = |source| Error::Write { path: out.into(), source };
        std::fs::create_dir_all(out).map_err(fail)?;
        // In a folder of its own, so that what a crash leaves behind is not taken for tasks.
        let staging = tempfile::Builder::new().prefix(".generate-").tempdir_in(out).map_err(fail)?;
        for (id, _, files) in &changed {
            write_task(&staging.path().join(id), files)?;
        }
        sync(staging.path()).map_err(fail)?;
        for (id, ..) in &changed {
            swap(&staging.path().join(id), &out.join(id))?;
        }
        File::open(out).and_then(|dir| dir.sync_all()).map_err(fail)?;
    }
    Ok(Generated { tasks: tasks.into_iter().map(|(id, fate, _)| (id, fate)).collect() })
}

fn choose<'a>(corpus: &'a Corpus, choice: &Choice) -> Result<Vec<&'a Question>, Error> {
    let all = &corpus.questions;
    match choice {
        Choice::All => Ok(all.iter().collect()),
        Choice::First(n) => Ok(all.iter().take(*n).collect()),
        Choice::Ids(ids) => {
            let wrong: Vec<String> = ids.iter().filter_map(|id| wrong_id(corpus, id)).collect();
            if !wrong.is_empty() {
                return Err(Error::Ids(wrong));
            }
            Ok(all.iter().filter(|q| ids.contains(&q.id)).collect())
        }
    }
}

/// Says what is wrong with an id, if something is, and which ids are close to it.
fn wrong_id(corpus: &Corpus, id: &str) -> Option<String> {
    if corpus.questions.iter().any(|q| q.id == id) {
        return None;
    }
    let mut parts = Path::new(id).components();
    if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) || id.ends_with('/') {
        return Some(format!("`{id}` can't be a task's id: an id is one folder's name"));
    }
    let close = close_to(id, corpus.questions.iter().map(|q| q.id.as_str()));
    let (first, last) = (corpus.suite.id(0), corpus.suite.id(corpus.questions.len() - 1));
    let end = match close.is_empty() {
        true => format!("; its ids are `{first}` to `{last}`"),
        false => format!("; close to it: `{}`", close.join("`, `")),
    };
    Some(format!("`{id}` is not in the suite `{}`{end}", corpus.suite.name))
}

fn fate(dir: &Path, files: &[TaskFile], stamp: Stamp) -> Fate {
    if !dir.exists() {
        return Fate::Written;
    }
    let ours: BTreeSet<PathBuf> = files.iter().map(|f| dir.join(f.path)).collect();
    let populated = ["environment/files", "tests/test.sh", "tests/judge.py", "tests/rubric.txt", "tests/rivals.txt"];
    let populated = populated.map(|p| dir.join(p));
    let others = WalkDir::new(dir).into_iter().filter_entry(|e| !populated.iter().any(|p| e.path() == p));
    let present: BTreeSet<PathBuf> =
        others.filter_map(Result::ok).filter(|e| !e.file_type().is_dir()).map(|e| e.into_path()).collect();
    let same = |file: &TaskFile| std::fs::read(dir.join(file.path)).is_ok_and(|bytes| bytes == file.text.as_bytes());
    if present == ours && files.iter().all(same) {
        return Fate::Unchanged;
    }
    Fate::Replaced { dropped_stamp: stamp == Stamp::Dropped }
}

fn refuse_obstacles<'a>(out: &Path, ids: impl Iterator<Item = &'a String>) -> Result<(), Error> {
    let (links, others): (Vec<PathBuf>, Vec<PathBuf>) = ids
        .map(|id| out.join(id))
        .filter(|path| path.is_symlink() || (path.exists() && !path.is_dir()))
        .partition(|path| path.is_symlink());
    if !links.is_empty() {
        return Err(Error::Links(links));
    }
    others.into_iter().next().map_or(Ok(()), |path| Err(Error::NotAFolder(path)))
}

fn write_task(dir: &Path, files: &[TaskFile]) -> Result<(), Error> {
    for file in files {
        let path = dir.join(file.path);
        let fail = |source| Error::Write { path: path.clone(), source };
        std::fs::create_dir_all(path.parent().expect("it is below the task")).map_err(fail)?;
        let mut handle = File::create_new(&path).map_err(fail)?;
        handle.write_all(file.text.as_bytes()).map_err(fail)?;
        handle.set_permissions(Permissions::from_mode(file.mode)).map_err(fail)?;
    }
    Ok(())
}

/// One sync for all files of a folder: one for each would take longer than everything else together.
pub fn sync(staging: &Path) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(staging)?)?;
    #[cfg(not(target_os = "linux"))]
    for entry in WalkDir::new(staging) {
        File::open(entry?.path())?.sync_all()?;
    }
    Ok(())
}

/// Puts `new` in the place of `target`; an older task goes to where `new` was, and away with that folder.
fn swap(new: &Path, target: &Path) -> Result<(), Error> {
    let fail = |source: std::io::Error| Error::Write { path: target.into(), source };
    if !target.exists() {
        return std::fs::rename(new, target).map_err(fail);
    }
    if renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    // Not every file system can exchange two names; then there is a moment without either.
    let old = new.with_added_extension("old");
    std::fs::rename(target, &old).map_err(fail)?;
    std::fs::rename(new, target).inspect_err(|_| drop(std::fs::rename(&old, target))).map_err(fail)
}
