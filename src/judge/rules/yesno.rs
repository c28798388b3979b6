//! Yes or no: the word that opens a statement. "No idea" and "not found" are no "no".

use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::has;

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
        !has(
            "idea answer clue one information data record records result results evidence such match matches way",
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
