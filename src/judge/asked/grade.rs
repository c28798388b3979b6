//! Reads replies that put an answer into a class: a letter (A, B, C or D), or yes and no.

use super::form::Read;
use super::reply::{Object, Unreadable, bare, beginning, find, object, rfind, without_thoughts};
use serde_json::{Value, json};

/// A letter and the class that it stands for.
pub type Grades = &'static [(char, &'static str)];

/// BrowseComp's three.
pub const LETTERS: Grades = &[('A', "correct"), ('B', "incorrect"), ('C', "abstained")];

/// Omniscience's four.
pub const OMNISCIENCE: Grades = &[('A', "correct"), ('B', "incorrect"), ('C', "partial"), ('D', "abstained")];

/// The shape of a reply that gives a letter.
pub fn schema(grades: Grades) -> Value {
    let letters: Vec<String> = grades.iter().map(|(letter, _)| letter.to_string()).collect();
    json!({
        "type": "object",
        "properties": {"rationale": {"type": "string"}, "grade": {"type": "string", "enum": letters}},
        "required": ["rationale", "grade"],
        "additionalProperties": false,
    })
}

/// The shape of a reply that says yes or no.
pub fn yes_no_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"rationale": {"type": "string"}, "correct": {"type": "string", "enum": ["yes", "no"]}},
        "required": ["rationale", "correct"],
        "additionalProperties": false,
    })
}

/// The class in a reply: of a JSON object with `grade`; of a reply or a last line that is a letter or a class's name;
/// of the last `grade: X`. A letter that merely stands in a sentence is none: "A" is an article too.
pub fn read(reply: &str, grades: Grades) -> Result<Read, Unreadable> {
    let in_json = |object: &Object| match object.get("grade") {
        Ok(value) => value.map(|value| {
            let class = value.as_str().and_then(|text| class_of(text, grades));
            class.map(|class| (class, object.text("rationale"))).ok_or_else(|| format!("its grade is `{value}`"))
        }),
        Err(twice) => Some(Err(twice)),
    };
    if let Some(read) = object(reply, in_json) {
        let (class, rationale) = read?;
        return Ok(graded(class, rationale));
    }
    let rest = without_thoughts(reply);
    let last_line = rest.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    let stated = class_of(rest, grades).or_else(|| class_of(last_line, grades)).or_else(|| labelled(rest, grades));
    match stated {
        Some(class) => Ok(graded(class, String::new())),
        None => Err(format!("it holds no grade; {}", beginning(reply))),
    }
}

/// Whether a reply says that the answer is right: by a JSON object with `correct`, by the last `correct: yes` or
/// `correct: no`, or by being one of the two words.
pub fn read_yes_no(reply: &str) -> Result<Read, Unreadable> {
    let word = |text: &str| match bare(text).to_ascii_lowercase().as_str() {
        "yes" | "true" => Some("correct"),
        "no" | "false" => Some("incorrect"),
        _ => None,
    };
    let in_json = |object: &Object| match object.get("correct") {
        Ok(value) => value.map(|value| {
            let class = match value {
                Value::Bool(true) => Some("correct"),
                Value::Bool(false) => Some("incorrect"),
                Value::String(text) => word(text),
                _ => None,
            };
            class.map(|class| (class, object.text("rationale"))).ok_or_else(|| format!("`correct` is `{value}`"))
        }),
        Err(twice) => Some(Err(twice)),
    };
    if let Some(read) = object(reply, in_json) {
        let (class, rationale) = read?;
        return Ok(graded(class, rationale));
    }
    let rest = without_thoughts(reply);
    let after = |label: &str| rfind(rest, label).map(|at| &rest[at + label.len()..]);
    let labelled = ["correct:", "correct**:", "correct\":"].into_iter().find_map(after);
    let said = labelled.map(|after| bare(after.trim_start()).split_whitespace().next().unwrap_or(""));
    match said.or(Some(rest)).and_then(word) {
        Some(class) => Ok(graded(class, String::new())),
        None => Err(format!("it says neither yes nor no; {}", beginning(reply))),
    }
}

/// Only a right answer earns something: the published accuracies count nothing else.
fn graded(class: &'static str, rationale: String) -> Read {
    let reward = if class == "correct" { 1.0 } else { 0.0 };
    Read { class: Some(class.to_owned()), ..Read::new(reward, "grade", rationale) }
}

/// The class of a text that is a letter and nothing else, or the class's name.
fn class_of(text: &str, grades: Grades) -> Option<&'static str> {
    let word = bare(text);
    let word = match word.split_once([':', ')']) {
        // `A: CORRECT`, as the letters are listed in the question.
        Some((letter, name)) if bare(name).is_empty() || name_of(bare(name)).is_some() => bare(letter),
        _ => word,
    };
    let by_letter = |letter: char| grades.iter().find(|(known, _)| known.eq_ignore_ascii_case(&letter));
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => by_letter(letter).map(|(_, class)| *class),
        _ => name_of(word).filter(|name| grades.iter().any(|(_, class)| class == name)),
    }
}

fn name_of(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().replace([' ', '-'], "_").as_str() {
        "correct" => Some("correct"),
        "incorrect" | "wrong" => Some("incorrect"),
        "partial" | "partial_answer" | "partially_correct" => Some("partial"),
        "abstain" | "abstained" | "not_attempted" => Some("abstained"),
        _ => None,
    }
}

fn labelled(text: &str, grades: Grades) -> Option<&'static str> {
    let line = text.lines().rev().find(|line| find(line, "grade").is_some())?;
    let after = &line[rfind(line, "grade")? + "grade".len()..];
    class_of(after.trim_start_matches(|c: char| c.is_whitespace() || ":=*".contains(c)), grades)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_read_where_it_is_the_verdict_and_not_where_it_is_an_article() {
        for (reply, class) in [
            ("A", Some("correct")),
            ("**B**", Some("incorrect")),
            ("(C)", Some("abstained")),
            ("A: CORRECT", Some("correct")),
            ("The names differ.\n\nB", Some("incorrect")),
            ("Grade: C", Some("abstained")),
            ("**Grade:** A.", Some("correct")),
            ("NOT_ATTEMPTED", Some("abstained")),
            ("{\"rationale\": \"A man\", \"grade\": \"B\"}", Some("incorrect")),
            ("<think>A</think>B", Some("incorrect")),
            ("a", Some("correct")),
            ("A close call, but the names differ.", None),
            ("D", None),
            ("A or B", None),
            ("", None),
            ("{\"grade\": \"A\", \"grade\": \"B\"}", None),
            ("{\"grade\": null}", None),
            ("{\"grade\": \"A\"} {\"grade\": \"B\"}", None),
        ] {
            assert_eq!(read(reply, LETTERS).ok().and_then(|r| r.class).as_deref(), class, "{reply}");
        }
        assert_eq!(read("D", OMNISCIENCE).unwrap().class.as_deref(), Some("abstained"));
        assert_eq!(read("C", OMNISCIENCE).unwrap().class.as_deref(), Some("partial"));
        assert_eq!(read("C", OMNISCIENCE).unwrap().reward, 0.0);
    }

    #[test]
    fn the_last_yes_or_no_after_the_label_counts() {
        for (reply, class) in [
            ("extracted: 4\nreasoning: correct: no at first\ncorrect: yes\nconfidence: 90", Some("correct")),
            ("**Correct:** No", Some("incorrect")),
            ("correct:no", Some("incorrect")),
            ("Yes.", Some("correct")),
            ("{\"correct\": true}", Some("correct")),
            ("{\"rationale\": \"\", \"correct\": \"no\"}", Some("incorrect")),
            ("correct: unknown", None),
            ("It is not clear.", None),
            ("", None),
        ] {
            assert_eq!(read_yes_no(reply).ok().and_then(|r| r.class).as_deref(), class, "{reply}");
        }
    }
}
