//! Tries all attacks: three trials in sandboxes of their own (one attacks, one is its neighbour, one has no network), then
//! what the servers, the name server and the evidence have seen of it.

use super::expect::{ATTACKS, FLOOD};
use super::names::{Liar, REBIND};
use super::servers::{self, Servers};
use super::{Error, Finding};
use crate::network::{Attempt, Egress, Policy, Settings, TrialNetwork};
use crate::sandbox::{Command, Engine, Image, Limits, Network, Owner, Relay, Spec};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const PROBES: &str = include_str!("probes.py");
const SCRIPT: &str = "/tmp/probes.py";
/// Longer than all attacks together take.
const LIMIT: Duration = Duration::from_secs(300);

/// Tries all attacks in sandboxes of this image, which has to hold `python3`. `on_finding` gets each finding of a trial as
/// soon as all of that trial are there.
///
/// # Errors
/// The servers don't start, or a sandbox fails. What an attack comes to is a finding.
pub async fn run(engine: &Engine, image: &Image, job: &str) -> Result<Vec<Finding>, Error> {
    let servers = Servers::start().await?;
    let hosts = servers::own_addresses();
    let liar = Arc::new(Liar::new(&hosts));
    let mut reachable = Vec::new();
    for host in &hosts {
        if servers::canary_answers(SocketAddr::new(*host, servers.canary.port())).await {
            reachable.push(*host);
        }
    }
    let bed = Bed { engine, image, job, servers: &servers, hosts: &reachable, liar: Arc::clone(&liar) };
    let listed = ["good.test", "*.wild.test", &format!("*.{REBIND}"), "198.51.100.7", "2001:db8::7"];
    let attacked = async {
        let attacked = bed.trial("attack", &listed).await;
        // Also where it failed: the neighbour must not wait for ever.
        servers.attacks_are_over();
        attacked
    };
    let before = servers.reached();
    let (attacked, neighbour, shut) =
        tokio::join!(attacked, bed.trial("neighbour", &["good.test"]), bed.trial("shut", &[]));
    let (mut said, attempts) = attacked?;
    let reached = servers.reached() - before;
    said.extend(neighbour?.0);
    said.extend(shut?.0);
    let mut findings: Vec<Finding> =
        ATTACKS.iter().chain(&FLOOD).map(|(name, expected)| judge(name, expected, &said)).collect();
    findings.push(canary(&servers, reached).await);
    findings.push(lookups(&liar));
    findings.push(evidence(&attempts));
    Ok(findings)
}

/// What each probe said, by its name: what it saw, or why that proves nothing.
type Said = BTreeMap<String, Result<String, String>>;

fn judge(name: &'static str, expected: &[&str], said: &Said) -> Finding {
    match said.get(name) {
        Some(Ok(seen)) => Finding::of(name, expected, seen),
        Some(Err(why)) => Finding::unproven(name, expected, why),
        None => Finding::unproven(
            name,
            expected,
            said.get("").map_or("it did not run", |why| match why {
                Ok(why) | Err(why) => why,
            }),
        ),
    }
}

/// Nobody came to the canary, though whoever finds it is counted.
async fn canary(servers: &Servers, reached: usize) -> Finding {
    const NAME: &str = "connections and datagrams at the canary";
    let before = servers.reached();
    let counts = servers::canary_answers(servers.canary).await && servers.reached() > before;
    match counts {
        true => Finding::of(NAME, &["0"], &reached.to_string()),
        false => Finding::unproven(NAME, &["0"], "a connection from the runner isn't counted"),
    }
}

/// Outside nobody was asked for a name but those that are listed and were connected to.
fn lookups(liar: &Liar) -> Finding {
    const NAME: &str = "names that left the sandbox";
    match liar.asked_in_vain() {
        names if names.is_empty() => Finding::of(NAME, &["none"], "none"),
        names => Finding::of(NAME, &["none"], &names.join(" ")),
    }
}

/// What was denied is in the trial's evidence.
fn evidence(attempts: &[Attempt]) -> Finding {
    const NAME: &str = "the evidence of what was denied";
    let denied = |part: &str| {
        attempts.iter().any(|a| !a.decision.allowed && (a.host == part || a.decision.reason.code() == part))
    };
    let wanted = ["canary.test", "evil.test", "other_host", "tunnel", "plain_http2", "unreadable", "special_address"];
    let missing: Vec<&str> = wanted.into_iter().filter(|part| !denied(part)).collect();
    let wrong = attempts.iter().find(|a| a.decision.allowed && a.host.contains("canary"));
    match (missing.as_slice(), wrong) {
        ([], None) => Finding::of(NAME, &["complete"], "complete"),
        (_, Some(attempt)) => Finding::of(NAME, &["complete"], &format!("`{}` was allowed", attempt.host)),
        (missing, None) => Finding::of(NAME, &["complete"], &format!("nothing of {}", missing.join(" "))),
    }
}

/// What all trials share.
struct Bed<'a> {
    engine: &'a Engine,
    image: &'a Image,
    job: &'a str,
    servers: &'a Servers,
    hosts: &'a [IpAddr],
    liar: Arc<Liar>,
}

impl Bed<'_> {
    /// Plays one part of the script in a sandbox that may reach these hosts.
    async fn trial(&self, role: &str, listed: &[&str]) -> Result<(Said, Vec<Attempt>), Error> {
        let attempts: Arc<Mutex<Vec<Attempt>>> = Arc::default();
        let (network, trial) = self.network(listed, &attempts)?;
        let owner = Owner { job: self.job.to_owned(), trial: format!("{}-{role}", self.job) };
        let limits = Limits { pids: 512, ..Limits::default() };
        let mut sandbox = self.engine.open(&Spec { image: self.image.clone(), network, limits, owner }).await?;
        let mut said = Vec::new();
        let ran = async {
            sandbox.write(SCRIPT, 0o644, PROBES.as_bytes()).await?;
            sandbox.run(&self.command(role), &mut |bytes| said.extend_from_slice(bytes)).await
        };
        let ran = ran.await;
        sandbox.close().await?;
        if let Some(trial) = trial {
            trial.close().await;
        }
        ran?;
        let attempts = std::mem::take(&mut *attempts.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((read(&String::from_utf8_lossy(&said)), attempts))
    }

    fn network(
        &self,
        listed: &[&str],
        attempts: &Arc<Mutex<Vec<Attempt>>>,
    ) -> Result<(Network, Option<Arc<TrialNetwork>>), Error> {
        if listed.is_empty() {
            return Ok((Network::None, None));
        }
        let upstream = self.servers.upstream;
        let mapped = ["good.test", "a.b.wild.test", "198.51.100.7", "2001:db8::7"];
        let hosts = mapped.map(|name| (name.to_owned(), upstream)).into();
        let settings = Settings { hosts, resolver: Some(self.liar.clone()), ..Settings::default() };
        let egress = Arc::new(Egress::new(settings)?);
        let policy = Policy::allowlist(listed, &[80, 443, self.servers.canary.port()])?;
        let kept = Arc::clone(attempts);
        let keep = move |attempt| kept.lock().unwrap_or_else(PoisonError::into_inner).push(attempt);
        let trial = Arc::new(TrialNetwork::new(policy.clone(), "agent", keep));
        Ok((Network::Listed(Relay::new(&[policy], egress, Arc::clone(&trial))), Some(trial)))
    }

    fn command(&self, role: &str) -> Command {
        let hosts: Vec<String> = self.hosts.iter().map(IpAddr::to_string).collect();
        let given = serde_json::json!({
            "role": role,
            "port": self.servers.canary.port(),
            "hosts": hosts,
            "ca": self.servers.authority,
        });
        Command {
            argv: vec!["python3".to_owned(), SCRIPT.to_owned(), given.to_string()],
            env: Vec::new(),
            cwd: None,
            user: None,
            timeout: Some(LIMIT),
            grace: Duration::from_secs(1),
            output_cap: 1 << 20,
        }
    }
}

/// The lines of JSON among what a trial's script said; its last words, where it failed as a whole, under no name.
fn read(said: &str) -> Said {
    let mut found = Said::new();
    for line in said.lines() {
        let Ok(line) = serde_json::from_str::<BTreeMap<String, String>>(line) else { continue };
        let Some(name) = line.get("name") else { continue };
        let seen = line.get("seen").cloned().ok_or_else(|| line.get("unproven").cloned().unwrap_or_default());
        found.insert(name.clone(), seen);
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    found.insert(String::new(), Err(last.chars().take(200).collect()));
    found
}
