//! The calibration file, as far as a stamp needs it: `tasks.<id>.tier`, and `tasks.<id>.calibration` where the
//! measurement is to be kept in the task as well; with `task_digest`, only for that version of the task. Other keys (counts, models, dates) are for readers. It must not
//! look at tasks.

use super::error::Error;
use super::stamps::{Entry, HoldsFor, Stamps, is_folder_name};
use crate::task::{Stamp, Tier};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// Reads a calibration file.
///
/// # Errors
/// [`Error::Read`], [`Error::Parse`], and [`Error::BadEntries`] with every id and tier that isn't valid.
pub fn read_calibration(path: &Path) -> Result<Stamps, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
    let parse = |message: String| Error::Parse { path: path.to_path_buf(), message };
    let file: File = serde_json::from_slice(&bytes).map_err(|e| parse(e.to_string()))?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut bad = Vec::new();
    for (id, value) in file.tasks.0 {
        if !is_folder_name(&id) {
            bad.push(format!("`{id}`: not the name of a task folder"));
        } else if entries.iter().any(|e| e.id == id) {
            bad.push(format!("`{id}`: is there twice"));
        }
        match stamp(&value) {
            // A tier of `null` says that nothing could be told yet.
            Ok(stamp) => {
                let digest = value.get("task_digest").and_then(Value::as_str);
                entries.push(Entry { id, stamp, holds_for: digest.map(|digest| HoldsFor::Task(digest.to_owned())) });
            }
            Err(why) => bad.push(format!("`{id}`: {why}")),
        }
    }
    if bad.is_empty() {
        Ok(Stamps { path: path.to_path_buf(), entries })
    } else {
        Err(Error::BadEntries { path: path.to_path_buf(), entries: bad })
    }
}

#[derive(Deserialize)]
struct File {
    tasks: Pairs,
}

/// The members of an object with every repetition; a map would keep the last one silently.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
        struct Members;
        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Pairs;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object with one entry per task")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        from.deserialize_map(Members)
    }
}

fn stamp(entry: &Value) -> Result<Option<Stamp>, String> {
    let entry = entry.as_object().ok_or("not an object")?;
    let tier = match entry.get("tier").ok_or("has no `tier`")? {
        Value::Null => return Ok(None),
        Value::String(word) => Tier::from_word(word).ok_or_else(|| format!("no such tier as `{word}`"))?,
        other => return Err(format!("no such tier as `{other}`")),
    };
    let calibration: Option<Map<String, Value>> = match entry.get("calibration") {
        None | Some(Value::Null) => None,
        Some(Value::Object(map)) => Some(map.clone()),
        Some(_) => return Err("`calibration` is not an object".into()),
    };
    Ok(Some(Stamp { difficulty: Some(tier.as_str().into()), calibration, ..Stamp::default() }))
}
