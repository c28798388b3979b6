//! Questions whose answers are proved: the records of a corpus as typed tables, and plans, which say how an answer is
//! found.
//!
//! This room reads records and plans strictly and never guesses. It must not know tasks, agents or judges.

mod answer;
mod database;
mod error;
mod measure;
mod parse;
mod plan;
mod reading;
mod records;
mod sql;
mod table;
mod value;
mod world;

pub use answer::Answer;
pub use database::Database;
pub use error::Error;
pub use plan::{AnswerKind, Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
pub use reading::{Place, Reading, Salary};
pub use records::Records;
pub use sql::sql;
pub use table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Vehicle,
};
pub use value::{Money, Month};
pub use world::{Ranked, World};
