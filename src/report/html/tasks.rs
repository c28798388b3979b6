//! The table of tasks: what is believed of each, with the thresholds of the tiers. A script may sort it; the page's order
//! is the job's.

use super::super::numbers::{pass_rate, seconds, three, verdict};
use super::super::plain::{clip, plain};
use super::plot::posterior;
use crate::results::{Job, TrialRecord};
use crate::stats::{ArmSummary, JudgeRates, Prior, Scale, TaskSummary, Thresholds, Tried};
use maud::{Markup, html as markup};
use std::collections::BTreeMap;

/// How sure a tier must be to be told, as in a calibration.
const SURE: f64 = 0.9;

/// The table; `id` is the begin of the anchors of tasks.
pub fn table(arm: &ArmSummary, job: &Job, id: &str) -> Markup {
    let counts: Vec<(u64, u64)> = arm.tasks.iter().map(|task| (task.all.rewarded, task.all.passes)).collect();
    let scale = Scale::new(Thresholds::DEFAULT, SURE, Prior::learn(&counts), JudgeRates::PERFECT);
    let (hard, easy) = (scale.thresholds.hard, scale.thresholds.easy);
    // Many tasks have the same counts, and what is believed of each takes a while to work out.
    let mut drawn: BTreeMap<(u64, u64), Markup> = BTreeMap::new();
    let mut tier = |task: &TaskSummary| {
        let drawing = drawn.entry((task.all.rewarded, task.all.passes)).or_insert_with(|| tier(&scale, &task.all));
        drawing.clone()
    };
    let audited = arm.tasks.iter().any(|task| task.audit.is_some());
    let typed = !arm.categories.is_empty();
    markup! {
        h3 { "Tasks" }
        p.quiet {
            "The drawing is what is believed of a task's pass rate after its trials (" (scale.prior.word()) " prior), from 0 to 1; \
             the lines are the thresholds " (hard) " (hard below) and " (easy) " (easy above), the point is the rate itself. \
             A tier stands in bold where at least " (SURE * 100.0) "% of it lies there; else the likeliest, with a question mark."
        }
        div.wide { table.sort {
            thead { tr {
                th { "task" }
                @if typed { th { "type" } }
                @if audited { th { "key" } }
                th { "stated" }
                th { "tier" }
                th { "belief" }
                th.n { "passes" }
                th.n { "reward" }
                th.n { "no reward" }
                th.n { "seconds" }
            } }
            tbody { @for (place, task) in arm.tasks.iter().enumerate() {
                @let time = median_seconds(job, arm, task);
                tr {
                    td data-v=(place) { a href=(format!("#{id}t{place}")) { (clip(&plain(&task.task), 60)) } }
                    @if typed { td { (plain(task.question_type.as_deref().unwrap_or("-"))) } }
                    @if audited { td { (verdict(task).unwrap_or("-".into())) } }
                    td { (plain(task.difficulty.as_deref().unwrap_or("-"))) }
                    (tier(task))
                    td.n data-v=(number(pass_rate(task.all.rewarded, task.all.passes))) { (task.all.passes) "/" (task.all.rewarded) }
                    td.n data-v=(number(task.all.mean_reward)) { (three(task.all.mean_reward)) }
                    td.n { (task.all.planned - task.all.rewarded) }
                    td.n data-v=(number(time)) { (seconds(time)) }
                }
            } }
        } }
    }
}

fn tier(scale: &Scale, all: &Tried) -> Markup {
    let (n, passes) = (all.rewarded, all.passes);
    if n == 0 {
        return markup! { td data-v="-1" { "no data" } td data-v="-1" {} };
    }
    let masses = scale.masses(n, passes);
    let (lead, mass) = masses.lead();
    let believed = scale.prior.posterior(n, passes);
    let words = format!(
        "{passes} of {n} passed; hard {:.0}%, medium {:.0}%, easy {:.0}%",
        masses.hard * 100.0,
        masses.medium * 100.0,
        masses.easy * 100.0
    );
    let thresholds = (scale.thresholds.hard, scale.thresholds.easy);
    markup! {
        td data-v=(format!("{:.6}", masses.easy - masses.hard)) {
            @if scale.tier(&masses).is_some() { strong { (lead.as_str()) } } @else { (lead.as_str()) "?" }
            span.quiet { " " (format!("{:.0}%", mass * 100.0)) }
        }
        td data-v=(format!("{:.6}", believed.mean())) { (posterior(&believed, thresholds, pass_rate(n, passes), &words)) }
    }
}

/// The median time of a task's trials that have a reward.
fn median_seconds(job: &Job, arm: &ArmSummary, task: &TaskSummary) -> Option<f64> {
    let ours = |record: &&TrialRecord| {
        record.trial.agent_index == arm.agent_index && record.trial.task == task.task && record.reward.is_some()
    };
    let mut times: Vec<f64> = job.trials.iter().filter(ours).map(|record| record.timing.trial.seconds()).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len().saturating_sub(1) / 2).copied()
}

/// What a column is sorted by; what has no number comes first.
fn number(value: Option<f64>) -> String {
    value.map_or("-1".into(), |value| format!("{value:.6}"))
}
