//! From a job's trials to its summary. Pure, and the same for the same job: nothing here depends on the order in which
//! trials ended.

use super::clusters::{interval_over_tasks, mean, variance};
use super::efficiency::efficiency;
use super::estimators::{pass_at_k, pass_hat_k};
use super::intervals::wilson;
use super::summary::{
    ArmSummary, Category, Counts, FailureCount, GoodKeys, PassK, Quantiles, StageTimes, Summary, TaskSummary, Tried,
};
use crate::failure::Whose;
use crate::results::{Job, OutcomeKind, TaskRecord, TrialRecord};
use crate::task::by_name;
use std::collections::{BTreeMap, BTreeSet};

/// A planned trial: its record, or why there is none.
type Trial<'a> = Result<&'a TrialRecord, Gone>;

/// Why nothing is known of a trial.
#[derive(Debug, Clone, Copy)]
enum Gone {
    Missing,
    Damaged,
}

/// A type of question or a tag: types first, and last of them the tasks that have none.
type Kind<'a> = (bool, bool, Option<&'a str>);

/// Means of tasks, their trials, and how many tasks these are.
type Gathered<'a> = (Vec<f64>, Vec<Trial<'a>>, u64);

/// Sums up a job. Of a calibrating job the first attempts of each task count, as many for each: where the others went
/// depends on how the first ended, and a mean over all would be off by that.
pub fn summarize(job: &Job) -> Summary {
    let ended = job.by_name();
    let damaged: BTreeSet<&str> = job.damaged.iter().map(|damaged| damaged.name.as_str()).collect();
    // Keyed by position in the job's lists, so that the order is the job's and two equal agents stay apart.
    let mut arms: BTreeMap<usize, BTreeMap<usize, Vec<Trial<'_>>>> = BTreeMap::new();
    let first = job.record.calibrate.as_ref().map(|allocation| allocation.first);
    let mut further: BTreeMap<(usize, usize), Vec<Trial<'_>>> = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut tasks = BTreeMap::new();
    for planned in &job.record.trials {
        names.entry(planned.agent_index).or_insert(&planned.agent);
        tasks.entry(planned.task_index).or_insert(&planned.task);
        let arm = arms.entry(planned.agent_index).or_default();
        let name = planned.name.as_str();
        let gone = if damaged.contains(name) { Gone::Damaged } else { Gone::Missing };
        let trials = match first {
            Some(first) if planned.attempt > first => {
                further.entry((planned.agent_index, planned.task_index)).or_default()
            }
            _ => arm.entry(planned.task_index).or_default(),
        };
        trials.push(ended.get(name).copied().ok_or(gone));
    }
    let arm = |(index, by_task): (usize, BTreeMap<usize, Vec<Trial<'_>>>)| {
        let mut by_task: Vec<(usize, Vec<Trial<'_>>)> = by_task.into_iter().collect();
        by_task.sort_by(|(a, _), (b, _)| by_name(tasks[a], tasks[b]));
        let summary = |(task, trials): &(usize, Vec<Trial<'_>>)| {
            let summary = task_summary(tasks[task].clone(), job, job.record.tasks.get(*task), trials);
            let further = first.map(|_| tried(further.get(&(index, *task)).map_or(&[], Vec::as_slice)));
            TaskSummary { further, ..summary }
        };
        let trials = || by_task.iter().map(|(_, trials)| trials);
        let tasks: Vec<TaskSummary> = by_task.iter().map(summary).collect();
        let beyond: Vec<_> =
            further.iter().filter(|((agent, _), _)| *agent == index).flat_map(|(_, t)| t).copied().collect();
        let all: Vec<_> = trials().flatten().copied().collect();
        let means: Vec<f64> = tasks.iter().filter_map(|task| task.all.mean_reward).collect();
        ArmSummary {
            agent_index: index,
            agent: names[&index].name.clone(),
            model: names[&index].model.clone(),
            all: tried(&all),
            further: first.map(|_| tried(&beyond)),
            failures: failures(all.iter().chain(&beyond).flatten().copied()),
            mean_of_tasks: mean(&means),
            other_judges: other_judges(&all),
            good_keys: good_keys(&tasks, trials()),
            categories: categories(job, &tasks, &by_task),
            standard_error: standard_error(&means),
            interval_95: interval_over_tasks(&means),
            pass_k: pass_k_of_tasks(&tasks),
            no_data: tasks.iter().filter(|task| task.all.rewarded == 0).map(|task| task.task.clone()).collect(),
            times: times(&all),
            efficiency: efficiency(
                by_task.iter().flat_map(|(task, trials)| {
                    let ideal = job.record.tasks.get(*task).and_then(|task| task.ideal.as_ref());
                    trials.iter().flatten().map(move |record| (*record, ideal))
                }),
                job.record.observed.played_back,
            ),
            tasks,
        }
    };
    Summary { arms: arms.into_iter().map(arm).collect() }
}

fn other_judges(trials: &[Trial<'_>]) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for judge in trials.iter().flatten().filter_map(|record| record.other_judge()) {
        *found.entry(judge).or_default() += 1;
    }
    found
}

/// `trials` are those of `tasks`, in the same order.
fn good_keys<'a>(tasks: &[TaskSummary], trials: impl Iterator<Item = &'a Vec<Trial<'a>>>) -> Option<GoodKeys> {
    let left_out: Vec<String> = tasks.iter().filter(|t| t.has_bad_key()).map(|t| t.task.clone()).collect();
    let means: Vec<f64> = tasks.iter().filter(|t| !t.has_bad_key()).filter_map(|t| t.all.mean_reward).collect();
    let good: Vec<_> =
        tasks.iter().zip(trials).filter(|(t, _)| !t.has_bad_key()).flat_map(|(_, trials)| trials).copied().collect();
    let tasks = means.len() as u64;
    (!left_out.is_empty()).then(|| GoodKeys { left_out, all: tried(&good), mean_of_tasks: mean(&means), tasks })
}

/// `trials` are those of `tasks`, by their places in the job's list, in the same order.
fn categories(job: &Job, tasks: &[TaskSummary], trials: &[(usize, Vec<Trial<'_>>)]) -> Vec<Category> {
    let mut found: BTreeMap<Kind<'_>, Gathered<'_>> = BTreeMap::new();
    for (task, (index, trials)) in tasks.iter().zip(trials) {
        let name = task.question_type.as_deref();
        let tags = job.record.tasks.get(*index).map_or(&[][..], |record| &record.tags);
        let tags: BTreeSet<&str> = tags.iter().map(String::as_str).collect();
        let kinds = tags.into_iter().map(|tag| (true, false, Some(tag)));
        for kind in kinds.chain([(false, name.is_none(), name)]) {
            let (means, all, count) = found.entry(kind).or_default();
            means.extend(task.all.mean_reward);
            all.extend(trials);
            *count += 1;
        }
    }
    let typed = found.keys().any(|(.., name)| name.is_some());
    let category = |((is_tag, _, name), (means, trials, tasks)): (Kind<'_>, Gathered<'_>)| Category {
        question_type: name.filter(|_| !is_tag).map(str::to_owned),
        tag: name.filter(|_| is_tag).map(str::to_owned),
        tasks,
        all: tried(&trials),
        mean_of_tasks: mean(&means),
    };
    if typed { found.into_iter().map(category).collect() } else { Vec::new() }
}

fn task_summary(task: String, job: &Job, record: Option<&TaskRecord>, trials: &[Trial<'_>]) -> TaskSummary {
    let all = tried(trials);
    let pass_k = (1..=all.planned)
        .map(|k| {
            let pass_at_k = pass_at_k(all.rewarded, all.passes, k);
            let pass_hat_k = pass_hat_k(all.rewarded, all.passes, k);
            PassK { k, pass_at_k, pass_hat_k, tasks: u64::from(pass_at_k.is_some()) }
        })
        .collect();
    TaskSummary {
        task,
        audit: record.and_then(|record| record.audit.clone()),
        question_type: record.and_then(|record| record.question_type.clone()),
        difficulty: record.and_then(|record| record.difficulty.clone()),
        efficiency: efficiency(
            trials.iter().flatten().map(|r| (*r, record.and_then(|record| record.ideal.as_ref()))),
            job.record.observed.played_back,
        ),
        all,
        further: None,
        pass_k,
    }
}

fn tried(trials: &[Trial<'_>]) -> Tried {
    let rewards: Vec<f64> = trials.iter().flatten().filter_map(|record| record.reward).collect();
    let (planned, rewarded) = (trials.len() as u64, rewards.len() as u64);
    let passes = rewards.iter().filter(|reward| **reward == 1.0).count() as u64;
    let strict = |sum: f64| (planned > 0).then(|| sum / planned as f64);
    Tried {
        planned,
        rewarded,
        passes,
        mean_reward: mean(&rewards),
        wilson_95: wilson(rewarded, passes),
        strict_reward: strict(rewards.iter().fold(0.0, |sum, reward| sum + reward)),
        strict_pass_rate: strict(passes as f64),
        counts: count(trials),
    }
}

fn count(trials: &[Trial<'_>]) -> Counts {
    let mut counts = Counts::default();
    for trial in trials {
        let place = match trial.map(|record| record.outcome) {
            Ok(OutcomeKind::Scored) => &mut counts.scored,
            Ok(OutcomeKind::NoAnswer) => &mut counts.no_answer,
            Ok(OutcomeKind::AgentTimeout) => &mut counts.agent_timeout,
            Ok(OutcomeKind::AgentError) => &mut counts.agent_error,
            Ok(OutcomeKind::Limit) => &mut counts.limit,
            Ok(OutcomeKind::Ungraded) => &mut counts.ungraded,
            Ok(OutcomeKind::Fault) => &mut counts.fault,
            Ok(OutcomeKind::Cancelled) => &mut counts.cancelled,
            Err(Gone::Missing) => &mut counts.missing,
            Err(Gone::Damaged) => &mut counts.damaged,
        };
        *place += 1;
    }
    counts
}

/// Each class of failure with its counts, the agent's own first.
fn failures<'a>(trials: impl Iterator<Item = &'a TrialRecord>) -> Vec<FailureCount> {
    let mut found = BTreeMap::new();
    for record in trials {
        if let Some((class, whose)) = record.failure_class().zip(record.outcome.whose()) {
            found.entry((whose, class)).or_insert((0, 0)).0 += 1;
        }
        for fault in &record.earlier_faults {
            found.entry((Whose::Ours, fault.class())).or_insert((0, 0)).1 += 1;
        }
    }
    let count = |((whose, class), (trials, retried))| FailureCount { class, whose, trials, retried };
    found.into_iter().map(count).collect()
}

fn pass_k_of_tasks(tasks: &[TaskSummary]) -> Vec<PassK> {
    let most = tasks.iter().map(|task| task.all.planned).max().unwrap_or(0);
    let at = |k: u64, pick: fn(&PassK) -> Option<f64>| -> Vec<f64> {
        tasks.iter().filter_map(|task| task.pass_k.iter().find(|at| at.k == k).and_then(pick)).collect()
    };
    (1..=most)
        .map(|k| {
            let (any, every) = (at(k, |at| at.pass_at_k), at(k, |at| at.pass_hat_k));
            PassK { k, pass_at_k: mean(&any), pass_hat_k: mean(&every), tasks: any.len() as u64 }
        })
        .collect()
}

/// Times of trials that ended with a reward, the same trials in every row: a fault's times say nothing about a trial's.
fn times(trials: &[Trial<'_>]) -> StageTimes {
    let whole: Vec<&TrialRecord> = trials.iter().flatten().copied().filter(|r| r.reward.is_some()).collect();
    let seconds = |pick: fn(&TrialRecord) -> Option<f64>| quantiles(whole.iter().filter_map(|r| pick(r)).collect());
    StageTimes {
        image: seconds(|record| record.timing.image.map(|span| span.seconds())),
        sandbox: seconds(|record| record.timing.sandbox.map(|span| span.seconds())),
        agent: seconds(|record| record.timing.agent.map(|span| span.seconds())),
        collect: seconds(|record| record.timing.collect.map(|span| span.seconds())),
        judge: seconds(|record| record.timing.judge.map(|span| span.seconds())),
        trial: seconds(|record| Some(record.timing.trial.seconds())),
    }
}

fn quantiles(mut numbers: Vec<f64>) -> Option<Quantiles> {
    numbers.sort_by(f64::total_cmp);
    let rank = |share: f64| numbers[((share * numbers.len() as f64).ceil() as usize).clamp(1, numbers.len()) - 1];
    (!numbers.is_empty()).then(|| Quantiles { median: rank(0.5), p95: rank(0.95) })
}

fn standard_error(numbers: &[f64]) -> Option<f64> {
    Some((variance(numbers)? / numbers.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_go_by_nearest_rank() {
        let quantiles = |numbers: &[f64]| quantiles(numbers.to_vec()).map(|q| (q.median, q.p95));
        assert_eq!(quantiles(&[]), None);
        assert_eq!(quantiles(&[3.0]), Some((3.0, 3.0)));
        assert_eq!(quantiles(&[4.0, 1.0, 3.0, 2.0]), Some((2.0, 4.0)));
        assert_eq!(quantiles(&(1..=100).map(f64::from).collect::<Vec<_>>()), Some((50.0, 95.0)));
    }

    #[test]
    fn the_standard_error_is_over_tasks() {
        assert_eq!(standard_error(&[1.0]), None);
        let found = standard_error(&[1.0, 0.5, 0.0, 1.0, 0.75]).expect("a number");
        assert!((found - 0.187_082_869_338_697_07).abs() < 1e-12, "{found}");
    }
}
