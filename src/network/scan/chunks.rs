//! Where a chunked body ends (RFC 9112 §7.1), byte by byte and strictly.

use crate::network::Reason;

const BROKEN: Reason = Reason::Unreadable("an HTTP/1 body whose chunks can't be read");
/// The longest line of a chunk's size with its extensions, and the most bytes of trailers.
const LONGEST: usize = 16 << 10;

/// How far a chunked body has been read.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    at: At,
    /// Bytes of the line or trailers being read.
    line: usize,
}

#[derive(Debug)]
enum At {
    /// In the digits of a size.
    Size(u64, usize),
    /// Behind them, before the line's end.
    Extension(u64),
    /// Behind the CR of a size's line.
    SizeEnd(u64),
    /// In a chunk that has so many bytes left.
    Data(u64),
    /// Behind a chunk.
    DataEnd,
    /// Behind the CR that follows a chunk.
    DataEndCr,
    /// At the start of a trailer's line.
    Trailer,
    /// In a trailer's line.
    InTrailer,
    /// Behind the CR of the line that ends the body.
    LastCr,
    /// The body has ended.
    Done,
}

impl Default for At {
    fn default() -> At {
        At::Size(0, 0)
    }
}

impl Chunks {
    /// Reads on; how many of the bytes belong to the body, and whether it has ended with them.
    ///
    /// # Errors
    /// A chunk can't be read.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(usize, bool), Reason> {
        let mut used = 0;
        while used < bytes.len() {
            if let At::Data(left) = &mut self.at {
                let here = (bytes.len() - used).min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= here as u64;
                used += here;
                if *left == 0 {
                    self.at = At::DataEnd;
                }
                continue;
            }
            self.line += 1;
            if self.line > LONGEST {
                return Err(BROKEN);
            }
            self.step(bytes[used])?;
            used += 1;
            match self.at {
                At::Done => return Ok((used, true)),
                At::Data(_) | At::Size(0, 0) => self.line = 0,
                _ => {}
            }
        }
        Ok((used, false))
    }

    fn step(&mut self, byte: u8) -> Result<(), Reason> {
        self.at = match (&self.at, byte) {
            (At::Size(size, digits), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if *digits < 15 => {
                let digit = char::from(byte).to_digit(16).ok_or(BROKEN)?;
                At::Size(size * 16 + u64::from(digit), digits + 1)
            }
            (At::Size(size, 1..), b';' | b' ' | b'\t') => At::Extension(*size),
            (At::Size(size, 1..), b'\r') | (At::Extension(size), b'\r') => At::SizeEnd(*size),
            (At::Extension(size), byte) if byte != b'\n' => At::Extension(*size),
            (At::SizeEnd(0), b'\n') => At::Trailer,
            (At::SizeEnd(size), b'\n') => At::Data(*size),
            (At::DataEnd, b'\r') => At::DataEndCr,
            (At::DataEndCr, b'\n') => At::Size(0, 0),
            (At::Trailer, b'\r') => At::LastCr,
            (At::LastCr, b'\n') => At::Done,
            (At::Trailer, byte) if byte != b'\n' => At::InTrailer,
            (At::InTrailer, b'\n') => At::Trailer,
            (At::InTrailer, _) => At::InTrailer,
            _ => return Err(BROKEN),
        };
        Ok(())
    }
}
