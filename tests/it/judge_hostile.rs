//! What no answer may do to the `rules` judge: hold it up. An answer may be 1 MiB, and whoever wrote it may have wanted
//! the runner to hang.

use seatrial::judge::{Key, Kind, judge};
use std::time::{Duration, Instant};

/// The most that one answer may take; a build without optimisation on a busy machine stays far below it, and a rule
/// that reads its text again for each value in it stays far above.
const PATIENCE: Duration = Duration::from_secs(20);

/// Repeated, each made some rule read its text again and again, or could.
const PIECES: &[&str] = &[
    "1-",
    "1/2/",
    "$1 ",
    "111 ",
    "3 and ",
    "3 of ",
    "3? ",
    "(3 ",
    "**3** ",
    "1. a\n",
    "yes no ",
    "no, ",
    "wait 3, ",
    "2031-11-08T99:",
    "Ora Vey ",
    "Cal Dunn with ",
    "O. ",
    "Lark, ",
    "O- ",
    "[",
    "[a](",
    "( ",
    "\\text{",
    "{\"answer\": 3} ",
    "<answer>3</answer> ",
    "is the answer, ",
    "i can't ",
    "A: Ora Vey, ",
    "VA ",
    "3 (4) ",
    "if Ora Vey would ",
    "no boat ",
    "\u{fdfa}",
];

const KEYS: &[(&str, Kind, &str)] = &[
    ("How many boats does the harbor master own?", Kind::Count, "3"),
    ("What is the balance?", Kind::Money, "$1.00"),
    ("On which date?", Kind::Date, "2031-11-08"),
    ("Which blood type is it?", Kind::BloodType, "O-"),
    ("Who owns more boats?", Kind::Name, "Ora Vey"),
    ("Who owns a boat?", Kind::Name, "O Vey"),
    ("Which people own boats?", Kind::List, "Ora Vey, Cal Dunn"),
    ("Is it so?", Kind::YesNo, "Yes"),
    ("Which make?", Kind::Text, "Lark"),
    ("In which state does the owner live?", Kind::Text, "Virginia"),
    ("Who in Ohio has no boat?", Kind::Name, "Ora Vey"),
    ("Is the owner of Lark older than the owner of Kit?", Kind::YesNo, "Yes"),
];

#[test]
fn no_answer_of_one_mebibyte_holds_the_judge_up() {
    for (n, piece) in PIECES.iter().enumerate() {
        let answer = piece.repeat((1 << 20) / piece.len());
        // One key after another, so that each piece meets each in its own time; a third of them, others for each piece,
        // since without optimisation one takes half a second.
        for (question, kind, value) in KEYS.iter().skip(n % 3).step_by(3) {
            let key = Key { kind: *kind, value: value.to_string(), unit: None, accept: Vec::new() };
            let start = Instant::now();
            let verdict = judge(question, &key, &answer, &["Cal Dunn".to_string()]);
            let took = start.elapsed();
            assert!(took < PATIENCE, "{piece:?} for a key of kind `{}` took {took:?}: {verdict:?}", kind.name());
        }
    }
}

#[test]
fn numbers_beyond_all_bounds_are_ordinary_wrong_answers() {
    let huge = "999999999999999999999999 billion";
    let hundreds = "hundred ".repeat(15);
    for answer in
        [format!("{huge}, {huge}, {huge}: {huge}"), format!("-{huge} is {huge}"), format!("{hundreds}million")]
    {
        for (question, kind, value) in &KEYS[..2] {
            let key = Key { kind: *kind, value: value.to_string(), unit: None, accept: Vec::new() };
            assert!(judge(question, &key, &answer, &[]).reward < 1.0, "{answer}");
        }
    }
}
