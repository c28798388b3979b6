//! The real Context-Bench corpus: its manifest in `examples/` gives the tasks that were published.

use crate::mini::tree;
use crate::support::{Suite, project, shared};
use serde_json::Value;

#[test]
fn the_published_tasks_come_out_of_the_real_corpus() {
    let Some(shared) = shared("the_published_tasks_come_out_of_the_real_corpus") else { return };
    let (corpus, manifest) = (shared.join("contextbench/corpus"), project().join("examples/contextbench/suite.toml"));
    let suite = Suite::new();
    let vendor = ["--vendor", corpus.to_str().unwrap(), "--suite", manifest.to_str().unwrap()];
    let run = suite.run(&[&["generate", "--all"][..], &vendor].concat()).expect_code(0);
    assert_eq!(run.stderr, "100 tasks in `tasks`: 100 written, 0 replaced, 0 unchanged\n");

    let mut compared = 0;
    for entry in std::fs::read_dir(shared.join("contextbench/dataset")).unwrap() {
        let published = entry.unwrap().path();
        let id = published.file_name().unwrap().to_str().unwrap().to_string();
        if !published.is_dir() {
            continue;
        }
        let json = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
        let case = json(std::fs::read_to_string(published.join("tests/case.json")).unwrap());
        assert_eq!(case, json(suite.read(&format!("tasks/{id}/tests/case.json"))), "{id}");
        let instruction = suite.read(&format!("tasks/{id}/instruction.md"));
        assert!(instruction.contains(case["input"].as_str().unwrap()), "{id}");
        let metadata = |text: String| text.parse::<toml::Table>().unwrap()["metadata"].clone();
        let theirs = metadata(std::fs::read_to_string(published.join("task.toml")).unwrap());
        let ours = metadata(suite.read(&format!("tasks/{id}/task.toml")));
        for key in ["source", "suite", "difficulty", "source_difficulty", "question_type"] {
            assert_eq!(theirs[key], ours[key], "{id}: {key}");
        }
        compared += 1;
    }
    assert_eq!(compared, 30);

    suite.run(&[&["populate", "tasks/cb-cloud-7"][..], &vendor].concat()).expect_code(0);
    assert_eq!(tree(&corpus.join("files")), tree(&suite.join("tasks/cb-cloud-7/environment/files")));
    suite.run(&[&["populate", "tasks/cb-cloud-7", "--check"][..], &vendor].concat()).expect_code(0);
}
