//! What calibrating comes to on suites that are drawn: trials spent, tiers told, and how many of them are wrong, since
//! the true pass rates are known here. Seeded. It is no promise about suites that are unlike the drawn ones.

use super::beta::Beta;
use super::bias::JudgeRates;
use super::cells::Cell;
use super::expect::Spending;
use super::prior::Prior;
use super::standing::standing;
use super::tiers::{Scale, Thresholds};
use crate::random::Random;
use crate::task::Tier;

/// How likely a tier must be to be told.
const SURE: f64 = 0.9;
/// Into how many equal shares a distribution of pass rates is cut, one point for each.
const SHARES: u32 = 2000;

/// Which suites are drawn, and how trials are spent on them.
#[derive(Debug, Clone, Copy)]
pub struct Simulation {
    /// What the tasks' pass rates are drawn from.
    pub tasks: Beta,
    /// Tasks of each suite.
    pub size: usize,
    /// How many suites.
    pub suites: usize,
    /// What decides the draws.
    pub seed: u64,
    /// How trials are spent.
    pub spending: Spending,
    /// Whether a task is left where the cap is unlikely to tell, as `run --calibrate` does.
    pub leave: bool,
}

/// A figure, and the standard error that chance leaves it, over suites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Its error.
    pub error: f64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulated {
    /// Trials for each task.
    pub trials: Figure,
    /// The share of tasks whose tier was told.
    pub told: Figure,
    /// The share of wrong tiers among those.
    pub wrong: Figure,
}

/// Draws suites and calibrates each, round by round; `each` is called after every suite with how many are done.
pub fn simulate(simulation: &Simulation, mut each: impl FnMut(usize)) -> Simulated {
    let share = |i: u32| (f64::from(i) + 0.5) / f64::from(SHARES);
    let rates: Vec<f64> = (0..SHARES).map(|i| simulation.tasks.quantile(share(i))).collect();
    let mut suites = Vec::new();
    for suite in 0..simulation.suites {
        let mut random = Random::new(simulation.seed, suite as u64);
        suites.push(one(simulation, &rates, &mut random));
        each(suite + 1);
    }
    let size = simulation.size as f64;
    Simulated {
        trials: ratio(&suites, |suite| suite.trials, |_| size),
        told: ratio(&suites, |suite| suite.told, |_| size),
        wrong: ratio(&suites, |suite| suite.wrong, |suite| suite.told),
    }
}

/// Counts of one suite.
#[derive(Default)]
struct Suite {
    trials: f64,
    told: f64,
    wrong: f64,
}

fn scale(prior: Prior) -> Scale {
    Scale::new(Thresholds::DEFAULT, SURE, prior, JudgeRates::PERFECT)
}

fn one(simulation: &Simulation, rates: &[f64], random: &mut Random) -> Suite {
    let Simulation { size, spending, leave, .. } = *simulation;
    let tasks: Vec<f64> = (0..size).map(|_| *random.pick(rates)).collect();
    let mut cells = vec![Cell::default(); size];
    let mut open: Vec<usize> = (0..size).collect();
    let mut more = spending.first;
    let scale = loop {
        open.iter().for_each(|&task| try_task(&mut cells[task], tasks[task], more, random));
        more = spending.step;
        let counts: Vec<(u64, u64)> = cells.iter().map(|cell| (cell.n(), cell.pass)).collect();
        let scale = scale(Prior::learn(&counts));
        open = (0..size).filter(|task| goes_on(&cells[*task], &scale, spending.cap, leave)).collect();
        if open.is_empty() {
            break scale;
        }
    };
    let mut suite = Suite::default();
    for (cell, rate) in cells.iter().zip(&tasks) {
        suite.trials += cell.n() as f64;
        if let Some(tier) = scale.tier(&scale.masses(cell.n(), cell.pass)) {
            suite.told += 1.0;
            suite.wrong += f64::from(u8::from(tier != truth(*rate)));
        }
    }
    suite
}

fn try_task(cell: &mut Cell, rate: f64, trials: u64, random: &mut Random) {
    for _ in 0..trials {
        let passed = random.chance((rate * f64::from(u32::MAX)) as usize, u32::MAX as usize);
        if passed { cell.pass += 1 } else { cell.fail += 1 }
    }
}

fn goes_on(cell: &Cell, scale: &Scale, cap: u64, leave: bool) -> bool {
    if cell.n() >= cap || scale.tier(&scale.masses(cell.n(), cell.pass)).is_some() {
        return false;
    }
    !leave || standing(cell, scale).needs_more.is_some_and(|needs| needs <= cap - cell.n())
}

fn truth(rate: f64) -> Tier {
    let Thresholds { hard, easy } = Thresholds::DEFAULT;
    match rate {
        rate if rate <= hard => Tier::Hard,
        rate if rate > easy => Tier::Easy,
        _ => Tier::Medium,
    }
}

/// One sum over another, with the error over suites.
fn ratio(suites: &[Suite], above: impl Fn(&Suite) -> f64, below: impl Fn(&Suite) -> f64) -> Figure {
    let sum = |of: &dyn Fn(&Suite) -> f64| suites.iter().map(of).sum::<f64>();
    let value = sum(&above) / sum(&below);
    let off: f64 = suites.iter().map(|suite| (above(suite) - value * below(suite)).powi(2)).sum();
    Figure { value, error: off.sqrt() / sum(&below) }
}
