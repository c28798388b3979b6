//! `seatrial select`: choose a subset of tasks that stands for all. Wiring and printing only.

use super::error::Error;
use super::exit;
use super::words::read;
use crate::report::column;
use crate::stats::{Gap, HOW_MEASURED, Kinds, Selection, candidates, select};
use crate::task::{check_dataset, near};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Choose a subset of tasks that stands for all of them
///
/// The subset has the same mix of difficulties and question types, and about the same passes of each model. FILE is
/// JSON: `tasks.<id>` with `source_difficulty` (or `difficulty`, or `tier`), `question_type`, `n` (attempts), and pass
/// rates from 0 to 1: `rates.<model>`, or one `<model>_pass_at_bare` per model, or `pass_at_bare`. The chosen ids go
/// to standard output, one a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial select -k 30 --from calibration.json > chosen.txt")]
pub struct SelectArgs {
    /// How many tasks are chosen
    #[arg(short, value_name = "N")]
    k: usize,

    /// The measured pass rates
    #[arg(long, value_name = "FILE")]
    from: PathBuf,

    /// Tasks whose own files say difficulty and type where FILE doesn't
    #[arg(long, value_name = "DIR")]
    tasks: Option<PathBuf>,

    /// What decides the random starts
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &SelectArgs) -> Result<u8, Error> {
    let known = args.tasks.as_deref().map(kinds).transpose()?.unwrap_or_default();
    let text = read(&args.from).map_err(how_measured)?;
    let candidates = candidates(&text, &known)?;
    let selection = select(&candidates, args.k, args.seed)?;
    for at in &selection.chosen {
        super::show(&candidates[*at].id);
    }
    let untyped = candidates.iter().filter(|candidate| candidate.question_type.is_none()).count();
    if untyped > 0 {
        let how =
            if untyped == candidates.len() { "the mix of types is left to chance" } else { "they count as one type" };
        let all = candidates.len();
        super::say(&format!(
            "warning: {untyped} of {all} tasks have no `question_type`: {how}\n\nhint: `--tasks DIR` takes types from tasks"
        ));
    }
    super::say(&summary(&selection, candidates.len()));
    Ok(exit::OK)
}

/// Whoever has not measured yet has no file, and is told how to come by one.
fn how_measured(error: Error) -> Error {
    match &error {
        Error::Read { path, source } if source.kind() == ErrorKind::NotFound => {
            let near = near(path).map(|near| format!("did you mean `{near}`?"));
            Error::NoSuch { why: error.to_string(), near: near.or(Some(HOW_MEASURED.to_owned())) }
        }
        _ => error,
    }
}

fn kinds(dir: &Path) -> Result<BTreeMap<String, Kinds>, Error> {
    // What is wrong with a task elsewhere does not matter here.
    let tasks = check_dataset(dir)?.tasks;
    Ok(tasks
        .into_iter()
        .map(|task| {
            let metadata = task.spec.metadata;
            let difficulty = metadata.source_difficulty.or(metadata.difficulty);
            (task.name, Kinds { difficulty, question_type: metadata.question_type })
        })
        .collect())
}

/// How wide the first column may be, so that a line has 80.
const WIDTH: usize = 46;

fn summary(selection: &Selection, all: usize) -> String {
    let width = selection.gaps.iter().map(|gap| gap.what.chars().count()).max().unwrap_or(0).min(WIDTH);
    let mut out = format!("\n{} of {all} tasks\n", selection.chosen.len());
    out.push_str(&format!("{:width$}  {:>7}  {:>7}  {:>6}  {:>6}\n", "", "wanted", "found", "gap", "weight"));
    for Gap { what, weight, wanted, found } in &selection.gaps {
        let weight = if *weight == 0 { "exact".to_owned() } else { weight.to_string() };
        let gap = (found - wanted).abs();
        let what = column(what, width);
        out.push_str(&format!("{what}  {wanted:>7.1}  {found:>7.1}  {gap:>6.1}  {weight:>6}\n"));
    }
    out.push_str(&format!(
        "objective {:.1}: gaps times weights, 0 is a perfect likeness\n\n\
         These rates chose the subset, so its scores in them are no independent\n\
         measurement: run it anew before quoting a score.",
        selection.objective
    ));
    out
}
