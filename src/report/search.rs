//! How agents searched with their provider's tools, for every format; above all what lowers a score in silence.

use crate::results::Job;
use serde::Serialize;
use std::collections::BTreeMap;

/// A job's searching, out of the trials of `messages-search`.
#[derive(Debug, Default, Serialize)]
pub struct Searching {
    /// How many trials there are.
    pub trials: u64,
    /// Replies of their models.
    pub turns: u64,
    /// Cells of code that were run.
    pub code_cells: u64,
    /// Searches; null where a provider did not say.
    pub searches: Option<u64>,
    /// Fetches, likewise.
    pub fetches: Option<u64>,
    /// Replies that were paused and sent back.
    pub pauses: u64,
    /// Replies that were cut and gone on with.
    pub continuations: u64,
    /// How often history was cut at a compaction.
    pub history_cuts: u64,
    /// Compactions that failed.
    pub failed_compactions: u64,
    /// Trials in which a tool said that too much was asked of it.
    pub throttled_trials: u64,
    /// How often one said so.
    pub throttled_cells: u64,
    /// Trials in which nothing was searched.
    pub no_search: u64,
    /// Trials whose answer stood in no tag.
    pub result_tag_missing: u64,
    /// Trials that lost the provider's container.
    pub container_lost: u64,
    /// Errors of tools, by the provider's code.
    pub tool_errors: BTreeMap<String, u64>,
    /// What makes the scores doubtful.
    pub warning: Option<String>,
}

/// The searching of a job; `None` where no trial did.
pub fn searching(job: &Job) -> Option<Searching> {
    let mut sum = Searching { searches: Some(0), fetches: Some(0), ..Searching::default() };
    for run in job.trials.iter().filter_map(|record| record.agent_run.as_ref()?.model.as_ref()) {
        let Some(search) = &run.search else { continue };
        let add = |sum: Option<u64>, name: &str| {
            let usage = run.usage.as_ref()?;
            Some(sum? + usage.server_tools.get(name).copied().unwrap_or(0))
        };
        sum.trials += 1;
        sum.turns += u64::from(run.steps);
        sum.searches = add(sum.searches, "web_search_requests");
        sum.fetches = add(sum.fetches, "web_fetch_requests");
        for (all, more) in [
            (&mut sum.code_cells, search.code_cells),
            (&mut sum.pauses, search.pauses),
            (&mut sum.continuations, search.continuations),
            (&mut sum.history_cuts, search.history_cuts),
            (&mut sum.failed_compactions, search.failed_compactions),
            (&mut sum.throttled_trials, u32::from(search.throttled_cells > 0)),
            (&mut sum.throttled_cells, search.throttled_cells),
            (&mut sum.no_search, u32::from(search.no_search)),
            (&mut sum.result_tag_missing, u32::from(search.result_tag_missing)),
            (&mut sum.container_lost, u32::from(search.container_lost)),
        ] {
            *all += u64::from(more);
        }
        for (code, count) in &search.tool_errors {
            *sum.tool_errors.entry(code.clone()).or_default() += count;
        }
    }
    if sum.throttled_trials > 0 {
        sum.warning = Some(format!(
            "the provider's tools were throttled in {} of {} trials, so scores may be too low: run fewer at once (`-n`)",
            sum.throttled_trials, sum.trials
        ));
    }
    (sum.trials > 0).then_some(sum)
}

/// What makes the scores of a job doubtful though each trial has its reward, in one line.
pub fn doubt(job: &Job) -> Option<String> {
    searching(job)?.warning
}

impl Searching {
    /// What there is to say, as named facts for people; codes are the provider's words.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        facts.extend(self.warning.iter().map(|warning| ("warning", warning.clone())));
        facts.push(("turns", format!("{} in {} trials", self.turns, self.trials)));
        let shown = |count: Option<u64>| count.map_or("unknown".to_owned(), |count| count.to_string());
        let (searches, fetches) = (shown(self.searches), shown(self.fetches));
        facts.push(("tools", format!("{} cells of code, {searches} searches, {fetches} fetches", self.code_cells)));
        let (pauses, cut, compacted) = (self.pauses, self.continuations, self.history_cuts);
        facts.push(("went on", format!("{pauses} paused, {cut} cut, {compacted} compacted")));
        if !self.tool_errors.is_empty() {
            let errors: Vec<String> = self.tool_errors.iter().map(|(code, count)| format!("{count} {code}")).collect();
            facts.push(("tool errors", errors.join(", ")));
        }
        for (name, count, what) in [
            ("no search", self.no_search, "trials in which nothing was searched"),
            (
                "no tag",
                self.result_tag_missing,
                "trials without the tag of the answer: all of the last reply is judged",
            ),
            ("container", self.container_lost, "trials lost what was in it"),
            ("compaction", self.failed_compactions, "failed"),
        ] {
            if count > 0 {
                facts.push((name, format!("{count} {what}")));
            }
        }
        facts
    }
}
