//! One container from create to remove. The supervisor is its main process whatever the image says, so the agent is
//! never reached by an exec whose failure looks like the agent's.

use super::client::{Engine, call};
use super::{labels, supervisor};
use crate::sandbox::session::{Broken, Input};
use crate::sandbox::{Command, Error, File, Image, Limits, Network, Session, Spec};
use crate::wire::Exit;
use bollard::container::{AttachContainerResults, LogOutput};
use bollard::models::{
    ContainerCreateBody, ContainerState, ContainerStateStatusEnum as Status, HealthConfig, HostConfig,
    HostConfigLogConfig, ResourcesUlimits,
};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions, StartContainerOptions,
    WaitContainerOptionsBuilder,
};
use futures_util::StreamExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
/// Starting is what an engine is slowest at when it has much to do.
const START_LIMIT: Duration = Duration::from_secs(180);
/// How long the supervisor may take over anything but the agent's own time.
const SLACK: Duration = Duration::from_secs(60);

/// What a plain agent that runs as root needs: change owners and modes, drop to another user, end its processes,
/// listen on low ports. Not raw packets, not device files, nothing that reaches the host.
const CAPABILITIES: [&str; 8] =
    ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "NET_BIND_SERVICE"];

/// One running container of ours.
#[derive(Debug)]
pub struct Sandbox {
    engine: Engine,
    id: String,
    name: String,
    image: Image,
    session: Option<Session>,
    /// What the supervisor itself wrote to standard error: nothing, unless it broke.
    diagnosis: Arc<Mutex<String>>,
    state: Option<ContainerState>,
    closed: bool,
}

impl Engine {
    /// Creates, attaches to and starts a container, and waits for its supervisor.
    ///
    /// # Errors
    /// Whatever kept it from starting; the container is removed then.
    pub async fn open(&self, spec: &Spec) -> Result<Sandbox, Error> {
        let volume = supervisor::volume(self, &spec.image.tag).await?;
        let random = uuid::Uuid::new_v4().simple().to_string();
        let name = format!("seatrial-{}-{}", plain(&spec.owner.trial), &random[..8]);
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let create = self.docker().create_container(Some(options), body(spec, &volume));
        let id = call("create container", &name, LIMIT, create).await?.id;
        let mut sandbox = Sandbox {
            engine: self.clone(),
            id,
            name,
            image: spec.image.clone(),
            session: None,
            diagnosis: Arc::default(),
            state: None,
            closed: false,
        };
        match sandbox.start(&spec.network).await {
            Ok(()) => Ok(sandbox),
            Err(error) => {
                // What kept it from starting is the thing to tell; the sweep looks after a failed removal.
                let _ = sandbox.close().await;
                Err(error)
            }
        }
    }
}

impl Sandbox {
    async fn start(&mut self, network: &Network) -> Result<(), Error> {
        let docker = self.engine.docker().clone();
        let options = AttachContainerOptionsBuilder::default().stdin(true).stdout(true).stderr(true).stream(true);
        let attach = docker.attach_container(&self.id, Some(options.build()));
        let AttachContainerResults { output, input } = call("attach to container", &self.name, LIMIT, attach).await?;
        let mut session = Session::new(stdout_of(output, Arc::clone(&self.diagnosis)), input);
        let engine = self.engine.clone();
        let _turn = engine.0.starts.acquire().await;
        let start = docker.start_container(&self.id, None::<StartContainerOptions>);
        call("start container", &self.name, START_LIMIT, start).await?;
        let ready = async {
            session.ready().await?;
            match network {
                Network::Listed(relay) => session.relay(relay).await,
                Network::None | Network::Public => Ok(()),
            }
        };
        match tokio::time::timeout(SLACK, ready).await {
            Ok(Ok(())) => self.session = Some(session),
            Ok(Err(broken)) => return Err(self.explain(broken).await),
            Err(_) => return Err(self.lost("its supervisor did not speak within 60 s")),
        }
        Ok(())
    }

    /// See [`crate::sandbox::Sandbox::mkdir`].
    pub async fn mkdir(&mut self, path: &str, mode: u32) -> Result<(), Error> {
        let done = self.session()?.mkdir(path, mode).await;
        self.or_explain(done).await
    }

    /// See [`crate::sandbox::Sandbox::write`].
    pub async fn write(&mut self, path: &str, mode: u32, bytes: &[u8]) -> Result<(), Error> {
        let done = self.session()?.write(path, mode, bytes).await;
        self.or_explain(done).await
    }

    /// See [`crate::sandbox::Sandbox::run`].
    pub async fn run(&mut self, command: &Command, on_output: &mut (dyn FnMut(&[u8]) + Send)) -> Result<Exit, Error> {
        let image = self.image.clone();
        let session = self.session()?;
        let run = session.run(&image, command, on_output);
        let done = match command.timeout {
            // The supervisor keeps the time. This limit only catches one that can't any more.
            Some(limit) => match tokio::time::timeout(limit + command.grace + SLACK, run).await {
                Ok(done) => done,
                Err(_) => return self.overran(limit).await,
            },
            None => run.await,
        };
        self.or_explain(done).await
    }

    /// Whose doing it is that a command outlived its time and the supervisor's. Where the engine is well and the container
    /// runs, nobody but the agent can keep the supervisor from working.
    async fn overran(&mut self, limit: Duration) -> Result<Exit, Error> {
        let state = self.inspect().await?;
        if state.running != Some(true) || state.paused == Some(true) {
            return Err(self.lost("its supervisor did not end the command in time"));
        }
        self.abandon();
        Ok(Exit { signal: Some(9), timed_out: true, micros: limit.as_micros() as u64, ..Exit::default() })
    }

    /// See [`crate::sandbox::Sandbox::read`].
    pub async fn read(&mut self, path: &str, cap: u64) -> Result<File, Error> {
        let Some(session) = self.session.as_mut() else {
            return super::archive::read(&self.engine, &self.id, &self.name, path, cap).await;
        };
        match tokio::time::timeout(SLACK, session.read(path, cap)).await {
            Ok(done) => self.or_explain(done).await,
            Err(_) => Err(self.lost("its supervisor did not send a file within 60 s")),
        }
    }

    /// See [`crate::sandbox::Sandbox::list`].
    pub async fn list(&mut self, path: &str, cap: u64) -> Result<Option<Vec<String>>, Error> {
        let session = self.session()?;
        match tokio::time::timeout(SLACK, session.list(path, cap)).await {
            Ok(done) => self.or_explain(done).await,
            Err(_) => Err(self.lost("its supervisor did not list a folder within 60 s")),
        }
    }

    /// See [`crate::sandbox::Sandbox::out_of_memory`].
    pub async fn out_of_memory(&mut self) -> Result<bool, Error> {
        self.stop().await?;
        Ok(self.state.as_ref().and_then(|state| state.oom_killed) == Some(true))
    }

    /// See [`crate::sandbox::Sandbox::abandon`].
    pub fn abandon(&mut self) {
        self.session = None;
    }

    /// See [`crate::sandbox::Sandbox::close`].
    pub async fn close(&mut self) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        if let Some(mut session) = self.session.take() {
            session.quit().await;
            self.wait(Duration::from_secs(5)).await;
        }
        self.engine.remove_container(&self.id, &self.name).await?;
        self.closed = true;
        Ok(())
    }

    /// Ends the supervisor and asks the engine how the container ended.
    async fn stop(&mut self) -> Result<(), Error> {
        if let Some(mut session) = self.session.take() {
            session.quit().await;
        }
        if self.state.is_none() {
            self.wait(Duration::from_secs(10)).await;
            self.state = Some(self.inspect().await?);
        }
        Ok(())
    }

    /// Waits until the container does not run, for at most this long. Whoever needs to know asks the engine after it:
    /// an engine's wait has been seen to miss the end of a container that was gone.
    async fn wait(&mut self, at_most: Duration) {
        let options = WaitContainerOptionsBuilder::default().condition("not-running").build();
        let docker = self.engine.docker().clone();
        let id = self.id.clone();
        let mut ended = docker.wait_container(&id, Some(options));
        let deadline = tokio::time::Instant::now() + at_most;
        loop {
            // An error answer is an end too: the client makes one of every exit code but 0.
            if tokio::time::timeout(Duration::from_secs(2), ended.next()).await.is_ok() {
                return;
            }
            let stopped = self.inspect().await.is_ok_and(|state| state.running != Some(true));
            if stopped || tokio::time::Instant::now() > deadline {
                return;
            }
        }
    }

    async fn inspect(&mut self) -> Result<ContainerState, Error> {
        let inspect = self.engine.docker().inspect_container(&self.id, None::<InspectContainerOptions>);
        let answer = call("inspect container", &self.name, LIMIT, inspect).await?;
        Ok(answer.state.unwrap_or_default())
    }

    fn session(&mut self) -> Result<&mut Session, Error> {
        let gone = Error::Lost { name: self.name.clone(), why: "it has ended".to_owned() };
        self.session.as_mut().ok_or(gone)
    }

    fn lost(&self, why: &str) -> Error {
        Error::Lost { name: self.name.clone(), why: why.to_owned() }
    }

    async fn or_explain<T>(&mut self, done: Result<T, Broken>) -> Result<T, Error> {
        match done {
            Ok(value) => Ok(value),
            Err(broken) => Err(self.explain(broken).await),
        }
    }

    /// Whose doing it is that a conversation broke off: the engine is asked, an exit code alone says nothing.
    async fn explain(&mut self, broken: Broken) -> Error {
        let why = match broken {
            Broken::Spoiled(why) => {
                // Nothing said on this stream counts any more. Without it the supervisor ends, and all with it.
                self.session = None;
                self.wait(Duration::from_secs(10)).await;
                return Error::Spoiled(why);
            }
            Broken::Refused(why) => return Error::Refused(why),
            Broken::Ended(why) => why,
        };
        self.session = None;
        self.wait(Duration::from_secs(10)).await;
        let state = match self.inspect().await {
            Ok(state) => state,
            Err(error) => return error,
        };
        let said = self.diagnosis.lock().map(|said| said.trim().to_owned()).unwrap_or_default();
        let error = match (state.oom_killed, state.status) {
            (Some(true), _) => Error::OutOfMemory { name: self.name.clone() },
            (_, Some(Status::RUNNING)) => self.lost(&format!("{why}, though it still runs")),
            _ => {
                let code = state.exit_code.unwrap_or_default();
                let detail = state.error.as_deref().filter(|e| !e.is_empty()).unwrap_or(&said);
                self.lost(format!("{why}; the engine says that it ended with code {code} {detail}").trim_end())
            }
        };
        self.state = Some(state);
        error
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The backstop for a trial that panicked. Without a runtime the next start's sweep does it.
        if !self.closed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (engine, id, name) = (self.engine.clone(), self.id.clone(), self.name.clone());
            runtime.spawn(async move { engine.remove_container(&id, &name).await });
        }
    }
}

/// The supervisor's stream: standard output is the conversation, standard error its last words.
fn stdout_of(
    output: impl futures_util::Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send + 'static,
    diagnosis: Arc<Mutex<String>>,
) -> Input {
    Box::pin(output.map(move |piece| match piece {
        Ok(LogOutput::StdOut { message }) => Ok(message.to_vec()),
        Ok(other) => {
            if let Ok(mut said) = diagnosis.lock()
                && said.len() < 4096
            {
                said.push_str(&other.to_string());
            }
            Ok(Vec::new())
        }
        Err(e) => Err(super::client::words(&e)),
    }))
}

fn body(spec: &Spec, volume: &str) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(spec.image.tag.clone()),
        entrypoint: Some(vec![supervisor::PATH.to_owned()]),
        cmd: Some(Vec::new()),
        // The supervisor is root to read any answer and end any process; it drops to the agent's user itself.
        user: Some("0:0".to_owned()),
        working_dir: Some("/".to_owned()),
        tty: Some(false),
        open_stdin: Some(true),
        // The container's input ends with this runner, and with its input the supervisor.
        stdin_once: Some(true),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        healthcheck: Some(HealthConfig { test: Some(vec!["NONE".to_owned()]), ..HealthConfig::default() }),
        labels: Some(labels::of_trial(&spec.owner)),
        host_config: Some(host(spec.limits, &spec.network, volume)),
        ..ContainerCreateBody::default()
    }
}

fn host(limits: Limits, network: &Network, volume: &str) -> HostConfig {
    let inside = Inside::of(network);
    let memory = i64::try_from(limits.memory_mb << 20).unwrap_or(i64::MAX);
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    HostConfig {
        network_mode: Some(inside.mode.to_owned()),
        dns: inside.dns.map(|address| vec![address.to_owned()]),
        // Of this machine's settings nothing is taken over: no search domains, no number of dots.
        dns_search: inside.dns.map(|_| vec![".".to_owned()]),
        dns_options: inside.dns.map(|_| vec!["ndots:1".to_owned()]),
        sysctls: inside.v6.then(|| V6_ON.map(|(name, value)| (name.to_owned(), value.to_owned())).into()),
        mounts: Some(vec![supervisor::mount(volume)]),
        memory: Some(memory),
        // Equal to memory: no swap, so that a limit is a limit.
        memory_swap: Some(memory),
        nano_cpus: Some((limits.cpus * 1e9) as i64),
        pids_limit: i64::try_from(limits.pids).ok(),
        cap_drop: Some(strings(&["ALL"])),
        cap_add: Some(strings(&[&CAPABILITIES[..], inside.capabilities].concat())),
        security_opt: Some(strings(&["no-new-privileges"])),
        // The engine would put its own program before ours where its configuration says so.
        init: Some(false),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ulimits: Some(vec![ResourcesUlimits { name: Some("core".to_owned()), soft: Some(0), hard: Some(0) }]),
        ..HostConfig::default()
    }
}

/// What a container's network is made of.
struct Inside {
    mode: &'static str,
    dns: Option<&'static str>,
    /// Beside [`CAPABILITIES`].
    capabilities: &'static [&'static str],
    v6: bool,
}

/// Where the supervisor answers DNS queries.
const RESOLVER: &str = "127.77.0.1";
/// For the supervisor, which makes listed addresses local and drops both before anything else runs. Names need neither.
const ROUTES: [&str; 2] = ["NET_ADMIN", "SETPCAP"];
/// Containers without a network have no IPv6, not even on loopback.
const V6_ON: [(&str, &str); 2] = [("net.ipv6.conf.all.disable_ipv6", "0"), ("net.ipv6.conf.lo.disable_ipv6", "0")];

impl Inside {
    fn of(network: &Network) -> Inside {
        let plain = |mode| Inside { mode, dns: None, capabilities: &[], v6: false };
        match network {
            Network::None => plain("none"),
            Network::Public => plain("bridge"),
            Network::Listed(relay) => {
                let ranges = &relay.listed.ranges;
                Inside {
                    mode: "none",
                    dns: Some(RESOLVER),
                    capabilities: if ranges.is_empty() { &[] } else { &ROUTES },
                    v6: ranges.iter().any(|(address, _)| address.is_ipv6()),
                }
            }
        }
    }
}

/// A trial's name as a container's name may hold it.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' }).take(80).collect()
}
