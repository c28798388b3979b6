//! A calibration for a terminal: a table with each task's belief as a bar, and one task explained in words and numbers.

use super::bar::{bar, bar_of_masses};
use super::numbers::number_of;
use super::plain::{clip, plain};
use super::text::{column, fact};
use crate::stats::{Calibration, Standing, Status, TaskCalibration};
use crate::task::by_name;
use std::fmt::Write as _;

/// The column of the table that holds the tasks' names.
const NAME: usize = 22;

/// What each flag means.
const FLAGS: [(&str, &str); 6] = [
    (
        "agent-broken",
        "the agent did not work, so its failures say nothing of the task and no tier is told: its command could not be \
         started, or every trial of it everywhere ended with its own error or without an answer",
    ),
    (
        "agent-errors",
        "on this task every trial of an agent ended with its own error or without an answer; these count as failed",
    ),
    ("bad-key", "the audit calls the key bad, so no tier is told; mend the key, or `--signed TASK` vouches for it"),
    (
        "suspect-key",
        "no model ever passed: the key may be wrong, so `hard` is not told until it is proved; `--signed TASK` vouches \
         for it",
    ),
    ("model-split", "two models are probably more than 0.4 apart, so one tier does not fit both"),
    ("judge-unstable", "the judge's votes differ on more than a tenth of the trials"),
];

/// The table of a calibration, with what stands out below it.
pub fn calibration(calibration: &Calibration) -> String {
    let jobs: Vec<&str> = calibration.jobs.iter().map(|job| job.name.as_str()).collect();
    let mut out = format!("calibration by {}\n", plain(&calibration.model));
    let (hard, easy) = (calibration.thresholds.hard, calibration.thresholds.easy);
    fact(&mut out, "jobs", &format!("{}; judge {}", plain(&jobs.join(", ")), plain(&calibration.judge.name)));
    let rule = format!("hard to {hard}, easy above {easy}, told from a chance of {} on", calibration.confidence);
    fact(&mut out, "tiers", &rule);
    out.push('\n');
    writeln!(out, "  {:<NAME$}{:>7}  0  pass rate, likely   1  tier (chance)", "task", "passes")
        .expect("a string takes everything");
    let mut tasks: Vec<(&str, &TaskCalibration)> =
        calibration.tasks.iter().map(|(name, task)| (name.as_str(), task)).collect();
    tasks.sort_by(|(a, _), (b, _)| by_name(a, b));
    for (name, task) in &tasks {
        let main = &task.reference;
        let passes = format!("{}/{}", main.passes, main.n);
        let bar = belief(calibration, task);
        let line = format!("{}{passes:>7}  {bar}  {}", column(&format!("  {}", plain(name)), NAME + 2), verdict(main));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push('\n');
    let count = |status: Status| calibration.tasks.values().filter(|task| task.reference.status == status).count();
    let tier = |word: &str| calibration.tasks.values().filter(|task| task.tier.as_deref() == Some(word)).count();
    fact(
        &mut out,
        "told",
        &format!(
            "{} of {}: easy {}, medium {}, hard {}",
            count(Status::Stamped),
            number_of(tasks.len() as u64, "task"),
            tier("easy"),
            tier("medium"),
            tier("hard"),
        ),
    );
    let sum = |pick: fn(&Standing) -> u64| calibration.tasks.values().map(|task| pick(&task.reference)).sum::<u64>();
    let (n, passes, ambiguous) = (sum(|one| one.n), sum(|one| one.passes), sum(|one| one.ambiguous));
    let missing = sum(|one| one.missing);
    let trials = number_of(n, "trial");
    fact(
        &mut out,
        "trials",
        &format!("{passes} of {trials} passed, {ambiguous} ambiguous; {missing} missing, not counted"),
    );
    for (status, name) in
        [(Status::NeedsMore, "needs more"), (Status::Borderline, "borderline"), (Status::Blocked, "blocked")]
    {
        let names: Vec<&str> =
            tasks.iter().filter(|(_, task)| task.reference.status == status).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            fact(&mut out, name, &plain(&names.join(", ")));
        }
    }
    for (flag, meaning) in FLAGS {
        let has = |task: &TaskCalibration| task.flags.iter().any(|other| other == flag);
        let names: Vec<&str> = tasks.iter().filter(|(_, task)| has(task)).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            fact(&mut out, flag, &format!("{}: {meaning}", plain(&names.join(", "))));
        }
    }
    out
}

/// Why a task got its tier, or none.
pub fn explain(calibration: &Calibration, name: &str, task: &TaskCalibration) -> String {
    let main = &task.reference;
    let mut out = format!("{}: {}\n", plain(name), task.tier.as_deref().unwrap_or(main.status.word()));
    let passes = format!("{} of {} passed", main.passes, number_of(main.n, "trial"));
    let whose = plain(&calibration.model);
    fact(&mut out, "counted", &format!("{passes}, by {whose}; {} ambiguous", main.ambiguous));
    let pair = |tiers: &[String; 2]| format!("; if all had failed: {}, if all had passed: {}", tiers[0], tiers[1]);
    let worst = main.worst.as_ref().map(pair).unwrap_or_default();
    fact(&mut out, "missing", &format!("{}, not counted{worst}", number_of(main.missing, "trial")));
    let (hard, easy) = (calibration.thresholds.hard, calibration.thresholds.easy);
    let prior = calibration.models.get(&calibration.model).map_or("each model's own", |facts| facts.prior.word());
    let chances =
        |of: &crate::stats::Masses| format!("easy {:.3}, medium {:.3}, hard {:.3}", of.easy, of.medium, of.hard);
    fact(
        &mut out,
        "believed",
        &format!("{} (hard: passes at most {hard}; easy: more than {easy}; prior: {prior})", chances(&main.masses)),
    );
    writeln!(out, "  {:<12}  {}", "", belief(calibration, task).trim_end()).expect("a string takes everything");
    if let Some(passed) = &main.masses_if_passed {
        fact(&mut out, "", &format!("{} if ambiguous trials had passed", chances(passed)));
    }
    if let (Some(passes), Some(fails)) = (calibration.judge.sensitivity, calibration.judge.specificity) {
        let text = format!(
            "the judge passes {passes} of right answers and fails {fails} of wrong ones; the thresholds are moved by that"
        );
        fact(&mut out, "judge", &text);
    }
    if let Some((low, high)) = main.anytime_95 {
        fact(&mut out, "interval", &format!("{low:.3}-{high:.3}, 95 %, holds at any number of trials"));
    }
    fact(&mut out, "rule", &rule(calibration, main));
    for (flag, meaning) in FLAGS.iter().filter(|(flag, _)| task.flags.iter().any(|other| other == flag)) {
        fact(&mut out, flag, meaning);
    }
    if task.models.len() > 1 {
        for (model, one) in &task.models {
            let text = format!("{}/{}, {}", one.passes, one.n, verdict(one));
            fact(&mut out, "model", &format!("{}: {text}", plain(model)));
        }
    }
    let jobs: Vec<&str> = calibration.jobs.iter().map(|job| job.name.as_str()).collect();
    fact(&mut out, "from", &format!("{}, last trial on {}", plain(&jobs.join(", ")), calibration.date));
    fact(&mut out, "holds for", &format!("task {}", clip(&plain(&task.task_digest), 48)));
    out
}

/// What the rule says, with the part that is not met.
fn rule(calibration: &Calibration, main: &Standing) -> String {
    let x = calibration.confidence;
    let all = format!("3 trials or more, at most a third missing, and a chance of {x} or more for one tier");
    let (tier, mass) = main.masses.lead();
    let lead = format!("{} has {mass:.3}", tier.as_str());
    let more = main.needs_more.map(|more| format!("; {} will probably tell", number_of(more, "more trial")));
    match main.status {
        Status::Stamped => format!("{all}: met, {lead}"),
        Status::AgentBroken => format!("{all}: not asked, since the agent did not work"),
        Status::Blocked => format!("{all}: met, {lead}; but the key can't be trusted"),
        Status::NeedsMore => format!("{all}: not met, {lead}{}", more.unwrap_or_default()),
        Status::Borderline => {
            let (other, chance) = main.masses.second();
            format!("{all}: not met, {lead} and {} {chance:.3}; the task lies near a threshold", other.as_str())
        }
    }
}

fn belief(calibration: &Calibration, task: &TaskCalibration) -> String {
    let main = &task.reference;
    match calibration.models.get(&calibration.model) {
        Some(facts) => {
            let posterior = facts.prior.posterior(main.n, main.passes);
            bar(calibration.thresholds, |x| posterior.below(x))
        }
        None => bar_of_masses(calibration.thresholds, &main.masses),
    }
}

/// The tier, or what is known instead, in at most 23 columns.
fn verdict(main: &Standing) -> String {
    let (tier, mass) = main.masses.lead();
    match (main.status, main.needs_more) {
        (Status::Stamped, _) => format!("{} ({mass:.3})", tier.as_str()),
        (Status::Blocked, _) => format!("blocked, {} ({mass:.2})", tier.as_str()),
        (Status::AgentBroken, _) => "agent did not work".to_owned(),
        (Status::NeedsMore, Some(more)) => format!("+{more}, {} ({mass:.3})", tier.as_str()),
        _ => format!("{} or {}", tier.as_str(), main.masses.second().0.as_str()),
    }
}
