//! `seatrial init`: make a vendor directory from your own documents and questions. Wiring only.

use super::error::Error;

/// Make a vendor directory from your own documents and questions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial init my-suite --files docs --questions q.jsonl")]
pub struct InitArgs {}

/// Runs the verb and gives the exit code.
pub fn run(_args: &InitArgs) -> Result<u8, Error> {
    Ok(super::exit::OK)
}
