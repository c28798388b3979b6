//! `seatrial lint`: check task directories and say what is wrong, all at once. Wiring only.

use super::error::Error;

/// Check task directories and say what is wrong, all at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial lint tasks")]
pub struct LintArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &LintArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
