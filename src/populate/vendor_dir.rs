//! A new vendor directory appears whole or not at all, and never over what is there already.

use super::Error;
use super::generate::sync;
use crate::corpus::load;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a new vendor directory: paths below it, with their texts.
///
/// # Errors
/// Where the directory holds something, can't be written, or would be no vendor directory that can be read.
pub fn write_vendor(dir: &Path, files: &[(String, String)]) -> Result<(), Error> {
    refuse_full(dir)?;
    write_whole(dir, |staging| {
        for (file, text) in files {
            let path = staging.join(file);
            let folder = path.parent().unwrap_or(staging);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
            written.map_err(|source| Error::Write { path, source })?;
        }
        load(staging, None)?;
        Ok(())
    })
}

/// Fails where something is in the directory already.
pub fn refuse_full(dir: &Path) -> Result<(), Error> {
    match std::fs::read_dir(dir).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::NotEmpty(dir.into())),
        Err(_) if !dir.exists() && !dir.is_symlink() => Ok(()),
        Err(source) => Err(Error::Read { path: dir.into(), source }),
    }
}

/// Fills a folder beside `dir` and gives it that name when it is complete.
pub fn write_whole(dir: &Path, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    let fail = |source| Error::Write { path: dir.into(), source };
    let full = std::path::absolute(dir).map_err(fail)?;
    let parent = full.parent().unwrap_or(&full);
    std::fs::create_dir_all(parent).map_err(fail)?;
    let holder = tempfile::Builder::new().prefix(".init-").tempdir_in(parent).map_err(fail)?;
    let staging = holder.path().join("vendor");
    std::fs::create_dir(&staging).map_err(fail)?;
    std::fs::set_permissions(&staging, Permissions::from_mode(0o755)).map_err(fail)?;
    fill(&staging)?;
    sync(&staging).map_err(fail)?;
    if full.exists() {
        // An empty folder of the user's stays the one it is: a shell may be in it. The manifest comes last.
        let mut parts = Vec::new();
        for entry in std::fs::read_dir(&staging).map_err(fail)? {
            parts.push(entry.map_err(fail)?.file_name());
        }
        parts.sort_by_key(|part| (part == "suite.toml", part.clone()));
        for part in parts {
            std::fs::rename(staging.join(&part), full.join(&part)).map_err(fail)?;
        }
    } else {
        std::fs::rename(&staging, &full).map_err(fail)?;
    }
    std::fs::File::open(parent).and_then(|dir| dir.sync_all()).map_err(fail)
}
