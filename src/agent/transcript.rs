//! An agent's output as text: bytes in, in any pieces, valid UTF-8 out. A character that is cut by the end of a piece
//! waits for the next one; what isn't UTF-8 becomes U+FFFD, so that a reader never sees half a character.

/// Decodes one stream of output.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The beginning of a character whose rest is still to come; at most three bytes.
    carry: Vec<u8>,
}

impl Transcript {
    /// The text of the next piece.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let mut joined = std::mem::take(&mut self.carry);
        joined.extend_from_slice(bytes);
        let keep = unfinished(&joined);
        self.carry = joined.split_off(joined.len() - keep);
        String::from_utf8_lossy(&joined).into_owned()
    }

    /// What is left at the end, and a mark where output was dropped (`dropped` bytes of it).
    pub fn finish(self, dropped: u64) -> String {
        let mut text = String::from_utf8_lossy(&self.carry).into_owned();
        if dropped > 0 {
            text.push_str(&format!("\n[seatrial: {dropped} more bytes of output were dropped here]\n"));
        }
        text
    }
}

/// How many bytes at the end begin a character that isn't finished.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cut_at_every_byte_comes_out_whole_with_a_mark_for_what_was_dropped() {
        let text = "aé漢🙂\u{0}z";
        for cut in 0..=text.len() {
            let mut transcript = Transcript::default();
            let (head, tail) = text.as_bytes().split_at(cut);
            let joined = transcript.push(head) + &transcript.push(tail) + &transcript.finish(0);
            assert_eq!(joined, text, "cut at {cut}");
            let mut transcript = Transcript::default();
            let end = transcript.push(head) + &transcript.finish(7);
            assert!(end.ends_with("[seatrial: 7 more bytes of output were dropped here]\n"), "{end:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.push(b"a\xff\xfeb\xe6\xbc"), "a\u{fffd}\u{fffd}b");
        assert_eq!(transcript.finish(0), "\u{fffd}");
    }
}
