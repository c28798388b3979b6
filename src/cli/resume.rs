//! `seatrial resume`: go on with a job after a stop or a crash. Wiring only.

use super::drive::{self, EngineArgs};
use super::error::Error;
use super::load::{Purpose, load};
use crate::config;
use crate::job::{Job, Todo, Unjudged};
use crate::results::{self, Next, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Go on with a job after a stop or a crash
///
/// Runs what is missing, damaged or ended as a fault; judges again what is ungraded, without running its agent; keeps
/// every other trial as it is, byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial resume jobs/2026-11-30__12-00-00")]
pub struct ResumeArgs {
    /// The job's directory, such as `jobs/my-job`
    #[arg(value_name = "JOBDIR")]
    job: PathBuf,
    /// How many trials run at a time [default: as before]
    #[arg(short = 'n', long, value_name = "N")]
    n_concurrent: Option<usize>,
    /// How often a trial is started again after a fault of ours [default: as before]
    #[arg(short = 'r', long, value_name = "N")]
    max_retries: Option<u32>,
    /// What all agents of the job may cost together from now on, in US dollars, what they have cost included
    #[arg(long, value_name = "USD")]
    job_max_cost: Option<f64>,
    /// No live view while the job runs; warnings and the table at the end come all the same
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the verb and gives the exit code.
pub async fn run(args: &ResumeArgs) -> Result<u8, Error> {
    let (store, found) = Store::open(&args.job)?;
    let path = args.job.join("config.json");
    let file = config::parse_job_file(&store.config().to_string(), &path)?;
    let flags = config::Flags {
        n_concurrent: args.n_concurrent,
        max_retries: args.max_retries,
        quiet: args.quiet,
        model: config::ModelConfig { job_max_cost_usd: args.job_max_cost, ..Default::default() },
        ..config::Flags::default()
    };
    // Only the job's own settings count here: a variable set since then must not make it another job.
    let config = config::resolve(&flags, |_| None, Some(file), &found.record.name)?;
    let mut loaded = load(&config, Purpose::Run, &args.engine)?;
    if found.record.calibrate.is_some() {
        loaded.plan_again(&found.record.trials);
    }
    loaded.notes.iter().for_each(|note| super::say(note));
    let engine = drive::engine(&args.engine).await?;
    let mut now = loaded.record;
    now.observed.engine = drive::engine_record(&engine);
    let mut differences = found.record.differences(&now);
    differences.extend(store.changed_settings());
    // Which answers have been given already, a recording doesn't know: it would give the first ones again.
    if found.record.observed.played_back || args.engine.plays_back() {
        differences.push("models are played back, which begins anew: run the job again as a whole".to_owned());
    }
    if !differences.is_empty() {
        return Err(results::Error::Changed { dir: args.job.clone(), differences }.into());
    }
    found.trials.iter().filter_map(|trial| trial.spent_usd).for_each(|cost| loaded.job.spend.add(cost));
    if let Some(why) = loaded.job.spend.over() {
        return Err(Error::Usage(format!("{why}\n\nhint: `--job-max-cost USD` sets another cap")));
    }
    for damaged in &found.damaged {
        super::say(&format!("warning: {} runs again: {}", damaged.name, damaged.why));
    }
    let next = results::next(&found);
    let todo = Todo {
        run: next.iter().enumerate().filter(|(_, next)| **next == Next::Run).map(|(index, _)| index).collect(),
        judge: unjudged(&loaded.job, &found, &next, store.dir())?,
        spent: spent(&found),
        spent_in_part: spent_in_part(&found),
    };
    drive::drive(engine, loaded.job, todo, store, config.quiet).await
}

/// What trials have cost so far, by their places in the plan.
fn spent(found: &results::Job) -> BTreeMap<usize, f64> {
    let ended = found.by_name();
    let trials = found.record.trials.iter().enumerate();
    trials.filter_map(|(index, planned)| Some((index, ended.get(planned.name.as_str())?.spent_usd?))).collect()
}

/// The trials of which some cost isn't known, by their places in the plan.
fn spent_in_part(found: &results::Job) -> BTreeSet<usize> {
    let ended = found.by_name();
    let in_part = |name: &str| ended.get(name).is_some_and(|record| !record.spent_is_all());
    let trials = found.record.trials.iter().enumerate();
    trials.filter(|(_, planned)| in_part(&planned.name)).map(|(index, _)| index).collect()
}

/// The ungraded trials with their stored answers; what can't be judged now either stays ungraded.
fn unjudged(job: &Job, found: &results::Job, next: &[Next], dir: &Path) -> Result<Vec<Unjudged>, Error> {
    let ended = found.by_name();
    let mut unjudged = Vec::new();
    for (index, planned) in job.plan.trials.iter().enumerate().filter(|(index, _)| next[*index] == Next::Judge) {
        let Some(record) = ended.get(planned.name.as_str()) else { continue };
        if let Some(kept) = results::read_kept(dir, record)? {
            unjudged.push((index, results::unjudged(record, kept)));
        }
    }
    Ok(unjudged)
}
