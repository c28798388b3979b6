//! Labelled cases: answers whose right reward is known, and how often a judge agrees. This measures a judge; it must
//! not change one.

use super::error::Error;
use super::rules::Key;
use super::streak::Streak;
use super::verdict::{JudgeError, Trouble, Verdict};
use super::{Judge, Matter, Spent};
use crate::task;
use futures_util::StreamExt;
use serde::Deserialize;
use std::path::Path;

/// One labelled answer, as a line of the file holds it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Case {
    /// The case's name; the line number where the line gives none.
    #[serde(default)]
    pub id: String,
    /// What the case is about, in a word.
    #[serde(default)]
    pub category: String,
    /// The kind of the key, as the labeller sees it; the judge finds its own.
    #[serde(default)]
    pub answer_type: String,
    /// What was asked.
    pub question: String,
    /// The right answer: text, or a typed key.
    pub key: CaseKey,
    /// What was answered.
    pub submission: String,
    /// The right reward.
    pub expected: f64,
    /// Why that is the right reward.
    #[serde(default)]
    pub reason: String,
    /// The rubric is silent here, and the label is a choice.
    #[serde(default)]
    pub policy: bool,
}

/// A key as files hold it.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseKey {
    /// Plain text; the kind is found.
    Text(String),
    /// With its kind.
    Typed(Key),
}

impl<'de> Deserialize<'de> for CaseKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<CaseKey, D::Error> {
        // By hand, because an untagged enum would hide which field of a typed key is wrong.
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(CaseKey::Text(text)),
            serde_json::Value::Number(number) => Ok(CaseKey::Text(number.to_string())),
            typed @ serde_json::Value::Object(_) => serde_json::from_value(typed)
                .map(CaseKey::Typed)
                .map_err(|e| serde::de::Error::custom(format!("`key`: {e}"))),
            _ => Err(serde::de::Error::custom(
                "`key` is neither a text nor `{\"kind\", \"value\", \"unit\", \"accept\"}`",
            )),
        }
    }
}

/// A case and what the judge made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The case.
    pub case: Case,
    /// The judge's verdict, or why it has none.
    pub verdict: Result<Verdict, JudgeError>,
}

impl Judged {
    /// The reward that the judge gave, where it decided.
    pub fn given(&self) -> Option<f64> {
        self.verdict.as_ref().ok().map(|verdict| verdict.reward)
    }

    /// The judge gave what the label says.
    pub fn agrees(&self) -> bool {
        self.given().is_some_and(|given| same(self.case.expected, given))
    }

    /// An answer that should not pass, a refusal or a wrong one, passed: the worst fault.
    pub fn false_accept(&self) -> bool {
        !passes(self.case.expected) && self.given().is_some_and(passes)
    }
}

/// Only a full reward passes, as in every report.
fn passes(reward: f64) -> bool {
    same(reward, 1.0)
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// All cases of a file with what the judge made of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// In the file's order.
    pub judged: Vec<Judged>,
    /// What the judge's models used.
    pub spent: Spent,
}

impl Agreement {
    /// How many cases agree.
    pub fn agree(&self) -> usize {
        self.judged.iter().filter(|j| j.agrees()).count()
    }

    /// Agreeing cases over all, in [0, 1].
    pub fn share(&self) -> f64 {
        self.agree() as f64 / self.judged.len().max(1) as f64
    }

    /// How many answers that should not pass were taken for right.
    pub fn false_accepts(&self) -> usize {
        self.judged.iter().filter(|j| j.false_accept()).count()
    }

    /// Cases by label and reward: `(expected, given, count)`, sorted, only where there are any.
    pub fn confusion(&self) -> Vec<(f64, f64, usize)> {
        let mut cells: Vec<(f64, f64, usize)> = Vec::new();
        for j in &self.judged {
            let Some(given) = j.given() else { continue };
            let expected = j.case.expected;
            match cells.iter_mut().find(|cell| same(cell.0, expected) && same(cell.1, given)) {
                Some(cell) => cell.2 += 1,
                None => cells.push((expected, given, 1)),
            }
        }
        cells.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        cells
    }
}

/// Reads a file of cases, one JSON object a line; empty lines are skipped, bad ones are all reported.
///
/// # Errors
/// The file can't be read, a line is no case, or there is none.
pub fn read_cases(path: &Path) -> Result<Vec<Case>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::ReadCases { path: path.into(), source })?;
    let mut cases = Vec::new();
    let mut bad = Vec::new();
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match parse(line, n + 1) {
            Ok(case) => cases.push(case),
            Err(what) => bad.push((n + 1, what)),
        }
    }
    match (cases.is_empty(), bad.is_empty()) {
        (_, false) => Err(Error::ParseCases { path: path.into(), lines: bad }),
        (true, true) => Err(Error::NoCases { path: path.into() }),
        (false, true) => Ok(cases),
    }
}

/// Reads names of people: one a line, or the headings of a corpus's `people.txt` (`### First Last (ID: …)`).
///
/// # Errors
/// The file can't be read, or holds no name.
pub fn read_rivals(path: &Path) -> Result<Vec<String>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::ReadCases { path: path.into(), source })?;
    let headings = text.lines().any(|line| line.starts_with("### "));
    let names: Vec<String> = text
        .lines()
        .filter_map(|line| if headings { line.strip_prefix("### ") } else { Some(line) })
        .map(|line| line.split(" (").next().unwrap_or(line).trim().to_string())
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() { Err(Error::NoNames { path: path.into() }) } else { Ok(names) }
}

fn parse(line: &str, number: usize) -> Result<Case, String> {
    let mut case: Case = serde_json::from_str(line).map_err(|e| {
        // serde_json counts from the line's own start; the file's line is already named.
        let text = e.to_string();
        text.split(" at line 1 ").next().unwrap_or(&text).to_string()
    })?;
    if ![0.0, 0.5, 1.0].iter().any(|allowed| same(*allowed, case.expected)) {
        return Err(format!("`expected` is {}, not 0.0, 0.5 or 1.0", case.expected));
    }
    if case.id.is_empty() {
        case.id = format!("line {number}");
    }
    Ok(case)
}

/// Judges every case, a few at a time. `rubric` is for judges that ask models; `rivals` as in [`super::judge`]. A judge
/// that is down is not asked about the rest, which stays ungraded.
///
/// # Errors
/// What a judge says that refuses everybody who comes with this key.
pub async fn agreement(
    judge: &Judge,
    cases: Vec<Case>,
    rubric: Option<&str>,
    rivals: &[String],
) -> Result<Agreement, JudgeError> {
    const AT_ONCE: usize = 4;
    let streak = &Streak::default();
    let judged = futures_util::stream::iter(cases).map(|case| async move {
        if streak.is_down() {
            return (Judged { case, verdict: Err(JudgeError::passing(Streak::not_asked())) }, Spent::default());
        }
        let known = task_case(&case);
        let matter = Matter { task: &case.id, case: &known, rubric, rivals, answer: &case.submission };
        let judgment = judge.decide(matter).await;
        streak.note(&judgment.result);
        (Judged { case, verdict: judgment.result }, judgment.spent)
    });
    let mut judged = std::pin::pin!(judged.buffered(AT_ONCE));
    let mut all = Agreement { judged: Vec::new(), spent: Spent::default() };
    while let Some((one, spent)) = judged.next().await {
        if let Err(error) = &one.verdict
            && error.trouble == Trouble::Refused
        {
            return Err(error.clone());
        }
        all.judged.push(one);
        all.spent += spent;
    }
    Ok(all)
}

/// The case as a task would hold it.
fn task_case(case: &Case) -> task::Case {
    let mut extra = serde_json::Map::new();
    let ground_truth = match &case.key {
        CaseKey::Text(text) => text.clone(),
        CaseKey::Typed(key) => {
            extra.insert("key".to_owned(), serde_json::json!(key));
            key.value.clone()
        }
    };
    task::Case { input: case.question.clone(), ground_truth, extra }
}
