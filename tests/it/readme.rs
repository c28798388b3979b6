//! The tutorial in README.md, typed as it stands there: each `$ cat FILE` gives a file, each `$ seatrial …` is run, and
//! every line shown below a command has to come, in that order; `…` stands for lines that differ from run to run.

use crate::support::{Suite, docker, project};
use std::process::{Command, Stdio};

const TITLE: &str = "## Your own notes in five commands";

/// The commands of the tutorial with the lines shown below each.
fn tutorial() -> Vec<(String, Vec<String>)> {
    let readme = std::fs::read_to_string(project().join("README.md")).expect("README.md");
    let block = readme.split(TITLE).nth(1).and_then(|rest| rest.split("```console\n").nth(1));
    let block = block.and_then(|rest| rest.split("```").next()).expect("the tutorial has a console block");
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((_, shown))) => shown.push(line.to_owned()),
            (None, None) => panic!("`{line}` stands before the first command"),
        }
    }
    commands
}

/// Runs a line as a user's shell would, with the binary on its path; what it said on both outputs.
fn shell(suite: &Suite, line: &str) -> String {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_seatrial"));
    let folder = binary.parent().expect("the binary lies in a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{line} 2>&1")]).env("PATH", path).current_dir(suite.path()).stdin(Stdio::null());
    let out = command.output().expect("a shell");
    let said = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(out.status.success(), "`{line}` ended with {}:\n{said}", out.status);
    said
}

#[tokio::test]
async fn the_tutorial_in_the_readme_does_what_it_shows() {
    let suite = Suite::new();
    let mut ran = 0;
    for (command, shown) in tutorial() {
        if let Some(file) = command.strip_prefix("cat ") {
            suite.write(file, shown.join("\n") + "\n");
            continue;
        }
        if command.starts_with("seatrial run") && docker("the_tutorial_in_the_readme").await.is_none() {
            break;
        }
        let said = shell(&suite, &command);
        let mut lines = said.lines();
        for line in shown.iter().filter(|line| *line != "…") {
            assert!(lines.any(|said| said == line), "`{command}` does not say `{line}` there:\n{said}");
        }
        ran += 1;
    }
    assert!(ran == 5 || ran == 2, "five commands, or two where no engine answers: {ran}");
}
