//! The report for a terminal: 80 columns, no color, readable when it is pasted into a message.

use super::bar::{BAR, bar};
use super::belief::{counted, scale};
use super::effort::facts;
use super::failures::{COLUMNS, NOTE, failures};
use super::judging::judging;
use super::models::models;
use super::network::network;
use super::numbers::{
    Group, arm_name, bad_keys, category_cells, category_name, counts, further_trials, groups, interval, job_line,
    other_judges, pass_rate, percent, seconds, shown_k, task_name, tasks, three,
};
use super::plain::plain;
use super::search::searching;
use crate::results::Job;
use crate::stats::{ArmSummary, Quantiles, StageTimes, Summary};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many columns a line may have.
pub const WIDTH: usize = 80;

/// A space at which no line is broken.
const TOGETHER: &str = "\u{a0}";

/// The column that holds the names of tasks and types.
const NAME: usize = 21;

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
        models.facts().iter().for_each(|(name, text)| fact(&mut out, name, &plain(text)));
    }
    if let Some(searching) = searching(job) {
        out.push_str("\nsearching\n");
        searching.facts().iter().for_each(|(name, text)| fact(&mut out, name, &plain(text)));
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
    if let Some(judges) = other_judges(arm) {
        fact("other judge", plain(&judges));
    }
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
        fact("calibration", further_trials(further));
    }
    for at in shown_k(&arm.pass_k) {
        let (k, any, every) = (at.k, three(at.pass_at_k), three(at.pass_hat_k));
        fact(&format!("k = {k}"), format!("pass@{k} {any}, pass^{k} {every} over {}", tasks(at.tasks)));
    }
    for (name, text) in arm.efficiency.iter().flat_map(facts) {
        fact(name, text);
    }
    if !arm.no_data.is_empty() {
        fact("no data", plain(&arm.no_data.join(", ")));
    }
    if !arm.categories.is_empty() {
        out.push_str(&format!(
            "\n  {:<NAME$}{:>8}{:>10}{:>8}{:>8}{:>6}\n",
            "type", "tasks", "passes", "reward", "strict", "lost"
        ));
    }
    for category in &arm.categories {
        let name = column(&format!("  {}", plain(&category_name(category))), NAME + 2);
        let [passes, reward, strict, without] = category_cells(category);
        out.push_str(&format!("{name}{:>8}{passes:>10}{reward:>8}{strict:>8}{without:>6}\n", category.tasks));
    }
    let failures = failures(arm);
    if !failures.is_empty() {
        let row =
            |[class, trials, retried, whose]: [&str; 4]| format!("  {class:<NAME$}{trials:>8}{retried:>10}  {whose}\n");
        out.push_str(&format!("\n{}", row(COLUMNS)));
        failures.iter().for_each(|cells| out.push_str(&row(cells.each_ref().map(String::as_str))));
        out.push_str(&format!("  {NOTE}\n"));
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
    let column = name.chars().count().max(12);
    for (i, line) in wrap(text, WIDTH - 4 - column).iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        writeln!(out, "  {name:<column$}  {line}").expect("a string takes everything");
    }
}

/// A name as the first column of a table. Whole, since people copy it into commands: a long one has a line of its own.
pub fn column(name: &str, width: usize) -> String {
    if name.chars().count() > width { format!("{name}\n{:width$}", "") } else { format!("{name:width$}") }
}

/// Text after the begin of its line where both fit into `width` columns, else below it.
pub fn beside(out: &mut String, begin: &str, text: &str, width: usize) {
    let taken = begin.lines().last().map_or(0, |line| line.chars().count());
    if taken + text.chars().count() <= width {
        out.push_str(format!("{begin}{text}").trim_end());
        out.push('\n');
        return;
    }
    if !begin.trim().is_empty() {
        writeln!(out, "{}", begin.trim_end()).expect("a string takes everything");
    }
    for line in wrap(text, width - 4) {
        writeln!(out, "    {line}").expect("a string takes everything");
    }
}

/// The tasks with their passes and what is believed of their pass rates, drawn; pass@k and pass^k stand above for all.
fn task_table(arm: &ArmSummary) -> String {
    let row = |cells: [&str; 6]| {
        let [name, passes, lost, reward, bar, interval] = cells;
        let name = column(&format!("  {name}"), NAME + 2);
        format!("{name}{passes:>8}{lost:>5}{reward:>7}  {bar:<BAR$}{interval:>13}\n")
    };
    let scale = scale(arm);
    let mut drawn: BTreeMap<(u64, u64), String> = BTreeMap::new();
    let mut out = String::from("\n");
    out.push_str(&row(["task", "passes", "lost", "reward", "0  pass rate, likely 1", "Wilson 95%"]));
    for task in &arm.tasks {
        let all = &task.all;
        let (n, passes) = counted(task);
        // Many tasks have the same counts.
        let drawn = drawn.entry((n, passes)).or_insert_with(|| {
            let posterior = scale.prior.posterior(n, passes);
            bar(scale.thresholds, |x| posterior.below(x))
        });
        out.push_str(&row([
            &task_name(task),
            &format!("{}/{}", all.passes, all.rewarded),
            &(all.planned - all.rewarded).to_string(),
            &three(all.mean_reward),
            if n == 0 { "" } else { drawn },
            &interval(all.wilson_95),
        ]));
    }
    let (hard, easy) = (scale.thresholds.hard, scale.thresholds.easy);
    let cuts = format!("the bars are cut at {hard} and {easy}, where hard, medium and easy meet");
    out.push_str(&format!("  {cuts}\n  lost: trials without a reward\n"));
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
