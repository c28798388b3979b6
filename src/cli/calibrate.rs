//! `seatrial calibrate`: measured difficulty out of jobs. Wiring only.

use super::error::Error;
use super::exit;
use super::words::read;
use crate::results::{ArmDigests, Job, TaskRecord};
use crate::spelling::did_you_mean;
use crate::{report, results, stats};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Measure how hard each task is, from the trials of one or more jobs
///
/// A tier is told only where it is likely enough; the others need more trials, lie at a threshold, or have a key that
/// can't be trusted. Trials without a reward count neither as passed nor as failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial calibrate jobs/my-job -o calibration.json
  seatrial calibrate jobs/a jobs/b --reference panel-mean -o calibration.json
  seatrial stamp tasks --calibration calibration.json")]
pub struct CalibrateArgs {
    /// The jobs' directories; their trials are added up
    #[arg(value_name = "JOBDIR", required = true)]
    jobs: Vec<PathBuf>,
    /// Write the calibration to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Whose tiers count where there are several agents: a model's or an agent's name, or panel-mean
    #[arg(long, value_name = "NAME")]
    reference: Option<String>,
    /// Where the tiers meet: two pass rates, or `legacy` for 0.1,0.9
    #[arg(long, value_name = "HARD,EASY", default_value = "0.2,0.8", value_parser = thresholds)]
    thresholds: stats::Thresholds,
    /// How likely a tier must be to be told
    #[arg(long, value_name = "CHANCE", default_value_t = 0.9)]
    confidence: f64,
    /// How often the judge is right, measured on 30 or more right and wrong answers each: JSON with `sensitivity` and
    /// `specificity`, each {"rate": 0.95, "n": 40}
    #[arg(long, value_name = "FILE")]
    judge_measured: Option<PathBuf>,
    /// You vouch for this task's key, whatever the audit or the passes say; more than once for several
    #[arg(long, value_name = "TASK")]
    signed: Vec<String>,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &CalibrateArgs) -> Result<u8, Error> {
    let mut jobs = Vec::new();
    for dir in &args.jobs {
        let job = results::read_job(dir)?;
        for damaged in &job.damaged {
            super::say(&format!(
                "warning: `{}` in `{}` counts as missing: {}",
                damaged.name,
                dir.display(),
                damaged.why
            ));
        }
        let digests = results::arm_digests(&job)?;
        jobs.push((job, digests));
    }
    let judge = args.judge_measured.as_deref().map(|path| judge_measured(path, &jobs)).transpose()?;
    let settings = stats::Settings {
        thresholds: args.thresholds,
        confidence: args.confidence,
        judge,
        reference: args.reference.clone(),
        signed: args.signed.iter().cloned().collect(),
    };
    let counted = stats::count(&jobs)?;
    if let Some(task) = args.signed.iter().find(|task| !counted.tasks.contains_key(*task)) {
        let near = did_you_mean(task, counted.tasks.keys().map(String::as_str));
        return Err(Error::NoSuch { why: format!("`--signed {task}`: there is no such task in the jobs"), near });
    }
    let calibration = stats::calibrate(&counted, &settings)?;
    if let Some(path) = &args.output {
        super::report::deliver(&calibration.text(), Some(path))?;
    }
    let _ = std::io::stdout().write_all(report::calibration(&calibration).as_bytes());
    for (agent, facts) in &calibration.models {
        let Some(reason) = &facts.broken else { continue };
        super::say(&format!(
            "warning: no tier is told by `{agent}`: every trial of it ended with an error of its own or without an answer, so \
             it measures the agent and not the tasks; one of them: {}\n\nhint: mend the agent, see that it passes a \
             task or leaves a wrong answer, and run the tasks again\n",
            report::plain(reason)
        ));
    }
    if let Some(path) = &args.output {
        let path = path.display();
        let dataset = jobs.first().map_or("tasks", |(job, _)| &job.record.dataset);
        super::say(&format!(
            "written to `{path}`; `seatrial stamp {dataset} --calibration {path}` puts the tiers into tasks"
        ));
    }
    Ok(exit::OK)
}

fn judge_measured(path: &Path, jobs: &[(Job, ArmDigests)]) -> Result<(stats::JudgeRates, u64, u64), Error> {
    let file = path.display();
    let text = read(path)?;
    let measured = stats::judge_measured(&text).map_err(|e| Error::Usage(format!("`{file}`: {e}")))?;
    for (job, _) in jobs {
        let dir = job.dir.display();
        same_judge(&text, job).map_err(|why| Error::Usage(format!("`{file}` measured {why} in `{dir}`")))?;
    }
    Ok(measured)
}

/// What `judge-cases` wrote says whose rates they are; a file by hand need not.
fn same_judge(measured: &str, job: &Job) -> Result<(), String> {
    let measured: Value = serde_json::from_str(measured).unwrap_or_default();
    let record = &job.record;
    let digest = record.judge_digest();
    let rubric = measured["rubric_sha256"].as_str();
    let by_another =
        |task: &&TaskRecord| rubric.is_some_and(|of| task.rubric_sha256.as_ref().is_some_and(|own| own != of));
    match measured["judge"].as_str() {
        Some(judge) if judge != record.judge => Err(format!("the judge `{judge}`, but `{}` judged", record.judge)),
        Some(judge) if measured["judge_parameters"] != serde_json::json!(record.judge_parameters) => {
            Err(format!("the judge `{judge}` with other models, votes or settings than"))
        }
        // A file without a digest is of a version that wrote none.
        Some(judge) if measured["judge_digest"].as_str().is_some_and(|of| of != digest) => {
            Err(format!("the judge `{judge}` of another version than judged (seatrial {})", record.seatrial))
        }
        Some(judge) => match record.tasks.iter().find(by_another) {
            Some(task) => Err(format!("the judge `{judge}` by another rubric than task `{}` has", task.name)),
            None => Ok(()),
        },
        None => Ok(()),
    }
}

/// Two rates with a comma between, or `legacy`.
pub(super) fn thresholds(text: &str) -> Result<stats::Thresholds, String> {
    if text == "legacy" {
        return Ok(stats::Thresholds::LEGACY);
    }
    let rate = |text: &str| text.trim().parse::<f64>().map_err(|e| format!("`{text}`: {e}"));
    let (hard, easy) = text.split_once(',').ok_or("it must be HARD,EASY, such as 0.2,0.8, or `legacy`")?;
    let (hard, easy) = (rate(hard)?, rate(easy)?);
    match 0.0 < hard && hard < easy && easy < 1.0 {
        true => Ok(stats::Thresholds { hard, easy }),
        false => Err("the two rates lie between 0 and 1, the first below the second".into()),
    }
}
