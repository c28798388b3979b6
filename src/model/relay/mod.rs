//! The model relay: an agent in a closed sandbox speaks to it as to its provider, with a token that is worth nothing
//! outside. The relay puts the real key in its place, sends the request on over TLS and passes the answer back as it
//! comes, unaltered; on the side it reads what was said and what was used. It refuses other paths, tools that would let the provider
//! look things up outside, and what is over a cap. It must not know sandboxes: it serves whatever stream it is given.

mod answer;
mod call;
mod forward;
mod heard;
mod route;
mod trial;
mod used;

pub use call::Called;
pub use heard::{Heard, Turn};
pub use trial::{HOST, Halt, PORT, Relay, TrialRelay};
pub use used::ModelUse;
