//! `seatrial generate`: write Harbor task directories from the vendored questions. Wiring only.

use super::error::Error;
use super::vendor::VendorArgs;
use crate::populate::{Choice, Fate, generate};
use std::path::PathBuf;

/// Write Harbor task directories from the vendored questions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial generate --task-ids ledger-3,ledger-7")]
#[group(id = "choice", required = true, multiple = false, args = ["task_ids", "limit", "all"])]
pub struct GenerateArgs {
    /// Write these tasks only
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    task_ids: Vec<String>,

    /// Write the first N tasks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,

    /// Write every task of the suite
    #[arg(long)]
    all: bool,

    /// The dataset: the folder that holds the task directories
    #[arg(short, long, value_name = "DIR", default_value = "tasks")]
    output: PathBuf,

    #[command(flatten)]
    vendor: VendorArgs,
}

/// More tasks than this are counted, not named.
const NAMED: usize = 20;

/// Runs the verb and gives the exit code.
pub fn run(args: &GenerateArgs) -> Result<u8, Error> {
    let corpus = crate::corpus::load(args.vendor.dir(), args.vendor.suite.as_deref())?;
    let choice = match args.limit {
        Some(n) => Choice::First(n as usize),
        None if args.all => Choice::All,
        None => Choice::Ids(args.task_ids.clone()),
    };
    let generated = generate(&corpus, &choice, &args.output)?;

    let count = |wanted: fn(&Fate) -> bool| generated.tasks.iter().filter(|(_, fate)| wanted(fate)).count();
    for (id, fate) in &generated.tasks {
        let what = match fate {
            Fate::Written => "written",
            Fate::Replaced { dropped_stamp: false } => "replaced",
            Fate::Replaced { dropped_stamp: true } => {
                "replaced, and its stamp dropped: question, key or documents have changed"
            }
            Fate::Unchanged => "unchanged",
        };
        let matters = matches!(fate, Fate::Replaced { dropped_stamp: true });
        if matters || generated.tasks.len() <= NAMED {
            super::say(&format!("{id}: {what}"));
        }
    }
    super::say(&format!(
        "{} in `{}`: {} written, {} replaced, {} unchanged",
        super::words::count(generated.tasks.len(), "task"),
        args.output.display(),
        count(|f| *f == Fate::Written),
        count(|f| matches!(f, Fate::Replaced { .. })),
        count(|f| *f == Fate::Unchanged),
    ));
    Ok(super::exit::OK)
}
