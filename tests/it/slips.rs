//! What a newcomer mistypes: each slip is named, and the hint says what was probably meant.

use crate::support::Suite;
use crate::tiny;

/// A suite with two tasks and one job, `jobs/k2`.
fn suite() -> Suite {
    let suite = tiny::suite(&["ledger-1", "ledger-2"]);
    tiny::fake(&suite, "{}", &["run", "-a", "nop", "--job-name", "k2"]).expect_code(0);
    suite
}

#[track_caller]
fn slip(suite: &Suite, args: &[&str], error: &str, hint: &str) {
    let run = suite.run(args).expect_code(2);
    assert!(run.stderr.starts_with(&format!("error: {error}")), "{args:?}: {}", run.stderr);
    assert!(run.stderr.contains(hint), "{args:?}: {}", run.stderr);
}

#[test]
fn a_misspelt_path_of_a_dataset_is_guessed_by_every_verb() {
    let suite = suite();
    suite
        .write("vendor/files/a.txt", "a\n")
        .write("vendor/questions.jsonl", "{\"question\": \"Q?\", \"answer\": \"1\"}\n");
    suite.write(
        "vendor/suite.toml",
        "name = \"l\"\nid_prefix = \"l\"\n[corpus]\nfolder = \"files\"\n[questions]\nfile = \"questions.jsonl\"\n\
         [questions.fields]\nquestion = \"question\"\nanswer = \"answer\"\n",
    );
    let (gone, meant) = ("dataset `taks` does not exist\n", "hint: did you mean `tasks`?\n");
    for args in [vec!["run", "taks"], vec!["populate", "taks"], vec!["lint", "taks"], vec!["run", "taks", "--dry-run"]]
    {
        slip(&suite, &args, gone, meant);
    }
    slip(&suite, &["run", "taks/ledger-1"], "dataset `taks/ledger-1` does not", "did you mean `tasks/ledger-1`?");
    slip(&suite, &["run", "tasks/leger-1"], "dataset `tasks/leger-1` does not", "did you mean `tasks/ledger-1`?");
    slip(
        &suite,
        &["run", "tasks/ledger-1/task.toml"],
        "dataset `tasks/ledger-1/task.toml` is a file",
        "name the folder",
    );
    suite.write("harbor.yml", "datasets: [{path: taks}]\n");
    slip(&suite, &["run"], gone, meant);
    suite.write("harbor.yml", "tasks: [{path: tasks/leger-1}]\n");
    slip(&suite, &["run"], "dataset `tasks/leger-1` does not exist", "did you mean `tasks/ledger-1`?");
    std::fs::rename(suite.join("tasks"), suite.join("task")).expect("moved");
    slip(&suite, &["resume", "jobs/k2"], "dataset `tasks` does not exist\n", "did you mean `task`?");
}

#[test]
fn a_missing_file_is_guessed_or_said_to_be_looked_for_here() {
    let suite = suite();
    suite.write("cases.jsonl", "").write("calibration.json", "{}").write("docs/a.txt", "a").write("q.csv", "");
    for (args, meant) in [
        (vec!["judge-cases", "case.jsonl"], "did you mean `cases.jsonl`?"),
        (vec!["judge-cases", "nothing/like/it"], "it counts from the folder you are in"),
        (vec!["stamp", "tasks", "--calibration", "calibraton.json"], "did you mean `calibration.json`?"),
        (vec!["stamp", "taks", "--calibration", "calibration.json"], ""),
        (vec!["select", "-k", "1", "--from", "calibraton.json"], "did you mean `calibration.json`?"),
        (vec!["calibrate", "jobs/k2", "--judge-measured", "calibraton.json"], "did you mean `calibration.json`?"),
        (vec!["init", "new", "--files", "docs", "--questions", "qs.csv"], "did you mean `q.csv`?"),
        (vec!["init", "new", "--files", "dosc", "--questions", "q.csv"], "did you mean `docs`?"),
    ] {
        slip(&suite, &args, "failed to ", meant);
    }
}

#[test]
fn misspelt_words_are_guessed() {
    let suite = suite();
    slip(
        &suite,
        &["run", "-a", "claude-code"],
        "there is no agent `claude-code`; there are oracle",
        "`--command LINE`",
    );
    slip(&suite, &["run", "--network", "none"], "invalid value 'none'", "did you mean `no-network`?");
    slip(&suite, &["populat"], "unrecognized subcommand 'populat'", "'populate'");
    slip(&suite, &["run", "-i", "leger-1"], "`leger-1` matches no task", "did you mean `ledger-1`?");
    slip(&suite, &["run", "-i", "leger-*"], "`leger-*` matches no task", "whole task names, such as `ledger-1`");
    let agents = "there is no agent `mini-swe-agnt`; there are oracle";
    slip(&suite, &["run", "-a", "mini-swe-agnt"], agents, "did you mean `mini-swe-agent`?");
    slip(&suite, &["run", "--judge", "rubrik"], "there is no judge `rubrik`", "did you mean `rubric`?");
    slip(&suite, &["run", "--judge", "nobody"], "there is no judge `nobody`", "there are `rules`, `script`, `rubric`");
    let run = ["run", "-a", "loop", "-m", "antropic/x"];
    slip(&suite, &run, "the name `antropic/x` does not say which provider", "did you mean `anthropic/x`?");
    slip(&suite, &["run", "-a", "nop", "-a", "nop"], "`--agent`: `nop` is there twice", "`-k 2`");
}

#[test]
fn doctor_says_whether_jobs_can_be_kept() {
    let suite = suite();
    suite.write("file", "");
    for (dir, line) in [
        ("jobs", "ok       jobs       `jobs` can be written\n"),
        ("not/there/yet", "ok       jobs       `not/there/yet` can be written\n"),
        ("file", "PROBLEM  jobs       `file` is not a folder\n"),
    ] {
        let mut command = suite.command(&["doctor", "-o", dir]);
        let out = command.env("DOCKER_HOST", "unix:///nowhere.sock").output().expect("the binary starts");
        let said = String::from_utf8_lossy(&out.stdout);
        assert!(said.contains(line), "{dir}: {said}");
        assert_eq!(out.status.code(), Some(1), "without an engine not all is fine");
    }
}
