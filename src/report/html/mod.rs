//! The report as one HTML page that needs nothing else: no script to read it, no network, no file beside it.
//!
//! `page` is the frame, `arm` an agent's numbers, `tasks` the table of tasks, `trials` what happened in each, `plot` the
//! drawings. Every text of unknown origin goes through `plain` and then through the template, which escapes it; the
//! page's own policy lets nothing but its own script run.

mod arm;
mod page;
mod plot;
mod tasks;
mod trials;

pub use page::html;
