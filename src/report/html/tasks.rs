//! The table of tasks: what is believed of each, with the thresholds of the tiers. A script may sort it; the page's order
//! is the job's.

use super::plot::posterior;
use crate::report::belief::{counted, scale};
use crate::report::numbers::{dollars, pass_rate, seconds, three, verdict};
use crate::report::plain::plain;
use crate::results::{Job, TrialRecord};
use crate::stats::{ArmSummary, Scale, TaskSummary};
use maud::{Markup, html as markup};
use std::collections::{BTreeMap, HashMap};

/// The table; `id` is the begin of the anchors of tasks.
pub fn table(arm: &ArmSummary, job: &Job, id: &str) -> Markup {
    let scale = scale(arm);
    let (hard, easy) = (scale.thresholds.hard, scale.thresholds.easy);
    // Many tasks have the same counts, and what is believed of each takes a while to work out.
    let mut drawn: BTreeMap<(u64, u64), Markup> = BTreeMap::new();
    let mut tier = |task: &TaskSummary| {
        let drawing = drawn.entry(counted(task)).or_insert_with(|| tier(&scale, counted(task)));
        drawing.clone()
    };
    let audited = arm.tasks.iter().any(|task| task.audit.is_some());
    let ours = by_task(job, arm);
    let of = |task: &TaskSummary| ours.get(task.task.as_str()).map_or(&[][..], Vec::as_slice);
    let priced = ours.values().flatten().any(|record| paid(record).is_some());
    let typed = !arm.categories.is_empty();
    markup! {
        h3 { "Tasks" }
        p.quiet {
            "The drawing is what is believed of a task's pass rate after its trials (" (scale.prior.word()) " prior), from 0 to 1; \
             the lines are the thresholds " (hard) " (hard below) and " (easy) " (easy above), the point is the rate itself. \
             A tier stands in bold where at least " (scale.confidence * 100.0) "% of it lies there; else the likeliest, with a question mark."
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
                @if priced { th.n { "US dollars" } }
            } }
            tbody { @for (place, task) in arm.tasks.iter().enumerate() {
                @let time = median_seconds(of(task));
                tr {
                    td data-v=(place) { a href=(format!("#{id}t{place}")) { (plain(&task.task)) } }
                    @if typed { td { (plain(task.question_type.as_deref().unwrap_or("-"))) } }
                    @if audited { td { (verdict(task).unwrap_or("-".into())) } }
                    td { (plain(task.difficulty.as_deref().unwrap_or("-"))) }
                    (tier(task))
                    td.n data-v=(number(pass_rate(task.all.rewarded, task.all.passes))) { (task.all.passes) "/" (task.all.rewarded) }
                    td.n data-v=(number(task.all.mean_reward)) { (three(task.all.mean_reward)) }
                    td.n { (task.all.planned - task.all.rewarded) }
                    td.n data-v=(number(time)) { (seconds(time)) }
                    @if priced {
                        @let cost = cost(of(task));
                        td.n data-v=(number(cost)) { (cost.map_or("n/a".into(), |cost| dollars(cost).trim_start_matches('$').to_owned())) }
                    }
                }
            } }
        } }
    }
}

fn tier(scale: &Scale, (n, passes): (u64, u64)) -> Markup {
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

/// The trials of an agent that have ended, by task.
fn by_task<'j>(job: &'j Job, arm: &ArmSummary) -> HashMap<&'j str, Vec<&'j TrialRecord>> {
    let mut ours: HashMap<&str, Vec<&TrialRecord>> = HashMap::new();
    for record in job.trials.iter().filter(|record| record.trial.agent_index == arm.agent_index) {
        ours.entry(&record.trial.task).or_default().push(record);
    }
    ours
}

/// What a task's trials cost together; `None` where that isn't known of each.
fn cost(trials: &[&TrialRecord]) -> Option<f64> {
    trials.iter().filter_map(|record| paid(record)).sum()
}

/// What a trial's models cost, where it asked any, in US dollars; the inner `None` where that isn't known.
fn paid(record: &TrialRecord) -> Option<Option<f64>> {
    let run = record.agent_run.as_ref().and_then(|run| run.model.as_ref()).map(|run| run.cost_usd);
    run.or(record.model.as_ref().map(|relay| relay.cost_usd))
}

/// The median time of a task's trials that have a reward.
fn median_seconds(trials: &[&TrialRecord]) -> Option<f64> {
    let rewarded = trials.iter().filter(|record| record.reward.is_some());
    let mut times: Vec<f64> = rewarded.map(|record| record.timing.trial.seconds()).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len().saturating_sub(1) / 2).copied()
}

/// What a column is sorted by; what has no number comes first.
fn number(value: Option<f64>) -> String {
    value.map_or("-1".into(), |value| format!("{value:.6}"))
}
