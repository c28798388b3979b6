//! `seatrial report`: show a job: text, JSON, Markdown or JUnit. Wiring only.

use super::error::Error;

/// Show a job: text, JSON, Markdown or JUnit
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial report jobs/my-job --format md")]
pub struct ReportArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &ReportArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
