//! `seatrial stamp`: write measured tiers or verdicts on keys into task.toml. Wiring only.

use super::error::Error;
use super::exit;
use crate::stamp::{Changes, changes, read_audit, read_calibration, write};
use std::path::PathBuf;

/// Write measured tiers, or the audit's verdicts on answer keys, into task.toml
///
/// A tier goes to `difficulty`, a verdict to `[metadata.audit]`; everything else stays as it is, byte for byte. Neither
/// makes a task another task, so jobs can still be resumed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  seatrial stamp tasks --calibration calibration.json --dry-run\n  seatrial audit --format json > audit.json; seatrial stamp tasks --audit audit.json"
)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["calibration", "audit"]))]
pub struct StampArgs {
    /// A folder of tasks, or one task
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,
    /// The measured tiers: JSON with `tasks.<id>.tier`
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// The verdicts: what `seatrial audit --format json` printed
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &StampArgs) -> Result<u8, Error> {
    let (stamps, what) = match (&args.calibration, &args.audit) {
        (Some(path), _) => (read_calibration(path)?, "calibration"),
        (None, Some(path)) => (read_audit(path)?, "audit"),
        (None, None) => return Err(Error::Usage("`stamp` needs `--calibration FILE` or `--audit FILE`".into())),
    };
    let mut found = changes(&args.dataset, &stamps)?;
    if args.audit.is_some() {
        // A suite may have more questions than the dataset has tasks.
        found.without_task.clear();
    }
    for change in &found.changes {
        if args.dry_run {
            super::show(change.diff().trim_end_matches('\n'));
        } else {
            write(change)?;
        }
    }
    super::say(&summary(&found, what, args.dry_run));
    Ok(exit::OK)
}

fn summary(found: &Changes, file: &str, dry_run: bool) -> String {
    let mut out = String::new();
    for (names, what) in [
        (&found.without_entry, format!("no entry in the {file}, left alone")),
        (&found.others, format!("another key or other documents than in the {file}, left alone")),
        (&found.without_task, "no such task in the dataset, entry not used".to_owned()),
        (&found.open, format!("tier still open in the {file}, left alone")),
    ] {
        if !names.is_empty() {
            out.push_str(&format!("warning: {what}: {}\n", names.join(", ")));
        }
    }
    let verb = if dry_run { "would be stamped" } else { "stamped" };
    out.push_str(&format!("{} {verb}, {} unchanged", found.changes.len(), found.unchanged.len()));
    out
}
