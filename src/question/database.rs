//! The records in an embedded database, one table for each file: the columns are the files' keys, with the owner's id in
//! `owner_id`; amounts are integer cents, model years integers, all else is text as in the file. `people` has
//! `person_id`, `full_name`, `dob`, `email`, `phone`.

use super::answer::Answer;
use super::error::Error;
use super::plan::{AnswerKind, Plan};
use super::reading::Reading;
use super::records::{Records, id, person_id};
use super::sql::sql;
use super::table::Record;
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, params_from_iter};
use std::collections::BTreeSet;

/// The records of a corpus, to be asked by SQL. It lives in memory.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
}

impl Database {
    /// Loads all records.
    pub fn load(records: &Records) -> Result<Database, Error> {
        let connection = Connection::open_in_memory()?;
        let transaction = connection.unchecked_transaction()?;
        let people = records.people.iter().enumerate().map(|(at, person)| {
            let texts = [
                person_id(at),
                person.name.clone(),
                person.dob.to_string(),
                person.email.clone(),
                person.phone.clone(),
            ];
            texts.map(Cell::Text).to_vec()
        });
        fill(&connection, "people", &["person_id", "full_name", "dob", "email", "phone"], people)?;
        table(&connection, &records.addresses)?;
        table(&connection, &records.bank_accounts)?;
        table(&connection, &records.credit_cards)?;
        table(&connection, &records.employments)?;
        table(&connection, &records.insurance_policies)?;
        table(&connection, &records.internet_accounts)?;
        table(&connection, &records.medical_records)?;
        table(&connection, &records.pets)?;
        table(&connection, &records.vehicles)?;
        connection.execute_batch("CREATE INDEX by_person ON people (person_id)")?;
        transaction.commit()?;
        Ok(Database { connection })
    }

    /// All answers that a plan gives under a reading, found by its SQL.
    pub fn answers(&self, plan: &Plan, reading: &Reading) -> Result<BTreeSet<Answer>, Error> {
        self.query(&sql(plan, reading), plan.kind())
    }

    /// All answers that a query gives in its first column, taken for answers of `kind`; NULLs are none.
    pub fn query(&self, sql: &str, kind: AnswerKind) -> Result<BTreeSet<Answer>, Error> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut answers = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let cell = row.get_ref(0)?;
            let answer = match cell {
                ValueRef::Null => continue,
                ValueRef::Integer(n) => Answer::of_number(kind, n),
                ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(|text| Answer::of_text(kind, text)),
                _ => None,
            };
            answers.insert(answer.ok_or_else(|| Error::Answer { got: format!("{cell:?}"), kind })?);
        }
        Ok(answers)
    }
}

fn table<R: Record>(connection: &Connection, records: &[R]) -> Result<(), Error> {
    let columns = [&["owner_id", R::ID], R::FIELDS].concat();
    let rows = records.iter().enumerate().map(|(at, record)| {
        let ids = [person_id(record.owner()), id(R::PREFIX, at)].map(Cell::Text);
        [&ids[..], &record.cells()].concat()
    });
    fill(connection, R::TABLE, &columns, rows)?;
    Ok(connection.execute_batch(&format!("CREATE INDEX by_{0} ON {0} (owner_id)", R::TABLE))?)
}

/// Columns have no type, so that each cell stays what it is.
fn fill(
    connection: &Connection,
    table: &str,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<Cell>>,
) -> Result<(), Error> {
    connection.execute_batch(&format!("CREATE TABLE {table} ({})", columns.join(", ")))?;
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
    for row in rows {
        insert.execute(params_from_iter(row))?;
    }
    Ok(())
}
