//! Reads YAML (and JSON, which is YAML) into the tree of values with places that the strict walker goes through. It
//! must not know any key.

use crate::task::{Node, Place, Value};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// Reads a whole file.
///
/// # Errors
/// The parser's words, with the place.
pub(crate) fn parse_yaml(text: &str) -> Result<Node, (Place, String)> {
    let raw: Spanned<Raw> = serde_saphyr::from_str(text).map_err(|e| {
        let at = e.location().map(|l| place(&l)).unwrap_or_default();
        let message = e.without_snippet().to_string();
        // The place has its own column here, and the reader's options are not the user's.
        let message = message.split(" at line ").next().unwrap_or(&message);
        let message = message.split(", set DuplicateKeyPolicy").next().unwrap_or(message).replace('\n', ", ");
        (at, message)
    })?;
    Ok(node(raw))
}

struct Raw(Value);

fn node(raw: Spanned<Raw>) -> Node {
    Node { at: place(&raw.referenced), value: raw.value.0 }
}

fn place(at: &Location) -> Place {
    let number = |n: u64| usize::try_from(n).unwrap_or_default();
    Place { line: number(at.line()), column: number(at.column()) }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Raw, D::Error> {
        from.deserialize_any(Any).map(Raw)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(Any)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Float(value as f64), Value::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(node(item));
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let value = node(map.next_value()?);
            entries.push((key.value, place(&key.referenced), value));
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_give_the_same_tree_with_places() {
        let yaml = parse_yaml("# c\na: 1\nb:\n  - x: true\n    y: ~\n  - 2.5\n").unwrap();
        let json = parse_yaml("{\"a\": 1,\n \"b\": [{\"x\": true, \"y\": null},\n 2.5]}").unwrap();
        assert_eq!(yaml.value.to_json(), json.value.to_json());
        let Value::Map(entries) = &yaml.value else { panic!("{yaml:?}") };
        assert_eq!(entries[1].1, Place { line: 3, column: 1 });
        assert_eq!(parse_yaml("").unwrap().value, Value::Null);
    }

    #[test]
    fn what_is_no_yaml_is_said_in_one_line_with_its_place() {
        for (text, line, wanted) in [
            ("a: 1\na: 2\n", 2, "duplicate mapping key: a"),
            ("a: [1\n", 1, "unclosed bracket '['"),
            ("a: *x\n", 1, "alias references unknown anchor"),
        ] {
            let (at, message) = parse_yaml(text).unwrap_err();
            assert_eq!((at.line, message.as_str()), (line, wanted));
        }
    }
}
