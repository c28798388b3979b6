//! What is put into a sandbox before something runs there, whoever runs it.

use super::{Error, Sandbox};
use std::path::Path;

/// Folders that Harbor's agents and scripts may write to, there for each of them.
pub const LOG_FOLDERS: [&str; 3] = ["/logs/agent", "/logs/verifier", "/logs/artifacts"];

/// Writes a folder of this machine into the sandbox as `target`. Links are refused: what they lead to is not the
/// folder's.
///
/// # Errors
/// [`Error::Refused`] with the path that can't be read here; else as [`Sandbox::write`].
pub async fn bring_in(sandbox: &mut Sandbox, folder: &Path, target: &str) -> Result<(), Error> {
    let refused = |path: &Path, why: &dyn std::fmt::Display| {
        Error::Refused(format!("bring in `{target}`: `{}`: {why}", path.display()))
    };
    for entry in walkdir::WalkDir::new(folder).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|e| refused(e.path().unwrap_or(folder), &e))?;
        let path = entry.path();
        if entry.file_type().is_dir() {
            continue;
        }
        if !entry.file_type().is_file() {
            return Err(refused(path, &"it is not a regular file"));
        }
        let bytes = std::fs::read(path).map_err(|e| refused(path, &e))?;
        let name = path.strip_prefix(folder).unwrap_or(path).display();
        // Harbor makes the script executable whatever its mode here; so do we, for all of the folder.
        sandbox.write(&format!("{target}/{name}"), 0o755, &bytes).await?;
    }
    Ok(())
}
