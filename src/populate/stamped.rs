//! What a measured tier left in a task's manifest, and when it may stay there: as long as question, key and documents
//! are the ones that were measured.

use super::render::{CASE_JSON, TASK_TOML, TaskFile};
use serde_json::Value;
use std::path::Path;
use toml_edit::{DocumentMut, Item};

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
    let Ok(old) = old_text.parse::<DocumentMut>() else { return Stamp::None };
    let Some(old_metadata) = old.get("metadata").and_then(Item::as_table_like) else { return Stamp::None };
    let text = |key| old_metadata.get(key).and_then(Item::as_str);
    let calibration = old_metadata.get("calibration");
    let tier = text("difficulty").filter(|tier| calibration.is_some() || text("source_difficulty") != Some(*tier));
    let Some(tier) = tier else { return Stamp::None };

    let case = files.iter().find(|f| f.path == CASE_JSON).map(|f| f.text.clone()).expect("every task has one");
    let file = files.iter_mut().find(|f| f.path == TASK_TOML).expect("every task has one");
    let Ok(mut new) = file.text.parse::<DocumentMut>() else { return Stamp::Dropped };
    let digest = new.get("metadata").and_then(|m| m.get("corpus_digest")).and_then(Item::as_str);
    if digest.is_none() || digest != text("corpus_digest") || !same_case(dir, &case) {
        return Stamp::Dropped;
    }
    if let Some(difficulty) = new["metadata"].get_mut("difficulty").and_then(Item::as_value_mut) {
        let decor = difficulty.decor().clone();
        *difficulty = tier.into();
        *difficulty.decor_mut() = decor;
    } else {
        new["metadata"]["difficulty"] = toml_edit::value(tier);
    }
    if let Some(calibration) = calibration {
        new["metadata"]["calibration"] = calibration.clone();
    }
    file.text = new.to_string();
    Stamp::Kept
}

fn same_case(dir: &Path, case: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    let old = std::fs::read_to_string(dir.join(CASE_JSON)).ok();
    old.is_some_and(|old| parse(&old) == parse(case))
}
