//! What a trial's agent, and its script judge, may reach, out of all who have a say: the task and its agent phase, the job's extra hosts, and a
//! user who asks for less. Harbor's rules, but for the last. Pure.

use super::settings::{AgentSetup, Settings};
use crate::network::Policy;
use crate::task::{NetworkMode, NetworkPolicy, TaskSpec};

/// The policy of the agent's phase at this task. `notes` gets what the user should know of it.
///
/// # Errors
/// Says why the policy can't be applied, as a sentence about the task.
pub fn reach(
    task: &TaskSpec,
    agent: &AgentSetup,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<Policy, String> {
    // The environment's extra hosts belong to its policy: a task whose agent phase has one of its own has left it.
    let (base, environment_hosts) = match &task.agent.network {
        Some(own) => (own, [].as_slice()),
        None => (&task.environment.network, settings.extra_hosts.as_slice()),
    };
    let extra = [environment_hosts, &agent.extra_hosts].concat();
    let (wanted, note) = narrow(base, &extra, settings.network)?;
    if let Some(note) = note.filter(|note| !notes.contains(note)) {
        notes.push(note);
    }
    applied(wanted, settings)
}

/// The policy of the verifier's phase at this task, in which its script runs. Where the user asks for less network than
/// the task's, and that leaves nothing, the script has none.
///
/// # Errors
/// As [`reach`].
pub fn verifier_reach(task: &TaskSpec, settings: &Settings) -> Result<Policy, String> {
    let (base, extra) = match &task.verifier.network {
        Some(own) => (own, [].as_slice()),
        None => (&task.environment.network, settings.extra_hosts.as_slice()),
    };
    let wanted = narrow(base, extra, settings.network).map_or(NetworkPolicy::NoNetwork, |(wanted, _)| wanted);
    applied(wanted, settings)
}

fn applied(policy: NetworkPolicy, settings: &Settings) -> Result<Policy, String> {
    match policy {
        NetworkPolicy::Public => Ok(Policy::Public),
        NetworkPolicy::NoNetwork => Ok(Policy::NoNetwork),
        // A list of no hosts allows none.
        NetworkPolicy::Allowlist(hosts) if hosts.is_empty() => Ok(Policy::NoNetwork),
        NetworkPolicy::Allowlist(hosts) => Policy::allowlist(&hosts, &settings.ports).map_err(|e| e.to_string()),
    }
}

type Narrowed = (NetworkPolicy, Option<String>);

/// The policy with the job's extra hosts, or less where the user asks for less; and what to say of it.
fn narrow(base: &NetworkPolicy, extra: &[String], ask: Option<NetworkMode>) -> Result<Narrowed, String> {
    let hosts = || extra.iter().map(|host| format!("`{host}`")).collect::<Vec<_>>().join(", ");
    let listed = ask == Some(NetworkMode::Allowlist) && *base == NetworkPolicy::Public && !extra.is_empty();
    // Everything may be reached, and the user wants no more than the hosts that the job names.
    let policy = if listed { NetworkPolicy::NoNetwork.extended(extra) } else { base.extended(extra) };
    let Some(mode) = ask else {
        let idle = policy == NetworkPolicy::Public && !extra.is_empty();
        let note = idle.then(|| format!("extra hosts mean nothing where the network is public: {}", hosts()));
        return Ok((policy, note));
    };
    let narrowed = policy.narrowed(mode).ok_or_else(|| {
        let (allowed, asked) = (policy.mode().as_str(), mode.as_str());
        format!("it allows `network_mode = \"{allowed}\"`, and `--network {asked}` asks for more than that")
    })?;
    let cut = mode == NetworkMode::NoNetwork && !extra.is_empty();
    let note =
        cut.then(|| format!("`no-network` wins over the job's extra hosts, which can't be reached: {}", hosts()));
    Ok((narrowed, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_gets_what_task_and_job_list_or_less_but_never_more() {
        let list = |hosts: &[&str]| NetworkPolicy::Allowlist(hosts.iter().map(|host| host.to_string()).collect());
        let (public, none) = (NetworkPolicy::Public, NetworkPolicy::NoNetwork);
        let (no_network, allowlist) = (Some(NetworkMode::NoNetwork), Some(NetworkMode::Allowlist));
        for (base, extra, ask, expected) in [
            (public.clone(), &[][..], None, Ok((public.clone(), ""))),
            (none.clone(), &[], None, Ok((none.clone(), ""))),
            (list(&["b.com"]), &[], None, Ok((list(&["b.com"]), ""))),
            (public.clone(), &["a.com"], None, Ok((public.clone(), "mean nothing"))),
            (none.clone(), &["a.com"], None, Ok((list(&["a.com"]), ""))),
            (list(&["b.com"]), &["a.com", "b.com"], None, Ok((list(&["a.com", "b.com"]), ""))),
            (public.clone(), &["a.com"], no_network, Ok((none.clone(), "wins over"))),
            (list(&["b.com"]), &[], no_network, Ok((none.clone(), ""))),
            (list(&["b.com"]), &["a.com"], allowlist, Ok((list(&["a.com", "b.com"]), ""))),
            (public.clone(), &["a.com"], allowlist, Ok((list(&["a.com"]), ""))),
            (none.clone(), &["a.com"], allowlist, Ok((list(&["a.com"]), ""))),
            (public.clone(), &[], allowlist, Err("asks for more")),
            (none.clone(), &[], allowlist, Err("asks for more")),
            (list(&["b.com"]), &[], Some(NetworkMode::Public), Err("asks for more")),
            (none.clone(), &["a.com"], Some(NetworkMode::Public), Err("asks for more")),
        ] {
            let extra: Vec<String> = extra.iter().map(|host: &&str| host.to_string()).collect();
            match (narrow(&base, &extra, ask), expected) {
                (Ok((policy, note)), Ok((wanted, part))) => {
                    assert_eq!(policy, wanted, "{base:?} {extra:?} {ask:?}");
                    assert_eq!(note.is_some(), !part.is_empty(), "{note:?}");
                    assert!(note.unwrap_or_default().contains(part), "{base:?} {extra:?} {ask:?}");
                }
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (given, wanted) => panic!("{base:?} {extra:?} {ask:?}: {given:?}, not {wanted:?}"),
            }
        }
    }
}
