//! The host that an HTTP/1 request names, and where its body ends (RFC 9112). What servers could read in two ways is
//! refused, since the host of a next request would be found in the wrong place.

use crate::network::host::Host;
use crate::network::{Reason, attempt};

/// The most headers of one request.
const HEADERS: usize = 128;

/// One request's head.
#[derive(Debug, PartialEq)]
pub(super) struct Head {
    /// Its length in bytes.
    pub(super) length: usize,
    /// What follows it.
    pub(super) body: Body,
    /// The protocol that it offers to switch to.
    pub(super) upgrade: Option<Upgrade>,
}

/// How a body ends.
#[derive(Debug, PartialEq)]
pub(super) enum Body {
    /// After so many bytes; 0 for none.
    Fixed(u64),
    /// With its last chunk.
    Chunked,
}

/// A protocol to switch to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Upgrade {
    /// HTTP/2 without TLS.
    PlainHttp2,
    /// Another, such as a web socket.
    Other,
}

/// Reads the head at the start of `bytes`; `None` while it isn't whole.
///
/// # Errors
/// It names another host than this one, asks for a tunnel, or can't be read in only one way.
pub(super) fn head(bytes: &[u8], host: &Host) -> Result<Option<Head>, Reason> {
    if bytes.starts_with(b"PRI ") {
        return Err(Reason::PlainHttp2);
    }
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Reason::Unreadable("looks like HTTP/1 and can't be read")),
    };
    if request.method == Some("CONNECT") {
        return Err(Reason::Tunnel);
    }
    check_url(request.path.unwrap_or_default(), host)?;
    let fields = Fields::read(request.headers)?;
    if let Some(named) = fields.host.filter(|named| !named.is_empty()) {
        check("Host", named, host)?;
    }
    Ok(Some(Head { length, body: fields.body(request.version == Some(1))?, upgrade: fields.upgrade }))
}

/// A target is a path, `*`, or a whole URL, whose host counts more than `Host` (RFC 9112 §3.2).
fn check_url(target: &str, host: &Host) -> Result<(), Reason> {
    if target.starts_with('/') || target == "*" {
        return Ok(());
    }
    let Some((_, rest)) = target.split_once("://") else {
        return Err(Reason::Unreadable("an HTTP/1 request for neither a path nor a URL"));
    };
    check("URL", rest.split(['/', '?', '#']).next().unwrap_or(rest), host)
}

/// Whether a host with or without a port is this one.
fn check(place: &'static str, named: &str, host: &Host) -> Result<(), Reason> {
    let bare = match named.rsplit_once(':') {
        Some((bare, port)) if !port.contains(']') => {
            if !port.bytes().all(|b| b.is_ascii_digit()) {
                return Err(other_host(place, named));
            }
            bare
        }
        _ => named,
    };
    if Host::parse_url(bare).as_ref() == Ok(host) { Ok(()) } else { Err(other_host(place, named)) }
}

pub(super) fn other_host(place: &'static str, named: &str) -> Reason {
    Reason::OtherHost { place, named: attempt::printable(named) }
}

/// The headers that matter here; each may stand at most once.
#[derive(Default)]
struct Fields<'a> {
    host: Option<&'a str>,
    length: Option<&'a str>,
    coding: Option<&'a str>,
    upgrade: Option<Upgrade>,
}

impl<'a> Fields<'a> {
    fn read(headers: &[httparse::Header<'a>]) -> Result<Fields<'a>, Reason> {
        let mut fields = Fields::default();
        for header in headers {
            let name = header.name.to_ascii_lowercase();
            let text = || std::str::from_utf8(header.value).map(|text| text.trim_matches([' ', '\t']));
            let field = match name.as_str() {
                "host" => &mut fields.host,
                "content-length" => &mut fields.length,
                "transfer-encoding" => &mut fields.coding,
                "upgrade" => {
                    let offers_http2 = String::from_utf8_lossy(header.value).to_ascii_lowercase().contains("h2c");
                    let offer = if offers_http2 { Upgrade::PlainHttp2 } else { Upgrade::Other };
                    fields.upgrade = Some(fields.upgrade.filter(|u| *u == Upgrade::PlainHttp2).unwrap_or(offer));
                    continue;
                }
                _ => continue,
            };
            let value = text().map_err(|_| Reason::Unreadable("an HTTP/1 header that isn't text"))?;
            if field.replace(value).is_some() {
                return Err(Reason::Unreadable("an HTTP/1 request with one header twice"));
            }
        }
        Ok(fields)
    }

    /// RFC 9112 §6.3, without what it only tolerates.
    fn body(&self, version_1_1: bool) -> Result<Body, Reason> {
        let unclear = Reason::Unreadable("an HTTP/1 request whose end isn't clear");
        match (self.coding, self.length) {
            (None, None) => Ok(Body::Fixed(0)),
            (None, Some(length)) if length.bytes().all(|b| b.is_ascii_digit()) => {
                length.parse().map(Body::Fixed).map_err(|_| unclear)
            }
            (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") && version_1_1 => Ok(Body::Chunked),
            _ => Err(unclear),
        }
    }
}
