//! One trial and all trials: the only room that knows the order of steps, retries and limits.
//!
//! It must not print and must not write files: what happens is said as [`crate::event::Event`]s on one channel, and one
//! loop hands them to the readers in order. What happens to one trial is data (an outcome); an error of this room means
//! that the job can't begin.

mod clock;
mod decide;
mod error;
mod grading;
mod images;
mod judging;
mod lend;
mod reach;
mod schedule;
mod script;
mod settings;
mod setup;
mod stop;
mod trial;
mod way_out;

pub use clock::Clock;
pub use decide::decide;
pub use error::Error;
pub use grading::Unjudged;
pub use images::Images;
pub use judging::{Judged, Left, Place, judge};
pub use schedule::{Broken, Todo, run};
pub use settings::{AgentSetup, Retry, Settings};
pub use setup::{Job, JobTask, prepare};
pub use stop::{Stop, Why};
