//! The report for a terminal: 80 columns, no color, readable when it is pasted into a message.

use super::bar::{BAR, bar};
use super::judging::judging;
use super::models::models;
use super::network::network;
use super::numbers::{
    Group, arm_name, bad_keys, category_cells, counts, groups, interval, job_line, pass_rate, percent, seconds,
    task_name, tasks, three, type_name,
};
use super::plain::{clip, plain};
use crate::results::Job;
use crate::stats::{ArmSummary, Prior, Quantiles, StageTimes, Summary, Thresholds};
use std::fmt::Write as _;

/// How many columns a line may have.
const WIDTH: usize = 80;

/// What is believed of a task's pass rate is drawn from its own trials alone.
const PRIOR: Prior = Prior::Jeffreys;

/// A space at which no line is broken.
const TOGETHER: &str = "\u{a0}";

/// The column of the table that holds the tasks' names.
const NAME: usize = 25;

/// A job as text.
pub fn text(job: &Job, summary: &Summary) -> String {
    let mut out = String::new();
    let title = format!("{}: {}", plain(&job.record.name), plain(&job_line(job)));
    wrap(&title, WIDTH).iter().for_each(|line| writeln!(out, "{line}").expect("a string takes everything"));
    for arm in &summary.arms {
        out.push_str(&arm_text(arm));
    }
    if let Some(network) = network(job) {
        out.push_str("\nnetwork\n");
        network.facts().iter().for_each(|(name, text)| fact(&mut out, name, &plain(text)));
    }
    if let Some(models) = models(job) {
        out.push_str("\nmodels\n");
        models.facts().iter().for_each(|(name, text)| fact(&mut out, name, text));
    }
    if let Some(judging) = judging(job) {
        out.push_str("\njudging\n");
        judging.facts().iter().for_each(|(name, text)| fact(&mut out, name, &plain(text)));
    }
    let groups = groups(job);
    if !groups.is_empty() {
        out.push_str("\nwhat went otherwise (trials, how it ended, why, the first of them)\n");
        for Group { state, why, count, first } in groups {
            let line = format!("{state}: {}; {}", plain(&why), plain(&first));
            for (i, line) in wrap(&line, WIDTH - 8).iter().enumerate() {
                let count = if i == 0 { count.to_string() } else { String::new() };
                writeln!(out, "  {count:>4}  {line}").expect("a string takes everything");
            }
        }
    }
    out
}

/// Stages by name, in their order.
pub fn stages(times: &StageTimes) -> [(&'static str, Option<Quantiles>); 6] {
    [
        ("image", times.image),
        ("sandbox", times.sandbox),
        ("agent", times.agent),
        ("collect", times.collect),
        ("judge", times.judge),
        ("trial", times.trial),
    ]
}

fn arm_text(arm: &ArmSummary) -> String {
    let mut out = String::new();
    let all = &arm.all;
    let rate = percent(pass_rate(all.rewarded, all.passes));
    out.push_str(&format!("\n{}\n", plain(&arm_name(arm))));
    let mut fact = |name: &str, text: String| fact(&mut out, name, &text);
    fact("passes", format!("{} of {} trials with a reward pass: {rate}", all.passes, all.rewarded));
    fact("Wilson 95%", format!("{}, over trials taken as independent", interval(all.wilson_95)));
    if let Some(good) = &arm.good_keys {
        let (all, mean) = (&good.all, three(good.mean_of_tasks));
        let rate = percent(pass_rate(all.rewarded, all.passes));
        fact(
            "good keys",
            format!(
                "{} of {} trials with a reward pass: {rate}, Wilson 95% {}; mean reward {mean} over {}",
                all.passes,
                all.rewarded,
                interval(all.wilson_95),
                tasks(good.tasks)
            ),
        );
        fact("bad keys", bad_keys(arm));
    }
    let pair = |(name, count): (&str, u64)| format!("{name} {count}").replace(' ', TOGETHER);
    fact("trials", counts(&all.counts).map(pair).join(", "));
    fact(
        "strict",
        format!(
            "{} of {} planned, {} (what has no reward counts as failed)",
            all.passes,
            all.planned,
            percent(all.strict_pass_rate)
        ),
    );
    let with_data = (arm.tasks.len() - arm.no_data.len()) as u64;
    let error = arm.standard_error.map(|error| format!(", standard error {error:.3}")).unwrap_or_default();
    let over = arm.interval_95.map(|(low, high)| format!(", 95% {low:.3}-{high:.3} over tasks")).unwrap_or_default();
    let strict = three(all.strict_reward);
    fact(
        "mean reward",
        format!("{} over {}{error}{over}; strict {strict}", three(arm.mean_of_tasks), tasks(with_data)),
    );
    if let Some(further) = &arm.further {
        let (n, passes) = (further.planned, further.passes);
        let counts = counts(&further.counts).into_iter().filter(|(_, count)| *count > 0).map(pair);
        let counts: Vec<String> = counts.collect();
        fact(
            "calibration",
            format!(
                "{n} further trials went where tiers were open, {passes} passed ({}); no number here but the bars counts \
                 them",
                counts.join(", ")
            ),
        );
    }
    for at in &arm.pass_k {
        let (k, any, every) = (at.k, three(at.pass_at_k), three(at.pass_hat_k));
        fact(&format!("k = {k}"), format!("pass@{k} {any}, pass^{k} {every} over {}", tasks(at.tasks)));
    }
    if !arm.no_data.is_empty() {
        fact("no data", plain(&arm.no_data.join(", ")));
    }
    if !arm.categories.is_empty() {
        out.push_str(&format!(
            "\n  {:<NAME$}{:>8}{:>10}{:>8}{:>8}{:>12}\n",
            "type", "tasks", "passes", "reward", "strict", "no reward"
        ));
    }
    for category in &arm.categories {
        let name = clip(&plain(type_name(&category.question_type)), NAME);
        let [passes, reward, strict, without] = category_cells(category);
        out.push_str(&format!("  {name:<NAME$}{:>8}{passes:>10}{reward:>8}{strict:>8}{without:>12}\n", category.tasks));
    }
    out.push_str(&task_table(arm));
    out.push_str(&format!("\n  {:<10}{:>10}{:>10}\n", "seconds", "median", "p95"));
    for (stage, times) in stages(&arm.times) {
        let (median, p95) = (seconds(times.map(|q| q.median)), seconds(times.map(|q| q.p95)));
        out.push_str(&format!("  {stage:<10}{median:>10}{p95:>10}\n"));
    }
    out
}

/// A named fact, wrapped beside its name.
pub fn fact(out: &mut String, name: &str, text: &str) {
    for (i, line) in wrap(text, WIDTH - 16).iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        writeln!(out, "  {name:<12}  {line}").expect("a string takes everything");
    }
}

/// The tasks with their passes and what is believed of their pass rates, drawn; pass@k and pass^k stand above for all.
fn task_table(arm: &ArmSummary) -> String {
    let row = |cells: [&str; 5]| {
        let [name, passes, reward, bar, interval] = cells;
        format!("  {name:<NAME$}{passes:>8}{reward:>8}  {bar:<BAR$}{interval:>13}\n")
    };
    let mut out = String::from("\n");
    out.push_str(&row(["task", "passes", "reward", "0  pass rate, likely 1", "Wilson 95%"]));
    for task in &arm.tasks {
        let all = &task.all;
        // Further attempts of a calibrating job say something about this task, though not about the score.
        let (n, passes) = task.further.as_ref().map_or((0, 0), |further| (further.rewarded, further.passes));
        let (n, passes) = (n + all.rewarded, passes + all.passes);
        let posterior = PRIOR.posterior(n, passes);
        let drawn = bar(Thresholds::DEFAULT, |x| posterior.below(x));
        out.push_str(&row([
            &task_name(task, NAME),
            &format!("{}/{}", all.passes, all.rewarded),
            &three(all.mean_reward),
            if n == 0 { "" } else { &drawn },
            &interval(all.wilson_95),
        ]));
    }
    out.push_str("  the bars are cut at 0.2 and 0.8, where hard, medium and easy meet\n");
    out
}

/// `text` broken at its spaces, but not at [`TOGETHER`], into lines of at most `width` characters; a longer word stays
/// whole.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines.into_iter().map(|line| line.replace(TOGETHER, " ")).collect()
}
