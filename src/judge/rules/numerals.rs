//! A number that is written in no usual digits and is all that an answer says: `XIV`, `1.4e1`, `1.4 x 10^1`, `十四`. It must
//! not be looked for inside a text, where the same signs are initials, plates and ids.

use super::number::ONE;
use super::token::Token;

/// The value in millionths, where the span is nothing but such a number.
pub fn alone(span: &[Token]) -> Option<i128> {
    let (said, marks): (Vec<&Token>, Vec<&Token>) =
        span.iter().partition(|t| t.text.chars().any(char::is_alphanumeric));
    if !marks.iter().all(|t| "$.*^\"\n".contains(&t.text)) {
        return None;
    }
    let power = marks.iter().any(|t| t.is('^'));
    match said.as_slice() {
        [one] => roman(&one.text).or_else(|| scientific(&one.text)).or_else(|| ideographs(&one.text)),
        [factor, ten, exponent] | [factor, _, ten, exponent] if power && ten.text == "10" => {
            scientific(&format!("{}e{}", factor.text, exponent.text))
        }
        _ => None,
    }
}

/// `XIV`, two letters at least: one letter may be the name of a choice.
fn roman(text: &str) -> Option<i128> {
    const SIGNS: [(&str, i128); 13] = [
        ("M", 1000),
        ("CM", 900),
        ("D", 500),
        ("CD", 400),
        ("C", 100),
        ("XC", 90),
        ("L", 50),
        ("XL", 40),
        ("X", 10),
        ("IX", 9),
        ("V", 5),
        ("IV", 4),
        ("I", 1),
    ];
    if !(2..=15).contains(&text.len()) {
        return None;
    }
    let (mut rest, mut value) = (text, 0);
    let mut canonical = String::new();
    for (sign, worth) in SIGNS {
        while let Some(after) = rest.strip_prefix(sign) {
            (rest, value) = (after, value + worth);
        }
    }
    let mut left = value;
    for (sign, worth) in SIGNS {
        while left >= worth {
            canonical.push_str(sign);
            left -= worth;
        }
    }
    // What is written otherwise than it should be, such as `IIII`, is no number.
    (rest.is_empty() && canonical == text).then_some(value * ONE)
}

/// `1.4e1`.
fn scientific(text: &str) -> Option<i128> {
    let (factor, exponent) = text.split_once(['e', 'E'])?;
    let exponent: u32 = exponent.parse().ok().filter(|exponent| *exponent <= 9)?;
    // A comma or a group in the factor is not looked into.
    factor.bytes().all(|b| b.is_ascii_digit() || b == b'.').then_some(())?;
    let (whole, fraction) = factor.split_once('.').unwrap_or((factor, ""));
    (fraction.len() <= 9 && (1..=9).contains(&whole.len())).then_some(())?;
    // All digits as one number, then the point moved.
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = 10i128.pow(u32::try_from(fraction.len()).ok()?);
    Some(digits * 10i128.pow(exponent) * ONE / scale)
}

/// `十四`, up to 999.
fn ideographs(text: &str) -> Option<i128> {
    let (mut total, mut digit) = (0, None);
    for sign in text.chars() {
        if let Some(value) = "〇一二三四五六七八九".chars().position(|d| d == sign) {
            digit.is_none().then_some(())?;
            digit = Some(i128::try_from(value).ok()?);
            continue;
        }
        let scale = match sign {
            '十' => 10,
            '百' => 100,
            _ => return None,
        };
        total += digit.take().unwrap_or(1) * scale;
    }
    Some((total + digit.unwrap_or(0)) * ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn only_a_span_that_is_one_number_is_read() {
        for (text, want) in [
            ("XIV", Some(14)),
            ("IX.", Some(9)),
            ("IIII", None),
            ("VX", None),
            ("X", None),
            ("1.4e1", Some(14)),
            ("1.4e2", Some(140)),
            ("1.4 x 10^1", Some(14)),
            ("十四", Some(14)),
            ("二十", Some(20)),
            ("九", Some(9)),
            ("-1.4e1", None),
            ("XIV or XV", None),
            ("€1.4e1", None),
            ("plate 12E3", None),
        ] {
            assert_eq!(alone(&tokens(text)), want.map(|n| n * ONE), "{text}");
        }
    }
}
