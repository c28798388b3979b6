//! What runner and supervisor say to each other over one byte stream, in both directions, and the limits of it.
//!
//! This room must stay free of dependencies and of `crate::` paths: the supervisor's program takes it in by path and
//! is built from the standard library alone. What comes out of a container is untrusted, so every decoder here gives
//! an error instead of panicking or growing without bound.
//!
//! The stream is a row of frames: one byte kind, four bytes stream id, four bytes length (both little-endian), then
//! that many bytes. Stream 0 carries orders and reports; each other id is one TCP connection of the agent to a listed
//! host, with flow control of its own.

mod fields;
mod frame;
mod message;
mod stream;

pub use frame::{Decoder, Frame, HEADER, MAX_PAYLOAD, Malformed, encode};
pub use message::{CHUNK, Exit, Found, Listed, Order, Report, Run, Source, UNLISTED};
pub use stream::{Part, STREAMS, WINDOW};
