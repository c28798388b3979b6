//! One host that something connects to, read from text that nobody has checked. Strict: what programs read
//! differently is no host at all. Pure; it must not resolve anything.

use std::net::{IpAddr, Ipv6Addr};

/// The longest host name, in bytes, without its final dot (RFC 1035 §3.1 in text form).
const LONGEST: usize = 253;

/// A host in its one right spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Host {
    /// A name: lower case, ASCII, no final dot.
    Name(String),
    /// An address; never an IPv4 address in IPv6 clothes.
    Address(IpAddr),
}

impl Host {
    /// Reads a host: case and one final dot don't matter, other scripts become their `xn--` form (IDNA, UTS 46).
    ///
    /// # Errors
    /// Says why the text is no host, as a fragment that reads after it.
    pub(crate) fn parse(text: &str) -> Result<Host, &'static str> {
        // The longest name is no longer in any other script; this bounds what follows.
        if text.len() > 4 * LONGEST {
            return Err("is too long");
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Host::Address(address.to_canonical()));
        }
        let text = if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            idna::domain_to_ascii_strict(text).map_err(|_| "is not a host name")?
        };
        let name = text.strip_suffix('.').unwrap_or(&text);
        if name.is_empty() {
            return Err("is empty");
        }
        if name.len() > LONGEST {
            return Err("is too long");
        }
        if !name.split('.').all(is_label) {
            return Err("is not a host name");
        }
        // `127.1`, `0x7f000001`, `2130706433`, and `127.0.0.1.` with its final dot.
        if name.rsplit('.').next().is_some_and(looks_numeric) {
            return Err("is an address in a form that programs read differently");
        }
        Ok(Host::Name(name.to_owned()))
    }

    /// Reads a host as URLs write it, where IPv6 addresses stand in brackets.
    ///
    /// # Errors
    /// As [`Host::parse`].
    pub(crate) fn parse_url(text: &str) -> Result<Host, &'static str> {
        match text.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
            Some(Some(address)) => {
                let address: Ipv6Addr = address.parse().map_err(|_| "is not an IPv6 address")?;
                Ok(Host::Address(IpAddr::V6(address).to_canonical()))
            }
            Some(None) => Err("is not an IPv6 address"),
            None => Host::parse(text),
        }
    }
}

/// Letters, digits and inner hyphens, 63 at most (RFC 1123 §2.1); no underscore.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Many programs read a name whose last part is a number as an IPv4 address.
fn looks_numeric(label: &str) -> bool {
    let hex = label.strip_prefix("0x");
    label.bytes().all(|b| b.is_ascii_digit()) || hex.is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
}
