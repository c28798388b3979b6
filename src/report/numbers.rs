//! Numbers and counts as every report spells them, so that two formats never disagree about the same job.

use super::plain::{clip, first_line, plain};
use crate::results::{Job, OutcomeKind, TrialRecord};
use crate::stats::{ArmSummary, Category, Counts, PassK, Summary, TaskSummary, Tried};
use std::collections::BTreeMap;

/// A reward or a probability, to three places; `n/a` where the data can't say.
pub fn three(number: Option<f64>) -> String {
    number.map_or("n/a".to_string(), |number| format!("{number:.3}"))
}

/// A share as a percentage, to one place; `n/a` where the data can't say.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("n/a".to_string(), |share| format!("{:.1}%", share * 100.0))
}

/// An interval of shares as percentages, to one place; `n/a` where the data can't say.
pub fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or("n/a".to_string(), |(low, high)| format!("{:.1}-{:.1}%", low * 100.0, high * 100.0))
}

/// Passes over rewarded trials; `n/a` without any.
pub fn pass_rate(rewarded: u64, passes: u64) -> Option<f64> {
    (rewarded > 0).then(|| passes as f64 / rewarded as f64)
}

/// Seconds, to two places; `n/a` where none were measured.
pub fn seconds(number: Option<f64>) -> String {
    number.map_or("n/a".to_string(), |number| format!("{number:.2}"))
}

/// US dollars with four decimals; with more where less would read as nothing.
pub fn dollars(amount: f64) -> String {
    let decimals = if amount > 0.0 { 1 - amount.log10().floor().max(-12.0) as i32 } else { 4 };
    format!("${amount:.*}", decimals.max(4) as usize)
}

/// So many things, in words.
pub fn number_of(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Names with how often each was used, the most used first and equal ones by name; of many only the first, of a long name
/// only its begin.
pub fn most_used(counts: &BTreeMap<impl AsRef<str>, u64>) -> String {
    const SHOWN: usize = 10;
    const LONGEST: usize = 48;
    let mut names: Vec<_> = counts.iter().map(|(name, count)| (*count, name.as_ref())).collect();
    names.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let more = names.len().saturating_sub(SHOWN);
    let mut words: Vec<String> =
        names.iter().take(SHOWN).map(|(count, name)| format!("{} {count}", clip(name, LONGEST))).collect();
    words.extend((more > 0).then(|| format!("and {more} more")));
    words.join(", ")
}

/// So many tasks, in words.
pub fn tasks(count: u64) -> String {
    number_of(count, "task")
}

/// What came of a calibrating job's trials beyond the first attempts, and that the score leaves them out.
pub fn further_trials(further: &Tried) -> String {
    let some: Vec<String> = counts(&further.counts)
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    format!(
        "{} went where tiers were open, {} passed ({}); no number here but what is believed of each task counts them",
        number_of(further.planned, "further trial"),
        further.passes,
        some.join(", ")
    )
}

/// Every outcome with its count, in the order in which reports show them.
pub fn counts(counts: &Counts) -> [(&'static str, u64); 10] {
    [
        ("scored", counts.scored),
        ("no answer", counts.no_answer),
        ("agent timeout", counts.agent_timeout),
        ("agent error", counts.agent_error),
        ("limit", counts.limit),
        ("ungraded", counts.ungraded),
        ("fault", counts.fault),
        ("cancelled", counts.cancelled),
        ("missing", counts.missing),
        ("damaged", counts.damaged),
    ]
}

/// An outcome in words.
pub fn words(outcome: OutcomeKind) -> String {
    outcome.word().replace('_', " ")
}

/// An agent and its model.
pub fn arm_name(arm: &ArmSummary) -> String {
    match &arm.model {
        Some(model) => format!("{} ({model})", arm.agent),
        None => arm.agent.clone(),
    }
}

/// A task's name, with the audit's verdict beside it where its key isn't proved.
pub fn task_name(task: &TaskSummary) -> String {
    let verdict = verdict(task).filter(|verdict| verdict != "proved");
    let verdict = verdict.map(|verdict| format!(" ({verdict})")).unwrap_or_default();
    format!("{}{verdict}", plain(&task.task))
}

/// The audit's verdict on a task's key, in words.
pub fn verdict(task: &TaskSummary) -> Option<String> {
    task.audit.as_ref().map(|word| plain(&word.replace('_', " ")))
}

/// The tasks with bad keys, each with its verdict, in one line.
pub fn bad_keys(arm: &ArmSummary) -> String {
    let bad = arm.tasks.iter().filter(|task| task.has_bad_key());
    bad.map(task_name).collect::<Vec<_>>().join(", ")
}

/// The few k that a report has room for: 1, 2, 3, then 5, 10, 20, 50 and so on, and the largest.
pub fn shown_k(all: &[PassK]) -> impl Iterator<Item = &PassK> {
    let last = all.last().map_or(0, |at| at.k);
    all.iter().filter(move |at| {
        let mut head = at.k;
        while head % 10 == 0 && head > 0 {
            head /= 10;
        }
        matches!(head, 1 | 2 | 5) || at.k == 3 || at.k == last
    })
}

/// A type of question, or that there is none.
pub fn type_name(question_type: &Option<String>) -> &str {
    question_type.as_deref().unwrap_or("(no type)")
}

/// A type of question, or a tag.
pub fn category_name(category: &Category) -> String {
    category.tag.as_ref().map_or_else(|| type_name(&category.question_type).to_owned(), |tag| format!("tag {tag}"))
}

/// Of a type of question: passes over rewarded trials, mean reward, strict reward, how many trials have no reward.
pub fn category_cells(category: &Category) -> [String; 4] {
    let all = &category.all;
    [
        format!("{}/{}", all.passes, all.rewarded),
        three(category.mean_of_tasks),
        three(all.strict_reward),
        (all.planned - all.rewarded).to_string(),
    ]
}

/// What a job is, in one line: tasks, trials, judge, engine, cost of all starts where models cost, and which part of it this is.
pub fn job_line(job: &Job) -> String {
    let part = job.part.as_ref().map(|part| format!("; {part}")).unwrap_or_default();
    let least = if job.spent_is_all() { "" } else { "at least " };
    let spent = job.spent_usd().map(|spent| format!("; all starts together cost {least}{}", dollars(spent)));
    let spent = spent.unwrap_or_default();
    let job = &job.record;
    let engine = match job.observed.engine.kind.as_str() {
        "fake" => "fake engine: no container ran",
        kind => kind,
    };
    let trials = number_of(job.trials.len() as u64, "trial");
    let played = if job.observed.played_back {
        "; models were played back, which cost nothing: costs are the recording's, and times are not theirs"
    } else {
        ""
    };
    format!("{}, {trials}, judge {}, {engine}{spent}{played}{part}", tasks(job.tasks.len() as u64), job.judge)
}

/// Why a trial ended as it did: what went wrong, else what the judge said.
pub fn why(record: &TrialRecord) -> String {
    let verdict = record.verdict.as_ref().map(|verdict| verdict.reason.as_str());
    match (&record.fault, &record.reason, verdict) {
        (Some(fault), ..) => format!("in {}: {}", fault.stage.word(), fault.message),
        (None, Some(reason), Some(verdict)) => format!("{reason}; {verdict}"),
        (None, Some(reason), None) => reason.clone(),
        (None, None, verdict) => verdict.unwrap_or_default().to_string(),
    }
}

/// What the numbers of a job leave out, in one line; `None` where every trial has a reward.
pub fn warning(job: &Job, summary: &Summary) -> Option<String> {
    let tried = || summary.arms.iter().flat_map(|arm| [Some(&arm.all), arm.further.as_ref()]).flatten();
    let sum = |pick: fn(&Counts) -> u64| tried().map(|tried| pick(&tried.counts)).sum::<u64>();
    let counts = [
        (sum(|counts| counts.ungraded), "ungraded"),
        (sum(|counts| counts.fault), "ended as faults"),
        (sum(|counts| counts.cancelled), "cancelled"),
        (sum(|counts| counts.missing), "missing"),
        (sum(|counts| counts.damaged), "damaged"),
    ];
    let parts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let without: u64 = counts.iter().map(|(count, _)| count).sum();
    let all = job.record.trials.len();
    (without > 0).then(|| format!("{without} of {all} trials have no reward: {}", parts.join(", ")))
}

/// Trials that ended alike, and not with a reward from the judge alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// How they ended, or `missing`, or `damaged`.
    pub state: String,
    /// Why, in one line.
    pub why: String,
    /// How many.
    pub count: usize,
    /// The first of them, in the order of the plan.
    pub first: String,
}

/// What went otherwise than answered and judged, alike things together, in the order of the plan.
pub fn groups(job: &Job) -> Vec<Group> {
    let ended = job.by_name();
    let mut groups: Vec<(String, Group)> = Vec::new();
    for planned in &job.record.trials {
        let (state, why) = match ended.get(planned.name.as_str()) {
            Some(record) if record.outcome == OutcomeKind::Scored => continue,
            Some(record) => (words(record.outcome), cause(record)),
            None => absent(job, &planned.name),
        };
        // What an agent wrote last is shown for the first of those that ended alike.
        let line = ended.get(planned.name.as_str()).and_then(|record| record.agent_run.as_ref()?.last_line.as_deref());
        let alike = line.map_or(why.clone(), |line| why.replace(line, ""));
        // How often and how long a provider was asked, and its request's number, are each trial's own.
        let own = [", after ", " (request `"].into_iter().filter_map(|own| alike.find(own)).min();
        let alike =
            if alike.starts_with("in provider: ") { alike[..own.unwrap_or(alike.len())].to_owned() } else { alike };
        match groups.iter_mut().find(|(before, group)| group.state == state && *before == alike) {
            Some((_, group)) => group.count += 1,
            None => groups.push((alike, Group { state, why, count: 1, first: planned.name.clone() })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What of a trial can be the same in others: not what the judge said of this one answer.
fn cause(record: &TrialRecord) -> String {
    let text = match &record.fault {
        Some(fault) => format!("in {}: {}", fault.stage.word(), first_line(&fault.message)),
        None => record.reason.as_deref().map(first_line).unwrap_or_default().to_string(),
    };
    if text.is_empty() { "its time was over".to_string() } else { text }
}

/// What is known of a trial without a record.
fn absent(job: &Job, name: &str) -> (String, String) {
    match job.damaged.iter().find(|damaged| damaged.name == name) {
        Some(damaged) => ("damaged".to_string(), damaged.why.clone()),
        None => ("missing".to_string(), "it has not ended".to_string()),
    }
}

/// A trial that no estimate counts.
pub struct LeftOut {
    /// The trial's name.
    pub name: String,
    /// How it ended, or `missing`, or `damaged`.
    pub state: String,
    /// Why.
    pub why: String,
}

/// All trials that no estimate counts, in the order of the plan.
pub fn left_out(job: &Job) -> Vec<LeftOut> {
    let ended = job.by_name();
    let mut list = Vec::new();
    for planned in &job.record.trials {
        let (state, why) = match ended.get(planned.name.as_str()) {
            Some(record) if record.reward.is_some() => continue,
            Some(record) => (words(record.outcome), why(record)),
            None => absent(job, &planned.name),
        };
        list.push(LeftOut { name: planned.name.clone(), state, why });
    }
    list
}

/// How many of an agent's trials other judges than the job's graded, and which; `None` where none did.
pub fn other_judges(arm: &ArmSummary) -> Option<String> {
    let trials = arm.other_judges.values().sum::<u64>();
    let judges: Vec<&str> = arm.other_judges.keys().map(String::as_str).collect();
    let were = if trials == 1 { "was" } else { "were" };
    (trials > 0)
        .then(|| format!("{} {were} graded by another judge: {}", number_of(trials, "trial"), judges.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_cost_does_not_read_as_nothing() {
        for (amount, shown) in [
            (0.0, "$0.0000"),
            (0.000_004_81, "$0.0000048"),
            (0.000_1, "$0.00010"),
            (0.001_2, "$0.0012"),
            (0.25, "$0.2500"),
            (1234.5, "$1234.5000"),
            (1e-30, "$0.0000000000000"),
        ] {
            assert_eq!(dollars(amount), shown);
        }
    }
}
