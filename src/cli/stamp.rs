//! `seatrial stamp`: write measured tiers or verdicts on keys into task.toml. Wiring only.

use super::error::Error;
use super::exit;
use super::words::{count, read};
use crate::spelling::did_you_mean;
use crate::stamp::{Changes, Stamped, changes, check_stamps, read_audit, read_calibration, write};
use crate::{report, stats};
use std::path::{Path, PathBuf};

/// Write measured tiers, or the audit's verdicts on answer keys, into task.toml
///
/// A tier goes to `difficulty`, a verdict to `[metadata.audit]`; everything else stays as it is, byte for byte. Neither
/// makes a task another task, so jobs can still be resumed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  seatrial stamp tasks --calibration calibration.json --dry-run\n  seatrial stamp tasks --calibration calibration.json --explain ledger-21\n  seatrial stamp tasks --check\n  seatrial audit --format json > audit.json; seatrial stamp tasks --audit audit.json"
)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["calibration", "audit", "check"]))]
pub struct StampArgs {
    /// A folder of tasks, or one task
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,
    /// The measured tiers: JSON with `tasks.<id>.tier`
    #[arg(long, value_name = "FILE", conflicts_with = "audit")]
    calibration: Option<PathBuf>,
    /// The verdicts: what `seatrial audit --format json` printed
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Change nothing; fail where a stamped task has changed since it was measured, or where a stamp is not what the file
    /// says, also where the file tells no tier any more
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Change nothing; say why the calibration gives this task its tier, or none
    #[arg(long, value_name = "TASK", requires = "calibration", conflicts_with_all = ["check", "dry_run"])]
    explain: Option<String>,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &StampArgs) -> Result<u8, Error> {
    if let (Some(path), Some(task)) = (&args.calibration, &args.explain) {
        return explain(path, task);
    }
    let found = if args.check { name_stale(&args.dataset)? } else { Stamped::default() };
    let stale = found.stale.len();
    let (stamps, what) = match (&args.calibration, &args.audit) {
        (None, None) if args.check && stale == 0 => {
            super::say(&none_stale(&found, &args.dataset));
            return Ok(exit::OK);
        }
        (None, None) if args.check => return Ok(exit::CHECK_FAILED),
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
        if args.dry_run || args.check {
            super::show(change.diff().trim_end_matches('\n'));
        } else {
            write(change)?;
        }
    }
    super::say(&summary(&found, what, args.dry_run || args.check));
    let fits = found.changes.is_empty() && found.others.is_empty() && found.outlived.is_empty() && stale == 0;
    Ok(if args.check && !fits { exit::CHECK_FAILED } else { exit::OK })
}

/// Looks at the stamps and names those that hold no longer.
fn name_stale(dataset: &Path) -> Result<Stamped, Error> {
    let found = check_stamps(dataset)?;
    for (task, why) in &found.stale {
        super::say(&format!("error: the calibration of `{task}` is stale: {why} since it was measured"));
    }
    if !found.stale.is_empty() {
        super::say("\nhint: `seatrial populate` first where files are not restored yet; else measure and stamp again");
    }
    Ok(found)
}

/// That nothing is stale, and of how much that is said.
fn none_stale(found: &Stamped, dataset: &Path) -> String {
    let dataset = dataset.display();
    match found.stamped {
        0 => format!(
            "no task in `{dataset}` is stamped, so there is nothing to check\n\nhint: `seatrial calibrate JOBDIR -o \
             calibration.json`, then `seatrial stamp {dataset} --calibration calibration.json`"
        ),
        stamped => format!("{stamped} of {} stamped, and no stamp is stale", count(found.tasks, "task")),
    }
}

fn explain(path: &Path, task: &str) -> Result<u8, Error> {
    let text = read(path)?;
    let calibration = stats::Calibration::parse(&text).map_err(|e| {
        let path = path.display();
        Error::Usage(format!("`{path}`: {e}; only what `seatrial calibrate` wrote can be explained"))
    })?;
    let Some(entry) = calibration.tasks.get(task) else {
        let why = format!("`{}` has no task `{task}`", path.display());
        return Err(Error::NoSuch { why, near: did_you_mean(task, calibration.tasks.keys().map(String::as_str)) });
    };
    super::show(report::explain(&calibration, task, entry).trim_end_matches('\n'));
    Ok(exit::OK)
}

fn summary(found: &Changes, file: &str, dry_run: bool) -> String {
    let changed =
        if file == "audit" { "another key or other documents than" } else { "not the task that was measured" };
    let mut out = String::new();
    for (names, what) in [
        (&found.without_entry, format!("no entry in the {file}, left alone")),
        (&found.others, format!("{changed} in the {file}, left alone")),
        (&found.without_task, "no such task in the dataset, entry not used".to_owned()),
        (&found.open, format!("tier still open in the {file}, left alone")),
        (&found.outlived, format!("tier open by now in the {file}, but an older stamp stands")),
    ] {
        if !names.is_empty() {
            out.push_str(&format!("warning: {what}: {}\n", names.join(", ")));
        }
    }
    let verb = if dry_run { "would be stamped" } else { "stamped" };
    out.push_str(&format!("{} {verb}, {} unchanged", found.changes.len(), found.unchanged.len()));
    if !found.outlived.is_empty() {
        out.push_str(
            "\n\nhint: measure these on, until their tiers are told; or take `[metadata.calibration]` out of their \
             `task.toml`, and the tier in `difficulty` with it",
        );
    }
    out
}
