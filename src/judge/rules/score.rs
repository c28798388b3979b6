//! Which of several people the numbers beside their names make the first. It must not weigh numbers that may be of
//! something else than the question ranks by: then nobody is chosen.

use super::currency::Currency;
use super::number;
use super::people::Who;
use super::ranking::{Rank, ranking, stem};
use super::standing::{Hit, clause_start};
use super::token::{Shape, Token};
use super::words::has;
use std::collections::HashSet;

/// Who compares more people than these makes a list.
pub const FEW: usize = 8;

/// "X has 4 while Y has 2": each clause says one person and one number, and the question ranks by that number.
pub fn counted(tokens: &[Token], asked: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let Rank { more, nouns, .. } = ranking(asked);
    if nouns.is_empty()
        || hits.len() > FEW
        || hits.iter().map(|hit| &hit.value).collect::<HashSet<_>>().len() != hits.len()
    {
        return None;
    }
    // "| X | 4 |" below a head that says what is counted.
    let head = &tokens[..hits[0].from];
    let bar = |t: &Token| t.is('|');
    let table = head.iter().any(bar) && head.iter().any(|t| nouns.contains(&stem(&t.low)));
    let mut values = Vec::new();
    for (n, hit) in hits.iter().enumerate() {
        let end = hits.get(n + 1).map_or(tokens.len(), |next| next.from);
        let clause = &tokens[hit.to..end];
        let said = |t: &Token| has("or tie tied same equal not no unclear unknown", &t.low) || t.is('?') || t.is('=');
        let has_it = |t: &Token| has("has owns holds keeps with have", &t.low) || t.is(':');
        // "X has three cats, Y two": the verb is said once.
        let short = |before: &[Token]| n > 0 && before.is_empty();
        let found = number::amounts(clause, false, &[]);
        let [amount] = found.as_slice() else { return None };
        let plain = amount.value.currency == Currency::None && !amount.value.bound;
        let named = |t: &Token| nouns.contains(&stem(&t.low));
        let ends = |t: &Token| t.shape != Shape::Word || named(t) || has("while whereas and but", &t.low);
        let noun = clause.get(amount.to).is_none_or(|t| ends(t) || n > 0);
        // "X (4 boats)", but not "X (1950)".
        let bracket = clause.first().is_some_and(|t| t.is('(')) && clause.get(amount.to).is_some_and(named);
        if clause.iter().any(said)
            || !((table && clause.first().is_some_and(bar))
                || clause[..amount.from].iter().any(has_it)
                || short(&clause[..amount.from])
                || bracket)
            || !plain
            || !noun
        {
            return None;
        }
        values.push((amount.value.micros, hit.value == Who::Key));
    }
    // The first name opens its clause or follows "the person is", so that nothing before it turns the sense.
    let best = if more { values.iter().max() } else { values.iter().min() }?.0;
    let winners: Vec<bool> = values.iter().filter(|(value, _)| *value == best).map(|(_, key)| *key).collect();
    let plain = "while whereas although though but the person winner it is";
    let opener = table || tokens[clause_start(tokens, hits[0].from)..hits[0].from].iter().all(|t| has(plain, &t.low));
    (opener && winners.len() == 1).then(|| winners[0])
}
