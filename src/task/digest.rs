//! What a task is, in two digests.
//!
//! `harbor` is Harbor's own: it goes into lock files, so that both programs see the same task. Over the files
//! `task.toml`, `instruction.md`, `README.md`, `trajectory.json` and everything under `environment/`, `tests/`,
//! `solution/` and `steps/`, by path, it is the SHA-256 of the lines `path NUL sha256hex LF`. Left out are the names that
//! Harbor ignores by default; a task's own `.gitignore` or `.harborignore` is not read.
//!
//! `content` says whether a trial would still be the same trial. It differs in three ways: `task.toml` counts by its
//! meaning, without `difficulty`, `calibration`, `audit` and `ideal` in `[metadata]`, so that stamping a task doesn't void what was
//! measured; `README.md` and `trajectory.json` don't count; a file's execute bit and a link's target do.
//!
//! Both count populated files, so they are taken after `populate`. Links are never followed: a link stands for its
//! target's text, also in `harbor`, where Harbor itself would read through it.

use super::error::Error;
use super::node::parse_toml;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A task's two digests, each `sha256:` with 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// Harbor's task digest.
    pub harbor: String,
    /// Changes with anything that decides a trial, and with nothing else.
    pub content: String,
}

/// Takes both digests of the task in `dir`.
///
/// # Errors
/// [`Error::Read`] where a file can't be read.
pub fn digests(dir: &Path) -> Result<Digests, Error> {
    let mut harbor = Sha256::new();
    let mut content = Sha256::new();
    for (rel, path) in files(dir)? {
        let read = |source| Error::Read { path: path.clone(), source };
        let meta = std::fs::symlink_metadata(&path).map_err(read)?;
        let (kind, bytes) = if meta.is_symlink() {
            ("link", std::fs::read_link(&path).map_err(read)?.as_os_str().as_bytes().to_vec())
        } else {
            let kind = if meta.permissions().mode() & 0o111 == 0 { "file" } else { "exec" };
            (kind, std::fs::read(&path).map_err(read)?)
        };
        let sum = hex(&bytes);
        harbor.update(format!("{rel}\0{sum}\n"));
        match rel.as_str() {
            "README.md" | "trajectory.json" => {}
            "task.toml" => content.update(format!("{rel}\0spec\0{}\n", hex(meaning(&bytes).as_bytes()))),
            _ => content.update(format!("{rel}\0{kind}\0{sum}\n")),
        }
    }
    Ok(Digests { harbor: finish(harbor), content: finish(content) })
}

/// The files that count, by their path in the task, in the order of that path.
fn files(dir: &Path) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut files = BTreeMap::new();
    for name in ["task.toml", "instruction.md", "README.md", "trajectory.json"] {
        let path = dir.join(name);
        if path.is_file() {
            files.insert(name.to_string(), path);
        }
    }
    for folder in ["environment", "tests", "solution", "steps"] {
        let root = dir.join(folder);
        if !root.is_dir() {
            continue;
        }
        for entry in walkdir::WalkDir::new(&root).into_iter().filter_entry(|e| !is_ignored(e.file_name().as_bytes())) {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(&root).to_path_buf();
                Error::Read { path, source: e.into() }
            })?;
            if entry.file_type().is_file() || entry.file_type().is_symlink() {
                let rel = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                files.insert(rel.to_string_lossy().into_owned(), entry.into_path());
            }
        }
    }
    Ok(files)
}

/// Harbor's default ignore list.
fn is_ignored(name: &[u8]) -> bool {
    let ends = [".pyc".as_bytes(), b".swp", b".swo", b"~"];
    name == b"__pycache__" || name == b".DS_Store" || ends.iter().any(|end| name.ends_with(end))
}

/// A `task.toml` by its meaning: keys sorted, comments and spaces gone, the stamp left out. Text that isn't TOML stands
/// for itself.
fn meaning(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (node, errors) = parse_toml(text.strip_prefix('\u{feff}').unwrap_or(&text));
    if !errors.is_empty() {
        return text.into_owned();
    }
    let mut value = node.value.to_json();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|key, _| !["difficulty", "calibration", "audit", "ideal"].contains(&key.as_str()));
    }
    // The first stamp may have brought the table.
    if let Some(all) = value.as_object_mut() {
        all.retain(|key, value| key != "metadata" || value.as_object().is_none_or(|table| !table.is_empty()));
    }
    value.sort_all_objects();
    value.to_string()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn finish(hasher: Sha256) -> String {
    format!("sha256:{}", hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}
