//! What a trial's agent and its models said to each other, as it passed the relay: of each request what had not been said
//! before, and the reply. An agent sends the whole conversation again with each request; here everything stands once. It
//! must not change or hold up anything that passes.

use crate::model::format::{Piece, Who, asked, read};
use crate::model::{Api, Endpoint, Meter, Reply, Usage};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

/// One request and what became of it.
#[derive(Debug, Clone)]
pub struct Turn {
    /// When it was sent.
    pub at: SystemTime,
    /// What it says that no request before had said.
    pub asked: Vec<Piece>,
    /// The reply, as far as it came; none where there was none that can be read.
    pub reply: Option<Reply>,
    /// What it cost in US dollars, where that is known.
    pub cost: Option<f64>,
}

/// A trial's conversation with its models.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// In the order in which replies ended.
    pub turns: Vec<Turn>,
    /// How many requests more were not kept, since all together would have been too long.
    pub unkept: u64,
    /// How often each piece has been said in one request, at most.
    said: HashMap<Digest, u32>,
    bytes: usize,
}

/// What a request says, as far as that is looked at.
#[derive(Debug)]
pub(super) struct Asked {
    /// Its pieces, each with its digest and its length in bytes; `None` where they are too long to be looked at.
    pieces: Option<Vec<(Digest, usize, Piece)>>,
    /// The provider keeps the conversation, and the request goes on with it: all that it says is new.
    goes_on: bool,
}

/// A SHA-256.
type Digest = [u8; 32];

/// How much of a trial's conversation is kept, in bytes.
const KEPT: usize = 16 << 20;
/// How long a request may be that is looked at, in bytes on the wire: longer than what models read.
const LOOKED_AT: usize = 8 << 20;
/// What a piece takes beside what it says, in bytes.
const PIECE: usize = 200;

impl Asked {
    /// What a request of so many bytes says.
    pub(super) fn of(form: Api, body: &Value, bytes: usize) -> Asked {
        let goes_on = body["previous_response_id"].is_string() || !body["conversation"].is_null();
        let digested = |piece: Piece| {
            let text = serde_json::to_string(&piece.block).unwrap_or_default();
            let digest = Sha256::digest(format!("{} {text}", piece.who.word())).into();
            (digest, text.len() + PIECE, piece)
        };
        // What it tells of the model's own is in the replies.
        let theirs = |piece: &Piece| piece.who != Who::Model;
        let pieces = (bytes <= LOOKED_AT).then(|| asked(form, body).into_iter().filter(theirs).map(digested).collect());
        Asked { pieces, goes_on }
    }
}

impl Heard {
    /// Takes in a request that was sent on, and its reply.
    pub(super) fn push(&mut self, at: SystemTime, asked: Asked, reply: Option<Reply>, cost: Option<f64>) {
        // A conversation that the provider keeps can't be told from one that is tried again.
        if asked.goes_on && reply.is_none() {
            return;
        }
        let goes_on = asked.goes_on;
        // What comes after something that is missing can't be told from what was said before.
        let Some(pieces) = asked.pieces.filter(|_| self.unkept == 0) else {
            self.unkept += 1;
            return;
        };
        let new = self.unsaid(pieces, goes_on);
        if new.is_empty() && reply.is_none() {
            return;
        }
        let raw = reply.as_ref().map_or(0, |reply| reply.raw.to_string().len() + PIECE);
        let bytes = raw + new.iter().map(|(bytes, _)| bytes).sum::<usize>();
        if self.bytes + bytes > KEPT {
            self.unkept += 1;
            return;
        }
        self.bytes += bytes;
        let asked = new.into_iter().map(|(_, piece)| piece).collect();
        self.turns.push(Turn { at, asked, reply, cost });
    }

    /// The pieces of a request that were not in any before, each with its length: of pieces that are alike, those that
    /// are more than before.
    fn unsaid(&mut self, pieces: Vec<(Digest, usize, Piece)>, goes_on: bool) -> Vec<(usize, Piece)> {
        let mut here: HashMap<Digest, u32> = HashMap::new();
        let mut new = Vec::new();
        for (digest, bytes, piece) in pieces {
            let times = here.entry(digest).or_insert(0);
            *times += 1;
            let before = self.said.entry(digest).or_insert(0);
            let more = *times > *before;
            *before = (*before).max(*times);
            if more || (goes_on && piece.who != Who::System) {
                new.push((bytes, piece));
            }
        }
        new
    }
}

/// The reply that a meter has read, where it is one, without the key.
pub(super) fn reply(
    endpoint: &Endpoint,
    api: Api,
    meter: Meter,
    usage: Option<Usage>,
    latency: Duration,
) -> Option<Reply> {
    let (mut whole, unknown) = meter.reply()?;
    endpoint.key.iter().for_each(|key| key.scrub_json(&mut whole));
    let parts = read(api, &whole).ok()?;
    if parts.blocks.is_empty() && usage.is_none() {
        return None;
    }
    Some(Reply {
        blocks: parts.blocks,
        stop: parts.stop,
        usage,
        model: whole["model"].as_str().map(str::to_owned),
        // Nobody asks for them of what was only heard.
        effective: Map::new(),
        raw: parts.raw,
        container: None,
        unknown,
        request_id: None,
        latency,
        waited: Duration::ZERO,
        retries: 0,
        cut_streams: 0,
        untold: 0,
        got_over: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Block;
    use serde_json::json;

    /// What each of these requests says anew, one after the other.
    fn anew(api: Api, bodies: &[Value]) -> Vec<Vec<String>> {
        let mut heard = Heard::default();
        let one = |body: &Value| {
            let asked = Asked::of(api, body, 0);
            let (pieces, goes_on) = (asked.pieces.expect("short"), asked.goes_on);
            let text = |piece: Piece| match piece.block {
                Block::Text { text } => format!("{}: {text}", piece.who.word()),
                Block::ToolResult { id, text, is_error } => format!("{id}{}: {text}", if is_error { "!" } else { "" }),
                other => format!("{other:?}"),
            };
            heard.unsaid(pieces, goes_on).into_iter().map(|(_, piece)| text(piece)).collect()
        };
        bodies.iter().map(one).collect()
    }

    #[test]
    fn everything_is_told_once_in_every_interface() {
        let first = json!({"role": "user", "content": "How many?"});
        let marked = json!([{"type": "text", "text": "How many?", "cache_control": {"type": "ephemeral"}}]);
        let messages = [
            json!({"system": "Be brief.", "messages": [first]}),
            json!({"system": [{"type": "text", "text": "Be brief."}], "messages": [
                {"role": "user", "content": marked},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a"}], "is_error": true},
                    {"type": "text", "text": "Go on."}]}]}),
            json!({"system": "Be brief.", "messages": [first, {"role": "assistant", "content": "Well."},
                {"role": "user", "content": "Go on."}, {"role": "assistant", "content": "42"},
                {"role": "user", "content": "Go on."}]}),
        ];
        let told = anew(Api::Messages, &messages);
        assert_eq!(told[0], ["system: Be brief.", "user: How many?"]);
        assert_eq!(told[1], ["c1!: a", "user: Go on."]);
        assert_eq!(told[2], ["user: Go on."], "said a second time, and what was left out is no news");

        let call = json!({"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
        let chat = [
            json!({"messages": [{"role": "developer", "content": "Be brief."}, first]}),
            json!({"messages": [{"role": "developer", "content": "Be brief."}, first,
                {"role": "assistant", "content": null, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": "a"}]}),
        ];
        assert_eq!(anew(Api::Chat, &chat), [vec!["system: Be brief.", "user: How many?"], vec!["c1: a"]]);

        let responses = [
            json!({"instructions": "Be brief.", "input": "Go on."}),
            json!({"instructions": "Be brief.", "previous_response_id": "r1", "input": [
                {"type": "function_call_output", "call_id": "c1", "output": "a"},
                {"role": "user", "content": [{"type": "input_text", "text": "Go on."}]}]}),
        ];
        let expected = [vec!["system: Be brief.", "user: Go on."], vec!["c1: a", "user: Go on."]];
        assert_eq!(anew(Api::Responses, &responses), expected);
    }

    #[test]
    fn a_conversation_too_long_to_be_kept_is_counted_and_takes_no_more_memory() {
        let mut heard = Heard::default();
        let say = |heard: &mut Heard, text: String| {
            let body = json!({"messages": [{"role": "user", "content": text}]});
            let bytes = body["messages"][0]["content"].as_str().map_or(0, str::len);
            heard.push(SystemTime::now(), Asked::of(Api::Chat, &body, bytes), None, None);
        };
        for n in 0..4 {
            say(&mut heard, format!("{n}").repeat(KEPT * 2 / 5));
        }
        assert_eq!((heard.turns.len(), heard.unkept, heard.said.len()), (2, 2, 3));
        let mut heard = Heard::default();
        say(&mut heard, "x".repeat(LOOKED_AT + 1));
        assert_eq!((heard.turns.len(), heard.unkept, heard.said.len()), (0, 1, 0));
    }
}
