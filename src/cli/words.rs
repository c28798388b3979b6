//! How verbs speak and read: numbers of things, lines for people, lines of data, files that flags name.

use super::error::Error;
use std::io::Write as _;
use std::path::Path;

/// How a verb prints its result.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// A number of things: `1 task`, `3 tasks`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A word as a shell takes it: as it is where that is safe, else in single quotes.
pub fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A line for people. A reader that is gone must not end a job, so nobody minds where it can't be written.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A line of data; as [`say`].
pub fn show(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The text of a file that a flag names.
pub fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })
}
