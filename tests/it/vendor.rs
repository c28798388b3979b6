//! Vendor directories that can't be used: everything wrong is said at once, with file and line, and nothing is written.

use crate::mini::{self, QUESTIONS, RUBRIC, SUITE};
use crate::support::Suite;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

fn refused(suite: &Suite) -> String {
    let run = suite.run(&["generate", "--all"]).expect_code(2);
    assert!(!suite.join("tasks").exists(), "nothing is written");
    run.stderr
}

#[test]
fn a_manifest_is_checked_key_by_key() {
    for (from, to, said) in [
        (
            "allowed_hosts",
            "allowed_host",
            "vendor/suite.toml:20: unknown key `tasks.allowed_host`; did you mean `tasks.allowed_hosts`?",
        ),
        ("[judge]", "[juge]", "vendor/suite.toml:15: unknown key `juge`; did you mean `judge`?"),
        ("folder", "xyzzy", "vendor/suite.toml:5: unknown key `corpus.xyzzy`; known here: `folder`, `files`"),
        ("\"mini\"\n\n", "7\n\n", "vendor/suite.toml:2: invalid type: integer `7`, expected a string"),
        ("file = \"questions.jsonl\"\n", "", "vendor/suite.toml:7: missing field `file`"),
        (
            "= \"files\"",
            "= \"../files\"",
            "vendor/suite.toml: `corpus.folder` must be a path below the vendor directory",
        ),
        (
            "= \"rubric.txt\"",
            "= \"/etc/hostname\"",
            "vendor/suite.toml: `judge.rubric` must be a path below the vendor directory",
        ),
        (
            "id_prefix = \"mini\"",
            "id_prefix = \"a/b\"",
            "`id_prefix`: `a/b` must start with a letter or digit and hold letters, digits, `.`, `_`, `-` only",
        ),
        ("id_prefix = \"mini\"", "id_prefix = \"..x\"", "`id_prefix`: `..x` must start with a letter or digit"),
        ("id_prefix = \"mini\"", "id_prefix = \"-x\"", "`id_prefix`: `-x` must start with a letter or digit"),
        (
            "\"meta.level\"",
            "\"meta.lvel\"",
            "vendor/questions.jsonl: no record has `meta.lvel`, where the suite file looks for `difficulty`",
        ),
        ("[corpus]", "[corpus", "vendor/suite.toml:4: "),
    ] {
        let suite = mini::suite();
        suite.write("vendor/suite.toml", SUITE.replacen(from, to, 1));
        let stderr = refused(&suite);
        assert!(stderr.contains(said), "{to}: {stderr}");
    }
}

#[test]
fn bad_questions_are_named_line_by_line_and_together() {
    let suite = mini::suite();
    let bad = "\n{\"q\": \"x\"}\n{broken\n[1]\n{\"q\": \"\", \"a\": 5}\n{\"q\": \"x\", \"a\": \"n\\u0000l\"}\n";
    suite.write("vendor/questions.jsonl", format!("{}{bad}", QUESTIONS.trim_end()));
    suite.write("vendor/rubric.txt", "{question} {answer} Return {\"grade\":\"C\"} {unknown}");
    suite.write("vendor/questions.jsonl", format!("{QUESTIONS}{bad}"));
    assert_eq!(
        refused(&suite),
        "error: 8 problems\n\
         \x20 vendor/questions.jsonl:4: the line is empty, and ids are counted by lines\n\
         \x20 vendor/questions.jsonl:5: no `a`\n\
         \x20 vendor/questions.jsonl:6: not JSON: key must be a string at column 2\n\
         \x20 vendor/questions.jsonl:7: not a JSON object\n\
         \x20 vendor/questions.jsonl:8: `q` is empty\n\
         \x20 vendor/questions.jsonl:8: `a` is not a string\n\
         \x20 vendor/questions.jsonl:9: `a` holds a NUL character, which no file of text can\n\
         \x20 vendor/rubric.txt: the rubric has no `{ground_truth}` and no `{submission}`\n\
         \nhint: a rubric says where the question, the key and the answer go: `{input}`, `{ground_truth}`, `{submission}`\n"
    );
}

#[test]
fn a_corpus_with_links_or_pipes_is_refused_by_path() {
    type Plant = fn(&Suite);
    let plants: [(&str, Plant); 6] = [
        ("`vendor/files/fifo` is a pipe, socket or device", |s| {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            mknodat(CWD, s.join("vendor/files/fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        }),
        ("`vendor/files/old/link.txt` is a symbolic link", |s| {
            symlink("/etc/hostname", s.join("vendor/files/old/link.txt")).unwrap()
        }),
        ("`vendor/files/dangling` is a symbolic link", |s| {
            symlink("nowhere", s.join("vendor/files/dangling")).unwrap()
        }),
        ("`vendor/files/loop` is a symbolic link", |s| symlink(".", s.join("vendor/files/loop")).unwrap()),
        ("`vendor/files` is a symbolic link", |s| {
            std::fs::rename(s.join("vendor/files"), s.join("vendor/real")).unwrap();
            symlink("real", s.join("vendor/files")).unwrap();
        }),
        ("`vendor/files/sock` is a pipe, socket or device", |s| {
            drop(UnixListener::bind(s.join("vendor/files/sock")).unwrap())
        }),
    ];
    for (said, plant) in plants {
        let suite = mini::suite();
        plant(&suite);
        let stderr = refused(&suite);
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn key_and_rubric_can_not_become_documents() {
    for (file, text, said) in [
        (
            "vendor/files/copy.json",
            QUESTIONS,
            "the document `vendor/files/copy.json` is the questions file `vendor/questions.jsonl`",
        ),
        ("vendor/files/r.txt", RUBRIC, "the document `vendor/files/r.txt` is the rubric `vendor/rubric.txt`"),
    ] {
        let suite = mini::suite();
        suite.write(file, text);
        assert!(refused(&suite).contains(said), "{said}");
    }
    let suite = mini::suite();
    suite.write("vendor/suite.toml", SUITE.replace("folder = \"files\"", "folder = \".\""));
    assert!(refused(&suite).contains("and agents would read it\n\nhint: keep the documents in a folder of their own"));
}

#[test]
fn what_is_not_there_is_named() {
    let suite = mini::suite();
    std::fs::remove_dir_all(suite.join("vendor/files")).unwrap();
    assert!(refused(&suite).starts_with("error: failed to read `vendor/files`: "));
    std::fs::create_dir(suite.join("vendor/files")).unwrap();
    assert!(refused(&suite).starts_with("error: no file in `vendor/files` matches `**`\n"));
    std::fs::remove_file(suite.join("vendor/questions.jsonl")).unwrap();
    assert!(refused(&suite).starts_with("error: failed to read `vendor/questions.jsonl`: "));
    std::fs::remove_dir_all(suite.join("vendor")).unwrap();
    assert!(refused(&suite).starts_with("error: no suite file at `vendor/suite.toml`\n\nhint: `--vendor DIR` names"));
}
