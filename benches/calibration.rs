//! What calibrating costs in trials, and how often its tiers are wrong, on pass rates like those of known suites: our
//! figures, reference ones that another program gave, and the error that chance leaves. Seeded; run by
//! `script/simulate-calibration`. It must not be read as a promise about suites that are unlike these.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a simulation prints its figures, and how far it is")]

use seatrial::stats::{Beta, Figure, JudgeRates, Prior, Scale, Simulation, Spending, Thresholds, expect, simulate};
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Instant;

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

/// Suites drawn for each row where nothing else is asked for; the reference drew as many.
const SUITES: usize = 400;
/// Tasks in each.
const TASKS: usize = 30;
/// How trials are spent, as `run --calibrate` does.
const SPENDING: Spending = Spending { first: 3, step: 3, cap: 12 };

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let begun = Instant::now();
    let numbers: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let seed = numbers.first().copied().unwrap_or(1);
    let suites = numbers.get(1).map_or(SUITES, |suites| (*suites).max(2) as usize);
    equal_errors();
    println!("\n{suites} suites of {TASKS} tasks, seed {seed}: rounds of 3 up to 12, prior learnt from each suite");
    println!("ours (the reference's) \u{b1}our error of chance");
    let head = |what: &str| {
        let columns = ["trials a task", "told", "wrong among told"];
        println!("\n{what}\n{:20}{:>17}{:>21}{:>21}", "", columns[0], columns[1], columns[2]);
    };
    head("every open task up to the cap, as the reference");
    let mut outside = 0;
    for (place, row) in ROWS.iter().enumerate() {
        outside += told(row, place + 1, (suites, seed), false);
    }
    println!("{outside} of {} figures are further from the reference's than 3 errors of both", 3 * ROWS.len());
    head("as `run --calibrate` does: a task is left where the cap is unlikely to tell");
    for (place, row) in ROWS.iter().enumerate() {
        told(row, ROWS.len() + place + 1, (suites, seed), true);
    }
    println!("\ntook {:.0} s", begun.elapsed().as_secs_f64());
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

/// Prints a row of calibrations, and says how many figures chance does not explain.
fn told(row: &Row, place: usize, (suites, seed): (usize, u64), leave: bool) -> usize {
    let simulation = Simulation { tasks: row.tasks, size: TASKS, suites, seed, spending: SPENDING, leave };
    let rows = 2 * ROWS.len();
    let found = simulate(&simulation, |done| {
        if done % 10 == 0 && stderr().is_terminal() {
            eprint!("\r\x1b[Krow {place} of {rows}, {}: {done} of {suites} suites", row.name);
        }
    });
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    let figures = [found.trials, found.told, found.wrong];
    // The reference gives rounded figures, and has its own error of chance.
    let rounding = [0.05, 0.005, 0.0005];
    let both = (1.0 + suites as f64 / SUITES as f64).sqrt();
    let mut outside = 0;
    let mut line = format!("{:20}", row.name);
    for (i, Figure { value, error }) in figures.into_iter().enumerate() {
        let theirs = row.told[i];
        outside += usize::from(!leave && (value - theirs).abs() > 3.0 * error * both + rounding[i]);
        let (cell, width) = match (i, leave) {
            (0, false) => (format!("{value:.2} ({theirs:.1}) \u{b1}{error:.2}"), 17),
            (0, true) => (format!("{value:.2} \u{b1}{error:.2}"), 17),
            (_, false) => (format!("{:.1}% ({:.1}%) \u{b1}{:.1}", value * 100.0, theirs * 100.0, error * 100.0), 21),
            (_, true) => (format!("{:.1}% \u{b1}{:.1}", value * 100.0, error * 100.0), 21),
        };
        line.push_str(&format!("{cell:>width$}"));
    }
    println!("{line}");
    let _ = std::io::stdout().flush();
    outside
}
