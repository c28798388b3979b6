//! What the agent left at `/app/answer.txt`, decoded by one written rule.
//!
//! This room must not judge: it says whether there is an answer and what text it holds. The bytes are kept as they
//! were found, so that a later reader can decide otherwise.
//!
//! The rule: the bytes must be UTF-8. One byte order mark at the start is dropped, CR LF and lone CR become LF.
//! Anything else (spaces, empty text, control characters) is the agent's and stays.

use crate::sandbox::{self, File, Found, Sandbox};
use serde::{Deserialize, Serialize};

/// Where every agent leaves its answer, in the container.
pub const PATH: &str = "/app/answer.txt";

/// The largest answer that is read, in bytes.
pub const CAP: u64 = 1 << 20;

/// What was found at [`PATH`] when the agent's phase had ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A regular UTF-8 file within [`CAP`].
    Text {
        /// The decoded text.
        text: String,
        /// The bytes as they were in the container.
        raw: Vec<u8>,
    },
    /// Nothing that counts as an answer.
    None {
        /// Why it does not count.
        reason: NoAnswer,
        /// The bytes, where there were any within [`CAP`] (text that isn't UTF-8).
        raw: Option<Vec<u8>>,
    },
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoAnswer {
    /// Nothing is at the path.
    Missing,
    /// The path, or a folder on the way to it, is a symbolic link.
    SymbolicLink,
    /// The file has more than one name (a hard link).
    HardLink,
    /// The path is a directory.
    Directory,
    /// The path is a named pipe.
    Fifo,
    /// The path is a socket.
    Socket,
    /// The path is a device.
    Device,
    /// The file is larger than [`CAP`].
    TooLarge,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The file could not be opened or read, though nothing of ours had failed.
    Unreadable,
    /// The agent hands its answer in with a tool, and has not done that.
    NotHandedIn,
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoAnswer::Missing => "no file at /app/answer.txt",
            NoAnswer::SymbolicLink => "/app/answer.txt, or a folder above it, is a symbolic link",
            NoAnswer::HardLink => "/app/answer.txt is a hard link",
            NoAnswer::Directory => "/app/answer.txt is a directory",
            NoAnswer::Fifo => "/app/answer.txt is a named pipe",
            NoAnswer::Socket => "/app/answer.txt is a socket",
            NoAnswer::Device => "/app/answer.txt is a device",
            NoAnswer::TooLarge => "/app/answer.txt is larger than 1 MiB",
            NoAnswer::NotUtf8 => "/app/answer.txt is not UTF-8 text",
            NoAnswer::Unreadable => "/app/answer.txt can't be read",
            NoAnswer::NotHandedIn => "the agent has handed in no answer",
        })
    }
}

/// Decodes the bytes of a regular file at [`PATH`] by the rule above.
pub fn decode(raw: Vec<u8>) -> Answer {
    let body = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&raw);
    match std::str::from_utf8(body) {
        Ok(text) => {
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            Answer::Text { text, raw }
        }
        Err(_) => Answer::None { reason: NoAnswer::NotUtf8, raw: Some(raw) },
    }
}

/// Reads and decodes what the agent left. Call it when no process of the agent is alive any more.
///
/// # Errors
/// Where the sandbox can't be asked; that is no statement about the answer.
pub async fn collect(sandbox: &mut Sandbox) -> Result<Answer, sandbox::Error> {
    let found = match sandbox.read(PATH, CAP).await? {
        File::Regular(raw) => return Ok(decode(raw)),
        File::Other(found) => found,
    };
    let reason = match found {
        Found::Missing => NoAnswer::Missing,
        Found::SymbolicLink => NoAnswer::SymbolicLink,
        Found::HardLink => NoAnswer::HardLink,
        Found::Directory => NoAnswer::Directory,
        Found::Fifo => NoAnswer::Fifo,
        Found::Socket => NoAnswer::Socket,
        Found::Device => NoAnswer::Device,
        Found::TooLarge => NoAnswer::TooLarge,
        Found::Regular | Found::Unreadable => NoAnswer::Unreadable,
    };
    Ok(Answer::None { reason, raw: None })
}
