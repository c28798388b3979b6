//! The host that a TLS connection asks for: the server name in its ClientHello. No crate fits: TLS libraries take a
//! hello that they can't use themselves for an error, and parsers don't put together what is spread over records.

use crate::network::Reason;
use crate::network::host::Host;

/// How the first record of a TLS connection begins: a handshake, of any version 3.x (RFC 8446 §5.1).
pub(super) const RECORD: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;
/// The largest payload of one record.
const LARGEST: usize = 1 << 14;

const BROKEN: Reason = Reason::Unreadable("looks like TLS and can't be read");

/// What the first bytes of a TLS connection say.
#[derive(Debug, PartialEq)]
pub(super) enum Hello {
    /// At least so many bytes are needed, all together.
    Short(usize),
    /// The whole hello is there.
    Whole,
    /// It does not begin like TLS.
    NotTls,
}

/// Reads the ClientHello at the start of a connection (RFC 8446 §4.1.2, RFC 6066 §3).
///
/// # Errors
/// It names another host than this one, or can't be read.
pub(super) fn hello(bytes: &[u8], host: &Host) -> Result<Hello, Reason> {
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        if rest.len() < 5 {
            let not_tls = rest.get(1).is_some_and(|major| *major != 3) && message.is_empty();
            return Ok(if not_tls { Hello::NotTls } else { Hello::Short(bytes.len() - rest.len() + 5) });
        }
        let length = usize::from(u16::from_be_bytes([rest[3], rest[4]]));
        if (rest[0], rest[1]) != (RECORD, 3) {
            return if message.is_empty() { Ok(Hello::NotTls) } else { Err(BROKEN) };
        }
        if length == 0 || length > LARGEST {
            return Err(BROKEN);
        }
        let Some(payload) = rest.get(5..5 + length) else {
            return Ok(Hello::Short(bytes.len() - rest.len() + 5 + length));
        };
        message.extend_from_slice(payload);
        rest = &rest[5 + length..];
        if message[0] != CLIENT_HELLO {
            return Err(BROKEN);
        }
        if let [_, a, b, c, body @ ..] = &message[..] {
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if body.len() >= length {
                // What follows a hello in its own records would be read by nobody.
                let body = Some(body).filter(|body| body.len() == length).ok_or(BROKEN)?;
                return check(server_names(body).ok_or(BROKEN)?, host);
            }
        }
    }
}

fn check(names: Vec<&[u8]>, host: &Host) -> Result<Hello, Reason> {
    for name in names {
        let named = String::from_utf8_lossy(name);
        if Host::parse(&named).as_ref() != Ok(host) {
            return Err(super::http::other_host("SNI", &named));
        }
    }
    Ok(Hello::Whole)
}

/// The host names of a hello's body; `None` where it can't be read.
fn server_names(body: &[u8]) -> Option<Vec<&[u8]>> {
    let mut body = Bytes(body);
    body.take(2 + 32)?; // version, random
    body.vector(1)?; // session
    body.vector(2)?; // cipher suites
    body.vector(1)?; // compression
    let mut names = Vec::new();
    if body.0.is_empty() {
        return Some(names);
    }
    let mut extensions = Bytes(body.vector(2)?);
    while !extensions.0.is_empty() {
        let kind = extensions.number(2)?;
        let mut extension = Bytes(extensions.vector(2)?);
        if kind != usize::from(SERVER_NAME) {
            continue;
        }
        let mut list = Bytes(extension.vector(2)?);
        while !list.0.is_empty() {
            let kind = list.number(1)?;
            let name = list.vector(2)?;
            // No other kind exists; how its names look isn't known.
            (kind == usize::from(HOST_NAME)).then_some(())?;
            names.push(name);
        }
    }
    body.0.is_empty().then_some(names)
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of so many bytes, the highest first.
    fn number(&mut self, width: usize) -> Option<usize> {
        Some(self.take(width)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// What follows a length of so many bytes.
    fn vector(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.number(width)?;
        self.take(length)
    }
}
