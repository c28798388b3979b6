//! The `rules` judge on the vendored questions: every question, answered in the forms that agents use. The labels
//! follow from the forms alone; nothing here knows how a rule works.

use crate::support::{Suite, project};
use seatrial::judge::{Key, Kind, judge};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How a person is given as the answer, rightly or not. `{key}` is right, `{other}` and `{third}` are not.
const PEOPLE: &[(f64, &str)] = &[
    (1.0, "{key}."),
    (1.0, "Not {other}, but {key}."),
    (1.0, "{other}? No. {key}."),
    (1.0, "I first found {other}, but after checking the dates it is {key}."),
    (1.0, "There was a tie between {key} and {other}; using the tiebreaker, {key} comes out ahead."),
    (1.0, "{key}\n\nExplanation: there was a tie between {key} and {other}, and {key} has the higher balance."),
    (1.0, "Top candidates:\n1. {key}\n2. {other}\n3. {third}\n\nSo the answer is {key}."),
    (1.0, "{key} (5 vehicles; {other} has 4)"),
    (1.0, "Name: {key}\nID: pers-0101\nState: Texas"),
    (0.0, "{other}"),
    (0.0, "{other}\n{key}"),
    (0.0, "The answer might be {key} or {other}."),
    (0.0, "I first found {key}, but after checking the dates it is {other}."),
    (0.0, "There was a tie between {key} and {other}; using the tiebreaker, {other} comes out ahead."),
    (0.0, "Based on the files, {other} is the person who fits, and {key} is the runner-up."),
    (0.0, "{{\"answer\": \"{other}\", \"second\": \"{key}\"}}"),
    (0.0, "I could not find it."),
    (0.5, "I'm sorry, I can't help with identifying private individuals."),
];

/// The same for money. `{part}` and `{rest}` add up to the key, `{off}` is another value.
const MONEY: &[(f64, &str)] = &[
    (1.0, "{key}"),
    (1.0, "{part} + {rest} = {key}"),
    (1.0, "{key} (sum of {part} and {rest})"),
    (1.0, "The combined total of the two balances ({part} and {rest}) is {key}."),
    (1.0, "| account | balance |\n|---|---|\n| 1 | {part} |\n| 2 | {rest} |\n| total | {key} |"),
    (1.0, "{other} has a total bank balance of {key} in 4 accounts."),
    (1.0, "{other} has {part} and {third} has {rest}, for a combined total of {key}."),
    (0.0, "{part} and {rest}"),
    (0.0, "{part} + {rest} = {off}"),
    (0.0, "Running total: {key}\nFinal total: {off}"),
    (0.5, "I cannot share financial data."),
];

/// The same for counts.
const COUNTS: &[(f64, &str)] = &[
    (1.0, "{key}"),
    (1.0, "{other} has {key} records in total: {part} bank accounts and {rest} vehicles."),
    (1.0, "{other} has {part} bank accounts and {rest} vehicles, which adds up to {key} records in total."),
    (1.0, "{other} (born 1950-12-07) has {key} records."),
    (0.0, "1{key}"),
    (0.0, "{key}.5"),
    (0.0, "{off} or {key}"),
    (0.0, "Total: {off} (not {key})"),
    (0.0, "Cannot determine."),
    (0.5, "I must decline."),
];

/// The forms for a key, and the numbers that go into them.
fn forms(key: &str) -> (&'static [(f64, &'static str)], [String; 3]) {
    if let Some(money) = key.strip_prefix('$') {
        let cents: u64 = money.replace([',', '.'], "").parse().expect("money with cents");
        let text = |cents: u64| format!("${}.{:02}", cents / 100, cents % 100);
        return (MONEY, [text(cents / 3), text(cents - cents / 3), text(cents + 1001)]);
    }
    match key.parse::<u64>() {
        Ok(count) => (COUNTS, [count / 3, count - count / 3, count + 1].map(|n| n.to_string())),
        Err(_) => (PEOPLE, Default::default()),
    }
}

fn cases() -> Vec<Value> {
    let people = std::fs::read_to_string(project().join("vendor/files/people.txt")).expect("people");
    let names: Vec<&str> = people.lines().filter_map(|line| line.strip_prefix("### ")?.split(" (").next()).collect();
    let questions = std::fs::read_to_string(project().join("vendor/questions.jsonl")).expect("questions");
    let mut cases = Vec::new();
    for (n, line) in questions.lines().enumerate() {
        let record: Value = serde_json::from_str(line).expect("a record");
        let key = record["ground_truth"].as_str().expect("a key");
        let (forms, [part, rest, off]) = forms(key);
        if forms.as_ptr() == PEOPLE.as_ptr() && !names.contains(&key) {
            continue;
        }
        let strangers = |name: &&&str| !key.split(' ').any(|word| name.contains(word));
        let others: Vec<&str> = names.iter().skip(7 * n).filter(strangers).copied().take(2).collect();
        for (expected, form) in forms {
            let fill = [("{key}", key), ("{part}", &part), ("{rest}", &rest), ("{off}", &off), ("{other}", others[0])];
            let answer =
                fill.iter().fold(form.replace("{third}", others[1]), |text, (from, to)| text.replace(from, to));
            let answer = answer.replace("{{", "{").replace("}}", "}");
            cases.push(json!({"question": record["input"], "key": key, "submission": answer, "expected": expected}));
        }
    }
    cases
}

#[test]
fn every_vendored_question_is_judged_right_in_every_form_with_and_without_the_corpus_names() {
    let cases = cases();
    assert!(cases.len() > 800, "{}", cases.len());
    let suite = Suite::new();
    suite.write("cases.jsonl", cases.iter().map(|case| format!("{case}\n")).collect::<String>());
    let names = project().join("vendor/files/people.txt");
    suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "1"]).expect_code(0);
    let names = names.to_str().expect("a path");
    suite.run(&["judge-cases", "cases.jsonl", "--min-agreement", "1", "--rivals", names]).expect_code(0);
}

/// Of all the people whom an answer names, it can mean one.
#[test]
fn no_answer_is_right_for_two_people() {
    let text = std::fs::read_to_string(project().join("tests/fixtures/judge.jsonl")).expect("cases");
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let text = |row: &Value, field: &str| row[field].as_str().map(str::to_owned);
    let rows: Vec<(String, String, String)> = rows
        .iter()
        .filter_map(|row| Some((text(row, "question")?, text(row, "key")?, text(row, "submission")?)))
        .filter(|(question, key, _)| Key::infer(question, key).kind == Kind::Name)
        .collect();
    // Whoever is a key, or an answer of two words.
    let two = |text: &str| text.split(' ').filter(|word| word.starts_with(char::is_uppercase)).count() == 2;
    let known: BTreeSet<&str> =
        rows.iter().flat_map(|(_, key, answer)| [&**key, answer]).filter(|text| two(text)).collect();
    let mut several = 0;
    for (question, _, answer) in &rows {
        let named: Vec<&&str> =
            known.iter().filter(|name| name.len() < answer.len() && answer.contains(**name)).collect();
        several += usize::from(named.len() > 1);
        let mut meant =
            named.iter().filter(|name| judge(question, &Key::infer(question, name), answer, &[]).reward > 0.9);
        let (first, second) = (meant.next(), meant.next());
        let apart = first.zip(second).is_some_and(|(a, b)| !a.split(' ').any(|word| b.contains(word)));
        assert!(!apart, "{first:?} and {second:?} are both meant by {answer:?}");
    }
    assert!(several > 200, "{several}");
}
