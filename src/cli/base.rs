//! `seatrial base`: build a local base image from Debian packages. Wiring only.

use super::error::Error;
use crate::sandbox::docker::{self, BASE};

/// Build a local base image from Debian packages, for machines that reach no registry
///
/// The image holds python3, curl, ca-certificates, grep and coreutils. Runs use it where the base image of a task's
/// Dockerfile can't be pulled and the Dockerfile has `ARG BASE_IMAGE`. Needs `mmdebstrap`; takes about half a minute.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial base")]
pub struct BaseArgs {
    /// Build it anew where the engine has one already
    #[arg(long)]
    force: bool,
}

/// Runs the verb and gives the exit code.
pub async fn run(args: &BaseArgs) -> Result<u8, Error> {
    let engine = super::drive::docker().await?;
    let base = docker::build_base(&engine, args.force, &mut |line| super::say(line)).await?;
    let was = if base.built { "built" } else { "already there" };
    super::say(&format!("{BASE} {was} ({})", base.id));
    Ok(super::exit::OK)
}
