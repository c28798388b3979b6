//! `seatrial populate`: what is git-ignored comes back byte for byte, and nothing else changes.

use crate::mini::{self, tree};
use crate::support::Suite;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Stdio;

fn populated() -> Suite {
    let suite = mini::generated();
    suite.run(&["populate"]).expect_code(0);
    suite
}

#[test]
fn a_dataset_gets_its_documents_and_verifier_back() {
    let suite = mini::generated();
    let run = suite.run(&["populate"]).expect_code(0);
    assert_eq!(run.stderr, "3 tasks in `tasks`: 15 files added, 0 replaced, 0 strays removed\n");
    assert_eq!(run.stdout, "");
    for id in ["mini-0", "mini-1", "mini-2"] {
        let at = |rel: &str| suite.join(&format!("tasks/{id}/{rel}"));
        assert_eq!(tree(&at("environment/files")), tree(&suite.join("vendor/files")), "{id}");
        assert_eq!(std::fs::read_to_string(at("tests/rubric.txt")).unwrap(), mini::RUBRIC);
        assert_eq!(at("tests/test.sh").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    }
    let before = tree(&suite.join("tasks"));
    let run = suite.run(&["populate"]).expect_code(0);
    assert_eq!(run.stderr, "3 tasks in `tasks`: nothing differs from the corpus\n");
    suite.run(&["populate", "--check"]).expect_code(0);
    assert_eq!(before, tree(&suite.join("tasks")));
}

#[test]
fn check_lists_every_difference_and_changes_nothing() {
    let suite = populated();
    std::fs::remove_file(suite.join("tasks/mini-0/tests/judge.py")).unwrap();
    suite.write("tasks/mini-0/environment/files/well.txt", "an oak\n"); // the same size
    suite.write("tasks/mini-1/environment/files/old/extra.txt", "more");
    std::fs::remove_file(suite.join("tasks/mini-2/tests/rubric.txt")).unwrap();
    symlink("/etc/hostname", suite.join("tasks/mini-2/tests/rubric.txt")).unwrap();
    std::fs::remove_dir_all(suite.join("tasks/mini-2/environment/files/old")).unwrap();
    let before = tree(&suite.join("tasks"));

    let run = suite.run(&["populate", "--check"]).expect_code(1);
    assert_eq!(
        run.stdout,
        "differs tasks/mini-0/environment/files/well.txt\n\
         missing tasks/mini-0/tests/judge.py\n\
         stray   tasks/mini-1/environment/files/old/extra.txt\n\
         missing tasks/mini-2/environment/files/old/steps.txt\n\
         link    tasks/mini-2/tests/rubric.txt\n"
    );
    assert_eq!(run.stderr, "3 tasks in `tasks`: 5 differences\n");
    assert_eq!(before, tree(&suite.join("tasks")));

    let run = suite.run(&["populate"]).expect_code(0);
    assert_eq!(run.stderr, "3 tasks in `tasks`: 2 files added, 2 replaced, 1 stray removed\n");
    suite.run(&["populate", "--check"]).expect_code(0);
}

#[test]
fn only_what_differs_is_written() {
    let suite = populated();
    let inode = |rel: &str| suite.join(&format!("tasks/mini-0/{rel}")).metadata().unwrap().ino();
    let kept = ["environment/files/old/steps.txt", "tests/test.sh", "tests/case.json", "environment/Dockerfile"];
    let before = kept.map(inode);
    suite.write("vendor/files/well.txt", "an ash by now\n");
    suite.run(&["populate"]).expect_code(0);
    assert_eq!(before, kept.map(inode));
    assert_eq!(suite.read("tasks/mini-0/environment/files/well.txt"), "an ash by now\n");
}

#[test]
fn links_are_replaced_and_never_written_through() {
    for link in ["environment/files/well.txt", "environment/files/old", "environment/files", "tests/test.sh"] {
        let suite = populated();
        suite.write("outside/keep.txt", "CANARY").write("outside/steps.txt", "CANARY").write("file.txt", "CANARY");
        let path = suite.join(&format!("tasks/mini-1/{link}"));
        let is_dir = path.is_dir();
        if is_dir { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }.unwrap();
        symlink(suite.join(if is_dir { "outside" } else { "file.txt" }), &path).unwrap();
        let outside = tree(&suite.join("outside"));

        suite.run(&["populate"]).expect_code(0);
        assert!(!path.is_symlink(), "{link}");
        assert_eq!(outside, tree(&suite.join("outside")), "{link}");
        assert_eq!(suite.read("file.txt"), "CANARY", "{link}");
        suite.run(&["populate", "--check"]).expect_code(0);
    }
}

#[test]
fn a_hard_link_in_a_files_place_is_not_written_through() {
    let suite = populated();
    suite.write("file.txt", "CANARY");
    let path = suite.join("tasks/mini-1/environment/files/well.txt");
    std::fs::remove_file(&path).unwrap();
    std::fs::hard_link(suite.join("file.txt"), &path).unwrap();
    suite.run(&["populate"]).expect_code(0);
    assert_eq!((suite.read("file.txt"), suite.read("vendor/files/well.txt")), ("CANARY".into(), "an elm\n".into()));
    assert_eq!(std::fs::read_to_string(path).unwrap(), "an elm\n");
}

#[test]
fn a_link_above_the_populated_files_is_refused_before_anything_is_written() {
    for link in ["", "/environment", "/tests"] {
        let suite = mini::generated();
        let path = suite.join(&format!("tasks/mini-1{link}"));
        std::fs::rename(&path, suite.join("moved")).unwrap();
        symlink(suite.join("moved"), &path).unwrap();
        let before = (tree(&suite.join("tasks")), tree(&suite.join("moved")));
        let run = suite.run(&["populate"]).expect_code(2);
        let said = format!("error: nothing was written: `tasks/mini-1{link}` is a symbolic link\n");
        assert!(run.stderr.starts_with(&said), "{}", run.stderr);
        let run = suite.run(&["populate", "--check"]).expect_code(1);
        assert!(run.stdout.contains(&format!("link    tasks/mini-1{link}\n")), "{}", run.stdout);
        assert_eq!(before, (tree(&suite.join("tasks")), tree(&suite.join("moved"))));
    }
}

#[test]
fn tasks_of_others_are_counted_and_left_alone() {
    let suite = populated();
    suite.write("tasks/mini-3/task.toml", "x = 1\n").write("tasks/mini-3/environment/files/mine.txt", "mine");
    suite.write("tasks/other/task.toml", "x = 1\n").write("tasks/not-a-task/readme.txt", "hello");
    let before = tree(&suite.join("tasks"));
    let run = suite.run(&["populate"]).expect_code(0);
    assert_eq!(
        run.stderr,
        "3 tasks in `tasks`: nothing differs from the corpus; 2 not of the suite `mini`, left alone\n"
    );
    assert_eq!(before, tree(&suite.join("tasks")));
}

#[test]
fn a_dataset_of_another_suite_is_not_called_fine() {
    let suite = populated();
    suite.write("other/task.toml", "x = 1\n");
    let run = suite.run(&["populate", "other", "--check"]).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: `other` has 1 task, and none of the suite `mini`\n\n\
         hint: `--vendor DIR` names the vendor directory that they were made from\n"
    );
}

#[test]
fn a_suite_without_a_rubric_gets_the_built_in_one() {
    let suite = mini::suite();
    let start = mini::SUITE.split("[judge]").next().unwrap();
    suite.write("vendor/suite.toml", start);
    suite.run(&["generate", "--all"]).expect_code(0);
    suite.run(&["populate"]).expect_code(0);
    let rubric = suite.read("tasks/mini-0/tests/rubric.txt");
    assert!(["{input}", "{ground_truth}", "{submission}"].iter().all(|p| rubric.contains(p)), "{rubric}");
    assert!(suite.read("tasks/mini-0/task.toml").contains("allowed_hosts = []\n"), "nothing is allowed unasked");
}

#[test]
fn one_task_can_be_populated_from_anywhere() {
    let suite = mini::generated();
    let run = suite.run(&["populate", "tasks/mini-1"]).expect_code(0);
    assert_eq!(run.stderr, "1 task in `tasks/mini-1`: 5 files added, 0 replaced, 0 strays removed\n");
    assert!(!suite.join("tasks/mini-0/tests/judge.py").exists());
    let inside = suite.join("tasks/mini-0");
    let out = suite.command(&["populate", ".", "--vendor", "../../vendor"]).current_dir(inside).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(suite.join("tasks/mini-0/tests/judge.py").exists());
}

#[test]
fn a_dataset_inside_a_vendor_directory_finds_its_suite() {
    let suite = mini::suite();
    std::fs::rename(suite.join("vendor"), suite.join("wells")).unwrap();
    suite.run(&["generate", "--all", "--vendor", "wells", "-o", "wells/tasks"]).expect_code(0);
    suite.run(&["populate", "wells/tasks"]).expect_code(0);
    suite.run(&["populate", "wells/tasks/mini-2", "--check"]).expect_code(0);
    let inside = suite.command(&["populate", ".", "--check"]).current_dir(suite.join("wells/tasks")).output().unwrap();
    assert!(inside.status.success(), "{}", String::from_utf8_lossy(&inside.stderr));
}

#[test]
fn a_dataset_that_is_not_there_or_empty_is_named() {
    let suite = mini::suite();
    let run = suite.run(&["populate"]).expect_code(2);
    assert!(run.stderr.starts_with("error: dataset `tasks` does not exist\n"), "{}", run.stderr);
    std::fs::create_dir(suite.join("tasks")).unwrap();
    let run = suite.run(&["populate"]).expect_code(2);
    assert_eq!(
        run.stderr,
        "error: no task in `tasks`\n\nhint: `seatrial generate --all` writes the tasks of a suite\n"
    );
}

#[test]
fn several_runners_that_populate_the_same_tasks_at_once_all_succeed() {
    let suite = mini::generated();
    for round in 0..3 {
        let start = || suite.command(&["populate"]).stderr(Stdio::piped()).spawn().expect("it starts");
        let runners: Vec<_> = (0..4).map(|_| start()).collect();
        for runner in runners {
            let output = runner.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(0), "round {round}: {said}");
        }
        suite.run(&["populate", "--check"]).expect_code(0);
        for id in ["mini-0", "mini-1", "mini-2"] {
            std::fs::remove_dir_all(suite.join(&format!("tasks/{id}/environment/files"))).expect("removed");
        }
    }
}
