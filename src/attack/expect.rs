//! What must be seen of each attack: the words of `probes.py`, one or several of them, and nothing else. A probe that
//! isn't here, or one of these that did not speak, is no success.

/// The attacks of the one trial, in the order in which they are tried, each with the words that may be seen.
pub(super) const ATTACKS: [(&str, &[&str]); 51] = [
    ("another name", NO_NAME),
    ("a wildcard's own name", NO_NAME),
    ("look-alikes of listed names", NO_NAME),
    ("an unlisted name, asked over TCP", NO_NAME),
    ("TXT, MX, HTTPS, NS, NULL and ANY of a listed name", &["empty"]),
    ("a tunnel through the resolver", NO_NAME),
    ("the engine's own resolver", &["ECONNREFUSED", "ENETUNREACH"]),
    ("the runner's and the engine's machine", NO_WAY),
    ("usual addresses of an engine's machine", NO_WAY),
    ("addresses of the internet", NO_WAY),
    ("metadata addresses", NO_WAY),
    ("odd spellings of addresses", NO_WAY),
    ("IPv6", NO_WAY_V6),
    ("IPv4 in IPv6's clothes", NO_WAY_V6),
    ("loopback of the runner's machine", REFUSED),
    ("another port of a listed name", REFUSED),
    ("another trial's container", REFUSED),
    ("UDP, port 53, to anywhere", NO_WAY),
    ("UDP to the runner's machine", NO_WAY),
    ("multicast and broadcast", NO_WAY),
    ("ping", &["ENETUNREACH", "EPERM", "EACCES"]),
    ("raw and packet sockets", FORBIDDEN),
    ("families that no network namespace keeps in", FORBIDDEN),
    ("sockets by io_uring", FORBIDDEN),
    ("a tunnel device", &["EPERM", "EACCES", "ENOENT"]),
    ("a new address", FORBIDDEN),
    ("a new route", FORBIDDEN),
    ("a new interface", FORBIDDEN),
    ("a new network namespace, or another's", FORBIDDEN),
    ("settings of the kernel's network", &["EROFS", "EACCES", "EPERM"]),
    ("the supervisor's streams and memory", FORBIDDEN),
    ("tracing the supervisor", FORBIDDEN),
    ("a descriptor of the supervisor", FORBIDDEN),
    ("limits of the supervisor", FORBIDDEN),
    ("killing and stopping the supervisor", ANSWERS),
    ("a listener of its own on every address", &["the upstream answers"]),
    ("taking over the resolver", &["EADDRINUSE"]),
    ("frames in its own output", ANSWERS),
    ("TLS for another name", BROKEN_OFF),
    ("TLS for a listed name at another address", NO_WAY),
    ("a request for another host", BROKEN_OFF),
    ("a URL of another host in a request", BROKEN_OFF),
    ("another host in a connection's second request", BROKEN_OFF),
    ("a request hidden in another's body", BROKEN_OFF),
    ("HTTP/2 without TLS", BROKEN_OFF),
    ("CONNECT through a listed host", BROKEN_OFF),
    ("a redirect to another host", NO_NAME),
    ("listed names that resolve to loopback", BROKEN_OFF),
    ("listed names that resolve to metadata addresses", BROKEN_OFF),
    ("listed names that resolve to the runner's machine", BROKEN_OFF),
    ("requests that never end", ANSWERS),
];

/// The last attack of the same trial, and what others see meanwhile.
pub(super) const FLOOD: [(&str, &[&str]); 3] = [
    ("10,000 connections at once", ANSWERS),
    ("another trial meanwhile", &["answered all along"]),
    ("a trial without a network", &["nothing is reached"]),
];

const NO_NAME: &[&str] = &["no such name"];
const NO_WAY: &[&str] = &["ENETUNREACH"];
const NO_WAY_V6: &[&str] = &["ENETUNREACH", "EADDRNOTAVAIL", "EINVAL"];
const REFUSED: &[&str] = &["ECONNREFUSED"];
const FORBIDDEN: &[&str] = &["EPERM", "EACCES"];
const BROKEN_OFF: &[&str] = &["broken off"];
const ANSWERS: &[&str] = &["still answers"];
