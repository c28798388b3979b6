//! The frame of the page: head, title, jobs, a comparison where there are several agents.

use super::arm::{arm, judging_facts, model_facts, network_facts, otherwise, searching_facts};
use super::trials::trials;
use crate::report::compare::{arm_cells, capital, headline, letter, notes, pair_name, part_cells};
use crate::report::numbers::{arm_name, job_line, warning};
use crate::report::plain::plain;
use crate::report::search::doubt;
use crate::results::Job;
use crate::stats::{Comparison, Summary};
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

const STYLE: &str = include_str!("page.css");
/// Sorts tables. The policy below names its digest, so nothing else can run; a test holds both together.
const SCRIPT: &str = include_str!("page.js");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'sha256-Gh2PY/9BcyAe6pBmG5H6J/HqgwlEe6CEZciwn3aIo8Q='; base-uri 'none'; form-action 'none'";

/// Jobs as one page. Their agents are compared where `comparison` says how; where it says why not, the page does too.
pub fn html(jobs: &[(Job, Summary)], comparison: Option<Result<&Comparison, &str>>) -> String {
    let names: Vec<String> = jobs.iter().map(|(job, _)| plain(&job.record.name)).collect();
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (names.join(", ")) " - seatrial" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (names.join(", ")) }
                    @if let [(job, summary)] = jobs { (whole(job, summary)) }
                    @match comparison {
                        Some(Ok(comparison)) => (compared(comparison)),
                        Some(Err(why)) => p.warn { strong { "Not compared: " } (plain(why)) },
                        None => {}
                    }
                    @for (place, (job, summary)) in jobs.iter().enumerate() {
                        @if jobs.len() > 1 { h1 { (plain(&job.record.name)) } (whole(job, summary)) }
                        (one_job(place, job, summary))
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    let mut page = page.into_string();
    page.push('\n');
    page
}

/// What a job is, and what of it is no measurement.
fn whole(job: &Job, summary: &Summary) -> Markup {
    let fake = job.record.observed.engine.kind == "fake";
    markup! {
        p.quiet { (plain(&job_line(job))) }
        @if fake { p.warn { strong { "Not a measurement: " } "no container ran, a script played the agent." } }
        @if let Some(warning) = warning(job, summary) { p.warn { strong { "Not whole: " } (warning) } }
        @if let Some(doubt) = doubt(job) { p.warn { strong { "Doubtful: " } (doubt) } }
    }
}

fn one_job(place: usize, job: &Job, summary: &Summary) -> Markup {
    let id = |index: usize| format!("j{place}a{index}");
    markup! {
        @for (index, of) in summary.arms.iter().enumerate() { (arm(job, of, &id(index))) }
        section { (otherwise(job)) (model_facts(job)) (judging_facts(job)) (searching_facts(job)) (network_facts(job)) }
        @for (index, of) in summary.arms.iter().enumerate() {
            section { h2 { "Trials of " (plain(&arm_name(of))) } (trials(job, of, &id(index))) }
        }
    }
}

fn compared(comparison: &Comparison) -> Markup {
    markup! {
        section {
            h2 { (capital(&headline(comparison))) }
            @for (name, text) in notes(comparison) { p.warn { strong { (name) ": " } (plain(&text)) } }
            div.wide { table {
                thead { tr { th {} th { "agent" } th.n { "passes" } th.n { "mean reward" } th.n { "95% over tasks" } th.n { "place" } } }
                tbody { @for (place, arm) in comparison.arms.iter().enumerate() {
                    @let [name, passes, reward, interval, places] = arm_cells(arm);
                    tr { td { (letter(place)) } td { (plain(&name)) } td.n { (passes) } td.n { (reward) } td.n { (interval) } td.n { (places) } }
                } }
            } }
            div.wide { table {
                thead { tr { th { "pair" } th.n { "difference" } th.n { "95% interval" } th.n { "p" } th.n { "finds" } th { "better" } } }
                tbody { @for pair in &comparison.pairs {
                    @let [difference, interval, p, finds, better] = part_cells(pair, &pair.all);
                    tr { td { (pair_name(pair)) } td.n { (difference) } td.n { (interval) } td.n { (p) } td.n { (finds) } td { (better) } }
                } }
            } }
            p.quiet {
                "B - A is B's reward less A's, paired by task. p is the larger of Student's t and sign flips, made larger \
                 for the number of pairs (Holm). \u{201c}finds\u{201d} is the difference that so many tasks find four times in five. \
                 Agents whose places overlap can't be told apart."
            }
        }
    }
}
