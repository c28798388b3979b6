//! An agent's numbers: the headline with its interval, how trials ended, types of questions, times.

use super::plot::bar;
use super::tasks::table;
use crate::report::effort::facts;
use crate::report::failures::{COLUMNS, NOTE, failures};
use crate::report::judging::judging;
use crate::report::models::models;
use crate::report::network::network;
use crate::report::numbers::{
    arm_name, bad_keys, category_cells, category_name, counts, further_trials, groups, interval, number_of,
    other_judges, pass_rate, percent, seconds, tasks, three,
};
use crate::report::plain::plain;
use crate::report::search::searching;
use crate::report::text::stages;
use crate::results::Job;
use crate::stats::{ArmSummary, interval_over_tasks};
use maud::{Markup, html as markup};

/// One agent of a job; `id` is the begin of every anchor in it.
pub fn arm(job: &Job, arm: &ArmSummary, id: &str) -> Markup {
    markup! {
        section {
            h2 { (plain(&arm_name(arm))) }
            (headline(arm))
            (outcomes(arm))
            (failed(arm))
            (categories(arm))
            (table(arm, job, id))
            (times(arm))
        }
    }
}

fn headline(arm: &ArmSummary) -> Markup {
    let all = &arm.all;
    let means: Vec<f64> = arm.tasks.iter().filter_map(|task| task.all.mean_reward).collect();
    let over_tasks = interval_over_tasks(&means);
    let words = over_tasks.map_or("no interval: it takes two tasks that differ".into(), |(low, high)| {
        format!("95% {low:.3} to {high:.3} over tasks (Student's t)")
    });
    markup! {
        div.headline {
            p.big { (three(arm.mean_of_tasks)) span.quiet { " mean reward over " (tasks(means.len() as u64)) } }
            (bar(arm.mean_of_tasks, over_tasks, &format!("mean reward {}, {words}", three(arm.mean_of_tasks))))
            p { (words) }
            dl {
                dt { "passes" }
                dd { (all.passes) " of " (all.rewarded) " trials with a reward: " strong { (percent(pass_rate(all.rewarded, all.passes))) }
                    ", Wilson 95% " (interval(all.wilson_95)) " over trials taken as independent" }
                dt { "strict" }
                dd { (all.passes) " of " (all.planned) " planned: " strong { (percent(all.strict_pass_rate)) }
                    " (what has no reward counts as failed); mean reward " (three(all.strict_reward)) }
                @if let Some(judges) = other_judges(arm) { dt { "other judge" } dd { (plain(&judges)) } }
                @if let Some(good) = &arm.good_keys {
                    dt { "good keys" }
                    dd { (good.all.passes) " of " (good.all.rewarded) " trials pass: "
                        strong { (percent(pass_rate(good.all.rewarded, good.all.passes))) }
                        "; mean reward " (three(good.mean_of_tasks)) " over " (tasks(good.tasks)) }
                    dt { "bad keys" }
                    dd { (bad_keys(arm)) }
                }
                @if let Some(most) = arm.pass_k.last().filter(|at| at.k > 1) {
                    dt { "k = " (most.k) }
                    dd { "pass@" (most.k) " " (three(most.pass_at_k)) ", pass^" (most.k) " " (three(most.pass_hat_k))
                        " over " (tasks(most.tasks)) }
                }
                @if let Some(further) = &arm.further { dt { "calibration" } dd { (further_trials(further)) } }
                @for (name, text) in arm.efficiency.iter().flat_map(facts) { dt { (name) } dd { (text) } }
                @if !arm.no_data.is_empty() { dt { "no data" } dd { (plain(&arm.no_data.join(", "))) } }
            }
        }
    }
}

fn outcomes(arm: &ArmSummary) -> Markup {
    let planned = arm.all.planned;
    markup! {
        h3 { "How trials ended" }
        table.counts { tbody { @for (name, count) in counts(&arm.all.counts) {
            @let share = (planned > 0).then(|| count as f64 / planned as f64);
            tr.none[count == 0] {
                th scope="row" { (name) }
                td.n { (count) }
                td { (bar(share, None, &format!("{name}: {count} of {planned}"))) }
            }
        } } }
    }
}

fn failed(arm: &ArmSummary) -> Markup {
    let failures = failures(arm);
    let [class, trials, retried, whose] = COLUMNS;
    markup! { @if !failures.is_empty() {
        h3 { "Failures by class" }
        table {
            thead { tr { th { (class) } th.n { (trials) } th.n { (retried) } th { (whose) } } }
            tbody { @for [class, trials, retried, whose] in &failures {
                tr { th scope="row" { (class) } td.n { (trials) } td.n { (retried) } td { (whose) } }
            } }
        }
        p.quiet { (NOTE) }
    } }
}

fn categories(arm: &ArmSummary) -> Markup {
    markup! { @if !arm.categories.is_empty() {
        h3 { "By type of question" }
        div.wide { table {
            thead { tr { th { "type" } th.n { "tasks" } th.n { "passes" } th.n { "mean reward" } th { "" } th.n { "strict" } th.n { "no reward" } } }
            tbody { @for category in &arm.categories {
                @let [passes, reward, strict, without] = category_cells(category);
                @let name = plain(&category_name(category));
                tr {
                    th scope="row" { (name) }
                    td.n { (category.tasks) }
                    td.n { (passes) }
                    td.n { (reward) }
                    td { (bar(category.mean_of_tasks, None, &format!("{name}: mean reward {reward}"))) }
                    td.n { (strict) }
                    td.n { (without) }
                }
            } }
        } }
    } }
}

/// What went otherwise than answered and judged, over all agents of a job.
pub fn otherwise(job: &Job) -> Markup {
    let groups = groups(job);
    markup! { @if !groups.is_empty() {
        h3 { "What went otherwise" }
        div.wide { table {
            thead { tr { th.n { "trials" } th { "how it ended" } th { "why" } th { "the first of them" } } }
            tbody { @for group in groups {
                tr { td.n { (group.count) } td { (group.state) } td.text { (plain(&group.why)) } td { (plain(&group.first)) } }
            } }
        } }
    } }
}

/// How a job's agents searched.
pub fn searching_facts(job: &Job) -> Markup {
    markup! { @if let Some(searching) = searching(job) {
        h3 { "Searching" }
        dl { @for (name, text) in searching.facts() { dt { (name) } dd { (plain(&text)) } } }
    } }
}

/// What judging a job came to beside rewards.
pub fn judging_facts(job: &Job) -> Markup {
    markup! { @if let Some(judging) = judging(job) {
        h3 { "Judging" }
        dl { @for (name, text) in judging.facts() { dt { (name) } dd { (plain(&text)) } } }
    } }
}

/// What the agents of a job used of models; the judge's models are apart.
pub fn model_facts(job: &Job) -> Markup {
    markup! { @if let Some(models) = models(job) {
        h3 { "Models" }
        dl { @for (name, text) in models.facts() { dt { (name) } dd { (plain(&text)) } } }
    } }
}

/// What the agents of a job reached and were denied.
pub fn network_facts(job: &Job) -> Markup {
    markup! { @if let Some(network) = network(job) {
        h3 { "Network" }
        dl { @for (name, text) in network.facts() { dt { (name) } dd { (plain(&text)) } } }
    } }
}

fn times(arm: &ArmSummary) -> Markup {
    let rewarded = number_of(arm.all.rewarded, "trial");
    markup! {
        details {
            summary { "Times of stages, in seconds, over " (rewarded) " with a reward" }
            table {
                thead { tr { th { "stage" } th.n { "median" } th.n { "p95" } } }
                tbody { @for (stage, times) in stages(&arm.times) {
                    tr { td { (stage) } td.n { (seconds(times.map(|q| q.median))) } td.n { (seconds(times.map(|q| q.p95))) } }
                } }
            }
        }
    }
}
