//! One run of an agent in its sandbox. What the agent did to its own sandbox is data in [`AgentRun`]; an error is
//! something that the agent can't have caused.

use super::account::ModelRun;
use super::definition::log_name;
use super::launch::{Agent, Launch};
use super::reported::Reported;
use super::search;
use super::trajectory::Conversation;
use super::transcript::Transcript;
use super::turns;
use crate::model::{Class, Failure};
use crate::sandbox::{Command, Error, Exit, File, LOG_FOLDERS, Sandbox, bring_in};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What came of an agent's run in its sandbox.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// The exit code, where the agent ended by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// It was stopped because its time was over.
    pub timed_out: bool,
    /// The engine saw a process killed for the sandbox's memory cap.
    pub out_of_memory: bool,
    /// How long it ran, in seconds, by the sandbox's clock.
    pub seconds: f64,
    /// How many bytes it wrote to stdout and stderr.
    pub output_bytes: u64,
    /// How many of them were dropped, over the cap.
    pub dropped_bytes: u64,
    /// Something was wrong with the sandbox's stream that only the agent can have caused, in words.
    pub spoiled: Option<String>,
    /// The last line that it wrote, where it did not end well and all that it wrote was kept; cut to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_line: Option<String>,
    /// The cap on models, such as `50 requests`, over which it was refused more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_budget: Option<String>,
    /// What its conversation itself made its last request through the relay fail by: it was too long, or its content was
    /// refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_doing: Option<Class>,
    /// It hands its answer in with a tool and has not done that: what lies at the answer's path is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_handed_in: bool,
    /// What a model used, where the agent is one that we ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRun>,
    /// What the agent said of its own work, where its definition says how that is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Reported>,
    /// What was said to the model and by it; kept in files of its own.
    #[serde(skip)]
    pub conversation: Option<Box<Conversation>>,
}

/// Why an agent's run is no run: nothing that the agent can have caused.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The engine, a user that isn't in the image, a solution that can't be read here.
    #[error(transparent)]
    Sandbox(#[from] Error),
    /// The model's provider.
    #[error("{failure}")]
    Provider {
        /// What it said.
        failure: Failure,
        /// The run until then: what was used is paid, and what was said may say why.
        run: Box<AgentRun>,
    },
    /// All agents of the job together have cost what they may, in words.
    #[error("{0}")]
    Spent(String),
}

impl AgentRun {
    /// True where the agent ended by itself and said that all is well.
    pub fn is_clean(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out && !self.out_of_memory && self.spoiled.is_none()
    }
}

/// Brings in what the agent needs, runs it to its end, and passes on what it writes as valid UTF-8.
///
/// # Errors
/// [`Failed`]: whatever is not the agent's doing.
pub async fn run(
    agent: &Agent,
    sandbox: &mut Sandbox,
    launch: &Launch<'_>,
    on_text: &mut (dyn FnMut(String) + Send),
) -> Result<AgentRun, Failed> {
    for folder in LOG_FOLDERS {
        sandbox.mkdir(folder, 0o777).await?;
    }
    match agent {
        Agent::Nop => return Ok(AgentRun { exit_code: Some(0), ..AgentRun::default() }),
        Agent::Oracle => {
            let script = launch.solution.join("solve.sh");
            if !script.is_file() {
                return Err(
                    Error::Refused(format!("bring in the solution: `{}` is not there", script.display())).into()
                );
            }
            bring_in(sandbox, launch.solution, "/solution").await?;
        }
        Agent::Loop(turns) => return turns::drive(turns, sandbox, launch, on_text).await,
        Agent::Search(search) => return search::drive(search, sandbox, launch, on_text).await,
        Agent::Command { .. } | Agent::Installed(_) => {
            sandbox.write(Launch::INSTRUCTION, 0o644, launch.instruction.as_bytes()).await?;
        }
    }
    let command = launch.command(agent);
    let mut transcript = Transcript::default();
    let started = Instant::now();
    let ended = sandbox.run(&command, &mut |bytes| send(transcript.push(bytes), on_text)).await;
    let mut agent_run = match ended {
        Ok(exit) => of_exit(&exit),
        Err(Error::OutOfMemory { .. }) => AgentRun { out_of_memory: true, ..AgentRun::default() },
        Err(Error::Spoiled(why)) => AgentRun { spoiled: Some(why), ..AgentRun::default() },
        Err(error) => return Err(error.into()),
    };
    if agent_run.exit_code.is_none() && agent_run.seconds == 0.0 {
        agent_run.seconds = started.elapsed().as_secs_f64();
    }
    if !agent_run.is_clean() && agent_run.dropped_bytes == 0 {
        agent_run.last_line = transcript.last_line();
    }
    send(transcript.finish(agent_run.dropped_bytes), on_text);
    Ok(agent_run)
}

/// How much of each log is kept, in bytes.
const LOG: u64 = 16 << 20;

/// The logs that the agent's definition names, as far as they are there as regular files: the name under which each is
/// kept, with its bytes. Untrusted.
///
/// # Errors
/// Where the sandbox can't be read any more.
pub async fn logs(agent: &Agent, sandbox: &mut Sandbox) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let Agent::Installed(definition) = agent else { return Ok(Vec::new()) };
    let mut logs = Vec::new();
    for path in &definition.logs {
        if let (Some(name), File::Regular(bytes)) = (log_name(path), sandbox.read(path, LOG).await?) {
            logs.push((name, bytes));
        }
    }
    Ok(logs)
}

/// What the agent said of its own work in one of these logs of its own, where its definition says how that is read.
pub fn reported(agent: &Agent, logs: &[(String, Vec<u8>)]) -> Option<Reported> {
    let Agent::Installed(definition) = agent else { return None };
    let usage = definition.usage.as_ref()?;
    let name = log_name(&usage.file)?;
    let (_, log) = logs.iter().find(|(log, _)| *log == name)?;
    usage.read(log)
}

fn send(text: String, on_text: &mut (dyn FnMut(String) + Send)) {
    if !text.is_empty() {
        on_text(text);
    }
}

fn of_exit(exit: &Exit) -> AgentRun {
    AgentRun {
        exit_code: exit.code,
        signal: exit.signal,
        timed_out: exit.timed_out,
        seconds: exit.micros as f64 / 1e6,
        output_bytes: exit.output,
        dropped_bytes: exit.dropped,
        ..AgentRun::default()
    }
}

impl Launch<'_> {
    fn command(&self, agent: &Agent) -> Command {
        let argv = match agent {
            Agent::Nop | Agent::Loop(_) | Agent::Search(_) => Vec::new(),
            Agent::Oracle => vec!["/solution/solve.sh".to_owned()],
            Agent::Command { line } => ["sh", "-c", line].map(str::to_owned).to_vec(),
            Agent::Installed(definition) => ["sh", "-c", &definition.run].map(str::to_owned).to_vec(),
        };
        Command {
            argv,
            env: self.environment(agent),
            cwd: self.workdir.clone(),
            user: self.user.clone(),
            timeout: self.timeout,
            grace: self.grace,
            output_cap: self.output_cap,
        }
    }
}
