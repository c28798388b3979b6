//! The committed files of one task, as bytes. Which template may name what is decided here, and only `solve.sh` and
//! `case.json` may name the key.

use super::Error;
use super::fill::fill;
use super::template::Templates;
use crate::corpus::{Corpus, Question};
use serde_json::json;

/// One file of a task directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// Its path below the task directory.
    pub path: &'static str,
    /// Its bytes.
    pub text: String,
    /// Its permission bits, as git would check it out.
    pub mode: u32,
}

/// Where a task's manifest lies in its directory.
pub const TASK_TOML: &str = "task.toml";

/// Where question and key lie in a task directory.
pub const CASE_JSON: &str = "tests/case.json";

/// The committed files of the task made from `question`.
pub fn render(corpus: &Corpus, templates: &Templates, question: &Question) -> Result<Vec<TaskFile>, Error> {
    let suite = &corpus.suite;
    let instruction = [("question", Some(question.question.clone())), ("id", Some(question.id.clone()))];
    let hosts: Vec<String> = suite.allowed_hosts.iter().map(|host| toml_string(host)).collect();
    let task = [
        ("id", Some(toml_string(&question.id))),
        ("source", suite.source.as_deref().map(toml_string)),
        ("suite", Some(toml_string(&suite.suite))),
        ("difficulty", question.difficulty.as_deref().map(toml_string)),
        ("measures", Some(toml_string(&measures(corpus, question)))),
        ("question_type", question.question_type.as_deref().map(toml_string)),
        ("corpus_digest", Some(toml_string(&corpus.digest))),
        ("allowed_hosts", Some(format!("[{}]", hosts.join(", ")))),
    ];
    let solve = [("answer", Some(shell_string(&question.answer)))];
    let mut case = json!({"input": question.question, "ground_truth": question.answer});
    if let Some(key) = &question.key {
        case["key"] = key.clone();
    }
    let case = serde_json::to_string_pretty(&case).expect("two strings make JSON");

    let file = |path, text, mode| TaskFile { path, text, mode };
    let filled = |template: &super::template::Template, values: &[super::fill::Value]| {
        fill(&template.path, &template.text, values)
    };
    Ok(vec![
        file("instruction.md", filled(&templates.instruction, &instruction)?, 0o644),
        file(TASK_TOML, filled(&templates.task, &task)?, 0o644),
        file("environment/Dockerfile", templates.dockerfile.text.clone(), 0o644),
        file("environment/.dockerignore", templates.dockerignore.text.clone(), 0o644),
        file("solution/solve.sh", filled(&templates.solve, &solve)?, 0o755),
        file(CASE_JSON, case + "\n", 0o644),
    ])
}

/// What a task measures, in a sentence.
fn measures(corpus: &Corpus, question: &Question) -> String {
    let suite = &corpus.suite.suite;
    let kind = question.question_type.as_ref();
    let kind = kind.map(|kind| format!(", of the type {}", kind.replace('_', " "))).unwrap_or_default();
    format!("whether an agent finds the one right answer to a question about the documents of {suite}{kind}")
}

/// A TOML string of any text.
pub fn toml_string(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

/// One POSIX shell word of any text: single quotes take everything but themselves literally.
fn shell_string(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
