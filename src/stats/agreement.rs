//! How much raters agree, beyond what chance would give: nominal categories, a number each. Pure.
//!
//! No single coefficient is enough. Where nearly all answers are of one kind, kappa and alpha fall to 0 for raters that
//! nearly always agree; AC1 doesn't. Where the data can't say, the answer is `None`.

/// The share of items on which two raters say the same. `None` without items.
pub fn percent(a: &[u32], b: &[u32]) -> Option<f64> {
    let n = paired(a, b)?;
    Some(a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / n)
}

/// Cohen's kappa of two raters (1960): chance is the product of each rater's own shares. `None` without items, and where
/// both always say one and the same thing.
pub fn cohen_kappa(a: &[u32], b: &[u32]) -> Option<f64> {
    let n = paired(a, b)?;
    let chance = categories(a, b).iter().map(|c| share(a, *c, n) * share(b, *c, n)).sum();
    beyond(percent(a, b)?, chance)
}

/// Gwet's AC1 of two raters (2008): chance is the mean of π (1 − π) over the categories, where π is the raters' mean
/// share. 1 where there is only one category. `None` without items.
pub fn gwet_ac1(a: &[u32], b: &[u32]) -> Option<f64> {
    let n = paired(a, b)?;
    let categories = categories(a, b);
    if categories.len() < 2 {
        return Some(1.0);
    }
    let spread = |c: &u32| {
        let mean = (share(a, *c, n) + share(b, *c, n)) / 2.0;
        mean * (1.0 - mean)
    };
    let chance = categories.iter().map(spread).sum::<f64>() / (categories.len() - 1) as f64;
    beyond(percent(a, b)?, chance)
}

/// Fleiss' kappa of several raters (1971): `raters[r][i]` as in [`krippendorff_alpha`], but only items on which all of
/// them say something count, since it is defined for one number of ratings an item. Chance is the sum of the squares of
/// the categories' shares. `None` where no item counts, for one rater, and where all values are one.
pub fn fleiss_kappa(raters: &[Vec<Option<u32>>]) -> Option<f64> {
    let items = raters.iter().map(Vec::len).max()?;
    let values_of =
        |item: usize| -> Option<Vec<u32>> { raters.iter().map(|rater| rater.get(item).copied().flatten()).collect() };
    let units: Vec<Vec<u32>> = (0..items).filter_map(values_of).collect();
    let all: Vec<u32> = units.concat();
    let (n, pairs) = (all.len() as f64, raters.len() as f64 * (raters.len() as f64 - 1.0));
    let observed = units.iter().map(|values| 1.0 - unequal(values) / pairs).sum::<f64>() / units.len() as f64;
    let chance = 1.0 - unequal(&all) / (n * n);
    if pairs > 0.0 && n > 0.0 { beyond(observed, chance) } else { None }
}

/// Krippendorff's alpha for any number of raters, nominal: `raters[r][i]` is what rater `r` says of item `i`, `None`
/// where it says nothing. Items with fewer than two values don't count. `None` where nothing can be compared, or all
/// values are one.
pub fn krippendorff_alpha(raters: &[Vec<Option<u32>>]) -> Option<f64> {
    let items = raters.iter().map(Vec::len).max()?;
    let values_of =
        |item: usize| -> Vec<u32> { raters.iter().filter_map(|rater| rater.get(item).copied().flatten()).collect() };
    let units: Vec<Vec<u32>> = (0..items).map(values_of).filter(|values| values.len() > 1).collect();
    let all: Vec<u32> = units.iter().flatten().copied().collect();
    let n = all.len() as f64;
    // Pairs of unequal values within items, each item weighing by its own number of values; then among all values.
    let observed: f64 = units.iter().map(|values| unequal(values) / (values.len() - 1) as f64).sum::<f64>() / n;
    let expected = unequal(&all) / (n * (n - 1.0));
    (n > 0.0 && expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Ordered pairs of unequal values.
fn unequal(values: &[u32]) -> f64 {
    let n = values.len() as f64;
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    n * n - sorted.chunk_by(|a, b| a == b).map(|same| (same.len() as f64).powi(2)).sum::<f64>()
}

fn paired(a: &[u32], b: &[u32]) -> Option<f64> {
    (a.len() == b.len() && !a.is_empty()).then_some(a.len() as f64)
}

fn categories(a: &[u32], b: &[u32]) -> std::collections::BTreeSet<u32> {
    a.iter().chain(b).copied().collect()
}

fn share(values: &[u32], category: u32, n: f64) -> f64 {
    values.iter().filter(|value| **value == category).count() as f64 / n
}

fn beyond(observed: f64, chance: f64) -> Option<f64> {
    (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn coefficients_are_those_of_a_table_worked_by_hand() {
        // 8 of 10 agree; 7 both right, 1 both wrong, one each way: chance 0.68, AC1's chance 0.32.
        let a = [1, 1, 1, 1, 1, 1, 1, 0, 1, 0];
        let b = [1, 1, 1, 1, 1, 1, 1, 0, 0, 1];
        near(percent(&a, &b), 0.8);
        near(cohen_kappa(&a, &b), (0.8 - 0.68) / 0.32);
        near(gwet_ac1(&a, &b), (0.8 - 0.32) / 0.68);
        // 20 values, 4 of them 0: 4 unequal ordered pairs within items, 128 among all.
        let raters = [&a, &b].map(|rater| rater.iter().map(|value| Some(*value)).collect());
        near(krippendorff_alpha(&raters), 1.0 - (4.0 / 20.0) / (128.0 / 380.0));
    }

    #[test]
    fn agreement_on_one_kind_alone_is_told_by_ac1_only() {
        let all = [1; 5];
        assert_eq!((cohen_kappa(&all, &all), gwet_ac1(&all, &all)), (None, Some(1.0)));
        assert_eq!(krippendorff_alpha(&[vec![Some(1); 5], vec![Some(1); 5]]), None);
        assert_eq!((percent(&[], &[]), cohen_kappa(&[], &[]), gwet_ac1(&[], &[])), (None, None, None));
        assert_eq!(krippendorff_alpha(&[vec![Some(1), None], vec![None, Some(0)]]), None);
    }

    #[test]
    fn several_raters_agree_as_a_table_worked_by_hand_says() {
        // Three raters, six items, half of the 18 values each: 4 items whole, 2 with a third of their pairs; chance 0.5.
        let rater = |values: [u32; 6]| values.map(Some).to_vec();
        let raters = [rater([1, 0, 1, 0, 1, 0]), rater([1, 0, 1, 0, 1, 0]), rater([1, 0, 0, 1, 1, 0])];
        near(fleiss_kappa(&raters), ((4.0 + 2.0 / 3.0) / 6.0 - 0.5) / 0.5);
        let gap = [raters[0].clone(), raters[1].clone(), vec![Some(1), None, Some(0), None, Some(1), Some(0)]];
        // Of items 1, 3, 5 and 6 all say something: 3 whole, 1 with a third; 8 of 12 values are 1.
        let chance = (64.0 + 16.0) / 144.0;
        near(fleiss_kappa(&gap), ((3.0 + 1.0 / 3.0) / 4.0 - chance) / (1.0 - chance));
        assert_eq!(
            (fleiss_kappa(&[]), fleiss_kappa(&raters[..1]), fleiss_kappa(&[vec![None], vec![Some(1)]])),
            (None, None, None)
        );
        assert_eq!(fleiss_kappa(&[vec![Some(1)], vec![Some(1)]]), None);
    }

    #[test]
    fn a_missing_value_takes_its_item_out_only_where_it_leaves_one() {
        let some = |values: &[u32]| values.iter().map(|v| (*v < 9).then_some(*v)).collect::<Vec<_>>();
        let raters = [some(&[1, 1, 0, 9, 1, 0]), some(&[1, 0, 0, 1, 1, 0]), some(&[1, 1, 0, 1, 9, 1])];
        near(krippendorff_alpha(&raters), 0.5);
    }
}
