//! DNS messages (RFC 1035): one question out of whatever an agent sends, and the answer to it. Pure. It knows no names,
//! and it never asks anybody: a query ends here.

use std::net::Ipv4Addr;

/// The type of an IPv4 address's record.
pub const A: u16 = 1;
const INTERNET: u16 = 1;
const HEADER: usize = 12;
/// The longest name, in bytes, as text (RFC 1035, section 2.3.4).
const LONGEST: usize = 253;
/// How long a program may remember an answer, in seconds. Names keep their addresses as long as the container runs.
const TTL: u32 = 60;

/// What to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The name's address.
    Address(Ipv4Addr),
    /// The name is there, and has nothing of that type.
    Empty,
    /// There is no such name.
    NoSuchName,
    /// It can't be answered now.
    Failed,
}

/// What a message asks.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// The name in lower case, with dots between its labels and none at the end; what is no letter, digit, hyphen or
    /// underscore stands as `?`, so that it equals no name that can be listed.
    pub name: String,
    /// The type asked for.
    pub kind: u16,
    /// Where the question ends in the message.
    end: usize,
}

/// Reads a query. `Err` holds the refusal to send, where the sender can be told at all.
pub fn question(message: &[u8]) -> Result<Question, Option<Vec<u8>>> {
    const FORMAT_ERROR: u8 = 1;
    const NOT_IMPLEMENTED: u8 = 4;
    // Too short for an id, or an answer itself.
    if message.len() < HEADER || message[2] & 0x80 != 0 {
        return Err(None);
    }
    if message[2] & 0x78 != 0 {
        return Err(Some(reply(message, &[], NOT_IMPLEMENTED, 0)));
    }
    let parsed = if message[4..6] == [0, 1] { parse(message) } else { None };
    let Some((question, class)) = parsed else { return Err(Some(reply(message, &[], FORMAT_ERROR, 0))) };
    if class != INTERNET {
        return Err(Some(reply(message, &message[HEADER..question.end], NOT_IMPLEMENTED, 0)));
    }
    Ok(question)
}

fn parse(message: &[u8]) -> Option<(Question, u16)> {
    let mut name = String::new();
    let mut at = HEADER;
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        // A longer one is a pointer, which a question has no use for.
        if length > 63 {
            return None;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.extend(message.get(at..at + length)?.iter().map(|byte| plain(*byte)));
        at += length;
        if name.len() > LONGEST {
            return None;
        }
    }
    let number = |from: usize| Some(u16::from_be_bytes([*message.get(from)?, *message.get(from + 1)?]));
    let (kind, class) = (number(at)?, number(at + 2)?);
    Some((Question { name, kind, end: at + 4 }, class))
}

fn plain(byte: u8) -> char {
    let byte = byte.to_ascii_lowercase();
    if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' { char::from(byte) } else { '?' }
}

/// The answer to a question of this message.
pub fn answer(message: &[u8], question: &Question, say: Reply) -> Vec<u8> {
    const SERVER_FAILURE: u8 = 2;
    const NAME_ERROR: u8 = 3;
    let asked = message.get(HEADER..question.end).unwrap_or_default();
    match say {
        Reply::Address(address) => {
            let mut out = reply(message, asked, 0, 1);
            // The name is where the question has it.
            out.extend_from_slice(&[0xc0, HEADER as u8]);
            out.extend_from_slice(&A.to_be_bytes());
            out.extend_from_slice(&INTERNET.to_be_bytes());
            out.extend_from_slice(&TTL.to_be_bytes());
            out.extend_from_slice(&[0, 4]);
            out.extend_from_slice(&address.octets());
            out
        }
        Reply::Empty => reply(message, asked, 0, 0),
        Reply::NoSuchName => reply(message, asked, NAME_ERROR, 0),
        Reply::Failed => reply(message, asked, SERVER_FAILURE, 0),
    }
}

/// Header and question of an answer: the query's id, its wish for recursion, authoritative.
fn reply(message: &[u8], question: &[u8], code: u8, answers: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + question.len() + 16);
    let recursion = message[2] & 0x01;
    out.extend_from_slice(&[message[0], message[1], 0x84 | recursion, 0x80 | code]);
    out.extend_from_slice(&[0, u8::from(!question.is_empty()), 0, answers, 0, 0, 0, 0]);
    out.extend_from_slice(question);
    out
}
