//! Money: value to the cent, whatever separators, symbol or code. Another currency is another value; so is the sign.

use super::currency::{Currency, foreign_named};
use super::number::Amount;
use super::standing::{Hit, prefer};
use super::token::Token;

/// Less than this apart, in millionths, is the noise of floating point.
pub const TOLERANCE: i128 = 5_000;

/// Amounts that can be money: those with a currency if there are any, else those with decimals, else all. A currency
/// named apart ("currency: EUR", "in euros") is that of all numbers without one.
pub fn candidates(tokens: &[Token], mut hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let bare = hits.iter().all(|hit| hit.value.currency == Currency::None);
    if let Some(code) = foreign_named(tokens).filter(|_| bare) {
        hits.iter_mut().for_each(|hit| hit.value.currency = Currency::Foreign(code));
    }
    let hits = prefer(hits, |hit| hit.value.currency != Currency::None);
    prefer(hits, |hit| hit.value.currency != Currency::None || hit.value.decimals)
}

/// The two say the same money; a number without currency is taken in the key's.
pub fn same(key: &Amount, said: &Amount) -> bool {
    let currency = match (key.currency, said.currency) {
        (_, Currency::None) | (Currency::None, Currency::Dollar) => true,
        (a, b) => a == b,
    };
    currency && (key.micros - said.micros).abs() < TOLERANCE
}
