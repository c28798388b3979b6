//! Makes a folder hold exactly what it should, writing only what differs; or says what differs and changes nothing.
//!
//! Links are never followed or written through: whatever is found is looked at without following, and every file is
//! made new under a name that was free. Files are not synced one by one: they are copies, a crash at any point leaves
//! a difference, and the next pass mends it.

use super::Error;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, FileType, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Whether differences are mended or only found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Mend them.
    Write,
    /// Change nothing.
    Check,
}

/// One place where a folder is not what it should be, or was not before it was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: PathBuf,
    /// What is wrong there.
    pub kind: DifferenceKind,
}

/// How a folder can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// A file is not there.
    Missing,
    /// A file has other bytes, or something else stands in its place.
    Differs,
    /// Something is there that should not be.
    Stray,
    /// A symbolic link is there.
    Link,
}

impl std::fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            DifferenceKind::Missing => "missing",
            DifferenceKind::Differs => "differs",
            DifferenceKind::Stray => "stray",
            DifferenceKind::Link => "link",
        })
    }
}

/// What a folder should hold.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// By name.
    pub entries: BTreeMap<String, Node<'a>>,
    /// Other entries are someone else's and stay.
    pub others_stay: bool,
}

/// What should be at one name.
#[derive(Debug)]
pub enum Node<'a> {
    /// A folder.
    Folder(Tree<'a>),
    /// A file.
    File {
        /// Its bytes.
        content: Content<'a>,
        /// Its permission bits, given to it when it is made.
        mode: u32,
    },
}

/// Where a file's bytes come from.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// A file of this size in bytes.
    Copy(&'a Path, u64),
    /// The bytes themselves.
    Bytes(&'a [u8]),
}

/// One pass over a dataset: its mode, and what it has found so far.
#[derive(Debug)]
pub struct Pass {
    mode: Mode,
    /// Whether the file system shares bytes between files; taken as so until it refuses once.
    reflinks: bool,
    /// What was found, in the order of the walk.
    pub found: Vec<Difference>,
}

impl Pass {
    /// A pass that has found nothing yet.
    pub fn new(mode: Mode) -> Pass {
        Pass { mode, reflinks: true, found: Vec::new() }
    }

    fn note(&mut self, path: &Path, kind: DifferenceKind) -> bool {
        self.found.push(Difference { path: path.into(), kind });
        self.mode == Mode::Write
    }
}

/// Compares `folder`, which is a real folder or not there, with `tree`; mends it where the pass writes.
pub fn mirror(pass: &mut Pass, folder: &Path, tree: &Tree<'_>) -> Result<(), Error> {
    let present = entries(folder)?;
    if present.is_none() && pass.mode == Mode::Write {
        std::fs::create_dir(folder).map_err(|e| write_error(folder, e))?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(|e| write_error(folder, e))?;
    }
    let mut present = present.unwrap_or_default();
    if !tree.others_stay {
        let ours = |name: &OsString| name.to_str().is_some_and(|name| tree.entries.contains_key(name));
        for (name, kind) in present.iter().filter(|(name, _)| !ours(name)) {
            let path = folder.join(name);
            if pass.note(&path, if kind.is_symlink() { DifferenceKind::Link } else { DifferenceKind::Stray }) {
                remove(&path, *kind)?;
            }
        }
    }
    for (name, node) in &tree.entries {
        let path = folder.join(name);
        match (node, present.remove(OsStr::new(name))) {
            (Node::Folder(inner), Some(kind)) if kind.is_dir() => mirror(pass, &path, inner)?,
            (Node::Folder(inner), None) => mirror(pass, &path, inner)?,
            (Node::Folder(inner), Some(kind)) => {
                if replace(pass, &path, kind)? {
                    mirror(pass, &path, inner)?;
                }
            }
            (Node::File { content, mode }, None) => {
                if pass.note(&path, DifferenceKind::Missing) {
                    create(pass, &path, content, *mode)?;
                }
            }
            (Node::File { content, .. }, Some(kind)) if kind.is_file() && same(&path, content)? => {}
            (Node::File { content, mode }, Some(kind)) => {
                if replace(pass, &path, kind)? {
                    create(pass, &path, content, *mode)?;
                }
            }
        }
    }
    Ok(())
}

/// A folder's entries without following any; `None` where there is no folder.
fn entries(folder: &Path) -> Result<Option<BTreeMap<OsString, FileType>>, Error> {
    let fail = |source| Error::Read { path: folder.into(), source };
    let listing = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        listing => listing.map_err(fail)?,
    };
    let mut found = BTreeMap::new();
    for entry in listing {
        let entry = entry.map_err(fail)?;
        found.insert(entry.file_name(), entry.file_type().map_err(fail)?);
    }
    Ok(Some(found))
}

fn replace(pass: &mut Pass, path: &Path, kind: FileType) -> Result<bool, Error> {
    let writes = pass.note(path, if kind.is_symlink() { DifferenceKind::Link } else { DifferenceKind::Differs });
    if writes {
        remove(path, kind)?;
    }
    Ok(writes)
}

fn remove(path: &Path, kind: FileType) -> Result<(), Error> {
    let removed = if kind.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.map_err(|e| write_error(path, e))
}

fn create(pass: &mut Pass, path: &Path, content: &Content<'_>, mode: u32) -> Result<(), Error> {
    let fail = |e| write_error(path, e);
    if let Content::Copy(source, size) = content
        && *size > 0
        && pass.reflinks
    {
        match reflink_copy::reflink(source, path) {
            Ok(()) => return std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(fail),
            Err(_) => pass.reflinks = false,
        }
    }
    let mut file = File::create_new(path).map_err(fail)?;
    match content {
        Content::Bytes(bytes) => file.write_all(bytes).map_err(fail)?,
        Content::Copy(source, _) => {
            let mut source = File::open(source).map_err(|e| Error::Read { path: source.into(), source: e })?;
            std::io::copy(&mut source, &mut file).map_err(fail)?;
        }
    }
    // Given, not left to the umask: the image that these files go into must be the same for everyone.
    file.set_permissions(Permissions::from_mode(mode)).map_err(fail)
}

fn same(path: &Path, content: &Content<'_>) -> Result<bool, Error> {
    let fail = |source| Error::Read { path: path.into(), source };
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(no_follow).open(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    match content {
        Content::Bytes(bytes) => Ok(size == bytes.len() as u64 && same_bytes(file, *bytes).map_err(fail)?),
        Content::Copy(source, wanted) => {
            let open = |source: &Path| File::open(source).map_err(|e| Error::Read { path: source.into(), source: e });
            Ok(size == *wanted && same_bytes(file, open(source)?).map_err(fail)?)
        }
    }
}

/// Whether two readers of the same length give the same bytes.
fn same_bytes(mut a: impl Read, mut b: impl Read) -> std::io::Result<bool> {
    let (mut left, mut right) = ([0; 1 << 15], [0; 1 << 15]);
    loop {
        let n = a.read(&mut left)?;
        if n == 0 {
            return Ok(true);
        }
        match b.read_exact(&mut right[..n]) {
            Ok(()) if left[..n] == right[..n] => {}
            Ok(()) => return Ok(false),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(e) => return Err(e),
        }
    }
}

fn write_error(path: &Path, source: std::io::Error) -> Error {
    Error::Write { path: path.into(), source }
}
