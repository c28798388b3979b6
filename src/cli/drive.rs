//! Runs a loaded job to its end: events to the store, then to the live view; signals to the stop; at the end the
//! report. Shared by `run` and `resume`. Wiring only.

use super::error::Error;
use super::exit;
use super::words::count;
use crate::config::JudgeConfig;
use crate::event::Event;
use crate::job::{self, Broken, Job, Stop, Todo, Why};
use crate::judge::{self, Judge};
use crate::model::{self, Api, Prices, Transport};
use crate::report::{self, Live, Mode};
use crate::results::{self, EngineRecord, Store};
use crate::sandbox::{self, Engine, docker, fake};
use crate::stats;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How models are asked, and engines and judges for tests
#[derive(Debug, Default, clap::Args)]
pub struct EngineArgs {
    /// Keep what models are asked and answer, without keys, in this folder: a new one, or for `resume` the job's own
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Ask no model: answer from what `--record` kept in this folder; what was never asked is an error
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// What models cost, a TOML file such as docs/prices.toml; it goes before the providers' list prices [default: the job
    /// file's]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    #[arg(skip)]
    transport: OnceLock<Transport>,
    /// Play back a script instead of running containers; records are marked and measure nothing
    #[arg(long, value_name = "SCRIPT", hide = true)]
    fake_engine: Option<PathBuf>,
    /// Play back verdicts and failures from a file instead of judging
    #[arg(long, value_name = "SCRIPT", hide = true)]
    scripted_judge: Option<PathBuf>,
}

impl EngineArgs {
    /// How models are asked; one for all of them, since it counts what it records and plays back.
    pub fn transport(&self) -> Result<Transport, model::Error> {
        if let Some(transport) = self.transport.get() {
            return Ok(transport.clone());
        }
        let transport = match (&self.record, &self.replay) {
            (Some(folder), _) => Transport::recording(folder)?,
            (None, Some(folder)) => Transport::replaying(folder)?,
            (None, None) => Transport::live()?,
        };
        Ok(self.transport.get_or_init(|| transport).clone())
    }

    /// Whether models are played back from a recording.
    pub fn plays_back(&self) -> bool {
        self.replay.is_some()
    }

    /// Refuses to record into a folder that holds a recording: its answers would be played first.
    pub fn records_anew(&self) -> Result<(), Error> {
        match self.record.as_deref().map(|folder| (folder, Transport::recorded(folder))) {
            Some((folder, exchanges)) if exchanges > 0 => {
                Err(model::Error::Recorded { path: folder.to_owned(), exchanges }.into())
            }
            _ => Ok(()),
        }
    }

    /// What the user should know of how models are asked, where any is.
    pub fn note(&self) -> Option<String> {
        self.transport.get()?;
        let exchanges = |folder: &Path| count(Transport::recorded(folder), "exchange");
        match (&self.record, &self.replay) {
            (Some(folder), _) => Some(format!(
                "what models are asked and answer is kept in `{}`, which holds {}",
                folder.display(),
                exchanges(folder)
            )),
            (None, Some(folder)) => Some(format!(
                "models are played back from `{}`, which holds {}: nobody is asked, and nothing is paid",
                folder.display(),
                exchanges(folder)
            )),
            (None, None) => None,
        }
    }

    /// An environment variable. Playing back needs no key and no server, so any will do where none is set.
    pub fn variable(&self, name: &str) -> Option<String> {
        let any = || match name {
            _ if self.replay.is_none() => None,
            // A name that says no provider is some server's, and nobody is asked there.
            "OPENAI_BASE_URL" => Some(Api::Chat.variables().2),
            name if name.ends_with("_API_KEY") => Some("no-key-is-needed-here"),
            _ => None,
        };
        std::env::var(name).ok().or_else(|| any().map(str::to_owned))
    }

    /// The judge that these settings name; what it asks of models is priced by `prices`.
    pub fn judge(&self, name: &str, config: &JudgeConfig, prices: Prices) -> Result<Judge, Error> {
        if let Some(path) = &self.scripted_judge {
            return Ok(Judge::scripted(path)?);
        }
        let default = judge::Settings::default();
        let settings = judge::Settings {
            models: config.models.clone(),
            base_url: config.base_url.clone(),
            temperature: config.temperature,
            max_tokens: config.max_tokens.unwrap_or(default.max_tokens),
            effort: config.effort.clone(),
            votes: config.votes.unwrap_or(default.votes),
            timeout: config.timeout_sec.map_or(default.timeout, Duration::from_secs_f64),
            max_retries: config.max_retries.unwrap_or(default.max_retries),
            boundary: config.boundary.unwrap_or(default.boundary),
        };
        let env = |name: &str| self.variable(name);
        Ok(Judge::named(name, settings, &env, || self.transport(), prices)?)
    }
}

/// The Docker engine that `DOCKER_HOST` names, else the local one.
pub async fn docker() -> Result<docker::Engine, sandbox::Error> {
    docker::Engine::connect(std::env::var("DOCKER_HOST").ok()).await
}

/// The engine to run on.
pub async fn engine(args: &EngineArgs) -> Result<Engine, Error> {
    match &args.fake_engine {
        Some(script) => Ok(Engine::Fake(fake::Engine::load(script)?)),
        None => Ok(Engine::Docker(docker().await?)),
    }
}

/// What is kept of an engine.
pub fn engine_record(engine: &Engine) -> EngineRecord {
    let facts = match engine {
        Engine::Docker(engine) => Some(engine.facts().clone()),
        Engine::Fake(_) => None,
    };
    EngineRecord {
        kind: engine.kind().to_owned(),
        api_version: facts.as_ref().map(|facts| facts.api_version.clone()),
        os: facts.as_ref().map(|facts| facts.os.clone()),
        arch: facts.map(|facts| facts.arch),
    }
}

/// Does what a job has to do and gives the exit code.
pub async fn drive(engine: Engine, job: Arc<Job>, todo: Todo, mut store: Store, quiet: bool) -> Result<u8, Error> {
    let dir = store.dir().to_path_buf();
    let allocation = store.record().calibrate.clone();
    let mut live = Live::new(Mode::detect(quiet));
    let stop = Stop::default();
    let hurry = watch_signals(stop.clone())?;
    let mut reader = |event: &Event| {
        store.handle(event)?;
        live.handle(event);
        Ok::<(), results::Error>(())
    };
    let mut more = || match &allocation {
        Some(allocation) => Ok(Some(stats::next_round(&results::read_job(&dir)?, allocation))),
        None => Ok(None),
    };
    let run = job::run(engine.clone(), Arc::clone(&job), todo, stop.clone(), &mut reader, &mut more);
    let ended = tokio::select! {
        ended = run => Some(ended),
        _ = hurry => None,
    };
    drop(live);
    let Some(ended) = ended else {
        // The second Ctrl-C: what runs is removed without waiting for its end.
        let _ = tokio::time::timeout(Duration::from_secs(2), engine.sweep(Some(&job.name))).await;
        super::say(&format!("interrupted twice\n\nhint: `seatrial resume {}` goes on", dir.display()));
        return Ok(exit::INTERRUPTED);
    };
    let ended = ended.map_err(|broken| match broken {
        Broken::Engine(error) => Error::Sandbox(error),
        Broken::Reader(error) => Error::Host {
            why: error.to_string(),
            hint: Some(format!("mend that, then `seatrial resume {}` goes on; what is sealed is kept", dir.display())),
        },
    })?;
    drop(store);
    show(&dir, ended)
}

/// How a job goes on whose models are played back.
const AGAIN: &str = "a play-back begins anew, so run it again instead of resuming it";

/// The report, what to do next, and the exit code.
fn show(dir: &Path, stopped: Option<Why>) -> Result<u8, Error> {
    let read = results::read_job(dir)?;
    let summary = stats::summarize(&read);
    let text = report::text(&read, &summary);
    // Where nobody reads the table any more, the job is still done.
    let _ = std::io::stdout().write_all(text.as_bytes());
    let is_played = read.record.observed.played_back;
    let dir = dir.display();
    if let Some(why) = stopped {
        let (said, hint, code) = match why {
            Why::User if is_played => ("interrupted".to_owned(), AGAIN.to_owned(), exit::INTERRUPTED),
            Why::User => ("interrupted".to_owned(), format!("`seatrial resume {dir}` goes on"), exit::INTERRUPTED),
            Why::Engine => (
                "error: the engine stopped answering".to_owned(),
                format!("start it, then `seatrial resume {dir}`"),
                exit::ENGINE,
            ),
            Why::Provider { why, hint } => {
                (format!("error: {why}"), format!("{hint}; then `seatrial resume {dir}` goes on"), exit::BAD_INPUT)
            }
            Why::Spent(why) => (
                format!("error: {why}"),
                format!("`seatrial resume {dir} --job-max-cost USD` goes on up to another cap"),
                exit::INCOMPLETE,
            ),
            Why::Judge(why) => (
                format!("error: {why}"),
                format!("mend that, then `seatrial resume {dir}`; what agents answered is kept"),
                exit::BAD_INPUT,
            ),
        };
        super::say(&format!("{said}\n\nhint: {hint}"));
        return Ok(code);
    }
    if let Some(doubt) = report::doubt(&read) {
        super::say(&format!("warning: {doubt}"));
    }
    match report::warning(&read, &summary) {
        Some(warning) => {
            let hint = format!("`seatrial resume {dir}` goes on with them");
            let hint = if is_played {
                format!("`--record DIR` records anew what is asked otherwise now; {AGAIN}")
            } else {
                hint
            };
            super::say(&format!("warning: {warning}\n\nhint: {hint}"));
            Ok(exit::INCOMPLETE)
        }
        None => {
            super::say(&format!("job in {dir}; `seatrial report {dir} --format md` shows it in another form"));
            Ok(exit::OK)
        }
    }
}

/// The first signal sets the stop; the second one ends the returned wait.
fn watch_signals(stop: Stop) -> Result<tokio::sync::oneshot::Receiver<()>, Error> {
    let failed = |e: std::io::Error| Error::Host { why: format!("failed to watch for signals: {e}"), hint: None };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if first {
                stop.set(Why::User);
            }
        }
        let _ = sender.send(());
    });
    Ok(receiver)
}
