//! What can go wrong with an engine or a sandbox, one variant per verb, told apart by whose doing it is.

/// What can go wrong in this room.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// No engine answers.
    #[error("failed to reach the Docker engine at `{endpoint}`: {why}")]
    Reach {
        /// Where it was looked for.
        endpoint: String,
        /// The client's words.
        why: String,
    },
    /// The engine's socket is there, and not for us.
    #[error("failed to reach the Docker engine at `{endpoint}`: permission denied")]
    Denied {
        /// Where it is.
        endpoint: String,
    },
    /// The engine's address is none.
    #[error("`{endpoint}` is not the address of a Docker engine")]
    Address {
        /// What was given.
        endpoint: String,
    },
    /// The engine can't run what we need.
    #[error("the Docker engine at `{endpoint}` can't be used: {why}")]
    Unfit {
        /// Where it is.
        endpoint: String,
        /// What is missing.
        why: String,
    },
    /// The engine failed to do something, or took too long.
    #[error("failed to {verb} `{what}`: {why}")]
    Engine {
        /// What it was asked to do, such as `start container`.
        verb: &'static str,
        /// With which container, image or volume.
        what: String,
        /// The engine's words.
        why: String,
    },
    /// An image is neither in the engine nor to be had.
    #[error("image `{image}` is not in the engine and could not be pulled: {why}")]
    Pull {
        /// The image.
        image: String,
        /// The engine's words.
        why: String,
    },
    /// A build context can't be read or holds what can't be sent.
    #[error("failed to pack the build context: `{path}`: {why}")]
    Context {
        /// The file or folder.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A build failed.
    #[error("{why}, while building an image from `{dockerfile}`{}", tail(.log))]
    Build {
        /// The Dockerfile's path.
        dockerfile: String,
        /// The engine's words.
        why: String,
        /// The last lines of the build's log.
        log: Vec<String>,
    },
    /// A sandbox can't do what it was asked to before the agent had any say, such as a user that isn't in the image.
    #[error("failed to {0}")]
    Refused(String),
    /// The sandbox is gone, and the agent can't have done it.
    #[error("lost sandbox `{name}`: {why}")]
    Lost {
        /// The sandbox.
        name: String,
        /// What the engine says of it.
        why: String,
    },
    /// The sandbox's main process was killed for the memory cap.
    #[error("sandbox `{name}` was ended for its memory cap")]
    OutOfMemory {
        /// The sandbox.
        name: String,
    },
    /// The stream from the sandbox broke the rules, which only the agent can have brought about.
    #[error("the sandbox's stream was spoiled: {0}")]
    Spoiled(String),
    /// The local base image can't be built.
    #[error("failed to build the local base image: {0}")]
    Base(String),
    /// A fake engine's script can't be read.
    #[error("failed to read the fake engine's script `{path}`: {why}")]
    Script {
        /// The script.
        path: String,
        /// What is wrong.
        why: String,
    },
}

fn tail(log: &[String]) -> String {
    log.iter().map(|line| format!("\n  | {line}")).collect()
}

impl Error {
    /// What the user can do about it, where one thing is likely to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Reach { .. } => Some(
                "start Docker (`script/demo` installs it on Debian and Ubuntu), or name another engine with \
                 `DOCKER_HOST=unix:///path/to/docker.sock`"
                    .to_owned(),
            ),
            Error::Denied { .. } => Some(
                "add yourself to the group that owns the socket (`sudo usermod -aG docker $USER`, then log in again), \
                 or run it as root"
                    .to_owned(),
            ),
            Error::Address { .. } => Some(
                "`DOCKER_HOST` is `unix:///path/to/docker.sock` or `tcp://HOST:PORT`; unset, the local engine is used"
                    .to_owned(),
            ),
            Error::Pull { .. } => Some(
                "where there is no registry, `seatrial base` builds a local base image from Debian packages, and runs \
                 use it for tasks whose Dockerfile has `ARG BASE_IMAGE`"
                    .to_owned(),
            ),
            Error::Base(_) => Some("on Debian or Ubuntu: `apt-get install mmdebstrap`, then again as root".to_owned()),
            _ => None,
        }
    }
}
