//! Which tasks a calibration or an audit changes, worked out before anything is written.

use super::error::Error;
use super::stamps::{HoldsFor, Stamps};
use crate::task::{apply_stamp, digests, metadata_of, read_case, task_dirs, task_name};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a file of stamps means for a dataset.
#[derive(Debug, Clone)]
pub struct Changes {
    /// Task files that get another text, by task.
    pub changes: Vec<Change>,
    /// Tasks that have their stamp already.
    pub unchanged: Vec<String>,
    /// Tasks for which the file still leaves open what to stamp.
    pub open: Vec<String>,
    /// Tasks that have another key or other documents than the file is about, or that have changed since.
    pub others: Vec<String>,
    /// Tasks without an entry.
    pub without_entry: Vec<String>,
    /// Entries without a task.
    pub without_task: Vec<String>,
}

/// One task file that changes.
#[derive(Debug, Clone)]
pub struct Change {
    /// The task.
    pub task: String,
    /// Its `task.toml`.
    pub path: PathBuf,
    /// The text that is there.
    pub old: String,
    /// The text that will be there.
    pub new: String,
}

impl Change {
    /// The lines that differ, as a small diff: the first line's number, then `-` and `+` lines.
    pub fn diff(&self) -> String {
        let old: Vec<&str> = self.old.lines().collect();
        let new: Vec<&str> = self.new.lines().collect();
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        let mut out = format!("{}:{}\n", self.path.display(), head + 1);
        old[head..old.len() - tail].iter().for_each(|line| out.push_str(&format!("-{line}\n")));
        new[head..new.len() - tail].iter().for_each(|line| out.push_str(&format!("+{line}\n")));
        out
    }
}

/// Works out what a file of stamps changes in a dataset. Reads task files, writes nothing.
///
/// # Errors
/// Where the dataset can't be read, [`Error::BadTasks`] with every `task.toml` that can't be edited, and
/// [`Error::NoneBelongs`] where file and dataset have nothing in common.
pub fn changes(dataset: &Path, stamps: &Stamps) -> Result<Changes, Error> {
    let mut dirs: BTreeMap<String, PathBuf> =
        task_dirs(dataset)?.into_iter().map(|dir| (task_name(&dir), dir)).collect();
    let mut out = Changes {
        changes: Vec::new(),
        unchanged: Vec::new(),
        open: Vec::new(),
        others: Vec::new(),
        without_entry: Vec::new(),
        without_task: Vec::new(),
    };
    let mut bad = Vec::new();
    for entry in &stamps.entries {
        let Some(dir) = dirs.remove(&entry.id) else {
            out.without_task.push(entry.id.clone());
            continue;
        };
        let Some(stamp) = &entry.stamp else {
            out.open.push(entry.id.clone());
            continue;
        };
        let path = dir.join("task.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        if let (Ok(text), Some(about)) = (&text, &entry.holds_for)
            && !holds(about, &dir, text)
        {
            out.others.push(entry.id.clone());
            continue;
        }
        match text.and_then(|old| apply_stamp(&old, stamp).map(|new| (old, new)).map_err(|e| e.to_string())) {
            Ok((old, new)) if old == new => out.unchanged.push(entry.id.clone()),
            Ok((old, new)) => out.changes.push(Change { task: entry.id.clone(), path, old, new }),
            Err(why) => bad.push(format!("`{}`: {why}", path.display())),
        }
    }
    if !bad.is_empty() {
        return Err(Error::BadTasks { tasks: bad });
    }
    out.without_entry = dirs.into_keys().collect();
    if [out.changes.len(), out.unchanged.len(), out.open.len(), out.others.len()] == [0; 4] {
        return Err(Error::NoneBelongs { path: stamps.path.clone(), dataset: dataset.to_path_buf() });
    }
    Ok(out)
}

/// Whether a task is what the stamp is about: the task that was measured; the key that was audited, and the documents, as
/// far as it says which it has. Text that isn't TOML is for the edit to complain about.
fn holds(about: &HoldsFor, dir: &Path, text: &str) -> bool {
    let (key, corpus_digest) = match about {
        HoldsFor::Key { key, corpus_digest } => (key, corpus_digest),
        HoldsFor::Task(digest) => return digests(dir).is_ok_and(|now| now.content == *digest),
    };
    let Ok(metadata) = metadata_of(text) else { return true };
    let documents = metadata.get("corpus_digest").and_then(Value::as_str);
    let case = read_case(&dir.join("tests/case.json")).ok().flatten();
    documents.is_none_or(|digest| digest == corpus_digest) && case.is_some_and(|case| case.ground_truth == *key)
}
