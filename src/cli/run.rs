//! `seatrial run`: run a job: every task, k attempts, in Docker. Wiring only.

use super::error::Error;

/// Run a job: every task, k attempts, in Docker
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial run tasks -a oracle -k 2 -n 4")]
pub struct RunArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &RunArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
