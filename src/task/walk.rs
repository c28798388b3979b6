//! The strict walker: each key of a table is asked for by name and type, and [`Section::finish`] names every key that
//! nobody asked for, with the nearest known one. So no misspelt key is silently ignored. It must not know any file's
//! keys itself, and it never stops at the first problem.

use super::node::{Node, Place, Value};
use super::problem::{Level, Sink};
use crate::spelling::did_you_mean;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A table under the walker: what is in it, where it stands, and which keys have been asked for.
#[derive(Debug)]
pub struct Section<'a> {
    entries: &'a [(String, Place, Node)],
    prefix: String,
    at: Place,
    sink: &'a Sink,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    /// Opens a whole file. Anything but a table is a problem, and then there is nothing to walk.
    pub fn root(node: &'a Node, sink: &'a Sink) -> Option<Section<'a>> {
        open(node, String::new(), sink)
    }

    /// The value of a key, whatever it is; YAML's and JSON's `null` counts as not there.
    pub fn node(&self, key: &'static str) -> Option<&'a Node> {
        self.known.borrow_mut().push(key);
        let found = self.entries.iter().find(|(name, _, _)| name == key);
        found.map(|(_, _, node)| node).filter(|node| node.value != Value::Null)
    }

    /// Is the key written at all?
    pub fn has(&self, key: &'static str) -> bool {
        self.node(key).is_some()
    }

    /// Text.
    pub fn text(&self, key: &'static str) -> Option<String> {
        self.typed(key, "text", |value| match value {
            Value::Text(s) => Some(s.clone()),
            _ => None,
        })
    }

    /// True or false.
    pub fn boolean(&self, key: &'static str) -> Option<bool> {
        self.typed(key, "true or false", |value| match value {
            Value::Bool(b) => Some(*b),
            _ => None,
        })
    }

    /// A whole number.
    pub fn integer(&self, key: &'static str) -> Option<i64> {
        self.typed(key, "a whole number", |value| match value {
            Value::Int(i) => Some(*i),
            Value::Float(f) if f.fract() == 0.0 && f.abs() < 9e15 => Some(*f as i64),
            _ => None,
        })
    }

    /// A whole number of at least `least`.
    pub fn integer_from(&self, key: &'static str, least: i64) -> Option<u64> {
        let number = self.integer(key)?;
        if number < least {
            self.wrong(key, format!("must be at least {least}, not {number}"), None);
            return None;
        }
        u64::try_from(number).ok()
    }

    /// Memory in mebibytes, from what an engine accepts (6) to 16 TiB: more would overflow into no limit at all.
    pub fn mebibytes(&self, key: &'static str) -> Option<u64> {
        const MOST: u64 = 16 << 20;
        let number = self.integer_from(key, 6)?;
        if number > MOST {
            self.wrong(key, format!("must be at most {MOST}, not {number}"), None);
            return None;
        }
        Some(number)
    }

    /// CPUs, from a hundredth to 1024: less or more would round to no limit at all.
    pub fn cpus(&self, key: &'static str) -> Option<f64> {
        let number = self.positive(key)?;
        if !(0.01..=1024.0).contains(&number) {
            self.wrong(key, format!("must be from 0.01 to 1024, not {number}"), None);
            return None;
        }
        Some(number)
    }

    /// Any number.
    pub fn number(&self, key: &'static str) -> Option<f64> {
        let number = self.typed(key, "a number", |value| match value {
            Value::Int(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            _ => None,
        })?;
        if !number.is_finite() {
            self.wrong(key, format!("must be finite, not {number}"), None);
            return None;
        }
        Some(number)
    }

    /// A number over 0.
    pub fn positive(&self, key: &'static str) -> Option<f64> {
        let number = self.number(key)?;
        if number <= 0.0 {
            self.wrong(key, format!("must be more than 0, not {number}"), None);
            return None;
        }
        Some(number)
    }

    /// A list of texts, each with its place.
    pub fn texts(&self, key: &'static str) -> Option<Vec<(Place, String)>> {
        let items = self.list(key)?;
        let mut texts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match &item.value {
                Value::Text(s) => texts.push((item.at, s.clone())),
                other => self.mistyped(item.at, format!("{}[{index}]", self.path(key)), "text", other),
            }
        }
        Some(texts)
    }

    /// A table whose values are all text.
    pub fn text_map(&self, key: &'static str) -> Option<BTreeMap<String, String>> {
        let node = self.node(key)?;
        let Value::Map(entries) = &node.value else {
            self.mistyped(node.at, self.path(key), "a table of texts", &node.value);
            return None;
        };
        let mut map = BTreeMap::new();
        for (name, at, value) in entries {
            match &value.value {
                Value::Text(s) => {
                    map.insert(name.clone(), s.clone());
                }
                other => self.mistyped(*at, format!("{}.{name}", self.path(key)), "text", other),
            }
        }
        Some(map)
    }

    /// A table in which any key is welcome, as JSON; empty where it isn't there.
    pub fn any_map(&self, key: &'static str) -> serde_json::Map<String, serde_json::Value> {
        self.section(key).map(|section| section.to_json()).unwrap_or_default()
    }

    /// A list.
    pub fn list(&self, key: &'static str) -> Option<&'a [Node]> {
        let node = self.node(key)?;
        match &node.value {
            Value::List(items) => Some(items),
            other => {
                self.mistyped(node.at, self.path(key), "a list", other);
                None
            }
        }
    }

    /// A table inside this one.
    pub fn section(&self, key: &'static str) -> Option<Section<'a>> {
        open(self.node(key)?, self.path(key), self.sink)
    }

    /// A list of tables; what is not a table is named and left out.
    pub fn sections(&self, key: &'static str) -> Vec<Section<'a>> {
        let items = self.list(key).unwrap_or_default();
        let path = |index| format!("{}[{index}]", self.path(key));
        items.iter().enumerate().filter_map(|(index, item)| open(item, path(index), self.sink)).collect()
    }

    /// All of it as JSON, for tables in which any key is welcome.
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        self.entries.iter().map(|(key, _, node)| (key.clone(), node.value.to_json())).collect()
    }

    /// Where a key stands; the table itself where it isn't written.
    pub fn place(&self, key: &str) -> Place {
        self.entries.iter().find(|(name, _, _)| name == key).map_or(self.at, |(_, at, _)| *at)
    }

    /// The key with its parents.
    pub fn path(&self, key: &str) -> String {
        if self.prefix.is_empty() { key.to_string() } else { format!("{}.{key}", self.prefix) }
    }

    /// Says that a key's value is wrong: `` `key` <message> ``.
    pub fn wrong(&self, key: &str, message: impl AsRef<str>, hint: Option<String>) {
        self.say(Level::Error, key, message.as_ref(), hint);
    }

    /// The same as a warning.
    pub fn warn(&self, key: &str, message: impl AsRef<str>, hint: Option<String>) {
        self.say(Level::Warning, key, message.as_ref(), hint);
    }

    /// Says something about a place inside a key's value.
    pub fn add(&self, level: Level, at: Place, key: String, message: String) {
        self.sink.add(level, at, Some(key), message, None);
    }

    /// Names a key that is known, but has no effect here, unless its value is the one that means nothing.
    pub fn refuse(&self, key: &'static str, means_nothing: impl Fn(&Value) -> bool) {
        if let Some(node) = self.node(key)
            && !means_nothing(&node.value)
        {
            self.wrong(key, "is not supported yet", Some(format!("take `{}` out", self.path(key))));
        }
    }

    /// Names every key that nobody asked for.
    pub fn finish(self) {
        let known = self.known.borrow();
        for (name, at, _) in self.entries {
            if known.iter().any(|k| k == name) {
                continue;
            }
            let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
                let mut names = known.clone();
                names.sort_unstable();
                names.dedup();
                format!("known here: {}", names.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", "))
            });
            let path = self.path(name);
            self.sink.add(Level::Error, *at, Some(path.clone()), format!("unknown key `{path}`"), Some(hint));
        }
    }

    fn say(&self, level: Level, key: &str, message: &str, hint: Option<String>) {
        let path = self.path(key);
        self.sink.add(level, self.place(key), Some(path.clone()), format!("`{path}` {message}"), hint);
    }

    fn typed<T>(&self, key: &'static str, wanted: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let node = self.node(key)?;
        let value = read(&node.value);
        if value.is_none() {
            self.mistyped(node.at, self.path(key), wanted, &node.value);
        }
        value
    }

    fn mistyped(&self, at: Place, path: String, wanted: &str, found: &Value) {
        let message = format!("`{path}` must be {wanted}, not {}", found.kind());
        self.sink.add(Level::Error, at, Some(path), message, None);
    }
}

fn open<'a>(node: &'a Node, prefix: String, sink: &'a Sink) -> Option<Section<'a>> {
    match &node.value {
        Value::Map(entries) => Some(Section { entries, prefix, at: node.at, sink, known: RefCell::default() }),
        // An empty YAML file is nothing, which is as good as an empty table.
        Value::Null if prefix.is_empty() => {
            Some(Section { entries: &[], prefix, at: node.at, sink, known: RefCell::default() })
        }
        other => {
            let what = if prefix.is_empty() { "the file".to_string() } else { format!("`{prefix}`") };
            let message = format!("{what} must be a table, not {}", other.kind());
            sink.add(Level::Error, node.at, (!prefix.is_empty()).then_some(prefix), message, None);
            None
        }
    }
}
