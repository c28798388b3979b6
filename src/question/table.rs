//! The ten kinds of record and their fields, in the files' order. The names of files, keys and columns stand here once;
//! reading, writing and the database are made from them.

use super::value::{Money, Month, Value, read};
use jiff::civil::Date;
use rusqlite::types::Value as Cell;

/// One person. Who it is, is its place in [`super::Records::people`]: `pers-0001` is the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// First and last name, with one blank between them.
    pub name: String,
    /// The day of birth.
    pub dob: Date,
    /// The mail address.
    pub email: String,
    /// The telephone number, in any shape.
    pub phone: String,
}

/// A kind of record that people own: its file, and its fields as text and as database cells.
pub(super) trait Record: Sized {
    /// The file's name without `.txt`, and the table's name.
    const TABLE: &'static str;
    /// What ids begin with.
    const PREFIX: &'static str;
    /// The key of the line that repeats the id.
    const ID: &'static str;
    /// The other keys, in order.
    const FIELDS: &'static [&'static str];
    /// Makes one from its fields' texts, as many as there are `FIELDS`; on failure says which field and why.
    fn from_fields(owner: usize, fields: &[&str]) -> Result<Self, (usize, String)>;
    /// The owner's place among the people.
    fn owner(&self) -> usize;
    /// The fields as the file says them.
    fn texts(&self) -> Vec<String>;
    /// The fields as the database keeps them.
    fn cells(&self) -> Vec<Cell>;
}

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident in $table:literal as $prefix:literal, $id:literal {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            /// The owner's place in [`super::Records::people`], from 0.
            pub owner: usize,
            $($(#[$field_doc])* pub $field: $kind,)*
        }

        impl Record for $name {
            const TABLE: &'static str = $table;
            const PREFIX: &'static str = $prefix;
            const ID: &'static str = $id;
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
            fn from_fields(owner: usize, fields: &[&str]) -> Result<Self, (usize, String)> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                Ok($name { owner, $($field: { let n = next(); read(fields[n]).map_err(|why| (n, why))? },)* })
            }
            fn owner(&self) -> usize {
                self.owner
            }
            fn texts(&self) -> Vec<String> {
                vec![$(self.$field.print()),*]
            }
            fn cells(&self) -> Vec<Cell> {
                vec![$(self.$field.cell()),*]
            }
        }
    )*};
}

records! {
    /// Where a person lives, or one of the places.
    Address in "addresses" as "addr", "address_id" {
        /// Street and number.
        street: String,
        /// The city; its name alone may be in several states.
        city: String,
        /// The state's full name.
        state: String,
        /// Five digits.
        postal_code: String,
        /// The country.
        country: String,
    }
    /// A bank account.
    BankAccount in "bank_accounts" as "acct", "account_id" {
        /// The bank.
        bank_name: String,
        /// Nine digits.
        routing: String,
        /// The account's number.
        account_no: String,
        /// What is on it.
        balance: Money,
        /// The currency's code.
        currency: String,
    }
    /// A credit card.
    CreditCard in "credit_cards" as "card", "card_id" {
        /// Who issued it.
        provider: String,
        /// Its number.
        number: String,
        /// The last month in which it is valid.
        expire: Month,
        /// Its check number, as text: it may begin with a zero.
        cvc: String,
    }
    /// A job.
    Employment in "employments" as "emp", "employment_id" {
        /// The employer.
        employer: String,
        /// What the person is there.
        job_title: String,
        /// The first day.
        start_date: Date,
        /// A year's pay.
        salary: Money,
        /// The currency's code.
        currency: String,
    }
    /// An insurance policy.
    InsurancePolicy in "insurance_policies" as "ins", "policy_id" {
        /// The insurer.
        insurer: String,
        /// What is insured.
        policy_type: String,
        /// The policy's number.
        policy_number: String,
        /// The day on which it ends.
        expires: Date,
    }
    /// An account with some site.
    InternetAccount in "internet_accounts" as "net", "net_id" {
        /// The name used there.
        username: String,
        /// The mail address used there.
        email: String,
        /// The site.
        url: String,
        /// The password.
        password: String,
    }
    /// A medical record.
    MedicalRecord in "medical_records" as "med", "record_id" {
        /// The social security number.
        ssn: String,
        /// The blood type, with its sign.
        blood_type: String,
        /// The condition, or `None`.
        condition: String,
    }
    /// A pet.
    Pet in "pets" as "pet", "pet_id" {
        /// What it is called.
        name: String,
        /// What it is.
        species: String,
        /// Its breed.
        breed: String,
    }
    /// A vehicle.
    Vehicle in "vehicles" as "veh", "vehicle_id" {
        /// Who made it.
        make: String,
        /// Which model.
        model: String,
        /// The model year.
        year: i16,
        /// The licence plate.
        license_plate: String,
    }
}
