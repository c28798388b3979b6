//! `seatrial clean`: remove what dead jobs left in Docker. Wiring only.

use super::error::Error;

/// Remove what dead jobs left in Docker
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial clean --dry-run")]
pub struct CleanArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &CleanArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
