//! What must hold of the `rules` judge for any text at all.

use proptest::prelude::*;
use seatrial::judge::{Key, Kind, judge};

fn reward(question: &str, key: &Key, answer: &str) -> f64 {
    judge(question, key, answer, &[]).reward
}

/// A question and a key of it with digits.
fn asked_for_digits() -> impl Strategy<Value = (&'static str, String)> {
    prop_oneof![
        (13u32..5000).prop_map(|n| ("How many boats does the harbor master own?", n.to_string())),
        (100u64..9_999_999, 1u64..100)
            .prop_map(|(whole, cents)| ("What is the balance?", format!("${whole}.{cents:02}"))),
        (2001u32..2099, 1u32..13, 1u32..29).prop_map(|(y, m, d)| ("On which date?", format!("{y}-{m:02}-{d:02}"))),
    ]
}

/// A question and a key of it that can be denied; names are made of syllables, so that none is a word of a language.
fn asked_for_value() -> impl Strategy<Value = (&'static str, String)> {
    let name = "[BDKLMPRT]([aeo][klmnrst]){2}[aio] [BDKLMPRTV]([aeio][dklmnrt]){2}u";
    prop_oneof![
        name.prop_map(|name| ("Who owns more boats than the harbor master?", name)),
        asked_for_digits(),
        prop::sample::select(vec!["O-", "AB+", "A-"]).prop_map(|t| ("Which blood type is it?", t.to_string())),
    ]
}

/// A question and a key of it.
fn asked() -> impl Strategy<Value = (&'static str, String)> {
    let yes_or_no = prop::sample::select(vec!["Yes", "No"]);
    prop_oneof![5 => asked_for_value(), 1 => yes_or_no.prop_map(|t| ("Is it so?", t.to_string()))]
}

/// Pieces that rules look for, so that chance meets them.
fn trap() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "answer",
        "final answer:",
        "not",
        "but",
        "(",
        ")",
        "{",
        "}",
        "\"answer\":",
        "\\boxed{",
        "<answer>",
        "</answer>",
        "$",
        "~~",
        "|",
        "```json\n",
        "=",
        "+",
        "14",
        "$1,000.00",
        "2031-11-08",
        "O-",
        "Ora Vey",
        "or",
        "so",
        "no,",
        "wait",
        "\n",
        ".",
        "?",
        "'s",
        "é",
        "漢",
        "🙂",
        "\u{200b}",
        "one hundred",
        "million",
        "999999999999999999999999",
        "-",
        "/",
        "[",
        "]",
        "&lt;",
        "\u{fdfa}",
        "**",
        "_",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|parts| parts.join(" "))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), trap()]
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::{BloodType, Count, Date, List, Money, Name, Text, YesNo};
    prop::sample::select(vec![Count, Money, Date, BloodType, Name, List, YesNo, Text])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_one_verdict_twice((question, key) in asked(), text in text(), kind in kind()) {
        let key = Key { kind, ..Key::infer(question, &key) };
        let first = judge(question, &key, &text, &["Cal Dunn".to_string()]);
        prop_assert_eq!(&first, &judge(question, &key, &text, &["Cal Dunn".to_string()]));
        prop_assert!([0.0, 0.5, 1.0].contains(&first.reward));
        // Text as key and question is data too.
        judge(&text, &Key::infer(&text, &text), &text, std::slice::from_ref(&text));
    }

    #[test]
    fn any_bytes_are_judged_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        judge("How many?", &Key::infer("How many?", "14"), &text, &[]);
    }

    #[test]
    fn dress_around_a_right_answer_keeps_it_right((question, key) in asked(), form in 0usize..14) {
        let answer = match form {
            0 => key.clone(),
            1 => format!("The answer is {key}."),
            2 => format!("**{key}**"),
            3 => format!("# Answer\n\n`{key}`\n"),
            4 => serde_json::json!({"answer": key}).to_string(),
            5 => format!("```json\n{}\n```", serde_json::json!({"final_answer": key, "confidence": 0.9})),
            6 => format!("<answer>{key}</answer>"),
            7 => format!("I read all files and compared them.\n\nFinal answer: {key}\n\nLet me know if you need more."),
            8 => format!("answer: {key}\nconfidence: high"),
            9 => format!("\u{feff}  {key}\r\n"),
            10 => format!("\\boxed{{{}}}", key.replace('$', "\\$")),
            11 => format!("> - {key}"),
            12 => format!("{}\nSo the answer is {key}", "a line of the log\n".repeat(40)),
            _ => format!("Based on the records, the answer to the question is: {key}"),
        };
        prop_assert_eq!(reward(question, &Key::infer(question, &key), &answer), 1.0, "{}", answer);
    }

    #[test]
    fn another_digit_is_another_answer((question, key) in asked_for_digits(), at in 0usize..40, by in 1u8..10) {
        let places: Vec<usize> = key.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        let mut other = key.clone().into_bytes();
        let place = places[at % places.len()];
        other[place] = b'0' + (other[place] - b'0' + by) % 10;
        let other = String::from_utf8(other).expect("digits");
        for answer in [other.clone(), format!("The answer is {other}."), format!("{{\"answer\": \"{other}\"}}")] {
            prop_assert_eq!(reward(question, &Key::infer(question, &key), &answer), 0.0, "{} for {}", answer, key);
        }
    }

    #[test]
    fn a_denied_key_is_wrong((question, key) in asked_for_value()) {
        for answer in [format!("It is not {key}."), format!("The answer is not {key}")] {
            prop_assert_eq!(reward(question, &Key::infer(question, &key), &answer), 0.0, "{}", answer);
        }
    }
}
