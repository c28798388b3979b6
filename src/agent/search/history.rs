//! What of a conversation need not be sent again: all that the provider has put into a compaction.

use crate::model::{Block, Message};
use serde_json::Value;

/// Cuts all between the first message and the last compaction that holds something; gives back whether there was anything
/// to cut. A compaction without content is one that failed: the provider takes it for nothing, so what came before it is
/// still needed.
pub fn cut(messages: &mut Vec<Message>) -> bool {
    let holds =
        |block: &Block| matches!(block, Block::Other { raw } if is_compaction(raw) && !raw["content"].is_null());
    let last = (1..messages.len()).rev().find_map(|at| Some((at, messages[at].blocks.iter().rposition(holds)?)));
    let Some((at, block)) = last else { return false };
    messages[at].blocks.drain(..block);
    if let Some(Value::Array(raw)) = &mut messages[at].raw {
        raw.drain(..block);
    }
    messages.drain(1..at);
    at > 1 || block > 0
}

/// True for the block that a compaction leaves, failed or not.
pub fn is_compaction(raw: &Value) -> bool {
    raw["type"] == "compaction"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;
    use serde_json::json;

    fn turn(content: Value) -> Message {
        let blocks = content.as_array().expect("blocks").iter().map(|raw| Block::Other { raw: raw.clone() }).collect();
        Message { role: Role::Assistant, blocks, raw: Some(content) }
    }

    #[test]
    fn history_is_cut_at_the_last_compaction_that_holds_something() {
        let (text, failed) = (json!({"type": "text"}), json!({"type": "compaction", "content": null}));
        let good = |n: u32| json!({"type": "compaction", "content": n.to_string(), "encrypted_content": "e"});
        let mut messages = vec![
            Message::user("?"),
            turn(json!([good(1), text])),
            turn(json!([text, good(2), text])),
            Message::user("Go on."),
            turn(json!([text, failed])),
        ];
        let after = messages[3..].to_vec();
        assert!(cut(&mut messages));
        assert_eq!(messages[0], Message::user("?"));
        assert_eq!(messages[1], turn(json!([good(2), text])), "blocks and their raw form alike");
        assert_eq!(messages[2..], after);
        assert!(!cut(&mut messages), "nothing is left to cut");
        let mut messages = vec![Message::user("?"), turn(json!([text, failed])), turn(json!([failed]))];
        let before = messages.clone();
        assert!(!cut(&mut messages));
        assert_eq!(messages, before, "failed compactions cut nothing");
    }
}
