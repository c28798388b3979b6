//! Which addresses aren't simply somewhere on the internet. From IANA's registries of special-purpose addresses for
//! IPv4 and IPv6 (RFC 6890 and its updates), and the addresses at which clouds answer with a machine's own secrets.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// A block of special addresses.
pub(super) struct Block {
    /// Its network.
    pub net: IpNet,
    /// What it is, in words that read after "is".
    pub kind: &'static str,
    /// Whether an allowlist can open it.
    pub listable: bool,
}

const CLOSED: bool = false;
const LISTABLE: bool = true;

/// The narrowest first.
const V4: [([u8; 4], u8, &str, bool); 18] = [
    ([169, 254, 169, 254], 32, "a metadata address", LISTABLE),
    ([100, 100, 100, 200], 32, "a metadata address", LISTABLE),
    ([168, 63, 129, 16], 32, "a metadata address", LISTABLE),
    ([255, 255, 255, 255], 32, "broadcast", CLOSED),
    ([192, 0, 0, 0], 24, "reserved", LISTABLE),
    ([192, 0, 2, 0], 24, "for documentation", LISTABLE),
    ([198, 51, 100, 0], 24, "for documentation", LISTABLE),
    ([203, 0, 113, 0], 24, "for documentation", LISTABLE),
    ([192, 88, 99, 0], 24, "reserved", LISTABLE),
    ([169, 254, 0, 0], 16, "link-local", LISTABLE),
    ([192, 168, 0, 0], 16, "private", LISTABLE),
    ([198, 18, 0, 0], 15, "for benchmarks", LISTABLE),
    ([172, 16, 0, 0], 12, "private", LISTABLE),
    ([100, 64, 0, 0], 10, "shared by a carrier's customers", LISTABLE),
    ([0, 0, 0, 0], 8, "this machine", CLOSED),
    ([10, 0, 0, 0], 8, "private", LISTABLE),
    ([127, 0, 0, 0], 8, "loopback", CLOSED),
    ([224, 0, 0, 0], 3, "multicast or reserved", CLOSED),
];

/// The narrowest first. What is left outside of 2000::/3 is reserved.
const V6: [([u16; 8], u8, &str, bool); 11] = [
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", CLOSED),
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified", CLOSED),
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, "a metadata address", LISTABLE),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "for documentation", LISTABLE),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "reserved", CLOSED),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "for documentation", LISTABLE),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "an IPv4 address in disguise", CLOSED),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local", LISTABLE),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast", CLOSED),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "private", LISTABLE),
    ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, "", LISTABLE),
];

/// Whether an address is one of this machine's own, whatever kind it is: the kernel would send from that very address.
/// Nothing is sent. An address to which there is no way at all isn't.
pub(super) fn is_this_machine(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = || {
        let socket = UdpSocket::bind((any, 0))?;
        // Any port: connecting a datagram's socket only looks up the way.
        socket.connect((address, 9))?;
        socket.local_addr()
    };
    from().is_ok_and(|from| from.ip() == address)
}

/// The block of special addresses that holds this one, if any does. An IPv4 address in IPv6 clothes, also in those of
/// NAT64 (64:ff9b::/96, RFC 6052), is the IPv4 address.
pub(super) fn block(address: IpAddr) -> Option<Block> {
    match address.to_canonical() {
        IpAddr::V4(v4) => block_v4(v4),
        IpAddr::V6(v6) => block_v6(v6),
    }
}

fn block_v4(address: Ipv4Addr) -> Option<Block> {
    V4.iter().find_map(|&(octets, prefix, kind, listable)| {
        let net = Ipv4Net::new_assert(octets.into(), prefix);
        net.contains(&address).then_some(Block { net: net.into(), kind, listable })
    })
}

fn block_v6(address: Ipv6Addr) -> Option<Block> {
    let segments = address.segments();
    if segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        let [.., a, b, c, d] = address.octets();
        return block_v4(Ipv4Addr::new(a, b, c, d));
    }
    let found = V6.iter().find_map(|&(segments, prefix, kind, listable)| {
        let net = Ipv6Net::new_assert(segments.into(), prefix);
        net.contains(&address).then_some(Block { net: net.into(), kind, listable })
    });
    match found {
        Some(block) if block.kind.is_empty() => None,
        Some(block) => Some(block),
        None => Some(Block { net: Ipv6Net::default().into(), kind: "reserved", listable: CLOSED }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_simply_on_the_internet_are_known() {
        for (address, wanted) in [
            ("1.1.1.1", None),
            ("172.15.0.1", None),
            ("172.32.0.1", None),
            ("100.128.0.1", None),
            ("223.255.255.255", None),
            ("2606:4700::1111", None),
            ("64:ff9b::1.1.1.1", None),
            ("10.1.2.3", Some("private")),
            ("172.31.255.255", Some("private")),
            ("192.168.1.1", Some("private")),
            ("100.64.0.1", Some("shared by a carrier's customers")),
            ("127.0.0.1", Some("loopback")),
            ("127.77.0.1", Some("loopback")),
            ("0.0.0.0", Some("this machine")),
            ("169.254.1.1", Some("link-local")),
            ("169.254.169.254", Some("a metadata address")),
            ("168.63.129.16", Some("a metadata address")),
            ("192.0.2.1", Some("for documentation")),
            ("224.0.0.1", Some("multicast or reserved")),
            ("240.0.0.1", Some("multicast or reserved")),
            ("255.255.255.255", Some("broadcast")),
            ("::1", Some("loopback")),
            ("::", Some("unspecified")),
            ("::ffff:10.0.0.1", Some("private")),
            ("::127.0.0.1", Some("reserved")),
            ("64:ff9b::10.0.0.1", Some("private")),
            ("64:ff9b::169.254.169.254", Some("a metadata address")),
            ("64:ff9b:1::10.0.0.1", Some("reserved")),
            ("2002:7f00:1::", Some("an IPv4 address in disguise")),
            ("2001::1", Some("reserved")),
            ("2001:db8::1", Some("for documentation")),
            ("fe80::1", Some("link-local")),
            ("fec0::1", Some("reserved")),
            ("fd00:ec2::254", Some("a metadata address")),
            ("fd12::1", Some("private")),
            ("ff02::1", Some("multicast")),
        ] {
            assert_eq!(block(address.parse().unwrap()).map(|b| b.kind), wanted, "{address}");
        }
    }
}
