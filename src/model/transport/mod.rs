//! The one place that sends HTTP: to the provider, to the provider with a recording kept, or to a recording alone. It
//! moves bytes and knows no format of a model's; whoever sends says which secrets must not be kept.

mod exchange;
mod live;
mod mask;
mod record;
mod replay;
mod send;

pub use send::{Body, HttpRequest, HttpResponse, Leaves, Transport, TransportError};
