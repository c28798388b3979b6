//! The judge's stage of one trial, whichever judge its task has: on this machine from the answer's text, or by the
//! task's script in a sandbox. It is apart from the agent's stages, since stored answers are judged again without them.

use super::images::Images;
use super::setup::{Job, JobTask};
use super::way_out::WayOut;
use crate::answer::{self, Answer};
use crate::artifact::{Artifact, Artifacts};
use crate::event::Event;
use crate::judge::{JudgeError, Judgment, ScriptEnvironment, ScriptRun, ScriptSetup, Verdict, run_script};
use crate::network::Attempt;
use crate::sandbox::{Engine, Error, Owner, Sandbox, Spec};
use tokio::sync::mpsc::UnboundedSender;

/// What a trial left for its judge.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    /// The trial's name.
    pub trial: &'a str,
    /// The answer, or why there is none.
    pub answer: &'a Answer,
    /// What else the task asks for.
    pub artifacts: &'a Artifacts,
}

/// What judging came to.
#[derive(Debug, Default)]
pub struct Judged {
    /// What the judge said; `None` where there was nothing for it to look at.
    pub judgment: Option<Judgment>,
    /// What a script did.
    pub script: Option<ScriptRun>,
    /// What a script tried to reach.
    pub attempts: Vec<Attempt>,
}

impl Judged {
    /// Nothing was decided, for a passing reason: what the trial left is kept, and judged later.
    pub fn not(why: impl Into<String>) -> Judged {
        Judged { judgment: Some(Err(JudgeError::passing(why)).into()), ..Judged::default() }
    }
}

/// Where scripts run: an engine, and the images of a job.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The job's images.
    pub images: &'a Images,
    /// Who hears of images that are made.
    pub events: &'a UnboundedSender<Event>,
}

/// Judges what a trial left. `place` is for scripts alone; without one a script can't be run, which is the judge's
/// trouble. The engine's troubles are tried again as often as a trial's faults are, then they are the judge's too: what
/// the agent did stands.
pub async fn judge(job: &Job, task: &JobTask, task_index: usize, left: Left<'_>, place: Option<Place<'_>>) -> Judged {
    let setup = match (&task.script, left.answer, &task.case) {
        // A task with a question and a key wants an answer; any other is for its script alone to judge.
        (_, Answer::None { .. }, Some(_)) => return Judged::default(),
        (Some(setup), ..) => setup,
        (None, Answer::Text { text, .. }, Some(case)) => {
            let judgment = job.judge.decide(task.matter(case, text)).await;
            return Judged { judgment: Some(judgment), ..Judged::default() };
        }
        (None, _, None) => return Judged::default(),
    };
    let failed = |error| Judged { judgment: Some(Err(error).into()), ..Judged::default() };
    if setup.environment == ScriptEnvironment::Shared {
        let why = "its script was to run in the agent's container, which is gone; a fresh one is used with \
                   `--verifier-environment separate`";
        return failed(JudgeError::lasting(why));
    }
    if let Some(path) = &left.artifacts.over {
        return failed(JudgeError::lasting(over(path)));
    }
    let Some(place) = place else { return failed(JudgeError::passing("there was no engine to run its script on")) };
    let retry = job.settings.retry;
    let mut retries = 0;
    loop {
        let mut judged = Judged::default();
        match in_fresh_sandbox(job, task, task_index, setup, left, place, &mut judged).await {
            Ok(result) => judged.judgment = Some(result.into()),
            Err(error) if retries < retry.max_retries => {
                log(place, format!("{}: its script is run again: {error}", left.trial));
                tokio::time::sleep(retry.wait(retries)).await;
                retries += 1;
                continue;
            }
            Err(error) => {
                let why = format!("`tests/test.sh` could not be run: {error}");
                judged.judgment = Some(Err(JudgeError::passing(why)).into());
            }
        }
        return judged;
    }
}

/// Runs the script in the agent's own sandbox, after the agent; Harbor's `shared` way.
pub async fn judge_in(sandbox: &mut Sandbox, setup: &ScriptSetup) -> Judged {
    let mut ran = ScriptRun::new(ScriptEnvironment::Shared);
    let result = run_script(sandbox, setup, &[], &mut ran).await;
    let result = result.unwrap_or_else(|error| {
        Err(JudgeError::lasting(format!("`tests/test.sh` could not be run in the agent's container: {error}")))
    });
    Judged { judgment: Some(result.into()), script: Some(ran), attempts: Vec::new() }
}

async fn in_fresh_sandbox(
    job: &Job,
    task: &JobTask,
    task_index: usize,
    setup: &ScriptSetup,
    left: Left<'_>,
    place: Place<'_>,
    judged: &mut Judged,
) -> Result<Result<Verdict, JudgeError>, Error> {
    let image = place.images.of(place.engine, job, task_index, None, place.events).await?;
    let owner = Owner { job: job.name.clone(), trial: left.trial.to_owned() };
    let way = WayOut::new(&task.verifier_network, &job.egress, "verifier", None);
    let spec = Spec { image, network: way.network(), limits: task.limits, owner };
    let mut sandbox = place.engine.open(&spec).await?;
    let mut ran = ScriptRun::new(ScriptEnvironment::Separate);
    let result = run_script(&mut sandbox, setup, &brought(left), &mut ran).await;
    if let Err(error) = sandbox.close().await {
        log(place, error.to_string());
    }
    if let Some((attempts, _)) = way.close().await {
        judged.attempts = attempts;
    }
    judged.script = Some(ran);
    result
}

/// The answer's bytes, always among what is brought, and the artifacts.
fn brought(left: Left<'_>) -> Vec<Artifact> {
    let raw = match left.answer {
        Answer::Text { raw, .. } => Some(raw.clone()),
        Answer::None { raw, .. } => raw.clone(),
    };
    let answer = raw.map(|bytes| Artifact { path: answer::PATH.to_owned(), bytes });
    answer.into_iter().chain(left.artifacts.files.iter().cloned()).collect()
}

fn over(path: &str) -> String {
    let (most, cap) = (crate::artifact::MOST, crate::artifact::CAP >> 20);
    format!("the agent left more than {most} files or {cap} MiB as artifacts, with `{path}`, so its script lacks some")
}

fn log(place: Place<'_>, text: String) {
    // Nobody reads any more where the job is being stopped.
    let _ = place.events.send(Event::Notice { text });
}
