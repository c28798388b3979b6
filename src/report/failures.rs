//! The classes of failure of an agent's trials, as every format for people counts them.

use crate::failure::FailureClass;
use crate::stats::{ArmSummary, FailureCount};

/// What the columns are.
pub const COLUMNS: [&str; 4] = ["failures", "trials", "retried", "whose"];

/// What is counted, below the table.
pub const NOTE: &str = "trials ended for it; retried starts met it and were tried again";

/// A row for each class that there was: the class, the trials that ended for it, the starts that were started again, and
/// whose it is.
pub fn failures(arm: &ArmSummary) -> Vec<[String; 4]> {
    let row = |count: &FailureCount| {
        [class(count.class), count.trials.to_string(), count.retried.to_string(), count.whose.word().to_owned()]
    };
    arm.failures.iter().map(row).collect()
}

/// A class in words.
pub fn class(class: FailureClass) -> String {
    class.word().replace('_', " ")
}
