//! Agents side by side on the same tasks: every two of them paired by task, and what can be said of who is better.
//! Only the same tasks are compared; what has no reward is in no difference, is named, and counts as failed in the
//! strict one.

use super::clusters::interval_over_tasks;
use super::error::Error;
use super::paired::{Paired, paired};
use super::summarize::summarize;
use super::summary::{ArmSummary, TaskSummary, Tried};
use crate::results::Job;
use crate::task::by_name;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A difference is settled where both tests have a p below this.
pub const LEVEL: f64 = 0.05;

/// Some jobs' agents, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// How many tasks all of them had, with the same content.
    pub tasks: u64,
    /// Tasks that are not compared, since not every job has them with the same content.
    pub left_out: Vec<NotCompared>,
    /// Why the grades are not all of one judge, in words; empty where they are. Rewards of different judges are no
    /// comparison of agents.
    pub judges_differ: Vec<String>,
    /// What else differs between the jobs and may be behind a difference, in words.
    pub notes: Vec<String>,
    /// The agents, in the order of the jobs; pairs count in this list.
    pub arms: Vec<ComparedArm>,
    /// Every two of them, in that order.
    pub pairs: Vec<Pair>,
}

/// A task that is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCompared {
    /// Its name.
    pub task: String,
    /// Why.
    pub why: String,
}

/// One agent of one job, over the compared tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedArm {
    /// The job's name.
    pub job: String,
    /// The agent's name.
    pub agent: String,
    /// Its model, where it has one.
    pub model: Option<String>,
    /// Its trials.
    pub all: Tried,
    /// The mean over tasks of their mean rewards; `None` without any reward.
    pub mean_of_tasks: Option<f64>,
    /// The 95 % interval of that mean over tasks by Student's t.
    pub interval_95: Option<(f64, f64)>,
    /// The best and the worst place that it may have: first is behind all that are settled as better, second before
    /// all that are settled as worse. Agents whose places overlap can't be told apart.
    pub places: (usize, usize),
}

/// Two agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The first, by its place in the list of agents.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// Whether one judge, set up alike, graded both; where it didn't, neither counts as better.
    pub same_judge: bool,
    /// Over all compared tasks.
    pub all: Part,
    /// Over the tasks whose keys the audit does not call bad; `None` where it calls none so.
    pub good_keys: Option<Part>,
    /// By type of question; empty where no task has one.
    pub categories: Vec<Part>,
}

/// Two agents over some tasks. Differences are the second's reward less the first's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The type of question, where these are the tasks of one.
    pub question_type: Option<String>,
    /// How many tasks these are.
    pub tasks: u64,
    /// The names of those of them that are in no difference, since one of both has no reward there.
    pub without_reward: Vec<String>,
    /// What the others say; `None` where there are none.
    pub paired: Option<Paired>,
    /// The larger p of both tests, made larger for the number of differences that are looked at together (Holm 1979):
    /// all pairs of agents, or all types of a pair.
    pub p: Option<f64>,
    /// The mean difference over all these tasks where each trial without a reward counts as failed.
    pub strict_difference: f64,
    /// Who is better; `None` where it is not settled.
    pub better: Option<Better>,
}

/// Which of two agents is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The first.
    A,
    /// The second.
    B,
}

/// Compares all agents of all these jobs. `common` compares the tasks that are the same in all jobs, where not all are.
///
/// # Errors
/// [`Error::OneAgent`]; [`Error::OtherTasks`] where the jobs' tasks differ and `common` is not given, or none is the same.
pub fn compare(mut jobs: Vec<Job>, common: bool) -> Result<Comparison, Error> {
    let left_out = differing_tasks(&jobs);
    let names: BTreeSet<&str> = left_out.iter().map(|task| task.task.as_str()).collect();
    let all: BTreeSet<&str> = jobs.iter().flat_map(|job| &job.record.tasks).map(|task| task.name.as_str()).collect();
    let same = all.len() - names.len();
    if same == 0 || !(common || names.is_empty()) {
        let tasks = left_out.len();
        return Err(Error::OtherTasks { same, tasks, why: why_not_compared(&left_out) });
    }
    let names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
    for job in &mut jobs {
        job.keep("tasks that all jobs have", |task| !names.contains(&task.name));
    }
    let (notes, mut judges_differ) = (notes(&jobs), judges_differ(&jobs));
    let mut summaries: Vec<(String, ArmSummary)> = Vec::new();
    let mut judges = Vec::new();
    for job in &jobs {
        for arm in summarize(job).arms {
            judges.push(Some((job.judge_digest(), job.scripts())).filter(|_| arm.other_judges.is_empty()));
            summaries.push((job.record.name.clone(), arm));
        }
    }
    for (job, arm) in summaries.iter().filter(|(_, arm)| !arm.other_judges.is_empty()) {
        let (count, judges) = (arm.other_judges.values().sum::<u64>(), arm.other_judges.keys());
        let judges: Vec<&str> = judges.map(String::as_str).collect();
        judges_differ.push(format!(
            "trials of `{}` in `{job}` that another judge than the job's graded: {count}, by {}",
            arm.agent,
            judges.join(", ")
        ));
    }
    if summaries.len() < 2 {
        return Err(Error::OneAgent);
    }
    let by_task: Vec<BTreeMap<&str, &TaskSummary>> =
        summaries.iter().map(|(_, arm)| arm.tasks.iter().map(|task| (task.task.as_str(), task)).collect()).collect();
    let mut pairs = Vec::new();
    for (a, (_, arm)) in summaries.iter().enumerate() {
        let same_judge = |b: usize| judges[a].is_some() && judges[a] == judges[b];
        pairs.extend((a + 1..by_task.len()).map(|b| pair((a, arm), (b, &by_task[b]), same_judge(b))));
    }
    settle(pairs.iter_mut().map(|pair| &mut pair.all).collect());
    settle(pairs.iter_mut().filter_map(|pair| pair.good_keys.as_mut()).collect());
    for pair in pairs.iter_mut().filter(|pair| !pair.same_judge) {
        let parts = [&mut pair.all].into_iter().chain(&mut pair.good_keys).chain(&mut pair.categories);
        parts.for_each(|part| part.better = None);
    }
    let count = summaries.len();
    let arm = |(place, (job, arm)): (usize, (String, ArmSummary))| {
        let means: Vec<f64> = arm.tasks.iter().filter_map(|task| task.all.mean_reward).collect();
        ComparedArm {
            job,
            agent: arm.agent,
            model: arm.model,
            all: arm.all,
            mean_of_tasks: arm.mean_of_tasks,
            interval_95: interval_over_tasks(&means),
            places: places(place, count, &pairs),
        }
    };
    Ok(Comparison {
        tasks: same as u64,
        left_out,
        judges_differ,
        notes,
        arms: summaries.into_iter().enumerate().map(arm).collect(),
        pairs,
    })
}

/// How many tasks are named for each reason.
const NAMED: usize = 10;

/// Why tasks are not compared: each reason once, with the tasks that it is true of, at most ten by name.
pub fn why_not_compared(tasks: &[NotCompared]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for NotCompared { task, why } in tasks {
        match reasons.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, names)) => names.push(task),
            None => reasons.push((why, vec![task])),
        }
    }
    let line = |(why, mut names): (&str, Vec<&str>)| {
        names.sort_by(|a, b| by_name(a, b));
        let more = names.len().saturating_sub(NAMED);
        let named: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{why}: {}{more}", named.join(", "))
    };
    reasons.into_iter().map(line).collect()
}

/// The tasks that not every job has with the same content, in the order of the jobs.
fn differing_tasks(jobs: &[Job]) -> Vec<NotCompared> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for task in jobs.iter().flat_map(|job| &job.record.tasks) {
        if !seen.insert(&task.name) {
            continue;
        }
        let in_job = |job: &Job| job.record.tasks.iter().find(|other| other.name == task.name).cloned();
        let why = jobs.iter().find_map(|job| match in_job(job) {
            None => Some(format!("not in job `{}`", job.record.name)),
            Some(other) if other.content_digest != task.content_digest => {
                Some(format!("another version in job `{}`", job.record.name))
            }
            Some(_) => None,
        });
        found.extend(why.map(|why| NotCompared { task: task.name.clone(), why }));
    }
    found
}

/// That the jobs have different ones of something, in words, where they do.
fn differ(jobs: &[Job], what: &str, pick: fn(&Job) -> &str) -> Option<String> {
    let values: BTreeSet<&str> = jobs.iter().map(pick).collect();
    let named = values.iter().copied().collect::<Vec<_>>().join(", ");
    (values.len() > 1).then(|| format!("the jobs have different {what}: {named}"))
}

fn notes(jobs: &[Job]) -> Vec<String> {
    let engines = differ(jobs, "engines", |job| &job.record.observed.engine.kind);
    let corpora = differ(jobs, "corpora", |job| job.record.corpus.as_deref().unwrap_or("none"));
    engines.into_iter().chain(corpora).collect()
}

/// Why the jobs' judges are not one judge, as far as whole jobs go.
fn judges_differ(jobs: &[Job]) -> Vec<String> {
    let Some((first, others)) = jobs.split_first() else { return Vec::new() };
    let own = |job: &&Job| job.other_judge.is_none();
    let versions =
        differ(jobs, "versions of seatrial, whose rules and readings may differ", |job| &job.record.seatrial)
            .filter(|_| jobs.iter().all(|job| own(&job)));
    let mut why: Vec<String> = differ(jobs, "judges", |job| &job.record.judge).into_iter().chain(versions).collect();
    if others.iter().any(|job| job.scripts() != first.scripts()) {
        why.push("the jobs run tasks' own scripts with different settings (`verifier` of the job file)".to_owned());
    }
    for job in others.iter().filter(|job| job.record.judge == first.record.judge) {
        let (judge, one, other) = (&job.record.judge, &first.record.name, &job.record.name);
        let parameters = first.record.judge_parameters.as_ref().zip(job.record.judge_parameters.as_ref());
        let set: Vec<String> = parameters
            .filter(|_| own(&first) && own(&job))
            .map(|(one, other)| one.differences(other).collect())
            .unwrap_or_default();
        if !set.is_empty() {
            why.push(format!("the judge `{judge}` of `{one}` is set otherwise in `{other}`: {}", set.join(", ")));
        } else if why.is_empty() && first.judge_digest() != job.judge_digest() {
            why.push(format!("the judge `{judge}` of `{one}` is set otherwise in `{other}`"));
        }
    }
    why
}

fn pair((a, arm): (usize, &ArmSummary), (b, of_b): (usize, &BTreeMap<&str, &TaskSummary>), same_judge: bool) -> Pair {
    let both: Vec<(&TaskSummary, &TaskSummary)> =
        arm.tasks.iter().filter_map(|task| Some((task, *of_b.get(task.task.as_str())?))).collect();
    let only = |keep: &dyn Fn(&(&TaskSummary, &TaskSummary)) -> bool| -> Vec<_> {
        both.iter().copied().filter(|tasks| keep(tasks)).collect()
    };
    let good = only(&|(a, b)| !a.has_bad_key() && !b.has_bad_key());
    let types: BTreeSet<Option<&str>> = both.iter().map(|(a, _)| a.question_type.as_deref()).collect();
    let typed = types.iter().any(Option::is_some);
    let of_type =
        |kind: &Option<&str>| part(kind.map(str::to_owned), &only(&|(a, _)| a.question_type.as_deref() == *kind));
    let mut categories: Vec<Part> = types.iter().filter(|_| typed).map(of_type).collect();
    // Tasks without a type come last.
    categories.sort_by_key(|part| part.question_type.is_none());
    settle(categories.iter_mut().collect());
    let good_keys = (good.len() < both.len()).then(|| part(None, &good));
    Pair { a, b, same_judge, all: part(None, &both), good_keys, categories }
}

fn part(question_type: Option<String>, tasks: &[(&TaskSummary, &TaskSummary)]) -> Part {
    let mut differences = Vec::new();
    let mut without_reward = Vec::new();
    for (a, b) in tasks {
        match (a.all.mean_reward, b.all.mean_reward) {
            (Some(a), Some(b)) => differences.push(b - a),
            _ => without_reward.push(a.task.clone()),
        }
    }
    let strict = |task: &TaskSummary| task.all.strict_reward.unwrap_or(0.0);
    let strict_difference =
        tasks.iter().map(|(a, b)| strict(b) - strict(a)).fold(0.0, |sum, d| sum + d) / tasks.len().max(1) as f64;
    let (tasks, paired) = (tasks.len() as u64, paired(&differences));
    Part { question_type, tasks, without_reward, paired, p: None, strict_difference, better: None }
}

/// Decides who is better in parts that are looked at together. A trial without a reward may have gone either way, so
/// the strict difference has to point in the same direction.
fn settle(mut parts: Vec<&mut Part>) {
    let mut by_p: Vec<(f64, usize)> =
        parts.iter().enumerate().filter_map(|(i, part)| Some((part.paired.as_ref()?.p(), i))).collect();
    by_p.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = 0.0_f64;
    for (before, (p, place)) in by_p.iter().enumerate() {
        least = least.max(p * (by_p.len() - before) as f64).min(1.0);
        let part = &mut *parts[*place];
        part.p = Some(least);
        let difference = part.paired.as_ref().map_or(0.0, |paired| paired.difference);
        part.better = match (least < LEVEL, difference, part.strict_difference) {
            (true, d, strict) if d > 0.0 && strict > 0.0 => Some(Better::B),
            (true, d, strict) if d < 0.0 && strict < 0.0 => Some(Better::A),
            _ => None,
        };
    }
}

fn places(arm: usize, count: usize, pairs: &[Pair]) -> (usize, usize) {
    let won = |pair: &Pair| match pair.all.better {
        Some(Better::A) => Some((pair.a, pair.b)),
        Some(Better::B) => Some((pair.b, pair.a)),
        None => None,
    };
    let better = pairs.iter().filter_map(won).filter(|(_, loser)| *loser == arm).count();
    let worse = pairs.iter().filter_map(won).filter(|(winner, _)| *winner == arm).count();
    (1 + better, count - worse)
}
