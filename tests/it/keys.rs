//! The shipped suite: its ten files keep their grammar, and every key is what the question's SQL gives, with ties kept.
#![expect(clippy::unwrap_used, reason = "what a test needs and doesn't get fails it")]

use crate::support::project;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::Value;
use std::collections::BTreeSet;

/// The kinds of record, with their id's prefix and their fields in order.
const KINDS: [(&str, &str, &str); 9] = [
    ("addresses", "addr", "address_id street city state postal_code country"),
    ("bank_accounts", "acct", "account_id bank_name routing account_no balance currency"),
    ("credit_cards", "card", "card_id provider number expire cvc"),
    ("employments", "emp", "employment_id employer job_title start_date salary currency"),
    ("insurance_policies", "ins", "policy_id insurer policy_type policy_number expires"),
    ("internet_accounts", "net", "net_id username email url password"),
    ("medical_records", "med", "record_id ssn blood_type condition"),
    ("pets", "pet", "pet_id name species breed"),
    ("vehicles", "veh", "vehicle_id make model year license_plate"),
];

#[test]
fn every_key_is_what_its_sql_gives() {
    let db = load();
    let questions = questions();
    let mut types = BTreeSet::new();
    for (line, record) in questions.iter().enumerate() {
        let extra = &record["agent_args"]["extra"];
        types.insert(extra["question_type"].as_str().unwrap());
        let sql = extra["sql"].as_str().unwrap();
        assert_eq!(answers(&db, record), [record["ground_truth"].as_str().unwrap()], "ledger-{line}");
        assert!(!sql.contains("LIMIT"), "ledger-{line}: a limit would hide a tie");
        for file in extra["required_files"].as_array().unwrap() {
            let kind = file.as_str().unwrap().trim_end_matches(".txt");
            assert!(sql.contains(kind), "ledger-{line} needs {kind}");
        }
    }
    assert_eq!((questions.len(), types.len()), (60, 10), "{types:?}");
}

#[test]
fn a_broken_key_would_be_seen() {
    let db = load();
    let count: i64 = db.query_row("SELECT COUNT(*) FROM people", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 500);
    db.execute("DELETE FROM bank_accounts", []).unwrap();
    let questions = questions();
    // Every amount that is asked for is a sum of balances.
    let amount = |record: &&Value| record["agent_args"]["extra"]["key"]["kind"] == "money";
    let broken: Vec<&Value> = questions.iter().filter(amount).collect();
    assert!(broken.len() >= 10, "{}", broken.len());
    for record in broken {
        assert_ne!(answers(&db, record), [record["ground_truth"].as_str().unwrap()], "{record}");
    }
}

fn questions() -> Vec<Value> {
    let text = std::fs::read_to_string(project().join("vendor/questions.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All that a question's SQL gives, written as its key is.
fn answers(db: &Connection, record: &Value) -> Vec<String> {
    let extra = &record["agent_args"]["extra"];
    let money = extra["key"]["kind"] == "money";
    let mut statement = db.prepare(extra["sql"].as_str().unwrap()).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        found.push(match row.get_ref(0).unwrap() {
            ValueRef::Null => continue,
            ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            ValueRef::Integer(cents) if money => dollars(cents),
            ValueRef::Integer(count) => count.to_string(),
            other => panic!("{other:?}: {record}"),
        });
    }
    found
}

/// Reads the ten files into a database, one table each, and fails on any line that is not of their grammar.
fn load() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute("CREATE TABLE people (person_id, full_name, dob, email, phone)", []).unwrap();
    let mut known = BTreeSet::new();
    for (index, block) in blocks("people").iter().enumerate() {
        let (name, id) = block[0].strip_prefix("### ").unwrap().split_once(" (ID: ").unwrap();
        let id = id.strip_suffix(')').unwrap();
        assert_eq!(id, format!("pers-{:04}", index + 1));
        let rest: Vec<&str> = block[1].split(" | ").collect();
        let value = |i: usize, key: &str| rest[i].strip_prefix(key).unwrap().to_string();
        let row = [id.to_string(), name.to_string(), value(0, "DOB: "), value(1, "Email: "), value(2, "Phone: ")];
        db.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?)", row).unwrap();
        known.insert(id.to_string());
    }
    for (kind, prefix, fields) in KINDS {
        let fields: Vec<&str> = fields.split(' ').collect();
        let typed = |field: &&str| match *field {
            "balance" | "salary" | "year" => format!("{field} INTEGER"),
            _ => format!("{field} TEXT"),
        };
        let columns: Vec<String> = fields.iter().map(typed).collect();
        db.execute(&format!("CREATE TABLE {kind} (owner_id TEXT, {})", columns.join(", ")), []).unwrap();
        let mut last_owner = String::new();
        for (index, block) in blocks(kind).iter().enumerate() {
            let id = format!("{prefix}-{:04}", index + 1);
            let owner = block[0].strip_prefix(&format!("### {id} (owner: ")).unwrap().strip_suffix(')').unwrap();
            assert!(known.contains(owner) && *owner >= *last_owner, "{kind}: {owner} after {last_owner}");
            last_owner = owner.to_string();
            let mut row = vec![owner.to_string()];
            for (line, field) in block[1..].iter().zip(&fields) {
                let (key, value) = line.split_once(": ").unwrap();
                assert_eq!((key, value.is_empty()), (*field, false), "{kind}: {id}");
                row.push(if ["balance", "salary"].contains(field) { cents(value) } else { value.to_string() });
            }
            assert_eq!((block.len(), &row[1]), (fields.len() + 1, &id), "{kind}");
            let marks = vec!["?"; row.len()].join(", ");
            db.execute(&format!("INSERT INTO {kind} VALUES ({marks})"), rusqlite::params_from_iter(row)).unwrap();
        }
    }
    db
}

fn blocks(kind: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(project().join(format!("vendor/files/{kind}.txt"))).unwrap();
    // A few plates have a dot that ASCII lacks; nothing else does.
    assert!(text.replace('\u{b7}', "").is_ascii() && !text.contains(['\r', '\t']), "{kind}");
    let body = text.strip_suffix("\n\n").expect("the last block ends with an empty line too");
    body.split("\n\n").map(|block| block.lines().map(str::to_string).collect()).collect()
}

/// `3490.9` as `349090`.
fn cents(amount: &str) -> String {
    let (whole, part) = amount.split_once('.').unwrap();
    format!("{whole}{part:0<2}").parse::<u64>().unwrap().to_string()
}

fn dollars(cents: i64) -> String {
    let mut whole = (cents / 100).to_string();
    for at in (1..whole.len()).rev().filter(|at| (whole.len() - at).is_multiple_of(3)).collect::<Vec<_>>() {
        whole.insert(at, ',');
    }
    format!("${whole}.{:02}", cents % 100)
}
