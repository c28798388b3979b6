//! Blood types: a group with a sign, the sign spoken or written. `A-` is not `AB-`, and `O` alone is no type.

use super::standing::Hit;
use super::token::Token;
use super::words::has;

/// A blood type, such as `AB-`.
pub fn types(tokens: &[Token]) -> Vec<Hit<String>> {
    (0..tokens.len()).filter_map(|n| at(tokens, n)).collect()
}

fn at(tokens: &[Token], n: usize) -> Option<Hit<String>> {
    let token = &tokens[n];
    if let Some((group, sign)) = token.low.split_once('-')
        && let Some(sign) = spoken(sign)
    {
        return Some(Hit { value: format!("{}{sign}", group_of(group)?), from: n, to: n + 1 });
    }
    let joined = token.low.strip_suffix("rh");
    let group = group_of(joined.unwrap_or(&token.low))?;
    let mut next = n + 1;
    // "Type O, Rh positive": only the factor's own word makes one of both sides of a comma.
    if tokens.get(next).is_some_and(|t| t.is(',')) && tokens.get(next + 1).is_some_and(|t| has("rh rhesus", &t.low)) {
        next += 1;
    }
    while tokens.get(next).is_some_and(|t| has("rh rhesus rhd factor ( type d )", &t.low)) && next < n + 6 {
        next += 1;
    }
    let sign = tokens.get(next)?;
    // `A - ` with a space is a dash, and "a positive …" speaks of something positive.
    let written = (sign.is('-') || sign.is('+')) && sign.glued;
    let word = spoken(&sign.low).filter(|_| token.text != "a");
    let sign = if written { Some(if sign.is('+') { '+' } else { '-' }) } else { word }?;
    Some(Hit { value: format!("{group}{sign}"), from: n, to: next + 1 })
}

fn group_of(low: &str) -> Option<&'static str> {
    match low {
        "a" => Some("A"),
        "b" => Some("B"),
        "ab" => Some("AB"),
        "o" | "0" => Some("O"),
        _ => None,
    }
}

fn spoken(low: &str) -> Option<char> {
    match low {
        "pos" | "positive" | "plus" | "positiv" | "positivo" | "positif" => Some('+'),
        "neg" | "negative" | "minus" | "negativ" | "negativo" | "négatif" => Some('-'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn a_type_is_a_group_with_its_sign() {
        for (text, want) in [
            ("O-", "O-"),
            ("O negative", "O-"),
            ("o-neg", "O-"),
            ("O Rh negative", "O-"),
            ("ORh-", "O-"),
            ("type O, Rh negative", "O-"),
            ("0-", "O-"),
            ("AB-", "AB-"),
            ("ab positive.", "AB+"),
            ("a positive result", ""),
            ("O", ""),
            ("type A, not sure", ""),
            ("B+ or A-", "B+ A-"),
        ] {
            let found: Vec<String> = types(&tokens(text)).into_iter().map(|hit| hit.value).collect();
            assert_eq!(found.join(" "), want, "{text}");
        }
    }
}
