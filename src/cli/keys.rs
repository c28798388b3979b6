//! What is to be thought of the answer keys of a job's tasks: said before it starts, and kept in its record. Wiring and
//! printing only.

use super::error::Error;
use super::load::Loaded;
use super::words::count;
use crate::job::JobTask;
use crate::question::{self, Plans, Verdict};
use std::path::Path;

/// So many ids are named in a line; the audit has them all.
const NAMED: usize = 12;

/// Audits the keys of a loaded job's tasks, as far as plans are known: writes the verdicts into the record, and adds to
/// the notes which keys aren't proved.
///
/// Nothing is said of corpora over which no key can be proved, unless `plans` names a file: then that is an error.
pub fn audit(loaded: &mut Loaded, plans: Option<&Path>) -> Result<(), Error> {
    for corpus in &loaded.corpora {
        let audited = match Plans::find(corpus, plans).and_then(|found| question::audit(corpus, &found)) {
            Ok(audited) => audited,
            Err(error) if plans.is_some() => return Err(error.into()),
            Err(question::Error::NoRecords { .. } | question::Error::Record { .. }) => continue,
            Err(error) => {
                loaded.notes.push(format!("warning: the answer keys are not audited: {error}"));
                continue;
            }
        };
        if audited.iter().all(|key| key.verdict == Verdict::Unproved) {
            continue;
        }
        for (question, key) in corpus.questions.iter().zip(&audited) {
            // A task that was changed by hand has its own question or key, of which the audit knows nothing.
            let asks = |task: &JobTask| {
                let case = task.case.as_ref().map(|case| (&case.input, &case.ground_truth));
                task.name == question.id && case == Some((&question.question, &question.answer))
            };
            if let Some(at) = loaded.job.tasks.iter().position(asks) {
                loaded.record.tasks[at].audit = Some(key.verdict.word().to_owned());
            }
        }
    }
    loaded.notes.extend(warnings(loaded));
    Ok(())
}

/// A line for each verdict but `proved`, the bad ones first, and what to do.
fn warnings(loaded: &Loaded) -> Option<String> {
    let mut lines = Vec::new();
    let (bad, open): (Vec<Verdict>, Vec<Verdict>) = Verdict::ALL.into_iter().partition(|verdict| verdict.is_bad());
    for verdict in bad.into_iter().chain(open).filter(|verdict| *verdict != Verdict::Proved) {
        let of = loaded.record.tasks.iter().filter(|task| task.audit.as_deref() == Some(verdict.word()));
        let ids: Vec<&str> = of.map(|task| task.name.as_str()).collect();
        if !ids.is_empty() {
            lines.push(format!("warning: {}", grouped(verdict, &ids)));
        }
    }
    let hint = "\nhint: `seatrial audit` says why; `seatrial report` shows scores without bad keys as well";
    (!lines.is_empty()).then(|| format!("{}\n{hint}", lines.join("\n")))
}

/// `2 keys are wrong: a, b`.
fn grouped(verdict: Verdict, ids: &[&str]) -> String {
    let what = match verdict {
        Verdict::Tie => "tied".to_owned(),
        other => other.word().replace('_', " "),
    };
    let are = if ids.len() == 1 { "is" } else { "are" };
    let named = ids[..ids.len().min(NAMED)].join(", ");
    let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
    format!("{} {are} {what}: {named}{more}", count(ids.len(), "key"))
}
