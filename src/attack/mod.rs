//! What an agent could try against its closed network, tried in sandboxes of the user's own engine. Each probe proves
//! first that it works where it is allowed; the upstream that it may reach and the canary that it must never reach are
//! this room's own servers. It knows attacks and what must be seen of them; it must not know tasks or Docker, and it
//! prints nothing.

mod error;
mod expect;
mod finding;
mod names;
mod run;
mod servers;

pub use error::Error;
pub use finding::{Finding, Verdict};
pub use run::run;
