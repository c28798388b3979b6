//! How verbs speak to people: numbers of things, and lines on standard error.

/// A number of things: `1 task`, `3 tasks`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A line for people.
#[expect(clippy::print_stderr, reason = "verbs speak to people through this one function")]
pub fn say(line: &str) {
    eprintln!("{line}");
}
