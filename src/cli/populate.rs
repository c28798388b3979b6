//! `seatrial populate`: restore what is git-ignored in every task: corpus, test.sh, judge.py, rubric. Wiring only.

use super::error::Error;

/// Restore what is git-ignored in every task: corpus, test.sh, judge.py, rubric
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial populate tasks --check")]
pub struct PopulateArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &PopulateArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
