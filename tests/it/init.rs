//! `seatrial init`: a user's own documents and questions become a suite whose tasks can be written at once.

use crate::mini::tree;
use crate::support::Suite;
use std::os::unix::fs::symlink;

fn notes() -> Suite {
    let suite = Suite::new();
    suite.write("docs/garden.md", "The pear tree was planted in 1987.\n").write("docs/trips/coast.md", "Two gulls.\n");
    suite.write("docs/trips/map.bin", [0u8, 255, 7]);
    suite
}

const INIT: [&str; 6] = ["init", "my-notes", "--files", "docs", "--questions", "q.jsonl"];

#[test]
fn notes_and_questions_become_tasks() {
    let suite = notes();
    suite.write(
        "q.jsonl",
        "{\"input\": \"When was the pear tree planted?\", \"target\": 1987, \"category\": \"date\", \"by\": \"me\"}\n\n\
         {\"input\": \"How many gulls?\", \"target\": \"two\", \"category\": \"count\"}\n",
    );
    let run = suite.run(&INIT).expect_code(0);
    assert_eq!(
        run.stderr,
        "3 documents in 1 subfolder, 49 bytes, from `docs`\n\
         2 questions from `q.jsonl`\n\
         \x20 question      from `input`\n\
         \x20 answer        from `target`\n\
         \x20 difficulty    from no field\n\
         \x20 question_type from `category`\n\
         the built-in rubric\n\
         made the suite `my-notes` in `my-notes`, for the tasks `my-notes-0` to `my-notes-1`\n\
         \nnext:\n\
         \x20 seatrial generate --vendor my-notes --all -o my-notes/tasks\n\
         \x20 seatrial run my-notes/tasks -a oracle --network no-network\n"
    );
    assert_eq!(tree(&suite.join("docs")), tree(&suite.join("my-notes/files")));
    assert_eq!(
        suite.read("my-notes/questions.jsonl"),
        "{\"question\":\"When was the pear tree planted?\",\"answer\":\"1987\",\"question_type\":\"date\",\"by\":\"me\"}\n\
         {\"question\":\"How many gulls?\",\"answer\":\"two\",\"question_type\":\"count\"}\n"
    );
    suite.run(&["generate", "--vendor", "my-notes", "--all", "-o", "my-notes/tasks"]).expect_code(0);
    suite.run(&["populate", "my-notes/tasks"]).expect_code(0);
    assert_eq!(tree(&suite.join("docs")), tree(&suite.join("my-notes/tasks/my-notes-1/environment/files")));
    let left: Vec<_> = std::fs::read_dir(suite.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing but docs, q.jsonl and my-notes: {left:?}");
}

#[test]
fn csv_with_quotes_and_line_breaks_is_read() {
    let suite = notes();
    suite.write(
        "q.CSV",
        "\u{feff}Problem, Expected ,Difficulty\r\n\"Which, \"\"exactly\"\",\nis it?\",$1.50,hard\r\nHow many?,2,\r\n",
    );
    let args = ["init", "a b", "--files", "docs", "--questions", "q.CSV", "--name", "Garden (2)"];
    let run = suite.run(&args).expect_code(0);
    assert!(run.stderr.contains("  difficulty    from `Difficulty`\n"), "{}", run.stderr);
    assert!(run.stderr.contains("made the suite `Garden (2)` in `a b`, for the tasks `garden-2-0` to `garden-2-1`"));
    assert!(run.stderr.contains("\n  seatrial generate --vendor 'a b' --all -o 'a b/tasks'\n"), "{}", run.stderr);
    assert_eq!(
        suite.read("a b/questions.jsonl"),
        "{\"question\":\"Which, \\\"exactly\\\",\\nis it?\",\"answer\":\"$1.50\",\"difficulty\":\"hard\"}\n\
         {\"question\":\"How many?\",\"answer\":\"2\"}\n"
    );
}

#[test]
fn everything_wrong_is_said_line_by_line_and_nothing_is_written() {
    let suite = notes();
    suite.write(
        "q.jsonl",
        "{\"question\": \"a?\", \"answer\": \"1\"}\n{\"question\": \"a?\", \"answer\": \"2\"}\n{\"question\": \"b?\"}\n\
         nonsense\n[1]\n{\"question\": \" \", \"answer\": [\"x\"]}\n",
    );
    suite.write("r.txt", "Score {answer}");
    let run = suite.run(&[&INIT[..], &["--rubric", "r.txt", "--id-prefix", "a/b"]].concat()).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: 8 problems; nothing was written\n\
         \x20 q.jsonl:2: the same question as in line 1\n\
         \x20 q.jsonl:3: no `answer`\n\
         \x20 q.jsonl:4: not JSON, from column 2 on\n\
         \x20 q.jsonl:5: not a JSON object\n\
         \x20 q.jsonl:6: `question` is empty\n\
         \x20 q.jsonl:6: `answer` is neither text nor a number\n\
         \x20 r.txt: the rubric has no `{ground_truth}` and no `{submission}`\n\
         \x20 --id-prefix: `a/b` must start with a letter or digit and hold letters, digits, `.`, `_`, `-` only\n\
         \nhint: a rubric says where the question, the key and the answer go: `{input}`, `{ground_truth}`, `{submission}`\n"
    );
    assert!(!suite.join("my-notes").exists());
    suite.write("q.csv", "question,answer\nx\ny,2,3\nz?,3\n");
    let run = suite.run(&["init", "n", "--files", "docs", "--questions", "q.csv"]).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: 2 problems; nothing was written\n\
         \x20 q.csv:2: 1 column, and the header has 2\n\
         \x20 q.csv:3: 3 columns, and the header has 2\n"
    );
}

#[test]
fn tables_that_are_no_plain_csv_are_named_with_what_to_do() {
    for (file, text, message, hint) in [
        ("q.csv", "question;answer\nWho?;Ida\n", "q.csv:1: one column only, with semicolons in its name", "commas"),
        ("q.csv", "question,answer,answer\nWho?,Ida,Ada\n", "q.csv:1: two columns are called `answer`", ""),
        ("q.tsv", "question\tanswer\nWho?\tIda\n", "q.tsv: columns with tabs between them are not read", "CSV"),
    ] {
        let suite = notes();
        suite.write(file, text);
        let run = suite.run(&["init", "n", "--files", "docs", "--questions", file]).expect_code(2);
        assert!(run.stderr.starts_with("error: 1 problem; nothing was written\n"), "{}", run.stderr);
        assert!(run.stderr.contains(message) && run.stderr.contains(hint), "{}", run.stderr);
    }
}

#[test]
fn a_suite_among_its_own_documents_is_refused() {
    let suite = notes();
    suite.write("q.jsonl", "{\"question\": \"Who?\", \"answer\": \"Ida\"}\n");
    symlink("docs", suite.join("alias")).unwrap();
    for (dir, files) in [("docs/new", "docs"), ("alias/new", "docs"), ("docs/a/b", "docs"), ("new", ".")] {
        let run = suite.run(&["init", dir, "--files", files, "--questions", "q.jsonl"]).expect_code(2);
        let expected = format!("error: `{dir}` lies inside the documents' folder `{files}`\n\nhint: ");
        assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
        assert!(!suite.join(dir).exists());
    }
}

#[test]
fn fields_with_other_names_are_mapped_by_flag() {
    let suite = notes();
    suite.write("q.jsonl", "{\"frage\": \"Wer?\", \"more\": {\"key\": \"Ida\"}, \"question\": null}\n");
    let run = suite.run(&INIT).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: 2 problems; nothing was written\n\
         \x20 q.jsonl: no field looks like the answer; there are `frage`, `more`, `question`\n\
         \x20 q.jsonl:1: no `question`\n\
         \nhint: `--answer-field NAME` says which field it is\n"
    );
    let run =
        suite.run(&[&INIT[..], &["--question-field", "farge", "--answer-field", "more.key"]].concat()).expect_code(2);
    assert!(run.stderr.contains("no record has the field `farge` of `--question-field`; did you mean `frage`?"));
    suite.run(&[&INIT[..], &["--question-field", "frage", "--answer-field", "more.key"]].concat()).expect_code(0);
    assert!(suite.read("my-notes/questions.jsonl").starts_with("{\"question\":\"Wer?\",\"answer\":\"Ida\","));
}

#[test]
fn the_other_fields_with_usual_names_are_shown() {
    let suite = notes();
    suite.write("q.jsonl", "{\"question\": \"Who?\", \"prompt\": \"sys\", \"answer\": \"Ida\", \"expected\": \"x\"}\n");
    let run = suite.run(&INIT).expect_code(0);
    assert!(run.stderr.contains("  question      from `question`, not `prompt`\n"), "{}", run.stderr);
    assert!(run.stderr.contains("  answer        from `answer`, not `expected`\n"), "{}", run.stderr);
}

#[test]
fn what_agents_must_not_see_and_what_is_there_already_is_refused() {
    let suite = notes();
    suite.write("q.jsonl", "{\"question\": \"Who?\", \"answer\": \"Ida\"}\n");
    suite.write("docs/q.jsonl", "{\"question\": \"Who?\", \"answer\": \"Ida\"}\n");
    let run = suite.run(&INIT).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: the document `docs/q.jsonl` is the questions file `q.jsonl`, and agents would read it\n\
         \nhint: keep the documents in a folder of their own\n"
    );
    std::fs::remove_file(suite.join("docs/q.jsonl")).unwrap();
    symlink("/etc/hostname", suite.join("docs/host")).unwrap();
    let run = suite.run(&INIT).expect_code(2);
    assert!(run.stderr.starts_with("error: `docs/host` is a symbolic link, and a corpus holds plain files"));
    std::fs::remove_file(suite.join("docs/host")).unwrap();

    suite.write("my-notes/mine.txt", "mine");
    let run = suite.run(&INIT).expect_code(2);
    assert_eq!(run.stderr, "error: `my-notes` is not empty\n\nhint: choose a folder that is not there yet\n");
    std::fs::remove_file(suite.join("my-notes/mine.txt")).unwrap();
    suite.run(&INIT).expect_code(0);
    assert!(suite.join("my-notes/suite.toml").exists(), "an empty folder is as good as none");

    let run = suite.run(&["init", "x", "--files", "dosc", "--questions", "q.jsonl"]).expect_code(2);
    assert!(run.stderr.starts_with("error: failed to read `dosc`: "), "{}", run.stderr);
    assert!(run.stderr.ends_with("hint: did you mean `docs`?\n"), "{}", run.stderr);
    let run = suite.run(&["init", "x", "--files", "q.jsonl", "--questions", "q.jsonl"]).expect_code(2);
    assert_eq!(run.stderr, "error: failed to read `q.jsonl`: not a folder\n");
    std::fs::create_dir(suite.join("bare")).unwrap();
    let run = suite.run(&["init", "x", "--files", "bare", "--questions", "q.jsonl"]).expect_code(2);
    assert_eq!(run.stderr, "error: no file in `bare`\n");
    let run = suite.run(&["init", "x", "--files", "docs", "--questions", "none.jsonl"]).expect_code(2);
    assert!(run.stderr.starts_with("error: failed to read `none.jsonl`: "), "{}", run.stderr);
    suite.write("empty.jsonl", "\n").write("list.json", "[{\"question\": \"Who?\"}]");
    let run = suite.run(&["init", "x", "--files", "docs", "--questions", "empty.jsonl"]).expect_code(2);
    assert!(run.stderr.contains("empty.jsonl: no question in it\n"), "{}", run.stderr);
    let run = suite.run(&["init", "x", "--files", "docs", "--questions", "list.json"]).expect_code(2);
    assert!(run.stderr.contains("list.json:1: a JSON list, not one JSON object a line\n"), "{}", run.stderr);
    assert!(!suite.join("x").exists());
}
