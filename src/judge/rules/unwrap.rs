//! Finds an answer that is marked by structure: a JSON or YAML field, an `<answer>` tag, a `\boxed{…}`. The last mark
//! counts. Structure is only read; a broken one is ordinary text.

use super::{markup, span};
use serde_json::Value;

/// What the structure of a text says.
#[derive(Debug, PartialEq)]
pub enum Structure {
    /// The answer's own field, tag or box.
    Answer(String),
    /// Fields, one a line, none of which is called answer.
    Fields(String),
    /// Plain text.
    Plain,
}

/// Field names that hold an answer, without signs between their words, the best first.
const FIELDS: [&str; 10] = [
    "finalanswer",
    "answer",
    "answers",
    "final",
    "result",
    "response",
    "output",
    "solution",
    "conclusion",
    "prediction",
];

/// Reads the structure of `text`.
pub fn structure(text: &str) -> Structure {
    let trimmed = text.trim();
    if let Some(found) = json(trimmed) {
        return found;
    }
    let marked = [fenced(trimmed), last_object(trimmed), last_tag(trimmed), last_box(trimmed)];
    let Some((end, found)) = marked.into_iter().flatten().max_by_key(|(end, _)| *end) else {
        return Structure::Plain;
    };
    let after = markup::undress(&trimmed[end..]);
    match found {
        _ if span::has_mark(&after) => Structure::Plain,
        Structure::Answer(inner) if span::goes_on(&after) => Structure::Answer(format!("{inner}\n{after}")),
        found => found,
    }
}

fn json(text: &str) -> Option<Structure> {
    let value: Value = serde_json::from_str(text).ok()?;
    // A bare number or word is not structure: it keeps its own spelling.
    match value {
        Value::Object(_) => Some(match answer_field(&value, 0) {
            Some(answer) => Structure::Answer(plain(answer)),
            None => Structure::Fields(plain(&value)),
        }),
        Value::Array(items) if items.iter().any(Value::is_object) && items.len() == 1 => json(&items[0].to_string()),
        Value::Array(_) | Value::String(_) => Some(Structure::Answer(plain(&value))),
        _ => None,
    }
}

fn answer_field(value: &Value, depth: usize) -> Option<&Value> {
    let Value::Object(map) = value else { return None };
    let bare = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    for wanted in FIELDS {
        if let Some((_, found)) = map.iter().find(|(name, _)| bare(name) == wanted) {
            return answer_field(found, depth + 1).or(Some(found));
        }
    }
    if depth > 3 {
        return None;
    }
    map.values().find_map(|inner| answer_field(inner, depth + 1))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        Value::Object(map) => {
            map.iter().map(|(name, inner)| format!("{name}: {}", plain(inner))).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// The last fenced block that is JSON.
fn fenced(text: &str) -> Option<(usize, Structure)> {
    let mut best = None;
    let marks: Vec<usize> = text.match_indices("```").map(|(i, _)| i).collect();
    for pair in marks.windows(2) {
        let inner = &text[pair[0] + 3..pair[1]];
        let body = inner.split_once('\n').map_or(inner, |(_, body)| body).trim();
        // Fields beside other text are a note; only an answer's own field outweighs the text.
        if body.starts_with(['{', '['])
            && let Some(found) = json(body)
            && (matches!(found, Structure::Answer(_)) || (pair[0] == 0 && pair[1] + 3 == text.len()))
        {
            best = Some((pair[1] + 3, found));
        }
    }
    best
}

/// The last object in running text that has an answer field.
fn last_object(text: &str) -> Option<(usize, Structure)> {
    // Few braces are tried, so that a text of braces alone can't take long.
    text.match_indices('{').map(|(i, _)| i).collect::<Vec<_>>().into_iter().rev().take(64).find_map(|start| {
        let inner = markup::braced(&text[start..])?;
        let end = start + inner.len() + 2;
        match json(&text[start..end])? {
            found @ Structure::Answer(_) => Some((end, found)),
            _ => None,
        }
    })
}

fn last_tag(text: &str) -> Option<(usize, Structure)> {
    let low = text.to_ascii_lowercase();
    ["answer", "final_answer", "final-answer", "finalanswer", "final", "result", "response", "solution"]
        .into_iter()
        .filter_map(|name| {
            let close = low.rfind(&format!("</{name}>"))?;
            let open = low[..close].rfind(&format!("<{name}>"))? + name.len() + 2;
            Some((close + name.len() + 3, Structure::Answer(text[open..close].to_string())))
        })
        .max_by_key(|(end, _)| *end)
}

fn last_box(text: &str) -> Option<(usize, Structure)> {
    let (start, name) = ["\\boxed{", "\\fbox{"].into_iter().filter_map(|n| Some((text.rfind(n)?, n))).max()?;
    let open = start + name.len() - 1;
    let inner = markup::braced(&text[open..])?;
    // The sign of inline mathematics may close after the box.
    let end = open + inner.len() + 2;
    let end = end + usize::from(text[end..].starts_with('$'));
    Some((end, Structure::Answer(inner.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_own_place_is_found() {
        let answer = |text: &str| Structure::Answer(text.to_string());
        for (text, want) in [
            (r#"{"answer": 15, "runner_up": 14}"#, answer("15")),
            (r#"{"result": {"final_answer": "Ora Vey", "cars": 2}}"#, answer("Ora Vey")),
            ("Here:\n```json\n{\"answer\": \"14\"}\n```\nBye", answer("14")),
            ("so {\"answer\": null} it is", answer("")),
            (r#"["Ora Vey", "Cal Dunn"]"#, answer("Ora Vey; Cal Dunn")),
            ("<answer>15</answer> <Answer>14</Answer>", answer("14")),
            ("$\\boxed{\\text{Ora {V}}}$", answer("\\text{Ora {V}}")),
            (r#"{"person": "Ora Vey", "cars": 3}"#, Structure::Fields("person: Ora Vey\ncars: 3".into())),
            ("{\"answer\": 1", Structure::Plain),
            ("<answer>15</answer>\nFinal answer: 14", Structure::Plain),
            ("14", Structure::Plain),
        ] {
            assert_eq!(structure(text), want, "{text}");
        }
    }
}
