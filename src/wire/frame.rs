//! Frames: a kind, a stream id, a length, bytes. Nothing here knows what a payload means.

/// Bytes before each payload: kind (1), stream id (4), length (4).
pub const HEADER: usize = 9;

/// The longest payload, in bytes; a longer one is malformed, so a peer can't make the other side hold more.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// The peer broke the rules of the stream; says which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Appends one frame of stream `stream` to `out`. The other side takes none longer than
/// [`MAX_PAYLOAD`].
pub fn encode(out: &mut Vec<u8>, kind: u8, stream: u32, payload: &[u8]) {
    out.reserve(HEADER + payload.len());
    out.push(kind);
    out.extend_from_slice(&stream.to_le_bytes());
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(payload);
}

/// One whole frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What it is.
    pub kind: u8,
    /// Which stream it belongs to; 0 for orders and reports.
    pub stream: u32,
    /// Its bytes.
    pub payload: &'a [u8],
}

/// Cuts a byte stream, fed in any pieces, into frames.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// Takes the next piece of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        // What has been read is dropped first, so the buffer never holds more than one frame and one piece.
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, or `None` until more is fed.
    ///
    /// # Errors
    /// [`Malformed`] where a length is over [`MAX_PAYLOAD`]; the stream can't be read on after that.
    pub fn frame(&mut self) -> Result<Option<Frame<'_>>, Malformed> {
        let rest = &self.buffer[self.start..];
        let Some((head, body)) = rest.split_at_checked(HEADER) else { return Ok(None) };
        let kind = head[0];
        let stream = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let length = u32::from_le_bytes([head[5], head[6], head[7], head[8]]) as usize;
        if length > MAX_PAYLOAD {
            return Err(Malformed("a frame is longer than the limit"));
        }
        if body.len() < length {
            return Ok(None);
        }
        let from = self.start + HEADER;
        self.start = from + length;
        Ok(Some(Frame { kind, stream, payload: &self.buffer[from..from + length] }))
    }
}
