//! The edit twin of the reader: text → text, for the four things that are ever written into a `task.toml`: the measured
//! `difficulty`, its `[metadata.calibration]`, `[metadata.audit]` and `[metadata.ideal]`. Everything else survives as it was: comments, order, spacing, line
//! ends, byte order mark, the missing end of the last line. A second edit changes nothing. It must not touch files.

use super::error::Error;
use super::lines::kept_lines;
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, Table, TableLike};

/// How hard a task is, measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Nearly always answered rightly.
    Easy,
    /// Between.
    Medium,
    /// Hardly ever answered rightly.
    Hard,
}

impl Tier {
    /// All tiers, easiest first.
    pub const ALL: [Tier; 3] = [Tier::Easy, Tier::Medium, Tier::Hard];

    /// The word for it in `task.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Easy => "easy",
            Tier::Medium => "medium",
            Tier::Hard => "hard",
        }
    }

    /// The tier of exactly this word.
    pub fn from_word(word: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.as_str() == word)
    }
}

/// What a stamp leaves in `[metadata]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stamp {
    /// `difficulty`.
    pub difficulty: Option<String>,
    /// `[metadata.calibration]`: how the difficulty was measured.
    pub calibration: Option<Map<String, Value>>,
    /// `[metadata.audit]`: what is to be thought of the answer key.
    pub audit: Option<Map<String, Value>>,
    /// `[metadata.ideal]`: what the best known run took.
    pub ideal: Option<Map<String, Value>>,
}

/// The stamp in the text of a `task.toml`.
///
/// # Errors
/// [`Error::Edit`] where the text isn't TOML.
pub fn stamp_of(text: &str) -> Result<Stamp, Error> {
    let metadata = metadata_of(text)?;
    let difficulty = metadata.get("difficulty").and_then(Value::as_str).map(str::to_string);
    let table = |key: &str| metadata.get(key).and_then(Value::as_object).cloned();
    Ok(Stamp { difficulty, calibration: table("calibration"), audit: table("audit"), ideal: table("ideal") })
}

/// `[metadata]` in the text of a `task.toml`; empty where there is none.
///
/// # Errors
/// [`Error::Edit`] where the text isn't TOML.
pub fn metadata_of(text: &str) -> Result<Map<String, Value>, Error> {
    let (node, errors) = super::node::parse_toml(text.strip_prefix(BOM).unwrap_or(text));
    if let Some((at, message)) = errors.first() {
        return Err(Error::Edit { message: format!("line {}: {message}", at.line) });
    }
    Ok(node.value.to_json().get("metadata").and_then(Value::as_object).cloned().unwrap_or_default())
}

/// Writes a stamp into the text of a `task.toml`; what the stamp leaves open stays as it is, but for the
/// calibration of another difficulty.
///
/// # Errors
/// [`Error::Edit`] where the text isn't TOML, or has something else where `[metadata]` should be.
pub fn apply_stamp(text: &str, stamp: &Stamp) -> Result<String, Error> {
    let now = stamp_of(text)?;
    let new_difficulty = stamp.difficulty.as_ref().filter(|d| now.difficulty.as_ref() != Some(d));
    let tables = [
        ("calibration", &stamp.calibration, &now.calibration),
        ("audit", &stamp.audit, &now.audit),
        ("ideal", &stamp.ideal, &now.ideal),
    ];
    let new_tables: Vec<_> = tables
        .into_iter()
        .filter_map(|(key, new, now)| new.as_ref().filter(|new| now.as_ref() != Some(new)).map(|new| (key, new)))
        .collect();
    if new_difficulty.is_none() && new_tables.is_empty() {
        return Ok(text.to_string());
    }
    let body = text.strip_prefix(BOM).unwrap_or(text);
    // The TOML grammar knows both line ends, but the editor writes only one of them.
    let mut doc: DocumentMut =
        body.replace("\r\n", "\n").parse().map_err(|e: toml_edit::TomlError| edit(e.message()))?;
    let metadata = table_in(doc.as_table_mut(), "metadata")?;
    if let Some(difficulty) = new_difficulty {
        set(metadata, "difficulty", difficulty.as_str().into());
        // What was measured of the old tier is no evidence for this one.
        if stamp.calibration.is_none() {
            metadata.remove("calibration");
        }
    }
    for (key, new) in new_tables {
        let table = table_in(metadata, key)?;
        let stale: Vec<String> = table.iter().map(|(k, _)| k.to_string()).filter(|k| !new.contains_key(k)).collect();
        for key in stale {
            table.remove(&key);
        }
        for (key, value) in new {
            set(table, key, to_toml(value)?);
        }
    }
    Ok(restore(text, &doc.to_string()))
}

const BOM: char = '\u{feff}';

fn edit(message: &str) -> Error {
    Error::Edit { message: message.replace('\n', ", ") }
}

fn table_in<'t>(parent: &'t mut dyn TableLike, key: &str) -> Result<&'t mut dyn TableLike, Error> {
    parent
        .entry(key)
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| edit(&format!("`{key}` is not a table")))
}

/// Sets a value in its place, with the spaces and the comment around the old one.
fn set(table: &mut dyn TableLike, key: &str, mut value: toml_edit::Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

fn to_toml(value: &Value) -> Result<toml_edit::Value, Error> {
    Ok(match value {
        Value::Bool(b) => (*b).into(),
        Value::String(s) => s.as_str().into(),
        Value::Number(n) => match n.as_i64() {
            Some(whole) => whole.into(),
            None => n.as_f64().ok_or_else(|| edit(&format!("`{n}` is out of range")))?.into(),
        },
        Value::Array(items) => {
            let items: Result<Vec<_>, _> = items.iter().map(to_toml).collect();
            toml_edit::Value::Array(items?.into_iter().collect())
        }
        Value::Object(map) => {
            let mut table = toml_edit::InlineTable::new();
            for (key, value) in map {
                table.insert(key, to_toml(value)?);
            }
            table.into()
        }
        Value::Null => return Err(edit("a stamp can't hold `null`")),
    })
}

/// Gives the edited text the byte order mark, the line ends and the last line's end of the original. Lines that were
/// there keep their own ends; new lines get the end that most lines have.
fn restore(original: &str, edited: &str) -> String {
    let body = original.strip_prefix(BOM).unwrap_or(original);
    let old: Vec<&str> = body.split_inclusive('\n').collect();
    let new: Vec<&str> = edited.split_inclusive('\n').collect();
    let [old_bare, new_bare] = [&old, &new].map(|lines| lines.iter().map(|line| bare(line)).collect::<Vec<_>>());
    let places = kept_lines(&old_bare, &new_bare);
    let crlf = old.iter().filter(|line| line.ends_with("\r\n")).count() * 2 > old.len();
    let mut out = String::with_capacity(original.len() + edited.len());
    out.extend(original.starts_with(BOM).then_some(BOM));
    for ((index, line), place) in new.iter().enumerate().zip(places) {
        // A changed line among as many as before has the end of the one that was there.
        let kept = place.or((new.len() == old.len()).then_some(index)).map(|place| old[place]);
        let crlf = kept.filter(|k| k.ends_with('\n')).map_or(crlf, |k| k.ends_with("\r\n"));
        out.push_str(bare(line));
        out.push_str(if crlf { "\r\n" } else { "\n" });
    }
    if !body.ends_with('\n') {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    out
}

fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hard() -> Stamp {
        Stamp { difficulty: Some("hard".into()), ..Stamp::default() }
    }

    fn calibrated() -> Stamp {
        let calibration = json!({"status": "stamped", "n": 6, "mass": 0.912, "reference": ["a", "b"]});
        Stamp { calibration: calibration.as_object().cloned(), ..hard() }
    }

    #[test]
    fn only_the_stamped_line_differs_whatever_the_file_looks_like() {
        for text in [
            "[metadata]\ndifficulty = \"easy\"\nx = 1\n",
            "\u{feff}[metadata]\r\n# above\r\ndifficulty   =  \"easy\"   # beside\r\n\r\n# below\r\n[agent]\r\ntimeout_sec=7\r\n",
            "schema_version = '1.4'\n\n\n[ metadata ]\n  difficulty=\"easy\"#c\n[environment] # e\r\nnetwork_mode = \"public\"",
            "metadata = { difficulty = \"easy\", suite = \"s\" } # inline",
            "metadata.suite = \"s\"\r\nmetadata.difficulty = 'easy'\r\n",
            "[metadata]\r\ndifficulty = \"\"\"easy\"\"\"",
        ] {
            let edited = apply_stamp(text, &hard()).unwrap();
            let changed: Vec<_> =
                text.split_inclusive('\n').zip(edited.split_inclusive('\n')).filter(|(a, b)| a != b).collect();
            assert_eq!(changed.len(), 1, "{text:?} -> {edited:?}");
            assert!(changed[0].1.contains("\"hard\""), "{edited:?}");
            assert_eq!(text.matches('\n').count(), edited.matches('\n').count());
            assert_eq!(text.ends_with('\n'), edited.ends_with('\n'));
            assert_eq!(apply_stamp(&edited, &hard()).unwrap(), edited, "a second stamp changes nothing");
            assert_eq!(stamp_of(&edited).unwrap(), hard());
        }
    }

    #[test]
    fn a_tier_from_elsewhere_does_not_keep_the_evidence_of_the_one_before() {
        let measured = apply_stamp("[metadata]\ndifficulty = \"easy\"\n", &calibrated()).unwrap();
        let easy = Stamp { difficulty: Some("easy".into()), ..Stamp::default() };
        assert_eq!(stamp_of(&apply_stamp(&measured, &easy).unwrap()).unwrap(), easy);
        assert_eq!(apply_stamp(&measured, &hard()).unwrap(), measured, "the same tier changes nothing");
    }

    #[test]
    fn a_calibration_is_added_then_updated_in_place() {
        for text in [
            "",
            "[metadata]\r\ndifficulty = \"easy\"\r\n\r\n[agent]\r\ntimeout_sec = 7",
            "[agent]\ntimeout_sec = 7\n",
            "metadata = { difficulty = \"easy\" }\n",
            "[metadata]\ndifficulty = \"easy\"\n[metadata.calibration] # by hand\nold = 1\nn = 3 # few\n[agent]\n",
        ] {
            let edited = apply_stamp(text, &calibrated()).unwrap();
            assert_eq!(stamp_of(&edited).unwrap(), calibrated(), "{edited}");
            assert_eq!(apply_stamp(&edited, &calibrated()).unwrap(), edited);
            assert_eq!(text.contains("# few"), edited.contains("n = 6 # few"), "{edited}");
            assert_eq!(text.contains('\r'), edited.contains('\r'));
            let lone = edited.replace("\r\n", "").contains('\n');
            assert!(!(text.contains('\r') && lone), "line ends are not mixed: {edited:?}");
        }
    }

    #[test]
    fn what_is_no_toml_or_no_table_is_an_error() {
        assert!(apply_stamp("[metadata\n", &hard()).is_err());
        assert!(apply_stamp("metadata = 3\n", &hard()).unwrap_err().to_string().contains("`metadata`"));
    }
}
