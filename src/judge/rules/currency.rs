//! Currencies beside an amount: dollars, cents, or other money by its code. It reads signs and words; it knows no rates.

use super::token::Token;
use super::words::has;

/// What an amount is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Currency {
    /// Nothing said.
    None,
    /// US dollars.
    Dollar,
    /// Hundredths of a dollar.
    Cent,
    /// Other money, by its code.
    Foreign(&'static str),
}

/// What the amount at `from..to` is counted in.
pub fn currency(tokens: &[Token], from: usize, to: usize) -> Currency {
    let get = |n: Option<usize>| n.and_then(|n| tokens.get(n));
    let before: Vec<&Token> = (1..=3).filter_map(|k| get(from.checked_sub(k))).filter(|t| !t.is('-')).take(2).collect();
    let after: Vec<&Token> = (0..3).filter_map(|k| get(Some(to + k))).collect();
    let dollar_before = before.first().is_some_and(|t| t.is('$'));
    let glued = get(from.checked_sub(1)).is_some_and(|d| d.glued);
    let prefix = before.get(1).filter(|_| dollar_before && glued).and_then(|t| other_dollar(&t.low));
    let us_after = after.first().is_some_and(|t| t.is('$') || t.low == "us");
    let suffix = if us_after { after.get(1) } else { after.first() };
    let foreign = prefix
        .or_else(|| before.first().and_then(|t| foreign(&t.low)))
        .or_else(|| suffix.and_then(|t| foreign(&t.low)));
    if let Some(code) = foreign {
        return Currency::Foreign(code);
    }
    let cents = after.first().is_some_and(|t| ["cent", "cents"].contains(&&*t.low) || t.is('¢'));
    if cents {
        return Currency::Cent;
    }
    let dollar = |t: &&Token| {
        t.is('$') || has("usd us-dollar us-dollars dollar dollars dólares dólar dollari buck bucks us$", &t.low)
    };
    let us_dollar =
        after.first().is_some_and(|t| ["us", "u.s", "american"].contains(&&*t.low)) && after.get(1).is_some_and(dollar);
    if dollar_before || before.first().is_some_and(dollar) || after.first().is_some_and(dollar) || us_dollar {
        return Currency::Dollar;
    }
    Currency::None
}

/// The foreign currency that is named anywhere in the text.
pub fn foreign_named(tokens: &[Token]) -> Option<&'static str> {
    tokens.iter().find_map(|t| foreign(&t.low))
}

/// Currencies that aren't dollars of the United States.
fn foreign(low: &str) -> Option<&'static str> {
    const CODES: [(&str, &str); 14] = [
        ("eur", "€ eur euro euros"),
        ("gbp", "£ gbp pound pounds sterling"),
        ("jpy", "¥ jpy yen"),
        ("inr", "₹ inr rupee rupees"),
        ("krw", "₩ krw"),
        ("rub", "₽ rub ruble rubles"),
        ("chf", "chf franc francs franken"),
        ("cad", "cad canadian"),
        ("aud", "aud australian"),
        ("nzd", "nzd hkd sgd"),
        ("mxn", "mxn peso pesos"),
        ("cny", "cny yuan renminbi"),
        ("sek", "sek krona kronor nok dkk pln zloty czk brl reais"),
        ("btc", "btc bitcoin bitcoins eth usdt"),
    ];
    CODES.iter().find(|(_, words)| has(words, low)).map(|(code, _)| *code)
}

/// What stands grown together before a `$` that isn't of the United States.
fn other_dollar(low: &str) -> Option<&'static str> {
    Some(match low {
        "c" | "ca" | "can" => "cad",
        "a" | "au" => "aud",
        "nz" | "hk" | "s" | "sg" => "nzd",
        "mx" => "mxn",
        "r" | "nt" => "sek",
        _ => return None,
    })
}
