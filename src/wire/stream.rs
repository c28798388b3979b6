//! Streams beside stream 0: one TCP connection of the agent each, carried over the same byte stream.
//!
//! The supervisor opens them with rising ids, never one twice. Either side sends data, ends its direction ([`Part::Shut`])
//! or ends both at once ([`Part::Reset`]). A stream is over when both directions have ended or one side has reset it;
//! what still arrives for it then was on the way and is dropped.
//!
//! Nobody may have more than [`WINDOW`] bytes on the way in one direction of one stream: the receiver gives back credit
//! as it passes them on. So a stream whose reader is slow neither holds the others up nor grows memory.

use super::fields::{Reader, Writer};
use super::frame::{Malformed, encode};

/// Bytes that may be on the way in each direction of a stream without credit for more.
pub const WINDOW: u32 = 256 * 1024;

/// Streams at once. Further connections wait until one has ended.
pub const STREAMS: usize = 128;

/// The longest name of a host, in bytes (RFC 1035, section 2.3.4, as text).
const LONGEST_NAME: usize = 253;

/// What a frame of a stream means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// The agent has connected to this host; from the supervisor only.
    Open {
        /// A listed name as the agent asked for it, or an address.
        name: &'a str,
        /// The TCP port.
        port: u16,
    },
    /// Bytes, in order; at least one.
    Data(&'a [u8]),
    /// The sender of this sends no more data.
    Shut,
    /// The stream is broken off, both directions.
    Reset,
    /// The sender of this has passed on so many bytes: as many more may come.
    Credit(u32),
}

impl<'a> Part<'a> {
    /// Appends the frame of this stream to `out`.
    pub fn encode(&self, out: &mut Vec<u8>, stream: u32) {
        let mut w = Writer::default();
        let kind = match self {
            Part::Open { name, port } => w.u16(*port).text(name).kind(b'o'),
            Part::Data(bytes) => return encode(out, b'd', stream, bytes),
            Part::Shut => b's',
            Part::Reset => b'x',
            Part::Credit(bytes) => w.u32(*bytes).kind(b'c'),
        };
        encode(out, kind, stream, &w.0);
    }

    /// Reads a stream's frame.
    ///
    /// # Errors
    /// [`Malformed`] where the payload isn't exactly one of that kind, a name isn't printable ASCII, or data is empty
    /// or longer than [`WINDOW`].
    pub fn decode(kind: u8, payload: &'a [u8]) -> Result<Part<'a>, Malformed> {
        let mut r = Reader(payload);
        let part = match kind {
            b'o' => {
                let (port, name) = (r.u16()?, r.bytes()?);
                if name.is_empty() || name.len() > LONGEST_NAME || !name.iter().all(u8::is_ascii_graphic) {
                    return Err(Malformed("a stream to what is no host"));
                }
                Part::Open { port, name: std::str::from_utf8(name).map_err(|_| Malformed("a name isn't ASCII"))? }
            }
            b'd' if payload.is_empty() || payload.len() > WINDOW as usize => {
                return Err(Malformed("a stream's data is empty or longer than its window"));
            }
            b'd' => return Ok(Part::Data(payload)),
            b's' => Part::Shut,
            b'x' => Part::Reset,
            b'c' => Part::Credit(r.u32()?),
            _ => return Err(Malformed("a stream's frame of an unknown kind")),
        };
        r.end()?;
        Ok(part)
    }
}
