//! What jobs say about each task and agent, counted for a calibration: one cell for a task and an agent. Jobs are added
//! up only where everything that decides a trial is the same; records of a fake engine are refused.

use super::error::Error;
use crate::question::Verdict;
use crate::results::{ArmDigests, Job, OutcomeKind, TrialRecord};
use std::collections::{BTreeMap, BTreeSet};

/// How a task's trials by one agent ended, as far as difficulty goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    /// Trials with a reward of exactly 1.
    pub pass: u64,
    /// Trials with any other reward: wrong or missing answers, the task's own limits, the agent's own errors.
    pub fail: u64,
    /// Trials on which the judge's votes were not of one mind.
    pub ambiguous: u64,
    /// Trials without a reward of the job's judge: ungraded, faults of ours, cancelled, not ended, damaged. Never failures.
    pub missing: u64,
    /// Of the failed ones those that ended with an error of the agent's own, or without an answer.
    pub mute: u64,
    /// Of the failed ones those that say nothing of the task, since the agent itself did not work: its command could not
    /// be started, or none of its trials anywhere came to anything; see [`find_broken`].
    pub broken: u64,
}

/// The exit codes with which POSIX's shells say that a command can't be run, or isn't there.
const NOT_STARTED: [i32; 2] = [126, 127];

impl Cell {
    /// How many trials say something.
    pub fn n(&self) -> u64 {
        self.pass + self.fail + self.ambiguous
    }

    /// Counts a trial; `None` is one without a record that can be trusted.
    pub fn count(&mut self, record: Option<&TrialRecord>) {
        let record = record.filter(|record| record.other_judge().is_none());
        let place = match record.map(|record| (record.outcome, record.reward)) {
            None | Some((OutcomeKind::Ungraded | OutcomeKind::Fault | OutcomeKind::Cancelled, _)) | Some((_, None)) => {
                &mut self.missing
            }
            Some((
                OutcomeKind::Scored
                | OutcomeKind::NoAnswer
                | OutcomeKind::AgentTimeout
                | OutcomeKind::AgentError
                | OutcomeKind::Limit,
                Some(reward),
            )) => {
                if record.is_some_and(is_ambiguous) {
                    &mut self.ambiguous
                } else if reward == 1.0 {
                    &mut self.pass
                } else {
                    let ended = record.map(|record| record.outcome);
                    self.mute += u64::from(matches!(ended, Some(OutcomeKind::AgentError | OutcomeKind::NoAnswer)));
                    self.broken += u64::from(record.is_some_and(is_not_started));
                    &mut self.fail
                }
            }
        };
        *place += 1;
    }

    /// Whether the agent did not work here, so that the counts say nothing of the task.
    pub fn is_broken(&self) -> bool {
        self.broken > 0 && self.broken == self.n()
    }

    /// Whether each trial failed by an error of the agent's own or for want of an answer.
    pub fn is_mute(&self) -> bool {
        self.mute > 0 && self.mute == self.n()
    }

    /// The cell with what another job counted.
    fn add(&mut self, other: Cell) {
        self.mute += other.mute;
        self.broken += other.broken;
        self.pass += other.pass;
        self.fail += other.fail;
        self.ambiguous += other.ambiguous;
        self.missing += other.missing;
    }
}

/// What a prior is learnt from: trials and passes of each of an agent's tasks on which it worked.
pub fn counts<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<(u64, u64)> {
    cells.filter(|cell| !cell.is_broken()).map(|cell| (cell.n(), cell.pass)).collect()
}

/// Looks at all cells of one agent: where every one of its trials ended with an error of its own or without an answer,
/// none of them says anything of a task. Says whether that is so.
pub fn find_broken<'a>(cells: impl Iterator<Item = &'a mut Cell>) -> bool {
    let mut cells: Vec<&mut Cell> = cells.filter(|cell| cell.n() > 0).collect();
    let is_broken = !cells.is_empty() && cells.iter().all(|cell| cell.is_mute());
    if is_broken {
        cells.iter_mut().for_each(|cell| cell.broken = cell.fail);
    }
    is_broken
}

fn is_not_started(record: &TrialRecord) -> bool {
    let code = record.agent_run.as_ref().and_then(|run| run.exit_code);
    record.outcome == OutcomeKind::AgentError && code.is_some_and(|code| NOT_STARTED.contains(&code))
}

/// Whether the judge's votes differed. Judges with one vote are always of one mind.
fn is_ambiguous(record: &TrialRecord) -> bool {
    record.verdict.as_ref().is_some_and(|verdict| verdict.ambiguous)
}

/// Everything that was counted, by name, whatever the order of the jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The jobs: name and id, in the order of their names.
    pub jobs: Vec<(String, String)>,
    /// The judge's name and digest.
    pub judge: (String, String),
    /// The digest of the documents, where the tasks are made from some.
    pub corpus: Option<String>,
    /// When the last trial ended, in seconds since the Unix epoch.
    pub last: f64,
    /// Digest of each task, and what the audit says of its key.
    pub tasks: BTreeMap<String, (String, Option<String>)>,
    /// Digest of each agent, by its label.
    pub agents: BTreeMap<String, String>,
    /// The counts, by agent and task.
    pub cells: BTreeMap<(String, String), Cell>,
    /// Agents that did not work in any trial, with how one of these ended.
    pub broken: BTreeMap<String, String>,
}

/// Counts the trials of some jobs.
///
/// # Errors
/// [`Error::NothingMeasured`], [`Error::Replayed`], [`Error::Twice`], and [`Error::Unlike`] with everything that keeps jobs
/// from being added up.
pub fn count(jobs: &[(Job, ArmDigests)]) -> Result<Counted, Error> {
    let (first, digests) = jobs.first().ok_or(Error::NoJob)?;
    let mut counted = Counted {
        jobs: Vec::new(),
        judge: (first.record.judge.clone(), digests.judge.clone()),
        corpus: first.record.corpus.clone(),
        last: 0.0,
        tasks: BTreeMap::new(),
        agents: BTreeMap::new(),
        cells: BTreeMap::new(),
        broken: BTreeMap::new(),
    };
    let mut reasons: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut unlike = Vec::new();
    let first = first.dir.display();
    for (job, digests) in jobs {
        let dir = job.dir.display();
        if job.record.observed.played_back {
            return Err(Error::Replayed { job: job.dir.clone() });
        }
        if let Some(fake) = fake(job) {
            return Err(Error::NothingMeasured { job: job.dir.clone(), trial: fake });
        }
        let id = &job.record.observed.id;
        if counted.jobs.iter().any(|(_, other)| other == id) {
            return Err(Error::Twice { job: job.dir.clone() });
        }
        counted.jobs.push((job.record.name.clone(), id.clone()));
        if counted.judge != (job.record.judge.clone(), digests.judge.clone()) {
            let (one, other) = (&counted.judge.0, &job.record.judge);
            unlike.push(match one == other {
                true => format!("judge `{one}` has another version or other settings in `{dir}` than in `{first}`"),
                false => format!("the judge is `{one}` in `{first}` and `{other}` in `{dir}`"),
            });
        }
        if counted.corpus != job.record.corpus {
            unlike.push(format!("the documents in `{dir}` are others than in `{first}`"));
        }
        add(&mut counted, job, digests, &mut unlike);
        for record in job.trials.iter().filter(|record| record.reward.is_some()) {
            reasons.entry(record.trial.agent.label()).or_default().extend(record.reason.clone());
        }
    }
    counted.jobs.sort();
    for (agent, reasons) in reasons {
        let cells = counted.cells.iter_mut().filter(|((other, _), _)| *other == agent);
        if find_broken(cells.map(|(_, cell)| cell)) {
            // Whichever job is named first, the same one is told.
            counted.broken.insert(agent, reasons.into_iter().next().unwrap_or_default());
        }
    }
    if unlike.is_empty() { Ok(counted) } else { Err(Error::Unlike(unlike)) }
}

/// The first trial that no container ran, or the job where its engine is a fake.
fn fake(job: &Job) -> Option<String> {
    let trial = job.trials.iter().find(|record| record.engine == "fake").map(|record| record.trial.name.clone());
    trial.or((job.record.observed.engine.kind == "fake").then(|| "all of it".to_owned()))
}

/// Of two words on one key that with which the key is trusted least, whichever job says it. Of two bad ones it is the
/// first by name.
fn most_careful(one: Option<String>, other: Option<String>) -> Option<String> {
    let trust = |word: &Option<String>| match word.as_deref().map(Verdict::from_word) {
        Some(Some(verdict)) if verdict.is_bad() => 0,
        Some(Some(Verdict::Proved)) => 4,
        // Nobody has looked: less than a proof, and no doubt either.
        None => 3,
        Some(Some(Verdict::Fragile)) => 2,
        Some(_) => 1,
    };
    [one, other].into_iter().min_by_key(|word| (trust(word), word.clone())).flatten()
}

fn add(counted: &mut Counted, job: &Job, digests: &ArmDigests, unlike: &mut Vec<String>) {
    let dir = job.dir.display();
    let used: BTreeSet<usize> = job.record.trials.iter().map(|trial| trial.task_index).collect();
    for task in used.into_iter().filter_map(|index| job.record.tasks.get(index)) {
        let known = counted.tasks.entry(task.name.clone());
        let known = known.or_insert_with(|| (task.content_digest.clone(), task.audit.clone()));
        if known.0 != task.content_digest {
            unlike.push(format!("task `{}` in `{dir}` is another version than in the jobs before", task.name));
        }
        if known.1 != task.audit {
            known.1 = most_careful(known.1.take(), task.audit.clone());
        }
    }
    let ended = job.by_name();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut cells: BTreeMap<(String, String), Cell> = BTreeMap::new();
    for planned in &job.record.trials {
        let label = planned.agent.label();
        let digest = digests.agents.get(planned.agent_index).cloned().unwrap_or_default();
        let index = *labels.entry(label.clone()).or_insert(planned.agent_index);
        let known = counted.agents.entry(label.clone()).or_insert_with(|| digest.clone());
        let line = format!("agent `{label}` in `{dir}` is set otherwise than before");
        if (*known != digest || index != planned.agent_index) && !unlike.contains(&line) {
            unlike.push(line);
        }
        let record = ended.get(planned.name.as_str()).copied();
        counted.last = record.map_or(counted.last, |record| counted.last.max(record.timing.trial.finished_at));
        cells.entry((label, planned.task.clone())).or_default().count(record);
    }
    for (key, cell) in cells {
        counted.cells.entry(key).or_default().add(cell);
    }
}
