//! Reads the marked-up reply of an answer-set judge with more tolerance than an XML parser has, since models write
//! quotes and angle brackets into names, and with less where a verdict could be read in two ways.

use super::reply::{Unreadable, find, rfind};

/// What a reply says: whether each part of the key is there, and what is there beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Items {
    /// For each part of the key, whether the answer has it.
    pub parts: Vec<bool>,
    /// What the answer has that the key hasn't.
    pub extras: Vec<String>,
}

/// Reads `<correctness_details>` and `<excessive_answers>`.
///
/// # Errors
/// Where a section is cut off or stands there twice, or an item says nothing or two things.
pub fn read(text: &str) -> Result<Items, Unreadable> {
    let details = section(text, "correctness_details")?.ok_or("it has no `correctness_details`")?;
    let extras = section(text, "excessive_answers")?.unwrap_or("");
    if find(text, "<evaluation").is_some() && find(text, "</evaluation").is_none() {
        return Err("it is cut off".to_owned());
    }
    let parts = items(details).into_iter().map(is_correct).collect::<Result<Vec<bool>, Unreadable>>()?;
    Ok(Items { parts, extras: items(extras).into_iter().map(words).collect() })
}

/// What stands in a section; `None` where it isn't there.
fn section<'a>(text: &'a str, name: &str) -> Result<Option<&'a str>, Unreadable> {
    let (open, close, empty) = (format!("<{name}>"), format!("</{name}>"), format!("<{name}/>"));
    let Some(start) = find(text, &open) else {
        let any = find(text, &format!("<{name}")).is_some() && find(&text.replace(' ', ""), &empty).is_none();
        return if any { Err(format!("`{name}` is cut off")) } else { Ok(None) };
    };
    if rfind(text, &open) != Some(start) {
        return Err(format!("`{name}` stands there twice"));
    }
    let rest = &text[start + open.len()..];
    let end = find(rest, &close).ok_or_else(|| format!("`{name}` is cut off"))?;
    Ok(Some(&rest[..end]))
}

/// The stretch of text that belongs to each item: from its tag to the next one's.
fn items(section: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = section;
    while let Some(start) = find(rest, "<item") {
        let after = &rest[start + "<item".len()..];
        let end = find(after, "<item").unwrap_or(after.len());
        found.push(&after[..end]);
        rest = &after[end..];
    }
    found
}

/// The `correct` of an item, whatever quotes it is in. A name that holds another `correct=` makes it unreadable.
fn is_correct(item: &str) -> Result<bool, Unreadable> {
    let mut said = Vec::new();
    let mut rest = item;
    while let Some(at) = find(rest, "correct") {
        let (before, after) = (&rest[..at], &rest[at + "correct".len()..]);
        let value = after.trim_start().strip_prefix('=').map(|v| v.trim_start().trim_start_matches(['"', '\'']));
        if let (Some(value), true) = (value, before.ends_with(|c: char| c.is_whitespace() || c == '"' || c == '\'')) {
            let word: String = value.chars().take_while(char::is_ascii_alphabetic).collect();
            said.push(truth(&word).ok_or_else(|| format!("an item's `correct` is `{word}`"))?);
        }
        rest = after;
    }
    match said[..] {
        [correct] => Ok(correct),
        [] => Err("an item does not say whether it is correct".to_owned()),
        _ => Err("an item says more than once whether it is correct".to_owned()),
    }
}

/// True and false, as models write them.
pub fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "correct" => Some(true),
        "false" | "no" | "incorrect" => Some(false),
        _ => None,
    }
}

/// What an extra item says, between its tags or in its `answer`.
fn words(item: &str) -> String {
    let (attributes, inner) = item.split_once('>').unwrap_or((item, ""));
    let inner = &inner[..rfind(inner, "</item").unwrap_or(inner.len())];
    let quoted = find(attributes, "answer").and_then(|at| attributes[at..].split_once('='));
    let quoted = quoted.map(|(_, value)| value.trim().trim_matches(['"', '\'', '/', ' ']));
    let text = if inner.trim().is_empty() { quoted.unwrap_or("") } else { inner.trim() };
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(items: &str) -> Result<Vec<bool>, Unreadable> {
        read(&format!("<correctness_details>{items}</correctness_details>")).map(|items| items.parts)
    }

    #[test]
    fn what_published_parsers_lose_is_counted() {
        for (items, expected) in [
            (r#"<item answer="Bo" correct="true"/>"#, vec![true]),
            (r#"<item correct='false' answer='Bo'/>"#, vec![false]),
            (r#"<ITEM answer="Bo" Correct="True"></ITEM>"#, vec![true]),
            (r#"<item answer="the "Old" inn" correct="yes" />"#, vec![true]),
            (r#"<item answer="A &quot;B&quot; &amp; C" correct="true"/>"#, vec![true]),
            (r#"<item answer="a > b" correct="true"/><item answer="<c>" correct="no"/>"#, vec![true, false]),
            ("<item answer=\"Bo\"\n correct = \"true\" />", vec![true]),
            ("", vec![]),
        ] {
            assert_eq!(parts(items), Ok(expected), "{items}");
        }
        let extras = "<correctness_details></correctness_details><excessive_answers><item>a < b</item><item>c &amp; d\
                      </item><item answer=\"e\"/></excessive_answers>";
        assert_eq!(read(extras).unwrap().extras, ["a < b", "c & d", "e"]);
        assert_eq!(read("<correctness_details></correctness_details><excessive_answers/>").unwrap().extras.len(), 0);
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
        for items in [
            r#"<item answer="Bo"/>"#,
            r#"<item answer="Bo" correct="maybe"/>"#,
            r#"<item answer="x" correct="true"" correct="false"/>"#,
        ] {
            assert!(parts(items).is_err(), "{items}");
        }
        for reply in [
            "",
            "<evaluation><correctness_details><item answer=\"Bo\" correct=\"true\"/></correctness_details>",
            "<correctness_details><item answer=\"Bo\" correct=\"true\"/>",
            "<correctness_details></correctness_details><correctness_details></correctness_details>",
            "<correctness_details></correctness_details><excessive_answers><item>a",
        ] {
            assert!(read(reply).is_err(), "{reply}");
        }
    }
}
