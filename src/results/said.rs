//! What a judge said and left, beside its verdict: the replies of models, what a script wrote, and the files of its
//! `/logs/verifier`, which lie in `verifier/` as Harbor keeps them. Whoever calls this syncs it.

use super::Error;
use super::file::{append, make_folder, write_unsynced};
use crate::judge::{RawReply, ScriptRun, VERIFIER};
use serde_json::json;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Every reply of a model, a line each.
const REPLIES: &str = "replies.jsonl";

/// What a script wrote, by Harbor's name for it.
const OUTPUT: &str = "test-stdout.txt";

/// What no file of a script's takes the place of: these are ours, and the reward that counts is the record's.
const OURS: [&str; 6] = [REPLIES, OUTPUT, "verdict.json", "reward.txt", "reward.json", "judgments"];

/// Keeps what was said in `folder`, which is there. Replies go behind those of earlier judgments of the same answer; what
/// an earlier run of the script left is replaced.
pub fn keep(folder: &Path, replies: &[RawReply], script: Option<&ScriptRun>) -> Result<(), Error> {
    let lines: String = replies.iter().map(|reply| format!("{}\n", json!(reply))).collect();
    if !lines.is_empty() {
        let path = folder.join(REPLIES);
        append(&path)?.write_all(lines.as_bytes()).map_err(|source| Error::Write { path, source })?;
    }
    let Some(script) = script else { return Ok(()) };
    forget(folder)?;
    write_unsynced(&folder.join(OUTPUT), &script.output)?;
    for file in &script.files.files {
        // No `..` is in it: the list of a sandbox's files is checked for that.
        let name = Path::new(file.path.trim_start_matches(VERIFIER).trim_start_matches('/'));
        if name.iter().next().is_none_or(|first| OURS.iter().any(|ours| first == *ours)) {
            continue;
        }
        let path = folder.join(name);
        make_folder(path.parent().unwrap_or(folder))?;
        write_unsynced(&path, &file.bytes)?;
    }
    Ok(())
}

/// Removes what an earlier run of the script left.
fn forget(folder: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|source| Error::Read { path: folder.to_path_buf(), source })?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if OURS.iter().any(|ours| name == *ours) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        match if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) } {
            Err(source) if source.kind() != ErrorKind::NotFound => return Err(Error::Write { path, source }),
            _ => {}
        }
    }
    Ok(())
}
