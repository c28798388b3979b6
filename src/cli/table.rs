//! Rows of tables: how wide they may be. On a terminal 80 columns; elsewhere a row is one line, for `grep` and the like,
//! unless `COLUMNS` asks for less. Files that reports make don't come here: their bytes are the same everywhere.

use crate::report;
use std::io::IsTerminal as _;

/// Below this no table makes sense.
const LEAST: usize = 40;

/// How many columns a line may have; `None` where that doesn't matter.
fn columns() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let usual = std::io::stdout().is_terminal().then_some(report::WIDTH);
    asked.filter(|columns| *columns >= LEAST).or(usual)
}

/// Text after the begin of its line where both fit, else below it.
pub fn beside(out: &mut String, begin: &str, text: &str) {
    report::beside(out, begin, text, columns().unwrap_or(usize::MAX));
}

/// A name as the first column of a table, whole: a long one has a line of its own where lines are short.
pub fn column(name: &str, width: usize) -> String {
    if columns().is_some() { report::column(name, width) } else { format!("{name:width$}") }
}
