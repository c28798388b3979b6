//! Writes measured tiers, verdicts on keys and ideals into `task.toml`, and nothing else.
//!
//! Everything is checked before the first file is written: a file with one bad entry stamps nothing. This room must not
//! measure, audit or judge; it takes them as they are in the file or the job.

mod audit;
mod calibration;
mod changes;
mod check;
mod error;
mod ideal;
mod stamps;
mod write;

pub use audit::read_audit;
pub use calibration::read_calibration;
pub use changes::{Change, Changes, changes};
pub use check::{Stamped, check_stamps};
pub use error::Error;
pub use ideal::{ForTask, ideal_change};
pub use stamps::{Entry, HoldsFor, Stamps};
pub use write::write;
