//! What the project looks like from outside its code: who may import whom, how large files get, which words are out,
//! and that the documents name what there is. It reads text and must not build or change anything.

use crate::support::{Suite, project};
use std::collections::BTreeSet;

/// The rooms in the order of `lib.rs`, and all that each may import. ARCHITECTURE.md shows the same table.
const ROOMS: [(&str, &[&str]); 27] = [
    ("random", &[]),
    ("quota", &[]),
    ("spelling", &[]),
    ("corpus", &["spelling"]),
    ("question", &["random", "quota", "spelling", "corpus"]),
    ("ideal", &[]),
    ("task", &["spelling", "ideal"]),
    ("populate", &["spelling", "corpus", "task"]),
    ("plan", &["task"]),
    ("wire", &[]),
    ("network", &[]),
    ("sandbox", &["wire", "network"]),
    ("model", &["spelling"]),
    ("attack", &["network", "sandbox"]),
    ("agent", &["spelling", "sandbox", "model"]),
    ("answer", &["sandbox"]),
    ("artifact", &["sandbox"]),
    ("judge", &["spelling", "task", "sandbox", "model", "answer", "artifact"]),
    ("failure", &["model"]),
    ("event", &["model", "network", "plan", "agent", "answer", "artifact", "judge", "failure"]),
    (
        "job",
        &["task", "plan", "network", "sandbox", "model", "agent", "answer", "artifact", "judge", "failure", "event"],
    ),
    ("results", &["ideal", "plan", "network", "model", "agent", "answer", "artifact", "judge", "failure", "event"]),
    ("stats", &["random", "quota", "spelling", "question", "ideal", "task", "plan", "failure", "results"]),
    ("stamp", &["question", "ideal", "task", "stats"]),
    ("report", &["task", "model", "judge", "failure", "event", "results", "stats"]),
    ("config", &["spelling", "task"]),
    ("cli", &["all"]),
];
/// The program inside the container is a crate of its own: what `crate::` means there is its own files.
const SUPERVISOR: (&str, &[&str]) = (
    "supervisor",
    &[
        "wire", "dns", "files", "filter", "loopback", "names", "relay", "run", "say", "send", "socket", "streams",
        "sys", "users",
    ],
);
const LARGEST: usize = 600;

/// Rust files below `folders` of the project, as project paths with their text, sorted.
fn rust_files(folders: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in folders {
        for entry in walkdir::WalkDir::new(project().join(folder)).sort_by_file_name() {
            // `benches` and the like may not be there.
            let Ok(entry) = entry else { continue };
            if entry.path().extension().is_some_and(|end| end == "rs") {
                let path = entry.path().strip_prefix(project()).expect("below the project");
                files.push((path.display().to_string(), std::fs::read_to_string(entry.path()).expect("UTF-8")));
            }
        }
    }
    assert!(files.len() > 1, "{folders:?} hold files");
    files
}

/// The text without lines that are only a comment.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

fn room_of(path: &str) -> &str {
    let below = path.trim_start_matches("src/");
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// The first name of each path that starts with `crate::`, in `crate::a::b` and in `crate::{a, b::{c, d}}` alike.
fn roots(code: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let mut roots = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            roots.insert(name(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = 0;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    roots.insert(name(&group[start..at]));
                    start = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    roots.remove("");
    roots
}

fn nothing(found: Vec<String>) {
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_groups_and_inline_paths() {
    let text =
        "use crate::{a, b::{c, d}, e as f};\nlet x = crate::g::h();\n$crate::i!();\nuse crate::{\n  j::{k},\n  l,\n};";
    let found: Vec<String> = roots(text).into_iter().collect();
    assert_eq!(found, ["a", "b", "e", "g", "i", "j", "l"]);
}

#[test]
fn each_room_imports_only_what_the_table_allows() {
    let mut found = Vec::new();
    for (path, text) in rust_files(&["src"]) {
        let room = room_of(&path);
        let code = code(&text);
        let Some((_, allowed)) = ROOMS.iter().chain([&SUPERVISOR]).find(|(name, _)| *name == room) else {
            if !["lib", "main"].contains(&room) {
                found.push(format!("{path}: `{room}` is not in the table of rooms"));
            }
            continue;
        };
        for root in roots(&code) {
            if root != room && !allowed.contains(&"all") && !allowed.contains(&root.as_str()) {
                found.push(format!("{path}: `{room}` may not import `crate::{root}`"));
            }
        }
        // At a room's door `super` is the crate itself; only its indented test module may say it.
        let door = path == format!("src/{room}.rs") || path == format!("src/{room}/mod.rs");
        if door && code.lines().any(|line| line.contains("super::") && !line.starts_with(' ')) {
            found.push(format!("{path}: `super::` leaves the room"));
        }
        if code.contains("#[path") && path != "src/supervisor/main.rs" {
            found.push(format!("{path}: a module by path crosses rooms unseen"));
        }
        if code.contains("bollard") && !path.starts_with("src/sandbox/docker/") {
            found.push(format!("{path}: only `src/sandbox/docker/` may name `bollard`"));
        }
    }
    nothing(found);
}

#[test]
fn every_room_is_on_disk_in_lib_rs_and_in_architecture_md() {
    let lib = std::fs::read_to_string(project().join("src/lib.rs")).expect("lib.rs");
    let listed: Vec<&str> = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(listed, ROOMS.map(|(room, _)| room), "lib.rs lists the rooms in the table's order");
    let architecture = std::fs::read_to_string(project().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (room, allowed) in ROOMS {
        let allowed = if allowed.is_empty() { "–".to_owned() } else { allowed.join(", ") };
        let row = architecture
            .lines()
            .find(|line| line.starts_with(&format!("| `{room}/`")) || line.starts_with(&format!("| `{room}.rs`")));
        let cell = row.and_then(|row| row.split('|').nth(3)).map(str::trim);
        assert_eq!(cell, Some(allowed.as_str()), "ARCHITECTURE.md, row of `{room}`, third column");
    }
}

#[test]
fn files_are_small_say_what_they_are_for_and_doors_only_lead_in() {
    let mut found = Vec::new();
    let mut files = rust_files(&["src", "tests", "benches"]);
    files.push(("build.rs".to_owned(), std::fs::read_to_string(project().join("build.rs")).expect("build.rs")));
    for (path, text) in files {
        let lines = text.lines().count();
        if lines > LARGEST {
            found.push(format!("{path}: {lines} lines, over {LARGEST}"));
        }
        if !text.starts_with("//!") {
            found.push(format!("{path}: it does not begin with `//!`"));
        }
        if path.ends_with("/mod.rs") {
            let door = |line: &str| {
                ["mod ", "pub mod ", "pub use ", "pub(crate) use ", "    ", "};"]
                    .iter()
                    .any(|start| line.starts_with(start))
            };
            let other = code(&text).lines().find(|line| !line.is_empty() && !door(line)).map(str::to_owned);
            found.extend(other.map(|line| format!("{path}: more than header, `mod` and `pub use`: `{line}`")));
        }
    }
    nothing(found);
}

#[test]
fn nothing_is_left_open_and_words_have_one_meaning() {
    let mut found = Vec::new();
    for (path, text) in rust_files(&["src", "tests", "benches"]) {
        if path == "tests/it/tidy.rs" {
            continue;
        }
        let code = code(&text);
        for out in ["todo!", "unimplemented!", "#[allow(", "#![allow(", "#[ignore", "super::super::"] {
            if code.contains(out) {
                found.push(format!("{path}: `{out}`"));
            }
        }
        // `supervisor` is no part of the linted crate; its one line is for whoever starts it by hand.
        let may_print = ["src/cli/", "src/report/", "src/supervisor/main.rs", "tests/", "benches/"];
        if code.contains("println!") && !may_print.iter().any(|start| path.starts_with(start)) {
            found.push(format!("{path}: `println!` outside cli and report"));
        }
        for (n, line) in text.lines().enumerate() {
            let line = line.to_lowercase().replace("unix epoch", "");
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if let Some(word) = words.find(|word| ["rollout", "rollouts", "epoch", "epochs"].contains(word)) {
                found.push(format!("{path}:{}: `{word}` is a trial, an attempt or a time here", n + 1));
            }
        }
    }
    nothing(found);
}

#[test]
fn each_verb_has_an_example_in_its_help_and_a_place_in_the_readme() {
    let suite = Suite::new();
    let readme = readme();
    let help = suite.run(&["--help"]).expect_code(0).stdout;
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.len() >= 11, "{help}");
    let mut found = Vec::new();
    for verb in verbs {
        let help = suite.run(&[verb, "--help"]).expect_code(0).stdout;
        let example = format!("seatrial {verb}");
        if !help.split("\nExample").nth(1).is_some_and(|examples| examples.contains(&example)) {
            found.push(format!("`seatrial {verb} --help` has no example"));
        }
        if !readme.contains(&example) {
            found.push(format!("README.md does not show `{example}`"));
        }
    }
    nothing(found);
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    let mut found = Vec::new();
    let docs = std::fs::read_dir(project().join("docs")).expect("docs").flatten();
    let docs = docs.map(|entry| format!("docs/{}", entry.file_name().display()));
    for document in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(String::from).into_iter().chain(docs) {
        let text = std::fs::read_to_string(project().join(&document)).unwrap_or_else(|e| panic!("{document}: {e}"));
        let path_like = |c: char| c.is_alphanumeric() || "._-/".contains(c);
        for word in text.split(|c: char| !path_like(c)) {
            let word = word.trim_end_matches('.');
            let ours = ["script/", ".ci/", "src/", "tests/it/", "examples/", "templates/", "docs/"];
            if ours.iter().any(|start| word.starts_with(start)) && !project().join(word).exists() {
                found.push(format!("{document}: `{word}` is not there"));
            }
        }
    }
    nothing(found);
}

fn readme() -> String {
    std::fs::read_to_string(project().join("README.md")).expect("README.md")
}
