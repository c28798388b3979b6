//! What is denied does not count: "not X but Y", "isn't X", "rather than X", "X is not the answer". A denial reaches
//! the next value in its clause and what is joined to it by "or"; it doesn't reach out of a relative clause ("who has
//! no card is X").

use super::standing::Hit;
use super::supposed;
use super::token::Token;
use super::words::{self, has};

/// How many words may stand between a negation and what it denies.
const REACH: usize = 6;

/// The hits that are not denied.
pub fn undenied<T: Clone>(tokens: &[Token], asked: &[Token], hits: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let asks_negation = asked.iter().any(|t| negation(&t.low) || has("no without lacks none", &t.low));
    let mut out = Vec::new();
    let supposes = supposed::may(tokens);
    let mut denied_before: Option<usize> = None;
    for (n, hit) in hits.iter().enumerate() {
        let floor = n.checked_sub(1).map_or(0, |before| hits[before].to);
        let carried = denied_before.is_some_and(|end| joined(&tokens[end..hit.from]));
        let next = hits.get(n + 1).map_or(tokens.len(), |next| next.from);
        let denied = carried
            || before(tokens, floor, hit.from, asks_negation)
            || after(&tokens[hit.to..next.max(hit.to)], asks_negation)
            || doubted(&tokens[hit.to..next.max(hit.to)])
            || (supposes && supposed::supposed(tokens, hit.from, hit.to));
        denied_before = denied.then_some(hit.to);
        if !denied {
            out.push(hit.clone());
        }
    }
    out
}

/// "X? Probably not.", "Is it X? No.", "X? I could not verify."
fn doubted(after: &[Token]) -> bool {
    let end = after.iter().position(Token::ends_sentence).filter(|n| after[*n].is('?'));
    let next = end.map_or(&[][..], |n| &after[n + 1..]);
    let reply = &next[..next.iter().position(Token::ends_sentence).unwrap_or(next.len())];
    let knows = |t: &Token| has("verify confirm tell say know determine sure certain establish", &t.low);
    if reply.iter().any(|t| negation(&t.low)) && reply.iter().any(knows) {
        return true;
    }
    let mut words = next.iter().take_while(|t| !t.ends_clause()).peekable();
    words.peek().is_some()
        && words.all(|t| has("no not nope never probably definitely certainly surely unlikely hardly way", &t.low))
}

fn joined(between: &[Token]) -> bool {
    let words: Vec<&str> = between.iter().filter(|t| !t.is(',')).map(|t| &*t.low).collect();
    matches!(words.as_slice(), ["or" | "nor" | "and" | "/" | "oder" | "o" | "ni" | "ou", ..] if words.len() <= 2)
}

fn negation(low: &str) -> bool {
    // Chinese is written without spaces: the word that holds it is longer.
    has(words::NEGATES, low) || low.ends_with("n't") || low.contains("不是") || low.contains("并非")
}

/// Words behind a value that deny it, in languages that put them there: "Xではありません", "X가 아닙니다", "X不是答案".
fn denies_behind(low: &str) -> bool {
    [
        "ではありません",
        "ではない",
        "じゃない",
        "じゃありません",
        "아니",
        "아닙",
        "不是答案",
        "不是正确",
        "不正确",
        "不对",
    ]
    .iter()
    .any(|end| low.contains(end))
}

/// Two words that together negate what follows at once.
fn pair(first: &str, second: &str) -> bool {
    matches!(
        (first, second),
        ("rather" | "other" | "different", "than")
            | ("instead", "of")
            | ("apart" | "aside", "from")
            | ("ruled" | "rule" | "ruling", "out")
            | ("no", "longer" | "es" | "era" | "fue" | "son")
            | ("but", "for")
            | ("as", "opposed")
            | ("in", "place")
            | ("no", "way" | "means")
            | ("false" | "untrue" | "wrong" | "incorrect" | "impossible" | "unlikely" | "doubtful", "that")
    )
}

fn before(tokens: &[Token], floor: usize, at: usize, asks_negation: bool) -> bool {
    let mut thick = 0;
    let mut n = at;
    while n > floor && at - n < REACH + 4 {
        n -= 1;
        let token = &tokens[n];
        let low = &*token.low;
        let previous = n.checked_sub(1).map_or("", |p| &*tokens[p].low);
        if low == "only" && negation(previous) {
            return false;
        }
        // "No doubt X", "without doubt X" deny nobody.
        if low == "doubt" {
            return !has("no without beyond little", previous);
        }
        // "Everyone except X has one" answers who has none.
        if asks_negation && has("except but excluding", low) {
            let near = n.saturating_sub(24);
            let start = tokens[near..n].iter().rposition(|t| t.ends_clause()).map_or(near, |k| near + k + 1);
            if tokens[start..n].iter().any(|t| has("everyone everybody all", &t.low)) {
                return false;
            }
        }
        // "All were ruled out except X."
        let out = "out excluded eliminated disqualified rejected";
        if has("except but", low) && has(out, previous) && starts_with_all(tokens, n) {
            return false;
        }
        // "no asthma"
        if low == "no" && thick == 0 && !tokens[n + 1].ends_clause() {
            return true;
        }
        if negation(low) || pair(previous, low) {
            return thick == 0
                || (thick <= REACH && !relative(tokens, n, floor) && !(asks_negation && low.ends_with("n't")));
        }
        // "anyone but X"
        let any = |k: usize| n.checked_sub(k).is_some_and(|n| has("any every", &tokens[n].low));
        let all = "anyone anybody anything everyone everybody nobody all none";
        if low == "but" && thick == 0 && (has(all, previous) || any(2) || any(3)) {
            return true;
        }
        if token.ends_clause() || token.is('=') || has(words::TURNS, low) {
            return false;
        }
        if !has(words::THIN, low) && !token.is('"') {
            thick += 1;
        }
        if has(words::COPULAS, low) && thick > 3 {
            return false;
        }
    }
    false
}

/// The clause that holds `n` speaks of everybody.
fn starts_with_all(tokens: &[Token], n: usize) -> bool {
    let clause = tokens[n.saturating_sub(8)..n].rsplit(Token::ends_clause).next().unwrap_or(&[]);
    clause.iter().any(|t| has("everyone everybody all others", &t.low))
}

/// The negation belongs to "who has not …", which says something of a person and denies nobody.
fn relative(tokens: &[Token], negation: usize, floor: usize) -> bool {
    (floor..negation)
        .rev()
        .take(4)
        .any(|n| has("who that which whose with quien que qui der die without", &tokens[n].low))
}

/// "X is not the answer", "X is wrong", "X is ruled out", "X doesn't qualify".
fn after(tokens: &[Token], asks_negation: bool) -> bool {
    let clause: Vec<&str> = tokens
        .iter()
        .skip_while(|t| t.is('"') || t.is('\''))
        .take_while(|t| !t.ends_clause() && !has("but and so while whereas", &t.low))
        .map(|t| &*t.low)
        .collect();
    let Some(first) = clause.first().copied() else { return false };
    if clause.iter().take(3).any(|w| denies_behind(w)) {
        return true;
    }
    // "X almost qualifies"
    if has("almost nearly hardly barely scarcely", first) && clause.len() > 1 {
        return true;
    }
    let rest = &clause[1..];
    let thin = |words: &[&str]| {
        words
            .iter()
            .copied()
            .find(|w| !has("the a an actually clearly definitely be really therefore", w))
            .unwrap_or("")
            .to_string()
    };
    let verdict = |word: &str| {
        word.is_empty()
            || has("ahead answer it correct right one winner him her case true person solution valid eligible", word)
    };
    let be = has(
        "would seems looks appears sounds is was isn't wasn't are aren't ist es est can can't cannot could couldn't",
        first,
    );
    let bad = |word: &str| {
        has("wrong incorrect excluded eliminated ruled disqualified out false rejected too unlikely", word)
    };
    if be && bad(&thin(rest)) {
        return true;
    }
    // "X could not be found"
    if clause.windows(3).take(2).any(|w| w[0] == "not" && w[1] == "be" && has("found located verified", w[2])) {
        return true;
    }
    if be && (first.ends_with("n't") || first == "cannot") {
        return verdict(&thin(rest));
    }
    if be && rest.first().is_some_and(|w| *w == "not" || *w == "nicht" || *w == "never") {
        return verdict(&thin(&rest[1..]));
    }
    if (has("does did", first) && rest.first() == Some(&"not")) || has("doesn't didn't", first) {
        let verb = if has("does did", first) { rest.get(1) } else { rest.first() };
        return !asks_negation || verb.is_some_and(|v| has("qualify match fit count meet win", v));
    }
    (first == "n't" || first == "not") && rest.is_empty()
}
