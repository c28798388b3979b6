//! Where a trial may connect to. `Policy::permits` says so, purely; `Egress` holds to it, outside the sandbox: it
//! resolves allowed names itself, dials what it has checked, and leaves one `Attempt` for each stream. It knows
//! names, addresses and streams; it must not know containers, tasks or the frames that carry a stream to it.

mod address;
mod attempt;
mod egress;
mod error;
mod host;
mod meter;
mod policy;
mod relay;
mod resolve;
mod scan;
mod service;
mod settings;
mod trial;

pub use attempt::{Attempt, End, Request};
pub use egress::Egress;
pub use error::Error;
pub use policy::{Decision, Entry, PORTS, Policy, Reason, Target};
pub use resolve::{Lookup, Resolve, SystemResolver};
pub use service::{Duplex, Served, Service};
pub use settings::Settings;
pub use trial::{RECORDS, Totals, TrialNetwork};
