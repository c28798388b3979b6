//! A whole corpus of the ten-file grammar as typed tables: read strictly, written byte for byte.
//!
//! Every block ends with an empty line, the last one too. A block begins with `### <id> (owner: pers-NNNN)`, its first
//! line repeats the id, and each further line is `key: value` in the kind's own order. People differ: `### First Last
//! (ID: pers-NNNN)`, then one line `DOB: … | Email: … | Phone: …`. Ids count from 0001 in the file's order; blocks
//! stand in their owners' order. Nothing else is read: what differs is an error with its file and line.

use super::Error;
use super::table::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Person, Pet, Record,
    Vehicle,
};
use super::value::{Value, read};
use crate::corpus::Corpus;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// All records of a corpus. Each table is in its file's order, so a record's id is its place in the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "one table for each kind of record, named like its file")]
pub struct Records {
    pub people: Vec<Person>,
    pub addresses: Vec<Address>,
    pub bank_accounts: Vec<BankAccount>,
    pub credit_cards: Vec<CreditCard>,
    pub employments: Vec<Employment>,
    pub insurance_policies: Vec<InsurancePolicy>,
    pub internet_accounts: Vec<InternetAccount>,
    pub medical_records: Vec<MedicalRecord>,
    pub pets: Vec<Pet>,
    pub vehicles: Vec<Vehicle>,
}

impl Records {
    /// Reads the ten files among a corpus's documents, found by their names.
    ///
    /// Fails where one is missing, can't be read, or departs from the grammar.
    pub fn of(corpus: &Corpus) -> Result<Records, Error> {
        let mut files = Vec::new();
        for document in &corpus.documents {
            let path = document.source.clone();
            match std::fs::read_to_string(&path) {
                Ok(text) => files.push((path, text)),
                Err(source) => return Err(Error::Read { path, source }),
            }
        }
        Records::parse(&files)
    }

    /// Reads the ten files among `files`, which are paths with their text; the paths are named in errors.
    pub fn parse(files: &[(PathBuf, String)]) -> Result<Records, Error> {
        let people = parse_people(&find(files, "people")?)?;
        let count = people.len();
        Ok(Records {
            people,
            addresses: parse_table(files, count)?,
            bank_accounts: parse_table(files, count)?,
            credit_cards: parse_table(files, count)?,
            employments: parse_table(files, count)?,
            insurance_policies: parse_table(files, count)?,
            internet_accounts: parse_table(files, count)?,
            medical_records: parse_table(files, count)?,
            pets: parse_table(files, count)?,
            vehicles: parse_table(files, count)?,
        })
    }

    /// The ten files: names and texts, people first. What [`Records::parse`] made of them is given back exactly.
    pub fn write(&self) -> Vec<(String, String)> {
        let mut people = String::new();
        for (at, p) in self.people.iter().enumerate() {
            let _ = writeln!(people, "### {} (ID: {})", p.name, person_id(at));
            let _ = writeln!(people, "DOB: {} | Email: {} | Phone: {}\n", p.dob, p.email, p.phone);
        }
        vec![
            ("people.txt".to_owned(), people),
            write_table(&self.addresses),
            write_table(&self.bank_accounts),
            write_table(&self.credit_cards),
            write_table(&self.employments),
            write_table(&self.insurance_policies),
            write_table(&self.internet_accounts),
            write_table(&self.medical_records),
            write_table(&self.pets),
            write_table(&self.vehicles),
        ]
    }
}

/// The id of the person at a place: `pers-0001` for 0.
pub(super) fn person_id(at: usize) -> String {
    id("pers", at)
}

/// The id of the record at a place of its table.
pub(super) fn id(prefix: &str, at: usize) -> String {
    format!("{prefix}-{:04}", at + 1)
}

fn write_table<R: Record>(table: &[R]) -> (String, String) {
    let mut text = String::new();
    for (at, record) in table.iter().enumerate() {
        let id = id(R::PREFIX, at);
        let _ = writeln!(text, "### {id} (owner: {})\n{}: {id}", person_id(record.owner()), R::ID);
        for (key, value) in R::FIELDS.iter().zip(record.texts()) {
            let _ = writeln!(text, "{key}: {value}");
        }
        text.push('\n');
    }
    (format!("{}.txt", R::TABLE), text)
}

/// A file being read; makes its errors.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

/// A block: the number of its first line, from 1, and its lines without the empty one.
struct Block<'a> {
    line: usize,
    lines: Vec<&'a str>,
}

fn find<'a>(files: &'a [(PathBuf, String)], name: &str) -> Result<File<'a>, Error> {
    let name = format!("{name}.txt");
    match files.iter().find(|(path, _)| path.file_name().is_some_and(|n| n == name.as_str())) {
        Some((path, text)) => Ok(File { path, text }),
        None => Err(Error::NoRecords { name }),
    }
}

impl<'a> File<'a> {
    fn wrong(&self, line: usize, why: impl Into<String>) -> Error {
        Error::Record { path: self.path.into(), line, why: why.into() }
    }

    fn blocks(&self) -> Result<Vec<Block<'a>>, Error> {
        let mut blocks = Vec::new();
        let mut block = Block { line: 1, lines: Vec::new() };
        let Some(text) = self.text.strip_suffix('\n') else {
            return match self.text.is_empty() {
                true => Ok(blocks),
                false => Err(self.wrong(self.text.lines().count(), "the last line does not end")),
            };
        };
        let mut last = 0;
        for (at, line) in text.split('\n').enumerate() {
            last = at + 1;
            if line.trim() != line || line.contains(['\t', '\r', '\u{feff}']) {
                return Err(self.wrong(last, "a tab, a carriage return, a mark or blanks at an end of the line"));
            }
            match (line.is_empty(), block.lines.is_empty()) {
                (false, _) => block.lines.push(line),
                (true, false) => {
                    blocks.push(block);
                    block = Block { line: last + 1, lines: Vec::new() };
                }
                (true, true) => return Err(self.wrong(last, "an empty line where a block should begin")),
            }
        }
        if block.lines.is_empty() { Ok(blocks) } else { Err(self.wrong(last, "no empty line after the last block")) }
    }

    /// What stands in a line between `start` and `end`.
    fn between(&self, line: usize, text: &'a str, start: &str, end: &str) -> Result<&'a str, Error> {
        let inner = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        inner.ok_or_else(|| self.wrong(line, format!("`{text}` is not `{start}…{end}`")))
    }

    fn value<V: Value>(&self, line: usize, text: &str) -> Result<V, Error> {
        read(text).map_err(|why| self.wrong(line, why))
    }

    fn length(&self, block: &Block<'a>, wanted: usize) -> Result<(), Error> {
        let found = block.lines.len();
        if found == wanted {
            return Ok(());
        }
        Err(self.wrong(block.line + found.min(wanted), format!("the block has {found} lines instead of {wanted}")))
    }
}

fn parse_people(file: &File<'_>) -> Result<Vec<Person>, Error> {
    let mut people = Vec::new();
    for block in file.blocks()? {
        let line = block.line;
        file.length(&block, 2)?;
        let name = file.between(line, block.lines[0], "### ", &format!(" (ID: {})", person_id(people.len())))?;
        if name.split(' ').filter(|word| !word.is_empty()).count() != 2 || name.split(' ').count() != 2 {
            return Err(file.wrong(line, format!("`{name}` is not a first and a last name")));
        }
        let fields: Vec<&str> = block.lines[1].split(" | ").collect();
        let [dob, email, phone] = fields[..] else {
            return Err(file.wrong(line + 1, "the line is not `DOB: … | Email: … | Phone: …`"));
        };
        people.push(Person {
            name: file.value(line, name)?,
            dob: file.value(line + 1, file.between(line + 1, dob, "DOB: ", "")?)?,
            email: file.value(line + 1, file.between(line + 1, email, "Email: ", "")?)?,
            phone: file.value(line + 1, file.between(line + 1, phone, "Phone: ", "")?)?,
        });
    }
    Ok(people)
}

fn parse_table<R: Record>(files: &[(PathBuf, String)], people: usize) -> Result<Vec<R>, Error> {
    let file = find(files, R::TABLE)?;
    let mut table: Vec<R> = Vec::new();
    for block in file.blocks()? {
        let line = block.line;
        let id = id(R::PREFIX, table.len());
        let owner = file.between(line, block.lines[0], &format!("### {id} (owner: "), ")")?;
        let owner = parse_person_id(owner)
            .filter(|owner| *owner < people)
            .ok_or_else(|| file.wrong(line, format!("`{owner}` is nobody in `people.txt`")))?;
        if table.last().is_some_and(|last| last.owner() > owner) {
            return Err(file.wrong(line, "the blocks are not in their owners' order"));
        }
        file.length(&block, R::FIELDS.len() + 2)?;
        if block.lines[1] != format!("{}: {id}", R::ID) {
            return Err(file.wrong(line + 1, format!("`{}` is not `{}: {id}`", block.lines[1], R::ID)));
        }
        let mut fields = Vec::new();
        for (n, (text, key)) in block.lines[2..].iter().zip(R::FIELDS).enumerate() {
            fields.push(file.between(line + 2 + n, text, &format!("{key}: "), "")?);
        }
        table.push(R::from_fields(owner, &fields).map_err(|(n, why)| file.wrong(line + 2 + n, why))?);
    }
    Ok(table)
}

/// The place of the person with an id, in the one form in which ids are written.
fn parse_person_id(text: &str) -> Option<usize> {
    let at = text.strip_prefix("pers-")?.parse::<usize>().ok()?.checked_sub(1)?;
    (person_id(at) == text).then_some(at)
}
