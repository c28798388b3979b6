//! What calibrating costs in trials, and how often its tiers are wrong, on pass rates like those of known suites: our
//! figures, reference ones that another program gave, and the error that chance leaves. Seeded; run by
//! `script/simulate-calibration`. It must not be read as a promise about suites that are unlike these.
#![expect(clippy::print_stdout, reason = "a simulation prints its figures")]

use seatrial::random::Random;
use seatrial::stats::{Beta, Cell, JudgeRates, Prior, Scale, Spending, Thresholds, expect, standing};
use std::io::Write as _;

/// Pass rates of tasks as a Beta distribution, with the reference's figures.
struct Row {
    name: &'static str,
    tasks: Beta,
    /// Trials for each task at the error of six for each: one at a time, and three at a time.
    equal: [f64; 2],
    /// Of six for each: the share of wrong tiers.
    six: f64,
    /// Of calibrating: trials for each task, share told, share of wrong among the told.
    told: [f64; 3],
}

const fn row(name: &'static str, a: f64, b: f64, equal: [f64; 2], six: f64, told: [f64; 3]) -> Row {
    Row { name, tasks: Beta { a, b }, equal, six, told }
}

/// The first three were fitted to published counts of 30 tasks; the others are shapes.
const ROWS: [Row; 7] = [
    row("Terra, 30 tasks", 2.284, 0.424, [4.32, 4.66], 0.159, [7.4, 0.76, 0.067]),
    row("Luna, 30 tasks", 0.876, 0.084, [3.58, 3.70], 0.063, [4.2, 0.93, 0.037]),
    row("Opus, 30 tasks", 0.270, 0.568, [4.27, 4.69], 0.163, [7.9, 0.73, 0.070]),
    row("U-shape Beta(.3,.3)", 0.3, 0.3, [4.23, 4.61], 0.153, [7.8, 0.74, 0.062]),
    row("uniform", 1.0, 1.0, [3.76, 4.11], 0.278, [10.4, 0.52, 0.070]),
    row("Beta(2,2)", 2.0, 2.0, [2.87, 3.26], 0.323, [8.6, 0.66, 0.070]),
    row("Beta(5,1)", 5.0, 1.0, [4.64, 4.98], 0.212, [9.0, 0.57, 0.086]),
];

/// Suites drawn for each row, and tasks in each.
const SUITES: usize = 400;
const TASKS: usize = 30;
/// How trials are spent, as `run --calibrate` does.
const SPENDING: Spending = Spending { first: 3, step: 3, cap: 12 };

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let numbers: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let seed = numbers.first().copied().unwrap_or(1);
    let suites = numbers.get(1).map_or(SUITES, |suites| *suites as usize);
    equal_errors();
    println!("\n{suites} suites of {TASKS} tasks, seed {seed}: rounds of 3 up to 12, prior learnt from each suite");
    println!(
        "\n{:20}  {:>18}  {:>18}  {:>22}  {:>6}",
        "as the reference", "trials for each", "told", "wrong among told", ""
    );
    let mut outside = 0;
    for row in &ROWS {
        outside += told(row, suites, seed, false);
    }
    println!("{outside} figures are further from the reference's than 3 errors of both");
    println!("\n{:20}  {:>18}  {:>18}  {:>22}", "as `run` does it, left where the cap is unlikely to tell", "", "", "");
    for row in &ROWS {
        told(row, suites, seed, true);
    }
}

fn scale(confidence: f64, prior: Prior) -> Scale {
    Scale::new(Thresholds::DEFAULT, confidence, prior, JudgeRates::PERFECT)
}

/// How many trials it takes to be wrong as rarely as six trials for each task are, every task getting its likeliest tier.
/// Worked out exactly: the cheapest mixture of two rules, each a confidence and a cap.
fn equal_errors() {
    println!("trials for each task at the error of six for each (exact, so no error of chance)\n");
    println!("{:20}  {:>13}  {:>20}  {:>20}", "pass rates", "six: wrong", "one at a time", "three at a time");
    let confidences: Vec<Scale> = (50..97).map(|x| scale(f64::from(x) / 100.0, Prior::Jeffreys)).collect();
    for row in &ROWS {
        let never = scale(2.0, Prior::Jeffreys);
        let six = expect(row.tasks, &never, Spending { first: 6, step: 1, cap: 6 }).wrong;
        let cheapest = |first: u64, step: u64| {
            let mut rules: Vec<(f64, f64)> = Vec::new();
            for cap in [3, 6, 9, 12, 24] {
                let rule = |scale| {
                    let expected = expect(row.tasks, scale, Spending { first, step, cap });
                    (expected.wrong, expected.trials)
                };
                rules.extend(confidences.iter().map(rule));
            }
            mixture(&rules, six)
        };
        let cells = [(cheapest(1, 1), row.equal[0]), (cheapest(3, 3), row.equal[1])]
            .map(|(ours, theirs)| format!("{ours:.2} ({theirs:.2}) {:+.0}%", (ours / 6.0 - 1.0) * 100.0));
        let six = format!("{:.1}% ({:.1}%)", six * 100.0, row.six * 100.0);
        println!("{:20}  {six:>13}  {:>20}  {:>20}", row.name, cells[0], cells[1]);
    }
}

/// The least cost at which mixtures of two rules reach an error.
fn mixture(rules: &[(f64, f64)], error: f64) -> f64 {
    let mut best = f64::INFINITY;
    for low in rules.iter().filter(|low| low.0 <= error) {
        for high in rules.iter().filter(|high| high.0 >= error && high.0 > low.0) {
            let share = (error - low.0) / (high.0 - low.0);
            best = best.min(low.1 + share * (high.1 - low.1));
        }
    }
    best
}

/// One drawn suite: trials, told tiers, wrong ones among them.
type Suite = [f64; 3];

/// Prints a row of calibrations, and says how many figures chance does not explain.
fn told(row: &Row, suites: usize, seed: u64, leave: bool) -> usize {
    // Equal shares of the distribution, one point for each.
    let rates: Vec<f64> = (0..2000).map(|i| row.tasks.quantile((f64::from(i) + 0.5) / 2000.0)).collect();
    let drawn: Vec<Suite> =
        (0..suites).map(|suite| calibrate(&rates, &mut Random::new(seed, suite as u64), leave)).collect();
    let (tasks, told) = (TASKS as f64, |suite: &Suite| suite[1]);
    let figures = [
        ratio(&drawn, |suite| suite[0], |_| tasks),
        ratio(&drawn, told, |_| tasks),
        ratio(&drawn, |suite| suite[2], told),
    ];
    let mut outside = 0;
    let cells: Vec<String> = figures
        .iter()
        .zip(row.told)
        .enumerate()
        .map(|(i, ((ours, error), theirs))| {
            // The reference drew as many suites, and gives rounded figures.
            let rounding = [0.05, 0.005, 0.0005][i];
            outside += usize::from(!leave && (ours - theirs).abs() > 3.0 * error * 2.0_f64.sqrt() + rounding);
            match (i, leave) {
                (0, false) => format!("{ours:.2} ({theirs:.1}) ±{error:.2}"),
                (0, true) => format!("{ours:.2} ±{error:.2}"),
                (_, false) => format!("{:.1}% ({:.1}%) ±{:.1}", ours * 100.0, theirs * 100.0, error * 100.0),
                (_, true) => format!("{:.1}% ±{:.1}", ours * 100.0, error * 100.0),
            }
        })
        .collect();
    println!("{:20}  {:>18}  {:>18}  {:>22}", row.name, cells[0], cells[1], cells[2]);
    let _ = std::io::stdout().flush();
    outside
}

/// One sum over another, with the error over suites.
fn ratio(suites: &[Suite], above: impl Fn(&Suite) -> f64, below: impl Fn(&Suite) -> f64) -> (f64, f64) {
    let sum = |of: &dyn Fn(&Suite) -> f64| suites.iter().map(of).sum::<f64>();
    let ratio = sum(&above) / sum(&below);
    let off: f64 = suites.iter().map(|suite| (above(suite) - ratio * below(suite)).powi(2)).sum();
    (ratio, off.sqrt() / sum(&below))
}

/// Draws a suite and calibrates it round by round.
fn calibrate(rates: &[f64], random: &mut Random, leave: bool) -> Suite {
    let tasks: Vec<f64> = (0..TASKS).map(|_| *random.pick(rates)).collect();
    let mut cells = vec![Cell::default(); TASKS];
    let mut open: Vec<usize> = (0..TASKS).collect();
    let mut more = SPENDING.first;
    loop {
        for &task in &open {
            for _ in 0..more {
                let passed = random.chance((tasks[task] * f64::from(u32::MAX)) as usize, u32::MAX as usize);
                if passed { cells[task].pass += 1 } else { cells[task].fail += 1 }
            }
        }
        more = SPENDING.step;
        let counts: Vec<(u64, u64)> = cells.iter().map(|cell| (cell.n(), cell.pass)).collect();
        let scale = scale(0.9, Prior::learn(&counts));
        let tier = |cell: &Cell| scale.tier(&scale.masses(cell.n(), cell.pass));
        let reachable = |cell: &Cell| {
            let left = SPENDING.cap - cell.n();
            !leave || standing(cell, &scale).needs_more.is_some_and(|needs| needs <= left)
        };
        open = (0..TASKS)
            .filter(|task| cells[*task].n() < SPENDING.cap && tier(&cells[*task]).is_none() && reachable(&cells[*task]))
            .collect();
        if !open.is_empty() {
            continue;
        }
        let mut suite = [0.0; 3];
        for (cell, rate) in cells.iter().zip(&tasks) {
            suite[0] += cell.n() as f64;
            let Some(tier) = tier(cell) else { continue };
            suite[1] += 1.0;
            let thresholds = Thresholds::DEFAULT;
            let truth = if *rate <= thresholds.hard {
                "hard"
            } else if *rate > thresholds.easy {
                "easy"
            } else {
                "medium"
            };
            suite[2] += f64::from(u8::from(tier.as_str() != truth));
        }
        return suite;
    }
}
