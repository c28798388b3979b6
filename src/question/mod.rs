//! Questions whose answers are proved: the records of a corpus as typed tables; plans, which say how an answer is found
//! and are evaluated twice; and the audit, which says what is to be thought of a suite's keys.
//!
//! This room reads records and plans strictly and never guesses. It must not know tasks, agents or judges.

mod answer;
mod audit;
mod database;
mod english;
mod error;
mod forge;
mod measure;
mod parse;
mod plan;
mod plans;
mod print;
mod reading;
mod records;
mod sql;
mod table;
mod value;
mod variation;
mod worded;
mod wording;
mod world;

pub use answer::Answer;
pub use audit::{Audited, Differing, Verdict, audit, audit_one, listed};
pub use database::Database;
pub use english::english;
pub use error::Error;
pub use forge::{AS_OF, Baseline, Forged, Gate, QuestionType, Request, Tally, Tier, baselines, invent, make, vendor};
pub use plan::{AnswerKind, Attr, Chain, Filter, Group, Kind, Link, Metric, Plan, Rank, Relation, Source, Total};
pub use plans::Plans;
pub use reading::{Place, Reading, Salary};
pub use records::Records;
pub use sql::sql;
pub use table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Vehicle,
};
pub use value::{Money, Month};
pub use variation::{Distance, Variation, owner_variations, variations};
pub use world::{Ranked, World};
