//! `seatrial generate`: write Harbor task directories from the vendored questions. Wiring only.

use super::error::Error;

/// Write Harbor task directories from the vendored questions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial generate --task-ids ledger-3,ledger-7")]
pub struct GenerateArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &GenerateArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
