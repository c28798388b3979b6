//! The agent `loop`: a model on the host, asked turn by turn, whose tools act in the trial's sandbox. The sandbox needs
//! no network and sees no key. It must not judge, and a provider's trouble must never end as the model's failure.

mod drive;
mod settings;
mod tools;

pub use drive::drive;
pub use settings::{Settings, Turns};
