//! The door to one Docker engine: connecting, what it is, and how its errors become ours.

use super::supervisor;
use crate::sandbox::Error;
use bollard::Docker;
use std::collections::HashMap;
use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OnceCell, Semaphore};

/// One engine. Cheap to clone; all clones share its limits and what is known of it.
#[derive(Debug, Clone)]
pub struct Engine(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub docker: Docker,
    pub facts: Facts,
    /// How many containers may be starting at once: more only make each other slower.
    pub starts: Semaphore,
    /// The volume with the supervisor in it, once it is known to be filled.
    pub supervisor: OnceCell<String>,
    /// One turn for each image tag, so that an image is built once at a time, and not again and again.
    pub builds: Mutex<HashMap<String, Arc<Mutex<super::image::Turn>>>>,
    /// What each base image of a Dockerfile came down to.
    pub bases: Mutex<HashMap<String, super::image::BaseImage>>,
}

/// What is known of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Where it is.
    pub endpoint: String,
    /// Its version.
    pub version: String,
    /// The API version that is spoken with it.
    pub api_version: String,
    /// Its operating system, such as `linux`.
    pub os: String,
    /// Its architecture in Docker's words, such as `amd64`.
    pub arch: String,
    /// Its kernel.
    pub kernel: String,
}

/// Longer than any single call may take by itself: the limits of ours are set call by call.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

impl Engine {
    /// Connects to the engine at `host` (as `DOCKER_HOST` names it), else to the local one, and checks that it can run
    /// sandboxes.
    ///
    /// # Errors
    /// [`Error::Reach`] where none answers, [`Error::Denied`] where we may not ask, [`Error::Address`] where `host` is no
    /// address, [`Error::Unfit`] where it isn't a Linux engine of our architecture.
    pub async fn connect(host: Option<String>) -> Result<Engine, Error> {
        let endpoint = host.filter(|host| !host.is_empty());
        let endpoint = endpoint.unwrap_or_else(|| "unix:///var/run/docker.sock".to_owned());
        let reach = |e: bollard::errors::Error| out_of_reach(&endpoint, &e);
        let docker = Docker::connect_with_host(&endpoint).map_err(reach)?.with_timeout(CLIENT_TIMEOUT);
        let answer = tokio::time::timeout(Duration::from_secs(20), async {
            let docker = docker.negotiate_version().await?;
            let version = docker.version().await?;
            Ok((docker, version))
        });
        let (docker, version) = match answer.await {
            Ok(answer) => answer.map_err(reach)?,
            Err(_) => return Err(Error::Reach { endpoint, why: "no answer within 20 s".to_owned() }),
        };
        let facts = Facts {
            version: version.version.unwrap_or_default(),
            api_version: docker.client_version().to_string(),
            os: version.os.unwrap_or_default(),
            arch: version.arch.unwrap_or_default(),
            kernel: version.kernel_version.unwrap_or_default(),
            endpoint: endpoint.clone(),
        };
        supervisor::check(&facts.os, &facts.arch).map_err(|why| Error::Unfit { endpoint, why })?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Engine(Arc::new(Inner {
            docker,
            facts,
            starts: Semaphore::new(cores * 2),
            supervisor: OnceCell::new(),
            builds: Mutex::default(),
            bases: Mutex::default(),
        })))
    }

    /// What is known of the engine.
    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// Asks whether the engine answers at all.
    pub async fn answers(&self) -> bool {
        tokio::time::timeout(Duration::from_secs(5), self.docker().ping()).await.is_ok_and(|answer| answer.is_ok())
    }

    pub(super) fn docker(&self) -> &Docker {
        &self.0.docker
    }
}

/// Runs one call with a limit of its own; its error says what was asked of what.
pub(super) async fn call<T>(
    verb: &'static str,
    what: &str,
    limit: Duration,
    call: impl Future<Output = Result<T, bollard::errors::Error>>,
) -> Result<T, Error> {
    let failed = |why| Error::Engine { verb, what: what.to_owned(), why };
    match tokio::time::timeout(limit, call).await {
        Ok(answer) => answer.map_err(|e| failed(words(&e))),
        Err(_) => Err(failed(format!("no answer within {} s", limit.as_secs()))),
    }
}

/// The engine's own words, without the client's frame around them.
pub(super) fn words(error: &bollard::errors::Error) -> String {
    match error {
        // A HEAD request's answer has no text.
        bollard::errors::Error::DockerResponseServerError { message, status_code } if message.is_empty() => {
            format!("it answered with status {status_code}")
        }
        bollard::errors::Error::DockerResponseServerError { message, .. } => message.clone(),
        bollard::errors::Error::DockerStreamError { error } => error.clone(),
        other => {
            let mut text = other.to_string();
            for cause in causes(other).map(ToString::to_string) {
                if !text.contains(&cause) {
                    text = format!("{text}: {cause}");
                }
            }
            text
        }
    }
}

/// Why no engine answers, without the names of libraries.
fn out_of_reach(endpoint: &str, error: &bollard::errors::Error) -> Error {
    let endpoint = endpoint.to_owned();
    let system = causes(error).find_map(|cause| cause.downcast_ref::<std::io::Error>());
    match (error, system.map(std::io::Error::kind)) {
        (bollard::errors::Error::UnsupportedURISchemeError { .. }, _) => Error::Address { endpoint },
        (_, Some(ErrorKind::PermissionDenied)) => Error::Denied { endpoint },
        (bollard::errors::Error::SocketNotFoundError(_), _) | (_, Some(ErrorKind::NotFound)) => {
            Error::Reach { endpoint, why: "there is no such socket".to_owned() }
        }
        (_, Some(ErrorKind::ConnectionRefused)) => Error::Reach { endpoint, why: "nothing listens there".to_owned() },
        _ => Error::Reach { endpoint, why: system.map_or_else(|| words(error), ToString::to_string) },
    }
}

/// What an error came from, and what that came from.
fn causes<'e>(error: &'e bollard::errors::Error) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
}

/// True where the engine says that there is no such thing.
pub(super) fn is_missing(error: &bollard::errors::Error) -> bool {
    matches!(error, bollard::errors::Error::DockerResponseServerError { status_code: 404, .. })
}
