//! The atomic write: a task file is the old one or the new one, whole, at any moment.

use super::changes::Change;
use super::error::Error;
use std::io::Write;
use std::path::Path;

/// Writes one changed task file: a temporary file beside it, synced, then renamed over it. A link is followed to the
/// file that it means; the file keeps its permissions.
///
/// # Errors
/// [`Error::Write`]; the old text is then still there.
pub fn write(change: &Change) -> Result<(), Error> {
    replace(&change.path, change.new.as_bytes()).map_err(|source| Error::Write { path: change.path.clone(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".task.toml.").tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    std::fs::File::open(dir)?.sync_all()
}
