//! What a question ranks people by, as far as its words say: more or less of what. It knows no answer.

use super::token::{Shape, Token};
use super::words::{self, has};

/// What a question ranks by.
pub struct Rank {
    /// The first is who has more.
    pub more: bool,
    /// "old" of "oldest", where it is the people who are so.
    pub quality: Option<String>,
    /// It is asked who has none.
    pub none: bool,
    /// What is counted.
    pub nouns: Vec<String>,
}

/// All that the question ranks by, the tie-breaks behind.
pub fn rankings(asked: &[Token]) -> impl Iterator<Item = Rank> {
    let who = asked.iter().position(|t| has("who whose which", &t.low)).unwrap_or(0);
    let ranks = |n: &usize| has(words::MORE, &asked[*n].low) || has(words::LESS, &asked[*n].low);
    (who..asked.len()).filter(ranks).map(move |at| {
        let words = asked[at + 1..].iter().take(6).take_while(|t| t.shape == Shape::Word);
        let nouns: Vec<String> = words.map(|t| stem(&t.low)).collect();
        let of_people = nouns.first().is_none_or(|noun| has("one person by of", noun));
        let quality = quality(&asked[at].low).filter(|_| of_people).map(str::to_string);
        Rank { more: has(words::MORE, &asked[at].low), quality, none: false, nouns }
    })
}

/// The first that the question ranks by.
pub fn ranking(asked: &[Token]) -> Rank {
    let none = asked.iter().any(|t| has("no not without neither lacks", &t.low) || t.low.ends_with("n't"));
    rankings(asked).next().unwrap_or(Rank { more: true, quality: None, none, nouns: Vec::new() })
}

/// "old" of "older" and "oldest"; "first" and "last" of what says the same of a day.
pub fn quality(low: &str) -> Option<&str> {
    match low {
        "first" | "earliest" | "soonest" | "primero" => return Some("first"),
        "last" | "latest" => return Some("last"),
        _ => {}
    }
    low.strip_suffix("est").or_else(|| low.strip_suffix("er"))
}

/// The word without the ending of its plural.
pub fn stem(low: &str) -> String {
    low.strip_suffix('s').unwrap_or(low).to_string()
}
