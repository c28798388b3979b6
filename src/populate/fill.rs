//! Puts values into a template, in one pass: what a value holds is never read as a placeholder, and braces that don't
//! make a `{{name}}` stay as they are.
//!
//! A line whose placeholder has no value is left out with its whole line, so that a suite without difficulties has no
//! empty key for them. A placeholder that isn't known is an error: it is a typo, not text.

use super::Error;
use std::path::Path;

/// A placeholder's name and its value, where it has one.
pub type Value<'a> = (&'a str, Option<String>);

/// Fills `text`, the content of the template `template` (named in errors).
pub fn fill(template: &Path, text: &str, values: &[Value<'_>]) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let unknown = |name: &str| Error::Placeholder {
            template: template.into(),
            line: index + 1,
            name: name.into(),
            known: values.iter().map(|(name, _)| name.to_string()).collect(),
        };
        if let Some(filled) = fill_line(line, values, unknown)? {
            out.push_str(&filled);
        }
    }
    Ok(out)
}

fn fill_line(line: &str, values: &[Value<'_>], unknown: impl Fn(&str) -> Error) -> Result<Option<String>, Error> {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("{{") {
        let Some(name) = placeholder(&rest[start..]) else {
            out.push_str(&rest[..start + 1]);
            rest = &rest[start + 1..];
            continue;
        };
        let (_, value) = values.iter().find(|(known, _)| *known == name).ok_or_else(|| unknown(name))?;
        let Some(value) = value else { return Ok(None) };
        out.push_str(&rest[..start]);
        out.push_str(value);
        rest = &rest[start + name.len() + 4..];
    }
    out.push_str(rest);
    Ok(Some(out))
}

/// The name in the `{{name}}` that `text` begins with, if it does.
fn placeholder(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?;
    let name = &inner[..inner.find("}}")?];
    let fine = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fine.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_in_once_and_other_braces_stay() {
        let values: &[Value] = &[("a", Some("{{b}} $1 {x}".into())), ("b", Some("B".into())), ("none", None)];
        for (text, filled) in [
            ("{{a}}", "{{b}} $1 {x}"),
            ("{{b}}{{b}}", "BB"),
            ("{\"score\": {{b}}} {unknown} {{ b }} {{}} {{{b}}}", "{\"score\": B} {unknown} {{ b }} {{}} {B}"),
            ("one\nx = {{none}}\ntwo {{b}}\n", "one\ntwo B\n"),
            ("{{", "{{"),
            ("é{{b}}漢", "éB漢"),
        ] {
            assert_eq!(fill(Path::new("t"), text, values).unwrap(), filled, "{text}");
        }
    }

    #[test]
    fn an_unknown_placeholder_is_named_with_its_line() {
        let error = fill(Path::new("t.md"), "fine\n{{qestion}}", &[("question", Some("?".into()))]).unwrap_err();
        assert_eq!(error.to_string(), "`t.md`:2: nothing is known for the placeholder `{{qestion}}`");
        assert_eq!(error.hint().unwrap(), "known here: `{{question}}`");
    }
}
