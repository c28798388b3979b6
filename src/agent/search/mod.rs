//! The agent `messages-search`: a model of the Messages interface that searches the web with its provider's own tools,
//! called from the provider's code cells. Nothing of it runs in the sandbox, so no allowlist of ours holds for it; whoever
//! starts it decides whether that is allowed. It must not judge, and a provider's trouble must never end as the model's
//! failure.

mod drive;
mod history;
mod notes;
mod request;
mod said;
mod settings;

pub use drive::drive;
pub use notes::SearchRun;
pub use settings::{Search, Settings};
