//! Who answers: the command an agent runs in its sandbox, and what came of it.
//!
//! This room knows neither tasks nor judges: it gets an instruction as text, perhaps a folder with a solution, and a
//! sandbox. It must not say what a run means for the score.

mod definition;
mod install;
mod launch;
mod run;
mod transcript;

pub use definition::Definition;
pub use install::image_with;
pub use launch::{Agent, Error, Launch};
pub use run::{AgentRun, logs, run};
pub use transcript::Transcript;
