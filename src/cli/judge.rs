//! `seatrial judge`: judge a job's stored answers again, without running agents. Wiring and printing only.

use super::drive::{self, EngineArgs};
use super::error::Error;
use super::load::{Loaded, Purpose, load};
use super::table::beside;
use super::words::{Format, count};
use crate::answer::Answer;
use crate::config;
use crate::event::{Event, JudgedBy, Judging};
use crate::job::{self, Images, Job, Judged, Left, Place};
use crate::judge::{Judge, Judgment, ScriptRun, Spent, Streak, Trouble, Verdict};
use crate::results::{self, JobRecord, JudgmentRecord, Kept, OutcomeKind, Store, TrialRecord, VerdictCache};
use futures_util::StreamExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Judge a job's stored answers again, without running agents
///
/// The new verdicts are kept beside the sealed ones, which stay as they are; trials that were ungraded get the new verdict
/// as theirs. A verdict that this judge has given before is not asked for again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial judge jobs/my-job --judge rules
  seatrial report jobs/my-job --judge rules         the job by these verdicts")]
pub struct JudgeArgs {
    /// The job's directory, such as `jobs/my-job`
    #[arg(value_name = "JOBDIR")]
    job: PathBuf,
    /// Who judges; `script` needs Docker, the others don't [default: the job's judge]
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// A model that the judge asks; more than once for several
    #[arg(long = "judge-model", value_name = "MODEL")]
    judge_models: Vec<String>,
    /// How often each of the judge's models is asked about each answer [default: 1]
    #[arg(long, value_name = "N")]
    judge_votes: Option<u32>,
    /// Ask the judge also about answers that it has judged before
    #[arg(long)]
    no_cache: bool,
    /// How many answers are judged at a time [default: as the job]
    #[arg(short = 'n', long, value_name = "N")]
    n_concurrent: Option<usize>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    engine: EngineArgs,
}

/// What came of one trial.
struct Line {
    trial: String,
    before: Option<f64>,
    after: Result<Verdict, String>,
    /// Taken over, not asked for.
    known: bool,
    spent: Spent,
}

/// Runs the verb and gives the exit code.
pub async fn run(args: &JudgeArgs) -> Result<u8, Error> {
    args.engine.records_anew()?;
    let (mut store, found) = Store::open(&args.job)?;
    let path = args.job.join("config.json");
    let file = config::parse_job_file(&store.config().to_string(), &path)?;
    let flags = config::Flags {
        n_concurrent: args.n_concurrent,
        judge: config::JudgeConfig {
            name: args.judge.clone(),
            models: args.judge_models.clone(),
            votes: args.judge_votes,
            ..config::JudgeConfig::default()
        },
        ..config::Flags::default()
    };
    // For another judge than the job's the variables that name models count.
    let variable = |name: &str| std::env::var(name).ok().filter(|_| args.judge.is_some() && name.starts_with("JUDGE_"));
    let config = config::resolve(&flags, variable, Some(file), &found.record.name)?;
    let Loaded { job, record, notes, .. } = load(&config, Purpose::Judge, &args.engine)?;
    notes.iter().for_each(|note| super::say(note));
    let mut now = record;
    (now.judge, now.judge_parameters) = (found.record.judge.clone(), found.record.judge_parameters.clone());
    now.observed.engine = found.record.observed.engine.clone();
    let differences = found.record.differences(&now);
    if !differences.is_empty() {
        return Err(results::Error::Changed { dir: args.job.clone(), differences }.into());
    }
    let by_script = job.tasks.iter().any(|task| task.script.is_some());
    let engine = if by_script { Some(drive::engine(&args.engine).await?) } else { None };
    let lines = judge_all(args, &config, &job, engine.as_ref(), &found, &mut store).await?;
    drop(store);
    print(args, &job, &lines);
    let ungraded = lines.iter().any(|line| line.after.is_err());
    Ok(if ungraded { super::exit::INCOMPLETE } else { super::exit::OK })
}

/// Judges every answer of the job, several at a time; each verdict is on disk before the next is looked at.
async fn judge_all(
    args: &JudgeArgs,
    config: &config::Config,
    job: &Job,
    engine: Option<&crate::sandbox::Engine>,
    found: &results::Job,
    store: &mut Store,
) -> Result<Vec<Line>, Error> {
    let images = Images::new(job.tasks.len(), job.agents.len());
    // Nobody watches images that are built for this.
    let (events, _) = tokio::sync::mpsc::unbounded_channel();
    let place = engine.map(|engine| Place { engine, images: &images, events: &events });
    let cache = VerdictCache::of_user(|name| std::env::var(name).ok()).filter(|_| !args.no_cache);
    let ended = found.by_name();
    let mut todo = Vec::new();
    for (index, planned) in job.plan.trials.iter().enumerate() {
        let Some(record) = ended.get(planned.name.as_str()).copied() else { continue };
        let is_judged = record.verdict.is_some() || record.outcome == OutcomeKind::Ungraded;
        if is_judged && let Some(kept) = results::read_kept(store.dir(), record)? {
            // Looked up before anything is judged, so that equal answers of one pass are judged each by itself.
            let known = if args.no_cache { None } else { known(job, store.dir(), record, &kept, cache.as_ref()) };
            todo.push((index, record, kept, known));
        }
    }
    // Scripts of tasks are no judge that all trials share.
    let by_script = |record: &TrialRecord| job.tasks[record.trial.task_index].script.is_some();
    let streak = &Streak::default();
    // Set once: no further answer is looked at then, but what is being judged is waited for, since it is paid for.
    let refused: &OnceLock<String> = &OnceLock::new();
    let mut judging = futures_util::stream::iter(todo)
        .map(|(index, record, kept, known)| async move {
            let clock = job::Clock::start();
            let started_at = clock.now();
            let is_known = known.is_some();
            let judged = match known {
                Some(verdict) => Judged { judgment: Some(Ok(verdict).into()), ..Judged::default() },
                None if refused.get().is_some() => Judged::default(),
                None if streak.is_down() && !by_script(record) => Judged::not(Streak::not_asked()),
                None => {
                    let task = &job.tasks[record.trial.task_index];
                    let left = Left { trial: &record.trial.name, answer: &kept.answer, artifacts: &kept.artifacts };
                    let judged = job::judge(job, task, record.trial.task_index, left, place).await;
                    if let Some(judgment) = judged.judgment.as_ref().filter(|_| !by_script(record)) {
                        streak.note(&judgment.result);
                    }
                    judged
                }
            };
            (index, record, kept, judged, is_known, clock.since(started_at))
        })
        .buffered(config.n_concurrent.max(1));
    let (mut lines, mut graded) = (Vec::new(), false);
    while let Some((index, record, kept, judged, known, span)) = judging.next().await {
        let Some(judgment) = &judged.judgment else { continue };
        keep(job, store, record, &kept, judgment, judged.script.as_ref(), cache.as_ref())?;
        if let Err(error) = &judgment.result
            && error.trouble == Trouble::Refused
        {
            refused.get_or_init(|| error.to_string());
        }
        let line = Line {
            trial: record.trial.name.clone(),
            before: record.reward,
            after: judgment.result.clone().map_err(|error| error.to_string()),
            known,
            spent: judgment.spent,
        };
        if record.outcome == OutcomeKind::Ungraded
            && let Some(run) = &record.agent_run
        {
            graded = true;
            let outcome = job::decide(run, &kept.answer, Some(&judgment.result));
            let mut end = results::unjudged(record, kept);
            (end.outcome, end.script, end.timing.judge) = (outcome, judged.script, Some(span));
            let by = judgment.result.as_ref().ok().and_then(|_| other_judge(job, record, &found.record));
            end.judging = judged.judgment.map(|judgment| Judging { by, ..Judging::new(end.judging.take(), judgment) });
            store.handle(&Event::TrialFinished { trial: index, end: Box::new(end) })?;
        }
        lines.push(line);
    }
    // The job's own summary counts what is no longer ungraded; where nothing was, it stays as it is.
    if graded {
        store.handle(&Event::JobFinished)?;
    }
    refused.get().map_or(Ok(lines), |why| Err(Error::Usage(why.clone())))
}

/// This judge's verdict on this answer, where it has given one: in this job, or, unless a script decides, in any other.
fn known(
    job: &Job,
    dir: &std::path::Path,
    record: &TrialRecord,
    kept: &Kept,
    cache: Option<&VerdictCache>,
) -> Option<Verdict> {
    let digest = judge_of(job, record).digest();
    if let Some(verdict) = results::read_judgment(dir, record, &digest).and_then(|judgment| judgment.verdict) {
        return Some(verdict);
    }
    cache?.get(&cache_key(job, record, kept, &digest)?)
}

fn keep(
    job: &Job,
    store: &Store,
    record: &TrialRecord,
    kept: &Kept,
    judgment: &Judgment,
    script: Option<&ScriptRun>,
    cache: Option<&VerdictCache>,
) -> Result<(), Error> {
    let digest = judge_of(job, record).digest();
    let verdict = judgment.result.as_ref().ok();
    if let (Some(verdict), Some(cache), Some(key)) = (verdict, cache, cache_key(job, record, kept, &digest)) {
        cache.put(&key, verdict)?;
    }
    let of_judge = JudgmentRecord {
        judge: judge_of(job, record).name().to_owned(),
        judge_digest: digest,
        task_content_digest: record.task_content_digest.clone(),
        answer_sha256: record.answer.as_ref().and_then(|answer| answer.sha256.clone()),
        verdict: verdict.cloned(),
        reason: judgment.result.as_ref().err().map(ToString::to_string),
        spent: judgment.spent,
    };
    Ok(store.keep_judgment(record, of_judge, &judgment.replies, script)?)
}

/// Who judges this trial: a task that has only a script is judged by that.
fn judge_of<'a>(job: &'a Job, record: &TrialRecord) -> &'a Judge {
    match &job.tasks[record.trial.task_index].script {
        Some(_) => &Judge::Script,
        None => &job.judge,
    }
}

/// The judge of this trial, where it is not the one that the job has, set as there.
fn other_judge(job: &Job, trial: &TrialRecord, record: &JobRecord) -> Option<JudgedBy> {
    let judge = judge_of(job, trial);
    let is_other = !matches!(judge, Judge::Script) && judge.digest() != record.judge_digest();
    is_other.then(|| JudgedBy { judge: judge.name().to_owned(), digest: judge.digest() })
}

/// What a verdict depends on; `None` where that is more than texts.
fn cache_key(job: &Job, record: &TrialRecord, kept: &Kept, digest: &str) -> Option<String> {
    let task = &job.tasks[record.trial.task_index];
    match (&task.script, &task.case, &kept.answer) {
        (None, Some(case), Answer::Text { text, .. }) => Some(task.matter(case, text).digest(digest)),
        _ => None,
    }
}

fn print(args: &JudgeArgs, job: &Job, lines: &[Line]) {
    let is_changed = |line: &&Line| line.after.as_ref().is_ok_and(|verdict| line.before != Some(verdict.reward));
    let changed: Vec<&Line> = lines.iter().filter(is_changed).collect();
    let ungraded: Vec<&Line> = lines.iter().filter(|line| line.after.is_err()).collect();
    let known = lines.iter().filter(|line| line.known).count();
    let mut spent = Spent::default();
    lines.iter().for_each(|line| spent += line.spent);
    if let Format::Json = args.format {
        let entry = |line: &Line| {
            let verdict = line.after.as_ref().ok();
            serde_json::json!({
                "trial": line.trial,
                "before": line.before,
                "after": verdict.map(|verdict| verdict.reward),
                "changed": is_changed(&line),
                "known": line.known,
                "rule": verdict.map(|verdict| &verdict.rule),
                "reason": line.after.as_ref().map_or_else(Clone::clone, |verdict| verdict.reason.clone()),
            })
        };
        let value = serde_json::json!({
            "format": "seatrial-judge-1",
            "judge": job.judge.name(),
            "judge_digest": job.judge.digest(),
            "judged": lines.len(),
            "changed": changed.len(),
            "ungraded": ungraded.len(),
            "known": known,
            "spent": spent,
            "entries": lines.iter().map(entry).collect::<Vec<_>>(),
        });
        return super::show(&format!("{value:#}"));
    }
    let taken = if known > 0 { format!(", {known} of them before") } else { String::new() };
    super::show(&format!(
        "judge {}: {} judged{taken}, {} changed, {} ungraded",
        job.judge.name(),
        count(lines.len(), "answer"),
        changed.len(),
        ungraded.len()
    ));
    if spent.requests > 0 {
        super::show(&format!("used {spent}"));
    }
    let number = |reward: Option<f64>| reward.map_or_else(|| "-".to_owned(), |reward| format!("{reward:.3}"));
    if !changed.is_empty() || !ungraded.is_empty() {
        let width = changed.iter().chain(&ungraded).map(|line| line.trial.chars().count()).max().unwrap_or(0);
        super::show(&format!("\n{:width$}  before  after  why", "trial"));
        for line in changed.iter().chain(&ungraded) {
            let (after, why) = match &line.after {
                Ok(verdict) => (Some(verdict.reward), verdict.reason.as_str()),
                Err(why) => (None, why.as_str()),
            };
            let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let begin = format!("{:width$}  {:>6}  {:>5}  ", line.trial, number(line.before), number(after));
            let mut row = String::new();
            beside(&mut row, &begin, &why);
            super::show(row.trim_end());
        }
    }
    if ungraded.len() == lines.len() {
        return;
    }
    let dir = args.job.display();
    super::say(&format!("`seatrial report {dir} --judge {}` shows the job by these verdicts", job.judge.name()));
}
