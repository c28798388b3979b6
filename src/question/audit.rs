//! Whether answer keys are right: each is recomputed by its plan, twice, and then once more under every other reading that
//! the question's words leave open.
//!
//! The first of these that holds is the verdict:
//! 1. `unproved`: there is no plan.
//! 2. `not_unique`: a handle has several owners, and they lead to different answers; or nobody is left, or several are
//!    where the question asks for the only one.
//! 3. `tie`: a ranking leaves several, and they lead to different answers.
//! 4. `wrong`: the plain reading gives one answer, and it is not the key.
//! 5. `ambiguous`: a fair reading gives another answer.
//! 6. `fragile`: a loose reading does.
//! 7. `proved`.
//!
//! A reading that gives no answer at all is no rival: who asks presupposes that there is one.

use super::answer::Answer;
use super::database::Database;
use super::error::Error;
use super::plan::Plan;
use super::plans::Plans;
use super::reading::Reading;
use super::records::Records;
use super::variation::{Distance, Variation, owner_variations, variations};
use super::world::World;
use crate::corpus::{Corpus, Question};
use std::collections::BTreeSet;

/// What is to be thought of an answer key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what the question's plan gives, whichever way the words are taken.
    Proved,
    /// It holds for a careful reader; a careless reading gives something else.
    Fragile,
    /// It holds under one of several fair readings.
    Ambiguous,
    /// Another answer is right.
    Wrong,
    /// Several answers are equally right, since a ranking ends level.
    Tie,
    /// Nobody is meant, or several are.
    NotUnique,
    /// No plan says how the answer is found.
    Unproved,
}

impl Verdict {
    /// All of them, the good ones first.
    pub const ALL: [Verdict; 7] = [
        Verdict::Proved,
        Verdict::Fragile,
        Verdict::Ambiguous,
        Verdict::Wrong,
        Verdict::Tie,
        Verdict::NotUnique,
        Verdict::Unproved,
    ];

    /// Whether a model that answers well can lose its point by this key.
    pub fn is_bad(self) -> bool {
        matches!(self, Verdict::Ambiguous | Verdict::Wrong | Verdict::Tie | Verdict::NotUnique)
    }

    /// The verdict of exactly this word.
    pub fn from_word(word: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// The word in tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Fragile => "fragile",
            Verdict::Ambiguous => "ambiguous",
            Verdict::Wrong => "wrong",
            Verdict::Tie => "tie",
            Verdict::NotUnique => "not_unique",
            Verdict::Unproved => "unproved",
        }
    }
}

/// A reading that gives other answers than the plain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// What it takes otherwise.
    pub reading: String,
    /// How far it is from the plain reading.
    pub distance: Distance,
    /// What it gives; nothing where nobody is left.
    pub answers: BTreeSet<Answer>,
}

/// One question's audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    /// The task's id.
    pub id: String,
    /// What is to be thought of the key.
    pub verdict: Verdict,
    /// The answer key.
    pub key: String,
    /// What the plan gives under the plain reading; empty where there is no plan.
    pub answers: BTreeSet<Answer>,
    /// The readings that give something else.
    pub differing: Vec<Differing>,
    /// Why the verdict is what it is, in one line; nothing for proved keys.
    pub why: Option<String>,
    /// The plan.
    pub plan: Option<Plan>,
    /// What whoever wrote the plan said about it.
    pub note: Option<String>,
}

/// Audits every question of a suite. Plans come from `plans` first, then from the questions' own records.
///
/// Fails where records or plans can't be read, where `plans` names a question that isn't there, and where the two
/// evaluations of a plan differ. Where no question has a plan, the records aren't read: any corpus can be audited.
pub fn audit(corpus: &Corpus, plans: &Plans) -> Result<Vec<Audited>, Error> {
    plans.check(corpus)?;
    let (mut found, mut bad) = (Vec::new(), Vec::new());
    for question in &corpus.questions {
        match plans.of(question) {
            Ok(plan) => found.push((question, plan)),
            Err(error) => bad.push(format!("`{}`: {error}", question.id)),
        }
    }
    if !bad.is_empty() {
        return Err(Error::BadPlans(bad));
    }
    if found.iter().all(|(_, plan)| plan.is_none()) {
        return Ok(found.into_iter().map(|(question, _)| unproved(question)).collect());
    }
    let records = Records::of(corpus)?;
    let (world, database) = (World::new(&records), Database::load(&records)?);
    let judge = |(question, plan): (&Question, Option<(Plan, Option<String>)>)| match plan {
        Some((plan, note)) => Ok(Audited { note, ..audit_one(question, plan, &world, &database)? }),
        None => Ok(unproved(question)),
    };
    found.into_iter().map(judge).collect()
}

fn unproved(question: &Question) -> Audited {
    Audited {
        id: question.id.clone(),
        verdict: Verdict::Unproved,
        key: question.answer.clone(),
        answers: BTreeSet::new(),
        differing: Vec::new(),
        why: Some("no plan says how the answer is found".into()),
        plan: None,
        note: None,
    }
}

/// Audits one question by its plan.
pub fn audit_one(question: &Question, plan: Plan, world: &World<'_>, database: &Database) -> Result<Audited, Error> {
    let plain = both(question, &plan, &Reading::default(), world, database)?;
    let differing = |tried: Vec<Variation>| -> Result<Vec<Differing>, Error> {
        let mut differing = Vec::new();
        for Variation { name, distance, reading } in tried {
            let answers = world.answers(&plan, &reading);
            if answers == plain {
                continue;
            }
            // What can decide is found twice too.
            if distance != Distance::Mistaken {
                both(question, &plan, &reading, world, database)?;
            }
            differing.push(Differing { reading: name, distance, answers });
        }
        Ok(differing)
    };
    let owners = differing(owner_variations(&plan, world))?;
    let others = differing(variations(&plan, &question.question, world))?;
    let (verdict, why) = decide(question, &plan, &plain, &owners, &others);
    let differing = [owners, others].concat();
    Ok(Audited {
        id: question.id.clone(),
        verdict,
        key: question.answer.clone(),
        answers: plain,
        differing,
        why,
        plan: Some(plan),
        note: None,
    })
}

/// The answers of a plan, found by SQL and by plain Rust.
fn both(
    question: &Question,
    plan: &Plan,
    reading: &Reading,
    world: &World<'_>,
    database: &Database,
) -> Result<BTreeSet<Answer>, Error> {
    let (plain, by_sql) = (world.answers(plan, reading), database.answers(plan, reading)?);
    if plain != by_sql {
        let (plain, by_sql) = (listed(&plain), listed(&by_sql));
        return Err(Error::Disagree { id: question.id.clone(), plan: plan.to_string(), plain, by_sql });
    }
    Ok(plain)
}

fn decide(
    question: &Question,
    plan: &Plan,
    plain: &BTreeSet<Answer>,
    owners: &[Differing],
    others: &[Differing],
) -> (Verdict, Option<String>) {
    let rivals = |distance| others.iter().filter(move |d| d.distance == distance && !d.answers.is_empty());
    let says = |d: &Differing| format!("{}: {}", d.reading, listed(&d.answers));
    if let Some(rival) = owners.iter().find(|d| !d.answers.is_empty()) {
        return (Verdict::NotUnique, Some(format!("several people have what describes one; {}", says(rival))));
    }
    let Some(answer) = plain.first() else {
        let otherwise = rivals(Distance::Fair).next().map(|d| format!("; {}", says(d)));
        return (Verdict::NotUnique, Some(format!("nobody fits{}", otherwise.unwrap_or_default())));
    };
    if plain.len() > 1 {
        let several = listed(plain);
        return match plan {
            Plan::Only(_) => (Verdict::NotUnique, Some(format!("{} fit: {several}", plain.len()))),
            _ => (Verdict::Tie, Some(format!("level to the end: {several}"))),
        };
    }
    if !answer.is_said_by(&question.answer) {
        // Where the key comes from helps to believe it.
        let gives_key = |d: &&Differing| d.answers.iter().any(|answer| answer.is_said_by(&question.answer));
        let source = others.iter().find(gives_key).map(|d| format!("; the key comes with {}", d.reading));
        return (Verdict::Wrong, Some(format!("the answer is {answer}{}", source.unwrap_or_default())));
    }
    for (distance, verdict) in [(Distance::Fair, Verdict::Ambiguous), (Distance::Loose, Verdict::Fragile)] {
        let found: Vec<String> = rivals(distance).map(says).collect();
        if !found.is_empty() {
            return (verdict, Some(found.join("; ")));
        }
    }
    (Verdict::Proved, None)
}

/// Answers in one line.
pub fn listed(answers: &BTreeSet<Answer>) -> String {
    match answers.len() {
        0 => "nobody".to_owned(),
        _ => answers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}
