//! What judging came to beside rewards, for every format: what its models used, votes that differed, answers by class.

use super::numbers::{number_of, percent, three};
use crate::judge::Spent;
use crate::results::Job;
use crate::stats::{Classes, classes};
use serde::Serialize;

/// The judging of a job by models or into classes.
#[derive(Debug, Serialize)]
pub struct Judging {
    /// What the judge's models used, apart from what agents used, tries that came to nothing included.
    pub spent: Spent,
    /// How many verdicts had votes that differed.
    pub ambiguous: usize,
    /// How many answers were longer than what the judge saw.
    pub cut: usize,
    /// Answers by class, where the judge has classes.
    pub classes: Option<Classes>,
}

/// A job's judging; `None` where no model was asked and no answer has a class.
pub fn judging(job: &Job) -> Option<Judging> {
    let mut spent = Spent::default();
    for one in job.trials.iter().filter_map(|record| record.judge_spent) {
        spent += one;
    }
    let verdicts = || job.trials.iter().filter_map(|record| record.verdict.as_ref());
    let ambiguous = verdicts().filter(|verdict| verdict.ambiguous).count();
    let cut = verdicts().filter(|verdict| verdict.cut_bytes > 0).count();
    let classes = classes(job);
    (spent.requests > 0 || classes.is_some()).then_some(Judging { spent, ambiguous, cut, classes })
}

impl Judging {
    /// Each fact with its name.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if self.spent.requests > 0 {
            facts.push(("used", self.spent.to_string()));
        }
        if self.ambiguous > 0 {
            facts.push(("ambiguous", format!("{}: votes differed", number_of(self.ambiguous as u64, "verdict"))));
        }
        if self.cut > 0 {
            facts.push(("cut", format!("{} too long to be shown whole", number_of(self.cut as u64, "answer"))));
        }
        if let Some(classes) = &self.classes {
            let counts: Vec<String> =
                classes.counts.iter().map(|(class, count)| format!("{} {count}", class.replace('_', " "))).collect();
            facts.push(("classes", counts.join(", ")));
            let (all, attempted) = (percent(classes.accuracy), percent(classes.attempted_accuracy));
            facts.push(("accuracy", format!("{all}; of attempted ones {attempted}; F {}", three(classes.f))));
            if !classes.means.is_empty() {
                let means: Vec<String> =
                    classes.means.iter().map(|(name, mean)| format!("{name} {}", three(Some(*mean)))).collect();
                facts.push(("means", means.join(", ")));
            }
            if classes.counts.contains_key("partial") || classes.counts.contains_key("abstained") {
                let index = classes.index.map_or("n/a".to_owned(), |index| format!("{index:.1}"));
                facts.push(("index", format!("{index}, hallucination rate {}", percent(classes.hallucination_rate))));
            }
        }
        facts
    }
}
