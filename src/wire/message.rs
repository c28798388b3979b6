//! Orders (runner to supervisor) and reports (supervisor to runner): what each frame of stream 0 means.
//! Every decoder checks lengths and rejects what is left over.

use super::fields::{Reader, Writer};
use super::frame::{Malformed, encode};
use std::net::IpAddr;

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
    /// Send the paths of the regular files below a folder, as a `Read` sends a file: relative paths in order, a zero
    /// byte after each. No link is followed; a path that isn't UTF-8 is left out.
    List {
        /// Absolute path in the container.
        path: String,
        /// Send nothing of a list that is larger than this many bytes.
        cap: u64,
    },
    /// From now on listed hosts can be reached, as streams beside stream 0. At most once, before any command runs;
    /// without it there is no relay at all.
    Network(Listed),
    /// End, and the container with it.
    Quit,
}

/// What can be reached through the relay. Whether a stream is let out is decided by the runner alone; what is not
/// here never gets as far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Host names, lower case, without a final dot.
    pub names: Vec<String>,
    /// `example.com` for every name below it, at any depth, and not for itself.
    pub suffixes: Vec<String>,
    /// Addresses and networks, as an address and the length of its prefix in bits.
    pub ranges: Vec<(IpAddr, u8)>,
    /// TCP ports, on each of the hosts.
    pub ports: Vec<u16>,
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
    /// What is at the path of a `Read` or a `List`, before its `Bytes`.
    File {
        /// What was found; `Regular` for a folder that is listed.
        found: Found,
        /// Its size in bytes, where it is a regular file or a list.
        size: u64,
    },
    /// A piece of the file, in order.
    Bytes(Vec<u8>),
    /// The order is done (`Mkdir`, `Write`, `Read`, `List`).
    Done,
    /// The order could not be done, through no doing of the agent's; says why.
    Failed(String),
    /// A name was asked for that isn't listed. Each name is told once, and at most [`UNLISTED`] of them.
    Unlisted(String),
}

/// How many unlisted names are told.
pub const UNLISTED: usize = 256;

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
            Order::Run(run) => {
                run.write(&mut w);
                b'r'
            }
            Order::Read { path, cap } => w.text(path).u64(*cap).kind(b'f'),
            Order::List { path, cap } => w.text(path).u64(*cap).kind(b'l'),
            Order::Network(listed) => {
                listed.write(&mut w);
                b'n'
            }
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
            b'r' => Order::Run(Run::read(&mut r)?),
            b'f' => Order::Read { path: r.text()?, cap: r.u64()? },
            b'l' => Order::List { path: r.text()?, cap: r.u64()? },
            b'n' => Order::Network(Listed::read(&mut r)?),
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
            Report::Exited(exit) => {
                exit.write(&mut w);
                b'X'
            }
            Report::File { found, size } => {
                let index = FOUND.iter().position(|f| f == found).unwrap_or(FOUND.len() - 1);
                w.u32(index as u32).u64(*size).kind(b'F')
            }
            Report::Bytes(bytes) => return encode(out, b'B', 0, bytes),
            Report::Done => b'D',
            Report::Failed(why) => w.text(why).kind(b'!'),
            Report::Unlisted(name) => w.text(name).kind(b'N'),
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
            b'X' => Report::Exited(Exit::read(&mut r)?),
            b'F' => {
                let found = FOUND.get(r.u32()? as usize).ok_or(Malformed("an unknown kind of file"))?;
                Report::File { found: *found, size: r.u64()? }
            }
            b'B' => return Ok(Report::Bytes(payload.to_vec())),
            b'D' => Report::Done,
            b'!' => Report::Failed(r.text()?),
            b'N' => Report::Unlisted(r.text()?),
            _ => return Err(Malformed("a report of an unknown kind")),
        };
        r.end()?;
        Ok(report)
    }
}

fn write_status(w: &mut Writer, status: Option<i32>) {
    w.flag(status.is_some()).u32(status.unwrap_or(0) as u32);
}

fn read_status(r: &mut Reader<'_>) -> Result<Option<i32>, Malformed> {
    let (is_some, n) = (r.flag()?, r.u32()? as i32);
    Ok(is_some.then_some(n))
}

impl Run {
    fn write(&self, w: &mut Writer) {
        w.list(&self.argv, |w, arg| _ = w.text(arg));
        w.list(&self.env, |w, (name, value)| _ = w.text(name).text(value));
        w.text(&self.cwd).text(&self.user).u64(self.timeout_ms).u64(self.grace_ms).u64(self.output_cap);
    }

    fn read(r: &mut Reader<'_>) -> Result<Run, Malformed> {
        Ok(Run {
            argv: r.list(|r| r.text())?,
            env: r.list(|r| Ok((r.text()?, r.text()?)))?,
            cwd: r.text()?,
            user: r.text()?,
            timeout_ms: r.u64()?,
            grace_ms: r.u64()?,
            output_cap: r.u64()?,
        })
    }
}

impl Listed {
    fn write(&self, w: &mut Writer) {
        w.list(&self.names, |w, name| _ = w.text(name));
        w.list(&self.suffixes, |w, suffix| _ = w.text(suffix));
        w.list(&self.ranges, |w, (address, prefix)| {
            match address {
                IpAddr::V4(v4) => w.bytes(&v4.octets()),
                IpAddr::V6(v6) => w.bytes(&v6.octets()),
            };
            w.u16(u16::from(*prefix));
        });
        w.list(&self.ports, |w, port| _ = w.u16(*port));
    }

    fn read(r: &mut Reader<'_>) -> Result<Listed, Malformed> {
        Ok(Listed {
            names: r.list(|r| r.text())?,
            suffixes: r.list(|r| r.text())?,
            ranges: r.list(read_range)?,
            ports: r.list(|r| r.u16())?,
        })
    }
}

fn read_range(r: &mut Reader<'_>) -> Result<(IpAddr, u8), Malformed> {
    let octets = r.bytes()?;
    let (address, width) = match (<[u8; 4]>::try_from(octets), <[u8; 16]>::try_from(octets)) {
        (Ok(v4), _) => (IpAddr::from(v4), 32),
        (_, Ok(v6)) => (IpAddr::from(v6), 128),
        _ => return Err(Malformed("an address has neither 4 nor 16 bytes")),
    };
    match u8::try_from(r.u16()?) {
        Ok(prefix) if prefix <= width => Ok((address, prefix)),
        _ => Err(Malformed("a range is longer than its address")),
    }
}

impl Exit {
    fn write(&self, w: &mut Writer) {
        write_status(w, self.code);
        write_status(w, self.signal);
        w.flag(self.timed_out).u64(self.micros).u64(self.output).u64(self.dropped);
    }

    fn read(r: &mut Reader<'_>) -> Result<Exit, Malformed> {
        Ok(Exit {
            code: read_status(r)?,
            signal: read_status(r)?,
            timed_out: r.flag()?,
            micros: r.u64()?,
            output: r.u64()?,
            dropped: r.u64()?,
        })
    }
}
