//! `seatrial compare`: agents side by side on the same tasks. Wiring only.

use super::categories::CategoryArgs;
use super::error::Error;
use super::report::deliver;
use crate::{report, results, stats};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Compare agents on the same tasks: who is better, or that it is not settled
///
/// Differences are paired by task. An agent counts as better where both Student's t and the sign-flip test have a p
/// below 0.05, and where counting what has no reward as failed points the same way. Of several agents each has a place,
/// or a range of places where it can't be told apart from others. Where different judges graded two agents, neither
/// counts as better.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial compare jobs/before jobs/after")]
pub struct CompareArgs {
    /// The jobs' directories; one is enough where it has several agents
    #[arg(value_name = "JOBDIR", required = true)]
    jobs: Vec<PathBuf>,
    /// Compare the tasks that all jobs have with the same content, and leave out the others; without this, different
    /// tasks are refused
    #[arg(long)]
    common: bool,
    /// Compare by another judge's verdicts, which `seatrial judge` has put beside in each job: its name, or its digest's
    /// beginning
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    #[command(flatten)]
    categories: CategoryArgs,
    /// What to make of it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// For a terminal, 80 columns
    Text,
    /// For programs
    Json,
    /// Markdown, for pull requests and notes
    Md,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &CompareArgs) -> Result<u8, Error> {
    let mut seen = BTreeSet::new();
    for dir in &args.jobs {
        if !seen.insert(dir.canonicalize().unwrap_or(dir.clone())) {
            return Err(Error::Usage(format!(
                "`{}` is named twice: a job can't be compared with itself",
                dir.display()
            )));
        }
    }
    let mut jobs = args.jobs.iter().map(|dir| results::read_job(dir)).collect::<Result<Vec<_>, _>>()?;
    if let Some(judge) = &args.judge {
        jobs = jobs.into_iter().map(|job| results::judged_by(job, judge)).collect::<Result<_, _>>()?;
    }
    args.categories.apply(&mut jobs)?;
    let comparison = stats::compare(jobs, args.common)?;
    let text = match args.format {
        Format::Text => report::compare_text(&comparison),
        Format::Json => report::compare_json(&comparison),
        Format::Md => report::compare_markdown(&comparison),
    };
    deliver(&text, args.output.as_deref())?;
    if !comparison.judges_differ.is_empty() {
        super::say(
            "warning: different judges graded the agents, so none of those counts as better\n\nhint: judge each job by one \
             judge, `seatrial judge JOBDIR --judge NAME`, then `seatrial compare --judge NAME` with the same jobs",
        );
    }
    Ok(super::exit::OK)
}
