//! `seatrial populate`: restore what is git-ignored in every task: corpus, test.sh, judge.py, rubric. Wiring only.

use super::error::Error;
use super::vendor::VendorArgs;
use super::words::count;
use crate::corpus;
use crate::populate::{self, DifferenceKind, Mode, populate};
use std::path::{Path, PathBuf};

/// Restore what is git-ignored in every task: corpus, test.sh, judge.py, rubric
///
/// `run` does this by itself before it builds images. Where neither --vendor nor --suite is given, the suite is the
/// one whose folder the dataset lies in, else the one in `vendor`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial populate tasks --check")]
pub struct PopulateArgs {
    /// The dataset: a folder of task directories, or one of them
    #[arg(default_value = "tasks")]
    dataset: PathBuf,

    /// Change nothing; list every difference and exit with 1 if there is one
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    vendor: VendorArgs,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &PopulateArgs) -> Result<u8, Error> {
    let named = (args.vendor.vendor.as_deref(), args.vendor.suite.as_deref());
    let corpus = match corpus::find(&args.dataset, named.0, named.1)? {
        Some(corpus) => corpus,
        None => corpus::load(Path::new("vendor"), None)?,
    };
    let mode = if args.check { Mode::Check } else { Mode::Write };
    let populated = populate(&corpus, &args.dataset, mode)?;

    if populated.tasks == 0 {
        let tasks = count(populated.foreign, "task");
        let dataset = args.dataset.clone();
        return Err(populate::Error::NoneOfSuite { dataset, tasks, suite: corpus.suite.name }.into());
    }

    if args.check {
        for difference in &populated.differences {
            super::show(&format!("{:7} {}", difference.kind, difference.path.display()));
        }
    }
    let of = |kind| populated.differences.iter().filter(|d| d.kind == kind).count();
    let (missing, strays) = (of(DifferenceKind::Missing), of(DifferenceKind::Stray));
    let others = populated.differences.len() - missing - strays;
    let what = match (args.check, populated.differences.len()) {
        (_, 0) => "nothing differs from the corpus".into(),
        (true, n) => count(n, "difference"),
        (false, _) => {
            format!("{} added, {others} replaced, {} removed", count(missing, "file"), count(strays, "stray"))
        }
    };
    let foreign = match populated.foreign {
        0 => String::new(),
        n => format!("; {n} not of the suite `{}`, left alone", corpus.suite.name),
    };
    super::say(&format!("{} in `{}`: {what}{foreign}", count(populated.tasks, "task"), args.dataset.display()));
    let differs = args.check && !populated.differences.is_empty();
    Ok(if differs { super::exit::CHECK_FAILED } else { super::exit::OK })
}
