//! `seatrial ideal`: the best stored trials become the tasks' ideals. Wiring only.

use super::error::Error;
use super::exit;
use crate::stamp::{ForTask, ideal_change, write};
use crate::stats::{self, Best};
use crate::{results, task};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Write what the best stored trial of each task took into its task.toml, for reports to compare with
///
/// The best trial passes, and then has the fewest steps, of these the fewest tool calls, of these the shortest time. It
/// goes to `[metadata.ideal]`, where it is better than what stands there; everything else stays as it is. No task becomes
/// another task by it, so jobs can still be resumed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  seatrial ideal jobs/2026-11-30__12-00-00 --dry-run\n  seatrial ideal jobs/*")]
pub struct IdealArgs {
    /// Directories of jobs
    #[arg(value_name = "JOBDIR", required = true)]
    jobs: Vec<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &IdealArgs) -> Result<u8, Error> {
    let jobs = args.jobs.iter().map(|dir| results::read_job(dir)).collect::<Result<Vec<_>, _>>()?;
    for job in &jobs {
        if let Some(fake) = job.trials.iter().find(|record| record.engine == "fake") {
            let (job, trial) = (job.dir.clone(), fake.trial.name.clone());
            return Err(stats::Error::NothingMeasured { job, trial }.into());
        }
    }
    let best = stats::best_trials(&jobs);
    let mut by_task: BTreeMap<&Path, Vec<&Best>> = BTreeMap::new();
    best.iter().for_each(|best| by_task.entry(&best.dir).or_default().push(best));
    let (mut changes, mut stands) = (Vec::new(), 0);
    for (dir, best) in &by_task {
        match ideal_change(dir, best)? {
            ForTask::Change(change) => changes.push(change),
            ForTask::Stands => stands += 1,
            ForTask::Other => {
                super::say(&format!("warning: `{}` is not the task that was run, left alone", task::task_name(dir)));
            }
        }
    }
    // A task that several jobs ran is named once.
    let tasks: BTreeSet<&Path> =
        jobs.iter().flat_map(|job| &job.record.tasks).map(|task| Path::new(&*task.path)).collect();
    let without: Vec<String> =
        tasks.into_iter().filter(|dir| !by_task.contains_key(dir)).map(task::task_name).collect();
    if !without.is_empty() {
        let names = without.join(", ");
        super::say(&format!("warning: no trial passes whose steps are known, left alone: {names}"));
    }
    for change in &changes {
        if args.dry_run {
            super::show(change.diff().trim_end_matches('\n'));
        } else {
            write(change)?;
        }
    }
    let verb = if args.dry_run { "would get another ideal" } else { "got another ideal" };
    super::say(&format!("{} {verb}, {stands} unchanged", super::words::count(changes.len(), "task")));
    Ok(exit::OK)
}
