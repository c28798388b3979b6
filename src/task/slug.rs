//! Names that every engine takes: lower-case letters, digits and single hyphens, and a short digest that keeps apart
//! what the letters can't. Pure; the original name stays the one that people see.

use sha2::{Digest, Sha256};

/// How many characters of the name survive.
const HEAD: usize = 40;

/// A valid, stable name for images and containers: at most 51 characters of `[a-z0-9-]`, beginning with a letter or
/// digit, different for different names.
pub fn slug(name: &str) -> String {
    let mut head = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            head.push(c.to_ascii_lowercase());
        } else if !head.is_empty() && !head.ends_with('-') {
            head.push('-');
        }
        if head.len() == HEAD {
            break;
        }
    }
    let head = head.trim_end_matches('-');
    let digest: String = Sha256::digest(name).iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{digest}", if head.is_empty() { "task" } else { head })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn any_name_gives_a_valid_and_distinct_slug() {
        let long = "x".repeat(300);
        let longer = "x".repeat(301);
        let names = ["My Task", "my task", "a.b", "..x", "-x", "日本", "a/b", "a_b", "a-b", "A-b", "", &long, &longer];
        let slugs: BTreeSet<String> = names.iter().map(|name| slug(name)).collect();
        assert_eq!(slugs.len(), names.len(), "{slugs:?}");
        for slug in &slugs {
            assert!(slug.len() <= 51 && slug.starts_with(|c: char| c.is_ascii_alphanumeric()), "{slug}");
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{slug}");
            assert!(!slug.contains("--"), "{slug}");
        }
        assert_eq!(slug("a.b"), slug("a.b"));
        assert!(slug("My Task").starts_with("my-task-"));
    }
}
