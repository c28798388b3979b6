//! Overwrites a key that a provider says back, wherever the pieces of its answer are cut: an answer goes on to agents and
//! into files, where no key may be. What stands there instead is as long, so that lengths which were announced stay true.

use super::send::{Body, TransportError};
use crate::model::secret::Secret;
use bytes::Bytes;
use futures_util::StreamExt;

/// What each byte of a key becomes.
const OVER: u8 = b'*';

/// Overwrites in one answer.
pub struct Mask {
    /// Every form in which a key can stand there.
    forms: Vec<Vec<u8>>,
    /// The end of what has come, as far as a key can begin there.
    held: Vec<u8>,
}

impl Mask {
    pub fn new(secrets: &[Secret]) -> Mask {
        let forms = secrets.iter().flat_map(Secret::forms).map(String::into_bytes).collect();
        Mask { forms, held: Vec::new() }
    }

    /// A whole text.
    pub fn text(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        self.over(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The body, a piece as soon as no key can begin in it.
    pub fn body(self, body: Body) -> Body {
        if self.forms.is_empty() {
            return body;
        }
        let state = (body, self, None::<Option<TransportError>>);
        let passed = futures_util::stream::unfold(state, |(mut body, mut mask, mut end)| async move {
            loop {
                if let Some(error) = end {
                    let rest = std::mem::take(&mut mask.held);
                    if rest.is_empty() {
                        return error.map(|error| (Err(error), (body, mask, Some(None))));
                    }
                    return Some((Ok(Bytes::from(rest)), (body, mask, Some(error))));
                }
                match body.next().await {
                    Some(Ok(piece)) => {
                        let passed = mask.pass(&piece);
                        if !passed.is_empty() {
                            return Some((Ok(passed), (body, mask, None)));
                        }
                    }
                    Some(Err(error)) => end = Some(Some(error)),
                    None => end = Some(None),
                }
            }
        });
        passed.boxed()
    }

    /// What can be passed on once this piece has come.
    fn pass(&mut self, piece: &[u8]) -> Bytes {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        self.over(&mut bytes);
        let most = self.forms.iter().map(Vec::len).max().unwrap_or(0).min(bytes.len() + 1);
        let begins = |length: &usize| self.forms.iter().any(|form| form.starts_with(&bytes[bytes.len() - length..]));
        let keep = (1..most).rev().find(begins).unwrap_or(0);
        self.held = bytes.split_off(bytes.len() - keep);
        Bytes::from(bytes)
    }

    fn over(&self, bytes: &mut [u8]) {
        for form in &self.forms {
            let mut from = 0;
            while let Some(at) = bytes[from..].windows(form.len()).position(|window| window == form) {
                bytes[from + at..from + at + form.len()].fill(OVER);
                from += at + form.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_overwritten_wherever_the_answer_is_cut_and_nothing_else_is_changed_or_held_for_long() {
        let key = Secret::new("sk-0123/456789").expect("not empty");
        let text = "sk-01 sk-0123/456789sk-0123/456789, c2stMDEyMy80NTY3ODk= sk%2D sk-0123/45678";
        for size in 1..text.len() {
            let mut mask = Mask::new(std::slice::from_ref(&key));
            let mut seen = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                seen.extend_from_slice(&mask.pass(piece));
            }
            seen.extend_from_slice(&mask.held);
            let seen = String::from_utf8(seen).expect("text");
            assert_eq!(seen.len(), text.len());
            assert!(
                seen.starts_with("sk-01 ****************************, ") && seen.ends_with(" sk%2D sk-0123/45678"),
                "{seen}"
            );
            assert!(!seen.contains("MDEyMy80NTY3"), "{seen}");
        }
        let mut mask = Mask::new(&[key]);
        assert_eq!(mask.pass(b"data: ask\n\n"), "data: ask\n\n", "an event waits for nothing");
    }
}
