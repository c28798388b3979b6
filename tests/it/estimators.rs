//! Every estimator against numbers that other programs gave: the reference vectors where they are, and always a small
//! table of them that was worked out by hand or by closed forms.

use crate::support::shared;
use seatrial::stats::{
    Beta, JudgeRates, Masses, Prior, Rate, Scale, Sprt, Thresholds, apparent_rate, bootstrap_means, clopper_pearson,
    clustered_mean, cohen_kappa, confidence_sequence, fit, fleiss_kappa, gap_chance, gwet_ac1, jeffreys,
    krippendorff_alpha, paired, panel_masses, pass_at_k, pass_hat_k, percent, prediction_powered, split, wilson,
};
use serde_json::Value;

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64, what: &dyn std::fmt::Debug) {
    assert!((found - expected).abs() <= tolerance, "{what:?}: {found} is not {expected}");
}

/// The numbers at these keys of a vector's entry.
fn numbers<const N: usize>(of: &Value, keys: [&str; N]) -> [f64; N] {
    keys.map(|key| of[key].as_f64().unwrap_or_else(|| panic!("{key} in {of}")))
}

fn counts<const N: usize>(of: &Value, keys: [&str; N]) -> [u64; N] {
    keys.map(|key| of[key].as_u64().unwrap_or_else(|| panic!("{key} in {of}")))
}

fn list(of: &Value) -> Vec<f64> {
    of.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn entries(of: &Value) -> &Vec<Value> {
    of.get("cases").unwrap_or(of).as_array().expect("a list")
}

fn scale(thresholds: Thresholds, prior: Prior, judge: JudgeRates) -> Scale {
    Scale::new(thresholds, 0.9, prior, judge)
}

fn plain() -> Scale {
    scale(Thresholds::DEFAULT, Prior::Jeffreys, JudgeRates::PERFECT)
}

#[track_caller]
fn same_masses(found: Masses, wanted: &Value, tolerance: f64) {
    let [hard, medium, easy] = numbers(wanted, ["hard", "medium", "easy"]);
    near(found.hard, hard, tolerance, wanted);
    near(found.medium, medium, tolerance, wanted);
    near(found.easy, easy, tolerance, wanted);
}

fn interval(of: &Value) -> (f64, f64) {
    (of[0].as_f64().expect("low"), of[1].as_f64().expect("high"))
}

#[test]
fn all_estimators_agree_with_the_reference_vectors() {
    let Some(shared) = shared("all_estimators_agree_with_the_reference_vectors") else { return };
    let text = std::fs::read_to_string(shared.join("vectors/stat-vectors.json")).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let mut seen = 0;
    for (group, of) in vectors.as_object().expect("groups") {
        seen += usize::from(check(group, of));
    }
    assert_eq!(seen, 27, "groups that were compared");
}

/// Compares one group; false for those that `differences_agree_with_the_reference_vectors` has.
fn check(group: &str, of: &Value) -> bool {
    match group {
        "pass_k" => {
            for of in entries(of) {
                let [n, c, k] = counts(of, ["n", "c", "k"]);
                let [any, every] = numbers(of, ["pass_at_k", "pass_hat_k"]);
                near(pass_at_k(n, c, k).expect("k ≤ n"), any, 1e-9, of);
                near(pass_hat_k(n, c, k).expect("k ≤ n"), every, 1e-9, of);
            }
        }
        "intervals_95" => {
            for of in entries(of) {
                let [n, c] = counts(of, ["n", "c"]);
                let same = |found: Option<(f64, f64)>, key: &str| {
                    let (found, wanted) = (found.expect("an interval"), interval(&of[key]));
                    near(found.0, wanted.0, 1e-9, &(key, of));
                    near(found.1, wanted.1, 1e-9, &(key, of));
                };
                same(wilson(n, c), "wilson");
                same(clopper_pearson(n, c), "clopper_pearson");
                same(jeffreys(n, c), "jeffreys_modified");
                let beta = Beta::JEFFREYS.after(n, c);
                same(Some((beta.quantile(0.025), beta.quantile(0.975))), "jeffreys");
            }
        }
        "tier_mass_jeffreys_02_08" => {
            for of in entries(of) {
                let [n, c] = counts(of, ["n", "c"]);
                let masses = plain().masses(n, c);
                same_masses(masses, of, 1e-9);
                assert_eq!(of["tier"], masses.lead().0.as_str(), "{of}");
                assert_eq!(of["stamp_at_0_9"], plain().tier(&masses).is_some(), "{of}");
            }
        }
        "tier_mass_jeffreys_01_09" => {
            let scale = scale(Thresholds::LEGACY, Prior::Jeffreys, JudgeRates::PERFECT);
            for of in entries(of) {
                let [n, c] = counts(of, ["n", "c"]);
                same_masses(scale.masses(n, c), of, 1e-9);
            }
        }
        "min_all_pass_n" => {
            for of in entries(of).iter().filter(|of| of["prior"] == "jeffreys") {
                let [easy, confidence] = numbers(of, ["easy_threshold", "X"]);
                let thresholds = Thresholds { hard: 1.0 - easy, easy };
                let scale = Scale::new(thresholds, confidence, Prior::Jeffreys, JudgeRates::PERFECT);
                let n = (1..100).find(|n| scale.masses(*n, *n).easy >= confidence);
                assert_eq!(n, of["n_all_pass"].as_u64(), "{of}");
            }
        }
        "tier_mass_judge_noise" => {
            for of in entries(of) {
                let [sensitivity, specificity] = numbers(of, ["sensitivity", "specificity"]);
                let judge = JudgeRates { sensitivity, specificity };
                let [low, high] = numbers(of, ["tl_obs", "th_obs"]);
                near(judge.observed(0.2), low, 1e-12, of);
                near(judge.observed(0.8), high, 1e-12, of);
                let [n, c] = counts(of, ["n", "c"]);
                same_masses(scale(Thresholds::DEFAULT, Prior::Jeffreys, judge).masses(n, c), of, 1e-9);
            }
        }
        "rogan_gladen" => {
            for of in entries(of) {
                let [q, sensitivity, specificity, raw] = numbers(of, ["q", "se", "sp", "raw"]);
                near(JudgeRates { sensitivity, specificity }.corrected(q).expect("it can tell"), raw, 1e-9, of);
            }
        }
        "rogan_gladen_se" => {
            let [q, sensitivity, specificity, error] = numbers(of, ["q", "se", "sp", "std_err"]);
            let [n, right, wrong] = counts(of, ["n", "m1", "m0"]);
            let found = JudgeRates { sensitivity, specificity }.corrected_error(q, n, right, wrong);
            near(found.expect("it can tell"), error, 1e-9, of);
        }
        "seed_suite" => of.as_object().expect("suites").values().for_each(suite),
        "clustered_small" => {
            let (scores, owners) = (list(&of["scores"]), list(&of["cluster"]));
            let mut clusters = vec![Vec::new(); 3];
            scores.iter().zip(owners).for_each(|(score, owner)| clusters[owner as usize].push(*score));
            let found = clustered_mean(&clusters).expect("a mean");
            let [mean, error] = numbers(of, ["mean", "se_CR0"]);
            near(found.mean, mean, 1e-9, of);
            near(found.standard_error, error, 1e-9, of);
        }
        "sprt" => {
            for of in entries(of) {
                let [p0, p1, alpha, beta] = numbers(of, ["p0", "p1", "alpha", "beta"]);
                let test = Sprt::new(p0, p1, alpha, beta);
                let [upper, lower, pass, fail] = numbers(of, ["upper", "lower", "step_pass", "step_fail"]);
                for (found, wanted) in [(test.upper, upper), (test.lower, lower), (test.pass, pass), (test.fail, fail)]
                {
                    near(found, wanted, 1e-9, of);
                }
                let passes = (1..100).find(|n| test.decide(*n, 0) == Some(true));
                assert_eq!(passes, of["straight_passes_to_accept_H1"].as_u64(), "{of}");
                let fails = (1..100).find(|n| test.decide(0, *n) == Some(false));
                assert_eq!(fails, of["straight_fails_to_accept_H0"].as_u64(), "{of}");
            }
        }
        "beta_binomial_confidence_sequence" => {
            for of in entries(of) {
                let [n, c] = counts(of, ["n", "c"]);
                let [alpha, low, high] = numbers(of, ["alpha", "lo", "hi"]);
                let found = confidence_sequence(n, c, alpha);
                near(found.0, low, 1e-8, of);
                near(found.1, high, 1e-8, of);
            }
        }
        "beta_binomial_mle" => {
            for of in entries(of) {
                let pair = |pair: &Value| (pair[1].as_u64().expect("n"), pair[0].as_u64().expect("c"));
                let data: Vec<(u64, u64)> = of["counts"].as_array().expect("a list").iter().map(pair).collect();
                let (beta, likelihood) = fit(&data).expect("counts");
                let [a, b, wanted] = numbers(of, ["a", "b", "loglik"]);
                near(beta.a, a, 1e-3, of);
                near(beta.b, b, 1e-3, of);
                near(likelihood, wanted, 1e-6, of);
            }
        }
        "beta_binomial_logpmf" => {
            for of in entries(of) {
                let ([n, c], [a, b, wanted]) = (counts(of, ["n", "c"]), numbers(of, ["a", "b", "logpmf"]));
                near(Beta { a, b }.ln_chance(n, c), wanted, 1e-9, of);
            }
        }
        "shrunken_mean" => {
            for of in entries(of) {
                let ([n, c], [a, b, wanted]) = (counts(of, ["n", "c"]), numbers(of, ["a", "b", "mean"]));
                near(Beta { a, b }.after(n, c).mean(), wanted, 1e-9, of);
            }
        }
        "bootstrap_exhaustive" => {
            let means = bootstrap_means(&list(&of["values"]), 27_000, 1);
            let [mean, spread] = numbers(of, ["mean_of_means", "sd_of_means_ddof0"]);
            let found = means.iter().sum::<f64>() / means.len() as f64;
            near(found, mean, 0.005, of);
            let variance = means.iter().map(|m| (m - found).powi(2)).sum::<f64>() / means.len() as f64;
            near(variance.sqrt(), spread, 0.005, of);
            // Each of the 27 resamples has the same chance, so each mean has its share of them.
            let wanted = list(&of["sorted_means"]);
            for mean in &wanted {
                let share =
                    |of: &[f64]| of.iter().filter(|m| (*m - mean).abs() < 1e-9).count() as f64 / of.len() as f64;
                near(share(&means), share(&wanted), 0.01, &mean);
            }
        }
        "ppi_mean_lambda1" => {
            let pairs: Vec<(f64, f64)> = list(&of["Y"]).into_iter().zip(list(&of["judge_on_labelled"])).collect();
            assert_eq!(of["unlabelled"], "140 ones, 40 zeros");
            let judged = [vec![1.0; 140], vec![0.0; 40]].concat();
            let [estimate, error] = numbers(of, ["estimate", "std_err"]);
            let found = prediction_powered(&pairs, &judged).expect("enough");
            near(found.0, estimate, 1e-9, of);
            near(found.1, error, 1e-9, of);
        }
        "panel_mean_two_models" => {
            for of in entries(of) {
                // The vectors give 0 for chances as large as 2.1e-6.
                same_masses(panel_masses(&two(of), Thresholds::DEFAULT).expect("two"), of, 3e-6);
            }
        }
        "model_gap" => {
            for of in entries(of) {
                let [one, other] = two(of);
                near(gap_chance(&one, &other, 0.4), of["p"].as_f64().expect("p"), 1e-6, of);
            }
        }
        "needs_more" => {
            for of in entries(of) {
                let [n, c] = counts(of, ["n", "c"]);
                let (scale, masses) = (plain(), plain().masses(n, c));
                near(masses.lead().1, of["max_mass"].as_f64().expect("a mass"), 1e-9, of);
                assert_eq!(of["already"], scale.tier(&masses).is_some(), "{of}");
                assert_eq!(scale.needs_more(n, c, 60), of["needs"].as_u64(), "{of}");
            }
        }
        "hierarchical_tier_mass" => {
            for of in entries(of) {
                let k = of["k"].as_u64().expect("k");
                let data: Vec<(u64, u64)> = list(&of["counts"]).into_iter().map(|c| (k, c as u64)).collect();
                let scale = scale(Thresholds::DEFAULT, Prior::learn(&data), JudgeRates::PERFECT);
                for of in entries(&of["tasks"]) {
                    let [n, c] = counts(of, ["n", "c"]);
                    same_masses(scale.masses(n, c), of, 1e-9);
                }
            }
        }
        "mnar" => {
            for of in entries(of) {
                let [rate, passes, failures, wanted] = numbers(of, ["p", "ep", "ef", "apparent"]);
                near(apparent_rate(rate, passes, failures), wanted, 1e-9, of);
            }
        }
        "agreement" | "agreement_kappa_paradox" => {
            let [a, b] = ["a", "b"].map(|rater| ratings(&of[rater]).into_iter().flatten().collect::<Vec<u32>>());
            let keys = ["percent", "cohen_kappa", "gwet_ac1", "krippendorff_nominal"];
            let alpha = krippendorff_alpha(&[ratings(&of["a"]), ratings(&of["b"])]);
            let found = [percent(&a, &b), cohen_kappa(&a, &b), gwet_ac1(&a, &b), alpha];
            for ((key, found), wanted) in keys.iter().zip(found).zip(numbers(of, keys)) {
                near(found.expect(key), wanted, 1e-9, &(group, key));
            }
        }
        "krippendorff_missing" => {
            let raters: Vec<_> = of["raters"].as_array().expect("raters").iter().map(ratings).collect();
            near(krippendorff_alpha(&raters).expect("alpha"), numbers(of, ["alpha_nominal"])[0], 1e-9, of);
        }
        "fleiss" => {
            // The table counts how many raters chose each category; which of them it was doesn't matter.
            let chosen = |counts: &Value| -> Vec<Option<u32>> {
                let of = |(category, n): (usize, f64)| vec![Some(category as u32); n as usize];
                list(counts).into_iter().enumerate().flat_map(of).collect()
            };
            let items: Vec<_> = of["table"].as_array().expect("a table").iter().map(chosen).collect();
            let raters: Vec<Vec<_>> = (0..3).map(|rater| items.iter().map(|item| item[rater]).collect()).collect();
            near(fleiss_kappa(&raters).expect("kappa"), numbers(of, ["kappa"])[0], 1e-9, of);
        }
        "paired_small" => {
            let pairs = list(&of["a"]).into_iter().zip(list(&of["b"]));
            let found = paired(&pairs.map(|(a, b)| a - b).collect::<Vec<_>>()).expect("pairs");
            let [mean, error, t] = numbers(of, ["mean", "se", "t"]);
            near(found.difference, mean, 1e-9, of);
            near(found.standard_error.expect("an error"), error, 1e-9, of);
            near(found.t.expect("t"), t, 1e-9, of);
        }
        "_about" | "paired" | "power" => return false,
        other => panic!("no test knows the group `{other}`"),
    }
    true
}

/// What one rater says of each item; nothing where there is a gap.
fn ratings(of: &Value) -> Vec<Option<u32>> {
    of.as_array().expect("ratings").iter().map(|rating| rating.as_u64().map(|rating| rating as u32)).collect()
}

fn two(of: &Value) -> [Rate; 2] {
    [["nA", "cA"], ["nB", "cB"]].map(|keys| {
        let [n, c] = counts(of, keys);
        Rate::new(&Prior::Jeffreys, n, c, JudgeRates::PERFECT)
    })
}

fn suite(of: &Value) {
    let k = of["k"].as_u64().expect("k");
    let tasks = list(&of["counts"]);
    let rewards = |c: &f64| (0..k).map(|i| f64::from(u8::from((i as f64) < *c))).collect::<Vec<f64>>();
    let clusters: Vec<Vec<f64>> = tasks.iter().map(rewards).collect();
    let (mean, parts) = (clustered_mean(&clusters).expect("a mean"), split(&clusters).expect("a split"));
    let [wanted, error, effect] = numbers(of, ["mean", "se_clustered_CR0", "design_effect_CR0"]);
    near(mean.mean, wanted, 1e-9, of);
    near(mean.standard_error, error, 1e-9, of);
    near(mean.design_effect.expect("an effect"), effect, 1e-9, of);
    let [within, between] = numbers(of, ["within_var_unbiased", "between_var_of_means"]);
    near(parts.within, within, 1e-9, of);
    near(parts.between, between, 1e-9, of);
    let average = |at: fn(u64, u64, u64) -> Option<f64>, tries: u64| {
        tasks.iter().map(|c| at(k, *c as u64, tries).expect("k ≤ n")).sum::<f64>() / tasks.len() as f64
    };
    for (key, at, tries) in [
        ("pass_at_1", pass_at_k as fn(u64, u64, u64) -> Option<f64>, 1),
        ("pass_at_3", pass_at_k, 3),
        ("pass_at_6", pass_at_k, 6),
        ("pass_hat_3", pass_hat_k, 3),
        ("pass_hat_6", pass_hat_k, 6),
    ] {
        near(average(at, tries), of[key].as_f64().expect(key), 1e-9, &key);
    }
}

/// What closed forms and arithmetic on paper give; these hold on every machine.
#[test]
fn estimators_agree_with_what_can_be_worked_out_by_hand() {
    // All of six: the lower Clopper-Pearson end is the sixth root of 0.025.
    let low = 0.025_f64.powf(1.0 / 6.0);
    let found = clopper_pearson(6, 6).expect("an interval");
    near(found.0, low, 1e-12, &"6/6");
    assert_eq!(found.1, 1.0);
    near(clopper_pearson(6, 0).expect("an interval").1, 1.0 - low, 1e-12, &"0/6");
    // Beta(1/2, 1/2) is the arcsine law: below x lies 2/π · asin √x.
    for x in [1e-9, 0.2, 0.5, 0.8] {
        let wanted = 2.0 / std::f64::consts::PI * f64::sqrt(x).asin();
        near(Beta::JEFFREYS.below(x), wanted, 1e-12, &x);
        near(Beta::JEFFREYS.quantile(wanted), x, 1e-12, &x);
        near(Beta::JEFFREYS.above(1.0 - x), wanted, 1e-12, &x);
    }
    // After passes alone from a uniform prior, below x lies x^(n+1).
    let posterior = Beta { a: 1.0, b: 1.0 }.after(5, 5);
    near(posterior.below(0.8), 0.8_f64.powi(6), 1e-12, &"five of five");
    near(posterior.mean(), 6.0 / 7.0, 1e-12, &"Laplace's rule");
    // The same numbers as the tiers of a job of six attempts each rest on.
    for (c, hard, medium, easy) in [
        (6, 0.000_007, 0.094_636, 0.905_358),
        (5, 0.000_368, 0.464_169, 0.535_463),
        (3, 0.043_811, 0.912_377, 0.043_811),
    ] {
        let masses = plain().masses(6, c);
        for (found, wanted) in [(masses.hard, hard), (masses.medium, medium), (masses.easy, easy)] {
            near(found, wanted, 1e-6, &c);
        }
        let mirror = plain().masses(6, 6 - c);
        near(mirror.hard, masses.easy, 1e-12, &c);
    }
    assert_eq!([(3, 3), (6, 4), (12, 11)].map(|(n, c)| plain().needs_more(n, c, 60)), [Some(3), Some(5), Some(3)]);
    assert_eq!(plain().needs_more(12, 10, 12), None, "it would take 42");
    // 0.1 and 0.9: six of six say nothing, thirteen of thirteen do.
    let legacy = scale(Thresholds::LEGACY, Prior::Jeffreys, JudgeRates::PERFECT);
    assert_eq!((1..50).find(|n| legacy.tier(&legacy.masses(*n, *n)).is_some()), Some(13));
    // A judge that is always right changes nothing; one that is not moves what is seen.
    let judge = JudgeRates { sensitivity: 0.9, specificity: 0.85 };
    near(judge.corrected(judge.observed(0.3)).expect("it can tell"), 0.3, 1e-12, &judge);
    assert_eq!(JudgeRates { sensitivity: 0.5, specificity: 0.5 }.corrected(0.5), None);
    near(apparent_rate(0.8, 0.1, 0.1), 0.8, 1e-12, &"lost evenly");
    let two = clustered_mean(&[vec![1.0, 1.0], vec![0.0, 0.0]]).expect("a mean");
    near(two.standard_error, 2.0_f64.sqrt() / 4.0, 1e-12, &"two tasks");
    near(two.design_effect.expect("an effect"), 2.0, 1e-12, &"trials of a task are one look");
    assert_eq!(bootstrap_means(&[0.0, 0.5, 1.0], 4, 7), bootstrap_means(&[0.0, 0.5, 1.0], 4, 7), "the seed decides");
    assert!(wilson(0, 0).is_none() && jeffreys(2, 3).is_none() && clustered_mean(&[]).is_none() && fit(&[]).is_none());
}

#[test]
fn a_prior_is_learnt_only_from_enough_tasks_with_enough_trials() {
    assert_eq!(Prior::learn(&[(6, 6); 19]), Prior::Jeffreys);
    assert_eq!(Prior::learn(&[[(6, 6); 19].as_slice(), &[(2, 2)]].concat()), Prior::Jeffreys);
    let learnt = Prior::learn(&[(6, 6); 20]);
    let Prior::Hierarchical { weights } = &learnt else { panic!("{learnt:?}") };
    near(weights.iter().sum(), 1.0, 1e-12, &"weights");
    // Twenty tasks that always pass make it likely that the next one does.
    assert!(learnt.posterior(0, 0).mean() > 0.9);
    let easy = scale(Thresholds::DEFAULT, learnt, JudgeRates::PERFECT).masses(3, 3).easy;
    assert!(easy > 0.95, "{easy}");
}

#[test]
fn a_panel_of_one_is_that_model_and_of_three_is_surer_than_of_one() {
    let rate = || Rate::new(&Prior::Jeffreys, 6, 6, JudgeRates::PERFECT);
    let (one, alone) = (panel_masses(&[rate()], Thresholds::DEFAULT).expect("one"), plain().masses(6, 6));
    near(one.easy, alone.easy, 1e-12, &"one");
    let three = panel_masses(&[rate(), rate(), rate()], Thresholds::DEFAULT).expect("three");
    assert!(three.easy > 0.96 && three.hard < 1e-6, "{three:?}");
    assert!(panel_masses(&[], Thresholds::DEFAULT).is_none());
}
