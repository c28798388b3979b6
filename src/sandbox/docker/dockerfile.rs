//! The little of a Dockerfile that must be known before the engine reads it: which images it starts from.
//! Everything else in it is the engine's business.

use std::collections::{BTreeSet, HashMap};

/// An image that a Dockerfile starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct From {
    /// Its name, arguments filled in.
    pub image: String,
    /// True where the name is nothing but `ARG BASE_IMAGE`: another base may take its place.
    pub replaceable: bool,
}

/// The build argument by which a Dockerfile lets its base be chosen.
pub const BASE_ARGUMENT: &str = "BASE_IMAGE";

/// The images that the Dockerfile needs from outside, in order; its own earlier stages and `scratch` are left out.
pub fn froms(text: &str, arguments: &HashMap<String, String>) -> Vec<From> {
    let mut known: HashMap<String, String> = HashMap::new();
    let mut stages = BTreeSet::new();
    let mut found: Vec<From> = Vec::new();
    for line in instructions(text) {
        let mut words = line.split_whitespace();
        match words.next().map(str::to_ascii_uppercase).as_deref() {
            // Only arguments before the first FROM count for a FROM.
            Some("ARG") if stages.is_empty() => {
                for word in words {
                    let (name, default) = word.split_once('=').unwrap_or((word, ""));
                    let value = arguments.get(name).cloned().unwrap_or_else(|| unquoted(default).to_owned());
                    known.insert(name.to_owned(), value);
                }
            }
            Some("FROM") => {
                let mut words = words.filter(|word| !word.starts_with("--"));
                let Some(word) = words.next() else { continue };
                let image = fill(unquoted(word), &known);
                let stage = words.nth(1).map(str::to_ascii_lowercase);
                if image != "scratch" && !stages.contains(&image.to_ascii_lowercase()) {
                    let replaceable = word == "${BASE_IMAGE}" || word == "$BASE_IMAGE";
                    found.push(From { image, replaceable });
                }
                // A stage without a name still ends the arguments' part.
                stages.insert(stage.unwrap_or_default());
            }
            _ => {}
        }
    }
    found
}

/// Logical lines: comments and empty lines dropped, lines that end in a backslash joined.
fn instructions(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => open.push_str(&format!("{part} ")),
            None => lines.push(std::mem::take(&mut open) + line),
        }
    }
    lines
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

/// `$NAME`, `${NAME}` and `${NAME:-default}`.
fn fill(word: &str, known: &HashMap<String, String>) -> String {
    let Some((before, after)) = word.split_once('$') else { return word.to_owned() };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (name, default, rest) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        Some((inner, rest)) => {
            let (name, default) = inner.split_once(":-").unwrap_or((inner, ""));
            (name, default, rest)
        }
        None => {
            let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
            (&after[..end], "", &after[end..])
        }
    };
    let value = known.get(name).map(String::as_str).filter(|value| !value.is_empty()).unwrap_or(default);
    format!("{before}{value}{}", fill(rest, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_from_outside_are_found_with_their_arguments_filled_in() {
        let text = "# a comment\nARG BASE_IMAGE=python:3.12-slim\nARG TAG=\"1\"\nFROM ${BASE_IMAGE} AS first\nARG TAG=9\n\
                    FROM --platform=linux/amd64 \\\n  debian:$TAG\nFROM first\nFROM scratch\nFROM x:${NONE:-2}\n";
        let found = froms(text, &HashMap::new());
        let from = |image: &str, replaceable| From { image: image.to_owned(), replaceable };
        assert_eq!(found, [from("python:3.12-slim", true), from("debian:1", false), from("x:2", false)]);
        let chosen = HashMap::from([("BASE_IMAGE".to_owned(), "mine:1".to_owned())]);
        assert_eq!(froms(text, &chosen)[0], from("mine:1", true));
    }
}
