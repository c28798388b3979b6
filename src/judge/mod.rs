//! Rubric and answer become a verdict. A judge never sees the agent's sandbox, and it tells "wrong" from "could not
//! be judged": the first is a [`crate::judge::Verdict`], the second a [`crate::judge::JudgeError`], which makes a trial
//! ungraded.

mod asked;
mod cases;
mod digest;
mod error;
mod judges;
mod matter;
mod rules;
mod script;
mod scripted;
mod settings;
mod spent;
mod streak;
mod verdict;

pub use cases::{Agreement, Case, CaseKey, Judged, agreement, read_cases, read_rivals};
pub use digest::digest_of;
pub use error::Error;
pub use judges::Judge;
pub use matter::Matter;
pub use rules::{Key, Kind, judge};
pub use script::{SCRIPT, ScriptEnvironment, ScriptRun, ScriptSetup, VERIFIER, run_script};
pub use settings::{Asked, Parameters, Settings};
pub use spent::{RawReply, Spent};
pub use streak::{IN_A_ROW, Streak};
pub use verdict::{JudgeError, Judgment, Marked, Trouble, Verdict, Vote};
