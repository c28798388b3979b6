//! What a task says about the network, as one value per phase. It must not open, resolve or dial anything: whoever
//! applies the policy gets the normalised list and nothing else.

use super::hosts::normalize_host;
use super::problem::Level;
use super::walk::{Section, closest};
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
    /// Harbor's word for it.
    pub fn mode(&self) -> &'static str {
        match self {
            NetworkPolicy::Public => "public",
            NetworkPolicy::NoNetwork => "no-network",
            NetworkPolicy::Allowlist(_) => "allowlist",
        }
    }
}

const MODES: [&str; 3] = ["public", "no-network", "allowlist"];

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
    if listed.is_some() && mode != "allowlist" && MODES.contains(&mode.as_str()) {
        let message = format!("means nothing with `network_mode = \"{mode}\"`");
        section.wrong("allowed_hosts", message, Some("take one of the two out".into()));
        return None;
    }
    match mode.as_str() {
        "public" => Some(NetworkPolicy::Public),
        "no-network" => Some(NetworkPolicy::NoNetwork),
        "allowlist" => Some(NetworkPolicy::Allowlist(hosts(section, listed.unwrap_or_default()))),
        other => {
            let hint = match closest(other, MODES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "known modes: `public`, `no-network`, `allowlist`".into(),
            };
            section.wrong("network_mode", format!("has no mode `{other}`"), Some(hint));
            None
        }
    }
}

fn hosts(section: &Section<'_>, listed: Vec<(super::node::Place, String)>) -> Vec<String> {
    let mut hosts = Vec::new();
    for (index, (at, entry)) in listed.into_iter().enumerate() {
        match normalize_host(&entry) {
            Ok(host) => hosts.push(host),
            Err(why) => {
                let key = format!("{}[{index}]", section.path("allowed_hosts"));
                section.add(Level::Error, at, key, format!("host `{entry}` {why}"));
            }
        }
    }
    hosts.sort();
    hosts.dedup();
    hosts
}
