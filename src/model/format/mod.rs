//! How each provider's interface wants a request and gives a reply, whole or as a stream; one file for each.

mod meter;

pub use meter::Meter;
