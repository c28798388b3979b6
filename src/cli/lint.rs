//! `seatrial lint`: check task directories and say what is wrong, all at once. Wiring only.

use super::error::Error;
use super::exit;
use crate::task::{Checked, Level, Problem, check_dataset};
use std::path::PathBuf;

/// Check task directories and say what is wrong, all at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  seatrial lint tasks\n  seatrial lint tasks/ledger-3 --format json\n\n\
                        Exit codes: 0 without errors (warnings are fine), 1 with errors, 2 where there is nothing to check.")]
pub struct LintArgs {
    /// Folders of tasks, or single tasks
    #[arg(value_name = "DATASET", default_value = "tasks")]
    datasets: Vec<PathBuf>,
    /// How to say it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A line per problem, as compilers print them
    Text,
    /// One object with all problems
    Json,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &LintArgs) -> Result<u8, Error> {
    let checked = args.datasets.iter().map(|dir| check_dataset(dir)).collect::<Result<Vec<_>, _>>()?;
    match args.format {
        Format::Text => super::show(&text(&checked)),
        Format::Json => super::show(&format!("{:#}", json(&checked))),
    }
    Ok(if count(&checked, Level::Error) == 0 { exit::OK } else { exit::CHECK_FAILED })
}

fn text(checked: &[Checked]) -> String {
    let mut out = String::new();
    let mut last = None;
    for problem in checked.iter().flat_map(|c| &c.problems) {
        // An empty line where another task begins.
        let folder = checked.iter().flat_map(|c| &c.dirs).find(|dir| problem.path.starts_with(dir));
        if last.is_some_and(|last| last != folder) {
            out.push('\n');
        }
        last = Some(folder);
        out.push_str(&format!("{problem}\n"));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out + &summary(checked)
}

fn summary(checked: &[Checked]) -> String {
    let tasks: usize = checked.iter().map(|c| c.dirs.len()).sum();
    let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    match (count(checked, Level::Error), count(checked, Level::Warning)) {
        (0, 0) => format!("{}: no problems", plural(tasks, "task")),
        (e, w) => format!("{}: {}, {}", plural(tasks, "task"), plural(e, "error"), plural(w, "warning")),
    }
}

fn json(checked: &[Checked]) -> serde_json::Value {
    let problems: Vec<&Problem> = checked.iter().flat_map(|c| &c.problems).collect();
    serde_json::json!({
        "tasks": checked.iter().map(|c| c.dirs.len()).sum::<usize>(),
        "errors": count(checked, Level::Error),
        "warnings": count(checked, Level::Warning),
        "problems": problems,
    })
}

fn count(checked: &[Checked], level: Level) -> usize {
    checked.iter().flat_map(|c| &c.problems).filter(|p| p.level == level).count()
}
