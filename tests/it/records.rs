//! Records of the ten-file grammar: files come back byte for byte, and what departs from the grammar is named.

#![expect(clippy::unwrap_used, reason = "what a test needs and doesn't get fails it")]

use crate::support::{project, shared};
use proptest::prelude::*;
use seatrial::question::{Address, Money, Month, Person, Records};
use std::path::{Path, PathBuf};

/// The files of a folder, with their texts.
pub fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files.push((path.clone(), std::fs::read_to_string(path).unwrap()));
    }
    files
}

fn comes_back(folder: &Path) -> Records {
    let files = files(folder);
    let records = Records::parse(&files).unwrap();
    let written = records.write();
    assert_eq!(written.len(), 10);
    for (name, text) in &written {
        let (_, original) = files.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        assert!(text == original, "{name} differs");
    }
    let again: Vec<_> = written.into_iter().map(|(name, text)| (PathBuf::from(name), text)).collect();
    assert_eq!(Records::parse(&again).unwrap(), records);
    records
}

#[test]
fn the_shipped_files_come_back_byte_for_byte() {
    let records = comes_back(&project().join("vendor/files"));
    assert_eq!(records.people[0].name, "Beatrix Wetherell");
}

#[test]
fn the_real_corpus_comes_back_byte_for_byte() {
    let Some(shared) = shared("the_real_corpus_comes_back_byte_for_byte") else { return };
    let records = comes_back(&shared.join("contextbench/corpus/files"));
    assert_eq!((records.people.len(), records.bank_accounts.len(), records.medical_records.len()), (500, 1762, 255));
}

/// Changes one of the shipped files and says what comes of it.
fn broken(name: &str, change: impl Fn(&str) -> String) -> String {
    let mut files = files(&project().join("vendor/files"));
    let (_, text) = files.iter_mut().find(|(path, _)| path.ends_with(name)).unwrap();
    *text = change(text);
    let error = Records::parse(&files).unwrap_err().to_string();
    error.replace(project().join("vendor/files/").to_str().unwrap(), "")
}

#[test]
fn a_malformed_block_is_named_by_file_and_line() {
    let pets = |from: &'static str, to: &'static str| broken("pets.txt", move |text| text.replacen(from, to, 1));
    let cases = [
        (pets("name: Marble", "name:Marble"), "`pets.txt`, line 3: `name:Marble` is not `name: …`"),
        (pets("name: Marble\n", ""), "`pets.txt`, line 5: the block has 4 lines instead of 5"),
        (pets("breed: Purebred\n\n", "breed: Purebred\n"), "`pets.txt`, line 6: the block has 10 lines instead of 5"),
        (
            pets("breed: Purebred\n\n", "breed: Purebred\n\n\n"),
            "`pets.txt`, line 7: an empty line where a block should begin",
        ),
        (
            pets("pet_id: pet-0002", "pet_id: pet-0003"),
            "`pets.txt`, line 8: `pet_id: pet-0003` is not `pet_id: pet-0002`",
        ),
        (pets("(owner: pers-0001)", "(owner: pers-0501)"), "`pets.txt`, line 1: `pers-0501` is nobody in `people.txt`"),
        (
            pets("(owner: pers-0001)", "(owner: pers-0004)"),
            "`pets.txt`, line 7: the blocks are not in their owners' order",
        ),
        (
            pets("species: Cat", "species: Cat "),
            "`pets.txt`, line 4: a tab, a carriage return, a mark or blanks at an end of the line",
        ),
        (
            broken("pets.txt", |text| text.trim_end().to_owned() + "\n"),
            "`pets.txt`, line 5855: no empty line after the last block",
        ),
        (
            broken("people.txt", |text| text.replacen("DOB: 2005-06-01", "DOB: 2005-13-01", 1)),
            "`people.txt`, line 2: `2005-13-01` is not a date such as `2025-06-08`",
        ),
        (
            broken("bank_accounts.txt", |text| text.replacen("balance: ", "balance: 0", 1)),
            "is not an amount such as `3490.9`",
        ),
    ];
    for (said, wanted) in cases {
        assert!(said.ends_with(wanted), "{said}\nwanted: {wanted}");
    }
}

proptest! {
    #[test]
    fn records_of_any_value_are_read_as_they_were_written(
        cents in 0..10_000_000_i64, month in 1..=12_i8, year in 2000..=2099_i16, city in "[A-Z][a-z/,.'• -]{0,12}[a-z]",
    ) {
        let person = Person {
            name: "Ann Lee".into(), dob: jiff::civil::date(1990, 2, 28), email: "a@b.example".into(), phone: "1".into(),
        };
        let address = Address {
            owner: 0, street: "x".into(), city, state: "y".into(), postal_code: "00001".into(), country: "z".into(),
        };
        let mut records = Records { people: vec![person], addresses: vec![address], ..Records::default() };
        records.bank_accounts.push(seatrial::question::BankAccount {
            owner: 0, bank_name: "B".into(), routing: "1".into(), account_no: "2".into(), balance: Money(cents), currency: "USD".into(),
        });
        records.credit_cards.push(seatrial::question::CreditCard {
            owner: 0, provider: "P".into(), number: "3".into(), expire: Month { year, month }, cvc: "089".into(),
        });
        let files: Vec<_> = records.write().into_iter().map(|(name, text)| (PathBuf::from(name), text)).collect();
        prop_assert_eq!(Records::parse(&files).unwrap(), records);
    }
}
