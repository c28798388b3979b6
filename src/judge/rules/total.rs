//! Which of several amounts is the result: the right side of `=`, the one called total, the one in the question's
//! unit, the sum of the others. What the question itself says (the 15 in "the 15 richest") is not a result.

use super::currency::Currency;
use super::number::Amount;
use super::standing::{Hit, clause_start, prefer};
use super::token::{Shape, Token};
use super::words::{self, has};

/// Stand before a result.
const TOTAL: &str = "total totals totalling totaling sum sums altogether combined overall makes making equals gives \
    giving adds adding together make come comes leaving insgesamt gesamt summe suma somme totale gesamtguthaben";
/// Follow the noun after "how many".
const ENDS_UNIT: &str = "do does did are is was were belong in have has the of keep hold own can on there at that \
    who total different";

/// The amounts that may be the result; more than one value left means that none was marked.
pub fn results(tokens: &[Token], asked: &[Token], restated: &[i128], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let hits: Vec<_> = hits.into_iter().filter(|hit| !hit.value.bound).collect();
    let hits = equation(tokens, hits);
    let hits = out_of(tokens, hits);
    let hits = marked(tokens, hits);
    let unit = unit(asked);
    // A result is counted in no unit of the work, unless the question is.
    let hits: Vec<_> = hits.into_iter().filter(|hit| !of_the_work(tokens, asked, hit)).collect();
    let first = hits.iter().find(|hit| in_unit(tokens, &unit, hit)).map_or(tokens.len(), |hit| hit.to);
    let hits = prefer(hits, |hit| in_unit(tokens, &unit, hit) || (hit.from > first && unsaid(tokens, hit)));
    // Few texts have such a word, and the others need no look at each amount.
    let others = tokens.iter().any(|t| has(OTHERS, &t.low) || has(VERSUS, &t.low));
    let hits = if others { prefer(hits, |hit| !of_another(tokens, asked, hit)) } else { hits };
    let hits = prefer(hits, |hit| !restated.contains(&hit.value.micros));
    let hits = prefer(hits, |hit| !year(tokens, hit) && !age(tokens, hit));
    let hits = concluded(tokens, hits);
    sum_of_others(tokens, hits)
}

/// True if all hits say one value, and there is one.
pub fn one_value(hits: &[Hit<Amount>]) -> bool {
    !hits.is_empty() && hits.iter().all(|hit| (hit.value.micros - hits[0].value.micros).abs() < 5_000)
}

/// "fourteen (14)", "14 (fifteen)": where a bracket right behind an amount holds nothing but an amount, whether it is the
/// same.
pub fn said_again(tokens: &[Token], found: &[Hit<Amount>], hit: &Hit<Amount>) -> Option<bool> {
    let next = found.get(found.partition_point(|other| other.from < hit.to))?;
    let between = tokens.get(hit.to..next.from).filter(|between| between.len() <= 5)?;
    let unit = |t: &Token| t.shape == Shape::Word || t.is('$');
    let open = between.iter().position(|t| t.is('('))?;
    let close = tokens[next.to..].iter().take(2).position(|t| t.is(')'))?;
    let plain = between.iter().enumerate().all(|(n, t)| n == open || (unit(t) && (n < open || t.is('$'))))
        && tokens[next.to..next.to + close].iter().all(|t| has("dollars dollar usd", &t.low));
    plain.then(|| (hit.value.micros - next.value.micros).abs() < 5_000)
}

/// Who is spoken of here is not the one whose amount is asked for.
const OTHERS: &str = "runner-up runner runnerup loser followed";
/// Stand before the amount that another one is weighed against.
const VERSUS: &str = "versus vs compared";

/// What is said of the runner-up, or behind "versus", is not the result.
fn of_another(tokens: &[Token], asked: &[Token], hit: &Hit<Amount>) -> bool {
    let near = &tokens[hit.from.saturating_sub(12)..hit.from];
    let clause = &near[clause_start(near, near.len())..];
    let other = |t: &Token| has(OTHERS, &t.low) && !asked.iter().any(|a| a.low == t.low);
    let versus = |t: &Token| has(VERSUS, &t.low);
    let beside = near.iter().rev().filter(|t| !t.is('$') && !has("to with", &t.low)).take(1).any(versus);
    beside || clause.iter().any(other)
}

/// In "5 + 9 = 14" the right side counts, in "14 = 5 + 9" the left.
fn equation(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let Some(last) = hits.last().map(|hit| hit.from) else { return hits };
    let Some(sign) = (0..last).rev().find(|n| tokens[*n].is('=')) else { return hits };
    let sum = |from: usize, to: usize| tokens[from..to].iter().any(|t| t.is('+'));
    let start = (0..sign).rev().find(|n| tokens[*n].is('=') || tokens[*n].ends_sentence()).map_or(0, |n| n + 1);
    let left_only = sum(sign, last) && !sum(start, sign);
    hits.into_iter().filter(|hit| if left_only { (start..sign).contains(&hit.from) } else { hit.from > sign }).collect()
}

/// "6 out of 15", "6 of the 15", "out of 15, 6 are": the 15 is no result.
fn out_of(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let whole = |hit: &Hit<Amount>| {
        let low = |k: usize| hit.from.checked_sub(k).map_or("", |n| &*tokens[n].low);
        let number =
            |k: usize| hit.from.checked_sub(k).is_some_and(|n| hits.binary_search_by_key(&(n + 1), |h| h.to).is_ok());
        (low(1) == "of" && (number(2) || has("out one", low(2))))
            || (low(1) == "the" && low(2) == "of" && (number(3) || low(3) == "out"))
    };
    hits.iter().filter(|hit| !whole(hit)).cloned().collect()
}

/// "total: 14", "14 in total", "which makes 14".
fn marked(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let before = |n: usize, hit: &Hit<Amount>| {
        let floor = n.checked_sub(1).map_or(0, |p| hits[p].to);
        near_before(&tokens[floor..hit.from]).iter().any(|t| has(TOTAL, &t.low))
    };
    let after = |hit: &Hit<Amount>| {
        let rest: Vec<&str> = tokens[hit.to..]
            .iter()
            .take_while(|t| !t.ends_clause() && t.shape != Shape::Number)
            .take(5)
            .map(|t| &*t.low)
            .collect();
        rest.iter().any(|w| has("altogether combined overall total insgesamt together", w))
            || rest.windows(2).any(|pair| pair == ["in", "all"])
    };
    // In "14 in total: 5 pets …" the total is the one before the colon.
    let taken: Vec<bool> = hits.iter().map(after).collect();
    let led = |n: usize| n > 0 && taken[n - 1] && tokens[hits[n - 1].to..hits[n].from].iter().any(|t| t.is(':'));
    let flag = |(n, hit)| taken[n] || (!led(n) && before(n, hit));
    let flags: Vec<bool> = hits.iter().enumerate().map(flag).collect();
    let some: Vec<_> = hits.iter().zip(flags).filter(|(_, flag)| *flag).map(|(hit, _)| hit.clone()).collect();
    if one_value(&some) { some } else { hits }
}

/// The last words of the clause; a colon or a table's bar at its start brings the clause before it along.
fn near_before(tokens: &[Token]) -> &[Token] {
    let near = &tokens[tokens.len().saturating_sub(7)..];
    let start = clause_start(near, near.len());
    let colon = start > 0 && (near[start - 1].is(':') || near[start - 1].is('|'));
    &near[if colon { clause_start(near, start - 1) } else { start }..]
}

/// The noun after "how many".
pub fn unit(asked: &[Token]) -> Vec<String> {
    let Some(many) = asked.windows(2).position(|w| w[0].low == "how" && w[1].low == "many") else { return Vec::new() };
    asked[many + 2..]
        .iter()
        .take(5)
        .take_while(|t| t.shape == Shape::Word && !has(ENDS_UNIT, &t.low))
        .map(|t| stem(&t.low))
        .collect()
}

/// The noun stands after the number.
fn in_unit(tokens: &[Token], unit: &[String], hit: &Hit<Amount>) -> bool {
    tokens[hit.to..].iter().take(3).take_while(|t| t.shape == Shape::Word).any(|t| unit.contains(&stem(&t.low)))
}

/// "the owner has 14 records, the best-paid person 9": whose it is, is said, and the unit goes on.
fn unsaid(tokens: &[Token], hit: &Hit<Amount>) -> bool {
    let whose = |t: &Token| has("has owns holds person resident owner member customer", &t.low);
    tokens.get(hit.to).is_none_or(Token::ends_clause)
        && tokens[clause_start(tokens, hit.from)..hit.from].iter().any(whose)
}

/// The word without the ending of its plural.
pub fn stem(word: &str) -> String {
    match word {
        w if w.ends_with("ies") => format!("{}y", &w[..w.len() - 3]),
        w if w.ends_with('s') && w.len() > 3 => w[..w.len() - 1].to_string(),
        w => w.to_string(),
    }
}

/// "in 2025", "the 2004 model".
fn year(tokens: &[Token], hit: &Hit<Amount>) -> bool {
    let token = &tokens[hit.from];
    token.shape == Shape::Number
        && token.text.len() == 4
        && (token.text.starts_with("19") || token.text.starts_with("20"))
        && hit.value.currency == Currency::None
}

/// "77 years old", "aged 77".
fn age(tokens: &[Token], hit: &Hit<Amount>) -> bool {
    let low = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map_or("", |t| &*t.low);
    let years = has("year years yr yrs", low(Some(hit.to))) && has("old of", low(Some(hit.to + 1)));
    years || has("year-old years-old", low(Some(hit.to))) || has("aged age", low(hit.from.checked_sub(1)))
}

/// "…, so 14": what follows the last conclusion, if it says a value.
fn concluded(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let Some(last) = hits.last().map(|hit| hit.from) else { return hits };
    let Some(word) = (0..last).rev().find(|n| {
        has(words::CONCLUDES, &tokens[*n].low) && tokens.get(n + 1).is_some_and(|t| t.low != "far" && t.low != "many")
    }) else {
        return hits;
    };
    hits.into_iter().filter(|hit| hit.from > word).collect()
}

/// "in 4 files", "after 3 hours": what was done, not what was asked.
fn of_the_work(tokens: &[Token], asked: &[Token], hit: &Hit<Amount>) -> bool {
    let work = "file files document documents source sources step steps query queries lines minute minutes hour hours \
        second seconds attempt attempts try tries times pass passes candidate candidates people persons individuals \
        year years month months week weeks day days am pm o'clock error errors squared cubed quarters thirds halves";
    let said =
        |word: &str| asked.iter().any(|a| stem(&a.low) == stem(word) || (a.low == "old" && word.starts_with("year")));
    tokens.get(hit.to).is_some_and(|t| has(work, &t.low) && !said(&t.low))
}

/// "14: 5, 4, 3 and 2" and "5, 4, 3 and 2: 14". A comma is not enough: in "1, 2 and 3" nothing is a sum.
fn sum_of_others(tokens: &[Token], hits: Vec<Hit<Amount>>) -> Vec<Hit<Amount>> {
    let ([first, second, ..], [.., before, last]) = (hits.as_slice(), hits.as_slice()) else { return hits };
    if hits.len() < 3 {
        return hits;
    }
    let all: i128 = hits.iter().map(|hit| hit.value.micros).sum();
    let apart = |a: &Hit<Amount>, b: &Hit<Amount>| {
        tokens[a.to..b.from].iter().any(|t| (t.ends_clause() && !t.is(',')) || has("is namely comprising", &t.low))
    };
    let is_sum = |hit: &Hit<Amount>| (all - 2 * hit.value.micros).abs() < 5_000;
    if is_sum(first) && apart(first, second) {
        return vec![first.clone()];
    }
    if is_sum(last) && apart(before, last) {
        return vec![last.clone()];
    }
    hits
}
