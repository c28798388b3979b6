//! What stamps left in a task's manifest, and when it may stay there: as long as question, key and documents are the
//! ones that were measured or audited.

use super::render::{CASE_JSON, TASK_TOML, TaskFile};
use crate::task;
use serde_json::Value;
use std::path::Path;

/// What became of an earlier stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// There was none.
    None,
    /// It was carried over.
    Kept,
    /// Question, key or documents have changed since.
    Dropped,
}

/// Carries the stamp of the task in `dir` over to its new `files`, where it still says something about them.
pub fn carry(dir: &Path, files: &mut [TaskFile]) -> Stamp {
    let Ok(old_text) = std::fs::read_to_string(dir.join(TASK_TOML)) else { return Stamp::None };
    let (Ok(stamp), Ok(old)) = (task::stamp_of(&old_text), task::metadata_of(&old_text)) else { return Stamp::None };
    let measured = stamp.difficulty.as_deref() != old.get("source_difficulty").and_then(Value::as_str);
    let tier = stamp.difficulty.is_some() && (stamp.calibration.is_some() || measured);
    if !tier && stamp.audit.is_none() && stamp.ideal.is_none() {
        return Stamp::None;
    }
    // The source's own tier is no measurement: it is taken from the source again.
    let stamp =
        if tier { stamp } else { task::Stamp { audit: stamp.audit, ideal: stamp.ideal, ..task::Stamp::default() } };
    let case = files.iter().find(|f| f.path == CASE_JSON).map(|f| f.text.clone()).expect("every task has one");
    let file = files.iter_mut().find(|f| f.path == TASK_TOML).expect("every task has one");
    let Ok(new) = task::metadata_of(&file.text) else { return Stamp::Dropped };
    let digest = new.get("corpus_digest");
    if digest.is_none() || digest != old.get("corpus_digest") || !same_case(dir, &case) {
        return Stamp::Dropped;
    }
    let Ok(text) = task::apply_stamp(&file.text, &stamp) else { return Stamp::Dropped };
    file.text = text;
    Stamp::Kept
}

fn same_case(dir: &Path, case: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    let old = std::fs::read_to_string(dir.join(CASE_JSON)).ok();
    old.is_some_and(|old| parse(&old) == parse(case))
}
