//! One trial's way out, from before its sandbox opens until its evidence is complete.

use super::lend::{Lent, target};
use crate::event::NetworkUse;
use crate::network::{Attempt, Egress, End, Policy, Totals, TrialNetwork};
use crate::sandbox::{Network, Relay};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many hosts of each kind a trial's summary names; the rest is in its evidence.
const HOSTS: usize = 50;

/// A trial's way out.
pub enum WayOut {
    /// None at all.
    None,
    /// The engine's own, which leaves no evidence.
    Public,
    /// To listed hosts.
    Listed {
        /// What the sandbox needs of it.
        relay: Relay,
        /// What was tried so far.
        attempts: Arc<Mutex<Vec<Attempt>>>,
    },
}

impl WayOut {
    /// The way out that a policy gives in this phase, by Harbor's word for it, and the model relay beside it where one is
    /// lent.
    pub fn new(policy: &Policy, egress: &Arc<Egress>, phase: &str, lent: Option<&Lent>) -> WayOut {
        match policy {
            Policy::NoNetwork if lent.is_none() => WayOut::None,
            Policy::Public => WayOut::Public,
            Policy::NoNetwork | Policy::Allowlist { .. } => {
                let attempts = Arc::new(Mutex::new(Vec::new()));
                let kept = Arc::clone(&attempts);
                let keep = move |attempt| kept.lock().unwrap_or_else(PoisonError::into_inner).push(attempt);
                let mut trial = TrialNetwork::new(policy.clone(), phase, keep);
                if let Some(lent) = lent {
                    trial = trial.with_service(target(), lent.service());
                }
                let trial = Arc::new(trial);
                if let Some(lent) = lent {
                    lent.reports_to(&trial);
                }
                let relay = Relay::new(std::slice::from_ref(policy), Arc::clone(egress), trial);
                WayOut::Listed { relay, attempts }
            }
        }
    }

    /// What the sandbox is opened with.
    pub fn network(&self) -> Network {
        match self {
            WayOut::None => Network::None,
            WayOut::Public => Network::Public,
            WayOut::Listed { relay, .. } => Network::Listed(relay.clone()),
        }
    }

    /// Ends all streams, and gives the evidence in the order in which attempts began. `None` where none is taken.
    pub async fn close(self) -> Option<(Vec<Attempt>, NetworkUse)> {
        let WayOut::Listed { relay, attempts } = self else { return None };
        relay.trial.close().await;
        let mut attempts = std::mem::take(&mut *attempts.lock().unwrap_or_else(PoisonError::into_inner));
        attempts.sort_by_key(|attempt| attempt.at);
        let summary = summary(&attempts, relay.trial.totals());
        Some((attempts, summary))
    }
}

fn summary(attempts: &[Attempt], totals: Totals) -> NetworkUse {
    let mut network = NetworkUse {
        allowed: totals.allowed,
        denied: totals.denied,
        unrecorded: totals.unrecorded,
        up: totals.up,
        down: totals.down,
        ..NetworkUse::default()
    };
    for attempt in attempts {
        match (attempt.decision.allowed, &attempt.end) {
            (false, _) => count(&mut network.refused, &attempt.host),
            (true, End::Unresolved(_) | End::Unreachable(_)) => count(&mut network.unreached, &attempt.host),
            (true, _) => count(&mut network.reached, &attempt.host),
        }
    }
    network
}

fn count(hosts: &mut BTreeMap<String, u64>, host: &str) {
    if hosts.len() < HOSTS || hosts.contains_key(host) {
        *hosts.entry(host.to_owned()).or_default() += 1;
    }
}
