//! `seatrial report`: show a job: text, JSON, Markdown or JUnit. Wiring only.

use super::error::Error;
use crate::{report, results, stats};
use std::io::{ErrorKind, Write as _, stdout};
use std::path::{Path, PathBuf};

/// Show a job: text, JSON, Markdown or JUnit
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial report jobs/my-job --format md -o report.md")]
pub struct ReportArgs {
    /// The job's directory, such as `jobs/my-job`; the job may still be running
    #[arg(value_name = "JOBDIR")]
    job: PathBuf,
    /// What to make of it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// For a terminal, 80 columns
    Text,
    /// For programs
    Json,
    /// Markdown, for pull requests and notes
    Md,
    /// JUnit XML, for CI servers
    Junit,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8, Error> {
    // Asked first: a job that ends meanwhile is then shown whole.
    let runs = results::is_running(&args.job);
    let job = results::read_job(&args.job)?;
    let summary = stats::summarize(&job);
    let text = match args.format {
        Format::Text => report::text(&job, &summary),
        Format::Json => report::json(&job, &summary),
        Format::Md => report::markdown(&job, &summary),
        Format::Junit => report::junit(&job, &summary),
    };
    match &args.output {
        Some(path) => write(path, &text)?,
        None => match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => return Err(report::Error::Stdout(e).into()),
            _ => {}
        },
    }
    if let Some(warning) = report::warning(&job, &summary) {
        let dir = args.job.display();
        match runs {
            true => super::say(&format!("`{dir}` is still running: {warning}")),
            false => super::say(&format!("warning: {warning}\n\nhint: `seatrial resume {dir}` goes on with them")),
        }
    }
    Ok(super::exit::OK)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), report::Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    if let Some(folder) = folder {
        return Err(report::Error::NoFolder { file: path.to_path_buf(), folder: folder.to_path_buf() });
    }
    Ok(results::write_whole(path, text.as_bytes())?)
}
