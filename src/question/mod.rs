//! Questions whose answers are proved: the records of a corpus as typed tables, and plans, which say how an answer is
//! found.
//!
//! This room reads records and plans strictly and never guesses. It must not know tasks, agents or judges.

mod error;
mod parse;
mod plan;
mod records;
mod table;
mod value;

pub use error::Error;
pub use plan::{AnswerKind, Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
pub use records::Records;
pub use table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Vehicle,
};
pub use value::{Money, Month};
