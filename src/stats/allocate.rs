//! Where a calibrating job's next trials go. Decided only when all trials so far have ended, from what is on disk alone:
//! neither the order in which trials ended nor a crash changes what comes next.

use super::bias::JudgeRates;
use super::cells::{Cell, counts, find_broken};
use super::prior::Prior;
use super::standing::{Status, standing};
use super::tiers::{Scale, Thresholds};
use crate::plan::{Allocation, PlannedTrial, Round};
use crate::results::Job;
use std::collections::BTreeMap;

/// One task and agent of the job.
struct Open<'a> {
    /// How many of its trials say something, and the chance of its likeliest tier.
    n: u64,
    mass: f64,
    planned: &'a PlannedTrial,
    attempts: u32,
}

/// The next round of a job: `step` more attempts of each task whose tier is open and can be had within the cap, those
/// with the fewest trials first, then the surest, as far as the budget goes.
pub fn next_round(job: &Job, allocation: &Allocation) -> Round {
    let ended = job.by_name();
    // By agent first: what is believed of tasks is learnt for each agent.
    let mut agents: BTreeMap<usize, BTreeMap<usize, (Cell, &PlannedTrial, u32)>> = BTreeMap::new();
    for planned in &job.record.trials {
        let tasks = agents.entry(planned.agent_index).or_default();
        let (cell, _, attempts) = tasks.entry(planned.task_index).or_insert((Cell::default(), planned, 0));
        cell.count(ended.get(planned.name.as_str()).copied());
        *attempts = planned.attempt.max(*attempts);
    }
    let mut round = Round::default();
    let mut open = Vec::new();
    for tasks in agents.values_mut() {
        find_broken(tasks.values_mut().map(|(cell, ..)| cell));
        let counts = counts(tasks.values().map(|(cell, ..)| cell));
        let thresholds = Thresholds { hard: allocation.thresholds.0, easy: allocation.thresholds.1 };
        let scale = Scale::new(thresholds, allocation.confidence, Prior::learn(&counts), JudgeRates::PERFECT);
        for (cell, planned, attempts) in tasks.values() {
            round.of += 1;
            if is_settled(cell, &scale) {
                round.decided += 1;
            } else if is_within_reach(cell, &scale, allocation.cap.saturating_sub(*attempts)) {
                let (n, mass) = (cell.n(), scale.masses(cell.n(), cell.pass).lead().1);
                open.push(Open { n, mass, planned, attempts: *attempts });
            }
        }
    }
    open.sort_by(|a, b| (a.n, b.mass).partial_cmp(&(b.n, a.mass)).unwrap_or(std::cmp::Ordering::Equal));
    let mut left = allocation.budget.map_or(usize::MAX, |budget| budget.saturating_sub(job.record.trials.len()));
    for more in 1..=allocation.step {
        for open in open.iter().filter(|open| open.attempts + more <= allocation.cap) {
            if left == 0 {
                return round;
            }
            left -= 1;
            round.trials.push(open.planned.at_attempt(open.attempts + more));
        }
    }
    round
}

/// Whether a task's tier can be told.
pub fn is_settled(cell: &Cell, scale: &Scale) -> bool {
    standing(cell, scale).status == Status::Stamped
}

/// Whether a task's tier is likely to be told within so many more attempts.
fn is_within_reach(cell: &Cell, scale: &Scale, left: u32) -> bool {
    left > 0 && standing(cell, scale).needs_more.is_some_and(|more| more <= u64::from(left))
}
