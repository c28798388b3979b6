//! `seatrial clean`: remove what dead jobs left in Docker. Wiring only.

use super::error::Error;
use crate::sandbox::docker::Swept;

/// Remove what dead jobs left in Docker
///
/// Every run does this by itself when it starts. Only what carries seatrial's labels is touched, and never what belongs
/// to a runner that lives. Job directories are never touched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial clean --dry-run")]
pub struct CleanArgs {
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Also remove task images and the volume with the supervisor; the next run makes them again
    #[arg(long)]
    images: bool,
    /// Also remove the local base image
    #[arg(long, requires = "images")]
    base: bool,
}

/// Runs the verb and gives the exit code.
pub async fn run(args: &CleanArgs) -> Result<u8, Error> {
    let engine = super::drive::docker().await?;
    let (mut swept, mut stuck): (Vec<Swept>, _) = (Vec::new(), None);
    match args.dry_run {
        true => swept.extend(engine.left_behind(None).await?.into_iter().map(|(_, swept)| swept)),
        false => {
            for result in engine.sweep(None).await? {
                match result {
                    Ok(removed) => swept.push(removed),
                    Err(error) => stuck = Some(error),
                }
            }
        }
    }
    if args.images {
        swept.extend(engine.clean_images(args.base, args.dry_run).await?);
    }
    for swept in &swept {
        let job = swept.job.as_deref().map(|job| format!(" of job {job}")).unwrap_or_default();
        super::show(&format!("{} {}{job}", swept.kind, swept.name));
    }
    let did = if args.dry_run { "would be removed" } else { "removed" };
    super::say(&format!("{} {did}", if swept.is_empty() { "nothing".to_owned() } else { swept.len().to_string() }));
    stuck.map_or(Ok(super::exit::OK), |error| Err(error.into()))
}
