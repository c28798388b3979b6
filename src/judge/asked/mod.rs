//! Judges that ask a model: what they are asked, how their words are read, how votes become one verdict.
//!
//! A reply is taken where its meaning is plain, however it is wrapped; anything else is "could not be read", which is
//! asked again and at last leaves the trial ungraded. It must never become a reward.

mod answer_set;
mod form;
mod grade;
mod judge;
mod prompt;
mod reply;
mod rubric;
mod votes;
mod xml;

pub use form::Form;
pub use judge::Asking;
