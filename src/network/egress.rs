//! The egress server: for each stream that an agent opened it checks the policy, resolves the name, checks the
//! addresses, dials one of those and carries bytes. It must not dial anything that it has not checked, and nothing
//! that an agent sends may end more than its own trial's streams.

use super::address::is_this_machine;
use super::host::Host;
use super::meter::Meter;
use super::relay::{Caps, relay};
use super::scan::Scanner;
use super::trial::Phase;
use super::{Decision, End, Error, Reason, Resolve, Settings, SystemResolver, Target, TrialNetwork};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// The server; one for all trials of a job.
pub struct Egress {
    settings: Settings,
    hosts: BTreeMap<Host, SocketAddr>,
    resolver: Arc<dyn Resolve>,
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Egress").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl Egress {
    /// A server with these settings. It opens no socket until there is a stream.
    ///
    /// # Errors
    /// A key of `settings.hosts` is no host.
    pub fn new(settings: Settings) -> Result<Egress, Error> {
        let mut hosts = BTreeMap::new();
        for (name, address) in &settings.hosts {
            let host = Host::parse(name).map_err(|why| Error::Mapped { name: name.clone(), why: why.to_owned() })?;
            hosts.insert(host, *address);
        }
        let resolver = settings.resolver.clone().unwrap_or_else(|| Arc::new(SystemResolver::new()));
        Ok(Egress { settings, hosts, resolver })
    }

    /// Carries one stream from its beginning to its end, as far as the trial's policy permits, and leaves one attempt
    /// with the trial's sink, also if this future is dropped. The stream is shut down when the other side has sent
    /// its end; a stream that is refused or broken off is dropped without that, which its owner should pass on as a
    /// reset.
    pub async fn serve<S>(&self, stream: S, target: Target, trial: &TrialNetwork)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let Some(mut open) = trial.begin(&target) else { return };
        if !open.attempt.decision.allowed {
            return;
        }
        let now = open.phases.clone();
        let ended = tokio::select! {
            biased;
            end = self.withdrawn(&mut open.phases, &target, &open.meter) => Ok(end),
            ended = self.carry(stream, &target, trial, &now, &open.meter) => ended,
        };
        match ended {
            Ok(end) => open.attempt.end = end,
            Err(reason) => {
                open.attempt.decision = Decision::of(reason);
                open.attempt.end = End::Denied;
            }
        }
    }

    /// Returns when the trial is over or its policy no longer permits this stream.
    async fn withdrawn(&self, phases: &mut watch::Receiver<Phase>, target: &Target, meter: &Meter) -> End {
        let mapped = self.mapped(target).is_some();
        // `changed` fails only when the trial's network is gone, and this borrows it.
        while phases.changed().await.is_ok() {
            let phase = phases.borrow_and_update();
            if phase.over {
                break;
            }
            let open = |address: SocketAddr| mapped || phase.policy.opens(address.ip()).is_ok();
            if !phase.policy.permits(target).allowed || !meter.address().is_none_or(open) {
                return End::Switched;
            }
        }
        End::TrialOver
    }

    async fn carry<S>(
        &self,
        stream: S,
        target: &Target,
        trial: &TrialNetwork,
        now: &watch::Receiver<Phase>,
        meter: &Meter,
    ) -> Result<End, Reason>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        if trial.open() > self.settings.streams {
            return Err(Reason::Streams);
        }
        if trial.moved() >= self.settings.bytes {
            return Err(Reason::Bytes);
        }
        let host = Host::parse(&target.host).map_err(Reason::NotAHost)?;
        trial.turn(self.settings.burst, self.settings.pace).await;
        let dialled = timeout(self.settings.connect, self.dial(&host, target.port, now, meter)).await;
        let server = match dialled {
            Ok(Ok(server)) => server,
            Ok(Err(Failed::Denied(reason))) => return Err(reason),
            Ok(Err(Failed::Ended(end))) => return Ok(end),
            Err(_) => {
                let why = format!("no answer for {} s", self.settings.connect.as_secs_f64());
                return Ok(if meter.address().is_some() { End::Unreachable(why) } else { End::Unresolved(why) });
            }
        };
        meter.touch();
        let caps = Caps { idle: self.settings.idle, opening: self.settings.opening, bytes: self.settings.bytes };
        relay(stream, server, Scanner::new(host), trial, meter, &caps).await
    }

    /// A connection to the first address of the host that may be dialled and answers.
    async fn dial(
        &self,
        host: &Host,
        port: u16,
        now: &watch::Receiver<Phase>,
        meter: &Meter,
    ) -> Result<TcpStream, Failed> {
        if let Some(address) = self.hosts.get(host) {
            return connect(*address, meter).await.map_err(|e| Failed::Ended(End::Unreachable(e.to_string())));
        }
        let addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let found = self.resolver.resolve(name).await;
                found.map_err(|why| Failed::Ended(End::Unresolved(why)))?
            }
        };
        // One dead address must not take all the time from the next.
        let each = self.settings.connect / addresses.len().clamp(1, 3) as u32;
        let mut failed = Failed::Ended(End::Unresolved("no address".to_owned()));
        for ip in addresses.into_iter().map(|ip| ip.to_canonical()) {
            // The policy of this moment: a later one sees the address in the meter.
            let opens = now.borrow().policy.opens(ip);
            // To a server on this machine every connection looks like one from within: a task can't mean that.
            let opens = opens.and_then(|()| if is_this_machine(ip) { Err("this machine's own") } else { Ok(()) });
            if let Err(kind) = opens {
                failed = failed.or_special(ip, kind);
                continue;
            }
            match timeout(each, connect(SocketAddr::new(ip, port), meter)).await {
                Ok(Ok(server)) => return Ok(server),
                Ok(Err(e)) => failed = Failed::Ended(End::Unreachable(e.to_string())),
                Err(_) => failed = Failed::Ended(End::Unreachable("no answer".to_owned())),
            }
        }
        Err(failed)
    }

    fn mapped(&self, target: &Target) -> Option<SocketAddr> {
        Host::parse(&target.host).ok().and_then(|host| self.hosts.get(&host).copied())
    }
}

/// Why there is no connection.
enum Failed {
    Denied(Reason),
    Ended(End),
}

impl Failed {
    /// The first special address is the reason, unless another address was dialled.
    fn or_special(self, address: IpAddr, kind: &'static str) -> Failed {
        match self {
            Failed::Ended(End::Unresolved(_)) => Failed::Denied(Reason::SpecialAddress { address, kind }),
            first => first,
        }
    }
}

async fn connect(address: SocketAddr, meter: &Meter) -> std::io::Result<TcpStream> {
    meter.dials(address);
    let server = TcpStream::connect(address).await?;
    server.set_nodelay(true)?;
    Ok(server)
}
