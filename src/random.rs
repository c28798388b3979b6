//! Choices that a seed decides: the same seed gives the same choices on every machine and in every version.
//!
//! The numbers are those of PCG XSL RR 128/64 (LCG), "PCG64" (O'Neill 2014), whose output is published; how a number
//! becomes a choice is written here, so that no library's change of mind can move it. It must not read a clock.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;

/// A stream of choices.
#[derive(Debug, Clone)]
pub struct Random(Pcg64);

impl Random {
    /// The choices of a seed for one purpose. Streams of one seed don't depend on each other, so a purpose that
    /// draws more numbers leaves all others as they were.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random(Pcg64::new(u128::from(seed), u128::from(stream)))
    }

    /// A number below `end`, each as likely as any other; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        // Numbers beyond the last full multiple of `end` would favour the small ones.
        let full = u64::MAX - u64::MAX % end;
        loop {
            let number = self.0.next_u64();
            if number < full {
                return (number % end) as usize;
            }
        }
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// Whether something happens that does so `times` out of `of`.
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    /// One of some things.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// Puts things in a random order (Fisher and Yates, as by Durstenfeld 1964).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_pinned() {
        // The reference of rand_pcg's own tests for state 42 and stream 54.
        let mut random = Random::new(42, 54);
        let found: Vec<u64> = (0..3).map(|_| random.0.next_u64()).collect();
        assert_eq!(found, [0x86b1da1d72062b68, 0x1304aa46c9853d39, 0xa3670e9e0dd50358]);
        let choices: Vec<usize> = (0..8).map(|_| random.below(10)).collect();
        assert_eq!(choices, [2, 4, 6, 0, 0, 6, 3, 3]);
    }

    #[test]
    fn every_choice_is_reached_and_none_beyond() {
        let mut random = Random::new(1, 1);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[random.below(7)] += 1);
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
        assert!((0..100).all(|_| (-3..=3).contains(&random.within(-3, 3))));
        let mut order: Vec<usize> = (0..50).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
