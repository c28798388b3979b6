//! A small vendor directory for tests: two documents, one of them in a subfolder, and three questions.

use crate::support::Suite;
use std::collections::BTreeMap;
use std::path::Path;

pub const SUITE: &str = r#"name = "mini"
id_prefix = "mini"

[corpus]
folder = "files"

[questions]
file = "questions.jsonl"

[questions.fields]
question = "q"
answer = "a"
difficulty = "meta.level"

[judge]
rubric = "rubric.txt"

[tasks]
source = "tests"
allowed_hosts = ["model.example"]
"#;

pub const QUESTIONS: &str = r#"{"q": "Which tree stands by the well?", "a": "KEY-ONE", "meta": {"level": "easy"}}
{"q": "How many steps lead down?", "a": "17", "meta": {"level": "hard"}}
{"q": "Who dug it?", "a": "Ida Brook"}
"#;

pub const RUBRIC: &str = "CANARY-RUBRIC {input} {ground_truth} {submission}\n";

/// A scratch directory with the suite in `vendor/`.
pub fn suite() -> Suite {
    let suite = Suite::new();
    suite.write("vendor/suite.toml", SUITE).write("vendor/questions.jsonl", QUESTIONS);
    suite.write("vendor/rubric.txt", RUBRIC);
    suite.write("vendor/files/well.txt", "an elm\n").write("vendor/files/old/steps.txt", "down, down\n");
    suite
}

/// The same, with its three tasks in `tasks/`.
pub fn generated() -> Suite {
    let suite = suite();
    suite.run(&["generate", "--all"]).expect_code(0);
    suite
}

/// Everything below a folder, by relative path: a file's bytes, `-> target` for a link, `/` for a folder.
pub fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root).min_depth(1) {
        let entry = entry.expect("a readable tree");
        let rel = entry.path().strip_prefix(root).expect("below").to_str().expect("UTF-8").to_string();
        let kind = entry.file_type();
        let held = if kind.is_symlink() {
            format!("-> {}", std::fs::read_link(entry.path()).expect("a link").display()).into_bytes()
        } else if kind.is_dir() {
            b"/".to_vec()
        } else {
            std::fs::read(entry.path()).expect("a readable file")
        };
        found.insert(rel, held);
    }
    found
}
