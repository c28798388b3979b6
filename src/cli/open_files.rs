//! How many files and connections this process may have open: raised to what it may raise it to, and shared out among
//! trials, so that no trial's connections can fail for the many of another. Wiring only.

use rustix::process::{Resource, getrlimit, setrlimit};

/// More than any job has open at once.
const ENOUGH: u64 = 1 << 16;
/// For everything that isn't a trial's.
const OURS: u64 = 256;
/// For one trial, beside its connections: its container's streams, its files.
const TRIALS: u64 = 8;

/// Raises the limit of open files as far as that is allowed and makes sense, and gives what holds now.
pub fn raise() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if limit.current.is_some_and(|current| current < wanted) {
        let before = limit.current.replace(wanted);
        if setrlimit(Resource::Nofile, limit).is_err() {
            limit.current = before;
        }
    }
    limit.current.unwrap_or(ENOUGH)
}

/// How many connections each trial may have open at once where `at_once` run and so many files may be open; at most
/// `most`, at least a few.
pub fn connections(limit: u64, at_once: usize, most: usize) -> usize {
    let each = limit.saturating_sub(OURS) / (at_once as u64).max(1);
    usize::try_from(each.saturating_sub(TRIALS)).unwrap_or(most).clamp(4, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_trials_together_never_have_more_open_than_may_be() {
        for (limit, at_once, wanted) in
            [(65_536, 4, 128), (65_536, 100, 128), (1024, 4, 128), (1024, 8, 88), (1024, 100, 4), (20_000, 200, 90)]
        {
            assert_eq!(connections(limit, at_once, 128), wanted, "{limit} files, {at_once} trials");
        }
    }

    #[test]
    fn the_limit_is_never_lowered() {
        let before = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        assert!(raise() >= before.min(ENOUGH));
        assert!(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) >= before);
    }
}
