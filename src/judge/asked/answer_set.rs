//! Reads a reply that compares an answer with a key of several parts, and measures it: precision, recall, F1.
//!
//! The arithmetic is DeepSearchQA's: precision = right parts / (right parts + extras), recall = right parts / all parts,
//! F1 = 2PR / (P + R), each 0 where its denominator is. One case is settled otherwise than there: a key that says "none"
//! and an answer that gives nothing agree, so all three are 1.

use super::form::Read;
use super::reply::{Object, Unreadable, beginning, object, without_thoughts};
use super::xml::{self, Items, truth};
use crate::task::Case;
use serde_json::{Value, json};

/// The shape of a reply that a model is asked for: a list where the published form has names as keys, since a schema
/// can't hold names that it doesn't know.
pub fn schema() -> Value {
    let part = json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}, "correct": {"type": "boolean"}},
        "required": ["answer", "correct"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "explanation": {"type": "string"},
            "correctness_details": {"type": "array", "items": part},
            "excessive_answers": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["explanation", "correctness_details", "excessive_answers"],
        "additionalProperties": false,
    })
}

/// Reads both published forms, whichever was asked for, and measures what they say. `case` bounds how many parts the key
/// can have.
pub fn read(reply: &str, case: &Case) -> Result<Read, Unreadable> {
    let (items, why) = match object(reply, in_json) {
        Some(read) => read?,
        None => {
            (xml::read(without_thoughts(reply)).map_err(|why| format!("{why}; {}", beginning(reply)))?, String::new())
        }
    };
    let extras = items.extras.iter().filter(|extra| !says_none(extra)).count();
    let right = items.parts.iter().filter(|right| **right).count();
    parts_fit(items.parts.len(), case)?;
    Ok(measured(right, items.parts.len(), extras, why))
}

/// The verdict on an answer that says nothing: right where the key says that there is none.
pub fn empty(key: &str, reason: String) -> Read {
    measured(0, usize::from(!says_none(key)), 0, reason)
}

fn measured(right: usize, parts: usize, extras: usize, why: String) -> Read {
    let share = |part: usize, of: usize| if of == 0 { 0.0 } else { part as f64 / of as f64 };
    let nothing_in_both = parts == 0 && extras == 0;
    let (precision, recall) =
        if nothing_in_both { (1.0, 1.0) } else { (share(right, right + extras), share(right, parts)) };
    let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    let class = match (right, extras) {
        _ if nothing_in_both => "correct",
        (0, _) => "incorrect",
        (right, 0) if right == parts => "correct",
        (right, _) if right == parts => "correct_with_extras",
        _ => "partial",
    };
    let counts = format!("{right} of {parts} parts, {extras} beside them");
    let reason = if why.is_empty() { counts } else { format!("{counts}: {why}") };
    let numbers = [("precision", precision), ("recall", recall), ("f1", f1)];
    Read {
        class: Some(class.to_owned()),
        numbers: numbers.into_iter().map(|(name, number)| (name.to_owned(), number)).collect(),
        ..Read::new(f1, "answer set", reason)
    }
}

/// A judge that loses parts of the key would report a better recall, so their number is held against the key: one where
/// the task says that there is one, at most one more than its commas else, none only where the key says none.
fn parts_fit(parts: usize, case: &Case) -> Result<(), Unreadable> {
    let none = says_none(&case.ground_truth);
    let single = case.extra.get("answer_type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("Single"));
    let most = if single { 1 } else { case.ground_truth.matches([',', ';', '\n']).count() + 1 };
    match parts {
        0 if none => Ok(()),
        0 => Err("it compares nothing with the key".to_owned()),
        parts if parts > most => Err(format!("it compares {parts} parts with a key that has {most}")),
        _ => Ok(()),
    }
}

/// The answer that says in so many words that there is none, or says nothing.
fn says_none(text: &str) -> bool {
    let word = text.trim_matches(|c: char| c.is_whitespace() || ".\"'`*".contains(c)).to_ascii_lowercase();
    ["", "none", "n/a", "na", "null", "nothing", "-", "no extra answers"].contains(&word.as_str())
}

/// The published JSON form, its list form, and either inside or outside of `Answer Correctness`.
fn in_json(object: &Object) -> Option<Result<(Items, String), Unreadable>> {
    let inner = object.get("answer_correctness").ok().flatten().and_then(Object::of);
    let object = inner.as_ref().unwrap_or(object);
    let details = match object.get("correctness_details") {
        Ok(details) => details?,
        Err(twice) => return Some(Err(twice)),
    };
    Some(object.get("excessive_answers").and_then(|extras| {
        let items = Items { parts: parts(details)?, extras: extras.map(texts).transpose()?.unwrap_or_default() };
        Ok((items, object.text("explanation")))
    }))
}

fn parts(details: &Value) -> Result<Vec<bool>, Unreadable> {
    let said = |value: &Value| match value {
        Value::Bool(right) => Ok(*right),
        Value::String(word) => truth(word.trim()).ok_or_else(|| format!("a part is `{word}`")),
        other => Err(format!("a part is `{other}`, neither true nor false")),
    };
    match details {
        Value::Object(map) => map.values().map(said).collect(),
        Value::Array(list) => list
            .iter()
            .map(|item| item.get("correct").ok_or_else(|| "a part does not say whether it is correct".to_owned()))
            .map(|value| value.and_then(said))
            .collect(),
        other => Err(format!("`correctness_details` is `{other}`")),
    }
}

fn texts(extras: &Value) -> Result<Vec<String>, Unreadable> {
    let wrong = || format!("`excessive_answers` is `{extras}`, which is no list of texts");
    match extras {
        Value::Null => Ok(Vec::new()),
        Value::Array(list) => list.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect(),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(key: &str, kind: &str) -> Case {
        let extra = [("answer_type".to_owned(), json!(kind))].into_iter().collect();
        Case { input: "Q".into(), ground_truth: key.into(), extra }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.0005
    }

    #[test]
    fn the_published_arithmetic() {
        for (right, parts, extras, precision, recall, f1, class) in [
            (1, 1, 0, 1.0, 1.0, 1.0, "correct"),
            (1, 1, 1, 0.5, 1.0, 0.667, "correct_with_extras"),
            (1, 1, 3, 0.25, 1.0, 0.4, "correct_with_extras"),
            (0, 1, 0, 0.0, 0.0, 0.0, "incorrect"),
            (0, 1, 1, 0.0, 0.0, 0.0, "incorrect"),
            (2, 3, 0, 1.0, 0.667, 0.8, "partial"),
            (2, 3, 2, 0.5, 0.667, 0.571, "partial"),
            (0, 0, 0, 1.0, 1.0, 1.0, "correct"),
            (0, 0, 1, 0.0, 0.0, 0.0, "incorrect"),
        ] {
            let read = measured(right, parts, extras, String::new());
            let numbers = &read.numbers;
            assert!(near(numbers["precision"], precision), "{right} {parts} {extras}: {numbers:?}");
            assert!(near(numbers["recall"], recall) && near(read.reward, f1), "{right} {parts} {extras}: {numbers:?}");
            assert_eq!(read.class.as_deref(), Some(class), "{right} {parts} {extras}");
        }
    }

    #[test]
    fn both_published_forms_are_read() {
        let set = case("Ida, Max, Una", "Set Answer");
        let json = "```json\n{\"Answer Correctness\": {\"Explanation\": \"two\", \"Correctness Details\": {\"Ida\": true, \
                    \"Max\": true, \"Una\": false}, \"Excessive Answers\": [\"none\"]}}\n```";
        let list = r#"{"explanation": "two", "correctness_details": [{"answer": "Ida", "correct": true},
            {"answer": "Max", "correct": "yes"}, {"answer": "Una", "correct": false}], "excessive_answers": []}"#;
        let xml = "<evaluation><explanation>two</explanation><correctness_details><item answer=\"Ida\" correct=\"true\"/>\
                   <item answer=\"Max\" correct='True'/><item answer=\"Una\" correct=\"false\"/></correctness_details>\
                   <excessive_answers><item> </item><item>N/A</item></excessive_answers></evaluation>";
        for reply in [json, list, xml] {
            let read = read(reply, &set).expect(reply);
            assert!(near(read.reward, 0.8), "{reply}: {read:?}");
        }
        assert!(read("{\"correctness_details\": {\"Bo\": true}}", &case("Bo", "Single Answer")).is_ok());
        assert!(read("{\"correctness_details\": {}}", &case("None", "Set Answer")).is_ok());
    }

    #[test]
    fn a_reply_that_lost_or_invented_parts_is_not_read() {
        for (reply, key, kind) in [
            ("NULL", "Bo", "Single Answer"),
            ("{\"correctness_details\": {}}", "Bo", "Single Answer"),
            ("{\"correctness_details\": {\"Bo\": true, \"Di\": true}}", "Bo", "Single Answer"),
            ("{\"correctness_details\": {\"a\": true, \"b\": true, \"c\": true}}", "a, b", "Set Answer"),
            ("{\"correctness_details\": {\"Bo\": 1}}", "Bo", "Single Answer"),
            ("{\"correctness_details\": {\"Bo\": true}, \"excessive_answers\": \"Di\"}", "Bo", "Single Answer"),
            ("{\"correctness_details\": {\"Bo\": true}, \"excessive_answers\": [1]}", "Bo", "Single Answer"),
            ("{\"excessive_answers\": []}", "Bo", "Single Answer"),
            ("", "Bo", "Single Answer"),
        ] {
            assert!(read(reply, &case(key, kind)).is_err(), "{reply}");
        }
    }
}
