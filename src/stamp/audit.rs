//! The audit's file, as far as a stamp needs it: what `seatrial audit --format json` prints, of format 1. It must not
//! look at tasks.

use super::error::Error;
use super::stamps::{Entry, HoldsFor, Stamps, is_folder_name};
use crate::question::Verdict;
use crate::task::Stamp;
use serde::Deserialize;
use serde_json::{Map, json};
use std::path::Path;

/// The format that is understood.
const FORMAT: u64 = 1;

/// The file as it is stored; keys that a stamp doesn't need are passed over.
#[derive(Deserialize)]
struct File {
    format: u64,
    corpus_digest: String,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    verdict: Verdict,
    key: String,
    answer: Option<String>,
    readings: Vec<Reading>,
    plan_digest: Option<String>,
}

#[derive(Deserialize)]
struct Reading {
    reading: String,
    answers: Vec<String>,
}

/// Reads an audit's file. Every question gives a stamp: the verdict, the right answer where the key is wrong, the
/// readings that give something else, and the digests of the documents and the plan by which it was found.
///
/// # Errors
/// [`Error::Read`], [`Error::Audit`], and [`Error::BadEntries`] with every id that can't be a task's.
pub fn read_audit(path: &Path) -> Result<Stamps, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
    let wrong = |message: String| Error::Audit { path: path.to_path_buf(), message };
    let file: File = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
    if file.format != FORMAT {
        return Err(wrong(format!("it has format {}, and {FORMAT} is understood", file.format)));
    }
    let bad = file.questions.iter().filter(|question| !is_folder_name(&question.id));
    let bad: Vec<String> = bad.map(|question| format!("`{}`: not the name of a task folder", question.id)).collect();
    if !bad.is_empty() {
        return Err(Error::BadEntries { path: path.to_path_buf(), entries: bad });
    }
    let corpus_digest = file.corpus_digest;
    let entries = file.questions.into_iter().map(|question| entry(question, &corpus_digest)).collect();
    Ok(Stamps { path: path.to_path_buf(), entries })
}

fn entry(question: Question, corpus_digest: &str) -> Entry {
    let mut audit = Map::new();
    audit.insert("verdict".into(), question.verdict.word().into());
    if let Some(answer) = question.answer.filter(|_| question.verdict == Verdict::Wrong) {
        audit.insert("answer".into(), answer.into());
    }
    if !question.readings.is_empty() {
        let answers = |r: &Reading| if r.answers.is_empty() { "nobody".to_owned() } else { r.answers.join(", ") };
        let readings: Vec<String> =
            question.readings.iter().map(|r| format!("{}: {}", r.reading, answers(r))).collect();
        audit.insert("readings".into(), json!(readings));
    }
    audit.insert("corpus_digest".into(), corpus_digest.into());
    audit.extend(question.plan_digest.map(|digest| ("plan_digest".to_owned(), digest.into())));
    Entry {
        id: question.id,
        stamp: Some(Stamp { audit: Some(audit), ..Stamp::default() }),
        holds_for: Some(HoldsFor::Key { key: question.key, corpus_digest: corpus_digest.to_owned() }),
    }
}
