//! A scripted engine in this process, for faults and for speed: it opens nothing and runs nothing, it plays back what
//! a script says of each trial. It ships in the product behind a hidden flag, so that tests drive the real binary
//! without Docker. Records of it are marked, since they measure nothing.

use super::{Command, Error, File, Image, ImageSource, Spec};
use crate::wire::{Exit, Found};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where agents leave their answers: the one path that a script fills by itself.
const ANSWER: &str = "/app/answer.txt";

/// A scripted engine.
#[derive(Debug, Clone)]
pub struct Engine {
    script: Arc<Script>,
    /// How often a trial has been started in this process, by its name.
    starts: Arc<Mutex<HashMap<String, usize>>>,
}

/// A sandbox that plays one [`Act`].
#[derive(Debug)]
pub struct Sandbox {
    act: Act,
    name: String,
    files: HashMap<String, Vec<u8>>,
    tally: Option<PathBuf>,
}

/// What a script file holds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Script {
    /// Every run of an agent appends the trial's name to this file.
    tally: Option<PathBuf>,
    /// What trials of no task below do.
    default: Act,
    /// What trials of a task do: the first start of a trial plays the first act, the last act goes on for ever.
    tasks: HashMap<String, Vec<Act>>,
}

/// What one start of a trial does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Act {
    /// What `/app/answer.txt` holds after the run; none where it is missing.
    answer: Option<String>,
    /// What is at `/app/answer.txt` instead of a file, such as `fifo`.
    found: Option<String>,
    /// What the agent writes.
    output: String,
    /// How long the agent takes, in milliseconds.
    delay_ms: u64,
    /// The agent's exit code.
    exit: i32,
    /// The engine says that a process was killed for memory.
    oom: bool,
    /// Where the engine fails: `image`, `open`, `run` or `read`.
    fault: Option<String>,
    /// The agent breaks the sandbox's stream.
    spoil: bool,
}

impl Engine {
    /// Reads a script.
    ///
    /// # Errors
    /// [`Error::Script`] with the file's name.
    pub fn load(path: &Path) -> Result<Engine, Error> {
        let failed = |why: String| Error::Script { path: path.display().to_string(), why };
        let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        let script = serde_json::from_str(&text).map_err(|e| failed(e.to_string()))?;
        Ok(Engine { script: Arc::new(script), starts: Arc::default() })
    }

    pub(super) fn image(&self, source: &ImageSource) -> Result<Image, Error> {
        if self.script.default.fault.as_deref() == Some("image") {
            return Err(scripted("build image", "fake"));
        }
        let tag = match source {
            ImageSource::Named(name) => name.clone(),
            ImageSource::Built { .. } => "fake".to_owned(),
        };
        let id = "fake".to_owned();
        let (env, user, notes) = (Vec::new(), String::new(), Vec::new());
        Ok(Image { tag, id, env, workdir: "/app".to_owned(), user, built: false, base: None, notes })
    }

    pub(super) async fn open(&self, spec: &Spec) -> Result<Sandbox, Error> {
        let name = spec.owner.trial.clone();
        let act = self.act(&name);
        if act.fault.as_deref() == Some("open") {
            return Err(scripted("start container", &name));
        }
        Ok(Sandbox { act, name, files: HashMap::new(), tally: self.script.tally.clone() })
    }

    fn act(&self, trial: &str) -> Act {
        let start = {
            let mut starts = self.starts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let count = starts.entry(trial.to_owned()).or_default();
            *count += 1;
            *count - 1
        };
        let task = trial.rsplit_once("__").map_or(trial, |(task, _)| task);
        let acts = self.script.tasks.get(task).filter(|acts| !acts.is_empty());
        acts.map_or_else(|| self.script.default.clone(), |acts| acts[start.min(acts.len() - 1)].clone())
    }
}

impl Sandbox {
    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.files.insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    pub(super) async fn run(
        &mut self,
        command: &Command,
        on_output: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Exit, Error> {
        if let Some(tally) = &self.tally {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(tally);
            // A tally that can't be written would make a test pass that must not.
            let done = file.and_then(|mut file| file.write_all(format!("{}\n", self.name).as_bytes()));
            done.map_err(|e| Error::Script { path: tally.display().to_string(), why: e.to_string() })?;
        }
        let delay = Duration::from_millis(self.act.delay_ms);
        let timed_out = command.timeout.is_some_and(|limit| delay > limit);
        let ran = command.timeout.map_or(delay, |limit| delay.min(limit));
        tokio::time::sleep(ran).await;
        if self.act.fault.as_deref() == Some("run") {
            return Err(Error::Lost { name: self.name.clone(), why: "the script says so".to_owned() });
        }
        if self.act.spoil {
            return Err(Error::Spoiled("the script says so".to_owned()));
        }
        on_output(self.act.output.as_bytes());
        if let Some(answer) = &self.act.answer {
            self.files.insert(ANSWER.to_owned(), answer.clone().into_bytes());
        }
        let code = (!timed_out).then_some(self.act.exit);
        let output = self.act.output.len() as u64;
        let signal = timed_out.then_some(15);
        Ok(Exit { code, signal, timed_out, micros: ran.as_micros() as u64, output, dropped: 0 })
    }

    pub(super) fn read(&mut self, path: &str, cap: u64) -> Result<File, Error> {
        if self.act.fault.as_deref() == Some("read") {
            return Err(scripted("read from container", &self.name));
        }
        let found = match self.act.found.as_deref() {
            Some("fifo") => Some(Found::Fifo),
            Some("link") => Some(Found::SymbolicLink),
            Some("directory") => Some(Found::Directory),
            Some(_) => Some(Found::Unreadable),
            None => None,
        };
        Ok(match (found, self.files.get(path)) {
            (Some(found), _) => File::Other(found),
            (None, Some(bytes)) if bytes.len() as u64 > cap => File::Other(Found::TooLarge),
            (None, Some(bytes)) => File::Regular(bytes.clone()),
            (None, None) => File::Other(Found::Missing),
        })
    }

    pub(super) fn out_of_memory(&self) -> bool {
        self.act.oom
    }
}

fn scripted(verb: &'static str, what: &str) -> Error {
    Error::Engine { verb, what: what.to_owned(), why: "the script says so".to_owned() }
}
