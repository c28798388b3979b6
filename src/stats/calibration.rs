//! The calibration file: measured difficulty with all that it rests on, as it is written and read. Beside ours it has the
//! fields of published calibrations (`tasks.<id>.tier`, `n`, `pass_at_bare`), so that other tools can use it.

use super::bias::JudgeRates;
use super::error::Error;
use super::prior::Prior;
use super::standing::Standing;
use super::tiers::Thresholds;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The version of the file's shape.
pub const FORMAT: u32 = 1;

/// A calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of seatrial that made it.
    pub seatrial: String,
    /// Whose tiers the tasks' are: an agent's label, or `panel-mean`.
    pub model: String,
    /// The day on which the last trial ended, in UTC.
    pub date: String,
    /// The jobs that it rests on.
    pub jobs: Vec<JobName>,
    /// Who judged.
    pub judge: JudgeFacts,
    /// The digest of the documents.
    pub corpus: Option<String>,
    /// Where the tiers meet.
    pub thresholds: Thresholds,
    /// How likely a tier had to be.
    pub confidence: f64,
    /// The agents, by label, with the prior that was learnt from each.
    pub models: BTreeMap<String, ModelFacts>,
    /// The tasks, by name.
    pub tasks: BTreeMap<String, TaskCalibration>,
}

/// A job, by name and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobName {
    /// Its name.
    pub name: String,
    /// Its id, a UUID.
    pub id: String,
}

/// Who judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeFacts {
    /// The judge's name.
    pub name: String,
    /// Its digest.
    pub digest: String,
    /// Its measured share of right answers passed, where one was given.
    pub sensitivity: Option<f64>,
    /// Its measured share of wrong answers failed, where one was given.
    pub specificity: Option<f64>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// The digest of its settings.
    pub digest: String,
    /// What was believed of its pass rates before a task's own trials; frozen, so that tiers can be worked out again.
    pub prior: Prior,
    /// How one of its trials ended, where every trial of it ended with an error of its own or without an answer: it did not
    /// work, so no tier rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskCalibration {
    /// The tier to stamp; `None` where it is open.
    pub tier: Option<String>,
    /// How many trials of the reference say something; for a panel, of the model with the fewest.
    pub n: u64,
    /// The reference's pass rate, to four places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_at_bare: Option<f64>,
    /// The pass rate of each model, to four places.
    pub rates: BTreeMap<String, f64>,
    /// The task's content digest.
    pub task_digest: String,
    /// What the audit says of its key, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// A person vouches for the key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// What speaks against trust: `agent-broken`, `agent-errors`, `bad-key`, `suspect-key`, `model-split`,
    /// `judge-unstable`.
    pub flags: Vec<String>,
    /// Where it stands by the reference.
    pub reference: Standing,
    /// Where it stands by each model.
    pub models: BTreeMap<String, Standing>,
    /// What a stamp writes into the task; `None` where the tier is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Map<String, Value>>,
}

impl Calibration {
    /// Reads a calibration that seatrial wrote.
    ///
    /// # Errors
    /// [`Error::Parse`].
    pub fn parse(text: &str) -> Result<Calibration, Error> {
        serde_json::from_str(text).map_err(|e| Error::Parse(e.to_string()))
    }

    /// Its text; the same calibration gives the same bytes.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a calibration has only string keys");
        text.push('\n');
        text
    }
}

/// What was measured of a judge: its rates, and on how many right and wrong answers.
///
/// The text is JSON with `sensitivity` and `specificity`, each `{"rate": 0.95, "n": 40}`.
///
/// # Errors
/// [`Error::Parse`].
pub fn judge_measured(text: &str) -> Result<(JudgeRates, u64, u64), Error> {
    #[derive(Deserialize)]
    struct File {
        sensitivity: Share,
        specificity: Share,
    }
    #[derive(Deserialize)]
    struct Share {
        rate: f64,
        n: u64,
    }
    let file: File = serde_json::from_str(text).map_err(|e| Error::Parse(e.to_string()))?;
    let rates = JudgeRates { sensitivity: file.sensitivity.rate, specificity: file.specificity.rate };
    Ok((rates, file.sensitivity.n, file.specificity.n))
}
