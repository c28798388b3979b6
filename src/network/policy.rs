//! Where a phase of a trial may connect to, decided by name and port alone. Pure: it resolves nothing, so what a name
//! resolves to is checked by whoever dials it.

use super::host::Host;
use super::{Error, address};
use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;

/// The ports of an allowlist that says nothing about ports: HTTP and HTTPS.
pub const PORTS: [u16; 2] = [80, 443];

/// Where a phase may connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// Nowhere.
    NoNetwork,
    /// Anywhere that isn't private; see [`Policy::opens`].
    Public,
    /// To these hosts on these ports only; none at all is legal.
    Allowlist {
        /// The hosts.
        entries: Vec<Entry>,
        /// The ports, sorted, each once, at least one.
        ports: Vec<u16>,
    },
}

/// One entry of an allowlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Exactly this name: lower case, ASCII, no final dot.
    Name(String),
    /// Every name below this one, at any depth, and not this one: what follows `*.`.
    Suffix(String),
    /// Every address in this network; one address is a network of all its bits.
    Range(IpNet),
}

/// What an agent wants to connect to. Untrusted: any text, any port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// A name or an address, as the agent's side gave it.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

/// Whether something is allowed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Allowed or denied.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
}

/// Why something is allowed or denied. `Display` gives words for people, [`Reason::code`] a word for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Allowed: this entry lists it.
    Listed(String),
    /// Allowed: the policy is public.
    Public,
    /// Allowed: it is a service of the runner, such as the model relay, or a request that one sent on.
    Service,
    /// What a service refused to send on; says why.
    Refused(String),
    /// The policy is no network.
    NoNetwork,
    /// No entry lists the host.
    NotListed,
    /// An entry lists the host, but the port isn't listed.
    Port,
    /// It is no host; says why, as a fragment that reads after it.
    NotAHost(&'static str),
    /// The host is allowed, but it resolves to nothing else than an address such as this, which has to be listed
    /// itself or can't be.
    SpecialAddress {
        /// The first such address.
        address: IpAddr,
        /// What is special about it, such as `loopback`.
        kind: &'static str,
    },
    /// What was sent names another host than the stream was opened for.
    OtherHost {
        /// Where: `SNI`, `Host` or `URL`.
        place: &'static str,
        /// The host that it names, as sent, shortened.
        named: String,
    },
    /// What was sent asks for a tunnel (CONNECT).
    Tunnel,
    /// What was sent is HTTP/2 without TLS, in which hosts can't be checked.
    PlainHttp2,
    /// What was sent looks like TLS or HTTP/1 and can't be read as such, so its host can't be checked.
    Unreadable(&'static str),
    /// The trial has as many streams open as it may.
    Streams,
    /// The trial has moved as many bytes as it may.
    Bytes,
}

impl Policy {
    /// The allowlist of these hosts, each already in the form that the task room's `normalize_host` gives, on these
    /// ports; on [`PORTS`] where there are none.
    ///
    /// # Errors
    /// The first entry that isn't in that form, and port 0.
    pub fn allowlist<S: AsRef<str>>(hosts: &[S], ports: &[u16]) -> Result<Policy, Error> {
        let entries = hosts.iter().map(|host| Entry::parse(host.as_ref())).collect::<Result<Vec<Entry>, Error>>()?;
        let mut ports = if ports.is_empty() { PORTS.to_vec() } else { ports.to_vec() };
        ports.sort_unstable();
        ports.dedup();
        if ports.contains(&0) {
            return Err(Error::Port(0));
        }
        Ok(Policy::Allowlist { entries, ports })
    }

    /// The entries of an allowlist; none for the other policies.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Policy::Allowlist { entries, .. } => entries,
            Policy::NoNetwork | Policy::Public => &[],
        }
    }

    /// The ports of an allowlist, sorted; none for the other policies (a public one has them all).
    pub fn ports(&self) -> &[u16] {
        match self {
            Policy::Allowlist { ports, .. } => ports,
            Policy::NoNetwork | Policy::Public => &[],
        }
    }

    /// Whether a stream to this target may be opened. What a name resolves to has to be checked too, with
    /// [`Policy::opens`].
    pub fn permits(&self, target: &Target) -> Decision {
        Decision::of(self.judge(target))
    }

    fn judge(&self, target: &Target) -> Reason {
        let (entries, ports) = match self {
            Policy::NoNetwork => return Reason::NoNetwork,
            Policy::Public => (None, None),
            Policy::Allowlist { entries, ports } => (Some(entries), Some(ports)),
        };
        let host = match Host::parse(&target.host) {
            Ok(host) => host,
            Err(why) => return Reason::NotAHost(why),
        };
        let Some(entries) = entries else { return Reason::Public };
        let Some(entry) = entries.iter().find(|entry| entry.lists(&host)) else { return Reason::NotListed };
        if ports.is_some_and(|ports| !ports.contains(&target.port)) {
            return Reason::Port;
        }
        Reason::Listed(entry.to_string())
    }

    /// Whether an allowed host may be dialled at this address. A public address may; a private, link-local or other
    /// special one only if an entry lists that very address, or a network that lies within the special block:
    /// `10.0.0.0/8` opens private addresses, `0.0.0.0/0` does not. Loopback, unspecified and multicast addresses are
    /// never opened: to the agent they mean its own sandbox, outside they mean the runner's machine.
    ///
    /// # Errors
    /// What is special about the address.
    pub fn opens(&self, address: IpAddr) -> Result<(), &'static str> {
        let Some(block) = address::block(address) else { return Ok(()) };
        let listed = self.entries().iter().any(|entry| match entry {
            Entry::Range(range) => range.contains(&address.to_canonical()) && block.net.contains(range),
            Entry::Name(_) | Entry::Suffix(_) => false,
        });
        if listed && block.listable { Ok(()) } else { Err(block.kind) }
    }
}

impl Entry {
    /// Reads an entry, which has to be in its one right spelling already.
    fn parse(text: &str) -> Result<Entry, Error> {
        let wrong = |why: &str| Error::Entry { entry: text.to_owned(), why: why.to_owned() };
        let entry = if text.contains('/') {
            let range: IpNet = text.parse().map_err(|_| wrong("is not a network"))?;
            Entry::Range(range.trunc())
        } else {
            let name = text.strip_prefix("*.");
            match (Host::parse(name.unwrap_or(text)).map_err(wrong)?, name) {
                (Host::Address(address), None) => Entry::Range(address.into()),
                (Host::Name(name), None) => Entry::Name(name),
                (Host::Name(name), Some(_)) if name.contains('.') => Entry::Suffix(name),
                (_, Some(_)) => return Err(wrong("is a wildcard over more than a domain")),
            }
        };
        if entry.to_string() == text { Ok(entry) } else { Err(wrong("is not in its normal form")) }
    }

    fn lists(&self, host: &Host) -> bool {
        match (self, host) {
            (Entry::Name(name), Host::Name(host)) => name == host,
            (Entry::Suffix(suffix), Host::Name(host)) => {
                host.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('.')).is_some_and(|rest| !rest.is_empty())
            }
            (Entry::Range(range), Host::Address(address)) => range.contains(address),
            (Entry::Range(_), Host::Name(_)) | (Entry::Name(_) | Entry::Suffix(_), Host::Address(_)) => false,
        }
    }
}

impl fmt::Display for Entry {
    /// The entry as an allowlist spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Name(name) => write!(f, "{name}"),
            Entry::Suffix(suffix) => write!(f, "*.{suffix}"),
            Entry::Range(range) if range.prefix_len() == range.max_prefix_len() => write!(f, "{}", range.addr()),
            Entry::Range(range) => write!(f, "{range}"),
        }
    }
}

impl Decision {
    /// The decision that this reason makes.
    pub fn of(reason: Reason) -> Decision {
        Decision { allowed: matches!(reason, Reason::Listed(_) | Reason::Public | Reason::Service), reason }
    }
}

impl Reason {
    /// One word for programs that read the evidence; never changes.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Listed(_) => "listed",
            Reason::Public => "public",
            Reason::Service => "service",
            Reason::Refused(_) => "refused",
            Reason::NoNetwork => "no_network",
            Reason::NotListed => "not_listed",
            Reason::Port => "port",
            Reason::NotAHost(_) => "not_a_host",
            Reason::SpecialAddress { .. } => "special_address",
            Reason::OtherHost { .. } => "other_host",
            Reason::Tunnel => "tunnel",
            Reason::PlainHttp2 => "plain_http2",
            Reason::Unreadable(_) => "unreadable",
            Reason::Streams => "streams",
            Reason::Bytes => "bytes",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Listed(entry) => write!(f, "listed as `{entry}`"),
            Reason::Public => write!(f, "the policy is public"),
            Reason::Service => write!(f, "by the runner's own service"),
            Reason::Refused(why) => write!(f, "{why}"),
            Reason::NoNetwork => write!(f, "the policy is no network"),
            Reason::NotListed => write!(f, "not listed"),
            Reason::Port => write!(f, "the port is not listed"),
            Reason::NotAHost(why) => write!(f, "the host {why}"),
            Reason::SpecialAddress { address, kind } => write!(f, "`{address}` is {kind} and not listed"),
            Reason::OtherHost { place, named } => write!(f, "{place} names another host, `{named}`"),
            Reason::Tunnel => write!(f, "asks for a tunnel"),
            Reason::PlainHttp2 => write!(f, "HTTP/2 without TLS, whose hosts can't be checked"),
            Reason::Unreadable(why) => write!(f, "{why}"),
            Reason::Streams => write!(f, "too many streams at once"),
            Reason::Bytes => write!(f, "too many bytes in one trial"),
        }
    }
}
