//! Whole files, and files that survive a power cut. No other file of this room may create a file that is read back.

use super::Error;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How the names of unfinished files end; [`remove_unfinished`] knows them by it.
const SUFFIX: &str = ".seatrial.tmp";

/// How many threads share the syncing of one trial's files: enough for the file system to join them, few enough to be
/// cheaper than what they save.
const SYNC_THREADS: usize = 4;

/// Replaces the file at `path` in one step, durably: temporary file beside it, sync, rename, sync of the folder.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let wrap = |source| Error::Write { path: path.to_path_buf(), source };
    let file = unfinished(path, bytes)?;
    file.as_file().sync_data().map_err(wrap)?;
    file.persist(path).map_err(|e| wrap(e.error))?;
    sync_together(&[folder(path)])
}

/// Replaces the file at `path` in one step, but leaves the syncing to the caller's [`sync_together`].
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let wrap = |source| Error::Write { path: path.to_path_buf(), source };
    unfinished(path, bytes)?.persist(path).map_err(|e| wrap(e.error))?;
    Ok(())
}

/// Writes `bytes` beside `path` under a temporary name, neither synced nor renamed yet.
pub fn unfinished(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, Error> {
    let wrap = |source| Error::Write { path: path.to_path_buf(), source };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // as any new file: the umask decides
    let mut file = builder.tempfile_in(folder(path)).map_err(bare).map_err(wrap)?;
    file.write_all(bytes).map_err(bare).map_err(wrap)?;
    Ok(file)
}

/// The system's own error, without the temporary name that the library puts into it.
fn bare(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.source()?.downcast_ref::<io::Error>()?.raw_os_error());
    inner.map_or(error, io::Error::from_raw_os_error)
}

/// Syncs files and folders, several at the same time: a journaling file system commits what is waiting in one go, which
/// takes about as long as one of them alone. (Not `syncfs`, which would wait for whatever else is being written to the
/// same disk, such as an image.)
pub fn sync_together(paths: &[PathBuf]) -> Result<(), Error> {
    let sync = |path: &PathBuf| {
        File::open(path).and_then(|file| file.sync_all()).map_err(|source| Error::Write { path: path.clone(), source })
    };
    let share = paths.len().div_ceil(SYNC_THREADS).max(1);
    let mut shares = paths.chunks(share);
    let mine = shares.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = shares.map(|paths| scope.spawn(move || paths.iter().try_for_each(sync))).collect();
        let mut result = mine.iter().try_for_each(sync);
        for other in others {
            result = result.and(other.join().expect("syncing does not panic"));
        }
        result
    })
}

/// Makes a folder and its parents.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// Opens a file for appending, and makes it where it is missing.
pub fn append(path: &Path) -> Result<File, Error> {
    let wrap = |source| Error::Write { path: path.to_path_buf(), source };
    File::options().create(true).append(true).open(path).map_err(wrap)
}

/// Removes what a killed runner had not finished writing, directly in `folder`.
pub fn remove_unfinished(folder: &Path) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        if is_unfinished(&entry.file_name().to_string_lossy()) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|source| Error::Write { path, source })?;
        }
    }
    Ok(())
}

/// Whether a file of this name is what a killed runner had not finished writing.
pub fn is_unfinished(name: &str) -> bool {
    name.ends_with(SUFFIX)
}

/// The folder that holds `path`; `.` for a bare file name.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
