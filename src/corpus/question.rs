//! Questions with their answer keys, read from one JSON object a line by the manifest's field mapping.
//! A question's id comes from its line, so an empty line in the middle is an error: it would move every later id.

use super::{Problem, Suite};
use serde_json::Value;
use std::path::Path;

/// One question of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The id of the task made from it.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// The answer key.
    pub answer: String,
    /// How hard the source says it is.
    pub difficulty: Option<String>,
    /// The question's type.
    pub question_type: Option<String>,
    /// How the answer is found, where the record says it.
    pub plan: Option<String>,
    /// The answer key with its kind, for judges that compare by kind, where the record says it.
    pub key: Option<Value>,
}

/// Reads all questions of `text`, or says all that is wrong with it, line by line. `path` is named in problems.
pub fn read(suite: &Suite, path: &Path, text: &str) -> Result<Vec<Question>, Vec<Problem>> {
    let mut questions = Vec::new();
    let mut problems = Vec::new();
    for (line, row) in text.lines().enumerate() {
        match question(suite, line, row) {
            Ok(question) => questions.push(question),
            Err(messages) => {
                problems.extend(messages.into_iter().map(|message| problem(path, Some(line + 1), message)))
            }
        }
    }
    if questions.is_empty() && problems.is_empty() {
        problems.push(problem(path, None, "no question in it".into()));
    }
    // A mapping that no record follows is a typo, not a suite without that field.
    let fields = [
        ("difficulty", &suite.fields.difficulty, questions.iter().any(|q| q.difficulty.is_some())),
        ("question_type", &suite.fields.question_type, questions.iter().any(|q| q.question_type.is_some())),
    ];
    for (name, mapped, seen) in fields {
        if let (Some(mapped), false, false) = (mapped, seen, questions.is_empty()) {
            problems.push(problem(
                path,
                None,
                format!("no record has `{mapped}`, where the suite file looks for `{name}`"),
            ));
        }
    }
    if problems.is_empty() { Ok(questions) } else { Err(problems) }
}

/// What a record holds at a dotted path.
pub fn at_path<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(record, |value, key| value.get(key))
}

fn question(suite: &Suite, line: usize, row: &str) -> Result<Question, Vec<String>> {
    if row.trim().is_empty() {
        return Err(vec!["the line is empty, and ids are counted by lines".into()]);
    }
    let record: Value = serde_json::from_str(row).map_err(|e| vec![format!("not JSON: {}", without_line(&e))])?;
    if !record.is_object() {
        return Err(vec!["not a JSON object".into()]);
    }
    let mut messages = Vec::new();
    let mut text = |path: &str, needed: bool| match at_path(&record, path) {
        Some(Value::String(s)) if s.trim().is_empty() => {
            messages.push(format!("`{path}` is empty"));
            None
        }
        Some(Value::String(s)) if s.contains('\0') => {
            messages.push(format!("`{path}` holds a NUL character, which no file of text can"));
            None
        }
        Some(Value::String(s)) => Some(s.clone()),
        Some(Value::Null) | None if !needed => None,
        Some(Value::Null) | None => {
            messages.push(format!("no `{path}`"));
            None
        }
        Some(_) => {
            messages.push(format!("`{path}` is not a string"));
            None
        }
    };
    let fields = &suite.fields;
    let asked = text(&fields.question, true);
    let answer = text(&fields.answer, true);
    let difficulty = fields.difficulty.as_deref().and_then(|path| text(path, false));
    let question_type = fields.question_type.as_deref().and_then(|path| text(path, false));
    let plan = text(&fields.plan, false);
    let key = at_path(&record, &fields.key).filter(|key| !key.is_null()).cloned();
    if key.as_ref().is_some_and(|key| !key.is_object()) {
        messages.push(format!("`{}` is not an object", fields.key));
    }
    match (asked, answer) {
        (Some(question), Some(answer)) if messages.is_empty() => {
            Ok(Question { id: suite.id(line), question, answer, difficulty, question_type, plan, key })
        }
        _ => Err(messages),
    }
}

/// serde_json counts lines within the one line that it was given; only the column says something.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("{} at column {}", &text[..end], error.column())
}

fn problem(path: &Path, line: Option<usize>, message: String) -> Problem {
    Problem { path: path.into(), line, message, hint: None }
}
