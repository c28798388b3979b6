//! The command line: one file per verb, wiring only. No decision about a job is made here.

mod error;
pub mod exit;

mod agents;
mod attack;
mod audit;
mod base;
mod calibrate;
mod categories;
mod clean;
mod compare;
mod dispatch;
mod doctor;
mod drive;
mod forge;
mod generate;
mod ideal;
mod init;
mod judge;
mod judge_cases;
mod keys;
mod lint;
mod load;
mod model;
mod open_files;
mod populate;
mod report;
mod resume;
mod run;
mod select;
mod stamp;
mod table;
mod vendor;
mod words;

pub use dispatch::main;
pub use error::Error;

pub(crate) use words::{say, show};
