//! What is believed of each task's pass rate, by the same rules in every format: all of a task's trials with a reward,
//! the suite's prior and the usual thresholds. A calibration has the last word, since it knows what judges err.

use crate::stats::{ArmSummary, JudgeRates, Prior, Scale, TaskSummary, Thresholds};

/// How sure a tier must be to be told, as in a calibration.
const SURE: f64 = 0.9;

/// What turns the counts of an agent's tasks into tiers.
pub fn scale(arm: &ArmSummary) -> Scale {
    let counts: Vec<(u64, u64)> = arm.tasks.iter().map(counted).collect();
    Scale::new(Thresholds::DEFAULT, SURE, Prior::learn(&counts), JudgeRates::PERFECT)
}

/// A task's trials with a reward, and how many of them passed. Further attempts of a calibrating job count too: they say
/// something about this task, though not about the score.
pub fn counted(task: &TaskSummary) -> (u64, u64) {
    let (n, passes) = task.further.as_ref().map_or((0, 0), |further| (further.rewarded, further.passes));
    (n + task.all.rewarded, passes + task.all.passes)
}

/// The chance of each tier as percentages, hard, medium and easy; `n/a` without a trial.
pub fn chances(scale: &Scale, task: &TaskSummary) -> String {
    let (n, passes) = counted(task);
    let masses = scale.masses(n, passes);
    let percent = |mass: f64| format!("{:.0}", mass * 100.0);
    match n {
        0 => "n/a".to_owned(),
        _ => [masses.hard, masses.medium, masses.easy].map(percent).join(" / "),
    }
}
