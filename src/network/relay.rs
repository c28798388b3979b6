//! Carries bytes between an agent's stream and a server, both ways at once. Each way ends by itself, so half-closed
//! connections work; what the agent sends passes the scanner first.

use super::meter::{Meter, Way};
use super::scan::Scanner;
use super::{End, Reason, TrialNetwork};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Bytes read at once. A stream holds about three times as much in memory.
const CHUNK: usize = 32 << 10;
/// How a server's answer begins when it takes up a request's `Upgrade` (RFC 9110 §15.2.2).
const SWITCHING: &[u8] = b"HTTP/1.1 101";

/// What one stream may do.
pub(super) struct Caps {
    /// Time without a byte either way.
    pub(super) idle: Duration,
    /// Time for what the scanner needs whole.
    pub(super) opening: Duration,
    /// Bytes of the whole trial.
    pub(super) bytes: u64,
}

/// Why one way stops before its end.
enum Stop {
    Deny(Reason),
    End(End),
}

const AGENT: Stop = Stop::End(End::Broken("the agent"));
const SERVER: Stop = Stop::End(End::Broken("the server"));

/// Carries bytes until both sides have sent their end, or something stops it.
///
/// # Errors
/// Why what the agent sent isn't allowed.
pub(super) async fn relay<S, T>(
    agent: S,
    server: &mut T,
    scanner: Scanner,
    trial: &TrialNetwork,
    meter: &Meter,
    caps: &Caps,
) -> Result<End, Reason>
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    let carried = {
        let (from_agent, to_agent) = tokio::io::split(agent);
        let (from_server, to_server) = tokio::io::split(server);
        let (answers, answer) = watch::channel(None);
        let way = Carrier { trial, meter, caps };
        tokio::select! {
            both = async { tokio::try_join!(
                way.up(from_agent, to_server, scanner, answer),
                way.down(from_server, to_agent, answers),
            ) } => both.map(|_| End::Closed),
            () = meter.idle(caps.idle) => Ok(End::Idle),
        }
    };
    match carried {
        Ok(end) | Err(Stop::End(end)) => Ok(end),
        Err(Stop::Deny(reason)) => Err(reason),
    }
}

struct Carrier<'a> {
    trial: &'a TrialNetwork,
    meter: &'a Meter,
    caps: &'a Caps,
}

impl Carrier<'_> {
    /// From the agent to the server. `answer` says, once the server has begun to answer, whether it switches protocols.
    async fn up(
        &self,
        mut agent: impl AsyncRead + Unpin,
        mut server: impl AsyncWrite + Unpin,
        mut scanner: Scanner,
        mut answer: watch::Receiver<Option<bool>>,
    ) -> Result<(), Stop> {
        let mut buffer = vec![0; CHUNK];
        let mut clear = Vec::new();
        // Until when what the scanner holds back has to be whole.
        let mut deadline: Option<Instant> = None;
        loop {
            if scanner.waits_for_answer() {
                let switches = answer.wait_for(Option::is_some).await.is_ok_and(|answer| *answer == Some(true));
                scanner.answered(switches, &mut clear).map_err(Stop::Deny)?;
                self.pass(Way::Up, &clear, &mut server).await?;
                clear.clear();
                continue;
            }
            deadline = scanner.holds().then(|| deadline.unwrap_or_else(|| Instant::now() + self.caps.opening));
            let read = agent.read(&mut buffer);
            let read = match deadline {
                Some(until) => timeout_at(until, read).await.map_err(|_| Stop::Deny(scanner.overdue()))?,
                None => read.await,
            };
            let read = read.map_err(|_| AGENT)?;
            if read == 0 {
                scanner.end(&mut clear).map_err(Stop::Deny)?;
                self.pass(Way::Up, &clear, &mut server).await?;
                return server.shutdown().await.map_err(|_| SERVER);
            }
            self.meter.touch();
            scanner.push(&buffer[..read], &mut clear).map_err(Stop::Deny)?;
            if !clear.is_empty() {
                deadline = None;
                self.pass(Way::Up, &clear, &mut server).await?;
                clear.clear();
            }
        }
    }

    /// From the server to the agent; tells `answers` how the server's first answer begins.
    async fn down(
        &self,
        mut server: impl AsyncRead + Unpin,
        mut agent: impl AsyncWrite + Unpin,
        answers: watch::Sender<Option<bool>>,
    ) -> Result<(), Stop> {
        let mut buffer = vec![0; CHUNK];
        // What is still to come of an answer that switches.
        let mut switching = Some(SWITCHING);
        loop {
            let read = server.read(&mut buffer).await.map_err(|_| SERVER)?;
            if read == 0 {
                if switching.is_some() {
                    answers.send_replace(Some(false));
                }
                return agent.shutdown().await.map_err(|_| AGENT);
            }
            if let Some(wanted) = switching {
                let (now, later) = wanted.split_at(read.min(wanted.len()));
                switching = Some(later).filter(|later| buffer.starts_with(now) && !later.is_empty());
                if switching.is_none() {
                    answers.send_replace(Some(buffer.starts_with(now)));
                }
            }
            self.pass(Way::Down, &buffer[..read], &mut agent).await?;
        }
    }

    async fn pass(&self, way: Way, bytes: &[u8], to: &mut (impl AsyncWrite + Unpin)) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        if !self.trial.spend(bytes.len() as u64, self.caps.bytes) {
            return Err(Stop::End(End::Bytes));
        }
        let broken = match way {
            Way::Up => SERVER,
            Way::Down => AGENT,
        };
        let written = async {
            to.write_all(bytes).await?;
            to.flush().await
        };
        written.await.map_err(|_: std::io::Error| broken)?;
        self.meter.count(way, bytes.len() as u64);
        Ok(())
    }
}
