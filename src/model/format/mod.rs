//! How each provider's interface wants a request and gives a reply, whole or as a stream; one file for each. A stream is
//! gathered into the same JSON that a whole reply has, so that replies are read in one way only.

mod asked;
mod chat;
mod events;
mod gather;
mod messages;
mod meter;
mod parts;
mod responses;
mod trouble;

pub use asked::{Piece, Who, asked};
pub use events::Events;
pub use gather::Gather;
pub use meter::Meter;
pub use parts::{Parts, body, effective, read, usage};
pub use trouble::{classify, within};
