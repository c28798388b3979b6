//! What was said in a run, in Harbor's trajectory format (ATIF 1.6), and beside it every turn as the provider gave it: of
//! the loops that we run, and of any agent whose requests passed the relay.

use super::account::ModelRun;
use super::launch::Agent;
use crate::model::{Block, Client, Heard, Message, ModelUse, Piece, Reply, Stop, Usage, Who};
use serde_json::{Value, json};
use std::time::SystemTime;

/// A conversation that can be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// For `agent/trajectory.json`.
    pub trajectory: Value,
    /// For `agent/messages.json`: all turns, with the provider's own form of the model's.
    pub messages: Value,
}

/// The version of the format: the oldest that has all that we write.
const ATIF: &str = "ATIF-v1.6";

/// Gathers the steps of a run.
#[derive(Debug)]
pub struct Steps(Vec<Value>);

impl Steps {
    /// None yet.
    pub fn new() -> Steps {
        Steps(Vec::new())
    }

    fn push(&mut self, at: SystemTime, mut step: Value) {
        step["step_id"] = (self.0.len() + 1).into();
        if let Ok(at) = jiff::Timestamp::try_from(at) {
            step["timestamp"] = at.to_string().into();
        }
        self.0.push(step);
    }

    /// What somebody else than the model said, just now.
    pub fn said(&mut self, source: &str, text: &str) {
        self.push(SystemTime::now(), json!({"source": source, "message": text}));
    }

    /// A reply of the model that has just been gone through, and what its calls gave, ours in `results`.
    pub fn replied(&mut self, reply: &Reply, cost: Option<f64>, results: &[Block]) {
        self.reply(SystemTime::now(), reply, cost, results);
    }

    /// What the asking side said at a time.
    fn asked(&mut self, at: SystemTime, piece: &Piece) {
        let text = match &piece.block {
            Block::ToolResult { id, text, .. } => {
                let is_of = |step: &&mut Value| step["tool_calls"].as_array().is_some_and(|calls| is_among(calls, id));
                if let Some(step) = self.0.iter_mut().rev().find(is_of) {
                    let result = json!({"source_call_id": id, "content": text});
                    match &mut step["observation"]["results"] {
                        Value::Array(results) => results.push(result),
                        none => *none = json!([result]),
                    }
                    return;
                }
                text.clone()
            }
            Block::Text { text } | Block::Thinking { text } => text.clone(),
            Block::ToolCall { input, .. } => input.to_string(),
            Block::Other { raw } => raw.to_string(),
        };
        let source = if piece.who == Who::System { "system" } else { "user" };
        self.push(at, json!({"source": source, "message": text}));
    }

    fn reply(&mut self, at: SystemTime, reply: &Reply, cost: Option<f64>, results: &[Block]) {
        let mut step = json!({"source": "agent", "message": reply.text()});
        if let Some(model) = &reply.model {
            step["model_name"] = model.as_str().into();
        }
        let thought: Vec<&str> = reply
            .blocks
            .iter()
            .filter_map(|block| if let Block::Thinking { text } = block { Some(text.as_str()) } else { None })
            .filter(|text| !text.is_empty())
            .collect();
        if !thought.is_empty() {
            step["reasoning_content"] = thought.join("\n").into();
        }
        let call = |(id, name, input): (&str, &str, &Value)| {
            let arguments = if input.is_object() { input.clone() } else { json!({"unreadable": input}) };
            json!({"tool_call_id": id, "function_name": name, "arguments": arguments})
        };
        let others =
            || reply.blocks.iter().filter_map(|block| if let Block::Other { raw } = block { Some(raw) } else { None });
        // Calls of the provider's own tools, which have run there.
        let there = others().filter(|raw| raw["type"] == "server_tool_use");
        let there = there.filter_map(|raw| Some((raw["id"].as_str()?, raw["name"].as_str()?, &raw["input"])));
        let calls: Vec<Value> = reply.calls().chain(there).map(call).collect();
        let mut seen: Vec<Value> = results
            .iter()
            .filter_map(|block| match block {
                Block::ToolResult { id, text, .. } => Some(json!({"source_call_id": id, "content": text})),
                _ => None,
            })
            .collect();
        seen.extend(others().filter(|raw| raw["tool_use_id"].is_string()).map(|raw| {
            // A call that was paused has its result in a later reply, and the format wants both in one step.
            let id = raw["tool_use_id"].as_str().filter(|id| is_among(&calls, id));
            json!({"source_call_id": id, "content": raw["content"].to_string()})
        }));
        if !calls.is_empty() {
            step["tool_calls"] = calls.into();
        }
        if !seen.is_empty() {
            step["observation"] = json!({"results": seen});
        }
        if !reply.unknown.is_empty() {
            step["extra"]["unknown_events"] = reply.unknown.clone().into();
        }
        if reply.stop == Stop::Other(String::new()) {
            step["extra"]["unfinished"] = true.into();
        }
        if let Some(usage) = &reply.usage {
            step["metrics"] = json!({"prompt_tokens": usage.prompt(), "completion_tokens": usage.output,
                                     "cached_tokens": usage.cache_read, "cost_usd": cost});
        }
        self.push(at, step);
    }

    /// The whole conversation of the agent of this name.
    pub fn finish(self, agent: &str, client: &Client, run: &ModelRun, messages: &[Message]) -> Conversation {
        let trajectory = self.trajectory(agent, &client.endpoint().model, run.usage.as_ref(), run.cost_usd);
        let messages = serde_json::to_value(messages).unwrap_or_default();
        Conversation { trajectory, messages }
    }

    fn trajectory(self, agent: &str, model: &str, usage: Option<&Usage>, cost: Option<f64>) -> Value {
        json!({
            "schema_version": ATIF,
            "session_id": uuid::Uuid::new_v4().to_string(),
            "agent": {"name": agent, "version": Agent::version_of(agent), "model_name": model},
            "final_metrics": {
                "total_prompt_tokens": usage.map(|usage| usage.prompt()),
                "total_completion_tokens": usage.map(|usage| usage.output),
                "total_cached_tokens": usage.map(|usage| usage.cache_read),
                "total_cost_usd": cost,
                "total_steps": self.0.len(),
            },
            "steps": self.0,
        })
    }
}

/// True where one of these calls has this id.
fn is_among(calls: &[Value], id: &str) -> bool {
    calls.iter().any(|call| call["tool_call_id"] == id)
}

/// What an agent in a container and its models said to each other, where they did: the agent of this name, which was given
/// this model, its requests as the relay heard them.
pub fn overheard(agent: &str, model: &str, heard: &Heard, used: &ModelUse) -> Option<Conversation> {
    let mut steps = Steps::new();
    let mut messages = Vec::new();
    for turn in &heard.turns {
        for pieces in turn.asked.chunk_by(|one, next| one.who == next.who) {
            let blocks: Vec<&Block> = pieces.iter().map(|piece| &piece.block).collect();
            messages.push(json!({"role": pieces[0].who.word(), "blocks": blocks}));
            pieces.iter().for_each(|piece| steps.asked(turn.at, piece));
        }
        if let Some(reply) = &turn.reply {
            messages.push(serde_json::to_value(reply.message()).unwrap_or_default());
            steps.reply(turn.at + reply.latency, reply, turn.cost, &[]);
        }
    }
    // The format has no trajectory without a step.
    if messages.is_empty() {
        return None;
    }
    let usage = Some(&used.usage).filter(|_| used.unmetered == 0);
    let mut trajectory = steps.trajectory(agent, model, usage, used.cost_usd);
    let mut notes = "What passed the model relay; what the agent said to itself is not in it.".to_owned();
    if heard.unkept > 0 {
        notes.push_str(&format!(" {} requests more were too long to be kept.", heard.unkept));
    }
    trajectory["notes"] = notes.into();
    Some(Conversation { trajectory, messages: messages.into() })
}
