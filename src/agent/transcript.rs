//! An agent's output as text: bytes in, in any pieces, valid UTF-8 out. A character that is cut by the end of a piece
//! waits for the next one; what isn't UTF-8 becomes U+FFFD, so that a reader never sees half a character.

/// Decodes one stream of output.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The beginning of a character whose rest is still to come; at most three bytes.
    carry: Vec<u8>,
    /// The last of the text, from which its last line is taken.
    tail: String,
}

/// How much of the last text is kept, in bytes, and how many characters of the last line are told.
const TAIL: usize = 4096;
const LINE: usize = 200;

impl Transcript {
    /// The text of the next piece.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let mut joined = std::mem::take(&mut self.carry);
        joined.extend_from_slice(bytes);
        let keep = unfinished(&joined);
        self.carry = joined.split_off(joined.len() - keep);
        let text = String::from_utf8_lossy(&joined).into_owned();
        self.tail.push_str(&text);
        let over = self.tail.len().saturating_sub(TAIL);
        let cut = (over..=self.tail.len()).find(|at| self.tail.is_char_boundary(*at)).unwrap_or(0);
        self.tail.drain(..cut);
        text
    }

    /// The last line that isn't blank, without spaces around it and at most so long.
    pub fn last_line(&self) -> Option<String> {
        let line = self.tail.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().take(LINE).collect())
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
    fn the_last_line_is_the_last_that_says_something() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.last_line(), None);
        transcript.push("first\n".repeat(5000).as_bytes());
        transcript.push(b"Traceback\n  sh: 1: ag");
        transcript.push("nt: not found 漢\r\n\n  \n".as_bytes());
        assert_eq!(transcript.last_line().as_deref(), Some("sh: 1: agnt: not found 漢"));
        transcript.push("é".repeat(9999).as_bytes());
        assert_eq!(transcript.last_line().map(|line| line.chars().count()), Some(LINE));
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.push(b"a\xff\xfeb\xe6\xbc"), "a\u{fffd}\u{fffd}b");
        assert_eq!(transcript.finish(0), "\u{fffd}");
    }
}
