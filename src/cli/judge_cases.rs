//! `seatrial judge-cases`: measure judges on labelled answers. Wiring and printing only.

use super::drive::EngineArgs;
use super::error::Error;
use super::table::beside;
use super::words::{Format, count, read};
use crate::config::{self, JudgeConfig};
use crate::judge::{Agreement, Case, Judge, Judged, agreement, read_cases};
use crate::model::Prices;
use crate::populate::RUBRIC;
use crate::results;
use crate::stats::{Between, JudgeQuality, Share, judge_quality, judges_between};
use std::path::PathBuf;

/// Measure judges on answers whose right reward is known
///
/// FILE holds one JSON object a line: `question`, `key`, `submission`, `expected` (1.0 right, 0.5 refusal, 0.0 wrong),
/// and as you like `id`, `category`, `answer_type`, `reason`, `policy`. Intervals are 95 % Wilson intervals.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial judge-cases cases.jsonl --judge rules --min-agreement 0.96
  seatrial judge-cases cases.jsonl --judge rules --judge rubric --judge-model gpt-5-mini
  seatrial judge-cases cases.jsonl -o judge.json     for `seatrial calibrate`")]
pub struct JudgeCasesArgs {
    /// The labelled answers, one JSON object a line
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Which judge is measured; more than once to see where they differ [default: rules]
    #[arg(long = "judge", value_name = "NAME")]
    judges: Vec<String>,

    /// A model that judges ask; more than once for several
    #[arg(long = "judge-model", value_name = "MODEL")]
    judge_models: Vec<String>,

    /// How often each of the judge's models is asked about each answer [default: 1]
    #[arg(long, value_name = "N")]
    judge_votes: Option<u32>,

    /// The rubric for judges that ask models [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,

    /// Exit with 1 if fewer than this share of the cases agree (0 to 1), with any of the judges; else with 3 if a judge
    /// could not decide some
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_agreement: Option<f64>,

    /// Names of people who could be meant instead of the key, one a line (a `people.txt` of a corpus works too)
    #[arg(long, value_name = "FILE")]
    rivals: Option<PathBuf>,

    /// Keep what was measured in this file, for `seatrial calibrate`; for one judge only
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    engine: EngineArgs,
}

/// One judge, and what came of it.
struct Measured {
    judge: Judge,
    /// The SHA-256 of the rubric, in hexadecimal, where the judge reads one.
    rubric_sha256: Option<String>,
    agreement: Agreement,
    quality: JudgeQuality,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".into()),
    }
}

/// Runs the verb and gives the exit code.
#[expect(clippy::print_stdout, reason = "the result is this verb's data")]
pub async fn run(args: &JudgeCasesArgs) -> Result<u8, Error> {
    args.engine.records_anew()?;
    let judges = if args.judges.is_empty() { vec!["rules".to_owned()] } else { args.judges.clone() };
    if args.output.is_some() && judges.len() > 1 {
        return Err(Error::Usage("`-o` keeps what was measured of one judge; name one with `--judge`".into()));
    }
    let flags = JudgeConfig { models: args.judge_models.clone(), votes: args.judge_votes, ..JudgeConfig::default() };
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let config = config::resolve_judge(&flags, variable, JudgeConfig::default())?;
    let judges = judges.iter().map(|name| judge(args, name, &config)).collect::<Result<Vec<_>, _>>()?;
    let cases = read_cases(&args.file)?;
    let rivals = args.rivals.as_deref().map(crate::judge::read_rivals).transpose()?.unwrap_or_default();
    let rubric = args.rubric.as_deref().map_or_else(|| Ok(RUBRIC.to_owned()), read)?;
    let mut measured = Vec::new();
    for judge in judges {
        measured.push(measure(judge, cases.clone(), &rubric, &rivals).await?);
    }
    if let (Some(path), [one]) = (&args.output, &measured[..]) {
        results::write_whole(path, format!("{:#}\n", record(one)).as_bytes())?;
    }
    match (args.format, &measured[..]) {
        (Format::Text, all) => print!("{}{}", all.iter().map(text).collect::<Vec<_>>().join("\n"), differences(all)),
        (Format::Json, [one]) => println!("{:#}", json(one)),
        (Format::Json, all) => {
            let judges: Vec<_> = all.iter().map(json).collect();
            let between = between(all);
            let value = serde_json::json!({
                "format": "seatrial-judge-cases-1",
                "judges": judges,
                "fleiss_kappa": between.fleiss_kappa,
                "krippendorff_alpha": between.krippendorff_alpha,
            });
            println!("{value:#}");
        }
    }
    Ok(exit_code(args.min_agreement, &measured))
}

/// A judge that could not decide everything fails a check only where it would also with a right reward for all the rest.
fn exit_code(min_agreement: Option<f64>, measured: &[Measured]) -> u8 {
    let too_few = |one: &Measured| {
        let (agree, ungraded) = (one.agreement.agree() as f64, one.quality.ungraded as f64);
        min_agreement.is_some_and(|min| (agree + ungraded) / (one.agreement.judged.len() as f64) < min)
    };
    match measured.iter().any(too_few) {
        true => super::exit::CHECK_FAILED,
        false if measured.iter().any(|one| one.quality.ungraded > 0) => super::exit::INCOMPLETE,
        false => super::exit::OK,
    }
}

fn judge(args: &JudgeCasesArgs, name: &str, config: &JudgeConfig) -> Result<Judge, Error> {
    let prices = args.engine.prices.as_deref().map(Prices::load).transpose()?.unwrap_or_default();
    match args.engine.judge(name, config, prices)? {
        Judge::Script => {
            Err(Error::Usage("the judge `script` needs a task, so labelled answers can't measure it".into()))
        }
        judge => Ok(judge),
    }
}

async fn measure(judge: Judge, cases: Vec<Case>, rubric: &str, rivals: &[String]) -> Result<Measured, Error> {
    let agreement = agreement(&judge, cases, Some(rubric), rivals).await;
    let agreement = agreement.map_err(|refused| Error::Usage(refused.to_string()))?;
    let pairs: Vec<_> = agreement.judged.iter().map(|judged| (judged.case.expected, judged.given())).collect();
    let rubric_sha256 = judge.reads_rubric().then(|| results::hex(rubric.as_bytes()));
    Ok(Measured { judge, rubric_sha256, quality: judge_quality(&pairs), agreement })
}

fn text(measured: &Measured) -> String {
    let Measured { judge, agreement, quality, .. } = measured;
    let (all, agree) = (agreement.judged.len(), agreement.agree());
    let ungraded = if quality.ungraded > 0 { format!(", {} ungraded", quality.ungraded) } else { String::new() };
    let mut out = format!(
        "judge {}: {agree} of {all} cases agree ({:.1} %), {} wrongly taken for right{ungraded}\n\n",
        judge.name(),
        100.0 * agreement.share(),
        agreement.false_accepts(),
    );
    let rate = |name: &str, rate: &Option<Share>| match rate {
        Some(Share { n, count, rate, interval: (low, high) }) => {
            format!("{name}  {rate:.3}  [{low:.3}, {high:.3}]  {count} of {n}\n")
        }
        None => format!("{name}  no such answers\n"),
    };
    out.push_str(&rate("right taken for right (sensitivity)", &quality.sensitivity));
    out.push_str(&rate("others taken so (specificity)      ", &quality.specificity));
    if agreement.spent.requests > 0 {
        out.push_str(&format!("used  {}\n", agreement.spent));
    }
    out.push_str(&format!(
        "kappa {}, AC1 {}, alpha {}\n",
        number(quality.cohen_kappa),
        number(quality.gwet_ac1),
        number(quality.krippendorff_alpha)
    ));
    let confusion = agreement.confusion();
    if !confusion.is_empty() {
        out.push_str("\nexpected  given  cases\n");
    }
    for (expected, given, count) in confusion {
        out.push_str(&format!("{expected:>8.1}  {given:>5.1}  {count:>5}\n"));
    }
    for j in agreement.judged.iter().filter(|j| !j.agrees()) {
        out.push_str(&disagreement(j));
    }
    out
}

fn disagreement(j: &Judged) -> String {
    let case = &j.case;
    let choice = if case.policy { " (a choice: the rubric is silent here)" } else { "" };
    // Debug form: one line, and control signs of an answer can't reach the terminal.
    let expected = if case.reason.is_empty() { "no reason given".to_string() } else { format!("{:?}", case.reason) };
    let mut out = String::from("\n");
    let (id, wanted) = (format!("{}: ", case.id), format!("expected {:.1}", case.expected));
    match &j.verdict {
        Ok(verdict) => {
            let given = format!("given {:.1} by rule `{}`: {}", verdict.reward, verdict.rule, verdict.reason);
            let given = given.trim_end_matches(": ").to_owned();
            let read = verdict.span.as_deref().map_or("nothing".to_string(), |span| format!("{span:?}"));
            beside(&mut out, &id, &format!("{wanted}, {given}"));
            beside(&mut out, "  read:     ", &read);
            if !case.reason.is_empty() || case.policy {
                beside(&mut out, "  expected: ", &format!("{expected}{choice}"));
            }
        }
        Err(error) => beside(&mut out, &id, &format!("{wanted}, ungraded: {error}")),
    }
    out
}

/// Where several judges gave different rewards.
fn differences(all: &[Measured]) -> String {
    let [first, ..] = all else { return String::new() };
    if all.len() < 2 {
        return String::new();
    }
    let mut lines = Vec::new();
    for (at, judged) in first.agreement.judged.iter().enumerate() {
        let given: Vec<Option<f64>> = all.iter().map(|one| one.agreement.judged[at].given()).collect();
        if given.windows(2).any(|pair| pair[0] != pair[1]) {
            let said = all.iter().zip(&given).map(|(one, given)| {
                let given = given.map_or_else(|| "ungraded".to_owned(), |given| format!("{given:.1}"));
                format!("{} {given}", one.judge.name())
            });
            let said: Vec<String> = said.collect();
            lines.push(format!("{}: expected {:.1}, {}\n", judged.case.id, judged.case.expected, said.join(", ")));
        }
    }
    let Between { fleiss_kappa, krippendorff_alpha } = between(all);
    format!(
        "\nthe judges differ on {} (kappa {}, alpha {})\n{}",
        count(lines.len(), "case"),
        number(fleiss_kappa),
        number(krippendorff_alpha),
        lines.concat()
    )
}

fn between(all: &[Measured]) -> Between {
    let given = |one: &Measured| one.agreement.judged.iter().map(Judged::given).collect();
    judges_between(&all.iter().map(given).collect::<Vec<_>>())
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"))
}

/// What is kept of a measured judge: `sensitivity` and `specificity` with `rate` and `n`, and what it was.
fn record(measured: &Measured) -> serde_json::Value {
    let Measured { judge, rubric_sha256, agreement, quality } = measured;
    serde_json::json!({
        "format": "seatrial-judge-measured-1",
        "judge": judge.name(),
        "judge_digest": judge.digest(),
        "judge_parameters": judge.parameters(),
        "rubric_sha256": rubric_sha256,
        "cases": agreement.judged.len(),
        "agree": agreement.agree(),
        "agreement": agreement.share(),
        "false_accepts": agreement.false_accepts(),
        "sensitivity": quality.sensitivity,
        "specificity": quality.specificity,
        "ungraded": quality.ungraded,
        "percent": quality.percent,
        "cohen_kappa": quality.cohen_kappa,
        "gwet_ac1": quality.gwet_ac1,
        "krippendorff_alpha": quality.krippendorff_alpha,
    })
}

fn json(measured: &Measured) -> serde_json::Value {
    let confusion: Vec<_> = measured
        .agreement
        .confusion()
        .into_iter()
        .map(|(expected, given, count)| serde_json::json!({"expected": expected, "given": given, "count": count}))
        .collect();
    let entry = |j: &Judged| {
        let verdict = j.verdict.as_ref().ok();
        serde_json::json!({
            "id": j.case.id,
            "category": j.case.category,
            "expected": j.case.expected,
            "given": j.given(),
            "agrees": j.agrees(),
            "rule": verdict.map(|verdict| &verdict.rule),
            "span": verdict.and_then(|verdict| verdict.span.as_ref()),
            "reason": j.verdict.as_ref().map_or_else(ToString::to_string, |verdict| verdict.reason.clone()),
        })
    };
    let mut value = record(measured);
    value["format"] = "seatrial-judge-cases-1".into();
    value["confusion"] = confusion.into();
    value["spent"] = serde_json::json!(measured.agreement.spent);
    value["entries"] = measured.agreement.judged.iter().map(entry).collect();
    value
}
