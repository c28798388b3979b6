//! Reads one file of a container whose supervisor is gone, through the engine's archive call, by the supervisor's
//! rules, but for one: the engine doesn't tell how many names a file has, so a hard link reads as the file that it is.
//! The archive is read in memory and only its one entry's bytes are used: nothing is unpacked on this machine.

use super::client::{Engine, is_missing, words};
use crate::sandbox::{Error, File};
use crate::wire::Found;
use bollard::query_parameters::{ContainerArchiveInfoOptionsBuilder, DownloadFromContainerOptionsBuilder};
use futures_util::StreamExt;
use std::io::Read;
use std::time::Duration;
use tar::EntryType;

const LIMIT: Duration = Duration::from_secs(60);
/// Go's `os.FileMode` bits, in which the engine tells a path's kind.
const GO_DIR: u32 = 1 << 31;
const GO_LINK: u32 = 1 << 27;
const GO_DEVICE: u32 = 1 << 26;
const GO_PIPE: u32 = 1 << 25;
const GO_SOCKET: u32 = 1 << 24;
/// Room for an archive's own headers beside a file's bytes.
const HEADERS: u64 = 64 * 1024;

/// Reads the file at `path`, at most `cap` bytes, following no link.
pub async fn read(engine: &Engine, id: &str, name: &str, path: &str, cap: u64) -> Result<File, Error> {
    // The engine follows links in the folders above a path (within the container), so each is looked at first.
    let ends = path.char_indices().filter(|(i, c)| *c == '/' && *i > 0).map(|(i, _)| i);
    for end in ends.chain([path.len()]) {
        let is_last = end == path.len();
        if let Some(found) = look(engine, id, name, &path[..end], is_last, cap).await? {
            return Ok(File::Other(found));
        }
    }
    download(engine, id, name, path, cap).await
}

/// What is at the path, where that is not what it should be: a folder, or for the last a file within the cap.
async fn look(
    engine: &Engine,
    id: &str,
    name: &str,
    path: &str,
    is_last: bool,
    cap: u64,
) -> Result<Option<Found>, Error> {
    let options = ContainerArchiveInfoOptionsBuilder::default().path(path).build();
    let stat = match engine.docker().get_container_archive_info(id, Some(options)).await {
        Ok(stat) => stat,
        Err(e) if is_missing(&e) => return Ok(Some(Found::Missing)),
        // Where a link's target is a link in a loop the engine gives up, and only the answer to a download says so.
        Err(e) => {
            return match download(engine, id, name, path, cap).await {
                Err(Error::Engine { why, .. }) if why.contains("too many links") => Ok(Some(Found::SymbolicLink)),
                _ => Err(Error::Engine { verb: "look into container", what: format!("{name}:{path}"), why: words(&e) }),
            };
        }
    };
    Ok(match () {
        () if stat.file_mode & GO_LINK != 0 => Some(Found::SymbolicLink),
        () if stat.file_mode & GO_DIR != 0 => is_last.then_some(Found::Directory),
        () if !is_last => Some(Found::Missing),
        () if stat.file_mode & GO_DEVICE != 0 => Some(Found::Device),
        () if stat.file_mode & GO_PIPE != 0 => Some(Found::Fifo),
        () if stat.file_mode & GO_SOCKET != 0 => Some(Found::Socket),
        () if stat.size > 0 && stat.size as u64 > cap => Some(Found::TooLarge),
        () => None,
    })
}

async fn download(engine: &Engine, id: &str, name: &str, path: &str, cap: u64) -> Result<File, Error> {
    let failed = |why: String| Error::Engine { verb: "read from container", what: format!("{name}:{path}"), why };
    let options = DownloadFromContainerOptionsBuilder::default().path(path).build();
    let mut pieces = engine.docker().download_from_container(id, Some(options));
    let mut bytes = Vec::new();
    let download = async {
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.map_err(|e| failed(words(&e)))?);
            if bytes.len() as u64 > cap + HEADERS {
                return Ok(());
            }
        }
        Ok(())
    };
    tokio::time::timeout(LIMIT, download).await.map_err(|_| failed("no answer within 60 s".to_owned()))??;
    first_entry(&bytes, cap).map_err(|e| failed(e.to_string()))
}

fn first_entry(archive: &[u8], cap: u64) -> std::io::Result<File> {
    let mut archive = tar::Archive::new(archive);
    let Some(entry) = archive.entries()?.next() else { return Ok(File::Other(Found::Missing)) };
    let mut entry = entry?;
    let found = match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous if entry.size() > cap => Found::TooLarge,
        EntryType::Regular | EntryType::Continuous => {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            return Ok(File::Regular(bytes));
        }
        EntryType::Symlink => Found::SymbolicLink,
        EntryType::Link => Found::HardLink,
        EntryType::Directory => Found::Directory,
        EntryType::Fifo => Found::Fifo,
        EntryType::Char | EntryType::Block => Found::Device,
        _ => Found::Unreadable,
    };
    Ok(File::Other(found))
}
