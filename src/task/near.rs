//! What was meant by a path that isn't there. It looks at names only, and opens no file.

use crate::spelling::closest;
use std::io;
use std::path::{Path, PathBuf};

/// A path that is there, and differs from a missing one in a single name that is spelt like the missing one's.
pub fn near(path: &Path) -> Option<String> {
    let missing = path.ancestors().take_while(|part| !part.as_os_str().is_empty() && !part.exists()).last()?;
    let parent = missing.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(parent).ok()?.flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    let name = closest(&missing.file_name()?.to_string_lossy(), names.iter().map(String::as_str))?;
    let rest = path.strip_prefix(missing).ok()?;
    // By components, since joining an empty rest would add a slash.
    let meant: PathBuf = missing.with_file_name(name).components().chain(rest.components()).collect();
    meant.exists().then(|| meant.display().to_string())
}

/// What to do about a file that can't be read; nothing, where it is there.
pub fn missing_hint(path: &Path, error: &io::Error) -> Option<String> {
    (error.kind() == io::ErrorKind::NotFound).then(|| match near(path) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "check the path; it counts from the folder you are in".to_owned(),
    })
}
