//! Harbor's trajectory format (ATIF), checked field by field: what is not in it is refused, as Harbor's own reader does.

use crate::model_server::{Act, Server, chat, chat_stream, message_stream, response_stream};
use crate::support::{Run, Suite};
use crate::tiny::{self, trial};
use serde_json::{Map, Value, json};

/// What is wrong with a trajectory, a line each; empty where it is one.
pub fn problems(trajectory: &Value) -> Vec<String> {
    let mut check = Check(Vec::new());
    check.trajectory(trajectory);
    check.0
}

/// The kinds of values that a field may have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Count,
    Number,
    Flag,
    Object,
    List,
}

use Kind::{Count, Flag, List, Number, Object, Text};

/// A field: its name, its kind, and whether it has to be there.
type Field = (&'static str, Kind, bool);

const AGENT: [Field; 5] = [
    ("name", Text, true),
    ("version", Text, true),
    ("model_name", Text, false),
    ("tool_definitions", List, false),
    ("extra", Object, false),
];
const FINAL: [Field; 6] = [
    ("total_prompt_tokens", Count, false),
    ("total_completion_tokens", Count, false),
    ("total_cached_tokens", Count, false),
    ("total_cost_usd", Number, false),
    ("total_steps", Count, false),
    ("extra", Object, false),
];
const STEP: [Field; 13] = [
    ("step_id", Count, true),
    ("timestamp", Text, false),
    ("source", Text, true),
    ("message", Text, true),
    ("model_name", Text, false),
    ("reasoning_effort", Text, false),
    ("reasoning_content", Text, false),
    ("tool_calls", List, false),
    ("metrics", Object, false),
    ("observation", Object, false),
    ("is_copied_context", Flag, false),
    ("llm_call_count", Count, false),
    ("extra", Object, false),
];
const AGENTS_OWN: [&str; 5] = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];
const CALL: [Field; 4] = [
    ("tool_call_id", Text, true),
    ("function_name", Text, true),
    ("arguments", Object, true),
    ("extra", Object, false),
];
const METRICS: [Field; 8] = [
    ("prompt_tokens", Count, false),
    ("completion_tokens", Count, false),
    ("cached_tokens", Count, false),
    ("cost_usd", Number, false),
    ("prompt_token_ids", List, false),
    ("completion_token_ids", List, false),
    ("logprobs", List, false),
    ("extra", Object, false),
];
const RESULT: [Field; 4] = [
    ("source_call_id", Text, false),
    ("content", Text, false),
    ("subagent_trajectory_ref", List, false),
    ("extra", Object, false),
];

struct Check(Vec<String>);

impl Check {
    fn wrong(&mut self, at: &str, why: &str) {
        self.0.push(format!("`{at}` {why}"));
    }

    /// The object at a place, its fields checked.
    fn object<'v>(&mut self, value: &'v Value, at: &str, fields: &[Field]) -> Option<&'v Map<String, Value>> {
        let Some(object) = value.as_object() else {
            self.wrong(at, "is no object");
            return None;
        };
        for name in object.keys().filter(|name| !fields.iter().any(|(known, ..)| known == name)) {
            self.wrong(&format!("{at}/{name}"), "is not in the format");
        }
        for (name, kind, needed) in fields {
            let fits = match (object.get(*name), kind) {
                (None | Some(Value::Null), _) => !needed,
                (Some(value), Text) => value.is_string(),
                (Some(value), Count) => value.is_u64(),
                (Some(value), Number) => value.is_number(),
                (Some(value), Flag) => value.is_boolean(),
                (Some(value), Object) => value.is_object(),
                (Some(value), List) => value.is_array(),
            };
            if !fits {
                self.wrong(&format!("{at}/{name}"), "is missing or has the wrong type");
            }
        }
        Some(object)
    }

    fn trajectory(&mut self, value: &Value) {
        let fields = [
            ("schema_version", Text, true),
            ("session_id", Text, false),
            ("trajectory_id", Text, false),
            ("agent", Object, true),
            ("steps", List, true),
            ("notes", Text, false),
            ("final_metrics", Object, false),
            ("continued_trajectory_ref", Text, false),
            ("extra", Object, false),
            ("subagent_trajectories", List, false),
        ];
        if self.object(value, "", &fields).is_none() {
            return;
        }
        let version = value["schema_version"].as_str().and_then(|version| version.strip_prefix("ATIF-v1."));
        if version.and_then(|minor| minor.parse::<u8>().ok()).is_none_or(|minor| minor > 8) {
            self.wrong("/schema_version", "is no known version");
        }
        self.object(&value["agent"], "/agent", &AGENT);
        if !value["final_metrics"].is_null() {
            self.object(&value["final_metrics"], "/final_metrics", &FINAL);
        }
        let steps = value["steps"].as_array().map_or(&[][..], Vec::as_slice);
        if steps.is_empty() {
            self.wrong("/steps", "has no step");
        }
        for (index, step) in steps.iter().enumerate() {
            self.step(step, index, &format!("/steps/{index}"));
        }
    }

    fn step(&mut self, value: &Value, index: usize, at: &str) {
        let Some(step) = self.object(value, at, &STEP) else { return };
        if value["step_id"] != index + 1 {
            self.wrong(&format!("{at}/step_id"), "does not count on from 1");
        }
        let source = value["source"].as_str().unwrap_or_default();
        if !["system", "user", "agent"].contains(&source) {
            self.wrong(&format!("{at}/source"), "is nobody known");
        }
        for name in AGENTS_OWN.iter().filter(|name| source != "agent" && step.contains_key(**name)) {
            self.wrong(&format!("{at}/{name}"), "is for steps of the agent");
        }
        if value["timestamp"].as_str().is_some_and(|time| time.parse::<jiff::Timestamp>().is_err()) {
            self.wrong(&format!("{at}/timestamp"), "is no ISO 8601 time");
        }
        if !value["metrics"].is_null() {
            self.object(&value["metrics"], &format!("{at}/metrics"), &METRICS);
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let calls = list(&value["tool_calls"]);
        for (n, call) in calls.iter().enumerate() {
            self.object(call, &format!("{at}/tool_calls/{n}"), &CALL);
        }
        if value["observation"].is_null() {
            return;
        }
        self.object(&value["observation"], &format!("{at}/observation"), &[("results", List, true)]);
        for (n, result) in list(&value["observation"]["results"]).iter().enumerate() {
            let at = format!("{at}/observation/results/{n}");
            self.object(result, &at, &RESULT);
            let of = &result["source_call_id"];
            if !of.is_null() && !calls.iter().any(|call| call["tool_call_id"] == *of) {
                self.wrong(&at, "is the result of no call of its step");
            }
        }
    }
}

#[test]
fn the_check_refuses_what_the_format_does_not_have() {
    let good = json!({"schema_version": "ATIF-v1.6", "agent": {"name": "a", "version": "1"}, "steps": [
        {"step_id": 1, "source": "user", "message": "x", "timestamp": "2026-11-30T10:00:00Z"},
        {"step_id": 2, "source": "agent", "message": "", "metrics": {"prompt_tokens": 3, "cost_usd": null},
         "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {}}],
         "observation": {"results": [{"source_call_id": "c", "content": "y"}]}}]});
    assert_eq!(problems(&good), Vec::<String>::new());
    for (pointer, value, part) in [
        ("/schema_version", json!("ATIF-v2.0"), "no known version"),
        ("/agent/mood", json!("good"), "`/agent/mood` is not in the format"),
        ("/agent/version", Value::Null, "`/agent/version` is missing"),
        ("/steps", json!([]), "has no step"),
        ("/steps/1/step_id", json!(3), "does not count on"),
        ("/steps/0/source", json!("judge"), "is nobody known"),
        ("/steps/0/model_name", json!("m"), "is for steps of the agent"),
        ("/steps/0/timestamp", json!("yesterday"), "is no ISO 8601 time"),
        ("/steps/1/metrics/prompt_tokens", json!(1.5), "`/steps/1/metrics/prompt_tokens` is missing or"),
        ("/steps/1/tool_calls/0/arguments", json!("{}"), "`/steps/1/tool_calls/0/arguments` is missing or"),
        ("/steps/1/observation/results/0/source_call_id", json!("d"), "the result of no call"),
    ] {
        let mut bad = good.clone();
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        bad.pointer_mut(parent).expect("it is there")[name] = value;
        let found = problems(&bad);
        assert!(found.iter().any(|line| line.contains(part)), "{pointer}: {found:?}");
    }
}

/// Runs the loop on the fake engine against this server.
fn run(suite: &Suite, server: &Server, job: &str, model: &str) -> Run {
    suite.write("engine.json", r#"{"default": {"answer": "42", "output": "é 7"}}"#);
    let args = ["run", "tasks", "-q", "-a", "loop", "-m", model, "--job-name", job, "--fake-engine", "engine.json"];
    let mut command = suite.command(&[&args[..], &["--ak", "max_turns=4"]].concat());
    command.env("ANTHROPIC_BASE_URL", server.url()).env("ANTHROPIC_API_KEY", "sk-x-01234567");
    command.env("OPENAI_BASE_URL", server.url() + "/v1").env("OPENAI_API_KEY", "sk-x-01234567");
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

#[test]
fn every_trajectory_of_the_loop_is_one_whatever_the_model_did() {
    let suite = tiny::suite(&["t"]);
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let function = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let messages = json!([{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "漢"},
        call("c1", "bash", json!({"command": "ls"})), call("c2", "nothing", json!({}))]);
    let unreadable = json!({"role": "assistant", "content": null,
        "tool_calls": [function("c1", "bash", "{\"command\": "), function("c2", "finish", "{\"answer\":\"42\"}")]});
    let item = json!([{"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "finish", "arguments": "{\"answer\":\"42\"}"}]);
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let acts = [
        ("calls", "claude-x", Act::stream(&message_stream(&messages, "tool_use"))),
        ("silent", "claude-x", Act::stream(&message_stream(&json!([]), "end_turn"))),
        ("refusal", "claude-x", Act::stream(&message_stream(&text("No."), "refusal"))),
        ("unreadable", "openai/gpt-x", Act::stream(&chat_stream(&unreadable, "tool_calls"))),
        ("whole", "openai/gpt-x", Act::json(200, &chat(&unreadable, "tool_calls"))),
        ("responses", "openai-responses/gpt-x", Act::stream(&response_stream(&item, "completed"))),
    ];
    let count = acts.len();
    let mut steps = 0;
    for (job, model, act) in acts {
        run(&suite, &Server::start(vec![act]), job, model).expect_code(0);
        let end = trial(&suite.join(&format!("jobs/{job}")), "t");
        let text = suite.read(&format!("jobs/{job}/{}/agent/trajectory.json", end.trial.name));
        let trajectory: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(problems(&trajectory), Vec::<String>::new(), "{job}: {trajectory:#}");
        steps += trajectory["steps"].as_array().map_or(0, Vec::len);
    }
    assert!(steps >= 3 * count, "each has the question and a reply: {steps}");
}
