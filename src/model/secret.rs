//! A key: it can be sent, compared and taken out of texts, and it can't be printed. Whatever shows a struct that holds
//! one shows a mark instead.

use serde_json::Value;
use std::fmt;

/// A provider's key, or any other word that must not be seen.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// A shorter word, in bytes, is not taken for a secret.
const SHORTEST: usize = 8;

/// What stands where a secret was.
pub const REMOVED: &str = "[secret removed]";

impl Secret {
    /// Keeps `value`, without blanks around it; `None` where nothing is left.
    pub fn new(value: &str) -> Option<Secret> {
        let value = value.trim();
        (!value.is_empty()).then(|| Secret(value.to_owned()))
    }

    /// The value itself, for the one header that carries it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the secret: as it stands, percent-encoded, escaped as in JSON, and in base64 (of both alphabets, at
    /// each of the three offsets at which it can lie in a longer text).
    pub fn scrub(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for form in self.forms() {
            if clean.contains(&form) {
                clean = clean.replace(&form, REMOVED);
            }
        }
        clean
    }

    /// `json` without the secret in any of its texts.
    pub(super) fn scrub_json(&self, json: &mut Value) {
        match json {
            Value::String(text) => *text = self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_json(item)),
            Value::Object(object) => object.values_mut().for_each(|item| self.scrub_json(item)),
            _ => {}
        }
    }

    /// The forms in which it can stand in a text, the longest first; none of a word that is too short to be a secret.
    pub(super) fn forms(&self) -> Vec<String> {
        // What servers of one's own take for a key (`none`, `x`) is no secret, and stands in texts for other reasons.
        if self.0.len() < SHORTEST {
            return Vec::new();
        }
        let mut forms = vec![self.0.clone(), percent(&self.0)];
        let quoted = serde_json::Value::from(self.0.as_str()).to_string();
        forms.push(quoted[1..quoted.len() - 1].to_owned());
        for offset in 0..3 {
            let inner = base64_inside(self.0.as_bytes(), offset);
            forms.push(inner.replace('+', "-").replace('/', "_"));
            forms.push(inner);
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        forms
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REMOVED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REMOVED)
    }
}

fn percent(text: &str) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-._~".contains(b);
    text.bytes().map(|b| if plain(&b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The part of the base64 of `bytes`, lying `offset` bytes into a text, that doesn't depend on what is around it.
fn base64_inside(bytes: &[u8], offset: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let skip = (3 - offset) % 3;
    let whole = &bytes[skip.min(bytes.len())..];
    let mut out = String::new();
    for three in whole.chunks_exact(3) {
        let word = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for shift in [18, 12, 6, 0] {
            out.push(char::from(ALPHABET[(word >> shift & 63) as usize]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_neither_printed_nor_left_in_a_text_in_any_form() {
        let key = Secret::new(" sk-té/st+0123456789 \n").expect("not empty");
        assert_eq!(format!("{key} {key:?} {:?}", Some(&key)), format!("{REMOVED} {REMOVED} Some({REMOVED})"));
        // `printf 'a:sk-té/st+0123456789' | base64`, and the same without `a:`.
        for seen in [
            key.expose(),
            "sk-t%C3%A9%2Fst%2B0123456789",
            "c2stdMOpL3N0KzAxMjM0NTY3ODk=",
            "YTpzay10w6kvc3QrMDEyMzQ1Njc4OQ==",
        ] {
            let clean = key.scrub(&format!("before {seen} after"));
            assert!(clean.contains(REMOVED) && clean.starts_with("before ") && clean.ends_with(" after"), "{clean}");
            assert!(!clean.contains("0123456789") && !clean.contains("MTIzNDU2"), "{clean}");
        }
        assert_eq!(Secret::new(" \t"), None);
    }
}
