//! `seatrial stamp`: write measured tiers into task.toml. Wiring only.

use super::error::Error;

/// Write measured tiers into task.toml
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial stamp tasks --calibration calibration.json --dry-run")]
pub struct StampArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &StampArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
