//! The nouns of the sandbox contract: what to start, within which limits, and what comes back.

use crate::wire::Found;
use std::path::PathBuf;
use std::time::Duration;

/// Where a sandbox's image comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// An image by name: used from the engine, else pulled.
    Named(String),
    /// Built from a folder with a `Dockerfile`.
    Built {
        /// The build context's folder.
        context: PathBuf,
        /// How long a build may take.
        timeout: Duration,
        /// Base image to use instead of the one that a Dockerfile's `ARG BASE_IMAGE` names.
        base: Option<String>,
        /// Build anew even where the engine has the image.
        force: bool,
    },
}

/// An image that the engine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its name or tag.
    pub tag: String,
    /// The engine's id of its content.
    pub id: String,
    /// Its environment, `NAME=value`.
    pub env: Vec<(String, String)>,
    /// The folder that commands start in.
    pub workdir: String,
    /// The user that commands run as; empty for root.
    pub user: String,
    /// False where the engine had it before it was asked for.
    pub built: bool,
    /// The image it was built on, by name and id, where it was built here.
    pub base: Option<(String, String)>,
    /// What the user should be told of how it was made, such as a base image put in place of another.
    pub notes: Vec<String>,
}

/// What a sandbox can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Nothing: no interface but loopback.
    None,
    /// Whatever the engine's default network reaches.
    Public,
}

/// What a sandbox may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Memory in MiB, swap included.
    pub memory_mb: u64,
    /// Processors' worth of time.
    pub cpus: f64,
    /// Processes and threads.
    pub pids: u64,
}

impl Default for Limits {
    /// What a plain agent over a text corpus needs, with room: 2 GiB, 1 processor, 256 processes.
    fn default() -> Limits {
        Limits { memory_mb: 2048, cpus: 1.0, pids: 256 }
    }
}

/// Who a sandbox belongs to; kept with it in the engine, so that what a dead job left can be found and removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The job's name.
    pub job: String,
    /// The trial's name.
    pub trial: String,
}

/// A sandbox to open.
#[derive(Debug, Clone)]
pub struct Spec {
    /// What it runs.
    pub image: Image,
    /// What it can reach.
    pub network: Network,
    /// What it may use.
    pub limits: Limits,
    /// Whose it is.
    pub owner: Owner,
}

/// A command to run in a sandbox.
#[derive(Debug, Clone)]
pub struct Command {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Added to the image's environment, and winning over it.
    pub env: Vec<(String, String)>,
    /// Folder to run in; the image's own where `None`.
    pub cwd: Option<String>,
    /// User to run as; the image's own where `None`.
    pub user: Option<String>,
    /// How long it may take; no limit where `None`.
    pub timeout: Option<Duration>,
    /// How long after TERM until KILL when its time is over.
    pub grace: Duration,
    /// How many bytes of output are passed on.
    pub output_cap: u64,
}

/// What is at a path in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum File {
    /// One regular file within the cap, with its bytes.
    Regular(Vec<u8>),
    /// Anything else, or nothing.
    Other(Found),
}
