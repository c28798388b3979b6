//! `seatrial audit`: what it says about right keys and about each way in which a key can be bad.
#![expect(clippy::unwrap_used, reason = "what a test needs and doesn't get fails it")]

use crate::support::{Run, Suite, project};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const FILES: [&str; 10] = [
    "people",
    "addresses",
    "bank_accounts",
    "credit_cards",
    "employments",
    "insurance_policies",
    "internet_accounts",
    "medical_records",
    "pets",
    "vehicles",
];

/// Its questions' plans stand where they are looked for without being told.
const SUITE: &str = r#"name = "ledger"
id_prefix = "ledger"

[corpus]
folder = "files"

[questions]
file = "questions.jsonl"

[questions.fields]
question = "input"
answer = "ground_truth"
difficulty = "agent_args.extra.difficulty"
question_type = "agent_args.extra.question_type"

[judge]
rubric = "rubric.txt"

[tasks]
source = "tests"
allowed_hosts = []
"#;

/// A corpus of a few people, written by hand, and its questions.
pub struct Town {
    files: BTreeMap<&'static str, String>,
    counts: BTreeMap<&'static str, usize>,
    questions: String,
}

impl Town {
    fn new(people: &[(&str, &str)]) -> Town {
        let mut town = Town {
            files: FILES.map(|name| (name, String::new())).into(),
            counts: BTreeMap::new(),
            questions: String::new(),
        };
        for (at, (name, dob)) in people.iter().enumerate() {
            *town.files.get_mut("people").unwrap() +=
                &format!("### {name} (ID: pers-{:04})\nDOB: {dob} | Email: a@b.example | Phone: 1\n\n", at + 1);
        }
        town
    }

    /// Adds a record; owners come in ascending order. `fields` are `key: value` lines.
    fn with(mut self, file: &'static str, id: (&str, &str), owner: usize, fields: &str) -> Town {
        let count = self.counts.entry(file).or_default();
        *count += 1;
        let id_text = format!("{}-{count:04}", id.0);
        let block = format!("### {id_text} (owner: pers-{owner:04})\n{}: {id_text}\n{fields}\n\n", id.1);
        *self.files.get_mut(file).unwrap() += &block;
        self
    }

    fn lives(self, owner: usize, city: &str, state: &str) -> Town {
        let fields = format!("street: 1 Lane\ncity: {city}\nstate: {state}\npostal_code: 00001\ncountry: X");
        self.with("addresses", ("addr", "address_id"), owner, &fields)
    }

    fn pet(self, owner: usize, name: &str, species: &str) -> Town {
        self.with("pets", ("pet", "pet_id"), owner, &format!("name: {name}\nspecies: {species}\nbreed: Mixed"))
    }

    fn card(self, owner: usize, expire: &str) -> Town {
        let fields = format!("provider: Visa\nnumber: 1\nexpire: {expire}\ncvc: 089");
        self.with("credit_cards", ("card", "card_id"), owner, &fields)
    }

    fn job(self, owner: usize, start: &str, salary: &str) -> Town {
        let fields = format!("employer: E\njob_title: T\nstart_date: {start}\nsalary: {salary}\ncurrency: USD");
        self.with("employments", ("emp", "employment_id"), owner, &fields)
    }

    /// Adds a question, its key and its plan; no plan where that is empty.
    pub fn asks(mut self, question: &str, key: &str, plan: &str) -> Town {
        let mut extra = json!({"difficulty": "easy", "question_type": "t"});
        if !plan.is_empty() {
            extra["plan"] = plan.into();
        }
        let record = json!({"input": question, "ground_truth": key, "agent_args": {"extra": extra}});
        self.questions += &format!("{record}\n");
        self
    }

    /// Writes the suite into `vendor/`.
    pub fn write(&self, suite: &Suite) {
        for (name, text) in &self.files {
            suite.write(&format!("vendor/files/{name}.txt"), text);
        }
        suite.write("vendor/questions.jsonl", &self.questions);
        suite.write("vendor/suite.toml", SUITE);
        suite.write("vendor/rubric.txt", "{input} {ground_truth} {submission}\n");
    }

    /// The audit's entries for the questions, in order.
    fn audited(&self, code: i32) -> Vec<Value> {
        let suite = Suite::new();
        self.write(&suite);
        let run = suite.run(&["audit", "--format", "json"]).expect_code(code);
        crate::report::keeps_to("audit.json", &run.stdout, "/questions/0");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["questions"].as_array().unwrap().clone()
    }
}

/// Ann in Utah; Bob in Utah and Ohio; Cy in Ohio; Di in Iowa. Bob has a cat, Rex.
pub fn town() -> Town {
    Town::new(&[
        ("Ann Ash", "1970-01-01"),
        ("Bob Birch", "1990-01-01"),
        ("Cy Cedar", "1960-01-01"),
        ("Di Dale", "1980-01-01"),
    ])
    .lives(1, "Alton", "Utah")
    .lives(2, "Alton", "Utah")
    .lives(2, "Bend", "Ohio")
    .lives(3, "Bend", "Ohio")
    .lives(4, "Bend", "Iowa")
    .pet(2, "Rex", "Cat")
    .card(1, "12/26")
    .card(2, "01/27")
    .job(1, "2020-01-01", "90.0")
    .job(2, "2019-01-01", "50.0")
    .job(2, "2021-01-01", "45.0")
    .job(3, "2020-02-02", "80.0")
}

/// A wording that leaves no doubt, for questions in which doubt isn't the point.
pub const CLEAR: &str = "in a state in which the owner of the cat named 'Rex' has an address (that person included)";

#[track_caller]
fn verdict(town: Town, wanted: &str, answer: Value) -> Value {
    let bad = ["wrong", "tie", "not_unique", "ambiguous"].contains(&wanted);
    let entry = town.audited(i32::from(bad)).remove(0);
    assert_eq!((entry["verdict"].as_str().unwrap(), &entry["answer"]), (wanted, &answer), "{entry:#}");
    entry
}

#[test]
fn the_shipped_keys_are_proved() {
    let suite = Suite::new();
    let vendor = project().join("vendor");
    let run = suite.run(&["audit", "--vendor", vendor.to_str().unwrap()]).expect_code(0);
    assert!(run.stdout.ends_with("\n60 questions: 60 proved\n"), "{}", run.stdout);
}

#[test]
fn a_right_key_is_proved_and_a_wrong_one_comes_with_the_right_answer() {
    let plan = "TOP state pet:Rex/Cat ; dob";
    verdict(town().asks(CLEAR, "Cy Cedar", plan), "proved", json!("Cy Cedar"));
    verdict(town().asks(CLEAR, "Ann Ash", plan), "wrong", json!("Cy Cedar"));
}

#[test]
fn a_key_that_comes_from_months_sorted_as_text_is_wrong_and_says_so() {
    let entry = verdict(
        town().asks(&format!("{CLEAR}, lapsed ones included"), "Bob Birch", "TOP state pet:Rex ; card_expiry"),
        "wrong",
        json!("Ann Ash"),
    );
    assert_eq!(entry["why"], "the answer is Ann Ash; the key comes with months sorted as text");
}

#[test]
fn level_winners_are_a_tie() {
    let plan = "TOP state pet:Rex ; cards";
    let entry = verdict(town().asks(CLEAR, "Ann Ash", plan), "tie", json!("Ann Ash, Bob Birch"));
    assert_eq!(entry["answers"], json!(["Ann Ash", "Bob Birch"]));
    // Level winners with one and the same number are no tie: the answer is the number.
    verdict(town().asks(CLEAR, "1", "NUM state pet:Rex ; cards => cards"), "proved", json!("1"));
}

#[test]
fn a_question_for_the_only_one_that_fits_several_or_nobody_is_not_unique() {
    verdict(town().asks(CLEAR, "Ann Ash", "ONLY state pet:Rex & has cards"), "not_unique", json!("Ann Ash, Bob Birch"));
    verdict(town().asks(CLEAR, "Ann Ash", "ONLY state pet:Rex & has vehicles"), "not_unique", json!(null));
}

#[test]
fn a_handle_of_two_owners_who_lead_to_different_answers_is_not_unique() {
    let two = || town().pet(4, "Rex", "Dog");
    let entry = verdict(two().asks(CLEAR, "Cy Cedar", "TOP state pet:Rex ; dob"), "not_unique", json!("Cy Cedar"));
    let given: Vec<_> = entry["readings"].as_array().unwrap().iter().map(|r| &r["reading"]).collect();
    assert_eq!(given, ["owner 2 of 2 of the handle"]);
    verdict(two().asks(CLEAR, "Cy Cedar", "TOP state pet:Rex/Cat ; dob"), "proved", json!("Cy Cedar"));
}

#[test]
fn who_lives_in_the_same_state_as_somebody_with_two_states_is_ambiguous_where_it_matters() {
    let vague = "Who is the oldest in the same state as the owner of the cat named 'Rex' (that person included)?";
    let entry = verdict(town().asks(vague, "Cy Cedar", "TOP state pet:Rex ; dob"), "ambiguous", json!("Cy Cedar"));
    let first = json!({
        "reading": "only the first address of the person described", "distance": "fair", "answers": ["Ann Ash"]
    });
    assert_eq!(entry["readings"][0], first);
    // The youngest is Bob himself whichever state is meant, but not where he is left out.
    let vague = "Who has most jobs in the same state as the owner of the cat named 'Rex'?";
    let entry = verdict(town().asks(vague, "Bob Birch", "TOP state pet:Rex ; jobs"), "ambiguous", json!("Bob Birch"));
    assert_eq!(entry["readings"][0]["reading"], "the person described left out");
}

#[test]
fn what_expires_first_is_ambiguous_unless_the_wording_says_that_lapsed_ones_count() {
    let plan = "TOP state pet:Rex ; card_expiry";
    let entry = verdict(town().asks(CLEAR, "Ann Ash", plan), "ambiguous", json!("Ann Ash"));
    assert_eq!(entry["why"], "lapsed records left out, asked on 2027-01-01: Bob Birch");
    verdict(town().asks(&format!("{CLEAR}, lapsed ones included"), "Ann Ash", plan), "proved", json!("Ann Ash"));
}

#[test]
fn the_salary_of_somebody_with_two_jobs_makes_a_key_fragile() {
    let plan = "TOP state pet:Rex ; salary";
    let entry = verdict(town().asks(CLEAR, "Ann Ash", plan), "fragile", json!("Ann Ash"));
    assert_eq!(entry["why"], "salaries of several jobs added: Bob Birch");
    verdict(town().asks(&format!("{CLEAR}, in any single job"), "Ann Ash", plan), "proved", json!("Ann Ash"));
}

#[test]
fn the_same_city_by_its_name_alone_is_another_city() {
    let words = "Who is the youngest woman in a city in which … has an address (that person included)?";
    let town = town().pet(4, "Tom", "Cat");
    let entry = verdict(town.asks(words, "Di Dale", "ONLY city pet:Tom"), "ambiguous", json!("Di Dale"));
    assert_eq!(entry["readings"][0]["reading"], "cities by their names alone");
}

#[test]
fn without_plans_any_suite_can_be_audited_and_nothing_is_proved() {
    let suite = Suite::new();
    suite
        .write("notes/a.txt", "Ida lent us her boat.\n")
        .write("q.csv", "question,answer\nWho lent us the boat?,Ida\n");
    suite.run(&["init", "mine", "--files", "notes", "--questions", "q.csv"]).expect_code(0);
    let run = suite.run(&["audit", "--vendor", "mine"]).expect_code(0);
    assert!(run.stdout.contains("mine-0    unproved    Ida  no plan says how the answer is found"), "{}", run.stdout);
    suite.write("plans.json", r#"{"mine-0": {"plan": "TOP all ; pets"}}"#);
    let run = suite.run(&["audit", "--vendor", "mine", "--plans", "plans.json"]).expect_code(2);
    assert!(run.stderr.starts_with("error: no document `people.txt`\n\nhint: keys can be proved"), "{}", run.stderr);
}

#[test]
fn plans_that_cannot_be_used_are_named() {
    let suite = Suite::new();
    town().asks(CLEAR, "Cy Cedar", "TOP state pet:Rex ; dob").write(&suite);
    let said = |plans: &str| -> String {
        suite.write("plans.json", plans);
        let Run { stderr, .. } = suite.run(&["audit", "--plans", "plans.json"]).expect_code(2);
        stderr.lines().next().unwrap().to_owned()
    };
    let cases = [
        (
            r#"{"ledger-O": {"plan": "TOP all ; pets"}}"#,
            "error: failed to read plans from `plans.json`: `ledger-O` is not in the suite; close to it: `ledger-0`",
        ),
        (
            r#"{"ledger-0": {"plan": "TOP all ; pests"}}"#,
            "error: `ledger-0`: the plan `TOP all ; pests` can't be read: `pests` is no metric; did you mean `pets`?",
        ),
        (
            r#"{"ledger-0": {"plans": "TOP all ; pets"}}"#,
            "error: failed to read plans from `plans.json`: `ledger-0`: unknown field `plans`, expected `plan` or `note`",
        ),
    ];
    for (plans, wanted) in cases {
        assert_eq!(said(plans), wanted);
    }
    // The file wins over the record, and its remarks are passed over.
    suite.write("plans.json", r#"{"_about": "x", "ledger-0": {"plan": "TOP all ; jobs", "note": "n"}}"#);
    let run = suite.run(&["audit", "--plans", "plans.json", "--format", "json"]).expect_code(1);
    crate::report::keeps_to("audit.json", &run.stdout, "/counts");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["questions"][0]["answer"], "Bob Birch");
    assert_eq!(report["questions"][0]["note"], "n");
    let run = suite.run(&["audit", "--plans", "missing.json"]).expect_code(2);
    assert!(run.stderr.starts_with("error: failed to read `missing.json`: "), "{}", run.stderr);
}

#[test]
fn a_document_that_departs_from_the_grammar_is_named_with_its_line() {
    let suite = Suite::new();
    let mut town = town().asks(CLEAR, "Cy Cedar", "TOP state pet:Rex ; dob");
    let pets = town.files.get_mut("pets").unwrap();
    *pets = pets.replace("species: Cat", "species:Cat");
    town.write(&suite);
    let run = suite.run(&["audit"]).expect_code(2);
    assert_eq!(run.stderr, "error: `vendor/files/pets.txt`, line 4: `species:Cat` is not `species: …`\n");
}
