//! The way out of one sandbox: what the supervisor is to listen for, and who lets its streams out.

use crate::network::{Egress, Entry, Policy, TrialNetwork};
use crate::wire::Listed;
use std::net::IpAddr;
use std::sync::Arc;

/// The way out of one sandbox. What is listed decides only what the agent's programs find inside; what is let out, each
/// stream is asked anew on this side.
#[derive(Clone)]
pub struct Relay {
    /// What the supervisor listens for.
    pub listed: Listed,
    /// Who lets streams out.
    pub egress: Arc<Egress>,
    /// The trial's policy and evidence.
    pub trial: Arc<TrialNetwork>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("listed", &self.listed).finish_non_exhaustive()
    }
}

impl Relay {
    /// The way out under these policies, one for each phase.
    pub fn new(policies: &[Policy], egress: Arc<Egress>, trial: Arc<TrialNetwork>) -> Relay {
        let mut listed = listed(policies);
        for target in trial.services() {
            listed.names.push(target.host.clone());
            listed.ports.push(target.port);
        }
        tidy(&mut listed);
        Relay { listed, egress, trial }
    }
}

fn listed(policies: &[Policy]) -> Listed {
    let mut listed = Listed::default();
    for policy in policies {
        for entry in policy.entries() {
            match entry {
                Entry::Name(name) => listed.names.push(name.clone()),
                Entry::Suffix(suffix) => listed.suffixes.push(suffix.clone()),
                Entry::Range(range) if is_the_containers_own(range.addr()) => {}
                Entry::Range(range) => listed.ranges.push((range.addr(), range.prefix_len())),
            }
        }
        listed.ports.extend_from_slice(policy.ports());
    }
    listed
}

/// Each once, in order.
fn tidy(listed: &mut Listed) {
    for names in [&mut listed.names, &mut listed.suffixes] {
        names.sort_unstable();
        names.dedup();
    }
    listed.ranges.sort_unstable();
    listed.ranges.dedup();
    listed.ports.sort_unstable();
    listed.ports.dedup();
}

/// Addresses that mean the container itself, or no single host: no list opens them, so nobody listens for them.
fn is_the_containers_own(network: IpAddr) -> bool {
    match network {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_multicast() || (v4.octets()[0] == 0 && !v4.is_unspecified()),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_multicast(),
    }
}
