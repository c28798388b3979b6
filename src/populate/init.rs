//! `init`: a user's own documents and questions become a vendor directory. Everything is read and checked before the
//! first byte is written, and the folder appears whole or not at all.

use super::Error;
use super::fill::fill;
use super::mapping::{FieldFlags, Mapped, map_fields, records};
use super::mirror::{Mode, Pass, mirror};
use super::render::toml_string;
use super::restore::document_tree;
use super::rows::{problem, rows};
use super::template::{RUBRIC, SUITE};
use super::vendor_dir::{refuse_full, write_whole};
use crate::corpus::{MODEL_HOSTS, check_id_prefix, check_rubric, documents, load, refuse_secret};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a new vendor directory is made from.
#[derive(Debug, Clone)]
pub struct InitRequest {
    /// The directory to make.
    pub dir: PathBuf,
    /// The folder of documents.
    pub files: PathBuf,
    /// The questions: JSON objects, one a line, or CSV.
    pub questions: PathBuf,
    /// The user's own rubric.
    pub rubric: Option<PathBuf>,
    /// What the suite is called; the directory's name where it isn't said.
    pub name: Option<String>,
    /// What task ids begin with; made from the name where it isn't said.
    pub id_prefix: Option<String>,
    /// Fields that the user names.
    pub fields: FieldFlags,
}

/// What was found and made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialized {
    /// What the suite is called.
    pub name: String,
    /// What task ids begin with.
    pub id_prefix: String,
    /// How many documents were copied.
    pub documents: usize,
    /// How many folders they lie in, below the documents' folder.
    pub folders: usize,
    /// Their bytes.
    pub bytes: u64,
    /// How many questions there are.
    pub questions: usize,
    /// Which field gave which part.
    pub mapped: Vec<Mapped>,
}

/// Makes the vendor directory, or says everything that keeps it from being made.
pub fn init(request: &InitRequest) -> Result<Initialized, Error> {
    refuse_full(&request.dir)?;
    for path in [Some(&request.files), Some(&request.questions), request.rubric.as_ref()].into_iter().flatten() {
        std::fs::metadata(path).map_err(|source| Error::Read { path: path.clone(), source })?;
    }
    let files = request.files.canonicalize().unwrap_or_else(|_| request.files.clone());
    if real_ancestor(&request.dir).is_some_and(|dir| dir.starts_with(&files)) {
        return Err(Error::Inside { dir: request.dir.clone(), files: request.files.clone() });
    }
    let documents = documents(&request.files, None)?;
    if documents.is_empty() {
        return Err(crate::corpus::Error::NoDocuments { folder: request.files.clone(), glob: None }.into());
    }
    refuse_secret(&documents, "questions file", &request.questions)?;
    if let Some(rubric) = &request.rubric {
        refuse_secret(&documents, "rubric", rubric)?;
    }

    let mut problems = Vec::new();
    let rows = rows(&request.questions, &mut problems)?;
    let mapped = map_fields(&request.questions, &rows, &request.fields, &mut problems);
    let records = records(&request.questions, &rows, &mapped, &mut problems);
    let rubric = match &request.rubric {
        Some(path) => std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.clone(), source })?,
        None => RUBRIC.into(),
    };
    problems.extend(request.rubric.as_ref().and_then(|path| check_rubric(path, &rubric)));
    let name = request.name.clone().unwrap_or_else(|| folder_name(&request.dir));
    let id_prefix = request.id_prefix.clone().unwrap_or_else(|| to_prefix(&name));
    problems.extend(check_id_prefix(&id_prefix).err().map(|m| problem(Path::new("--id-prefix"), None, &m)));
    if !problems.is_empty() {
        // By line; what is not in the questions file comes last.
        problems.sort_by_key(|problem| (problem.path != request.questions, problem.line));
        return Err(Error::Begin(problems));
    }

    let has = |part| mapped.iter().any(|m| m.part == part && m.field.is_some()).then(|| toml_string(part));
    let hosts: String = MODEL_HOSTS.iter().map(|h| format!("\n    {},", toml_string(h))).collect();
    let values = [
        ("name", Some(toml_string(&name))),
        ("id_prefix", Some(toml_string(&id_prefix))),
        ("difficulty", has("difficulty")),
        ("question_type", has("question_type")),
        ("allowed_hosts", Some(format!("[{hosts}\n]"))),
    ];
    let suite = fill(Path::new("templates/suite.toml"), SUITE, &values)?;
    let lines: String = records.iter().map(|r| serde_json::to_string(r).expect("a JSON object") + "\n").collect();
    write_whole(&request.dir, |staging| {
        mirror(&mut Pass::new(Mode::Write), &staging.join("files"), &document_tree(&documents))?;
        for (file, text) in [("suite.toml", &suite), ("questions.jsonl", &lines), ("rubric.txt", &rubric)] {
            let path = staging.join(file);
            std::fs::write(&path, text).map_err(|source| Error::Write { path, source })?;
        }
        // What was made is read as every later command will read it, before anyone sees it.
        load(staging, None)?;
        Ok(())
    })?;

    let folders: BTreeSet<&str> = documents.iter().filter_map(|d| d.path.rsplit_once('/')).map(|(f, _)| f).collect();
    Ok(Initialized {
        name,
        id_prefix,
        documents: documents.len(),
        folders: folders.len(),
        bytes: documents.iter().map(|d| d.size).sum(),
        questions: records.len(),
        mapped,
    })
}

/// The part of a path that is there, without links in it.
fn real_ancestor(path: &Path) -> Option<PathBuf> {
    std::path::absolute(path).ok()?.ancestors().find_map(|part| part.canonicalize().ok())
}

fn folder_name(dir: &Path) -> String {
    let full = std::path::absolute(dir).unwrap_or_else(|_| dir.into());
    full.file_name().map_or("suite".into(), |name| name.to_string_lossy().into_owned())
}

/// A name as the start of ids: `My Notes (2)` becomes `my-notes-2`.
fn to_prefix(name: &str) -> String {
    let kept: String = name.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = kept.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "suite".into() } else { parts.join("-") }
}
