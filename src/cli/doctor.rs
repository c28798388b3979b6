//! `seatrial doctor`: say what of engine, base image, disk and policies is fine. Wiring only.

use super::error::Error;

/// Say what of engine, base image, disk and policies is fine
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial doctor")]
pub struct DoctorArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &DoctorArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
