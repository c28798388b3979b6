//! From counts to tiers: how much of what is believed of a pass rate lies in each tier, whether that is enough, and how
//! many more trials it would take.

use super::bias::JudgeRates;
use super::prior::Prior;
use crate::task::Tier;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;

/// Where the tiers meet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// A task is hard where its pass rate is at most this.
    pub hard: f64,
    /// A task is easy where its pass rate is above this.
    pub easy: f64,
}

impl Thresholds {
    /// 0.2 and 0.8: the widest symmetric ones at which six equal results say enough.
    pub const DEFAULT: Thresholds = Thresholds { hard: 0.2, easy: 0.8 };
    /// 0.1 and 0.9, as older calibrations have them: it takes 13 equal results to be sure.
    pub const LEGACY: Thresholds = Thresholds { hard: 0.1, easy: 0.9 };
}

/// How much of what is believed of a pass rate lies in each tier; together 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Masses {
    /// The chance that the task is hard.
    pub hard: f64,
    /// The chance that it is between.
    pub medium: f64,
    /// The chance that it is easy.
    pub easy: f64,
}

impl Masses {
    /// The chance that the task is of this tier.
    pub fn of(&self, tier: Tier) -> f64 {
        match tier {
            Tier::Hard => self.hard,
            Tier::Medium => self.medium,
            Tier::Easy => self.easy,
        }
    }

    /// The likeliest tier and its chance; of two level ones the harder.
    pub fn lead(&self) -> (Tier, f64) {
        let tiers = [Tier::Hard, Tier::Medium, Tier::Easy].map(|tier| (tier, self.of(tier)));
        tiers.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are three")
    }

    /// The second likeliest tier and its chance.
    pub fn second(&self) -> (Tier, f64) {
        let lead = self.lead().0;
        let tiers = Tier::ALL.into_iter().filter(|tier| *tier != lead).map(|tier| (tier, self.of(tier)));
        tiers.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are two")
    }
}

/// What turns counts into tiers. The same counts give the same tier.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Where the tiers meet.
    pub thresholds: Thresholds,
    /// How likely a tier must be to be told.
    pub confidence: f64,
    /// What is believed before any trial.
    pub prior: Prior,
    /// How often the judge is right.
    pub judge: JudgeRates,
    /// Counts come again and again while needs are worked out; a mixture's tails are worth keeping.
    known: RefCell<HashMap<(u64, u64), Masses>>,
}

impl Scale {
    /// A scale.
    pub fn new(thresholds: Thresholds, confidence: f64, prior: Prior, judge: JudgeRates) -> Scale {
        Scale { thresholds, confidence, prior, judge, known: RefCell::default() }
    }

    /// The chance of each tier after `passes` of `n`. A judge that errs moves the thresholds, not the counts: what is
    /// believed is of the observed rate, which lies between its rates for wrong and right answers.
    pub fn masses(&self, n: u64, passes: u64) -> Masses {
        if let Some(known) = self.known.borrow().get(&(n, passes)) {
            return *known;
        }
        let posterior = self.prior.posterior(n, passes);
        let at = |rate: f64| self.judge.observed(rate);
        let (lowest, highest) = (at(0.0), at(1.0));
        // From both ends, so that a tiny chance keeps its digits.
        let (out_low, out_high) = (posterior.below(lowest), posterior.above(highest));
        let all = 1.0 - out_low - out_high;
        let share = |mass: f64| if all > 0.0 { (mass / all).clamp(0.0, 1.0) } else { f64::NAN };
        let hard = share(posterior.below(at(self.thresholds.hard)) - out_low);
        let easy = share(posterior.above(at(self.thresholds.easy)) - out_high);
        let masses = Masses { hard, medium: (1.0 - hard - easy).max(0.0), easy };
        self.known.borrow_mut().insert((n, passes), masses);
        masses
    }

    /// The tier of these masses, where it is likely enough.
    pub fn tier(&self, masses: &Masses) -> Option<Tier> {
        let (tier, mass) = masses.lead();
        (mass >= self.confidence).then_some(tier)
    }

    /// The fewest further trials, at most `most`, after which a tier will be likely enough with a chance of at least
    /// one half, going by what is believed now. `None` where it takes more.
    pub fn needs_more(&self, n: u64, passes: u64, most: u64) -> Option<u64> {
        let posterior = self.prior.posterior(n, passes);
        let settled = |more: u64, c: u64| self.tier(&self.masses(n + more, passes + c)).is_some();
        let chance =
            |more: u64| -> f64 { (0..=more).filter(|c| settled(more, *c)).map(|c| posterior.chance(more, c)).sum() };
        (1..=most).find(|more| chance(*more) >= 0.5)
    }
}
