//! The `rules` judge: deterministic, offline, the same verdict for the same bytes. It decides as a careful reader with
//! the rubric would: an answer is right if its final statement says the key and nothing else of the key's kind.
//!
//! The stages, in order: [`normalise`] (one spelling for each sign), [`unwrap`] (an answer's own field), [`addressed`]
//! (sentences to the judge are dropped), [`labels`] (names for "person A"), [`span`] (where the final answer stands),
//! [`token`], a finder for each kind of value, [`standing`] (what is denied, corrected or bracketed does not count), a
//! comparison by kind, and [`refusal`].
//! It must not read anything but its arguments: no file, no clock, no network. Text in an answer is data.

mod addressed;
mod blood;
mod category;
mod compare;
mod contest;
mod currency;
mod date;
mod decide;
mod denial;
mod key;
mod labels;
mod lacking;
mod list;
mod lone;
mod markup;
mod money;
mod name;
mod normalise;
mod number;
mod number_words;
mod numerals;
mod people;
mod predicate;
mod ranking;
mod refusal;
mod score;
mod span;
mod standing;
mod states;
mod supposed;
mod token;
mod total;
mod unwrap;
mod words;
mod yesno;

pub use decide::judge;
pub use key::{Key, Kind};
