//! `seatrial generate`: what a task directory holds, and what writing one leaves alone.

use crate::mini::{self, QUESTIONS, tree};
use crate::support::{Suite, project};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

#[test]
fn a_task_has_its_committed_files_and_no_other() {
    let suite = mini::generated();
    let run = suite.run(&["generate", "--all", "-o", "again"]).expect_code(0);
    assert_eq!(
        run.stderr,
        "mini-0: written\nmini-1: written\nmini-2: written\n3 tasks in `again`: 3 written, 0 replaced, 0 unchanged\n"
    );
    assert_eq!(tree(&suite.join("tasks")), tree(&suite.join("again")), "same inputs, same bytes");
    let files: Vec<String> =
        tree(&suite.join("tasks/mini-0")).into_iter().filter(|(_, held)| held != b"/").map(|(path, _)| path).collect();
    assert_eq!(
        files,
        [
            "environment/.dockerignore",
            "environment/Dockerfile",
            "instruction.md",
            "solution/solve.sh",
            "task.toml",
            "tests/case.json"
        ]
    );
    let mode = suite.join("tasks/mini-0/solution/solve.sh").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert!(suite.read("tasks/mini-0/instruction.md").starts_with("Which tree stands by the well?\n"));
    let manifest: toml::Table = suite.read("tasks/mini-1/task.toml").parse().unwrap();
    assert_eq!(manifest["schema_version"].as_str(), Some("1.4"));
    assert_eq!(manifest["environment"]["network_mode"].as_str(), Some("allowlist"));
    assert_eq!(manifest["environment"]["allowed_hosts"], toml::Value::from(vec!["model.example"]));
    for (key, value) in [("source", "tests"), ("suite", "mini"), ("difficulty", "hard"), ("source_difficulty", "hard")]
    {
        assert_eq!(manifest["metadata"][key].as_str(), Some(value), "{key}");
    }
    let without: toml::Table = suite.read("tasks/mini-2/task.toml").parse().unwrap();
    assert!(without["metadata"].get("difficulty").is_none(), "a record without a difficulty gives none");
}

#[test]
fn all_tasks_share_one_environment_and_the_key_is_in_none() {
    let suite = mini::generated();
    suite.run(&["populate"]).expect_code(0);
    let first = tree(&suite.join("tasks/mini-0/environment"));
    for id in ["mini-1", "mini-2"] {
        assert_eq!(first, tree(&suite.join(&format!("tasks/{id}/environment"))), "{id}");
    }
    for (path, held) in first {
        let text = String::from_utf8(held).unwrap();
        assert!(!text.contains("KEY-ONE") && !text.contains("CANARY-RUBRIC"), "{path}");
    }
    assert!(!suite.read("tasks/mini-0/instruction.md").contains("KEY-ONE"));
    assert!(suite.read("tasks/mini-0/tests/rubric.txt").contains("CANARY-RUBRIC"), "it is looked for rightly");
}

#[test]
fn one_task_again_replaces_that_one_and_touches_no_other() {
    let suite = mini::generated();
    suite.run(&["populate"]).expect_code(0);
    suite.write("tasks/foreign/task.toml", "x = 1\n").write("tasks/mini-1/notes.txt", "mine");
    let inode = |id: &str| suite.join(&format!("tasks/{id}/task.toml")).metadata().unwrap().ino();
    let (others, inodes) = (tree(&suite.join("tasks")), [inode("mini-0"), inode("mini-2"), inode("foreign")]);
    suite.write("vendor/questions.jsonl", QUESTIONS.replace("steps lead", "stairs lead"));

    let run = suite.run(&["generate", "--task-ids", "mini-1"]).expect_code(0);
    assert_eq!(run.stderr, "mini-1: replaced\n1 task in `tasks`: 0 written, 1 replaced, 0 unchanged\n");
    assert!(suite.read("tasks/mini-1/instruction.md").contains("stairs lead"));
    assert!(!suite.join("tasks/mini-1/notes.txt").exists(), "the whole task is new");
    let outside = |tree: std::collections::BTreeMap<String, Vec<u8>>| -> Vec<_> {
        tree.into_iter().filter(|(path, _)| !path.starts_with("mini-1")).collect()
    };
    assert_eq!(outside(others), outside(tree(&suite.join("tasks"))));
    assert_eq!(inodes, [inode("mini-0"), inode("mini-2"), inode("foreign")]);

    let before = inode("mini-1");
    let run = suite.run(&["generate", "--limit", "2"]).expect_code(0);
    assert_eq!(
        run.stderr,
        "mini-0: unchanged\nmini-1: unchanged\n2 tasks in `tasks`: 0 written, 0 replaced, 2 unchanged\n"
    );
    assert_eq!(before, inode("mini-1"));
    assert!(suite.join("tasks/mini-0/tests/judge.py").exists(), "an unchanged task keeps what is populated");
}

#[test]
fn wrong_ids_are_all_named_and_nothing_is_written() {
    let suite = mini::suite();
    let run = suite.run(&["generate", "--task-ids", "mini-0,../x,a/b,mimi-1,far-away,..,mini-1/"]).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: `../x` can't be a task's id: an id is one folder's name\n\
         `a/b` can't be a task's id: an id is one folder's name\n\
         `mimi-1` is not in the suite `mini`; close to it: `mini-1`, `mini-0`, `mini-2`\n\
         `far-away` is not in the suite `mini`; its ids are `mini-0` to `mini-2`\n\
         `..` can't be a task's id: an id is one folder's name\n\
         `mini-1/` can't be a task's id: an id is one folder's name\n\
         \nhint: `seatrial generate --all` writes every task of the suite\n"
    );
    assert!(!suite.join("tasks").exists());
    suite.run(&["generate"]).expect_code(2);
    suite.run(&["generate", "--all", "--limit", "2"]).expect_code(2);
    suite.run(&["generate", "--limit", "0"]).expect_code(2);
}

#[test]
fn a_calibration_stays_while_question_key_and_documents_do() {
    let stamped = |text: &str| {
        let text = text.replacen("difficulty = \"hard\"", "difficulty = \"easy\" # measured", 1);
        text.replace("\n[environment]", "\n[metadata.calibration]\nn = 6\npasses = 5\n\n[environment]")
    };
    for (what, file, text, kept) in [
        ("nothing", "vendor/questions.jsonl", QUESTIONS.to_string(), true),
        ("another question", "vendor/questions.jsonl", QUESTIONS.replace("Who dug", "Who had dug"), true),
        ("the rubric", "vendor/rubric.txt", "new {input} {ground_truth} {submission}".into(), true),
        ("the allowlist", "vendor/suite.toml", mini::SUITE.replace("model.example", "other.example"), true),
        ("the question", "vendor/questions.jsonl", QUESTIONS.replace("steps lead", "stairs lead"), false),
        ("the key", "vendor/questions.jsonl", QUESTIONS.replace("17", "18"), false),
        ("a document", "vendor/files/well.txt", "an oak\n".into(), false),
        ("a document's name", "vendor/files/extra.txt", "more\n".into(), false),
    ] {
        let suite = mini::generated();
        suite.write("tasks/mini-1/task.toml", stamped(&suite.read("tasks/mini-1/task.toml")));
        suite.write(file, text);
        let run = suite.run(&["generate", "--all"]).expect_code(0);
        let manifest: toml::Table = suite.read("tasks/mini-1/task.toml").parse().unwrap();
        let metadata = &manifest["metadata"];
        assert_eq!(metadata["difficulty"].as_str(), Some(if kept { "easy" } else { "hard" }), "{what}");
        assert_eq!(metadata["source_difficulty"].as_str(), Some("hard"), "{what}");
        assert_eq!(metadata.get("calibration").is_some(), kept, "{what}");
        let said = "mini-1: replaced, and its stamp dropped: question, key or documents have changed\n";
        assert_eq!(run.stderr.contains(said), !kept, "{what}: {}", run.stderr);
        let again = suite.run(&["generate", "--all"]).expect_code(0);
        assert!(again.stderr.ends_with("0 written, 0 replaced, 3 unchanged\n"), "{what}: {}", again.stderr);
    }
}

#[test]
fn the_solution_writes_any_key_byte_for_byte() {
    let keys = [
        "$1,234.50",
        "it's \"quoted\" `id`",
        "back\\slash \\n \\c %s %d",
        "-n",
        "--help",
        "two\nlines",
        "ends\\",
        "tab\there",
        "Zoë 漢字 🙂",
        "a'b''c'",
        "$(touch pwned) ${HOME} !!",
        "'",
        "  spaced  ",
        "EOF\nEOF",
    ];
    let suite = mini::suite();
    let line =
        |key: &&str| serde_json::json!({"q": format!("Q of {key:?}"), "a": key, "meta": {"level": "x"}}).to_string();
    suite.write("vendor/questions.jsonl", keys.iter().map(line).collect::<Vec<_>>().join("\n"));
    suite.run(&["generate", "--all"]).expect_code(0);
    for (i, key) in keys.iter().enumerate() {
        let script = suite.read(&format!("tasks/mini-{i}/solution/solve.sh")).replace("/app/answer.txt", "answer.txt");
        suite.write("solve.sh", script);
        // An empty PATH: the shell's own printf must be enough.
        let status =
            Command::new("/bin/sh").arg("solve.sh").current_dir(suite.path()).env_clear().env("PATH", "").status();
        assert!(status.unwrap().success(), "{key:?}");
        assert_eq!(suite.read("answer.txt"), format!("{key}\n"));
        let case: serde_json::Value =
            serde_json::from_str(&suite.read(&format!("tasks/mini-{i}/tests/case.json"))).unwrap();
        assert_eq!(case["ground_truth"], *key);
    }
    assert!(!suite.join("pwned").exists());
}

#[test]
fn a_suites_own_templates_stand_in_for_the_built_in_ones() {
    let suite = mini::suite();
    suite.write("vendor/suite.toml", format!("{}templates = \"own\"\n", mini::SUITE));
    suite.write("vendor/own/instruction.md", "{{id}}: {{question}}\nReply {\"grade\": \"C\"} {unknown} {{ }}\n");
    suite.write("vendor/questions.jsonl", QUESTIONS.replace("Who dug it?", "Who wrote {{answer}}?"));
    suite.run(&["generate", "--all"]).expect_code(0);
    assert_eq!(
        suite.read("tasks/mini-2/instruction.md"),
        "mini-2: Who wrote {{answer}}?\nReply {\"grade\": \"C\"} {unknown} {{ }}\n"
    );
    suite.write("vendor/own/instruction.md", "The answer is\n{{answer}}\n");
    let run = suite.run(&["generate", "--all", "-o", "other"]).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: `vendor/own/instruction.md`:2: nothing is known for the placeholder `{{answer}}`\n\
         \nhint: known here: `{{question}}`, `{{id}}`\n"
    );
    suite.write("vendor/own/instructions.md", "x");
    let run = suite.run(&["generate", "--all", "-o", "other"]).expect_code(2);
    assert!(
        run.stderr.starts_with("error: `vendor/own/instructions.md` is not the name of a template\n"),
        "{}",
        run.stderr
    );
    assert!(!suite.join("other").exists());
}

#[test]
fn what_is_not_a_folder_is_never_replaced_or_followed() {
    let suite = mini::suite();
    suite.write("elsewhere/task.toml", "mine").write("tasks/mini-2", "a file");
    symlink("../elsewhere", suite.join("tasks/mini-1")).unwrap();
    let run = suite.run(&["generate", "--all"]).expect_code(2);
    assert!(
        run.stderr.starts_with("error: nothing was written: `tasks/mini-1` is a symbolic link\n"),
        "{}",
        run.stderr
    );
    std::fs::remove_file(suite.join("tasks/mini-1")).unwrap();
    let run = suite.run(&["generate", "--all"]).expect_code(2);
    assert!(run.stderr.starts_with("error: `tasks/mini-2` is there and is not a folder\n"), "{}", run.stderr);
    assert_eq!(suite.read("elsewhere/task.toml"), "mine");
    assert_eq!(tree(&suite.join("tasks")).len(), 1, "nothing was written");
}

#[test]
fn the_shipped_tasks_are_the_first_thirty_of_the_shipped_suite() {
    let suite = Suite::new();
    let vendor = project().join("vendor");
    suite.run(&["generate", "--limit", "30", "--vendor", vendor.to_str().unwrap()]).expect_code(0);
    let fresh = tree(&suite.join("tasks"));
    assert_eq!(fresh.keys().filter(|path| path.ends_with("task.toml")).count(), 30);
    let shipped = std::fs::read_dir(project().join("tasks")).unwrap().map(|entry| entry.unwrap().file_name());
    let shipped: std::collections::BTreeSet<_> = shipped.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(shipped, (0..30).map(|line| format!("ledger-{line}")).collect());
    for (path, held) in fresh.iter().filter(|(_, held)| *held != b"/") {
        let shipped = std::fs::read(project().join("tasks").join(path)).unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&shipped), String::from_utf8_lossy(held), "{path}");
    }
}
