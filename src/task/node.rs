//! A tree of values that know where they stand in their file. TOML and YAML readers both end here, so that one strict
//! walker ([`crate::task::Section`]) serves every file that a user writes. It must not know any key.

/// A position in a text file; both numbers count from 1, columns in characters. Line 0 means "not known".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it starts.
    pub at: Place,
    /// What it is.
    pub value: Value,
}

/// What a file can say.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing (YAML and JSON only).
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// Text.
    Text(String),
    /// A date or time (TOML only), as it was written.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with values, in the file's order; each key with the place where it is written.
    Map(Vec<(String, Place, Node)>),
}

impl Value {
    /// What this is, in a user's words, such as `a list`.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Map(_) => "a table",
        }
    }

    /// The same value as JSON, places left out. Numbers that JSON can't hold become text.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Int(i) => (*i).into(),
            Value::Float(f) if f.is_finite() => (*f).into(),
            Value::Float(f) => f.to_string().into(),
            Value::Text(s) | Value::Date(s) => s.clone().into(),
            Value::List(items) => items.iter().map(|n| n.value.to_json()).collect(),
            Value::Map(entries) => {
                serde_json::Value::Object(entries.iter().map(|(k, _, n)| (k.clone(), n.value.to_json())).collect())
            }
        }
    }
}

/// Turns byte offsets of a text into places.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of `text`.
    pub(crate) fn new(text: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Lines { text, starts }
    }

    /// The place of a byte offset.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.text.get(start..offset).map_or(1, |head| head.chars().count() + 1);
        Place { line, column }
    }
}

/// Reads TOML. Errors are the parser's own words, each with its place; the tree is what could be read.
pub(crate) fn parse_toml(text: &str) -> (Node, Vec<(Place, String)>) {
    let lines = Lines::new(text);
    let (table, errors) = toml::de::DeTable::parse_recoverable(text);
    let errors = errors
        .iter()
        .map(|e| (lines.place(e.span().map_or(0, |s| s.start)), e.message().replace('\n', ", ")))
        .collect();
    let value = toml_map(&lines, table.get_ref());
    (Node { at: Place { line: 1, column: 1 }, value }, errors)
}

fn toml_map(lines: &Lines<'_>, table: &toml::de::DeTable<'_>) -> Value {
    let mut entries: Vec<(String, Place, Node)> = table
        .iter()
        .map(|(key, value)| {
            let node = Node { at: lines.place(value.span().start), value: toml_value(lines, value.get_ref()) };
            (key.get_ref().to_string(), lines.place(key.span().start), node)
        })
        .collect();
    entries.sort_by_key(|(_, at, _)| *at);
    Value::Map(entries)
}

fn toml_value(lines: &Lines<'_>, value: &toml::de::DeValue<'_>) -> Value {
    use toml::de::DeValue;
    match value {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Float(i.as_str().parse().unwrap_or(f64::INFINITY)),
        },
        DeValue::Float(f) => Value::Float(f.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(d) => Value::Date(d.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|v| Node { at: lines.place(v.span().start), value: toml_value(lines, v.get_ref()) })
                .collect(),
        ),
        DeValue::Table(table) => toml_map(lines, table),
    }
}
