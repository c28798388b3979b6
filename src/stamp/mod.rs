//! Writes measured tiers back into `task.toml`, and nothing else.
//!
//! Everything is checked before the first file is written: a calibration with one bad id or tier stamps nothing. This
//! room must not measure or judge; it takes tiers as they are in the file.

mod calibration;
mod changes;
mod error;
mod write;

pub use calibration::{Calibration, Entry, read_calibration};
pub use changes::{Change, Changes, changes};
pub use error::Error;
pub use write::write;
