//! Which agents there are, and what each is started with.

use super::definition::Definition;
use super::search::Search;
use super::turns::Turns;
use crate::model::Purse;
use crate::spelling::did_you_mean;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Who answers.
#[derive(Debug, Clone)]
pub enum Agent {
    /// The task's own solution: proves that a task can be solved and its key can be matched.
    Oracle,
    /// Does nothing: shows what an empty try gets.
    Nop,
    /// Any line for the image's `sh`.
    Command {
        /// The line.
        line: String,
    },
    /// A program that is installed in the image, as a definition says.
    Installed(Arc<Definition>),
    /// A model, asked turn by turn from the host, whose tools act in the sandbox.
    Loop(Arc<Turns>),
    /// A model that searches the web with its provider's tools, asked from the host; its answer is left in the sandbox.
    Search(Arc<Search>),
}

/// Why an agent can't be named so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No agent has this name.
    #[error("there is no agent `{name}`; there are {}", Agent::names().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// A definition can't be used.
    #[error("failed to read the agent's definition `{path}`: {why}")]
    Definition {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// `command` without a line.
    #[error("agent `command` needs the line to run: `--command LINE`")]
    NoLine,
    /// An agent that asks a model, without one.
    #[error("agent `{name}` needs a model to ask: `-m anthropic/NAME` or `-m openai/NAME`")]
    NoModel {
        /// The agent.
        name: String,
    },
    /// A line for another agent.
    #[error("agent `{name}` takes no command")]
    TakesNoLine {
        /// The agent.
        name: String,
    },
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Unknown { name } => did_you_mean(name, Agent::names()).or_else(|| {
                Some(
                    "any program of the image is run with `--command LINE`, where the line finds the question in the \
                     file `$SEATRIAL_INSTRUCTION`"
                        .to_owned(),
                )
            }),
            Error::Definition { .. } => Some("README.md shows one in ten lines".to_owned()),
            Error::NoLine | Error::NoModel { .. } | Error::TakesNoLine { .. } => None,
        }
    }
}

impl Agent {
    /// All names, for messages.
    pub const NAMES: [&str; 5] = ["oracle", "nop", "command", "loop", "messages-search"];

    /// The version of the agent of this name: this program's, where the agent is its own; of any other it is not known.
    pub fn version_of(name: &str) -> &'static str {
        let is_own = name != "command" && Agent::NAMES.contains(&name);
        if is_own { env!("CARGO_PKG_VERSION") } else { "unknown" }
    }

    /// All names, the built-in definitions' included.
    fn names() -> Vec<&'static str> {
        Agent::NAMES.into_iter().chain(Definition::shipped()).collect()
    }

    /// The agent of that name, of that definition in `folder`, or in the file of that path; `line` is what `command`
    /// runs. A `loop` and a `messages-search` need a model and are made from their settings.
    ///
    /// # Errors
    /// Where there is none, or a line is missing or not wanted, or a definition can't be read.
    pub fn named(name: &str, line: Option<&str>, folder: Option<&Path>) -> Result<Agent, Error> {
        match (name, line) {
            ("oracle", None) => Ok(Agent::Oracle),
            ("nop", None) => Ok(Agent::Nop),
            ("command", Some(line)) if !line.trim().is_empty() => Ok(Agent::Command { line: line.to_owned() }),
            ("command", _) => Err(Error::NoLine),
            ("oracle" | "nop" | "loop" | "messages-search", Some(_)) => {
                Err(Error::TakesNoLine { name: name.to_owned() })
            }
            ("loop" | "messages-search", None) => Err(Error::NoModel { name: name.to_owned() }),
            _ => match (Definition::find(name, folder)?, line) {
                (Some(definition), None) => Ok(Agent::Installed(Arc::new(definition))),
                (Some(_), Some(_)) => Err(Error::TakesNoLine { name: name.to_owned() }),
                (None, _) => Err(Error::Unknown { name: name.to_owned() }),
            },
        }
    }

    /// Whether it can do nothing without a model: the loop, and an installed agent whose line speaks of one.
    pub fn needs_model(&self) -> bool {
        match self {
            Agent::Installed(definition) => definition.run.contains("SEATRIAL_MODEL"),
            Agent::Loop(_) | Agent::Search(_) => true,
            Agent::Oracle | Agent::Nop | Agent::Command { .. } => false,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Agent::Oracle => "oracle",
            Agent::Nop => "nop",
            Agent::Command { .. } => "command",
            Agent::Installed(definition) => &definition.name,
            Agent::Loop(_) => "loop",
            Agent::Search(_) => "messages-search",
        }
    }

    /// True where it reaches the web through its model's provider, where no policy of a task holds, and nobody has
    /// allowed that.
    pub fn evades_policy(&self) -> bool {
        matches!(self, Agent::Search(search) if !search.settings.provider_tools)
    }
}

/// What one run of an agent is started with.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    /// What the task asks.
    pub instruction: &'a str,
    /// The folder of the task's solution; read for the oracle only.
    pub solution: &'a Path,
    /// The task's environment, templates filled in.
    pub env: &'a [(String, String)],
    /// What only the solution gets.
    pub solution_env: &'a [(String, String)],
    /// What only this agent gets.
    pub agent_env: &'a [(String, String)],
    /// What leads its model client to the model relay; what it is given itself wins.
    pub relay_env: &'a [(String, String)],
    /// What it pays from, where we ask its model.
    pub purse: &'a Purse,
    /// The model it is to use, where it uses one.
    pub model: Option<&'a str>,
    /// Folder to run in; the image's own where `None`.
    pub workdir: Option<String>,
    /// User to run as; the image's own where `None`.
    pub user: Option<String>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How long after TERM until KILL when its time is over.
    pub grace: Duration,
    /// How many bytes of its output are kept.
    pub output_cap: u64,
}

impl Launch<'_> {
    /// Where the instruction is, in the container; `SEATRIAL_INSTRUCTION` names it.
    pub const INSTRUCTION: &'static str = "/seatrial/instruction.md";

    /// The variables that a tool of the loop gets beside the image's own.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        self.env.iter().chain(self.agent_env).cloned().collect()
    }

    /// The variables that the agent gets beside the image's own, later ones winning.
    pub(super) fn environment(&self, agent: &Agent) -> Vec<(String, String)> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut env = self.env.to_vec();
        match agent {
            Agent::Oracle => {
                // As Harbor runs solutions.
                env.push(pair("DEBIAN_FRONTEND", "noninteractive"));
                env.extend(self.solution_env.iter().cloned());
            }
            Agent::Command { .. } => env.push(pair("SEATRIAL_INSTRUCTION", Self::INSTRUCTION)),
            Agent::Installed(definition) => {
                env.push(pair("SEATRIAL_INSTRUCTION", Self::INSTRUCTION));
                env.extend(definition.env.iter().map(|(name, value)| pair(name, value)));
            }
            Agent::Nop | Agent::Loop(_) | Agent::Search(_) => {}
        }
        env.extend(self.model.map(|model| pair("SEATRIAL_MODEL", model)));
        env.extend(self.relay_env.iter().cloned());
        env.extend(self.agent_env.iter().cloned());
        env
    }
}
