//! The best known run of a task becomes its `[metadata.ideal]`, where it is better than what stands there.

use super::changes::Change;
use super::error::Error;
use crate::ideal::Ideal;
use crate::stats::Best;
use crate::task::{Stamp, apply_stamp, digests, metadata_of, task_name};
use std::path::Path;

/// What a best trial is for its task's file.
#[derive(Debug, Clone)]
pub enum ForTask {
    /// The file gets another text.
    Change(Change),
    /// What stands there is as good, or better.
    Stands,
    /// The task is not the one that was run.
    Other,
}

/// What these best trials, each of another version of the task in `dir`, are for its file. Reads it, writes nothing.
///
/// # Errors
/// Where the task can't be read, and [`Error::BadTasks`] where its `task.toml` can't be edited.
pub fn ideal_change(dir: &Path, best: &[&Best]) -> Result<ForTask, Error> {
    let path = dir.join("task.toml");
    let old = std::fs::read_to_string(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let now = digests(dir)?.content;
    let Some(best) = best.iter().find(|best| best.digest == now) else { return Ok(ForTask::Other) };
    let bad = |e: crate::task::Error| Error::BadTasks { tasks: vec![format!("`{}`: {e}", path.display())] };
    let metadata = metadata_of(&old).map_err(bad)?;
    let stands: Ideal =
        metadata.get("ideal").and_then(|ideal| serde_json::from_value(ideal.clone()).ok()).unwrap_or_default();
    if !best.ideal.is_better_than(&stands) {
        return Ok(ForTask::Stands);
    }
    let table = serde_json::to_value(best.ideal).ok().and_then(|value| value.as_object().cloned());
    let new = apply_stamp(&old, &Stamp { ideal: table, ..Stamp::default() }).map_err(bad)?;
    Ok(ForTask::Change(Change { task: task_name(dir), path, old, new }))
}
