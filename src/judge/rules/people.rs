//! Which person a span asserts. One person alone is easy; of several, only a conclusion ("so X"), a comparison ("X
//! beats Y", "Y has fewer than X") or a mark ("X wins, Y is second") says who is meant. Everything else is no choice.

use super::contest::{compared, marked};
use super::ranking::{ranking, rankings};
use super::score::{FEW, counted};
use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};
use super::{lone, name};
use std::collections::{BTreeMap, HashSet};

/// Who stands at a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Who {
    /// The person of the key.
    Key,
    /// Somebody else, by the words of the name.
    Other(String),
}

/// Everybody in the span: the key's person, the known rivals, and who else looks like a person.
pub fn everybody(key: &[Vec<String>], rivals: &[String], tokens: &[Token]) -> Vec<Hit<Who>> {
    // By the first token; no two share a token.
    let mut out: BTreeMap<usize, Hit<Who>> = BTreeMap::new();
    let add = |hit: Hit<()>, who: Who, out: &mut BTreeMap<usize, Hit<Who>>| {
        if out.range(..hit.to).next_back().is_none_or(|(_, o)| o.to <= hit.from) {
            out.insert(hit.from, Hit { value: who, from: hit.from, to: hit.to });
        }
    };
    for name in key {
        for hit in name::find(name, tokens) {
            add(hit, Who::Key, &mut out);
        }
    }
    let said: HashSet<String> = tokens.iter().flat_map(|t| [t.low.clone(), t.text.to_lowercase()]).collect();
    for rival in rivals {
        let name = name::words_of(rival);
        let here = name.len() > 1 && name.iter().all(|w| said.contains(w)) && !key.contains(&name);
        for hit in if here { name::find(&name, tokens) } else { Vec::new() } {
            add(hit, Who::Other(name.join(" ")), &mut out);
        }
    }
    for hit in strangers(tokens) {
        let name = tokens[hit.from..hit.to].iter().map(|t| t.low.as_str()).collect::<Vec<_>>().join(" ");
        add(hit, Who::Other(name), &mut out);
    }
    out.into_values().collect()
}

/// Runs of capital words, and in a text without capitals the bare pairs of uncommon words.
fn strangers(tokens: &[Token]) -> Vec<Hit<()>> {
    let mut out = Vec::new();
    let mut n = 0;
    while n < tokens.len() {
        let start = n;
        let mut parts = 0;
        while n < tokens.len() {
            let initial = n > start && tokens[n].capital() && tokens[n].text.chars().count() == 1;
            let grown = tokens[n].glued && n > start && tokens[n - 1].shape != Shape::Word;
            let either = |list: &'static str| tokens[n].capital() && has(list, &tokens[n].low);
            let month = tokens.get(n + 1).is_some_and(|t| t.shape == Shape::Number);
            let surname = n > start && either(words::SURNAMES_TOO) && !month;
            let given =
                n == start && either(words::GIVEN_NAMES_TOO) && tokens.get(n + 1).is_some_and(name::part_of_name);
            if !(name::part_of_name(&tokens[n]) || initial || surname || given) || grown {
                break;
            }
            parts += usize::from(!initial);
            n += 1;
            if tokens[n - 1].text.ends_with("'s") {
                break;
            }
        }
        let before = start.checked_sub(1).map_or("", |p| &*tokens[p].low);
        let titled = has(words::TITLES, before) && parts > 0;
        let place = has("in at from near city state county", before);
        if (2..=4).contains(&parts) && !place || titled {
            out.push(Hit { value: (), from: start, to: n });
        }
        n = n.max(start + 1);
    }
    let lower = !tokens.iter().any(|t| t.text.chars().any(char::is_uppercase));
    if lower {
        out.extend(bare_pairs(tokens));
    }
    out
}

fn bare_pairs(tokens: &[Token]) -> Vec<Hit<()>> {
    let parts = |t: &Token| t.ends_clause() || t.shape == Shape::Mark || has("or and & vs versus", &t.low);
    let mut out = Vec::new();
    let mut from = 0;
    for n in 0..=tokens.len() {
        if tokens.get(n).is_some_and(|t| !parts(t)) {
            continue;
        }
        let words = &tokens[from..n];
        if (2..=3).contains(&words.len())
            && words
                .iter()
                .all(|t| t.shape == Shape::Word && !has(words::COMMON, &t.low) && !has(words::NEGATES, &t.low))
        {
            out.push(Hit { value: (), from, to: n });
        }
        from = n + 1;
    }
    out
}

/// Whether the span's one answer is the key's person; else why not.
pub fn chosen(tokens: &[Token], asked: &[Token], hits: &[Hit<Who>]) -> Result<&'static str, &'static str> {
    let keys = hits.iter().filter(|hit| hit.value == Who::Key).count();
    if keys == 0 {
        return Err(if hits.is_empty() { "the name is not in the final answer" } else { "another name" });
    }
    let alone = keys == hits.len();
    if alone && hits.iter().all(|hit| lone::loses(tokens, asked, hit)) {
        return Err("the name is said to be somebody else's, or to lose");
    }
    // "the other owns 5": somebody without a name may win, but never makes the name win.
    if alone && let Some(all) = lone::beside(tokens, asked, hits) {
        let weighed = compared(tokens, asked, &all).or_else(|| counted(tokens, asked, &all));
        if weighed.or_else(|| marked(tokens, asked, &ranking(asked), &all)) == Some(false) {
            return Err("the other one is said to win");
        }
    }
    if alone && !open_choice(tokens, hits) {
        return Ok("the name, and no other");
    }
    if let Some(verdict) = concluded(tokens, hits) {
        return if verdict { Ok("the name, as conclusion") } else { Err("another name, as conclusion") };
    }
    if alone {
        return Err("a choice is left open");
    }
    if let Some(verdict) = picked(tokens, hits).or_else(|| named_again(tokens, hits)) {
        return if verdict { Ok("the name, picked of those compared") } else { Err("another name is picked") };
    }
    match compared(tokens, asked, hits) {
        Some(true) => return Ok("the name, as winner of a comparison"),
        Some(false) => return Err("another name, as winner of a comparison"),
        None => {}
    }
    // Where they are said to be level, a tie-break may decide.
    let level =
        tokens.iter().any(|t| has("tie tied ties tiebreak tiebreaker tie-break tie-breaker level same equal", &t.low));
    let broken = || rankings(asked).skip(1).filter(|_| level).find_map(|rank| marked(tokens, asked, &rank, hits));
    match marked(tokens, asked, &ranking(asked), hits).or_else(broken) {
        Some(true) => return Ok("the name, marked among others"),
        Some(false) => return Err("another name is marked"),
        None => {}
    }
    match counted(tokens, asked, hits) {
        Some(true) => Ok("the name, by the numbers given"),
        Some(false) => Err("another name, by the numbers given"),
        None => Err("several people, none chosen"),
    }
}

/// "X (5) vs Y (4): X": the last clause is nothing but a name that was said before.
fn named_again(tokens: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let (last, before) = hits.split_last().filter(|(_, before)| before.len() < FEW)?;
    let sign = last.from.checked_sub(1).filter(|n| tokens[*n].ends_clause() && !tokens[*n].is(','))?;
    let silent = |tokens: &[Token]| tokens.iter().all(|t| matches!(t.shape, Shape::Mark | Shape::Break));
    let label = sign.checked_sub(1).is_some_and(|n| has(words::LOSES, &tokens[n].low));
    let again = before.iter().any(|hit| hit.value == last.value);
    (again && !label && silent(&tokens[last.to..])).then_some(last.value == Who::Key)
}

/// "Between X and Y, it's X", "comparing X with Y: X wins", "of X and Y, the latter".
fn picked(tokens: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let first = hits.first().filter(|_| hits.len() <= FEW)?.from;
    let opener = first.checked_sub(1)?;
    if !has("between comparing of among", &tokens[opener].low) || (opener > 0 && !tokens[opener - 1].ends_clause()) {
        return None;
    }
    // The pick follows the clause that names them all: the second of two, or all before the last.
    let seen = |n: usize| hits.iter().filter(|hit| hit.to <= n).map(|hit| &hit.value).collect::<HashSet<_>>().len();
    let all = if seen(tokens.len()) == 2 { 2 } else { seen(hits.last()?.from).max(2) };
    let turn = (first..tokens.len()).find(|n| (tokens[*n].is(',') || tokens[*n].is(':')) && seen(*n) == all)?;
    let (compared, after): (Vec<_>, Vec<_>) = hits.iter().partition(|hit| hit.from < turn);
    let rest: Vec<&Token> = tokens[turn + 1..].iter().filter(|t| !t.aside).collect();
    let any = |list: &'static str| rest.iter().any(|t| has(list, &t.low) || has(words::NEGATES, &t.low));
    if any("or tie tied neither both same equal fewer less") || rest.iter().any(|t| has(words::LOSES, &t.low)) {
        return None;
    }
    match (compared.as_slice(), after.as_slice()) {
        ([a, b], []) => {
            let said = |word: &str| rest.iter().filter(|t| t.low == word).count() == 1;
            match (said("former"), said("latter")) {
                (true, false) => Some(a.value == Who::Key),
                (false, true) => Some(b.value == Who::Key),
                _ => None,
            }
        }
        ([_, _], [one]) => Some(one.value == Who::Key),
        (many, [one]) if many.iter().any(|hit| hit.value == one.value) => Some(one.value == Who::Key),
        _ => None,
    }
}

/// "X or …", "tie between X and …", "X and Quist".
fn open_choice(tokens: &[Token], hits: &[Hit<Who>]) -> bool {
    let tie = tokens.windows(2).any(|w| has("tie tied draw", &w[0].low) && has("between with among", &w[1].low));
    let tie = tie || (0..tokens.len()).any(|n| both(tokens, hits, n));
    // Brackets, quotes and commas beside a name are looked past.
    let beside: Vec<usize> =
        (0..tokens.len()).filter(|n| !tokens[*n].aside && !tokens[*n].is('"') && !tokens[*n].is(',')).collect();
    tie || hits.iter().any(|hit| {
        let after = beside.get(beside.partition_point(|n| *n < hit.to)).copied();
        let before = beside.partition_point(|n| *n < hit.from).checked_sub(1).map(|n| beside[n]);
        let or = |n: Option<usize>| n.is_some_and(|n| has("or / oder ou nor", &tokens[n].low));
        let and = |n: Option<usize>, step: isize| {
            n.is_some_and(|n| has("and & / und et", &tokens[n].low))
                && n.and_then(|n| n.checked_add_signed(step))
                    .and_then(|n| tokens.get(n))
                    .is_some_and(name::part_of_name)
        };
        or(after) || or(before) || and(after, 1) || and(before, -1)
    })
}

/// "both X and …" in a sentence with a name; "I compared both; X wins" leaves nothing open.
fn both(tokens: &[Token], hits: &[Hit<Who>], n: usize) -> bool {
    const NEAR: usize = 40;
    let of_people = |t: &Token| {
        t.shape == Shape::Word && !has("chains routes paths ways conditions criteria checks questions", &t.low)
    };
    if tokens[n].low != "both" || !tokens.get(n + 1).is_some_and(of_people) {
        return false;
    }
    let (near, far) = (n.saturating_sub(NEAR), tokens.len().min(n + NEAR));
    let start = tokens[near..n].iter().rposition(Token::ends_sentence).map_or(near, |k| near + k + 1);
    let end = tokens[n..far].iter().position(Token::ends_sentence).map_or(far, |k| n + k);
    hits.get(hits.partition_point(|hit| hit.from < start)).is_some_and(|hit| hit.from < end)
}

fn concluded(tokens: &[Token], hits: &[Hit<Who>]) -> Option<bool> {
    let last = hits.last()?.from;
    let turn = (0..last).rev().find(|n| {
        let opens = *n == 0
            || tokens[n - 1].ends_clause()
            || tokens[n - 1].is('=')
            || has("and but in i we", &tokens[n - 1].low);
        // "only X has none"
        let only = tokens[*n].low == "only" && hits.iter().any(|hit| hit.from == n + 1);
        let before = n.checked_sub(1).map_or("", |n| &*tokens[n].low);
        // "but also X" adds to somebody, "loser = X" is no result.
        let adds = tokens[*n].low == "also" && has("but and", before);
        let sign = tokens[*n].is('=') && !has(words::LOSES, before);
        let leads = (has(words::CONCLUDES, &tokens[*n].low) && !adds) || sign || only;
        leads
            && (opens || tokens[*n].low == "making" || tokens[*n].is('='))
            && tokens.get(n + 1).is_some_and(|t| !has("does do did far is was has had many much", &t.low))
    })?;
    let after: Vec<_> = hits.iter().filter(|hit| hit.from > turn).collect();
    let keys = after.iter().filter(|hit| hit.value == Who::Key).count();
    let loses = tokens[turn..].iter().any(|t| has(words::LOSES, &t.low) || has("or tie tied fewer", &t.low));
    match (keys, after.len() - keys) {
        (1.., 0) if !loses => Some(true),
        (0, 1..) if !loses => Some(false),
        _ => None,
    }
}
