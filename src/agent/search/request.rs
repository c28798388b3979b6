//! The request with which a run begins; later ones differ in messages and container alone, so that the provider's cache
//! holds.

use super::settings::Settings;
use crate::model::{Message, Request};
use serde_json::{Map, Value, json};

/// What the model is to do with the tag, in the question and in what is kept of a compacted conversation.
fn rule(tag: &str) -> String {
    format!(
        "Give your final answer in `<{tag}>` tags: <{tag}>the answer</{tag}>. Keep it short, and put nothing else in \
         them; several answers are separated by commas. Nothing counts that does not stand in these tags, also where \
         another place is named for the answer."
    )
}

/// What the model is told first.
pub fn prompt(settings: &Settings, question: &str) -> String {
    format!("{question}\n\nPlan, search and check as you like. {}", rule(&settings.result_tag))
}

/// What the provider asks of the model when it compacts the conversation. This takes the place of its own words, and what
/// comes of it takes the place of the conversation: a question that is not in it is lost.
fn compaction(settings: &Settings, question: &str) -> String {
    format!(
        "This conversation is about to be replaced by what you write now, and you go on from that alone. Call no tool \
         now. Begin with the question, word for word:\n\n<question>\n{question}\n</question>\n\nThen write what has been \
         found out and where, what was tried in vain, and what is to be done next. End with this rule, word for word: {}",
        rule(&settings.result_tag)
    )
}

/// The tools: code, and what only code may call.
fn tools(settings: &Settings) -> Value {
    let code = settings.code_execution.as_str();
    let mut tools = vec![json!({"type": code, "name": name(code)})];
    for (version, fetches) in [(&settings.web_search, false), (&settings.web_fetch, true)] {
        let Some(version) = version else { continue };
        let mut tool = json!({"type": version, "name": name(version), "max_uses": settings.max_uses,
                              "allowed_callers": [code], "response_inclusion": "excluded"});
        if fetches {
            tool["max_content_tokens"] = settings.max_content_tokens.into();
        }
        tools.push(tool);
    }
    tools.into()
}

/// A tool's name: its version without the date.
fn name(version: &str) -> &str {
    version
        .rsplit_once('_')
        .filter(|(_, date)| date.chars().all(|c| c.is_ascii_digit()))
        .map_or(version, |(name, _)| name)
}

/// The first request about a question.
pub fn first(settings: &Settings, question: &str) -> Request {
    let mut extra = Map::new();
    let mut betas = Vec::new();
    extra.insert("tools".to_owned(), tools(settings));
    if let Some(thinking) = &settings.thinking {
        extra.insert("thinking".to_owned(), json!({"type": thinking}));
    }
    let mut output = Map::new();
    if let Some(effort) = &settings.effort {
        output.insert("effort".to_owned(), effort.as_str().into());
    }
    if let Some(total) = settings.task_budget {
        // Without what is left of it: that would change with each request, and the cache with it.
        output.insert("task_budget".to_owned(), json!({"type": "tokens", "total": total}));
        betas.push("task-budgets-2026-03-13");
    }
    if !output.is_empty() {
        extra.insert("output_config".to_owned(), output.into());
    }
    if let Some(trigger) = settings.compaction {
        let edit = json!({"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": trigger},
                          "instructions": compaction(settings, question)});
        extra.insert("context_management".to_owned(), json!({"edits": [edit]}));
        betas.insert(0, "compact-2026-01-12");
    }
    let betas = settings.betas.clone().unwrap_or_else(|| betas.join(","));
    Request {
        messages: vec![Message::user(&prompt(settings, question))],
        max_tokens: settings.max_tokens,
        stream: true,
        cache_first: true,
        headers: Some(betas)
            .filter(|betas| !betas.is_empty())
            .map(|betas| ("anthropic-beta".to_owned(), betas))
            .into_iter()
            .collect(),
        extra,
        ..Request::default()
    }
}
