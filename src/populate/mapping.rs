//! Which field of a user's records is the question, which the key, which the rest: by the names that such files
//! commonly use, or by what the user says.

use super::rows::{Row, problem};
use crate::corpus::{Problem, at_path};
use crate::spelling::close_to;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The fields that the user names; the others are found by their usual names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldFlags {
    /// The question's field.
    pub question: Option<String>,
    /// The key's field.
    pub answer: Option<String>,
    /// The difficulty's field.
    pub difficulty: Option<String>,
    /// The question type's field.
    pub question_type: Option<String>,
}

/// One part of a question and the field it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// `question`, `answer`, `difficulty` or `question_type`.
    pub part: &'static str,
    /// The field; `None` where the records have none for it.
    pub field: Option<String>,
    /// Other fields with a usual name for this part, which are not used for it.
    pub unused: Vec<String>,
}

/// The usual names of each part's field, best first.
const USUAL: [(&str, &[&str]); 4] = [
    ("question", &["question", "input", "problem", "prompt", "query"]),
    ("answer", &["answer", "ground_truth", "expected", "target", "expected_answer", "gold"]),
    ("difficulty", &["difficulty", "level", "agent_args.extra.difficulty", "metadata.difficulty"]),
    (
        "question_type",
        &[
            "question_type",
            "answer_type",
            "category",
            "type",
            "agent_args.extra.question_type",
            "metadata.question_type",
        ],
    ),
];

/// Finds the field of every part. What is missing or misspelt is added to `problems`.
pub fn map_fields(path: &Path, rows: &[Row], flags: &FieldFlags, problems: &mut Vec<Problem>) -> Vec<Mapped> {
    let names: BTreeSet<&str> = rows.iter().flat_map(|row| row.fields.keys().map(String::as_str)).collect();
    let listed = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let wishes = [&flags.question, &flags.answer, &flags.difficulty, &flags.question_type];
    let mut mapping = Vec::new();
    for ((part, usual), wish) in USUAL.into_iter().zip(wishes) {
        let option = if part == "question_type" { "--type-field".into() } else { format!("--{part}-field") };
        if let Some(wish) = wish {
            if !rows.is_empty() && !rows.iter().any(|row| value(row, wish).is_some()) {
                let close = close_to(wish, names.iter().copied());
                let guess = close.first().map_or(format!("there are {listed}"), |c| format!("did you mean `{c}`?"));
                problems.push(problem(path, None, &format!("no record has the field `{wish}` of `{option}`; {guess}")));
            }
            mapping.push(Mapped { part, field: Some(wish.clone()), unused: Vec::new() });
            continue;
        }
        let mut present = usual.iter().filter_map(|usual| spelling(rows, &names, usual));
        let field = present.next();
        if field.is_none() && matches!(part, "question" | "answer") && !rows.is_empty() {
            let hint = Some(format!("`{option} NAME` says which field it is"));
            let message = format!("no field looks like the {part}; there are {listed}");
            problems.push(Problem { hint, ..problem(path, None, &message) });
        }
        mapping.push(Mapped { part, field, unused: present.collect() });
    }
    mapping
}

/// The records that a suite's questions file holds: the mapped parts under their own names, then every other field as
/// it came. What a record lacks is added to `problems`, line by line.
pub fn records(path: &Path, rows: &[Row], mapping: &[Mapped], problems: &mut Vec<Problem>) -> Vec<Map<String, Value>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut records = Vec::new();
    for row in rows {
        let mut record = Map::new();
        for (part, field) in mapping.iter().filter_map(|m| Some((m.part, m.field.as_deref()?))) {
            let needed = matches!(part, "question" | "answer");
            match value(row, field).map(text) {
                Some(Ok(text)) => {
                    record.insert(part.into(), Value::String(text));
                }
                Some(Err(what)) => problems.push(problem(path, Some(row.line), &format!("`{field}` {what}"))),
                None if needed => problems.push(problem(path, Some(row.line), &format!("no `{field}`"))),
                None => {}
            }
        }
        if let Some(question) = record.get("question").and_then(Value::as_str) {
            match seen.get(question) {
                Some(first) => {
                    problems.push(problem(path, Some(row.line), &format!("the same question as in line {first}")))
                }
                None => drop(seen.insert(question.into(), row.line)),
            }
        }
        let taken = |name: &str| mapping.iter().any(|m| m.part == name || m.field.as_deref() == Some(name));
        record.extend(row.fields.iter().filter(|(name, _)| !taken(name)).map(|(n, v)| (n.clone(), v.clone())));
        records.push(record);
    }
    records
}

/// How the records spell a usual name, if they have it: `Question` for `question`.
fn spelling(rows: &[Row], names: &BTreeSet<&str>, usual: &str) -> Option<String> {
    if usual.contains('.') {
        return rows.iter().any(|row| value(row, usual).is_some()).then(|| usual.to_string());
    }
    names.iter().find(|name| name.eq_ignore_ascii_case(usual)).map(|name| name.to_string())
}

/// A field by its own name, which may hold dots, or by a path of names.
fn value<'a>(row: &'a Row, field: &str) -> Option<&'a Value> {
    let found = row.fields.get(field).or_else(|| {
        let (first, rest) = field.split_once('.')?;
        at_path(row.fields.get(first)?, rest)
    });
    found.filter(|value| !value.is_null())
}

fn text(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::String(s) if s.trim().is_empty() => Err("is empty"),
        Value::String(s) if s.contains('\0') => Err("holds a NUL character, which no file of text can"),
        Value::String(s) => Ok(s.clone()),
        Value::Number(n) => Ok(n.to_string()),
        Value::Bool(b) => Ok(b.to_string()),
        _ => Err("is neither text nor a number"),
    }
}
