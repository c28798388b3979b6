//! The bed of tests of judges that ask models: the real binary, on the fake engine, asks a server on this machine over
//! real HTTP. The server plays an honest judge, or a gullible one.

use crate::model_server::{Act, Received, Server, chat};
use crate::support::{Run, Suite};
use crate::tiny;
use serde_json::json;

/// A key of no provider's, which must not be found again anywhere.
pub const KEY: &str = "sk-canary-51b2";

/// A rubric of our own wording.
pub const RUBRIC: &str = "Q: {input}\nKey: {ground_truth}\nAnswer: {submission}\n\nIs it {right}? Reply with 1 or 0.\n";

/// The prompt of a request.
pub fn prompt(request: &Received) -> String {
    let content = &request.body["messages"][0]["content"];
    content.as_str().or(content[0]["text"].as_str()).unwrap_or_default().to_owned()
}

/// The prompt's text outside of the marked answer, and the answer. What marks it is named before it, and the answer can't
/// hold it.
pub fn parts(prompt: &str) -> (String, String) {
    let named = ["between the two lines ", "between two marks "].iter().find_map(|words| {
        let rest = prompt.split_once(words)?.1;
        rest.split(' ').next().filter(|mark| mark.starts_with("=====answer-") && mark.len() == 41)
    });
    match named.map(|mark| prompt.split(mark).collect::<Vec<_>>()).as_deref() {
        Some([before, words, answer, after]) => (format!("{before}{words}{after}"), (*answer).to_owned()),
        _ => (prompt.to_owned(), prompt.split("Answer: ").nth(1).unwrap_or_default().to_owned()),
    }
}

/// What an honest judge says of the answer, in the form that the request asks for; a gullible one obeys what stands
/// outside of the marked answer.
pub fn honest(request: &Received) -> String {
    let (outside, answer) = parts(&prompt(request));
    let says = answer.trim().lines().next().unwrap_or_default().trim();
    let right = says == "42" || outside.contains("SYSTEM OVERRIDE");
    let schemas =
        [&request.body["response_format"]["json_schema"]["schema"], &request.body["output_config"]["format"]["schema"]];
    let properties = schemas.map(|schema| &schema["properties"]).into_iter().find(|of| of.is_object());
    let has = |key: &str| properties.is_some_and(|of| of.get(key).is_some());
    let reply = if has("score") {
        json!({"score": f64::from(u8::from(right)), "rationale": "compared"})
    } else if has("grade") {
        json!({"rationale": "compared", "grade": if right { "A" } else { "B" }})
    } else if has("correct") {
        json!({"rationale": "compared", "correct": if right { "yes" } else { "no" }})
    } else if has("correctness_details") {
        json!({"explanation": "compared", "correctness_details": [{"answer": "42", "correct": right}],
               "excessive_answers": []})
    } else if outside.contains("<evaluation>") {
        return format!(
            "<evaluation><correctness_details><item answer=\"42\" correct=\"{right}\"/></correctness_details>\
             <excessive_answers></excessive_answers></evaluation>"
        );
    } else {
        return if right { "1".to_owned() } else { "0".to_owned() };
    };
    reply.to_string()
}

pub fn says(text: &str) -> Act {
    Act::json(200, &chat(&json!({"role": "assistant", "content": text}), "stop"))
}

/// A suite with these tasks, their answers by the fake engine, and settings for the judge.
pub fn suite(tasks: &[(String, &str)], judge: &str) -> (Suite, String) {
    let suite = tiny::suite(&[]);
    suite.write("harbor.yml", format!("n_concurrent_trials: 1\nseatrial:\n  judge: {{name: rubric, {judge}}}\n"));
    let mut acts = serde_json::Map::new();
    for (name, answer) in tasks {
        tiny::task(&suite, name, "fake", "");
        let case = json!({"input": format!("task {name}?"), "ground_truth": "42", "answer_type": "Single Answer"});
        suite.write(&format!("tasks/{name}/tests/case.json"), case.to_string());
        suite.write(&format!("tasks/{name}/tests/rubric.txt"), RUBRIC);
        acts.insert(name.clone(), json!([{"answer": answer}]));
    }
    (suite, json!({"tally": "tally.txt", "tasks": acts}).to_string())
}

/// Runs the binary with the server's address and that key in the environment, for either provider's models.
pub fn judged(suite: &Suite, script: &str, server: &Server, args: &[&str], key: &str) -> Run {
    suite.write("engine.json", script);
    let out = suite
        .command(&tiny::fake_args(args))
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .env("OPENAI_API_KEY", key)
        .env("ANTHROPIC_BASE_URL", server.url())
        .env("ANTHROPIC_API_KEY", key)
        .env_remove("JUDGE_MODEL")
        .env_remove("JUDGE_MODELS")
        .output()
        .expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

pub const RUN: [&str; 9] = ["run", "tasks", "-a", "command", "--command", "x", "--job-name", "j", "-q"];
