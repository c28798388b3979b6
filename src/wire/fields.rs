//! The fields of a frame's payload, written and read one after another: numbers little-endian, text and bytes with a
//! four-byte length before them, lists with a four-byte count. Reading checks every length and never reserves by one.

use super::frame::Malformed;

/// Writes fields.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Ends a chain: the frame's kind.
    pub fn kind(&self, kind: u8) -> u8 {
        kind
    }
    /// Two bytes.
    pub fn u16(&mut self, n: u16) -> &mut Writer {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }
    /// Four bytes.
    pub fn u32(&mut self, n: u32) -> &mut Writer {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }
    /// Eight bytes.
    pub fn u64(&mut self, n: u64) -> &mut Writer {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }
    /// One byte.
    pub fn flag(&mut self, yes: bool) -> &mut Writer {
        self.0.push(u8::from(yes));
        self
    }
    /// A length, then the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Writer {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
        self
    }
    /// A length, then UTF-8.
    pub fn text(&mut self, text: &str) -> &mut Writer {
        self.bytes(text.as_bytes())
    }
    /// A count, then each item.
    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Writer, &T)) -> &mut Writer {
        self.u32(items.len() as u32);
        for item in items {
            write(self, item);
        }
        self
    }
}

/// Reads fields.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(Malformed("a frame is shorter than its fields"))?;
        self.0 = rest;
        Ok(head)
    }
    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        let b = self.take(2)?;
        Ok(u16::from_le_bytes([b[0], b[1]]))
    }
    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        let b = self.take(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from(self.u32()?) | u64::from(self.u32()?) << 32)
    }
    /// One byte, 0 or 1.
    pub fn flag(&mut self) -> Result<bool, Malformed> {
        match self.take(1)? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Malformed("a flag is neither yes nor no")),
        }
    }
    /// A length, then the bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let n = self.u32()? as usize;
        self.take(n)
    }
    /// A length, then UTF-8.
    pub fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Malformed("a text field isn't UTF-8"))
    }
    /// A count, then each item. The count is untrusted: nothing is reserved for it, the items themselves must be there.
    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a>) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        (0..self.u32()?).map(|_| read(self)).collect()
    }
    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("a frame is longer than its fields")) }
    }
}
