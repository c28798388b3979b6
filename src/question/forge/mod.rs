//! New corpora of invented facts, with questions whose answers are proved.

mod baselines;
mod draw;
mod gates;
mod ground;
mod invent;
mod make;
mod mistakes;
mod needs;
mod pools;
mod score;
mod types;
mod vendor;
mod words;

pub use baselines::{Baseline, baselines};
pub use gates::Gate;
pub use invent::{AS_OF, invent};
pub use make::{Forged, Request, Tally, make};
pub use score::Tier;
pub use types::QuestionType;
pub use vendor::vendor;
