//! What else was left in a sandbox: by the agent, the files of the task's own list, which a script judge needs beside the
//! answer; by a script, its own folder.
//!
//! This room must not judge, and it follows no link: what is none of the listed files, or no regular file, is left where
//! it is. Agents can't fill this machine: what goes over [`crate::artifact::CAP`] or [`crate::artifact::MOST`] is not
//! taken, and the record says so.

use crate::sandbox::{self, File, Sandbox};
use serde::{Deserialize, Serialize};

/// The most that is taken of one trial, in bytes.
pub const CAP: u64 = 64 << 20;

/// The most files that are taken of one trial.
pub const MOST: usize = 2000;

/// The largest list of a folder's files, in bytes.
const LIST_CAP: u64 = 1 << 20;

/// A folder that Harbor always takes.
const ALWAYS: &str = "/logs/artifacts";

/// What was left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artifacts {
    /// The files, in the order of the task's list, a folder's by name.
    pub files: Vec<Artifact>,
    /// The path with which it became too much; `None` where all of it was taken.
    pub over: Option<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its absolute path in the container.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Takes what is at `paths` (files, or folders with all that is below) and in `/logs/artifacts`, but for `except`.
/// Call it when no process of the agent is alive any more.
///
/// # Errors
/// Where the sandbox can't be asked; that is no statement about what is there.
pub async fn take(sandbox: &mut Sandbox, paths: &[String], except: &str) -> Result<Artifacts, sandbox::Error> {
    gather(sandbox, paths.iter().map(String::as_str).chain([ALWAYS]), except).await
}

/// Takes all that is below one folder.
///
/// # Errors
/// As [`take`].
pub async fn take_folder(sandbox: &mut Sandbox, folder: &str) -> Result<Artifacts, sandbox::Error> {
    gather(sandbox, [folder].into_iter(), "").await
}

async fn gather(
    sandbox: &mut Sandbox,
    paths: impl Iterator<Item = &str>,
    except: &str,
) -> Result<Artifacts, sandbox::Error> {
    let mut taken = Artifacts::default();
    let mut left = CAP;
    for path in paths {
        let files = match sandbox.list(path, LIST_CAP).await? {
            Some(names) => names.iter().map(|name| format!("{}/{name}", path.trim_end_matches('/'))).collect(),
            None => vec![path.to_owned()],
        };
        for path in files {
            if path == except || taken.files.iter().any(|file| file.path == path) {
                continue;
            }
            match sandbox.read(&path, left).await? {
                File::Regular(bytes) if taken.files.len() < MOST => {
                    left -= bytes.len() as u64;
                    taken.files.push(Artifact { path, bytes });
                }
                File::Regular(_) | File::Other(sandbox::Found::TooLarge) => {
                    taken.over = Some(path);
                    return Ok(taken);
                }
                File::Other(_) => {}
            }
        }
    }
    Ok(taken)
}
