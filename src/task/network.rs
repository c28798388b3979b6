//! What a task says about the network, as one value per phase. It must not open, resolve or dial anything: whoever
//! applies the policy gets the normalised list and nothing else.

use super::hosts::normalize_host;
use super::node::Place;
use super::problem::Level;
use super::walk::Section;
use crate::spelling::did_you_mean;
use serde::{Deserialize, Serialize};

/// Where a phase may connect to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkPolicy {
    /// Anywhere.
    Public,
    /// Nowhere.
    NoNetwork,
    /// To these hosts only, each spelt as [`normalize_host`] spells it, sorted, each once. None at all is legal.
    Allowlist(Vec<String>),
}

impl NetworkPolicy {
    /// Which kind of policy it is.
    pub fn mode(&self) -> NetworkMode {
        match self {
            NetworkPolicy::Public => NetworkMode::Public,
            NetworkPolicy::NoNetwork => NetworkMode::NoNetwork,
            NetworkPolicy::Allowlist(_) => NetworkMode::Allowlist,
        }
    }

    /// This policy with more hosts. A policy of no network becomes a list of them, as in Harbor; one that is public has
    /// them anyway.
    pub fn extended(&self, more: &[String]) -> NetworkPolicy {
        let mut hosts = match self {
            NetworkPolicy::Allowlist(hosts) => hosts.clone(),
            NetworkPolicy::NoNetwork if !more.is_empty() => Vec::new(),
            NetworkPolicy::NoNetwork | NetworkPolicy::Public => return self.clone(),
        };
        hosts.extend_from_slice(more);
        hosts.sort();
        hosts.dedup();
        NetworkPolicy::Allowlist(hosts)
    }

    /// The policy of a run that asks for `mode` where the task has this one. A run may ask for less than the task
    /// allows; `None` where it asks for more, or for an allowlist that the task doesn't have.
    pub fn narrowed(&self, mode: NetworkMode) -> Option<NetworkPolicy> {
        match (mode, self) {
            (NetworkMode::NoNetwork, _) => Some(NetworkPolicy::NoNetwork),
            (mode, policy) if mode == policy.mode() => Some(policy.clone()),
            _ => None,
        }
    }
}

/// The kinds of policy, without their hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkMode {
    /// Anywhere.
    Public,
    /// Nowhere.
    NoNetwork,
    /// To listed hosts only.
    Allowlist,
}

impl NetworkMode {
    /// All modes.
    pub const ALL: [NetworkMode; 3] = [NetworkMode::Public, NetworkMode::NoNetwork, NetworkMode::Allowlist];

    /// Harbor's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            NetworkMode::Public => "public",
            NetworkMode::NoNetwork => "no-network",
            NetworkMode::Allowlist => "allowlist",
        }
    }
}

impl std::str::FromStr for NetworkMode {
    type Err = String;

    /// The mode of exactly this word; else a hint with the nearest one, or all of them.
    fn from_str(word: &str) -> Result<NetworkMode, String> {
        let modes = NetworkMode::ALL;
        modes.into_iter().find(|mode| mode.as_str() == word).ok_or_else(|| {
            let meant = if matches!(word, "none" | "no" | "off" | "disabled") { "no-network" } else { word };
            let hint = did_you_mean(meant, modes.map(Self::as_str));
            hint.unwrap_or_else(|| "known modes: `public`, `no-network`, `allowlist`".into())
        })
    }
}

/// Reads `network_mode` and `allowed_hosts` of one table. `None` where the table says nothing about the network, or
/// says something wrong (which is then a problem in the walker's sink).
pub(crate) fn read_policy(section: &Section<'_>) -> Option<NetworkPolicy> {
    let written = section.has("network_mode");
    let mode = section.text("network_mode");
    let listed = section.texts("allowed_hosts");
    let Some(mode) = mode else {
        if listed.is_some() && !written {
            let hint = Some("write `network_mode = \"allowlist\"` beside it".to_string());
            section.wrong("allowed_hosts", "needs `network_mode = \"allowlist\"`", hint);
        }
        return None;
    };
    let mode: NetworkMode = match mode.parse() {
        Ok(mode) => mode,
        Err(hint) => {
            section.wrong("network_mode", format!("has no mode `{mode}`"), Some(hint));
            return None;
        }
    };
    if listed.as_ref().is_some_and(|l| !l.is_empty()) && mode != NetworkMode::Allowlist {
        let message = format!("means nothing with `network_mode = \"{}\"`", mode.as_str());
        section.wrong("allowed_hosts", message, Some("take one of the two out".into()));
        return None;
    }
    Some(match mode {
        NetworkMode::Public => NetworkPolicy::Public,
        NetworkMode::NoNetwork => NetworkPolicy::NoNetwork,
        NetworkMode::Allowlist => NetworkPolicy::Allowlist(hosts(section, "allowed_hosts", listed.unwrap_or_default())),
    })
}

/// Reads a list of hosts, each as [`normalize_host`] spells it, sorted, each once. What is no host is named with its
/// place in the walker's sink.
pub fn read_hosts(section: &Section<'_>, key: &'static str) -> Vec<String> {
    hosts(section, key, section.texts(key).unwrap_or_default())
}

fn hosts(section: &Section<'_>, key: &'static str, listed: Vec<(Place, String)>) -> Vec<String> {
    let mut hosts = Vec::new();
    for (index, (at, entry)) in listed.into_iter().enumerate() {
        match normalize_host(&entry) {
            Ok(host) => hosts.push(host),
            Err(why) => {
                let key = format!("{}[{index}]", section.path(key));
                section.add(Level::Error, at, key, format!("host `{entry}` {why}"));
            }
        }
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_may_ask_for_less_network_than_the_task_allows_never_for_more() {
        let listed = NetworkPolicy::Allowlist(vec!["a.com".into()]);
        for (policy, mode, wanted) in [
            (NetworkPolicy::Public, NetworkMode::Public, Some(NetworkPolicy::Public)),
            (NetworkPolicy::Public, NetworkMode::NoNetwork, Some(NetworkPolicy::NoNetwork)),
            (NetworkPolicy::Public, NetworkMode::Allowlist, None),
            (listed.clone(), NetworkMode::Public, None),
            (listed.clone(), NetworkMode::NoNetwork, Some(NetworkPolicy::NoNetwork)),
            (listed.clone(), NetworkMode::Allowlist, Some(listed.clone())),
            (NetworkPolicy::NoNetwork, NetworkMode::Public, None),
            (NetworkPolicy::NoNetwork, NetworkMode::Allowlist, None),
        ] {
            assert_eq!(policy.narrowed(mode), wanted, "{policy:?} {mode:?}");
        }
    }
}
