//! Which tasks a calibration or an audit changes, worked out before anything is written.

use super::error::Error;
use super::stamps::{HoldsFor, Stamps};
use crate::task::{apply_stamp, digests, kept_lines, metadata_of, read_case, task_dirs, task_name};
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
    /// Tasks for which the file leaves that open, though a stamp of an earlier measurement stands in them.
    pub outlived: Vec<String>,
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
    /// The lines that differ, as a small diff: for each run of them the first line's number, then `-` and `+` lines.
    pub fn diff(&self) -> String {
        let old: Vec<&str> = self.old.lines().collect();
        let new: Vec<&str> = self.new.lines().collect();
        let kept = kept_lines(&old, &new);
        let mut out = String::new();
        let (mut from, mut to) = (0, 0);
        while from < old.len() || to < new.len() {
            let new_end = (to..new.len()).find(|at| kept[*at].is_some()).unwrap_or(new.len());
            let old_end = kept.get(new_end).copied().flatten().unwrap_or(old.len());
            if (from, to) != (old_end, new_end) {
                out.push_str(&format!("{}:{}\n", self.path.display(), from + 1));
            }
            old[from..old_end].iter().for_each(|line| out.push_str(&format!("-{line}\n")));
            new[to..new_end].iter().for_each(|line| out.push_str(&format!("+{line}\n")));
            // And past the line that both have, where there is one.
            (from, to) = (old_end + 1, new_end + 1);
        }
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
        outlived: Vec::new(),
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
        let path = dir.join("task.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        let Some(stamp) = &entry.stamp else {
            match text.and_then(|text| metadata_of(&text).map(|m| (text, m)).map_err(|e| e.to_string())) {
                Ok((_, metadata)) if !metadata.contains_key("calibration") => out.open.push(entry.id.clone()),
                Ok((text, _)) if entry.holds_for.as_ref().is_some_and(|about| !holds(about, &dir, &text)) => {
                    out.others.push(entry.id.clone());
                }
                Ok(_) => out.outlived.push(entry.id.clone()),
                Err(why) => bad.push(format!("`{}`: {why}", path.display())),
            }
            continue;
        };
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
    if [&out.unchanged, &out.open, &out.outlived, &out.others].iter().all(|names| names.is_empty())
        && out.changes.is_empty()
    {
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
