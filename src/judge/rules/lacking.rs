//! Where a question asks who has none of something: whether a clause says of somebody that he has it or lacks it. It
//! must not be asked where the question ranks people by how much they have.

use super::ranking::stem;
use super::token::{Shape, Token};
use super::words::{self, has};

/// How far before a noun its quantity may stand.
const REACH: usize = 8;

/// What the question asks to be lacking: "credit" and "card" of "does NOT have any credit cards".
pub fn lacked(asked: &[Token]) -> Vec<String> {
    let Some(at) = asked.iter().position(negation) else { return Vec::new() };
    let small = "have has had own owns hold holds keep keeps got get any a an single one at all on of the registered";
    let ends = |t: &&Token| t.shape == Shape::Word && !has("and or but who whose which that in among", &t.low);
    let words = asked[at + 1..].iter().take(REACH).take_while(ends);
    words.filter(|t| !has(small, &t.low)).map(|t| stem(&t.low)).collect()
}

/// `true` where the clause says that somebody has none of the `nouns`, `false` where it says that he has some.
pub fn lacks(clause: &[Token], nouns: &[String]) -> Option<bool> {
    let noun = |t: &Token| nouns.contains(&stem(&t.low));
    if clause.iter().any(|t| has("except but excluding unlike other", &t.low)) {
        return None;
    }
    let at = clause.iter().position(noun)?;
    let near = &clause[at.saturating_sub(REACH)..at];
    let near = near.rsplit(|t| has("and or", &t.low)).next().unwrap_or(&[]);
    let have = "has have had holds hold owns own keeps keep with got";
    match near.iter().filter(|t| negation(t)).count() {
        0 => near.iter().any(|t| has(have, &t.low)).then_some(false),
        n => Some(n == 1),
    }
}

fn negation(token: &Token) -> bool {
    has("no zero 0 without lacks lack none", &token.low)
        || has(words::NEGATES, &token.low)
        || token.low.ends_with("n't")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn having_and_lacking_are_told_apart() {
        let nouns = lacked(&tokens("Among the residents of Ohio, who does NOT have any credit cards?"));
        assert_eq!(nouns, ["credit", "card"]);
        for (text, want) in [
            ("Vey has no credit card", Some(true)),
            ("Vey doesn't have any cards", Some(true)),
            ("Vey has 0 cards", Some(true)),
            ("Vey does not have zero credit cards", Some(false)),
            ("Everybody including Vey has at least one card", Some(false)),
            ("Vey was closest with one card", Some(false)),
            ("Everybody except Vey has at least one card", None),
            ("Vey has no pets and two cards", None),
            ("Vey has three pets", None),
        ] {
            assert_eq!(lacks(&tokens(text), &nouns), want, "{text}");
        }
    }
}
