//! `seatrial base`: build a local base image from Debian packages. Wiring only.

use super::error::Error;

/// Build a local base image from Debian packages
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial base")]
pub struct BaseArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &BaseArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
