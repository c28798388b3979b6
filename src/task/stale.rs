//! Whether a measured difficulty still is this task's: `[metadata.calibration]` names the digests of what was measured.
//! It reads and says; it changes nothing.

use super::digest::digests;
use super::error::Error;
use serde_json::{Map, Value};
use std::path::Path;

/// What has changed since the task in `dir` was stamped, by the `digests` of its `[metadata.calibration]`; `None` where
/// nothing has, or where the stamp doesn't say what it was measured on. Agent and judge are not the task's to know.
///
/// # Errors
/// [`Error::Read`] where a file of the task can't be read.
pub fn stale(dir: &Path, metadata: &Map<String, Value>) -> Result<Option<&'static str>, Error> {
    let measured = &metadata.get("calibration").and_then(|table| table.get("digests"));
    let measured = |key: &str| measured.and_then(|table| table.get(key)).and_then(Value::as_str);
    if let (Some(then), Some(now)) = (measured("corpus"), metadata.get("corpus_digest").and_then(Value::as_str))
        && !then.split(' ').any(|digest| digest == now)
    {
        return Ok(Some("the documents have changed"));
    }
    match measured("task") {
        Some(then) if digests(dir)?.content != then => Ok(Some("the task has changed")),
        _ => Ok(None),
    }
}
