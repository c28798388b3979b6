//! `seatrial audit`: say whether a suite's answer keys are right. Wiring and printing only.

use super::error::Error;
use super::exit;
use super::table::{beside, column};
use super::vendor::VendorArgs;
use super::words::{Format, count};
use crate::corpus::{self, Corpus};
use crate::question::{self, Audited, Plans, Verdict, listed};
use crate::{report, results};
use std::path::PathBuf;

/// Recompute answer keys and say which are right
///
/// A key is recomputed by its question's plan, which the record holds (`agent_args.extra.plan`; `questions.fields.plan` in
/// the suite file says otherwise) or a file of plans. Verdicts: proved; fragile (a careless reading gives something else);
/// ambiguous (a fair reading does); wrong; tie; not_unique; unproved (there is no plan).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial audit
  seatrial audit --vendor ../contextbench/corpus --suite examples/contextbench/suite.toml
  seatrial audit --format json > audit.json; seatrial stamp tasks --audit audit.json

Exit codes: 0 where no key is bad, 1 where one is ambiguous, wrong, a tie or not unique, 2 bad input")]
pub struct AuditArgs {
    #[command(flatten)]
    vendor: VendorArgs,

    /// Plans for questions whose records have none: {"ID": {"plan": "TOP …", "note": "…"}} [default: the file
    /// that `questions.plans` in the suite file names]
    #[arg(long, value_name = "FILE")]
    plans: Option<PathBuf>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Runs the verb and gives the exit code.
pub fn run(args: &AuditArgs) -> Result<u8, Error> {
    let corpus = corpus::load(args.vendor.dir(), args.vendor.suite.as_deref())?;
    let plans = Plans::find(&corpus, args.plans.as_deref())?;
    let audited = question::audit(&corpus, &plans)?;
    match args.format {
        Format::Text => super::show(&text(&audited)),
        Format::Json => super::show(&format!("{:#}", json(&corpus, &audited))),
    }
    Ok(if audited.iter().any(|a| a.verdict.is_bad()) { exit::CHECK_FAILED } else { exit::OK })
}

fn text(audited: &[Audited]) -> String {
    let width = |least: usize, of: &dyn Fn(&Audited) -> usize| audited.iter().map(of).max().unwrap_or(0).max(least);
    let ids = width(8, &|a| a.id.chars().count()).min(24);
    let keys = width(3, &|a| a.key.chars().count()).min(30);
    let mut out = format!("{:ids$}  {:10}  {:keys$}  why\n", "question", "verdict", "key");
    for a in audited {
        let why = a.why.as_deref().unwrap_or_default();
        let id = column(&a.id, ids);
        let key = report::clip(&report::plain(&a.key), keys);
        beside(&mut out, &format!("{id}  {:10}  {key:keys$}  ", a.verdict.word()), why);
    }
    format!("{out}\n{}", summary(audited))
}

fn summary(audited: &[Audited]) -> String {
    let of = |verdict| audited.iter().filter(|a| a.verdict == verdict).count();
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|verdict| of(*verdict) > 0)
        .map(|verdict| format!("{} {}", of(verdict), verdict.word()))
        .collect();
    format!("{}: {}", count(audited.len(), "question"), parts.join(", "))
}

fn json(corpus: &Corpus, audited: &[Audited]) -> serde_json::Value {
    let of = |verdict| audited.iter().filter(|a: &&Audited| a.verdict == verdict).count();
    let counts: serde_json::Map<_, _> =
        Verdict::ALL.into_iter().map(|verdict| (verdict.word().to_owned(), of(verdict).into())).collect();
    serde_json::json!({
        "format": 1,
        "suite": corpus.suite.name,
        "corpus_digest": corpus.digest,
        "counts": counts,
        "questions": audited.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn entry(a: &Audited) -> serde_json::Value {
    let texts = |answers: &std::collections::BTreeSet<question::Answer>| -> Vec<String> {
        answers.iter().map(ToString::to_string).collect()
    };
    let readings: Vec<_> = a
        .differing
        .iter()
        .map(|d| serde_json::json!({"reading": d.reading, "distance": d.distance, "answers": texts(&d.answers)}))
        .collect();
    let plan = a.plan.as_ref().map(ToString::to_string);
    serde_json::json!({
        "id": a.id,
        "verdict": a.verdict,
        "key": a.key,
        // One answer, or all that are level in one line; none where nobody fits or nothing was computed.
        "answer": (!a.answers.is_empty()).then(|| listed(&a.answers)),
        "answers": texts(&a.answers),
        "readings": readings,
        "why": a.why,
        "plan": plan,
        "plan_digest": plan.as_ref().map(|plan| format!("sha256:{}", results::hex(plan.as_bytes()))),
        "note": a.note,
    })
}
