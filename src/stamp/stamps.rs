//! What is to be stamped, task by task, whichever file it comes from. Data only.

use crate::task::Stamp;
use std::path::PathBuf;

/// What a file says about tasks.
#[derive(Debug, Clone)]
pub struct Stamps {
    /// The file it was read from.
    pub path: PathBuf,
    /// Its entries, in the file's order.
    pub entries: Vec<Entry>,
}

/// One task's entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The task's name.
    pub id: String,
    /// What is to be written; `None` where that is still open.
    pub stamp: Option<Stamp>,
    /// What a task must have for this to be about it; `None` where its name is enough.
    pub holds_for: Option<HoldsFor>,
}

/// What a stamp is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldsFor {
    /// What an audit looked at.
    Key {
        /// The answer key.
        key: String,
        /// The digest of the documents, `sha256:…`.
        corpus_digest: String,
    },
    /// What was measured: the task's content digest, `sha256:…`.
    Task(String),
}

/// One path component, and one that a person would take for a name.
pub fn is_folder_name(id: &str) -> bool {
    !id.is_empty() && id != "." && id != ".." && !id.contains(['/', '\\']) && !id.contains(char::is_control)
}
