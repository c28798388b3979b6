//! The simulation behind `script/simulate-calibration`, in small: it comes to what calibrating comes to, within the error
//! that chance leaves.

use seatrial::stats::{Beta, JudgeRates, Prior, Scale, Simulation, Spending, Thresholds, expect, simulate};

const SPENDING: Spending = Spending { first: 3, step: 3, cap: 12 };

fn luna(suites: usize, seed: u64, leave: bool) -> Simulation {
    Simulation { tasks: Beta { a: 0.876, b: 0.084 }, size: 30, suites, seed, spending: SPENDING, leave }
}

#[test]
fn drawn_suites_come_to_the_reference_figures_within_the_error_of_chance() {
    let mut calls = Vec::new();
    let found = simulate(&luna(60, 1, false), |done| calls.push(done));
    assert!(calls.iter().copied().eq(1..=60), "it says how far it is");
    // The reference drew 400 suites: its figures have an error of their own, and are rounded.
    for (figure, reference, rounding) in
        [(found.trials, 4.2, 0.05), (found.told, 0.93, 0.005), (found.wrong, 0.037, 0.0005)]
    {
        assert!(figure.error > 0.0, "{found:?}");
        let error = figure.error * (1.0_f64 + 60.0 / 400.0).sqrt();
        assert!((figure.value - reference).abs() < 3.0 * error + rounding, "{figure:?} is not {reference}");
    }
    assert_eq!(simulate(&luna(60, 1, false), |_| {}), found, "the same seed gives the same figures");
    assert_ne!(simulate(&luna(60, 2, false), |_| {}), found, "another one gives others");
}

#[test]
fn tasks_that_the_cap_is_unlikely_to_tell_are_left() {
    let (whole, left) = (simulate(&luna(30, 1, false), |_| {}), simulate(&luna(30, 1, true), |_| {}));
    assert!(left.trials.value < whole.trials.value, "{left:?} {whole:?}");
    assert!(left.told.value <= whole.told.value, "{left:?} {whole:?}");
}

/// Where nothing is learnt from the suite, the exact recursion says what drawing must come to.
#[test]
fn drawing_agrees_with_the_exact_expectation() {
    // Below 20 tasks the prior is Jeffreys'.
    let simulation = Simulation { size: 10, suites: 400, ..luna(400, 3, false) };
    let found = simulate(&simulation, |_| {});
    let scale = Scale::new(Thresholds::DEFAULT, 0.9, Prior::Jeffreys, JudgeRates::PERFECT);
    let exact = expect(simulation.tasks, &scale, SPENDING);
    for (figure, exact) in
        [(found.trials, exact.trials), (found.told, exact.told), (found.wrong, exact.told_wrong / exact.told)]
    {
        assert!((figure.value - exact).abs() < 4.0 * figure.error, "{figure:?} is not {exact}");
    }
}
