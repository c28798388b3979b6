//! Reads on the side what an answer says of its use, whole JSON or a stream of events, in pieces cut anywhere. It never
//! holds an answer up and never fails: what it can't read is not counted, and said to be so.

use crate::model::{Api, Usage};
use serde_json::Value;

/// The longest JSON answer, or line of a stream, that is looked into, in bytes.
const LONGEST: usize = 16 << 20;

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Reader {
    form: Api,
    stream: bool,
    /// Of JSON all so far, of a stream the line that has not ended.
    held: Vec<u8>,
    too_long: bool,
    usage: Option<Usage>,
    error: Option<String>,
}

impl Reader {
    /// A reader of an answer in this form; `stream` where it is server-sent events.
    pub(super) fn new(form: Api, stream: bool) -> Reader {
        Reader { form, stream, held: Vec::new(), too_long: false, usage: None, error: None }
    }

    /// The next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        if !self.stream {
            return self.hold(piece);
        }
        // A line of an event ends with CR, LF or both; the empty line between the two says nothing.
        let mut pieces = piece.split(|byte| matches!(byte, b'\n' | b'\r')).peekable();
        while let Some(part) = pieces.next() {
            self.hold(part);
            if pieces.peek().is_some() {
                self.line();
            }
        }
    }

    /// What was used, and what the provider said went wrong in the midst of its answer.
    pub(super) fn end(mut self) -> (Option<Usage>, Option<String>) {
        if self.stream {
            self.line();
        } else if let Ok(value) = serde_json::from_slice::<Value>(&self.held) {
            self.look(&value);
        }
        (self.usage, self.error)
    }

    fn hold(&mut self, piece: &[u8]) {
        self.too_long |= self.held.len() + piece.len() > LONGEST;
        if !self.too_long {
            self.held.extend_from_slice(piece);
        }
    }

    fn line(&mut self) {
        let line = std::mem::take(&mut self.held);
        let whole = !std::mem::take(&mut self.too_long);
        let Some(data) = line.strip_prefix(b"data:").filter(|_| whole) else { return };
        // Most events are pieces of text; only these can say something.
        let has = |word: &[u8]| data.windows(word.len()).any(|part| part == word);
        if (has(b"\"usage\"") || has(b"\"error\""))
            && let Ok(value) = serde_json::from_slice::<Value>(data)
        {
            self.look(&value);
        }
    }

    fn look(&mut self, value: &Value) {
        let inner = match self.form {
            Api::Messages => value.get("message"),
            Api::Responses => value.get("response"),
            Api::Chat => None,
        };
        for at in [Some(value), inner].into_iter().flatten() {
            if let Some(error) = at.get("error").filter(|error| error.is_object()) {
                let word = |key: &str| error.get(key).and_then(Value::as_str);
                self.error = Some(word("type").or(word("code")).unwrap_or("error").chars().take(100).collect());
            }
            if let Some(usage) = at.get("usage").filter(|usage| usage.is_object()) {
                let before = self.usage.take().unwrap_or_default();
                self.usage = Some(read(self.form, usage, before));
            }
        }
    }
}

/// A count as a provider gives it; later ones of a stream are totals and replace earlier ones, where they are there.
fn read(form: Api, usage: &Value, before: Usage) -> Usage {
    let count = |at: &str| usage.pointer(at).and_then(Value::as_u64);
    let (input, output, cached) = match form {
        Api::Messages => return messages(usage, before),
        Api::Chat => ("/prompt_tokens", "/completion_tokens", "/prompt_tokens_details/cached_tokens"),
        Api::Responses => ("/input_tokens", "/output_tokens", "/input_tokens_details/cached_tokens"),
    };
    // What came from the cache is part of what was read here.
    let cache_read = count(cached).unwrap_or(0);
    let input = count(input).map_or(before.input, |all| all.saturating_sub(cache_read));
    Usage { input, output: count(output).unwrap_or(before.output), cache_read, ..Usage::default() }
}

/// The counts at the top leave out what compaction used; where `iterations` are there, their sum is what is paid for.
fn messages(usage: &Value, before: Usage) -> Usage {
    let of = |usage: &Value, before: Usage| {
        let count = |key: &str, before: u64| usage.get(key).and_then(Value::as_u64).unwrap_or(before);
        Usage {
            input: count("input_tokens", before.input),
            output: count("output_tokens", before.output),
            cache_read: count("cache_read_input_tokens", before.cache_read),
            cache_write: count("cache_creation_input_tokens", before.cache_write),
            ..Usage::default()
        }
    };
    let iterations = usage.get("iterations").and_then(Value::as_array).filter(|list| !list.is_empty());
    let Some(iterations) = iterations else { return of(usage, before) };
    iterations.iter().map(|iteration| of(iteration, Usage::default())).fold(Usage::default(), |mut sum, one| {
        sum += &one;
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Option<Usage> {
        Some(Usage { input, output, cache_read, cache_write, ..Usage::default() })
    }

    #[test]
    fn usage_is_read_from_every_form_wherever_the_pieces_are_cut() {
        let messages = "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\
            \"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":null,\"output_tokens\":1}}}\r\n\r\n\
            data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\u{6f22} \\\"usage\\\"\"}}\n\n\
            data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":20}}\n\n";
        let iterations = r#"{"usage":{"input_tokens":23,"output_tokens":1,"iterations":[
            {"type":"compaction","input_tokens":180,"output_tokens":3},{"type":"message","input_tokens":23,"output_tokens":1}]}}"#;
        let chat = "data: {\"choices\":[],\"usage\":null}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\
            \"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":6}}}\n\ndata: [DONE]\n\n";
        let responses = "data:{\"type\":\"response.completed\",\"response\":{\"error\":null,\"usage\":{\"input_tokens\":9,\
            \"output_tokens\":2,\"input_tokens_details\":{\"cached_tokens\":1}}}}";
        for (form, stream, text, expected) in [
            (Api::Messages, true, messages, used(7, 20, 100, 0)),
            (Api::Messages, false, iterations, used(203, 4, 0, 0)),
            (Api::Chat, true, chat, used(4, 4, 6, 0)),
            (Api::Responses, true, responses, used(8, 2, 1, 0)),
            (Api::Chat, false, "<html>\"usage\"</html>", None),
            (Api::Chat, true, "data: {\"usage\": [\n\n", None),
        ] {
            for cut in 0..=text.len() {
                let mut reader = Reader::new(form, stream);
                reader.push(&text.as_bytes()[..cut]);
                reader.push(&text.as_bytes()[cut..]);
                assert_eq!(reader.end(), (expected.clone(), None), "{form:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn an_error_in_the_midst_of_a_stream_is_seen() {
        let mut reader = Reader::new(Api::Messages, true);
        reader.push(
            b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
        );
        assert_eq!(reader.end().1.as_deref(), Some("overloaded_error"));
    }
}
