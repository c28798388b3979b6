//! What a job looks like while it runs: events → [`State`] → lines. Pure, so that it can be tested without a terminal
//! and without a clock; drawing is in `terminal.rs`.

use super::numbers::number_of;
use super::plain::{clip, first_line, plain};
use crate::event::{Event, Outcome, Stage, TrialEnd};
use crate::results::OutcomeKind;
use std::collections::{BTreeMap, BTreeSet};

/// At most this many running trials are shown, those that run longest.
const SHOWN: usize = 12;

/// What is known of a job that runs. Times are seconds on any clock, as long as it is always the same one.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// A label per planned trial, such as `ledger-21 attempt 2/3`.
    labels: Vec<String>,
    /// Trials that an earlier run has sealed.
    done_before: usize,
    finished: usize,
    rewarded: usize,
    passes: usize,
    ungraded: usize,
    /// Trials whose answer may be judged again.
    unjudged: BTreeSet<usize>,
    faults: usize,
    retries: usize,
    running: BTreeMap<usize, Running>,
    images: BTreeMap<String, Image>,
    first_start: Option<f64>,
    interrupted: bool,
    /// How many tasks of a calibrating job have their tier, and of how many.
    decided: Option<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct Running {
    stage: &'static str,
    since: f64,
}

#[derive(Debug, Clone)]
struct Image {
    last_line: String,
    since: f64,
}

impl State {
    /// Takes in what happened at `now`.
    pub fn apply(&mut self, event: &Event, now: f64) {
        match event {
            Event::JobStarted { plan, done } => {
                let attempts = plan.trials.iter().map(|trial| trial.attempt).max().unwrap_or(1);
                let several_agents = plan.trials.iter().any(|trial| trial.agent_index > 0);
                self.labels = plan
                    .trials
                    .iter()
                    .map(|trial| {
                        let agent = if several_agents { format!(" {}", trial.agent.name) } else { String::new() };
                        plain(&format!("{}{agent} attempt {}/{attempts}", trial.task, trial.attempt))
                    })
                    .collect();
                self.done_before = done.len();
            }
            Event::Notice { .. } => {}
            Event::Round(round) => {
                self.decided = Some((round.decided, round.of));
                let labels =
                    round.trials.iter().map(|trial| plain(&format!("{} attempt {}", trial.task, trial.attempt)));
                self.labels.extend(labels);
            }
            Event::ImageStarted { task } => {
                self.images.insert(task.clone(), Image { last_line: String::new(), since: now });
            }
            Event::ImageOutput { task, line } => {
                if let Some(image) = self.images.get_mut(task) {
                    image.last_line = plain(line);
                }
            }
            Event::ImageReady { task, .. } => {
                self.images.remove(task);
            }
            Event::TrialStarted { trial, .. } => {
                self.first_start.get_or_insert(now);
                self.running.insert(*trial, Running { stage: "starting", since: now });
            }
            Event::TrialStage { trial, stage } => {
                if let Some(running) = self.running.get_mut(trial) {
                    running.stage = doing(*stage);
                }
            }
            Event::AgentOutput { .. } | Event::AgentLogs { .. } | Event::Network { .. } => {}
            Event::TrialRetry { trial, .. } => {
                self.retries += 1;
                if let Some(running) = self.running.get_mut(trial) {
                    running.stage = "waiting to start again";
                }
            }
            Event::TrialFinished { trial, end } => {
                self.running.remove(trial);
                self.images.remove(&end.planned.task);
                // An answer that is judged again ends a second time.
                if self.unjudged.remove(trial) {
                    self.ungraded -= 1;
                } else {
                    self.finished += 1;
                }
                if matches!(end.outcome, Outcome::Ungraded { .. }) {
                    self.unjudged.insert(*trial);
                }
                self.count(&end.outcome);
            }
            Event::Interrupted => self.interrupted = true,
            Event::JobFinished => {
                self.running.clear();
                self.images.clear();
            }
        }
    }

    fn count(&mut self, outcome: &Outcome) {
        if let Some(reward) = outcome.reward() {
            self.rewarded += 1;
            self.passes += usize::from(reward == 1.0);
        }
        match outcome {
            Outcome::Ungraded { .. } => self.ungraded += 1,
            Outcome::Fault { .. } => self.faults += 1,
            _ => {}
        }
    }

    fn done(&self) -> usize {
        self.done_before + self.finished
    }

    /// How long the rest will take, if it goes on as so far; `None` before the first trial has ended.
    fn seconds_left(&self, now: f64) -> Option<f64> {
        let start = self.first_start.filter(|_| self.finished > 0)?;
        let left = self.labels.len().saturating_sub(self.done());
        Some((now - start).max(0.0) / self.finished as f64 * left as f64)
    }

    fn label(&self, trial: usize) -> &str {
        self.labels.get(trial).map_or("trial", String::as_str)
    }
}

/// The live view at `now`, in lines of at most `width` characters: the whole first, then what runs.
pub fn lines(state: &State, width: usize, now: f64) -> Vec<String> {
    let mut lines = vec![headline(state, now)];
    for (name, image) in &state.images {
        let seconds = now - image.since;
        lines.push(format!("  image of {}  {seconds:.0}s  {}", plain(name), image.last_line));
    }
    let mut running: Vec<_> = state.running.iter().collect();
    running.sort_by(|a, b| a.1.since.total_cmp(&b.1.since));
    for (trial, run) in running.iter().take(SHOWN) {
        lines.push(format!("  {}  {}  {:.0}s", state.label(**trial), run.stage, now - run.since));
    }
    if running.len() > SHOWN {
        lines.push(format!("  and {} more", running.len() - SHOWN));
    }
    lines.into_iter().map(|line| clip(&line, width)).collect()
}

fn headline(state: &State, now: f64) -> String {
    let mut line = format!("[{}/{}] passes {}/{}", state.done(), state.labels.len(), state.passes, state.rewarded);
    if state.rewarded > 0 {
        line.push_str(&format!(" ({:.0}%)", 100.0 * state.passes as f64 / state.rewarded as f64));
    }
    if let Some((decided, of)) = state.decided {
        line.push_str(&format!(", decided {decided}/{of}"));
    }
    if state.done_before > 0 {
        line.push_str(&format!(", {} done before", state.done_before));
    }
    line.push_str(&format!(", ungraded {}, faults {}", state.ungraded, state.faults));
    if state.retries > 0 {
        line.push_str(&format!(", retries {}", state.retries));
    }
    match state.seconds_left(now) {
        _ if state.interrupted => line.push_str(", stopping: nothing new starts"),
        Some(seconds) if state.done() < state.labels.len() => {
            line.push_str(&format!(", about {} left", rough_time(seconds)));
        }
        _ => {}
    }
    line
}

/// What an event adds to a log without a terminal, said after `state` has taken it in. Most events say nothing there.
pub fn plain_line(state: &State, event: &Event) -> Option<String> {
    match event {
        Event::JobStarted { plan, done } => {
            let trials = number_of(plan.trials.len() as u64, "trial");
            Some(if done.is_empty() { trials } else { format!("{trials}, {} done before", done.len()) })
        }
        Event::ImageReady { image, built: true, seconds, .. } => {
            Some(format!("image {} ready in {seconds:.1}s", plain(image)))
        }
        Event::Notice { text } => Some(plain(text)),
        Event::Round(round) => {
            let more = number_of(round.trials.len() as u64, "further trial");
            Some(format!("decided {}/{}, {more}", round.decided, round.of))
        }
        Event::TrialRetry { trial, fault, wait } => {
            let (label, stage, why) = (state.label(*trial), fault.stage.word(), plain(first_line(&fault.message)));
            Some(format!("{label} fault in {stage}, starts again in {wait:.0}s: {why}"))
        }
        Event::TrialFinished { trial, end } => Some(finished_line(state, *trial, end)),
        Event::Interrupted => Some("interrupted: nothing new starts".to_string()),
        Event::ImageStarted { .. }
        | Event::ImageOutput { .. }
        | Event::ImageReady { .. }
        | Event::TrialStarted { .. }
        | Event::TrialStage { .. }
        | Event::AgentOutput { .. }
        | Event::AgentLogs { .. }
        | Event::Network { .. }
        | Event::JobFinished => None,
    }
}

fn finished_line(state: &State, trial: usize, end: &TrialEnd) -> String {
    let word = OutcomeKind::from(&end.outcome).word().replace('_', " ");
    let reward = end.outcome.reward().map(|reward| format!(" {reward:?}")).unwrap_or_default();
    let seconds = end.timing.trial.finished_at - end.timing.trial.started_at;
    let why = match &end.outcome {
        Outcome::Ungraded { reason } => format!(": {}", plain(reason)),
        Outcome::Fault { fault } => format!(": in {}: {}", fault.stage.word(), plain(first_line(&fault.message))),
        Outcome::AgentError { reason, .. } => format!(": {}", plain(reason)),
        Outcome::NoAnswer { reason } => format!(": {reason}"),
        _ => String::new(),
    };
    format!("{} {word}{reward} {seconds:.1}s [{}/{}]{why}", state.label(trial), state.done(), state.labels.len())
}

fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Image => "waiting for its image",
        Stage::Sandbox => "starting",
        Stage::Agent => "agent",
        Stage::Collect => "collecting",
        Stage::Judge => "judge",
        Stage::Disk => "writing",
        Stage::Network => "network",
        Stage::Provider => "provider",
        Stage::Recording => "recording",
    }
}

fn rough_time(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        s if s < 60 => format!("{s}s"),
        s if s < 3600 => format!("{}m {:02}s", s / 60, s % 60),
        s => format!("{}h {:02}m", s / 3600, s % 3600 / 60),
    }
}
