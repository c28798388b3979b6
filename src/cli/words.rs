//! Numbers as people read them.

/// A number of things: `1 task`, `3 tasks`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
