//! The documents of a corpus: which files a folder holds, in one order, and the digest of their bytes.
//! Links are never followed; whatever is neither a file nor a folder is an error with its path.

use super::Error;
use globset::GlobMatcher;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// One document. Its bytes stay on disk: a corpus may be larger than memory should hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its path below the documents' folder, with `/` between the parts.
    pub path: String,
    /// Where it is on this machine.
    pub source: PathBuf,
    /// Its size in bytes.
    pub size: u64,
}

/// The files below `folder` that match `glob` (all, where there is none), sorted by path.
///
/// Fails on a link, pipe, socket or device anywhere in the folder, matched or not, and on names that aren't UTF-8.
pub fn documents(folder: &Path, glob: Option<&GlobMatcher>) -> Result<Vec<Document>, Error> {
    let root = std::fs::symlink_metadata(folder).map_err(|source| Error::Read { path: folder.into(), source })?;
    if root.is_symlink() {
        return Err(Error::NotPlain { path: folder.into(), what: "a symbolic link" });
    }
    if !root.is_dir() {
        return Err(Error::Read { path: folder.into(), source: std::io::Error::other("not a folder") });
    }
    let mut found = Vec::new();
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(|e| Error::Read {
            path: e.path().unwrap_or(folder).into(),
            source: e.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of folders")),
        })?;
        let kind = entry.file_type();
        if kind.is_dir() {
            continue;
        }
        if !kind.is_file() {
            let what = if kind.is_symlink() { "a symbolic link" } else { "a pipe, socket or device" };
            return Err(Error::NotPlain { path: entry.path().into(), what });
        }
        let path = relative(entry.path(), folder)?;
        if glob.is_none_or(|g| g.is_match(&path)) {
            let meta = entry.metadata().map_err(|e| Error::Read { path: entry.path().into(), source: e.into() })?;
            found.push(Document { path, source: entry.path().into(), size: meta.len() });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// `sha256:…` over every document's path, size and bytes, in order.
pub fn digest(documents: &[Document]) -> Result<String, Error> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    for document in documents {
        let fail = |source| Error::Read { path: document.source.clone(), source };
        hasher.update(format!("{}\0{}\0", document.path, document.size));
        let mut file = File::open(&document.source).map_err(fail)?;
        loop {
            match file.read(&mut buffer).map_err(fail)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            }
        }
    }
    let hex: String = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

fn relative(path: &Path, folder: &Path) -> Result<String, Error> {
    let below = path.strip_prefix(folder).expect("a walk stays below its root");
    let parts: Option<Vec<&str>> = below.components().map(|c| c.as_os_str().to_str()).collect();
    parts
        .map(|p| p.join("/"))
        .ok_or_else(|| Error::Read { path: path.into(), source: std::io::Error::other("the name is not UTF-8") })
}
