//! Shows a job: live lines while it runs (`live`, `terminal`), and one file per format afterwards.
//!
//! A report is a pure function of what is on disk: the same job gives the same bytes, so no clock, no directory names,
//! no order of chance. Whatever an agent, a judge or a file has said passes through `plain` before anybody sees it.

mod bar;
mod belief;
mod calibration;
mod compare;
mod effort;
mod error;
mod failures;
mod html;
mod json;
mod judging;
mod junit;
pub mod live;
mod markdown;
mod models;
mod network;
mod numbers;
mod plain;
mod search;
mod terminal;
mod text;

pub use calibration::{calibration, explain};
pub use compare::{compare_json, compare_markdown, compare_text};
pub use error::Error;
pub use html::html;
pub use json::json;
pub use junit::junit;
pub use markdown::markdown;
pub use numbers::warning;
pub use plain::{clip, plain};
pub use search::doubt;
pub use terminal::{Live, Mode};
pub use text::{WIDTH, beside, column, text};
