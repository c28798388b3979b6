//! Models behind their providers' interfaces: one request in, one reply or one named failure out, and what it cost.
//!
//! The room knows wire formats, retries, usage, prices, and how traffic is recorded and played back. It must not know
//! tasks, agents or judges, and it must never show a key: not in an error, a log, a recording or a debug print.

mod client;
mod endpoint;
mod error;
mod failure;
mod format;
mod price;
mod relay;
mod reply;
mod request;
mod retry;
mod secret;
mod spend;
mod transport;
mod usage;

pub use client::{Client, Settings, patience};
pub use endpoint::{Api, Endpoint};
pub use error::Error;
pub use failure::{Class, Failure};
pub use format::{Meter, Piece, Who};
pub use price::{Long, Price, Prices};
pub use relay::{Called, HOST, Halt, Heard, ModelUse, PORT, Relay, TrialRelay, Turn};
pub use reply::{Reply, Stop};
pub use request::{Block, Message, Request, Role, Schema, Tool};
pub use retry::Retry;
pub use secret::Secret;
pub use spend::{Caps, Purse, Spend};
pub use transport::{Body, HttpRequest, HttpResponse, Leaves, Transport, TransportError};
pub use usage::Usage;
