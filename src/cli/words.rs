//! How verbs speak: numbers of things, lines for people, lines of data.

use std::io::Write as _;

/// A number of things: `1 task`, `3 tasks`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A line for people. A reader that is gone must not end a job, so nobody minds where it can't be written.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A line of data; as [`say`].
pub fn show(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
