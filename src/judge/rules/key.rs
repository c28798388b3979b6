//! What the right answer is and of which kind. The kind comes from a typed record, or from the key's own text and the
//! question; it decides how an answer is compared, never how generously.

use super::currency::Currency;
use super::standing::Hit;
use super::token::{Shape, Token, tokens};
use super::words::has;
use super::{blood, date, list, number};
use serde::{Deserialize, Serialize};

/// How values of a key are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A number without money.
    Count,
    /// Money, to the cent.
    Money,
    /// A day, or a month.
    Date,
    /// A blood type with its sign.
    BloodType,
    /// A person.
    Name,
    /// Several values, in any order.
    List,
    /// Yes or no.
    YesNo,
    /// Any other text.
    Text,
}

impl Kind {
    /// The kind's name, as in a typed key.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Money => "money",
            Kind::Date => "date",
            Kind::BloodType => "blood_type",
            Kind::Name => "name",
            Kind::List => "list",
            Kind::YesNo => "yes_no",
            Kind::Text => "text",
        }
    }
}

/// The right answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// How answers are compared with it.
    pub kind: Kind,
    /// The right answer, as it would be written; a JSON number is taken as its digits.
    #[serde(deserialize_with = "text_or_number")]
    pub value: String,
    /// What a number is counted in ("records", "USD"), where the key says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Other answers that are right too, of the same kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
}

fn text_or_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Number(number) => Ok(number.to_string()),
        _ => Err(serde::de::Error::custom("`value` is neither a text nor a number")),
    }
}

impl Key {
    /// The key that is plain text: its kind is found from the text, and from the question where the text leaves it
    /// open ("New York" is a person's name only if the question asks for a person).
    pub fn infer(question: &str, text: &str) -> Key {
        Key { kind: kind_of(question, text.trim()), value: text.trim().to_string(), unit: None, accept: Vec::new() }
    }
}

fn kind_of(question: &str, text: &str) -> Kind {
    let said = tokens(text);
    let asked = tokens(question);
    let whole = |from: usize, to: usize| from == 0 && said[to..].iter().all(|t| t.is('.'));
    if ["yes", "no", "true", "false"].contains(&text.to_lowercase().trim_end_matches('.')) {
        return Kind::YesNo;
    }
    if blood::types(&said).first().is_some_and(|Hit { from, to, .. }| whole(*from, *to)) {
        return Kind::BloodType;
    }
    if date::dates(&said).first().is_some_and(|Hit { value, from, to }| whole(*from, *to) && value.year.is_some()) {
        return Kind::Date;
    }
    let amounts = number::amounts(&said, true, &[]);
    if let [Hit { value, from, to }] = amounts.as_slice() {
        let money_asked = asked
            .iter()
            .any(|t| has("balance balances salary salaries money dollars cost price worth earn paid", &t.low));
        if value.currency != Currency::None || (value.decimals && money_asked && whole(*from, *to)) {
            return Kind::Money;
        }
        // "21 entries": a number and its unit.
        if *from == 0 && said[*to..].iter().all(|t| t.shape == Shape::Word) && said.len() - to <= 3
            || said[0].is('-') && said.len() == *to
        {
            return Kind::Count;
        }
    }
    let members = list::members(text);
    let plural = asked.windows(2).any(|w| {
        has("which who what list name", &w[0].low)
            && (has("two three four five six seven eight nine ten people are were all states cities the", &w[1].low)
                || w[1].shape == Shape::Number)
            && (w[1].low != "the" || asked.iter().any(|t| has("list people all names", &t.low)))
    });
    // "Which card providers does she have cards from?"
    let many = |t: &Token| t.low.len() > 3 && t.low.ends_with('s') && !t.low.ends_with("ss") && t.low != "species";
    let plural = plural
        || asked.windows(4).any(|w| {
            has("which what", &w[0].low)
                && (1..3).any(|n| many(&w[n]) && has("do does did are were have has", &w[n + 1].low))
        });
    if members.len() > 1 && (list::of_names(&members) || plural || text.contains([';', '\n'])) {
        return Kind::List;
    }
    let words: Vec<_> = said.iter().filter(|t| t.shape == Shape::Word).collect();
    let named = (2..=5).contains(&words.len())
        && words.iter().filter(|t| t.capital()).count() >= 2
        && said.iter().all(|t| matches!(t.shape, Shape::Word) || t.is(',') || t.is('.'));
    if named && asks_for_person(question) { Kind::Name } else { Kind::Text }
}

/// The question's own word settles it: "who", or the noun behind "what" and "which". Where that is neither a known
/// person nor a known thing, "which of the members" asks for a person and "what" for a thing.
fn asks_for_person(question: &str) -> bool {
    let asked = tokens(question);
    // In "of the people who live here, what …" the first one only says more of the people.
    let asks = |n: &usize| has("who whom whose what which", &asked[*n].low);
    let opens =
        |n: &usize| *n == 0 || asked[n - 1].ends_clause() || has("and in at for to on of by", &asked[n - 1].low);
    let all = 0..asked.len();
    let Some(at) = all.clone().filter(asks).find(opens).or_else(|| all.clone().find(asks)) else {
        return asked.iter().any(|t| has(PERSON, &t.low));
    };
    let noun = asked[at + 1..].iter().take(5).find(|t| has(PERSON, &t.low) || has(THING, &t.low));
    match &*asked[at].low {
        "who" | "whom" | "whose" => true,
        "what" => noun.is_some_and(|t| has(PERSON, &t.low)),
        _ => noun.is_none_or(|t| has(PERSON, &t.low)),
    }
}

const PERSON: &str = "who person people resident residents owner owners name names somebody everybody anyone \
    everyone one customer customers member members employee employees individual individuals holder holders man \
    woman";
const THING: &str = "state city employer bank job title provider company insurer make model color colour breed \
    species condition country street blood type card policy kind vehicle car pet username url email plate county \
    town village region product brand place firm organisation organization department school book file language \
    category disease month year date day";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_key_and_question() {
        let who = "Who owns more cars?";
        for (question, key, want) in [
            (who, "Ora Vey", Kind::Name),
            ("Which of the people in Ohio holds most cards?", "Ora Vey", Kind::Name),
            ("Of everybody in the state, who has no card?", "Ora Vey", Kind::Name),
            ("Which of the sailors with the same blood type wins?", "Ora Vey", Kind::Name),
            ("Among the people in Ohio, whose card expires first?", "Ora Vey", Kind::Name),
            ("Of the people who live here, in which state does the oldest work?", "New York", Kind::Text),
            ("Which state does the owner of 'Rex' live in?", "New York", Kind::Text),
            ("What is the job title of the best-paid person?", "Harbor Pilot", Kind::Text),
            ("What is the job title?", "Surveyor, hydrographic", Kind::Text),
            ("How many records?", "14", Kind::Count),
            ("How many records?", "21 entries", Kind::Count),
            ("What is the balance?", "$51,630.48", Kind::Money),
            ("What is the balance?", "51630.48", Kind::Money),
            ("On what date?", "2031-11-08", Kind::Date),
            ("When does the card expire?", "06/25", Kind::Date),
            ("Which blood type?", "O-", Kind::BloodType),
            ("Does she?", "Yes", Kind::YesNo),
            ("Which three people hold most?", "Ora Vey, Cal Dunn, Ida Moss", Kind::List),
            ("Which two states are they from?", "Ohio, Texas", Kind::List),
            ("Which card providers does she have?", "Discover, Maestro", Kind::List),
            ("Which employer?", "Lund, Petty and Okoro", Kind::Text),
            ("Which card provider?", "VISA 16 digit", Kind::Text),
        ] {
            assert_eq!(Key::infer(question, key).kind, want, "{question} {key}");
        }
    }

    #[test]
    fn a_typed_key_is_read_with_its_unit_and_written_back() {
        let key: Key = serde_json::from_str(r#"{"kind": "money", "value": 21.5, "unit": "EUR"}"#).expect("a key");
        assert_eq!((key.kind, key.value.as_str(), key.unit.as_deref()), (Kind::Money, "21.5", Some("EUR")));
        let text = serde_json::to_string(&key).expect("JSON");
        assert_eq!(text, r#"{"kind":"money","value":"21.5","unit":"EUR"}"#);
        let reward = |answer: &str| crate::judge::judge("What is the balance?", &key, answer, &[]).reward;
        assert_eq!(["€21.50", "21.5", "$21.50"].map(reward), [1.0, 1.0, 0.0]);
    }
}
