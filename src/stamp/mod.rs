//! Writes measured tiers and verdicts on keys into `task.toml`, and nothing else.
//!
//! Everything is checked before the first file is written: a file with one bad entry stamps nothing. This room must not
//! measure, audit or judge; it takes tiers and verdicts as they are in the file.

mod audit;
mod calibration;
mod changes;
mod check;
mod error;
mod stamps;
mod write;

pub use audit::read_audit;
pub use calibration::read_calibration;
pub use changes::{Change, Changes, changes};
pub use check::{Stamped, check_stamps};
pub use error::Error;
pub use stamps::{Entry, HoldsFor, Stamps};
pub use write::write;
