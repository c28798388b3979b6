//! `tests/case.json`: a task's question and its right answer. It must never reach the agent's container, so nothing
//! but the judge and the leak check may read it.

use super::node::Place;
use super::problem::Problem;
use serde_json::{Map, Value};
use std::path::Path;

/// The question and the key.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// `input`: the question.
    pub input: String,
    /// `ground_truth`: the right answer.
    pub ground_truth: String,
    /// Whatever else the file says, for judges that want more than text.
    pub extra: Map<String, Value>,
}

/// Reads a `case.json`. A file that isn't there is no problem; one that can't be used is.
pub fn read_case(path: &Path) -> Result<Option<Case>, Box<Problem>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Problem::unreadable(path, &e).into()),
    };
    let mut map: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| {
        // The parser's words end with the place, which has its own column here.
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        Problem::error(path, format!("not a JSON object: {message}")).at(Place { line: e.line(), column: e.column() })
    })?;
    let mut text = |key: &str| {
        let wrong = match map.shift_remove(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => return Ok(text),
            Some(Value::String(_)) => "is empty",
            Some(_) => "must be text",
            None => "is missing",
        };
        Err(Box::new(Problem::error(path, format!("`{key}` {wrong}"))))
    };
    let (input, ground_truth) = (text("input")?, text("ground_truth")?);
    Ok(Some(Case { input, ground_truth, extra: map }))
}
