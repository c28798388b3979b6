//! What can be wrong with a task beyond the keys of its `task.toml`: files that must be there, files that can't go
//! into an image, and ways in which the key could reach the agent. It reads and says; it changes nothing.

use super::case::Case;
use super::dataset::Task;
use super::dockerfile::copied_secrets;
use super::leak::Secrets;
use super::node::Place;
use super::problem::{Level, Problem};
use super::spec::TaskSpec;
use super::stale::stale;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Compose files that Harbor would use.
const COMPOSE: [&str; 4] = ["docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml"];

/// Checks a task's folder. `case_known` is false where there is a `case.json` that can't be used, which has been said.
pub(crate) fn lint_task(dir: &Path, spec: Option<&TaskSpec>, case: Option<&Case>, case_known: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if dir.join("steps").is_dir() {
        problems.push(Problem::error(&dir.join("steps"), "tasks in steps are not supported yet"));
    }
    environment(dir, spec, &mut problems);
    if let Some(spec) = spec {
        calibration(dir, spec, &mut problems);
    }
    context(dir, case, &mut problems);
    if !dir.join("solution/solve.sh").is_file() {
        problems.push(
            Problem::warning(&dir.join("solution/solve.sh"), "is missing")
                .hint("the oracle agent needs it; other agents don't"),
        );
    }
    if case.is_none() && case_known {
        problems.push(
            Problem::warning(&dir.join("tests/case.json"), "is missing")
                .hint("without a key the answers of this task can't be judged"),
        );
    }
    problems
}

/// Tasks that nobody who reads their results could explain: what each measures is nowhere said. For whoever checks
/// tasks; a run says nothing of it, and neither does a check of a task that has errors.
pub fn unsaid(tasks: &[Task], problems: &[Problem]) -> Vec<Problem> {
    let says = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    let described = |task: &&Task| {
        let spec = &task.spec;
        says(spec.metadata.measures.as_deref()) || says(spec.package.as_ref().map(|package| &*package.description))
    };
    let problem = |task: &Task| {
        Problem::warning(&task.dir.join("task.toml"), "does not say what the task measures")
            .hint("write a sentence as `measures` in `[metadata]`, or as `description` in `[task]`")
    };
    let errors = || problems.iter().filter(|problem| problem.level == Level::Error);
    let is_right = |task: &&Task| !errors().any(|problem| problem.path.starts_with(&task.dir));
    tasks.iter().filter(is_right).filter(|task| !described(task)).map(problem).collect()
}

/// A measured difficulty holds for what was measured.
fn calibration(dir: &Path, spec: &TaskSpec, problems: &mut Vec<Problem>) {
    // A file that can't be read is said elsewhere.
    if let Ok(Some(why)) = stale(dir, &spec.metadata.all) {
        problems.push(
            Problem::warning(&dir.join("task.toml"), format!("its calibration is stale: {why} since it was measured"))
                .hint("`seatrial populate` first where files are not restored yet; else measure and stamp it again"),
        );
    }
}

fn environment(dir: &Path, spec: Option<&TaskSpec>, problems: &mut Vec<Problem>) {
    let path = dir.join("environment/Dockerfile");
    for name in COMPOSE {
        let compose = dir.join("environment").join(name);
        if compose.exists() {
            problems.push(Problem::error(&compose, "compose files are not supported yet"));
        }
    }
    match std::fs::read_to_string(&path) {
        Ok(text) => problems.extend(copied_secrets(&text).into_iter().map(|(line, source)| {
            Problem::error(&path, format!("copies `{source}` into the image, where the agent can read it"))
                .hint("the solution and the tests stay out of the image")
                .at(Place { line, column: 1 })
        })),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            if spec.is_some_and(|s| s.environment.docker_image.is_none()) {
                problems.push(
                    Problem::error(&path, "is missing")
                        .hint("write one, or name a ready image as `environment.docker_image` in task.toml"),
                );
            }
        }
        Err(e) => problems.push(Problem::unreadable(&path, &e)),
    }
}

/// Everything that a build would send to the engine.
fn context(dir: &Path, case: Option<&Case>, problems: &mut Vec<Problem>) {
    let root = dir.join("environment");
    if !root.is_dir() {
        return;
    }
    let secrets = Secrets::of(dir, case);
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                let path = e.path().unwrap_or(&root);
                problems.push(Problem::error(path, format!("can't be read: {e}")));
                continue;
            }
        };
        let kind = entry.file_type();
        let special = [
            (kind.is_fifo(), "a named pipe"),
            (kind.is_socket(), "a socket"),
            (kind.is_block_device() || kind.is_char_device(), "a device"),
        ];
        if let Some((_, what)) = special.iter().find(|(is, _)| *is) {
            problems.push(
                Problem::error(entry.path(), format!("is {what}, which can't go into an image")).hint("remove it"),
            );
        } else if kind.is_file()
            && let Some(found) = secrets.in_file(entry.path())
        {
            problems.push(
                Problem::error(entry.path(), format!("holds {found}, which the agent could read"))
                    .hint("nothing under `environment/` may help to guess the answer or the judge"),
            );
        }
    }
}
