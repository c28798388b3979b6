//! `seatrial resume`: go on with a job after a stop or a crash. Wiring only.

use super::error::Error;

/// Go on with a job after a stop or a crash
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial resume jobs/2026-11-30__12-00-00")]
pub struct ResumeArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &ResumeArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
