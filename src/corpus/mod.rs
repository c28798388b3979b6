//! One vendored corpus: its documents, its questions with their keys, its rubric, and one digest over the documents.
//!
//! This room reads a vendor directory and says everything that is wrong with it at once, with file and line. It must
//! not write, and it doesn't know what a task is: ids are all that it gives to the tasks made from it. Links are
//! refused by name, since what they lead to is not vendored.

mod document;
mod error;
mod load;
mod question;
mod suite;

pub use document::{Document, documents};
pub use error::{Error, Problem};
pub use load::{Corpus, check_rubric, find, load, refuse_secret};
pub use question::{Question, at_path};
pub use suite::{Fields, MODEL_HOSTS, Suite, check_id_prefix};
