//! The sandbox contract, over whichever engine there is. Two engines: Docker, and a fake one for faults and speed.

use super::docker;
use super::fake;
use super::{Command, Error, File, Image, ImageSource, Spec};
use crate::wire::Exit;

/// Something that opens sandboxes.
#[derive(Debug, Clone)]
pub enum Engine {
    /// A Docker engine.
    Docker(docker::Engine),
    /// A scripted one, in this process.
    Fake(fake::Engine),
}

/// One open sandbox. [`Sandbox::close`] ends it; dropping it is only the backstop.
#[derive(Debug)]
pub enum Sandbox {
    /// A container.
    Docker(Box<docker::Sandbox>),
    /// A script.
    Fake(fake::Sandbox),
}

impl Engine {
    /// `docker` or `fake`; a record of the latter is no measurement.
    pub fn kind(&self) -> &'static str {
        match self {
            Engine::Docker(_) => "docker",
            Engine::Fake(_) => "fake",
        }
    }

    /// Makes sure that the engine has the image; `on_line` gets the lines of a build's or a pull's log.
    ///
    /// # Errors
    /// Where it can neither be found, nor pulled, nor built.
    pub async fn image(&self, source: &ImageSource, on_line: &mut (dyn FnMut(String) + Send)) -> Result<Image, Error> {
        match self {
            Engine::Docker(engine) => engine.image(source, on_line).await,
            Engine::Fake(engine) => engine.image(source),
        }
    }

    /// Opens a sandbox: it is there and waits for orders.
    ///
    /// # Errors
    /// Anything that kept it from starting; nothing of it is left then.
    pub async fn open(&self, spec: &Spec) -> Result<Sandbox, Error> {
        match self {
            Engine::Docker(engine) => engine.open(spec).await.map(|sandbox| Sandbox::Docker(Box::new(sandbox))),
            Engine::Fake(engine) => engine.open(spec).await.map(Sandbox::Fake),
        }
    }

    /// Asks whether the engine answers at all.
    pub async fn answers(&self) -> bool {
        match self {
            Engine::Docker(engine) => engine.answers().await,
            Engine::Fake(_) => true,
        }
    }

    /// Removes what dead jobs have left in the engine, and what `job` has left where one is named; says how many.
    ///
    /// # Errors
    /// Where the engine can't be asked. What can't be removed is tried again by the next sweep.
    pub async fn sweep(&self, job: Option<&str>) -> Result<usize, Error> {
        match self {
            Engine::Docker(engine) => Ok(engine.sweep(job).await?.iter().filter(|swept| swept.is_ok()).count()),
            Engine::Fake(_) => Ok(0),
        }
    }
}

impl Sandbox {
    /// Makes a folder with these permission bits.
    ///
    /// # Errors
    /// Where the sandbox is gone. That the order itself failed is said by the next [`Sandbox::run`].
    pub async fn mkdir(&mut self, path: &str, mode: u32) -> Result<(), Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.mkdir(path, mode).await,
            Sandbox::Fake(_) => Ok(()),
        }
    }

    /// Writes a file with these permission bits.
    ///
    /// # Errors
    /// As [`Sandbox::mkdir`].
    pub async fn write(&mut self, path: &str, mode: u32, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.write(path, mode, bytes).await,
            Sandbox::Fake(sandbox) => sandbox.write(path, bytes),
        }
    }

    /// Runs a command to its end; afterwards no process of it is left. `on_output` gets what it writes.
    ///
    /// # Errors
    /// [`Error::Spoiled`] and [`Error::OutOfMemory`] are the agent's doing, everything else is not.
    pub async fn run(&mut self, command: &Command, on_output: &mut (dyn FnMut(&[u8]) + Send)) -> Result<Exit, Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.run(command, on_output).await,
            Sandbox::Fake(sandbox) => sandbox.run(command, on_output).await,
        }
    }

    /// Reads one regular file of at most `cap` bytes, following no link; works also where the sandbox has ended.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn read(&mut self, path: &str, cap: u64) -> Result<File, Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.read(path, cap).await,
            Sandbox::Fake(sandbox) => sandbox.read(path, cap),
        }
    }

    /// The relative paths of the regular files below a folder, in order, following no link; `None` where the path is no
    /// folder, or the list has more than `cap` bytes. Needs a supervisor that lives.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn list(&mut self, path: &str, cap: u64) -> Result<Option<Vec<String>>, Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.list(path, cap).await,
            Sandbox::Fake(_) => Ok(None),
        }
    }

    /// True where the engine says that a process of this sandbox was killed for the memory cap.
    ///
    /// # Errors
    /// Where the engine can't be asked.
    pub async fn out_of_memory(&mut self) -> Result<bool, Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.out_of_memory().await,
            Sandbox::Fake(sandbox) => Ok(sandbox.out_of_memory()),
        }
    }

    /// Gives up whatever runs: the next [`Sandbox::close`] doesn't wait for it.
    pub fn abandon(&mut self) {
        match self {
            Sandbox::Docker(sandbox) => sandbox.abandon(),
            Sandbox::Fake(_) => {}
        }
    }

    /// Ends the sandbox and removes it. A second call does nothing.
    ///
    /// # Errors
    /// Where the engine could not remove it; the next sweep will.
    pub async fn close(&mut self) -> Result<(), Error> {
        match self {
            Sandbox::Docker(sandbox) => sandbox.close().await,
            Sandbox::Fake(_) => Ok(()),
        }
    }
}
