//! A corpus becomes files of task directories, byte for byte: `generate` writes the committed part of a task,
//! `populate` the part that is git-ignored, and `init` makes a vendor directory in the first place.
//!
//! This room must never put the key, the rubric or anything that depends on one task under `environment/`: agents see
//! that folder, and all tasks of a suite share one image of it. It follows no link that it finds in a dataset.

mod error;
mod fill;
mod generate;
mod init;
mod mapping;
mod mirror;
mod render;
mod restore;
mod rows;
mod stamped;
mod template;
mod vendor_dir;

pub use error::Error;
pub use generate::{Choice, Fate, Generated, generate};
pub use init::{InitRequest, Initialized, init};
pub use mapping::{FieldFlags, Mapped};
pub use mirror::{Difference, DifferenceKind, Mode};
pub use restore::{Populated, populate};
pub use template::RUBRIC;
pub use vendor_dir::{refuse_full, write_vendor};
