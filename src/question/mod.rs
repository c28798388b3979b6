//! Questions whose answers are proved: the records of a corpus as typed tables.
//!
//! This room reads records strictly and never guesses. It must not know tasks, agents or judges.

mod error;
mod records;
mod table;
mod value;

pub use error::Error;
pub use records::Records;
pub use table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Vehicle,
};
pub use value::{Money, Month};
