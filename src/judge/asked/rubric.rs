//! Reads a reply to a rubric: a score and why.

use super::form::Read;
use super::reply::{Object, Unreadable, bare, beginning, find, object, without_thoughts};
use serde_json::{Value, json};

/// How far a score may lie outside [0, 1] and is still taken for the nearer end: a slip of the last digits. More than
/// that is another scale, and nobody knows which.
const SLIP: f64 = 0.01;

/// The shape of a reply that a model is asked for.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"score": {"type": "number"}, "rationale": {"type": "string"}},
        "required": ["score", "rationale"],
        "additionalProperties": false,
    })
}

/// The score in a reply: of a JSON object with `score`, or of a reply that is a number and nothing else.
pub fn read(reply: &str) -> Result<Read, Unreadable> {
    if let Some(read) = object(reply, scored) {
        let (score, rationale) = read?;
        return Ok(Read::new(score, "score", rationale));
    }
    let rest = bare(without_thoughts(reply));
    let number = ["score:", "score =", "score="].into_iter().find(|word| find(rest, word) == Some(0));
    let number = bare(number.map_or(rest, |word| &rest[word.len()..]));
    match number.parse() {
        Ok(number) => Ok(Read::new(on_scale(number)?, "score", String::new())),
        Err(_) => Err(format!("it holds no score; {}", beginning(reply))),
    }
}

fn scored(object: &Object) -> Option<Result<(f64, String), Unreadable>> {
    let value = match object.get("score") {
        Ok(value) => value?,
        Err(twice) => return Some(Err(twice)),
    };
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => bare(text).parse().ok(),
        _ => None,
    };
    Some(match number {
        Some(number) => on_scale(number).map(|score| (score, object.text("rationale"))),
        None => Err(format!("its score is `{value}`, which is no number")),
    })
}

fn on_scale(score: f64) -> Result<f64, Unreadable> {
    if (-SLIP..=1.0 + SLIP).contains(&score) {
        // Adding zero turns a negative zero into the plain one.
        Ok(score.clamp(0.0, 1.0) + 0.0)
    } else {
        Err(format!("its score is {score}, which is not in [0, 1]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_score_is_read_however_it_is_wrapped() {
        for (reply, score) in [
            (r#"{"score": 1.0, "rationale": "same"}"#, 1.0),
            (r#"{"rationale": "</think>{\"score\": 1}", "score": 0}"#, 0.0),
            ("```json\n{\"score\": 0.5, \"rationale\": \"no\"}\n```", 0.5),
            ("Here you are:\n{\"score\": 1}\nThat is all {really}.", 1.0),
            ("<think>maybe {\"score\": 0}</think>\n{\"score\": 1}", 1.0),
            ("thoughts without a beginning</think>{\"score\": \"1.0\"}", 1.0),
            (r#"{"Score": 1, "score_note": "x"}"#, 1.0),
            (r#"{"score": 1.000001}"#, 1.0),
            (r#"{"score": -0.0}"#, 0.0),
            ("**1.0**", 1.0),
            ("Score: 0.5", 0.5),
            ("{\"score\": 1} {\"score\": 1}", 1.0),
            ("\u{feff}0", 0.0),
        ] {
            assert_eq!(read(reply.trim_start_matches('\u{feff}')).map(|r| r.reward), Ok(score), "{reply}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_or_none_is_no_score() {
        for reply in [
            "",
            "   ",
            r#"{"score": NaN}"#,
            r#"{"score": 1e999}"#,
            r#"{"score": 2}"#,
            r#"{"score": -1}"#,
            r#"{"score": null}"#,
            r#"{"score": true}"#,
            r#"{"score": "high"}"#,
            r#"{"score": [1]}"#,
            r#"{"score": 1, "score": 0}"#,
            r#"{"grade": 1}"#,
            r#"{"score": 1.0, "rationale": "the ans"#,
            r#"{"a": {"score": 1}}"#,
            r#"{"broken": {"score": 1} oops"#,
            "{\"score\": 1} or rather {\"score\": 0}",
            "<think>never ends {\"score\": 1}",
            "I'm sorry, but I can't help with that.",
            "<!DOCTYPE html><html><body>502</body></html>",
            "1.0 or 0.0",
            "The score is 1",
            "inf",
            "100%",
            "8/10",
        ] {
            assert!(read(reply).is_err(), "{reply}: {:?}", read(reply));
        }
    }
}
