//! A closed box that runs one agent: write, run, read, close. This room knows containers, not tasks.
//!
//! Everything outside `docker/` is free of Docker's nouns: an engine gives a byte stream to a supervisor, and
//! `session` speaks with it. A second engine needs the same supervisor and the same stream, nothing else. What comes
//! over that stream is the agent's territory: a broken rule there is [`crate::sandbox::Error::Spoiled`], never a fault
//! of ours.

mod bring;
pub mod docker;
mod engine;
mod error;
pub mod fake;
mod mux;
mod relay;
mod session;
mod spec;
mod stream;

pub use crate::wire::{Exit, Found};
pub use bring::{LOG_FOLDERS, bring_in};
pub use engine::{Engine, Sandbox};
pub use error::Error;
pub use relay::Relay;
pub use session::{Broken, Session};
pub use spec::{Command, File, Image, ImageSource, Limits, Network, Owner, Spec};
