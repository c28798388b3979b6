//! `seatrial judge-cases`: measure a judge on labelled answers. Wiring and printing only.

use super::error::Error;
use crate::judge::{Agreement, Judged, agreement, read_cases};
use std::path::PathBuf;

/// Measure a judge on answers whose right reward is known
///
/// FILE holds one JSON object a line: `question`, `key`, `submission`, `expected` (1.0 right, 0.5 refusal, 0.0 wrong),
/// and as you like `id`, `category`, `answer_type`, `reason`, `policy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  seatrial judge-cases cases.jsonl --judge rules --min-agreement 0.96")]
pub struct JudgeCasesArgs {
    /// The labelled answers, one JSON object a line
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Which judge is measured
    #[arg(long, value_enum, default_value_t = JudgeName::Rules)]
    judge: JudgeName,

    /// Exit with 1 if fewer than this share of the cases agree (0 to 1)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_agreement: Option<f64>,

    /// Names of people who could be meant instead of the key, one a line (a `people.txt` of a corpus works too)
    #[arg(long, value_name = "FILE")]
    rivals: Option<PathBuf>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum JudgeName {
    /// The deterministic rules; no model, no network
    Rules,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".into()),
    }
}

/// Runs the verb and gives the exit code.
#[expect(clippy::print_stdout, reason = "the result is this verb's data")]
pub fn run(args: &JudgeCasesArgs) -> Result<u8, Error> {
    let JudgeName::Rules = args.judge;
    let cases = read_cases(&args.file)?;
    let rivals = args.rivals.as_deref().map(crate::judge::read_rivals).transpose()?.unwrap_or_default();
    let agreement = agreement(cases, &rivals);
    match args.format {
        Format::Text => print!("{}", text(&agreement)),
        Format::Json => println!("{}", json(&agreement)),
    }
    let enough = args.min_agreement.is_none_or(|min| agreement.share() >= min);
    Ok(if enough { super::exit::OK } else { super::exit::CHECK_FAILED })
}

fn text(agreement: &Agreement) -> String {
    let (all, agree) = (agreement.judged.len(), agreement.agree());
    let mut out = format!(
        "judge rules: {agree} of {all} cases agree ({:.1} %), {} wrong taken for right\n\nexpected  given  cases\n",
        100.0 * agreement.share(),
        agreement.false_accepts(),
    );
    for (expected, given, count) in agreement.confusion() {
        out.push_str(&format!("{expected:>8.1}  {given:>5.1}  {count:>5}\n"));
    }
    for j in agreement.judged.iter().filter(|j| !j.agrees()) {
        out.push_str(&disagreement(j));
    }
    out
}

fn disagreement(j: &Judged) -> String {
    let (case, verdict) = (&j.case, &j.verdict);
    let choice = if case.policy { " (a choice: the rubric is silent here)" } else { "" };
    format!(
        "\n{}: expected {:.1}, given {:.1} by rule `{}`: {}\n  read:     {}\n  expected: {}{choice}\n",
        case.id,
        case.expected,
        verdict.reward,
        verdict.rule,
        verdict.reason,
        // Debug form: one line, and control signs of an answer can't reach the terminal.
        verdict.span.as_deref().map_or("nothing".to_string(), |span| format!("{span:?}")),
        if case.reason.is_empty() { "no reason given".to_string() } else { format!("{:?}", case.reason) },
    )
}

fn json(agreement: &Agreement) -> String {
    let confusion: Vec<_> = agreement
        .confusion()
        .into_iter()
        .map(|(expected, given, count)| serde_json::json!({"expected": expected, "given": given, "count": count}))
        .collect();
    let entries: Vec<_> = agreement
        .judged
        .iter()
        .map(|j| {
            serde_json::json!({
                "id": j.case.id,
                "category": j.case.category,
                "expected": j.case.expected,
                "given": j.verdict.reward,
                "agrees": j.agrees(),
                "rule": j.verdict.rule,
                "span": j.verdict.span,
                "reason": j.verdict.reason,
            })
        })
        .collect();
    let value = serde_json::json!({
        "format": "seatrial-judge-cases-1",
        "judge": "rules",
        "cases": agreement.judged.len(),
        "agree": agreement.agree(),
        "agreement": agreement.share(),
        "false_accepts": agreement.false_accepts(),
        "confusion": confusion,
        "entries": entries,
    });
    format!("{value:#}")
}
