//! Whole seats for groups by their shares: the largest remainder, after Hamilton. Pure.

use std::collections::BTreeMap;

/// Seats for each group. Every group gets its share rounded down, and the seats that are left go to the largest
/// remainders; where those are level, to the larger group, then to the first by name.
pub fn quotas(groups: &BTreeMap<String, usize>, seats: usize) -> BTreeMap<String, usize> {
    let all: usize = groups.values().sum::<usize>().max(1);
    let mut quotas: BTreeMap<String, usize> =
        groups.iter().map(|(group, size)| (group.clone(), size * seats / all)).collect();
    let mut order: Vec<(&String, &usize)> = groups.iter().collect();
    order.sort_by_key(|(group, size)| (std::cmp::Reverse((*size * seats % all, **size)), *group));
    let left = seats - quotas.values().sum::<usize>();
    for (group, _) in order.into_iter().take(left) {
        *quotas.entry(group.clone()).or_default() += 1;
    }
    quotas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sizes: &[(&str, usize)]) -> BTreeMap<String, usize> {
        sizes.iter().map(|(name, size)| (name.to_string(), *size)).collect()
    }

    #[test]
    fn quotas_are_those_of_the_published_sample() {
        let found = quotas(&groups(&[("easy", 6), ("medium", 35), ("hard", 59)]), 30);
        assert_eq!(found, groups(&[("easy", 2), ("medium", 10), ("hard", 18)]));
        // Remainders are level: the larger group gets the seat.
        assert_eq!(quotas(&groups(&[("a", 1), ("b", 3)]), 2), groups(&[("a", 0), ("b", 2)]));
        assert_eq!(quotas(&groups(&[]), 0), groups(&[]));
    }
}
