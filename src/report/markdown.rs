//! The report for pull requests and notes: Markdown with tables, whatever agents write in it kept from being markup.

use super::belief::{chances, scale};
use super::effort::facts;
use super::failures::{COLUMNS, NOTE, failures};
use super::judging::judging;
use super::models::models;
use super::network::network;
use super::numbers::{
    Group, arm_name, bad_keys, category_cells, category_name, counts, further_trials, groups, interval, job_line,
    other_judges, pass_rate, percent, seconds, shown_k, tasks, three, verdict,
};
use super::plain::plain;
use super::search::searching;
use super::text::stages;
use crate::results::Job;
use crate::stats::{ArmSummary, Summary};

/// A job as Markdown.
pub fn markdown(job: &Job, summary: &Summary) -> String {
    let mut out = format!("# {}\n\n{}\n", literal(&job.record.name), literal(&job_line(job)));
    for arm in &summary.arms {
        out.push_str(&arm_markdown(arm));
    }
    if let Some(searching) = searching(job) {
        out.push_str("\n## Searching\n\n| | |\n| --- | --- |\n");
        for (name, text) in searching.facts() {
            out.push_str(&format!("| {name} | {} |\n", literal(&text)));
        }
    }
    if let Some(judging) = judging(job) {
        out.push_str("\n## Judging\n\n| | |\n| --- | --- |\n");
        for (name, text) in judging.facts() {
            out.push_str(&format!("| {name} | {} |\n", literal(&text)));
        }
    }
    if let Some(network) = network(job) {
        out.push_str("\n## Network\n\n| | |\n| --- | --- |\n");
        for (name, text) in network.facts() {
            out.push_str(&format!("| {name} | {} |\n", literal(&text)));
        }
    }
    if let Some(models) = models(job) {
        out.push_str("\n## Models\n\n| | |\n| --- | --- |\n");
        for (name, text) in models.facts() {
            out.push_str(&format!("| {name} | {} |\n", literal(&text)));
        }
    }
    let groups = groups(job);
    if !groups.is_empty() {
        out.push_str("\n## What went otherwise\n\n| trials | how it ended | why | the first of them |\n");
        out.push_str("| ---: | --- | --- | --- |\n");
        for Group { state, why, count, first } in groups {
            out.push_str(&format!("| {count} | {state} | {} | {} |\n", literal(&why), literal(&first)));
        }
    }
    out
}

fn arm_markdown(arm: &ArmSummary) -> String {
    let all = &arm.all;
    let rate = percent(pass_rate(all.rewarded, all.passes));
    let mut out = format!("\n## {}\n\n", literal(&arm_name(arm)));
    out.push_str(&format!(
        "**{} of {} trials with a reward pass: {rate}**, Wilson 95% over trials {}; strict {} of {} planned: {}\n\n",
        all.passes,
        all.rewarded,
        interval(all.wilson_95),
        all.passes,
        all.planned,
        percent(all.strict_pass_rate),
    ));
    if let Some(judges) = other_judges(arm) {
        out.push_str(&format!("**{}**\n\n", literal(&judges)));
    }
    if let Some(good) = &arm.good_keys {
        let all = &good.all;
        out.push_str(&format!(
            "**Without bad keys, {} of {} pass: {}**, Wilson 95% {}; mean reward {} over {}. Bad keys: {}\n\n",
            all.passes,
            all.rewarded,
            percent(pass_rate(all.rewarded, all.passes)),
            interval(all.wilson_95),
            three(good.mean_of_tasks),
            tasks(good.tasks),
            literal(&bad_keys(arm)),
        ));
    }
    let counts = counts(&all.counts);
    out.push_str(&format!("| {} |\n", counts.map(|(name, _)| name).join(" | ")));
    out.push_str(&format!("| {} |\n", counts.map(|_| "---:").join(" | ")));
    out.push_str(&format!("| {} |\n\n", counts.map(|(_, count)| count.to_string()).join(" | ")));
    let error = arm.standard_error.map(|error| format!(", standard error {error:.3}")).unwrap_or_default();
    let over = arm.interval_95.map(|(low, high)| format!(", 95% {low:.3}-{high:.3} over tasks")).unwrap_or_default();
    let (mean, strict) = (three(arm.mean_of_tasks), three(all.strict_reward));
    let with_data = (arm.tasks.len() - arm.no_data.len()) as u64;
    out.push_str(&format!("Mean reward {mean} over {}{error}{over}; strict {strict}.\n", tasks(with_data)));
    if let Some(further) = &arm.further {
        out.push_str(&format!("\nCalibration: {}.\n", further_trials(further)));
    }
    for (name, text) in arm.efficiency.iter().flat_map(facts) {
        out.push_str(&format!("\n{name}: {text}\n"));
    }
    if !arm.no_data.is_empty() {
        out.push_str(&format!("\nNo data: {}\n", literal(&arm.no_data.join(", "))));
    }
    out.push_str("\n| k | pass@k | pass^k | tasks |\n| ---: | ---: | ---: | ---: |\n");
    for at in shown_k(&arm.pass_k) {
        let (any, every) = (three(at.pass_at_k), three(at.pass_hat_k));
        out.push_str(&format!("| {} | {any} | {every} | {} |\n", at.k, at.tasks));
    }
    if !arm.categories.is_empty() {
        out.push_str("\n| type | tasks | passes | mean reward | strict | trials without a reward |\n");
        out.push_str("| --- | ---: | ---: | ---: | ---: | ---: |\n");
    }
    for category in &arm.categories {
        let (name, [passes, reward, strict, without]) = (literal(&category_name(category)), category_cells(category));
        out.push_str(&format!("| {name} | {} | {passes} | {reward} | {strict} | {without} |\n", category.tasks));
    }
    let failures = failures(arm);
    if !failures.is_empty() {
        out.push_str(&format!("\n| {} |\n| --- | ---: | ---: | --- |\n", COLUMNS.join(" | ")));
        failures.iter().for_each(|row| out.push_str(&format!("| {} |\n", row.join(" | "))));
        out.push_str(&format!("\nBy class: {NOTE}.\n"));
    }
    let scale = scale(arm);
    let audited = arm.tasks.iter().any(|task| task.audit.is_some());
    let (key, rule) = if audited { (" key |", " --- |") } else { ("", "") };
    out.push_str(&format!("\n| task |{key} passes | lost | reward | Wilson 95% | hard / medium / easy, % |\n"));
    out.push_str(&format!("| --- |{rule} ---: | ---: | ---: | ---: | ---: |\n"));
    for task in &arm.tasks {
        let (name, all) = (literal(&task.task), &task.all);
        let (reward, interval) = (three(all.mean_reward), interval(all.wilson_95));
        let (passes, rewarded, lost) = (all.passes, all.rewarded, all.planned - all.rewarded);
        let chances = chances(&scale, task);
        let key = if audited { format!(" {} |", literal(&verdict(task).unwrap_or_default())) } else { String::new() };
        out.push_str(&format!("| {name} |{key} {passes}/{rewarded} | {lost} | {reward} | {interval} | {chances} |\n"));
    }
    out.push_str(&format!(
        "\nLost: planned trials without a reward. The last column is what is believed of the task's pass rate: hard up \
         to {}, easy above {}.\n",
        scale.thresholds.hard, scale.thresholds.easy
    ));
    out.push_str("\n| stage | median, s | p95, s |\n| --- | ---: | ---: |\n");
    for (stage, times) in stages(&arm.times) {
        let (median, p95) = (seconds(times.map(|q| q.median)), seconds(times.map(|q| q.p95)));
        out.push_str(&format!("| {stage} | {median} | {p95} |\n"));
    }
    out
}

/// Text that is shown as it is: nothing in it is markup.
pub fn literal(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}
