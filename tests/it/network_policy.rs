//! The rule of allowlists, as a user meets it: what is written in `allowed_hosts`, what an agent asks for, and whether
//! it gets there.

use seatrial::network::{Policy, Target};
use seatrial::task::normalize_host;

/// What comes of a target under an allowlist of one entry, written as a user writes it, on ports 80 and 443.
fn asked(entry: &str, host: &str, port: u16) -> &'static str {
    let hosts = [normalize_host(entry).unwrap_or_else(|why| panic!("`{entry}` {why}"))];
    let policy = Policy::allowlist(&hosts, &[]).expect("a normalised entry is taken as it is");
    policy.permits(&Target { host: host.to_owned(), port }).reason.code()
}

#[test]
fn an_allowlist_permits_what_it_lists_and_nothing_that_looks_like_it() {
    let long = "a".repeat(63);
    let too_long = "a".repeat(64);
    let longest = format!("{long}.{long}.{long}.{}", "a".repeat(61));
    for (entry, host, port, wanted) in [
        // Case, dots, ports.
        ("example.com", "example.com", 443, "listed"),
        ("Example.COM.", "example.com", 80, "listed"),
        ("example.com", "EXAMPLE.com.", 443, "listed"),
        ("example.com", "example.com", 22, "port"),
        ("example.com", "example.com", 0, "port"),
        ("example.com", "example.com..", 443, "not_a_host"),
        ("localhost", "localhost", 80, "listed"),
        // Look-alikes.
        ("example.com", "www.example.com", 443, "not_listed"),
        ("example.com", "evilexample.com", 443, "not_listed"),
        ("example.com", "example.com.evil.test", 443, "not_listed"),
        ("example.com", "example.co", 443, "not_listed"),
        ("example.com", "examp1e.com", 443, "not_listed"),
        ("example.com", "com", 443, "not_listed"),
        // Wildcards.
        ("*.example.com", "a.example.com", 443, "listed"),
        ("*.example.com", "a.b.example.com", 443, "listed"),
        ("*.Example.com", "A.EXAMPLE.com.", 443, "listed"),
        ("*.example.com", "example.com", 443, "not_listed"),
        ("*.example.com", ".example.com", 443, "not_a_host"),
        ("*.example.com", "evilexample.com", 443, "not_listed"),
        ("*.example.com", "*.example.com", 443, "not_a_host"),
        ("*.example.com", "a.example.com.evil.test", 443, "not_listed"),
        ("*.example.com", "a_b.example.com", 443, "not_a_host"),
        ("*.example.com", "a..example.com", 443, "not_a_host"),
        // What is no host.
        ("example.com", "", 443, "not_a_host"),
        ("example.com", ".", 443, "not_a_host"),
        ("example.com", "http://example.com", 443, "not_a_host"),
        ("example.com", "example.com/", 443, "not_a_host"),
        ("example.com", "example.com:443", 443, "not_a_host"),
        ("example.com", "user@example.com", 443, "not_a_host"),
        ("example.com", "example.com\0.evil.test", 443, "not_a_host"),
        ("example.com", "example.com\n", 443, "not_a_host"),
        ("example.com", " example.com", 443, "not_a_host"),
        ("example.com", "exam%70le.com", 443, "not_a_host"),
        ("example.com", "-.example.com", 443, "not_a_host"),
        // Length.
        (&long, &long, 443, "listed"),
        ("*.example.com", &format!("{long}.example.com"), 443, "listed"),
        ("*.example.com", &format!("{too_long}.example.com"), 443, "not_a_host"),
        (&longest, &longest, 443, "listed"),
        ("example.com", &format!("a{longest}"), 443, "not_a_host"),
        ("example.com", &"a.".repeat(40_000), 443, "not_a_host"),
        // Other scripts and their ASCII form.
        ("münchen.test", "xn--mnchen-3ya.test", 443, "listed"),
        ("xn--mnchen-3ya.test", "MÜNCHEN.test", 443, "listed"),
        ("*.münchen.test", "a.xn--mnchen-3ya.test", 443, "listed"),
        ("münchen.test", "munchen.test", 443, "not_listed"),
        ("example.com", "еxample.com", 443, "not_listed"), // its first letter is Cyrillic
        // Full-width letters and dots are other spellings of the same (UTS 46), and are read so on both sides.
        ("example.com", "ｅxample。com", 443, "listed"),
        // Addresses, and spellings that programs read differently.
        ("127.0.0.1", "127.0.0.1", 443, "listed"),
        ("127.0.0.1", "127.0.0.1.", 443, "not_a_host"),
        ("127.0.0.1", "127.1", 443, "not_a_host"),
        ("127.0.0.1", "0x7f000001", 443, "not_a_host"),
        ("127.0.0.1", "0x7f.1", 443, "not_a_host"),
        ("127.0.0.1", "2130706433", 443, "not_a_host"),
        ("127.0.0.1", "017700000001", 443, "not_a_host"),
        ("127.0.0.1", "127.0.0.01", 443, "not_a_host"),
        ("127.0.0.1", "１２７.0.0.1", 443, "not_a_host"),
        ("*.example.com", "1.2.3.4", 443, "not_listed"),
        ("::1", "::1", 443, "listed"),
        ("::1", "0:0:0:0:0:0:0:1", 443, "listed"),
        ("::1", "[::1]", 443, "not_a_host"),
        ("::1", "::1%lo", 443, "not_a_host"),
        ("192.0.2.7", "::ffff:192.0.2.7", 443, "listed"),
        ("192.0.2.7", "::ffff:c000:207", 443, "listed"),
        ("192.0.2.7", "192.0.2.8", 443, "not_listed"),
        ("10.0.0.0/8", "10.255.0.1", 443, "listed"),
        ("10.0.0.0/8", "11.0.0.1", 443, "not_listed"),
        ("10.0.0.0/8", "10.0.0.1", 8080, "port"),
        ("2001:db8::/32", "2001:db8:1::1", 443, "listed"),
        ("2001:db8::/32", "2001:db9::1", 443, "not_listed"),
        ("0.0.0.0/0", "example.com", 443, "not_listed"),
        ("::/0", "192.0.2.7", 443, "not_listed"),
    ] {
        assert_eq!(asked(entry, host, port), wanted, "`{entry}` is listed, `{host}` port {port} is asked for");
    }
}

#[test]
fn what_cannot_be_an_entry_is_named_with_the_reason() {
    for (entry, wanted) in [
        ("", "is empty"),
        ("Example.com", "is not in its normal form"),
        ("example.com.", "is not in its normal form"),
        ("münchen.test", "is not in its normal form"),
        ("::ffff:192.0.2.7", "is not in its normal form"),
        ("10.0.0.1/8", "is not in its normal form"),
        ("10.0.0.0/33", "is not a network"),
        ("x/y", "is not a network"),
        ("http://example.com", "is not a network"),
        ("ex*mple.com", "is not a host name"),
        ("*", "is not a host name"),
        ("*.com", "is a wildcard over more than a domain"),
        ("*.*.com", "is not a host name"),
        ("*.192.0.2.7", "is a wildcard over more than a domain"),
        ("example.com:443", "is not a host name"),
        ("[::1]", "is not a host name"),
        ("a_b.com", "is not a host name"),
        ("2130706433", "is an address in a form that programs read differently"),
    ] {
        let error = Policy::allowlist(&["ok.test", entry], &[]).expect_err(entry);
        assert_eq!(error.to_string(), format!("the allowlist's entry `{entry}` {wanted}"));
        assert!(error.hint().is_some());
    }
    let error = Policy::allowlist(&["ok.test"], &[443, 0]).expect_err("port 0");
    assert_eq!(error.to_string(), "port `0` can't be listed");
}

#[test]
fn no_network_permits_nothing_an_empty_list_nothing_and_public_any_host_and_port() {
    let to = |host: &str, port| Target { host: host.to_owned(), port };
    let empty = Policy::allowlist::<&str>(&[], &[]).expect("an empty list is legal");
    assert_eq!(empty.permits(&to("example.com", 443)).reason.code(), "not_listed");
    assert_eq!(Policy::NoNetwork.permits(&to("example.com", 443)).reason.code(), "no_network");
    assert!(Policy::Public.permits(&to("example.com", 8080)).allowed);
    assert_eq!(Policy::Public.permits(&to("127.1", 80)).reason.code(), "not_a_host");
}

#[test]
fn ports_are_those_that_are_given() {
    let policy = Policy::allowlist(&["example.com"], &[8080, 22, 8080]).expect("good");
    assert_eq!(policy.ports(), [22, 8080]);
    for (port, wanted) in [(22, true), (8080, true), (80, false), (443, false)] {
        assert_eq!(policy.permits(&Target { host: "example.com".into(), port }).allowed, wanted, "{port}");
    }
}

#[test]
fn special_addresses_open_only_to_an_entry_that_means_them() {
    for (entries, address, wanted) in [
        (&["example.com"][..], "93.184.216.34", Ok(())),
        (&["example.com"], "10.1.2.3", Err("private")),
        (&["example.com"], "169.254.169.254", Err("a metadata address")),
        (&["example.com"], "::ffff:10.1.2.3", Err("private")),
        (&["10.1.2.3"], "10.1.2.3", Ok(())),
        (&["10.1.2.3"], "::ffff:10.1.2.3", Ok(())),
        (&["10.1.2.3"], "10.1.2.4", Err("private")),
        (&["10.1.0.0/16"], "10.1.2.3", Ok(())),
        (&["10.0.0.0/8"], "10.1.2.3", Ok(())),
        (&["0.0.0.0/0"], "10.1.2.3", Err("private")),
        (&["0.0.0.0/0"], "93.184.216.34", Ok(())),
        (&["169.254.0.0/16"], "169.254.1.1", Ok(())),
        (&["169.254.0.0/16"], "169.254.169.254", Err("a metadata address")),
        (&["169.254.169.254"], "169.254.169.254", Ok(())),
        (&["127.0.0.1"], "127.0.0.1", Err("loopback")),
        (&["::1"], "::1", Err("loopback")),
        (&["0.0.0.0"], "0.0.0.0", Err("this machine")),
        (&["224.0.0.1"], "224.0.0.1", Err("multicast or reserved")),
        (&["fd12::/16"], "fd12::1", Ok(())),
        (&["::/0"], "fd12::1", Err("private")),
    ] {
        let policy = Policy::allowlist(entries, &[]).expect("good entries");
        assert_eq!(policy.opens(address.parse().expect("an address")), wanted, "{entries:?}, {address}");
    }
}
