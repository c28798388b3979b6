//! What an installed agent says of its own work, read from one of its logs as its definition says. The log is the agent's
//! own word: it is counted, and never believed against what the relay saw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a definition finds what its agent says: a log, and in it JSON pointers (RFC 6901) of two more kinds of parts, `*`
/// for every element and `*[key=word]` for those of that kind. A number that is found counts as itself, anything else
/// as one, and all that is found is added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UsageOf {
    /// The log: one of the definition's `logs`, a JSON document.
    pub file: String,
    /// The agent's messages.
    pub steps: Option<String>,
    /// Calls of tools.
    pub tool_calls: Option<String>,
    /// Requests to models.
    pub requests: Option<String>,
    /// Tokens read.
    pub input_tokens: Option<String>,
    /// Tokens written.
    pub output_tokens: Option<String>,
}

/// What an agent said of its own work; `None` where its log doesn't say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reported {
    /// Its messages, each with the results of what it called.
    pub steps: Option<u64>,
    /// Calls of tools.
    pub tool_calls: Option<u64>,
    /// Requests to models.
    pub requests: Option<u64>,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
}

impl UsageOf {
    /// What the log says; `None` where it is no JSON or says nothing of all this.
    pub fn read(&self, log: &[u8]) -> Option<Reported> {
        let log: Value = serde_json::from_slice(log).ok()?;
        let at = |pointer: &Option<String>| sum(&log, pointer.as_deref()?.strip_prefix('/')?);
        let reported = Reported {
            steps: at(&self.steps),
            tool_calls: at(&self.tool_calls),
            requests: at(&self.requests),
            input_tokens: at(&self.input_tokens),
            output_tokens: at(&self.output_tokens),
        };
        (reported != Reported::default()).then_some(reported)
    }

    /// The pointer that is none, where one is.
    pub fn wrong(&self) -> Option<&str> {
        let all = [&self.steps, &self.tool_calls, &self.requests, &self.input_tokens, &self.output_tokens];
        all.into_iter().flatten().map(String::as_str).find(|pointer| !pointer.starts_with('/'))
    }
}

/// The sum of what `pointer`, without its first slash, leads to; `None` where it leads nowhere. A list that is there and
/// has none of the kind has 0 of it.
fn sum(value: &Value, pointer: &str) -> Option<u64> {
    let (part, rest) = pointer.split_once('/').map_or((pointer, None), |(part, rest)| (part, Some(rest)));
    let follow = |value: &Value| match rest {
        Some(rest) => sum(value, rest),
        None => Some(value.as_u64().unwrap_or(1)).filter(|_| !value.is_null()),
    };
    let Some(kind) = part.strip_prefix('*') else {
        let name = part.replace("~1", "/").replace("~0", "~");
        return match value {
            Value::Array(items) => follow(items.get(name.parse::<usize>().ok()?)?),
            _ => follow(value.get(&name)?),
        };
    };
    let wanted = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')?.split_once('='));
    let is_one = |item: &&Value| wanted.is_none_or(|(key, word)| item[key].as_str() == Some(word));
    let items = value.as_array()?.iter().filter(is_one);
    Some(items.filter_map(follow).fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added_other_things_counted_and_what_is_not_said_stays_unknown() {
        let log = br#"{"info": {"calls": 3, "a/b": 5}, "messages": [
            {"role": "system"},
            {"role": "assistant", "tool_calls": [{}, {}], "usage": {"in": 10}},
            {"role": "assistant", "tool_calls": null, "usage": {"in": 7}},
            {"role": "tool"}]}"#;
        let at = |pointer: &str| {
            let of = UsageOf { steps: Some(pointer.to_owned()), ..UsageOf::default() };
            of.read(log).and_then(|reported| reported.steps)
        };
        for (pointer, expected) in [
            ("/messages/*", Some(4)),
            ("/messages/*[role=assistant]", Some(2)),
            ("/messages/*[role=nobody]", Some(0)),
            ("/messages/*/tool_calls/*", Some(2)),
            ("/messages/*/usage/in", Some(17)),
            ("/messages/1/usage/in", Some(10)),
            ("/info/calls", Some(3)),
            ("/info/a~1b", Some(5)),
            ("/info/cost", None),
            ("/turns/*", None),
        ] {
            assert_eq!(at(pointer), expected, "{pointer}");
        }
        assert_eq!(UsageOf { steps: Some("/x".to_owned()), ..UsageOf::default() }.read(b"not JSON"), None);
    }
}
