//! Files in the container: brought in before the agent runs, and read back after everything of it is dead.
//! Reading never follows a link and never blocks; what is not a plain file is reported, not opened.

use crate::sys;
use crate::wire::{CHUNK, Found, Report};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder with exactly these permission bits, and its parents.
pub fn mkdir(path: &str, mode: u32) -> Result<(), String> {
    let why = |e| format!("make folder `{path}`: {e}");
    DirBuilder::new().recursive(true).mode(0o755).create(path).map_err(why)?;
    std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(why)
}

/// Writes a piece of a file.
pub fn write(path: &str, mode: u32, append: bool, bytes: &[u8]) -> Result<(), String> {
    let why = |e| format!("write `{path}`: {e}");
    let mut options = OpenOptions::new();
    options.custom_flags(sys::O_NOFOLLOW);
    if append {
        options.append(true);
    } else {
        if let Some(parent) = Path::new(path).parent() {
            DirBuilder::new().recursive(true).mode(0o755).create(parent).map_err(why)?;
        }
        options.write(true).create(true).truncate(true).mode(mode);
    }
    let mut file = options.open(path).map_err(why)?;
    file.set_permissions(Permissions::from_mode(mode)).map_err(why)?;
    file.write_all(bytes).map_err(why)
}

/// Reports what is at the path and, where it is one regular file of at most `cap` bytes, sends it.
pub fn send(path: &str, cap: u64) {
    let (found, size, file) = look(path, cap);
    let Some(mut file) = file else { return crate::say(&Report::File { found, size }) };
    // The whole file is read before anything of it is sent, so that what is announced is what comes.
    let mut bytes = Vec::new();
    match Read::by_ref(&mut file).take(cap + 1).read_to_end(&mut bytes) {
        Ok(n) if n as u64 > cap => crate::say(&Report::File { found: Found::TooLarge, size: n as u64 }),
        Ok(n) => {
            crate::say(&Report::File { found, size: n as u64 });
            bytes.chunks(CHUNK).for_each(|piece| crate::say(&Report::Bytes(piece.to_vec())));
        }
        Err(_) => crate::say(&Report::File { found: Found::Unreadable, size }),
    }
}

/// Reports the regular files below a folder, following no link, as [`crate::wire::Order::List`] says.
pub fn list(path: &str, cap: u64) {
    let nothing = |found| crate::say(&Report::File { found, size: 0 });
    let (found, _, _) = look(path, 0);
    if found != Found::Directory {
        // `Regular` would mean a list.
        return nothing(if found == Found::Regular { Found::Unreadable } else { found });
    }
    let Ok(folder) = sys::open_without_links(path) else { return nothing(Found::Unreadable) };
    let mut paths = Vec::new();
    // Through the handle: what is listed is the very folder that was looked at.
    if walk(Path::new(&format!("/proc/self/fd/{}", folder.as_raw_fd())), "", &mut paths, 0).is_err() {
        return nothing(Found::Unreadable);
    }
    paths.sort_unstable();
    let bytes: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
    if bytes.len() as u64 > cap {
        return nothing(Found::TooLarge);
    }
    crate::say(&Report::File { found: Found::Regular, size: bytes.len() as u64 });
    bytes.chunks(CHUNK).for_each(|piece| crate::say(&Report::Bytes(piece.to_vec())));
}

fn walk(folder: &Path, below: &str, paths: &mut Vec<String>, depth: usize) -> std::io::Result<()> {
    /// Deeper, a path is longer than the kernel takes.
    const DEEPEST: usize = 200;
    /// More paths than any list of ours may hold.
    const MOST: usize = 100_000;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(|name| format!("{below}{name}")) else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), &format!("{name}/"), paths, depth + 1)?;
        } else if kind.is_file() && paths.len() < MOST {
            paths.push(name);
        }
    }
    Ok(())
}

fn look(path: &str, cap: u64) -> (Found, u64, Option<File>) {
    const LOOP: i32 = 40;
    const NO_ENTRY: i32 = 2;
    const NOT_A_FOLDER: i32 = 20;
    let handle = match sys::open_without_links(path) {
        Ok(handle) => handle,
        Err(e) => {
            let found = match e.raw_os_error() {
                Some(LOOP) => Found::SymbolicLink,
                Some(NO_ENTRY | NOT_A_FOLDER) => Found::Missing,
                _ => Found::Unreadable,
            };
            return (found, 0, None);
        }
    };
    let Ok(meta) = handle.metadata() else { return (Found::Unreadable, 0, None) };
    let kind = meta.file_type();
    let found = match () {
        () if kind.is_symlink() => Found::SymbolicLink,
        () if kind.is_dir() => Found::Directory,
        () if kind.is_fifo() => Found::Fifo,
        () if kind.is_socket() => Found::Socket,
        () if !kind.is_file() => Found::Device,
        () if meta.nlink() > 1 => Found::HardLink,
        () if meta.len() > cap => Found::TooLarge,
        () => Found::Regular,
    };
    if found != Found::Regular {
        return (found, meta.len(), None);
    }
    // The handle carries no data. Opening it through /proc opens the very file that was looked at, whatever has
    // happened to the path since.
    match File::open(format!("/proc/self/fd/{}", handle.as_raw_fd())) {
        Ok(file) => (found, meta.len(), Some(file)),
        Err(_) => (Found::Unreadable, meta.len(), None),
    }
}
