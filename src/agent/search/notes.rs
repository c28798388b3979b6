//! What there is to know of a run beside its use: how it went on, and what its provider's tools said that no status and
//! no stop reason says. A tool that is throttled still answers 200, and the score falls in silence.

use super::history::is_compaction;
use crate::agent::account::ModelRun;
use crate::model::{Block, Reply, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is kept of a run of `messages-search` beside what every model's run has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRun {
    /// Replies that were paused, or ended with a compaction, and were sent back as they were.
    pub pauses: u32,
    /// Replies that were cut at `max_tokens` and gone on with.
    pub continuations: u32,
    /// How often history was cut at a compaction.
    pub history_cuts: u32,
    /// Compactions that failed, which cut nothing.
    pub failed_compactions: u32,
    /// Cells of code that were run. What they searched and fetched is counted by `usage.server_tools`.
    pub code_cells: u32,
    /// Results of tools that say that too much was asked of them.
    pub throttled_cells: u32,
    /// Errors of tools, by the provider's code.
    pub tool_errors: BTreeMap<String, u64>,
    /// Nothing was searched, as far as the provider says.
    pub no_search: bool,
    /// The last reply had no answer in its tag, so that all of it is the answer.
    pub result_tag_missing: bool,
    /// The provider's container had expired, and the run went on without what was in it.
    pub container_lost: bool,
}

/// The error's code of a tool that too much was asked of.
const THROTTLED: &str = "too_many_requests";

impl SearchRun {
    /// Counts what a reply's blocks say.
    pub(super) fn count(&mut self, reply: &Reply) {
        for block in &reply.blocks {
            let Block::Other { raw } = block else { continue };
            let content = &raw["content"];
            let names_code = raw["name"].as_str().is_some_and(|name| name.ends_with("code_execution"));
            self.code_cells += u32::from(raw["type"] == "server_tool_use" && names_code);
            self.failed_compactions += u32::from(is_compaction(raw) && content.is_null());
            if let Some(code) = content["error_code"].as_str() {
                *self.tool_errors.entry(code.to_owned()).or_default() += 1;
            }
            self.throttled_cells += u32::from(is_throttled(content));
        }
    }

    /// At a run's end: what was called, and whether anything was searched. Searches and fetches that code makes are in no
    /// block, so that the provider's own counts alone are whole.
    pub(super) fn finish(&mut self, run: &mut ModelRun) {
        let calls = |name: &str| {
            let counted = |usage: &Usage| usage.server_tools.get(name).copied().unwrap_or(0);
            run.usage.as_ref().map_or(0, counted)
        };
        let (searches, fetches) = (calls("web_search_requests"), calls("web_fetch_requests"));
        self.no_search = run.usage.is_some() && run.steps > 0 && searches == 0;
        let called = u64::from(self.code_cells).saturating_add(searches).saturating_add(fetches);
        run.tool_calls = u32::try_from(called).unwrap_or(u32::MAX);
    }
}

/// True where a result says so, by its code or in what its code wrote. Of an encrypted result the errors alone can be read.
fn is_throttled(content: &Value) -> bool {
    let mut wrote = ["stdout", "stderr"].into_iter().filter_map(|name| content[name].as_str());
    content["error_code"] == THROTTLED
        || wrote.any(|text| text.contains(THROTTLED) || text.contains("rate_limit_error"))
}
