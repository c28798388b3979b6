//! What a trial's agent and its models said to each other, as it passed the relay: of each request what had not been said
//! before, and the reply. An agent sends the whole conversation again with each request; here everything stands once. It
//! must not change or hold up anything that passes.

use crate::model::format::{Piece, Who, read};
use crate::model::{Api, Endpoint, Meter, Reply, Usage};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
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
    said: HashMap<[u8; 32], u32>,
    bytes: usize,
}

/// What a request says, as far as that is looked at.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) pieces: Vec<Piece>,
    /// The parameters as sent.
    pub(super) effective: Map<String, Value>,
    /// The provider keeps the conversation, and the request goes on with it: all that it says is new.
    pub(super) goes_on: bool,
}

/// How much of a trial's conversation is kept, in bytes on the wire.
const KEPT: usize = 16 << 20;

impl Heard {
    /// Takes in a request that was sent on, and its reply.
    pub(super) fn push(&mut self, at: SystemTime, asked: Asked, reply: Option<Reply>, cost: Option<f64>) {
        // A conversation that the provider keeps can't be told from one that is tried again.
        if asked.goes_on && reply.is_none() {
            return;
        }
        let new = self.unsaid(asked);
        if new.is_empty() && reply.is_none() {
            return;
        }
        let bytes = new.iter().map(|piece| json(piece).len()).sum::<usize>();
        let bytes = bytes + reply.as_ref().map_or(0, |reply| reply.raw.to_string().len());
        if self.bytes + bytes > KEPT {
            self.unkept += 1;
            return;
        }
        self.bytes += bytes;
        self.turns.push(Turn { at, asked: new, reply, cost });
    }

    /// The pieces of a request that were not in any before: of pieces that are alike, those that are more than before.
    /// What it tells of the model's own is in the replies.
    fn unsaid(&mut self, asked: Asked) -> Vec<Piece> {
        let mut here: HashMap<[u8; 32], u32> = HashMap::new();
        let theirs = asked.pieces.into_iter().filter(|piece| piece.who != Who::Model);
        let is_new = |piece: &Piece| {
            let digest: [u8; 32] = Sha256::digest(format!("{} {}", piece.who.word(), json(piece))).into();
            let times = here.entry(digest).or_insert(0);
            *times += 1;
            let before = self.said.entry(digest).or_insert(0);
            let more = *times > *before;
            *before = (*before).max(*times);
            more || (asked.goes_on && piece.who != Who::System)
        };
        theirs.filter(is_new).collect()
    }
}

fn json(piece: &Piece) -> String {
    serde_json::to_string(&piece.block).unwrap_or_default()
}

/// The reply that a meter has read, where it is one, without the key.
pub(super) fn reply(
    endpoint: &Endpoint,
    api: Api,
    meter: Meter,
    usage: Option<Usage>,
    asked: &Asked,
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
        effective: asked.effective.clone(),
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
    use crate::model::format::asked;
    use serde_json::json;

    /// What each of these requests says anew, one after the other.
    fn anew(api: Api, bodies: &[Value]) -> Vec<Vec<String>> {
        let mut heard = Heard::default();
        let one = |body: &Value| {
            let goes_on = body["previous_response_id"].is_string();
            let asked = Asked { pieces: asked(api, body), effective: Map::new(), goes_on };
            let text = |piece: Piece| match piece.block {
                Block::Text { text } => format!("{}: {text}", piece.who.word()),
                Block::ToolResult { id, text, is_error } => format!("{id}{}: {text}", if is_error { "!" } else { "" }),
                other => format!("{other:?}"),
            };
            heard.unsaid(asked).into_iter().map(text).collect()
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
    fn a_conversation_too_long_to_be_kept_is_counted() {
        let mut heard = Heard::default();
        for n in 0..3 {
            let block = Block::Text { text: format!("{n}").repeat(KEPT * 2 / 3) };
            let asked = Asked { pieces: vec![Piece { who: Who::User, block }], effective: Map::new(), goes_on: false };
            heard.push(SystemTime::now(), asked, None, None);
        }
        assert_eq!((heard.turns.len(), heard.unkept), (1, 2));
    }
}
