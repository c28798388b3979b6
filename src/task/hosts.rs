//! One host of an allowlist in its one right spelling. The rules are Harbor's (lower case, no final dot, strict
//! networks, `*.` only in front), plus three of our own where Harbor would take a host that means something else than
//! it seems: odd spellings of IPv4 addresses, wildcards over a whole top-level domain, and names that aren't ASCII,
//! which become their `xn--` form. Pure; it must not resolve anything.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Normalises one entry of `allowed_hosts`: a name, `*.name`, an address, or a network such as `10.0.0.0/8`.
///
/// # Errors
/// Says what is wrong with the entry, as a fragment that reads after the entry's name.
pub fn normalize_host(entry: &str) -> Result<String, String> {
    let text = entry.trim().to_lowercase();
    let host = text.strip_suffix('.').unwrap_or(&text);
    if host.is_empty() {
        return Err("is empty".into());
    }
    if host.contains("://") {
        return Err("is a URL; write the host alone".into());
    }
    if let Some((address, bits)) = host.split_once('/') {
        return network(address, bits);
    }
    if host.contains(['[', ']']) {
        return Err("has brackets; write an IPv6 address without them".into());
    }
    if host.contains('%') {
        return Err("has a zone or an escape; write the host alone".into());
    }
    if host.contains(':') {
        return match host.parse::<Ipv6Addr>() {
            // An IPv4 address in IPv6 clothes is the IPv4 address.
            Ok(address) => Ok(address.to_canonical().to_string()),
            Err(_) => Err("has a port or is not an IPv6 address; ports can't be listed".into()),
        };
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Ok(address.to_string());
    }
    let (wildcard, name) = match host.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, host),
    };
    if name.contains('*') {
        return Err("has a `*` that is not a leading `*.`".into());
    }
    let name = ascii(name)?;
    let labels: Vec<&str> = name.split('.').collect();
    if labels.contains(&"") {
        return Err("is not a host name: a part between two dots is empty".into());
    }
    if let Some(bad) = labels.iter().find(|label| !is_label(label)) {
        return Err(format!("is not a host name: `{bad}` may hold only letters, digits and inner hyphens, 63 at most"));
    }
    if labels.last().is_some_and(|last| looks_numeric(last)) {
        return Err("is an address in a form that programs read differently; write it as four plain numbers".into());
    }
    if wildcard && labels.len() < 2 {
        return Err("is a wildcard over a whole top-level domain".into());
    }
    if name.len() > 253 {
        return Err("is longer than a host name can be".into());
    }
    Ok(if wildcard { format!("*.{name}") } else { name })
}

fn network(address: &str, bits: &str) -> Result<String, String> {
    let bad = || "is neither a network such as `10.0.0.0/8` nor a host; paths can't be listed".to_string();
    let ip: IpAddr = address.parse().map_err(|_| bad())?;
    let width = if ip.is_ipv4() { 32 } else { 128 };
    if bits.is_empty() || !bits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let prefix: u32 = bits.parse().ok().filter(|p| *p <= width).ok_or_else(|| format!("has more than {width} bits"))?;
    let host_bits = match ip {
        IpAddr::V4(v4) => u128::from(u32::from(v4)) & mask(32 - prefix),
        IpAddr::V6(v6) => u128::from(v6) & mask(128 - prefix),
    };
    if host_bits != 0 {
        return Err("has bits set beyond its prefix".into());
    }
    Ok(format!("{ip}/{prefix}"))
}

/// The lowest `bits` bits.
fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn ascii(name: &str) -> Result<String, String> {
    if name.is_ascii() {
        return Ok(name.to_string());
    }
    idna::domain_to_ascii_strict(name).map_err(|_| "is not a host name".into())
}

fn is_label(label: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !label.is_empty()
        && label.len() <= 63
        && label.bytes().all(inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// `2130706433`, `0x7f000001`, `127.1`: many programs read a name that ends so as an IPv4 address.
fn looks_numeric(label: &str) -> bool {
    label.bytes().all(|b| b.is_ascii_digit())
        || label.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_one_right_spelling() {
        for (entry, wanted) in [
            ("Example.COM.", "example.com"),
            ("  api.openai.com ", "api.openai.com"),
            ("*.Example.com", "*.example.com"),
            ("localhost", "localhost"),
            ("münchen.test", "xn--mnchen-3ya.test"),
            ("*.MÜNCHEN.test", "*.xn--mnchen-3ya.test"),
            ("192.0.2.7", "192.0.2.7"),
            ("2001:DB8::0:1", "2001:db8::1"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("::/0", "::/0"),
            ("a-b.c3", "a-b.c3"),
        ] {
            assert_eq!(normalize_host(entry).as_deref(), Ok(wanted), "{entry}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused_with_its_reason() {
        for (entry, part) in [
            ("", "empty"),
            (" . ", "empty"),
            ("http://example.com", "URL"),
            ("example.com/path", "paths"),
            ("x/y", "paths"),
            ("example.com:443", "port"),
            ("[::1]", "brackets"),
            ("fe80::1%eth0", "zone"),
            ("ex*mple.com", "*"),
            ("*", "*"),
            ("*.*.com", "*"),
            ("*.com", "top-level"),
            ("*.1.2.3.4", "address"),
            ("0x7f000001", "address"),
            ("2130706433", "address"),
            ("127.1", "address"),
            ("010.0.0.1", "address"),
            ("a_b.com", "a_b"),
            ("-a.com", "-a"),
            ("a..com", "between two dots"),
            ("10.0.0.1/8", "bits"),
            ("10.0.0.0/33", "32 bits"),
            ("10.0.0.0/+8", "network"),
            ("2001:db8::1/32", "bits"),
        ] {
            let message = normalize_host(entry).expect_err(entry);
            assert!(message.contains(part), "{entry}: {message}");
        }
    }
}
