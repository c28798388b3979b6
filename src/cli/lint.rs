//! `seatrial lint`: check task directories and say what is wrong, all at once. Wiring only.

use super::error::Error;
use super::exit;
use super::words::{Format, count};
use crate::task::{Checked, Level, Problem, check_dataset, in_words, unsaid};
use std::path::PathBuf;

/// Check task directories and say what is wrong, all at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  seatrial lint tasks\n  seatrial lint tasks/ledger-3 --format json\n\n\
                        Exit codes: 0 without errors (warnings are fine), 1 with errors, 2 where there is nothing to check.")]
pub struct LintArgs {
    /// Folders of tasks, or single tasks
    #[arg(value_name = "DATASET", default_value = "tasks")]
    datasets: Vec<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &LintArgs) -> Result<u8, Error> {
    let mut checked = args.datasets.iter().map(|dir| check_dataset(dir)).collect::<Result<Vec<_>, _>>()?;
    for checked in &mut checked {
        let unsaid = unsaid(&checked.tasks, &checked.problems);
        checked.problems.extend(unsaid);
    }
    match args.format {
        Format::Text => super::show(&text(&checked)),
        Format::Json => super::show(&format!("{:#}", json(&checked))),
    }
    Ok(if found(&checked, Level::Error) == 0 { exit::OK } else { exit::CHECK_FAILED })
}

fn text(checked: &[Checked]) -> String {
    let mut out = String::new();
    let mut last = None;
    for (dataset, (folder, line)) in
        checked.iter().flat_map(|c| in_words(&c.dir, &c.problems).into_iter().map(|line| (&c.dir, line)))
    {
        // An empty line where another task begins.
        let task = Some((dataset, folder));
        if last.is_some() && last != task {
            out.push('\n');
        }
        last = task;
        out.push_str(&format!("{line}\n"));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out + &summary(checked)
}

fn summary(checked: &[Checked]) -> String {
    let tasks: usize = checked.iter().map(|c| c.dirs.len()).sum();
    match (found(checked, Level::Error), found(checked, Level::Warning)) {
        (0, 0) => format!("{}: no problems", count(tasks, "task")),
        (e, w) => format!("{}: {}, {}", count(tasks, "task"), count(e, "error"), count(w, "warning")),
    }
}

fn json(checked: &[Checked]) -> serde_json::Value {
    let problems: Vec<&Problem> = checked.iter().flat_map(|c| &c.problems).collect();
    serde_json::json!({
        "tasks": checked.iter().map(|c| c.dirs.len()).sum::<usize>(),
        "errors": found(checked, Level::Error),
        "warnings": found(checked, Level::Warning),
        "problems": problems,
    })
}

fn found(checked: &[Checked], level: Level) -> usize {
    checked.iter().flat_map(|c| &c.problems).filter(|p| p.level == level).count()
}
