//! Plans for questions whose records have none: a JSON file that maps questions' ids to plans.
//!
//! `{"cb-cloud-0": {"plan": "TOP …", "note": "what the wording leaves open"}, …}`; the note may be missing. Entries
//! whose names begin with `_` are remarks.

use super::error::Error;
use super::plan::Plan;
use crate::corpus::{Corpus, Question};
use crate::spelling::close_to;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Plans by questions' ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plans {
    path: PathBuf,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    plan: String,
    note: Option<String>,
}

impl Plans {
    /// Reads a file of plans. Plans themselves are read when they are used.
    pub fn read(path: &Path) -> Result<Plans, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
        let wrong = |why: String| Error::Plans { path: path.into(), why };
        let values: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        let mut entries = BTreeMap::new();
        for (id, value) in values.into_iter().filter(|(id, _)| !id.starts_with('_')) {
            let entry = serde_json::from_value(value).map_err(|e| wrong(format!("`{id}`: {e}")))?;
            entries.insert(id, entry);
        }
        Ok(Plans { path: path.into(), entries })
    }

    /// The plans of the file that was named, else those of the file that the suite names, else none. Errors as
    /// [`Plans::read`].
    pub fn find(corpus: &Corpus, named: Option<&Path>) -> Result<Plans, Error> {
        named.or(corpus.plans.as_deref()).map_or_else(|| Ok(Plans::default()), Plans::read)
    }

    /// Fails where a plan is for a question that the suite doesn't have.
    pub(super) fn check(&self, corpus: &Corpus) -> Result<(), Error> {
        let ids = || corpus.questions.iter().map(|question| question.id.as_str());
        let Some(id) = self.entries.keys().find(|id| !ids().any(|known| known == *id)) else { return Ok(()) };
        let close = close_to(id, ids()).first().map(|close| format!("; close to it: `{close}`")).unwrap_or_default();
        Err(Error::Plans { path: self.path.clone(), why: format!("`{id}` is not in the suite{close}") })
    }

    /// The plan of a question and what is noted about it: the file's, else the record's own.
    pub(super) fn of(&self, question: &Question) -> Result<Option<(Plan, Option<String>)>, Error> {
        let (text, note) = match (self.entries.get(&question.id), &question.plan) {
            (Some(entry), _) => (&entry.plan, entry.note.clone()),
            (None, Some(plan)) => (plan, None),
            (None, None) => return Ok(None),
        };
        Ok(Some((Plan::parse(text)?, note)))
    }
}
