//! What was said in a run, in Harbor's trajectory format (ATIF 1.6), and beside it every turn as the provider gave it.

use super::account::ModelRun;
use crate::model::{Block, Client, Message, Reply};
use serde_json::{Value, json};

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

    fn push(&mut self, mut step: Value) {
        step["step_id"] = (self.0.len() + 1).into();
        step["timestamp"] = jiff::Timestamp::now().to_string().into();
        self.0.push(step);
    }

    /// What somebody else than the model said.
    pub fn said(&mut self, source: &str, text: &str) {
        self.push(json!({"source": source, "message": text}));
    }

    /// A reply of the model, and what its calls gave, ours in `results`.
    pub fn replied(&mut self, reply: &Reply, cost: Option<f64>, results: &[Block]) {
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
            let id = Some(&raw["tool_use_id"]).filter(|id| calls.iter().any(|call| call["tool_call_id"] == **id));
            json!({"source_call_id": id, "content": raw["content"].to_string()})
        }));
        if !calls.is_empty() {
            step["tool_calls"] = calls.into();
        }
        if !seen.is_empty() {
            step["observation"] = json!({"results": seen});
        }
        if !reply.unknown.is_empty() {
            step["extra"] = json!({"unknown_events": reply.unknown});
        }
        if let Some(usage) = &reply.usage {
            step["metrics"] = json!({"prompt_tokens": usage.prompt(), "completion_tokens": usage.output,
                                     "cached_tokens": usage.cache_read, "cost_usd": cost});
        }
        self.push(step);
    }

    /// The whole conversation of the agent of this name.
    pub fn finish(self, agent: &str, client: &Client, run: &ModelRun, messages: &[Message]) -> Conversation {
        let usage = run.usage.as_ref();
        let trajectory = json!({
            "schema_version": ATIF,
            "session_id": uuid::Uuid::new_v4().to_string(),
            "agent": {"name": agent, "version": env!("CARGO_PKG_VERSION"),
                      "model_name": client.endpoint().model},
            "final_metrics": {
                "total_prompt_tokens": usage.map(|usage| usage.prompt()),
                "total_completion_tokens": usage.map(|usage| usage.output),
                "total_cached_tokens": usage.map(|usage| usage.cache_read),
                "total_cost_usd": run.cost_usd,
                "total_steps": self.0.len(),
            },
            "steps": self.0,
        });
        let messages = serde_json::to_value(messages).unwrap_or_default();
        Conversation { trajectory, messages }
    }
}
