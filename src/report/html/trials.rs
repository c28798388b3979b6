//! What happened in each trial: question, key, answer, verdict with its reason, what the agent wrote, what it tried to
//! reach. Folded by task; long texts are cut, and the page says so.

use crate::report::failures::class;
use crate::report::numbers::{task_name, three, why, words};
use crate::report::plain::{clip, first_line, plain, plain_lines};
use crate::results::{Excerpt, Job, TaskRecord, TrialRecord, answer_text, read_attempts, read_transcript};
use crate::stats::{ArmSummary, TaskSummary};
use maud::{Markup, html as markup};
use std::collections::HashMap;

/// How much of all transcripts a page holds together, and the least and most of each, in bytes.
const TRANSCRIPTS: usize = 3 << 20;
const TRANSCRIPT: (usize, usize) = (1 << 10, 16 << 10);
/// How many characters of an answer are shown.
const ANSWER: usize = 4000;
/// How many attempts of each trial are shown.
const ATTEMPTS: usize = 20;

/// All trials of an agent, by task; `id` is the begin of the anchors of tasks.
pub fn trials(job: &Job, arm: &ArmSummary, id: &str) -> Markup {
    let ended = job.by_name();
    let mut by_task: HashMap<&str, Vec<&str>> = HashMap::new();
    for planned in job.record.trials.iter().filter(|trial| trial.agent_index == arm.agent_index) {
        by_task.entry(&planned.task).or_default().push(&planned.name);
    }
    let most = (TRANSCRIPTS / job.record.trials.len().max(1)).clamp(TRANSCRIPT.0, TRANSCRIPT.1);
    markup! {
        @for (place, task) in arm.tasks.iter().enumerate() {
            details.task id=(format!("{id}t{place}")) {
                (summary(job, task))
                (asked(job, task))
                @for name in by_task.get(task.task.as_str()).into_iter().flatten() {
                    @match ended.get(name) {
                        Some(record) => (trial(job, record, most)),
                        None => (absent(job, name)),
                    }
                }
            }
        }
    }
}

fn summary(job: &Job, task: &TaskSummary) -> Markup {
    let question = record_of(job, task).and_then(|record| record.question.as_deref()).unwrap_or_default();
    markup! {
        summary {
            strong { (task_name(task)) }
            " " (task.all.passes) "/" (task.all.rewarded)
            @if task.all.rewarded < task.all.planned { " (" (task.all.planned - task.all.rewarded) " without a reward)" }
            " " bdi.quiet { (clip(&plain(first_line(question)), 120)) }
        }
    }
}

fn record_of<'j>(job: &'j Job, task: &TaskSummary) -> Option<&'j TaskRecord> {
    job.record.tasks.iter().find(|record| record.name == task.task)
}

fn asked(job: &Job, task: &TaskSummary) -> Markup {
    let record = record_of(job, task);
    let text = |text: Option<&String>| text.map_or("not kept in this job".into(), |text| plain_lines(text));
    markup! {
        dl {
            dt { "question" }
            dd { (block(&text(record.and_then(|record| record.question.as_ref())))) }
            dt { "key" }
            dd { (block(&text(record.and_then(|record| record.key.as_ref())))) }
        }
    }
}

fn block(text: &str) -> Markup {
    markup! { pre dir="auto" { (text) } }
}

fn absent(job: &Job, name: &str) -> Markup {
    let damaged = job.damaged.iter().find(|damaged| damaged.name == name);
    markup! {
        article {
            h4 { (plain(name)) " " span.state { @if damaged.is_some() { "damaged" } @else { "missing" } } }
            @if let Some(damaged) = damaged { p { (plain(&damaged.why)) } } @else { p { "It has not ended." } }
        }
    }
}

fn trial(job: &Job, record: &TrialRecord, most: usize) -> Markup {
    let state = match record.reward {
        Some(1.0) => "pass",
        Some(_) => "fail",
        None => "none",
    };
    markup! {
        article class=(state) {
            h4 {
                "attempt " (record.trial.attempt) ": " (words(record.outcome)) ", "
                @if record.reward.is_some() { "reward " (three(record.reward)) } @else { "no reward" }
                " " span.quiet { (plain(&record.trial.name)) ", " (format!("{:.2} s", record.timing.trial.seconds())) }
            }
            dl {
                dt { "answer" }
                dd { (answer(job, record)) }
                dt { @if record.verdict.is_some() { "verdict" } @else { "why" } }
                dd {
                    (plain(&why(record)))
                    @if let Some(failure) = record.failure_class() { span.quiet { " (class " (class(failure)) ")" } }
                    @if let Some(verdict) = &record.verdict {
                        span.quiet { " (judge " (plain(&verdict.judge)) ", rule " (plain(&verdict.rule)) ")" }
                        @if let Some(span) = &verdict.span { div { span.quiet { "read: " } bdi { (clip(&plain(span), 300)) } } }
                    }
                }
                @for fault in &record.earlier_faults {
                    dt { "fault before" }
                    dd { "in " (fault.stage.word()) ": " (plain(first_line(&fault.message))) span.quiet { " (class " (class(fault.class())) ")" } }
                }
                (transcript(job, record, most))
                (network(job, record))
            }
        }
    }
}

fn answer(job: &Job, record: &TrialRecord) -> Markup {
    match answer_text(&job.dir, record) {
        Ok(text) => {
            let cut = text.chars().count().saturating_sub(ANSWER);
            let head: String = text.chars().take(ANSWER).collect();
            markup! {
                (block(&plain_lines(&head)))
                @if cut > 0 { p.quiet { (cut) " more characters are left out." } }
            }
        }
        Err(why) => markup! { em { (plain(&why)) } },
    }
}

fn transcript(job: &Job, record: &TrialRecord, most: usize) -> Markup {
    let found = match read_transcript(&job.dir, record, most) {
        Ok(found) => found,
        Err(error) => return markup! { dt { "transcript" } dd { em { (plain(&error.to_string())) } } },
    };
    let Some(Excerpt { head, left_out, tail }) = found else { return markup! {} };
    let dropped = record.agent_run.as_ref().map_or(0, |run| run.dropped_bytes);
    markup! {
        dt { "transcript" }
        dd {
            (block(&plain_lines(&head)))
            @if left_out > 0 {
                p.quiet { "\u{2026} " (left_out) " bytes are left out here; the trial's folder has them \u{2026}" }
                (block(&plain_lines(&tail)))
            }
            @if dropped > 0 { p.quiet { (dropped) " further bytes were over the cap and are not kept." } }
        }
    }
}

fn network(job: &Job, record: &TrialRecord) -> Markup {
    let Some(used) = &record.network else { return markup! {} };
    let attempts = read_attempts(&job.dir, record, ATTEMPTS).unwrap_or_default();
    let all = used.allowed + used.denied;
    markup! {
        dt { "network" }
        dd {
            (used.allowed) " allowed, " (used.denied) " denied"
            @if all > attempts.len() as u64 { " (the first " (attempts.len()) " are shown)" }
            @if !attempts.is_empty() { div.wide { table {
                thead { tr { th { "host" } th { "" } th { "why" } th { "how it ended" } th.n { "sent" } th.n { "received" } } }
                tbody { @for attempt in &attempts {
                    tr {
                        td.break { (clip(&plain(&attempt.host), 80)) @if let Some(port) = attempt.port { ":" (port) } }
                        td { @if attempt.allowed { "allowed" } @else { strong { "denied" } } }
                        td.break { (plain(&attempt.why)) }
                        td.break { (plain(&attempt.how)) }
                        td.n { (attempt.up) }
                        td.n { (attempt.down) }
                    }
                } }
            } } }
        }
    }
}
