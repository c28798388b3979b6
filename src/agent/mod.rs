//! Who answers: the command an agent runs in its sandbox, and what came of it.
//!
//! This room knows neither tasks nor judges: it gets an instruction as text, perhaps a folder with a solution or a model
//! to ask, and a sandbox. It must not say what a run means for the score.

mod launch;
mod run;
mod transcript;
mod turns;

pub use launch::{Agent, Error, Launch};
pub use run::{AgentRun, Failed, run};
pub use transcript::Transcript;
pub use turns::{Conversation, Ended, ModelRun, Settings as LoopSettings, Turns};
