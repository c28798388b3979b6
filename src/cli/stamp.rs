//! `seatrial stamp`: write measured tiers into task.toml. Wiring only.

use super::error::Error;
use super::exit;
use crate::stamp::{Changes, changes, read_calibration, write};
use std::path::PathBuf;

/// Write measured tiers into task.toml
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial stamp tasks --calibration calibration.json --dry-run")]
pub struct StampArgs {
    /// A folder of tasks, or one task
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,
    /// The measured tiers: JSON with `tasks.<id>.tier`
    #[arg(long, value_name = "FILE")]
    calibration: PathBuf,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &StampArgs) -> Result<u8, Error> {
    let calibration = read_calibration(&args.calibration)?;
    let found = changes(&args.dataset, &calibration)?;
    for change in &found.changes {
        if args.dry_run {
            super::show(change.diff().trim_end_matches('\n'));
        } else {
            write(change)?;
        }
    }
    super::say(&summary(&found, args.dry_run));
    Ok(exit::OK)
}

fn summary(found: &Changes, dry_run: bool) -> String {
    let mut out = String::new();
    for (names, what) in [
        (&found.without_entry, "no entry in the calibration, left alone"),
        (&found.without_task, "no such task in the dataset, entry not used"),
        (&found.open, "tier still open in the calibration, left alone"),
    ] {
        if !names.is_empty() {
            out.push_str(&format!("warning: {what}: {}\n", names.join(", ")));
        }
    }
    let verb = if dry_run { "would be stamped" } else { "stamped" };
    out.push_str(&format!("{} {verb}, {} unchanged", found.changes.len(), found.unchanged.len()));
    out
}
