//! What is only supposed is not said: "X would own more if …", "but for that, X would win", "only if … is it X", "X for
//! example". It must not touch what is polite or sure of itself: "it would be X", "if I had to guess, X".

use super::token::Token;
use super::words::has;

/// How far back a condition is looked for, in tokens.
const BACK: usize = 24;
/// How far ahead.
const AHEAD: usize = 16;

/// Whether a text holds any word of a supposition; most don't, and need no look at each value.
pub fn may(tokens: &[Token]) -> bool {
    tokens.iter().any(|t| has("would if were had have such example instance e", &t.low))
}

/// Whether the value at `from..to` is part of a supposition, or named as an example.
pub fn supposed(tokens: &[Token], from: usize, to: usize) -> bool {
    let near = from.saturating_sub(BACK);
    let start = tokens[near..from].iter().rposition(Token::ends_sentence).map_or(near, |n| near + n + 1);
    let far = tokens.len().min(to + AHEAD);
    let end = tokens[to..far].iter().position(Token::ends_sentence).map_or(far, |n| to + n);
    let (before, after) = (&tokens[start..from], &tokens[to..end]);
    example(&tokens[near..from])
        || were_it(before)
        || only_if(before)
        || if_only(after)
        || unreal(before, after)
        || (would(before, after) && (conditional(before) || conditional(after)))
}

/// "e.g. X", "for example X", "such as X".
fn example(before: &[Token]) -> bool {
    let low = |n: usize| before.len().checked_sub(n).map_or("", |n| &*before[n].low);
    let comma = usize::from(matches!(low(1), "," | ":"));
    let (two, one) = (low(2 + comma), low(1 + comma));
    matches!((two, one), ("for", "example" | "instance") | ("such", "as"))
        || [low(4), low(3), low(2), low(1)] == ["e", ".", "g", "."]
        || [low(3), low(2), low(1)] == ["e", ".", "g"]
}

/// "if the answer were X", "had X started …".
fn were_it(before: &[Token]) -> bool {
    let clause = before.rsplit(Token::ends_clause).next().unwrap_or(&[]);
    let last = clause.last().map_or("", |t| &*t.low);
    (last == "were" && clause.iter().any(|t| t.low == "if")) || (has("had were", last) && before.len() == 1)
}

fn only_if(before: &[Token]) -> bool {
    before.windows(2).take(2).any(|w| w[0].low == "only" && w[1].low == "if")
}

/// "X, if only he had stayed"
fn if_only(after: &[Token]) -> bool {
    after.windows(2).any(|w| w[0].low == "if" && w[1].low == "only")
}

/// "would have been X", "X would have won": it did not come about.
fn unreal(before: &[Token], after: &[Token]) -> bool {
    let close = &before[before.len().saturating_sub(4)..];
    let past = |w: &[Token]| {
        let done = has("been won led had said owned held kept", &w[2].low) || w[2].low.ends_with("ed");
        (w[0].low == "would" || w[0].low.ends_with("'d")) && w[1].low == "have" && done
    };
    close.windows(3).any(past) || clause(after).take(4).cloned().collect::<Vec<_>>().windows(3).any(past)
}

/// "would be X", "X would own".
fn would(before: &[Token], after: &[Token]) -> bool {
    let close = &before[before.len().saturating_sub(4)..];
    close.windows(2).any(|w| w[0].low == "would" && has("be have", &w[1].low))
        || clause(after).take(3).any(|t| t.low == "would")
}

fn clause(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    tokens.iter().take_while(|t| !t.ends_clause())
}

/// A condition that the sentence doesn't say to be met; "if I had to guess" is none.
fn conditional(part: &[Token]) -> bool {
    let low = |n: usize| part.get(n).map_or("", |t| &*t.low);
    (0..part.len()).any(|n| {
        let opens = n == 0 || part[n - 1].ends_clause();
        let own = has("i i'm we you pressed forced asked anything not", low(n + 1));
        match low(n) {
            "if" => !own,
            "hadn't" | "unless" => true,
            "had" | "were" | "without" => opens && n + 1 < part.len(),
            "but" => opens && low(n + 1) == "for",
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn a_condition_makes_a_supposition_and_politeness_does_not() {
        let says = |text: &str| {
            let all = tokens(text);
            let at = all.iter().position(|t| t.text == "Vey").expect("the value");
            supposed(&all, at, at + 1)
        };
        for text in [
            "It would be Vey if lapsed ones counted",
            "If it hadn't been for the sale, Vey would own more",
            "Were it not for the sale, Vey would win",
            "But for the sale, Vey would win",
            "Vey would have won",
            "It would have been Vey a year ago",
            "I'd have said Vey",
            "Only if lapsed ones count is it Vey",
            "Had Vey sold one, it would be her",
            "somebody in Ohio, e.g. Vey",
            "somebody, for example Vey",
        ] {
            assert!(says(text), "{text}");
        }
        for text in [
            "It would be Vey",
            "Vey would be my answer",
            "If I had to guess, it would be Vey",
            "It would, unless I am wrong, be somebody else. So Vey",
            "Vey would have the most",
        ] {
            assert!(!says(text), "{text}");
        }
    }
}
