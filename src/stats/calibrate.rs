//! From counts to a calibration: a standing for each task and model, one tier for each task by the reference, and what
//! speaks against trusting it. The same counts and settings give the same calibration.

use super::bias::JudgeRates;
use super::calibration::{Calibration, JobName, JudgeFacts, ModelFacts, TaskCalibration};
use super::cells::{Cell, Counted, counts};
use super::error::Error;
use super::panel::{Rate, gap_chance, panel_masses};
use super::prior::Prior;
use super::standing::{Standing, Status, panel_standing, standing};
use super::tiers::{Scale, Thresholds};
use crate::question::Verdict;
use crate::spelling::did_you_mean;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The reference that is the mean of all models.
pub const PANEL: &str = "panel-mean";

/// A judge must have been measured on so many right and so many wrong answers.
const LEAST_JUDGED: u64 = 30;
/// A judge with less power than this can't tell tiers.
const LEAST_POWER: f64 = 0.5;
/// Two models are split over a task where they are likely to be so far apart,
const SPLIT_GAP: f64 = 0.4;
/// with at least this chance.
const SPLIT_CHANCE: f64 = 0.8;
/// A key is suspect where no model ever passed, each tried at least so often.
const SUSPECT_TRIALS: u64 = 6;

/// How to calibrate.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the tiers meet.
    pub thresholds: Thresholds,
    /// How likely a tier must be.
    pub confidence: f64,
    /// What was measured of the judge: its rates, and on how many right and wrong answers. Without it, the judge counts
    /// as always right.
    pub judge: Option<(JudgeRates, u64, u64)>,
    /// Whose tier is a task's: an agent's label or model, or [`PANEL`]. Needed where there are several.
    pub reference: Option<String>,
    /// Tasks whose keys a person vouches for.
    pub signed: BTreeSet<String>,
}

/// Calibrates by what was counted.
///
/// # Errors
/// [`Error::Setting`], [`Error::Judge`], [`Error::Reference`].
pub fn calibrate(counted: &Counted, settings: &Settings) -> Result<Calibration, Error> {
    let Thresholds { hard, easy } = settings.thresholds;
    if !(0.0 < hard && hard < easy && easy < 1.0) {
        return Err(Error::Setting(format!("thresholds are two rates between 0 and 1, not {hard} and {easy}")));
    }
    if !(0.5..1.0).contains(&settings.confidence) {
        return Err(Error::Setting(format!("a confidence of {} is not from 0.5 to below 1", settings.confidence)));
    }
    let judge = judge_rates(settings)?;
    let reference = reference(counted, settings.reference.as_deref())?;
    let scales: BTreeMap<&str, Scale> = counted
        .agents
        .keys()
        .map(|agent| {
            let cells = counted.cells.iter().filter(|((other, _), _)| other == agent);
            let prior = Prior::learn(&counts(cells.map(|(_, cell)| cell)));
            (agent.as_str(), Scale::new(settings.thresholds, settings.confidence, prior, judge))
        })
        .collect();
    let models = scales.iter().map(|(agent, scale)| {
        let facts = ModelFacts {
            digest: counted.agents[*agent].clone(),
            prior: scale.prior.clone(),
            broken: counted.broken.get(*agent).cloned(),
        };
        (agent.to_string(), facts)
    });
    let mut out = Calibration {
        format: super::calibration::FORMAT,
        seatrial: env!("CARGO_PKG_VERSION").to_owned(),
        model: reference.clone(),
        date: day(counted.last),
        jobs: counted.jobs.iter().map(|(name, id)| JobName { name: name.clone(), id: id.clone() }).collect(),
        judge: JudgeFacts {
            name: counted.judge.0.clone(),
            digest: counted.judge.1.clone(),
            sensitivity: settings.judge.map(|(rates, ..)| rates.sensitivity),
            specificity: settings.judge.map(|(rates, ..)| rates.specificity),
        },
        corpus: counted.corpus.clone(),
        thresholds: settings.thresholds,
        confidence: settings.confidence,
        models: models.collect(),
        tasks: BTreeMap::new(),
    };
    let signed = |task: &str| settings.signed.contains(task);
    for (task, (digest, audit)) in &counted.tasks {
        let cells: BTreeMap<&str, Cell> = scales
            .keys()
            .filter_map(|agent| Some((*agent, *counted.cells.get(&(agent.to_string(), task.clone()))?)))
            .collect();
        let entry = one(&cells, &scales, &reference, digest, audit.as_deref(), signed(task));
        out.tasks.insert(task.clone(), entry);
    }
    let stamps: Vec<(String, Option<Map<String, Value>>)> =
        out.tasks.iter().map(|(task, entry)| (task.clone(), evidence(&out, entry))).collect();
    for (task, stamp) in stamps {
        out.tasks.get_mut(&task).expect("it was just listed").calibration = stamp;
    }
    Ok(out)
}

/// One task's entry.
fn one(
    cells: &BTreeMap<&str, Cell>,
    scales: &BTreeMap<&str, Scale>,
    reference: &str,
    digest: &str,
    audit: Option<&str>,
    signed: bool,
) -> TaskCalibration {
    let models: BTreeMap<String, Standing> =
        cells.iter().map(|(agent, cell)| (agent.to_string(), standing(cell, &scales[agent]))).collect();
    let rate = |passed: bool| -> Vec<Rate> {
        let rate = |(agent, cell): (&&str, &Cell)| {
            let c = cell.pass + if passed { cell.ambiguous } else { 0 };
            Rate::new(&scales[agent].prior, cell.n(), c, scales[agent].judge)
        };
        cells.iter().map(rate).collect()
    };
    let scale = scales.values().next().expect("a job has agents");
    let mut main = if reference == PANEL {
        let each: Vec<&Standing> = models.values().collect();
        let masses = |passed: bool| panel_masses(&rate(passed), scale.thresholds);
        let ambiguous = each.iter().any(|one| one.ambiguous > 0);
        let failed = masses(false).unwrap_or_else(|| scale.masses(0, 0));
        panel_standing(&each, failed, masses(true).filter(|_| ambiguous), scale.confidence)
    } else {
        models.get(reference).cloned().unwrap_or_else(|| standing(&Cell::default(), &scales[reference]))
    };
    let mut flags = Vec::new();
    if main.status == Status::AgentBroken {
        flags.push("agent-broken".to_owned());
    } else if cells.values().any(|cell| cell.is_mute() && !cell.is_broken()) {
        flags.push("agent-errors".to_owned());
    }
    let verdict = audit.and_then(Verdict::from_word);
    if verdict.is_some_and(Verdict::is_bad) && !signed {
        flags.push("bad-key".to_owned());
    }
    // An agent that does not work says nothing of the key.
    let works = |one: &Standing| one.status != Status::AgentBroken && one.n >= SUSPECT_TRIALS;
    let never = models.len() >= 2 && models.values().all(|one| works(one) && one.passes == 0);
    if never && audit != Some("proved") && !signed {
        flags.push("suspect-key".to_owned());
    }
    let rates = rate(false);
    let apart = |i: usize| (i + 1..rates.len()).any(|j| gap_chance(&rates[i], &rates[j], SPLIT_GAP) >= SPLIT_CHANCE);
    // Few trials leave every gap open, so this is only asked where both models have some.
    let asked = models.values().all(|one| one.n >= super::standing::LEAST_TRIALS);
    if asked && (0..rates.len()).any(apart) {
        flags.push("model-split".to_owned());
    }
    if models.values().any(|one| one.ambiguous * 10 > one.n) {
        flags.push("judge-unstable".to_owned());
    }
    let blocked =
        flags.iter().any(|flag| flag == "bad-key" || flag == "suspect-key" && main.tier.as_deref() == Some("hard"));
    if blocked && main.status == Status::Stamped {
        main.status = Status::Blocked;
        main.tier = None;
    }
    let rates = models.iter().filter(|(_, one)| one.n > 0).map(|(agent, one)| (agent.clone(), four(pass_rate(one))));
    TaskCalibration {
        tier: main.tier.clone(),
        n: if reference == PANEL { models.values().map(|one| one.n).min().unwrap_or(0) } else { main.n },
        pass_at_bare: (main.n > 0).then(|| four(pass_rate(&main))),
        rates: rates.collect(),
        task_digest: digest.to_owned(),
        audit: audit.map(str::to_owned),
        signed,
        flags,
        reference: main,
        models,
        calibration: None,
    }
}

fn pass_rate(standing: &Standing) -> f64 {
    standing.passes as f64 / standing.n as f64
}

/// Four places, as published calibrations have them.
fn four(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// What goes into a task beside its tier: enough to see why, and for what it holds. `None` where no tier is told.
fn evidence(calibration: &Calibration, entry: &TaskCalibration) -> Option<Map<String, Value>> {
    let tier = entry.tier.as_deref().and_then(crate::task::Tier::from_word)?;
    let main = &entry.reference;
    let priors: BTreeSet<&str> = calibration
        .models
        .iter()
        .filter(|(agent, _)| calibration.model == PANEL || **agent == calibration.model)
        .map(|(_, facts)| facts.prior.word())
        .collect();
    let agents: Vec<&str> = calibration
        .models
        .iter()
        .filter(|(agent, _)| calibration.model == PANEL || **agent == calibration.model)
        .map(|(_, facts)| facts.digest.as_str())
        .collect();
    let mut digests = json!({"task": entry.task_digest, "agent": agents.join(" "), "judge": calibration.judge.digest});
    if let Some(corpus) = &calibration.corpus {
        digests["corpus"] = json!(corpus);
    }
    let evidence = json!({
        "status": main.status.word(),
        "mass": four(main.masses.of(tier)),
        "n": main.n,
        "c": main.passes,
        "ambiguous": main.ambiguous,
        "missing": main.missing,
        "thresholds": [calibration.thresholds.hard, calibration.thresholds.easy],
        "confidence": calibration.confidence,
        "prior": priors.into_iter().collect::<Vec<_>>().join(" "),
        "reference": calibration.model,
        "judge": calibration.judge.name,
        "date": calibration.date,
        "digests": digests,
    });
    evidence.as_object().cloned()
}

fn judge_rates(settings: &Settings) -> Result<JudgeRates, Error> {
    let Some((rates, right, wrong)) = settings.judge else { return Ok(JudgeRates::PERFECT) };
    if ![rates.sensitivity, rates.specificity].iter().all(|rate| (0.0..=1.0).contains(rate)) {
        return Err(Error::Judge("its rates are not from 0 to 1".into()));
    }
    if right < LEAST_JUDGED || wrong < LEAST_JUDGED {
        return Err(Error::Judge(format!("it was measured on {right} right and {wrong} wrong answers only")));
    }
    if rates.power() < LEAST_POWER {
        let (passes, fails) = (rates.sensitivity, rates.specificity);
        return Err(Error::Judge(format!("it passes {passes} of right answers and fails {fails} of wrong ones")));
    }
    Ok(rates)
}

/// The label that a reference names: itself, or the only agent with that model or name.
fn reference(counted: &Counted, asked: Option<&str>) -> Result<String, Error> {
    let labels: Vec<&String> = counted.agents.keys().collect();
    let error = |why: String, near: Option<String>| {
        let agents = labels.iter().map(|label| format!("`{label}`")).collect();
        Error::Reference { why, agents, near }
    };
    match (asked, labels.as_slice()) {
        (None, [only]) => Ok(only.to_string()),
        (None, []) => Err(Error::NoJob),
        (None, _) => Err(error("several agents were measured, and none is the reference".into(), None)),
        (Some(PANEL), _) => Ok(PANEL.to_owned()),
        (Some(name), labels) => {
            let model = |label: &str| label.ends_with(&format!(" ({name})")) || label.starts_with(&format!("{name} ("));
            let mut fit = labels.iter().filter(|label| label.as_str() == name || model(label));
            match (fit.next(), fit.next()) {
                (Some(label), None) => Ok(label.to_string()),
                (None, _) => {
                    let parts = labels.iter().flat_map(|label| label.trim_end_matches(')').split(" ("));
                    let near = did_you_mean(name, parts.chain([PANEL]));
                    Err(error(format!("no agent is called `{name}`"), near))
                }
                _ => Err(error(format!("more than one agent is called `{name}`"), None)),
            }
        }
    }
}

/// The day, in UTC, as `2026-11-30`.
fn day(seconds: f64) -> String {
    let at = jiff::Timestamp::from_second(seconds as i64).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%d").to_string()
}
