//! Finds what a model said in what it wrote: past thoughts, code fences and prose. It must not guess: where two readings
//! are possible there is none.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// Why a reply could not be read, in words.
pub type Unreadable = String;

/// A JSON object with its keys in order, keys that stand there twice included.
#[derive(Debug, Clone, PartialEq)]
pub struct Object(pub Vec<(String, Value)>);

impl Object {
    /// The value of a key, whatever its case and with spaces for underscores; an error where it stands there twice.
    pub fn get(&self, key: &str) -> Result<Option<&Value>, Unreadable> {
        let plain = |key: &str| key.trim().to_lowercase().replace([' ', '-'], "_");
        let mut found = self.0.iter().filter(|(name, _)| plain(name) == key);
        let first = found.next().map(|(_, value)| value);
        match found.next() {
            Some(_) => Err(format!("`{key}` stands there twice")),
            None => Ok(first),
        }
    }

    /// The text under a key; empty where there is none.
    pub fn text(&self, key: &str) -> String {
        self.get(key).ok().flatten().and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    }

    /// The same of an object inside.
    pub fn of(value: &Value) -> Option<Object> {
        value.as_object().map(|map| Object(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Object;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// The JSON object that a reply is, or that it holds. `wanted` says which objects count; several that count must say
/// the same, as `wanted` reads them.
///
/// # Errors
/// Where there is none, or where two differ.
pub fn object<T: PartialEq>(
    reply: &str,
    wanted: impl Fn(&Object) -> Option<Result<T, Unreadable>>,
) -> Option<Result<T, Unreadable>> {
    // First as it stands: thoughts and fences inside a text of the object are part of that text.
    if let Ok(whole) = serde_json::from_str::<Object>(reply.trim()) {
        return wanted(&whole);
    }
    let mut found: Option<Result<T, Unreadable>> = None;
    for object in objects(without_thoughts(reply)) {
        let Some(read) = wanted(&object) else { continue };
        match &found {
            Some(before) if *before != read => return Some(Err("it gives two different verdicts".to_owned())),
            _ => found = Some(read),
        }
    }
    found
}

/// What comes after a model's thoughts, where it wrote them down; nothing where they have no end.
pub fn without_thoughts(reply: &str) -> &str {
    let mut rest = reply;
    for tag in ["think", "thinking", "thought", "reasoning"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        match (find(rest, &open), rfind(rest, &close)) {
            (_, Some(end)) => rest = &rest[end + close.len()..],
            (Some(start), None) if rest[..start].trim().is_empty() => rest = "",
            _ => {}
        }
    }
    rest.trim()
}

/// A short reply without the signs that people and models put around a word.
pub fn bare(reply: &str) -> &str {
    reply.trim_matches(|c: char| c.is_whitespace() || "`*_\"'.()[]".contains(c))
}

/// Where `word` stands, in any case. `word` is lower-case ASCII.
pub fn find(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// Where `word` stands last, in any case. `word` is lower-case ASCII.
pub fn rfind(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).rposition(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// All JSON objects in a text that are not part of another.
fn objects(text: &str) -> Vec<Object> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Object>();
        match stream.next() {
            Some(Ok(object)) => {
                at = start + stream.byte_offset();
                found.push(object);
            }
            // A broken object is skipped whole where it can be: what is inside it is no verdict of its own.
            _ => at = start + broken(&text[start..]),
        }
    }
    found
}

/// How far a broken object reaches, at least one byte: to the brace that closes it, texts in quotes left out of the
/// count; to the end where nothing closes it.
fn broken(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The beginning of a reply, for messages: one line, control signs gone.
pub fn beginning(reply: &str) -> String {
    let line: String = reply.trim().chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.is_empty() {
        true => "it is empty".to_owned(),
        false => format!("it begins with `{}`", line.trim()),
    }
}
