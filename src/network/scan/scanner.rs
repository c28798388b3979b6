//! What an agent sends on one stream, from its first byte on: found to be TLS, HTTP/1 or something else, and passed on
//! as soon as it is known to be for the right host. Pure: bytes in, bytes out.

use super::chunks::Chunks;
use super::http::{Body, Upgrade, head};
use super::tls::{self, Hello, hello};
use crate::network::Reason;
use crate::network::host::Host;

/// The most bytes that are held back.
const HELD: usize = 64 << 10;
const TOO_LONG: Reason = Reason::Unreadable("a beginning that is longer than any hello or request");

/// The watcher of one stream.
pub(crate) struct Scanner {
    host: Host,
    at: At,
    /// What can't be passed on yet.
    held: Vec<u8>,
    /// With fewer bytes held than this, there is nothing new to find.
    wanted: usize,
    /// So many of the bytes held have been looked at and don't end a line.
    seen: usize,
    /// The first request of the connection is still to come.
    first: bool,
}

enum At {
    /// Before the first line or hello.
    Start,
    /// In the head of a request.
    Head,
    /// In a body that has so many bytes left.
    Fixed(u64, Option<Upgrade>),
    /// In a chunked body.
    Chunked(Chunks, Option<Upgrade>),
    /// Behind a request that offers to switch protocols.
    Offered(Upgrade),
    /// Something that names no host, or that has named the right one for good.
    Open,
}

impl Scanner {
    /// A watcher of a stream to this host.
    pub(crate) fn new(host: Host) -> Scanner {
        Scanner { host, at: At::Start, held: Vec::new(), wanted: 1, seen: 0, first: true }
    }

    /// Takes what the agent has sent and puts what may be passed on behind `clear`.
    ///
    /// # Errors
    /// Why none of it may be passed on, and the stream has to end.
    pub(crate) fn push(&mut self, bytes: &[u8], clear: &mut Vec<u8>) -> Result<(), Reason> {
        if self.held.is_empty() {
            let used = self.scan(bytes, clear)?;
            self.held.extend_from_slice(&bytes[used..]);
        } else {
            self.held.extend_from_slice(bytes);
            self.scan_held(clear)?;
        }
        if self.held.len() > HELD && !self.waits_for_answer() { Err(TOO_LONG) } else { Ok(()) }
    }

    /// The agent has sent its end: what is held may be passed on if it can't be the beginning of TLS or HTTP/1 any
    /// more.
    ///
    /// # Errors
    /// It can.
    pub(crate) fn end(&mut self, clear: &mut Vec<u8>) -> Result<(), Reason> {
        let text = matches!(self.at, At::Start) && self.held.first() != Some(&tls::RECORD) && !says_http(&self.held);
        if !self.held.is_empty() && !text {
            return Err(Reason::Unreadable("ends within a hello or a request"));
        }
        clear.append(&mut self.held);
        Ok(())
    }

    /// Whether bytes are held back until more come.
    pub(crate) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Why the stream has to end when what is held has been held for too long.
    pub(crate) fn overdue(&self) -> Reason {
        Reason::Unreadable("a hello, request or first line that did not come whole in time")
    }

    /// Whether nothing more can be said until the server has begun to answer: the first request offers to switch
    /// protocols. Later requests can't, since the answer to them would have to be found among others.
    pub(crate) fn waits_for_answer(&self) -> bool {
        matches!(self.at, At::Offered(_))
    }

    /// The server has begun to answer, or will not: with a switch of protocols, or without.
    ///
    /// # Errors
    /// It switches to HTTP/2, or as [`Scanner::push`].
    pub(crate) fn answered(&mut self, switches: bool, clear: &mut Vec<u8>) -> Result<(), Reason> {
        let At::Offered(offer) = self.at else { return Ok(()) };
        self.at = match (switches, offer) {
            (false, _) => At::Head,
            (true, Upgrade::Other) => At::Open,
            (true, Upgrade::PlainHttp2) => return Err(Reason::PlainHttp2),
        };
        self.scan_held(clear)
    }

    fn scan_held(&mut self, clear: &mut Vec<u8>) -> Result<(), Reason> {
        let held = std::mem::take(&mut self.held);
        let used = self.scan(&held, clear)?;
        self.held = held;
        self.held.drain(..used);
        Ok(())
    }

    /// Reads on from what is held; how many of the bytes have been passed on.
    fn scan(&mut self, bytes: &[u8], clear: &mut Vec<u8>) -> Result<usize, Reason> {
        let mut used = 0;
        loop {
            let rest = &bytes[used..];
            if rest.is_empty() {
                // A body without bytes is over at once.
                self.skip_empty_body();
                return Ok(used);
            }
            if rest.len() < self.wanted {
                return Ok(used);
            }
            let Some(passed) = self.step(rest)? else { return Ok(used) };
            clear.extend_from_slice(&rest[..passed]);
            used += passed;
            if passed > 0 {
                (self.wanted, self.seen) = (1, 0);
            }
        }
    }

    fn skip_empty_body(&mut self) {
        if let At::Fixed(0, offer) = self.at {
            self.at = offer.map_or(At::Head, At::Offered);
        }
    }

    /// How many of the bytes may pass; `None` while more have to come first.
    fn step(&mut self, rest: &[u8]) -> Result<Option<usize>, Reason> {
        self.skip_empty_body();
        match &mut self.at {
            At::Open => Ok(Some(rest.len())),
            At::Offered(_) => Ok(None),
            // Servers pass over empty lines before a request, and so do we.
            At::Start | At::Head if matches!(rest[0], b'\r' | b'\n') => Ok(Some(1)),
            At::Start if rest[0] == tls::RECORD => self.hello(rest),
            At::Start => Ok(self.first_line(rest)),
            At::Head => self.head(rest),
            At::Fixed(left, _) => {
                let here = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= here as u64;
                Ok(Some(here))
            }
            At::Chunked(chunks, offer) => {
                let (here, done) = chunks.push(rest)?;
                if done {
                    self.at = offer.map_or(At::Head, At::Offered);
                }
                Ok(Some(here))
            }
        }
    }

    fn hello(&mut self, rest: &[u8]) -> Result<Option<usize>, Reason> {
        match hello(rest, &self.host)? {
            Hello::Short(wanted) => {
                self.wanted = wanted;
                return Ok(None);
            }
            Hello::Whole | Hello::NotTls => self.at = At::Open,
        }
        Ok(Some(rest.len()))
    }

    /// HTTP/1 shows by its first line. Any other byte below a space than those that servers take for one says that this
    /// is no line of text.
    fn first_line(&mut self, rest: &[u8]) -> Option<usize> {
        let ends = |b: &u8| *b < b' ' && !(b'\t'..=b'\r').contains(b) || *b == b'\n';
        match rest[self.seen..].iter().position(ends).map(|end| self.seen + end) {
            None => {
                self.seen = rest.len();
                None
            }
            Some(end) if says_http(&rest[..end]) => {
                (self.at, self.seen) = (At::Head, 0);
                Some(0)
            }
            Some(_) => {
                self.at = At::Open;
                Some(rest.len())
            }
        }
    }

    fn head(&mut self, rest: &[u8]) -> Result<Option<usize>, Reason> {
        // A head ends with a line's end: only that is worth a look, however the bytes trickle in.
        let news = rest[self.seen..].contains(&b'\n');
        self.seen = rest.len();
        let Some(head) = news.then(|| head(rest, &self.host)).transpose()?.flatten() else { return Ok(None) };
        let offer = head.upgrade.filter(|_| self.first);
        self.at = match head.body {
            Body::Fixed(bytes) => At::Fixed(bytes, offer),
            Body::Chunked => At::Chunked(Chunks::default(), offer),
        };
        self.first = false;
        Ok(Some(head.length))
    }
}

fn says_http(line: &[u8]) -> bool {
    line.windows(5).any(|word| word.eq_ignore_ascii_case(b"http/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What streams are made of here: parts of TLS, of HTTP/1, and noise.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            prop::sample::select(vec![
                "GET / HTTP/1.1\r\n",
                "POST http://a.test/ HTTP/1.0\r\n",
                "Host: a.test\r\n",
                "Host: b.test\r\n",
                "Content-Length: 3\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Upgrade: h2c\r\n",
                "\r\n",
                "\n",
                "3\r\nabc\r\n",
                "0\r\n\r\n",
                "abc",
                "\u{16}\u{3}\u{1}",
                "\0\u{8}",
                "\u{1}\0\0\u{4}",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 0..8),
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    /// What passes and whether the stream lives on, when the bytes come in pieces and no server switches.
    fn scanned<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, bool) {
        let mut scanner = Scanner::new(Host::Name("a.test".to_owned()));
        let mut clear = Vec::new();
        for piece in pieces {
            let passed = clear.len();
            if scanner.push(piece, &mut clear).is_err() {
                clear.truncate(passed);
                return (clear, false);
            }
            while scanner.waits_for_answer() {
                if scanner.answered(false, &mut clear).is_err() {
                    return (clear, false);
                }
            }
        }
        let lives = scanner.end(&mut clear).is_ok();
        (clear, lives)
    }

    proptest! {
        #[test]
        fn the_verdict_does_not_depend_on_how_the_bytes_come(bytes in bytes(), size in 1_usize..9) {
            let (whole, lives) = scanned([&bytes[..]].into_iter());
            let (pieces, also) = scanned(bytes.chunks(size));
            prop_assert_eq!(lives, also, "{:?}", String::from_utf8_lossy(&bytes));
            prop_assert!(bytes.starts_with(&whole) && bytes.starts_with(&pieces));
            if lives {
                prop_assert_eq!(&whole, &bytes);
                prop_assert_eq!(&pieces, &bytes);
            }
        }
    }

    #[test]
    fn what_is_held_back_is_bounded() {
        let mut scanner = Scanner::new(Host::Name("a.test".to_owned()));
        let mut clear = Vec::new();
        let pushed = (0..=HELD).take_while(|_| scanner.push(b"x", &mut clear).is_ok()).count();
        assert_eq!(pushed, HELD);
        assert!(clear.is_empty());
    }
}
