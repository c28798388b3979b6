//! `seatrial report`: show a job: text, JSON, Markdown, JUnit or HTML. Wiring only.

use super::categories::CategoryArgs;
use super::error::Error;
use crate::results::Job;
use crate::stats::Summary;
use crate::{report, results, stats};
use std::io::{ErrorKind, Write as _, stdout};
use std::path::{Path, PathBuf};

/// Show a job: text, JSON, Markdown, JUnit or one HTML page
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial report jobs/my-job --format html -o report.html")]
pub struct ReportArgs {
    /// The job's directory, such as `jobs/my-job`; the job may still be running. Several go into one HTML page
    #[arg(value_name = "JOBDIR", required = true)]
    jobs: Vec<PathBuf>,
    /// In a page of several jobs over different tasks, compare those that all jobs have with the same content; without
    /// this, such jobs stand one after the other
    #[arg(long)]
    common: bool,
    #[command(flatten)]
    categories: CategoryArgs,
    /// What to make of it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show the job by another judge's verdicts, which `seatrial judge` has put beside: its name, or its digest's beginning
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
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
    /// One HTML page with every trial; it needs no other file and no network
    Html,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8, Error> {
    if args.jobs.len() > 1 && !matches!(args.format, Format::Html) {
        let why = "only `--format html` shows several jobs at once; `seatrial compare` sets their numbers side by side";
        return Err(Error::Usage(why.to_owned()));
    }
    // Asked first: a job that ends meanwhile is then shown whole.
    let runs: Vec<bool> = args.jobs.iter().map(|dir| results::is_running(dir)).collect();
    let mut jobs = args.jobs.iter().map(|dir| results::read_job(dir)).collect::<Result<Vec<_>, _>>()?;
    if let Some(judge) = &args.judge {
        jobs = jobs.into_iter().map(|job| results::judged_by(job, judge)).collect::<Result<_, _>>()?;
    }
    args.categories.apply(&mut jobs)?;
    let shown: Vec<(Job, Summary)> = jobs.into_iter().map(|job| (job.clone(), stats::summarize(&job))).collect();
    let (job, summary) = &shown[0];
    let text = match args.format {
        Format::Text => report::text(job, summary),
        Format::Json => report::json(job, summary),
        Format::Md => report::markdown(job, summary),
        Format::Junit => report::junit(job, summary),
        Format::Html => {
            let compared = compared(&shown, args.common);
            if let Some(Err(why)) = &compared {
                super::say(&format!("warning: the jobs are not compared: {why}"));
            }
            report::html(&shown, compared.as_ref().map(|found| found.as_ref().map_err(String::as_str)))
        }
    };
    deliver(&text, args.output.as_deref())?;
    for ((dir, runs), (job, summary)) in args.jobs.iter().zip(runs).zip(&shown) {
        let Some(warning) = report::warning(job, summary) else { continue };
        let dir = dir.display();
        match runs {
            true => super::say(&format!("`{dir}` is still running: {warning}")),
            // `resume` asks the job's own judge, and never this one.
            false if args.judge.is_some() => super::say(&format!(
                "warning: {warning}\n\nhint: `seatrial judge {dir} --judge {}`, with its models and votes as before, \
                 judges what is ungraded; `seatrial resume {dir}` runs what has no answer",
                job.record.judge
            )),
            false => super::say(&format!("warning: {warning}\n\nhint: `seatrial resume {dir}` goes on with them")),
        }
    }
    Ok(super::exit::OK)
}

/// What `seatrial compare` finds, or why it compares nothing; `None` where there is one agent only.
fn compared(shown: &[(Job, Summary)], common: bool) -> Option<Result<stats::Comparison, String>> {
    match stats::compare(shown.iter().map(|(job, _)| job.clone()).collect(), common) {
        Ok(comparison) => Some(Ok(comparison)),
        Err(stats::Error::OneAgent) => None,
        Err(stats::Error::OtherTasks { same, tasks, why }) => {
            let which = match same {
                0 => "none is the same".to_owned(),
                same => format!("`--common` compares the {same} that are"),
            };
            Some(Err(format!("{tasks} of their tasks are not the same in all of them ({}); {which}", why.join("; "))))
        }
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Writes a report to its file, or to standard output; a reader that is gone is no error.
pub fn deliver(text: &str, output: Option<&Path>) -> Result<(), report::Error> {
    match output {
        Some(path) => write(path, text),
        None => match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(report::Error::Stdout(e)),
            _ => Ok(()),
        },
    }
}

fn write(path: &Path, text: &str) -> Result<(), report::Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    if let Some(folder) = folder {
        return Err(report::Error::NoFolder { file: path.to_path_buf(), folder: folder.to_path_buf() });
    }
    Ok(results::write_whole(path, text.as_bytes())?)
}
