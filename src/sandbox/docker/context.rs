//! A build context as one archive in memory, the same bytes for the same files: sorted, times zeroed, owner root,
//! modes kept, links stored as links, `.dockerignore` applied (with the engine's API that is the client's work).

use super::ignore::Ignore;
use crate::sandbox::Error;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use tar::{Builder, EntryType, Header};
use walkdir::WalkDir;

/// Packs the folder.
///
/// # Errors
/// [`Error::Context`] with the path that can't be read, or that is a pipe, socket or device and can't be sent.
pub fn pack(folder: &Path) -> Result<Vec<u8>, Error> {
    let ignore = read_ignore(folder)?;
    let mut archive = Builder::new(Vec::new());
    // Links are recorded, never followed: what they point to on this machine must not get into an image.
    let mut walk = WalkDir::new(folder).min_depth(1).follow_links(false).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|e| {
            let path = e.path().unwrap_or(folder).to_owned();
            let why = e.io_error().map_or_else(|| e.to_string(), ToString::to_string);
            at(&path, why)
        })?;
        let path = entry.path();
        let name = path.strip_prefix(folder).unwrap_or(path);
        let Some(text) = name.to_str() else { return Err(at(path, "its name is not UTF-8")) };
        // The engine's client sends these two whatever the patterns say: the engine needs them.
        if text != "Dockerfile" && text != ".dockerignore" && ignore.excludes(text) {
            if entry.file_type().is_dir() && ignore.skips_all_of(text) {
                walk.skip_current_dir();
            }
            continue;
        }
        add(&mut archive, path, name).map_err(|why| at(path, why))?;
    }
    archive.into_inner().map_err(|e| at(folder, e))
}

fn add(archive: &mut Builder<Vec<u8>>, path: &Path, name: &Path) -> Result<(), String> {
    let words = |e: std::io::Error| e.to_string();
    let meta = std::fs::symlink_metadata(path).map_err(words)?;
    let kind = meta.file_type();
    let mut header = Header::new_gnu();
    header.set_mode(meta.permissions().mode() & 0o777);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(0);
    if kind.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_mode(0o777);
        let target = std::fs::read_link(path).map_err(words)?;
        return archive.append_link(&mut header, name, target).map_err(words);
    }
    if kind.is_dir() {
        header.set_entry_type(EntryType::Directory);
        return archive.append_data(&mut header, name, std::io::empty()).map_err(words);
    }
    if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
        return Err("it is a pipe, a socket or a device; remove it, or name it in .dockerignore".to_owned());
    }
    let bytes = std::fs::read(path).map_err(words)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    archive.append_data(&mut header, name, bytes.as_slice()).map_err(words)
}

fn read_ignore(folder: &Path) -> Result<Ignore, Error> {
    let path = folder.join(".dockerignore");
    // A pipe of that name would block for ever; a link is nothing that a build would look through either.
    match std::fs::symlink_metadata(&path) {
        Ok(meta) if meta.is_file() => {
            std::fs::read_to_string(&path).map(|text| Ignore::parse(&text)).map_err(|e| at(&path, e))
        }
        Ok(_) => Err(at(&path, "it is not a regular file")),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Ignore::default()),
        Err(e) => Err(at(&path, e)),
    }
}

fn at(path: &Path, why: impl ToString) -> Error {
    Error::Context { path: path.display().to_string(), why: why.to_string() }
}
