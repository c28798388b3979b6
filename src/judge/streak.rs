//! When a judge is to be left alone: it failed several times in a row, for reasons that pass, so asking it about all the
//! rest would only take long. Counts alone; what is done then is the caller's.

use super::verdict::{JudgeError, Trouble, Verdict};
use std::sync::atomic::{AtomicU32, Ordering};

/// After so many failures without a verdict in between, a judge is left alone.
pub const IN_A_ROW: u32 = 5;

/// The failures of one judge since its last verdict.
#[derive(Debug, Default)]
pub struct Streak(AtomicU32);

impl Streak {
    /// True while the judge is to be left alone.
    pub fn is_down(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= IN_A_ROW
    }

    /// Counts what came of asking; true where the judge is to be left alone from now on. Failures that would come again
    /// about the same answer say nothing of the others.
    pub fn note(&self, result: &Result<Verdict, JudgeError>) -> bool {
        match result {
            Ok(_) => self.0.store(0, Ordering::Relaxed),
            Err(error) if error.trouble == Trouble::Passing => {
                return self.0.fetch_add(1, Ordering::Relaxed) + 1 == IN_A_ROW;
            }
            Err(_) => {}
        }
        false
    }

    /// What is said of an answer that a judge which is left alone was not asked about.
    pub fn not_asked() -> String {
        format!("the judge failed {IN_A_ROW} times in a row, so it was not asked")
    }
}
