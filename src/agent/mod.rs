//! Who answers: the command an agent runs in its sandbox, and what came of it.
//!
//! This room knows neither tasks nor judges: it gets an instruction as text, perhaps a folder with a solution or a model
//! to ask, and a sandbox. It must not say what a run means for the score.

mod account;
mod definition;
mod install;
mod launch;
mod reported;
mod run;
mod search;
mod trajectory;
mod transcript;
mod turns;

pub use account::{Ended, ModelRun};
pub use definition::Definition;
pub use install::image_with;
pub use launch::{Agent, Error, Launch};
pub use reported::{Reported, UsageOf};
pub use run::{AgentRun, Failed, logs, reported, run};
pub use search::{Search, SearchRun, Settings as SearchSettings};
pub use trajectory::{Conversation, overheard};
pub use transcript::Transcript;
pub use turns::{Settings as LoopSettings, Turns};
