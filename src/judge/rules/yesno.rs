//! Yes or no: the word that opens a statement, else a short "they do not", or the question's comparison said again as a
//! statement. "No idea" and "not found" are no "no".

use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};

const YES: &str = "yes yeah yep yup true ja oui sí si sim da correct affirmative y 是 はい";
const NO: &str = "no nope nah false nein non não nee incorrect negative n 否 いいえ";

/// Words before a yes or no that say it.
const OPENS: &str = "is and or but say ist es est è é be says also wait then so absolutely definitely certainly \
    clearly surely probably likely think believe simply";

/// Every yes (`true`) and no (`false`) that opens a clause or follows "is".
pub fn statements(tokens: &[Token]) -> Vec<Hit<bool>> {
    let opens = |n: usize| {
        let Some(before) = n.checked_sub(1).map(|p| &tokens[p]) else { return true };
        before.shape == Shape::Break
            || before.shape == Shape::Mark
            || has(OPENS, &before.low)
            || has(YES, &before.low)
            || has(NO, &before.low)
    };
    let closes = |n: usize| {
        let Some(next) = tokens.get(n + 1) else { return true };
        // "n/a"
        if next.is('/') && next.glued {
            return false;
        }
        !has(
            "idea answer clue one information data record records result results evidence such match matches way \
             doubt",
            &next.low,
        )
    };
    let value = |low: &str| {
        if has(YES, low) { Some(true) } else { has(NO, low).then_some(false) }
    };
    (0..tokens.len())
        .filter(|n| opens(*n) && closes(*n))
        .filter_map(|n| value(&tokens[n].low).map(|value| Hit { value, from: n, to: n + 1 }))
        .collect()
}

/// What a text without a yes or no says all the same.
pub fn restated(said: &[Token], asked: &[Token]) -> Option<Hit<bool>> {
    let value = short(said).or_else(|| assured(said)).or_else(|| compares(said, asked))?;
    Some(Hit { value, from: 0, to: said.len() })
}

fn negative(token: &Token) -> bool {
    has(words::NEGATES, &token.low) || token.low.ends_with("n't")
}

/// "They do not.", "It does.": the verb ends the sentence. Who speaks of himself ("I can't") answers nothing.
fn short(said: &[Token]) -> Option<bool> {
    const VERBS: &str = "do does did is are was were has have doesn't don't didn't isn't aren't wasn't hasn't haven't";
    let end = said.iter().position(Token::ends_clause).unwrap_or(said.len());
    let own = said[..end].iter().any(|t| has("i we my our there", &t.low));
    let last = end.checked_sub(1)?;
    let not = said[last].low == "not";
    let verb = last.checked_sub(usize::from(not)).filter(|n| (1..=6).contains(n))?;
    let negated = said[..end].iter().any(negative);
    (!own && has(VERBS, &said[verb].low)).then_some(!negated)
}

/// What the comparison in a text says, where it says one: beside a yes or no it must say the same.
pub fn compares(said: &[Token], asked: &[Token]) -> Option<bool> {
    compared(said, asked).or_else(|| one_sided(said, asked))
}

/// "Certainly.", "Without a doubt.", "Not quite."
fn assured(said: &[Token]) -> Option<bool> {
    let words: Vec<&str> = said.iter().filter(|t| t.shape == Shape::Word).map(|t| &*t.low).collect();
    if matches!(words.as_slice(), ["not", "quite" | "really"]) {
        return Some(false);
    }
    let sure = match words.as_slice() {
        [word] => has("certainly definitely absolutely indeed undoubtedly", word),
        [first, .., last] => words.len() <= 4 && has("without no beyond", first) && *last == "doubt",
        [] => false,
    };
    sure.then_some(true)
}

/// "They hold fewer", "not older", "Kit's owner holds more": a comparison with one side of the question's, or none.
fn one_sided(said: &[Token], asked: &[Token]) -> Option<bool> {
    let (asked_more, a, b) = sides(asked)?;
    let by = said.iter().position(|t| has(words::MORE, &t.low) || has(words::LESS, &t.low))?;
    let start = said[..by].iter().rposition(|t| t.ends_clause()).map_or(0, |n| n + 1);
    let end = said[by..].iter().position(Token::ends_clause).map_or(said.len(), |n| by + n);
    let subject = &said[start..by];
    let own = |side: &[Token], other: &[Token]| {
        let new = |t: &&Token| t.shape != Shape::Mark && t.capital() && !other.iter().any(|o| o.low == t.low);
        side.iter().filter(new).any(|t| subject.iter().any(|s| s.low == t.low))
    };
    let pronoun = subject.iter().all(|t| !t.capital() || negative(t) || has("they he she it the", &t.low));
    let of_a = (own(a, b) || pronoun) && !own(b, a);
    let of_b = own(b, a) && !own(a, b);
    // "more" of something else than was asked, a tie, or a choice says nothing.
    let about = |t: &Token| {
        asked.iter().any(|q| q.low == t.low) || has("than one by years year of the two a them both", &t.low)
    };
    let clause = &said[by + 1..end];
    let said_more = has(words::MORE, &said[by].low);
    let negations = said[start..end].iter().filter(|t| negative(t)).count();
    if of_a == of_b
        || clause.iter().any(|t| t.shape == Shape::Word && !about(t))
        || said.get(end).is_some_and(|t| t.is('?'))
    {
        return None;
    }
    match (of_a, said_more == asked_more, negations) {
        (true, same, 0) => Some(same),
        (true, true, 1) => Some(false),
        (false, same, 0) => Some(!same),
        _ => None,
    }
}

/// "Does A hold more than B?" answered by "A holds more than B", "B holds fewer than A" or their opposites.
fn compared(said: &[Token], asked: &[Token]) -> Option<bool> {
    let (asked_more, a, b) = sides(asked)?;
    let (said_more, left, right) = sides(said)?;
    let own = |side: &[Token], other: &[Token]| -> Vec<String> {
        let new = |t: &&Token| t.shape != Shape::Mark && !other.iter().any(|o| o.low == t.low);
        side.iter().filter(new).map(|t| t.low.clone()).collect()
    };
    let (of_a, of_b) = (own(a, b), own(b, a));
    let holds = |side: &[Token], words: &[String]| side.iter().any(|t| words.contains(&t.low));
    let straight = holds(left, &of_a) && holds(right, &of_b) && !holds(left, &of_b);
    let turned = holds(left, &of_b) && holds(right, &of_a) && !holds(right, &of_b);
    (straight != turned && !said.iter().any(negative)).then_some(straight == (asked_more == said_more))
}

/// Whether a comparison says "more", and what stands before it and after its "than".
fn sides(tokens: &[Token]) -> Option<(bool, &[Token], &[Token])> {
    let than = tokens.iter().position(|t| t.low == "than")?;
    let by = tokens[..than].iter().rposition(|t| has(words::MORE, &t.low) || has(words::LESS, &t.low))?;
    // The dot inside `ada.k` ends no sentence.
    let ends = |n: &usize| tokens[*n].ends_sentence() && tokens.get(n + 1).is_none_or(|next| !next.glued);
    let end = (than..tokens.len()).find(ends).unwrap_or(tokens.len());
    let start = (0..by).rev().find(ends).map_or(0, |n| n + 1);
    Some((has(words::MORE, &tokens[by].low), &tokens[start..by], &tokens[than + 1..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn a_statement_answers_without_a_yes_or_no() {
        let asked = tokens("Does the owner of 'Pip' hold more policies than the owner of 'Kit'?");
        for (text, want) in [
            ("They do not.", Some(false)),
            ("He does.", Some(true)),
            ("I can't.", None),
            ("I do not", None),
            ("The owner of 'Pip' holds more policies than the owner of 'Kit'.", Some(true)),
            ("The owner of 'Kit' holds more policies than the owner of 'Pip'.", Some(false)),
            ("The owner of 'Kit' holds fewer policies than the owner of 'Pip'.", Some(true)),
            ("The owner of 'Pip' doesn't hold more than the owner of 'Kit'.", Some(false)),
            ("The owner of 'Kit' doesn't hold more than the owner of 'Pip'.", None),
            ("They hold fewer.", Some(false)),
            ("Not more.", Some(false)),
            ("The owner of 'Kit' holds more.", Some(false)),
            ("They hold more pets.", None),
            ("Without a doubt.", Some(true)),
        ] {
            assert_eq!(restated(&tokens(text), &asked).map(|hit| hit.value), want, "{text}");
        }
    }
}
