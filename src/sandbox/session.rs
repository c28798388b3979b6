//! Speaks with a supervisor over any byte stream: orders out, reports in. It knows the order of frames and nothing of
//! engines. `Mkdir` and `Write` don't wait for their answers; those are taken before the next `run` or `read`.
//!
//! Streams beside the conversation move while it waits for a report, which is whenever the agent runs.

use super::mux::Mux;
use super::{Command, File, Image, Relay};
use crate::wire::{CHUNK, Decoder, Exit, Found, Frame, HEADER, MAX_PAYLOAD, Malformed, Order, Report, Run};
use futures_util::{Stream, StreamExt};
use std::pin::Pin;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The stream's reading side: pieces of bytes, or the transport's words for what went wrong.
pub type Input = Pin<Box<dyn Stream<Item = Result<Vec<u8>, String>> + Send>>;
/// The stream's writing side.
pub type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Why a session can't go on.
#[derive(Debug)]
pub enum Broken {
    /// The stream ended or failed; the engine knows why.
    Ended(String),
    /// What came breaks the rules of the stream.
    Spoiled(String),
    /// The supervisor could not do what it was asked to.
    Refused(String),
}

/// A conversation with one supervisor.
pub struct Session {
    input: Input,
    output: Output,
    decoder: Decoder,
    /// `Done`s that are still to come for orders already sent.
    owed: usize,
    /// The streams, where there is a relay.
    mux: Option<Mux>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("owed", &self.owed).finish_non_exhaustive()
    }
}

impl Session {
    /// Begins a conversation; [`Session::ready`] comes first.
    pub fn new(input: Input, output: Output) -> Session {
        Session { input, output, decoder: Decoder::default(), owed: 0, mux: None }
    }

    /// Waits until the supervisor reads orders.
    ///
    /// # Errors
    /// [`Broken`] where the stream ends or says anything else.
    pub async fn ready(&mut self) -> Result<(), Broken> {
        match self.report().await? {
            Report::Ready => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Lets the agent reach what is listed, and what the trial's policy lets out of that. At most once, before any
    /// command.
    ///
    /// # Errors
    /// [`Broken`] as the others; the sandbox can't be used then.
    pub async fn relay(&mut self, relay: &Relay) -> Result<(), Broken> {
        /// So that the order is one frame, and each name has its own sockets.
        const MOST: usize = 3000;
        let listed = &relay.listed;
        if listed.names.len() + listed.suffixes.len() + listed.ranges.len() > MOST {
            return Err(Broken::Refused(format!("let out more than {MOST} hosts")));
        }
        self.settle().await?;
        self.order(&Order::Network(listed.clone())).await?;
        match self.report().await? {
            Report::Done => self.mux = Some(Mux::new(relay.clone())),
            other => return Err(unexpected(&other)),
        }
        Ok(())
    }

    /// Makes a folder with these permission bits.
    ///
    /// # Errors
    /// [`Broken`] where the stream can't be written.
    pub async fn mkdir(&mut self, path: &str, mode: u32) -> Result<(), Broken> {
        self.owed += 1;
        self.order(&Order::Mkdir { path: path.to_owned(), mode }).await
    }

    /// Writes a file with these permission bits.
    ///
    /// # Errors
    /// [`Broken`] where the stream can't be written.
    pub async fn write(&mut self, path: &str, mode: u32, bytes: &[u8]) -> Result<(), Broken> {
        let mut pieces = bytes.chunks(CHUNK);
        let mut piece = pieces.next().unwrap_or(&[]);
        let mut append = false;
        loop {
            self.owed += 1;
            self.order(&Order::Write { path: path.to_owned(), mode, append, bytes: piece.to_vec() }).await?;
            append = true;
            let Some(next) = pieces.next() else { return Ok(()) };
            piece = next;
        }
    }

    /// Runs a command to its end; `on_output` gets what it writes as it comes.
    ///
    /// # Errors
    /// [`Broken`] as the others, also for an order before it that failed.
    pub async fn run(
        &mut self,
        image: &Image,
        command: &Command,
        on_output: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Exit, Broken> {
        self.settle().await?;
        self.order(&Order::Run(with_defaults(image, command))).await?;
        loop {
            match self.report().await? {
                Report::Output { bytes, .. } => on_output(&bytes),
                Report::Exited(exit) => return Ok(exit),
                other => return Err(unexpected(&other)),
            }
        }
    }

    /// Reads one regular file of at most `cap` bytes, following no link.
    ///
    /// # Errors
    /// [`Broken`] as the others; more bytes than announced are spoiled.
    pub async fn read(&mut self, path: &str, cap: u64) -> Result<File, Broken> {
        self.fetch(&Order::Read { path: path.to_owned(), cap }, cap).await
    }

    /// The relative paths of the regular files below a folder, in order, following no link; `None` where the path is no
    /// folder, or the list has more than `cap` bytes.
    ///
    /// # Errors
    /// [`Broken`] as the others; a path that leads out of the folder is spoiled.
    pub async fn list(&mut self, path: &str, cap: u64) -> Result<Option<Vec<String>>, Broken> {
        let File::Regular(bytes) = self.fetch(&Order::List { path: path.to_owned(), cap }, cap).await? else {
            return Ok(None);
        };
        let spoiled = || Broken::Spoiled("a list of files holds what is no path below the folder".to_owned());
        let text = String::from_utf8(bytes).map_err(|_| spoiled())?;
        let paths: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
        let below = |path: &String| path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if paths.iter().all(below) { Ok(Some(paths)) } else { Err(spoiled()) }
    }

    /// What a `Read` or a `List` sends, of at most `cap` bytes.
    async fn fetch(&mut self, order: &Order, cap: u64) -> Result<File, Broken> {
        self.settle().await?;
        self.order(order).await?;
        let (found, size) = match self.report().await? {
            Report::File { found, size } => (found, size),
            other => return Err(unexpected(&other)),
        };
        if found == Found::Regular && size > cap {
            return Err(Broken::Spoiled("a file larger than asked for was announced".to_owned()));
        }
        let mut bytes = Vec::new();
        loop {
            match self.report().await? {
                Report::Bytes(piece) if found == Found::Regular => bytes.extend_from_slice(&piece),
                Report::Done => break,
                other => return Err(unexpected(&other)),
            }
            if bytes.len() as u64 > size {
                return Err(Broken::Spoiled("a file is longer than announced".to_owned()));
            }
        }
        match found {
            Found::Regular if bytes.len() as u64 == size => Ok(File::Regular(bytes)),
            Found::Regular => Err(Broken::Spoiled("a file is shorter than announced".to_owned())),
            other => Ok(File::Other(other)),
        }
    }

    /// Asks the supervisor to end. Nothing comes back but the stream's end.
    pub async fn quit(&mut self) {
        // A stream that is gone already is what was asked for.
        let _ = self.order(&Order::Quit).await;
    }

    async fn order(&mut self, order: &Order) -> Result<(), Broken> {
        let mut frame = Vec::new();
        order.encode(&mut frame);
        if frame.len() > HEADER + MAX_PAYLOAD {
            return Err(Broken::Refused("pass on a command or an environment of more than 1 MiB".to_owned()));
        }
        self.send(&frame).await
    }

    async fn send(&mut self, frames: &[u8]) -> Result<(), Broken> {
        let written = async {
            self.output.write_all(frames).await?;
            self.output.flush().await
        };
        written.await.map_err(|e| Broken::Ended(e.to_string()))
    }

    async fn settle(&mut self) -> Result<(), Broken> {
        while self.owed > 0 {
            match self.report().await? {
                Report::Done => self.owed -= 1,
                other => return Err(unexpected(&other)),
            }
        }
        Ok(())
    }

    /// The next report. Whatever comes of streams before it is handed on.
    async fn report(&mut self) -> Result<Report, Broken> {
        loop {
            while let Some(Frame { kind, stream, payload }) = self.decoder.frame().map_err(spoiled)? {
                match (stream, &mut self.mux) {
                    (0, mux) => match (Report::decode(kind, payload).map_err(spoiled)?, mux) {
                        (Report::Failed(why), _) => return Err(Broken::Refused(why)),
                        (Report::Unlisted(name), Some(mux)) => mux.unlisted(&name).map_err(spoiled)?,
                        (report, _) => return Ok(report),
                    },
                    (id, Some(mux)) => mux.take(id, kind, payload).map_err(spoiled)?,
                    (_, None) => return Err(Broken::Spoiled("a frame for a stream that isn't open".to_owned())),
                }
            }
            let frames = match &mut self.mux {
                None => Err(self.input.next().await),
                // What comes up is first: it may end what is still to go down.
                Some(mux) => tokio::select! {
                    biased;
                    piece = self.input.next() => Err(piece),
                    frames = mux.outgoing() => Ok(frames),
                },
            };
            match frames {
                Ok(frames) => self.send(&frames).await?,
                Err(Some(Ok(bytes))) => self.decoder.feed(&bytes),
                Err(Some(Err(why))) => return Err(Broken::Ended(why)),
                Err(None) => return Err(Broken::Ended("its stream ended".to_owned())),
            }
        }
    }
}

fn spoiled(error: Malformed) -> Broken {
    Broken::Spoiled(error.to_string())
}

fn unexpected(report: &Report) -> Broken {
    let what = match report {
        Report::Ready => "a second greeting",
        Report::Output { .. } => "output of no command",
        Report::Exited(_) => "an exit of no command",
        Report::File { .. } | Report::Bytes(_) => "a file that nobody asked for",
        Report::Done => "an answer to no order",
        Report::Failed(_) => "a failure of no order",
        Report::Unlisted(_) => "a name that was asked of no relay",
    };
    Broken::Spoiled(what.to_owned())
}

/// What Docker gives where an image names no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn with_defaults(image: &Image, command: &Command) -> Run {
    let mut env = vec![("PATH".to_owned(), DEFAULT_PATH.to_owned())];
    env.extend(image.env.iter().cloned());
    env.extend(command.env.iter().cloned());
    let millis = |d: std::time::Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX).max(1);
    Run {
        argv: command.argv.clone(),
        env,
        cwd: command.cwd.clone().unwrap_or_else(|| image.workdir.clone()),
        user: command.user.clone().unwrap_or_else(|| image.user.clone()),
        timeout_ms: command.timeout.map_or(0, millis),
        grace_ms: millis(command.grace),
        output_cap: command.output_cap,
    }
}
