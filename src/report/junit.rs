//! The report for CI servers, in the JUnit XML that they agree on: a `testsuite` per agent, a `testcase` per trial. A
//! reward below 1 is a failure, a fault, an ungraded or a damaged trial an error, a cancelled or missing trial skipped. The
//! type of a failure or error is the class of it; `scored` where the judge alone gave less than 1.

use super::numbers::{LeftOut, arm_name, left_out, why, words};
use super::plain::plain;
use crate::failure::FailureClass;
use crate::results::{Job, OutcomeKind, TrialRecord};
use crate::stats::{ArmSummary, Summary};
use crate::task::by_name;
use std::collections::HashMap;

/// A job as JUnit XML.
pub fn junit(job: &Job, summary: &Summary) -> String {
    let ended = job.by_name();
    let left_out: HashMap<String, LeftOut> =
        left_out(job).into_iter().map(|trial| (trial.name.clone(), trial)).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"{}\">\n", xml(&job.record.name)));
    for arm in &summary.arms {
        out.push_str(&suite_start(arm));
        // A reader of the numbers alone must see that they are of a part.
        if let Some(part) = &job.part {
            out.push_str(&format!(
                "    <properties>\n      <property name=\"part\" value=\"{}\"/>\n    </properties>\n",
                xml(part)
            ));
        }
        let mut trials: Vec<_> =
            job.record.trials.iter().filter(|trial| trial.agent_index == arm.agent_index).collect();
        trials.sort_by(|a, b| a.attempt.cmp(&b.attempt).then(by_name(&a.task, &b.task)));
        for planned in trials {
            let record = ended.get(planned.name.as_str()).copied();
            let (task, attempt) = (xml(&planned.task), planned.attempt);
            let seconds = record.map_or(0.0, |record| record.timing.trial.finished_at - record.timing.trial.started_at);
            out.push_str(&format!(
                "    <testcase classname=\"{task}\" name=\"{task} attempt {attempt}\" time=\"{seconds:.3}\""
            ));
            match result(record, left_out.get(&planned.name)) {
                Some(element) => out.push_str(&format!(">\n      {element}\n    </testcase>\n")),
                None => out.push_str("/>\n"),
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite_start(arm: &ArmSummary) -> String {
    let (all, counts) = (&arm.all, &arm.all.counts);
    format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        xml(&arm_name(arm)),
        all.planned,
        all.rewarded - all.passes,
        counts.fault + counts.ungraded + counts.damaged,
        counts.cancelled + counts.missing,
    )
}

/// What is inside a `testcase`; nothing where the trial passed.
fn result(record: Option<&TrialRecord>, left_out: Option<&LeftOut>) -> Option<String> {
    let message = || left_out.map_or(String::new(), |trial| xml(&format!("{}: {}", trial.state, trial.why)));
    let Some(record) = record else {
        return Some(match left_out {
            Some(trial) if trial.state == "damaged" => {
                format!("<error type=\"damaged\" message=\"{}\"/>", message())
            }
            _ => format!("<skipped message=\"{}\"/>", message()),
        });
    };
    let kind = record.failure_class().map_or(record.outcome.word(), FailureClass::word);
    match (record.reward, record.outcome) {
        (Some(1.0), _) => None,
        (Some(reward), outcome) => {
            let message = xml(&format!("reward {reward:?}, {}: {}", words(outcome), why(record)));
            Some(format!("<failure type=\"{kind}\" message=\"{message}\"/>"))
        }
        (None, OutcomeKind::Cancelled) => Some(format!("<skipped message=\"{}\"/>", message())),
        (None, _) => Some(format!("<error type=\"{kind}\" message=\"{}\"/>", message())),
    }
}

/// Text inside an attribute. After [`plain`] no character is left that XML 1.0 forbids.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            c => safe.push(c),
        }
    }
    safe
}
