//! Orders (runner to supervisor) and reports (supervisor to runner): what each frame of stream 0 means.
//!
//! Fields are written one after another: numbers little-endian, text and bytes with a four-byte length before them,
//! lists with a four-byte count. Every decoder checks lengths and rejects what is left over.

use super::frame::{Malformed, encode};

/// How many bytes of a file or of output one frame carries.
pub const CHUNK: usize = 64 * 1024;

/// What the runner asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Make a folder, with its parents, with these permission bits.
    Mkdir {
        /// Absolute path in the container.
        path: String,
        /// Permission bits.
        mode: u32,
    },
    /// Write a piece of a file; parents are made.
    Write {
        /// Absolute path in the container.
        path: String,
        /// Permission bits.
        mode: u32,
        /// False for the file's first piece, which replaces what was there.
        append: bool,
        /// The piece, at most [`CHUNK`] bytes.
        bytes: Vec<u8>,
    },
    /// Run a command to its end.
    Run(Run),
    /// Send a regular file, without following any link on the way to it.
    Read {
        /// Absolute path in the container.
        path: String,
        /// Send nothing of a file that is larger than this many bytes.
        cap: u64,
    },
    /// End, and the container with it.
    Quit,
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Program and arguments; the program is looked up in the command's `PATH`.
    pub argv: Vec<String>,
    /// The whole environment, but for `HOME`, which the user's entry gives where it is missing.
    pub env: Vec<(String, String)>,
    /// Folder to run in.
    pub cwd: String,
    /// `name`, `uid`, `name:group` or `uid:gid`; empty for root.
    pub user: String,
    /// Ends the command after this many milliseconds; 0 for never.
    pub timeout_ms: u64,
    /// How long after TERM until KILL, in milliseconds.
    pub grace_ms: u64,
    /// Bytes of output to send; what comes after is read and dropped.
    pub output_cap: u64,
}

/// What the supervisor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// It runs and reads orders.
    Ready,
    /// The command wrote something.
    Output {
        /// Where to.
        source: Source,
        /// What, at most [`CHUNK`] bytes.
        bytes: Vec<u8>,
    },
    /// The command has ended, and every process it left is gone.
    Exited(Exit),
    /// What is at the path of a `Read`, before its `Bytes`.
    File {
        /// What was found.
        found: Found,
        /// Its size in bytes, where it is a regular file.
        size: u64,
    },
    /// A piece of the file, in order.
    Bytes(Vec<u8>),
    /// The order is done (`Mkdir`, `Write`, `Read`).
    Done,
    /// The order could not be done, through no doing of the agent's; says why.
    Failed(String),
}

/// Where output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// The exit code, where it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// Its time was over.
    pub timed_out: bool,
    /// How long it ran, in microseconds, by the container's monotonic clock.
    pub micros: u64,
    /// Bytes it wrote.
    pub output: u64,
    /// Bytes of them that were dropped, over the cap.
    pub dropped: u64,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Found {
    Regular,
    Missing,
    SymbolicLink,
    HardLink,
    Directory,
    Fifo,
    Socket,
    Device,
    TooLarge,
    Unreadable,
}

const FOUND: [Found; 10] = [
    Found::Regular,
    Found::Missing,
    Found::SymbolicLink,
    Found::HardLink,
    Found::Directory,
    Found::Fifo,
    Found::Socket,
    Found::Device,
    Found::TooLarge,
    Found::Unreadable,
];

impl Order {
    /// Appends the order as one frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut w = Writer::default();
        let kind = match self {
            Order::Mkdir { path, mode } => w.text(path).u32(*mode).kind(b'm'),
            Order::Write { path, mode, append, bytes } => w.text(path).u32(*mode).flag(*append).bytes(bytes).kind(b'w'),
            Order::Run(run) => w.run(run).kind(b'r'),
            Order::Read { path, cap } => w.text(path).u64(*cap).kind(b'f'),
            Order::Quit => b'q',
        };
        encode(out, kind, 0, &w.0);
    }

    /// Reads an order from a frame's kind and payload.
    ///
    /// # Errors
    /// [`Malformed`] where the payload isn't exactly one order of that kind.
    pub fn decode(kind: u8, payload: &[u8]) -> Result<Order, Malformed> {
        let mut r = Reader(payload);
        let order = match kind {
            b'm' => Order::Mkdir { path: r.text()?, mode: r.u32()? },
            b'w' => Order::Write { path: r.text()?, mode: r.u32()?, append: r.flag()?, bytes: r.bytes()?.to_vec() },
            b'r' => Order::Run(r.run()?),
            b'f' => Order::Read { path: r.text()?, cap: r.u64()? },
            b'q' => Order::Quit,
            _ => return Err(Malformed("an order of an unknown kind")),
        };
        r.end()?;
        Ok(order)
    }
}

impl Report {
    /// Appends the report as one frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut w = Writer::default();
        let kind = match self {
            Report::Ready => b'R',
            Report::Output { source: Source::Stdout, bytes } => return encode(out, b'O', 0, bytes),
            Report::Output { source: Source::Stderr, bytes } => return encode(out, b'E', 0, bytes),
            Report::Exited(exit) => w.exit(exit).kind(b'X'),
            Report::File { found, size } => {
                let index = FOUND.iter().position(|f| f == found).unwrap_or(FOUND.len() - 1);
                w.u32(index as u32).u64(*size).kind(b'F')
            }
            Report::Bytes(bytes) => return encode(out, b'B', 0, bytes),
            Report::Done => b'D',
            Report::Failed(why) => w.text(why).kind(b'!'),
        };
        encode(out, kind, 0, &w.0);
    }

    /// Reads a report from a frame's kind and payload.
    ///
    /// # Errors
    /// [`Malformed`] where the payload isn't exactly one report of that kind.
    pub fn decode(kind: u8, payload: &[u8]) -> Result<Report, Malformed> {
        let mut r = Reader(payload);
        let report = match kind {
            b'R' => Report::Ready,
            b'O' => return Ok(Report::Output { source: Source::Stdout, bytes: payload.to_vec() }),
            b'E' => return Ok(Report::Output { source: Source::Stderr, bytes: payload.to_vec() }),
            b'X' => Report::Exited(r.exit()?),
            b'F' => {
                let found = FOUND.get(r.u32()? as usize).ok_or(Malformed("an unknown kind of file"))?;
                Report::File { found: *found, size: r.u64()? }
            }
            b'B' => return Ok(Report::Bytes(payload.to_vec())),
            b'D' => Report::Done,
            b'!' => Report::Failed(r.text()?),
            _ => return Err(Malformed("a report of an unknown kind")),
        };
        r.end()?;
        Ok(report)
    }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn kind(&self, kind: u8) -> u8 {
        kind
    }
    fn u32(&mut self, n: u32) -> &mut Writer {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }
    fn u64(&mut self, n: u64) -> &mut Writer {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }
    fn flag(&mut self, yes: bool) -> &mut Writer {
        self.0.push(u8::from(yes));
        self
    }
    fn bytes(&mut self, bytes: &[u8]) -> &mut Writer {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
        self
    }
    fn text(&mut self, text: &str) -> &mut Writer {
        self.bytes(text.as_bytes())
    }
    fn status(&mut self, status: Option<i32>) -> &mut Writer {
        self.flag(status.is_some()).u32(status.unwrap_or(0) as u32)
    }
    fn run(&mut self, run: &Run) -> &mut Writer {
        self.u32(run.argv.len() as u32);
        for arg in &run.argv {
            self.text(arg);
        }
        self.u32(run.env.len() as u32);
        for (name, value) in &run.env {
            self.text(name).text(value);
        }
        self.text(&run.cwd).text(&run.user).u64(run.timeout_ms).u64(run.grace_ms).u64(run.output_cap)
    }
    fn exit(&mut self, exit: &Exit) -> &mut Writer {
        self.status(exit.code).status(exit.signal).flag(exit.timed_out);
        self.u64(exit.micros).u64(exit.output).u64(exit.dropped)
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(Malformed("a frame is shorter than its fields"))?;
        self.0 = rest;
        Ok(head)
    }
    fn u32(&mut self) -> Result<u32, Malformed> {
        let b = self.take(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from(self.u32()?) | u64::from(self.u32()?) << 32)
    }
    fn flag(&mut self) -> Result<bool, Malformed> {
        match self.take(1)? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Malformed("a flag is neither yes nor no")),
        }
    }
    fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let n = self.u32()? as usize;
        self.take(n)
    }
    fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Malformed("a text field isn't UTF-8"))
    }
    fn status(&mut self) -> Result<Option<i32>, Malformed> {
        let (is_some, n) = (self.flag()?, self.u32()? as i32);
        Ok(is_some.then_some(n))
    }
    fn run(&mut self) -> Result<Run, Malformed> {
        // A count is untrusted: nothing is reserved for it, the fields themselves must be there.
        let argv = (0..self.u32()?).map(|_| self.text()).collect::<Result<_, _>>()?;
        let env = (0..self.u32()?).map(|_| Ok((self.text()?, self.text()?))).collect::<Result<_, Malformed>>()?;
        Ok(Run {
            argv,
            env,
            cwd: self.text()?,
            user: self.text()?,
            timeout_ms: self.u64()?,
            grace_ms: self.u64()?,
            output_cap: self.u64()?,
        })
    }
    fn exit(&mut self) -> Result<Exit, Malformed> {
        Ok(Exit {
            code: self.status()?,
            signal: self.status()?,
            timed_out: self.flag()?,
            micros: self.u64()?,
            output: self.u64()?,
            dropped: self.u64()?,
        })
    }
    fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("a frame is longer than its fields")) }
    }
}
