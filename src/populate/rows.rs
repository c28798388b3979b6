//! A user's questions as they come: JSON objects, one a line, or CSV with a header. What can't be read is a problem
//! with its line, and reading goes on, so that all of it is said at once.

use super::Error;
use crate::corpus::Problem;
use serde_json::{Map, Value};
use std::path::Path;

/// One question as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its fields, in the file's order.
    pub fields: Map<String, Value>,
}

/// Reads `path`: CSV where its name ends so, else one JSON object a line. Empty lines are passed over. Files with tabs
/// between the columns are refused by name: read as JSON, each of their lines would be wrong.
pub fn rows(path: &Path, problems: &mut Vec<Problem>) -> Result<Vec<Row>, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source })?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            problems.push(problem(path, Some(line), "not UTF-8 text"));
            return Ok(Vec::new());
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let ends = |end: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
    if ends("tsv") || ends("tab") {
        let hint = Some("save it as CSV with commas between the columns, or as JSONL".into());
        problems.push(Problem { hint, ..problem(path, None, "columns with tabs between them are not read") });
        return Ok(Vec::new());
    }
    let is_csv = ends("csv");
    let found = problems.len();
    let rows = if is_csv { csv_rows(path, text, problems) } else { json_rows(path, text, problems) };
    if rows.is_empty() && problems.len() == found {
        problems.push(problem(path, None, "no question in it"));
    }
    Ok(rows)
}

fn json_rows(path: &Path, text: &str, problems: &mut Vec<Problem>) -> Vec<Row> {
    if text.trim_start().starts_with('[') {
        let hint = Some("write the objects of the list without the list, one a line".into());
        problems.push(Problem { hint, ..problem(path, Some(1), "a JSON list, not one JSON object a line") });
        return Vec::new();
    }
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(fields)) => rows.push(Row { line: index + 1, fields }),
            Ok(_) => problems.push(problem(path, Some(index + 1), "not a JSON object")),
            Err(e) => {
                problems.push(problem(path, Some(index + 1), &format!("not JSON, from column {} on", e.column())))
            }
        }
    }
    rows
}

fn csv_rows(path: &Path, text: &str, problems: &mut Vec<Problem>) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(e) => {
            problems.push(problem(path, Some(1), &e.to_string()));
            return Vec::new();
        }
    };
    let found = problems.len();
    header_problems(path, &header, problems);
    if problems.len() > found {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, |p| p.line() as usize);
                let pairs = header.iter().zip(&record).filter(|(_, value)| !value.trim().is_empty());
                rows.push(Row { line, fields: pairs.map(|(k, v)| (k.into(), Value::String(v.into()))).collect() });
            }
            Err(e) => {
                let line = e.position().map(|p| p.line() as usize);
                let message = match e.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        let s = if *len == 1 { "" } else { "s" };
                        format!("{len} column{s}, and the header has {expected_len}")
                    }
                    _ => e.to_string(),
                };
                problems.push(problem(path, line, &message));
            }
        }
    }
    rows
}

/// What keeps a header from naming the columns: another mark between them, or one name for two of them.
fn header_problems(path: &Path, header: &csv::StringRecord, problems: &mut Vec<Problem>) {
    if header.len() == 1 && header[0].contains([';', '\t']) {
        let mark = if header[0].contains(';') { "semicolons" } else { "tabs" };
        let hint = Some("save it with commas between the columns, or as JSONL".into());
        problems.push(Problem { hint, ..problem(path, Some(1), &format!("one column only, with {mark} in its name")) });
    }
    for (index, name) in header.iter().enumerate() {
        if !name.is_empty() && header.iter().position(|other| other == name) != Some(index) {
            problems.push(problem(path, Some(1), &format!("two columns are called `{name}`")));
        }
    }
}

/// A problem without a hint.
pub fn problem(path: &Path, line: Option<usize>, message: &str) -> Problem {
    Problem { path: path.into(), line, message: message.into(), hint: None }
}
