//! Where the final answer stands in a text: after the last mark ("final answer:", "the answer is"), else the whole of
//! a short text, else the last line that isn't a goodbye. A statement that is taken back later brings the rest along.

use super::token::{Shape, Token, tokens};
use super::words::{self, has};

const ANSWER: &str = "answer answers antwort respuesta réponse reponse risposta resposta odpowiedź ответ result \
    results final resultado résultat ergebnis resultat solution conclusion";
const TOTAL: &str = "total totals sum totale summe gesamt gesamtsumme suma somme";
/// Before "answer" these speak of another one.
const OTHER: &str = "no expected reference first initial earlier previous old original wrong incorrect can't cannot \
    to not any other alternative possible draft preliminary tentative couldn't won't unable don't intermediate \
    partial interim running sub expected_answer";
const SAYS: &str = "is was es est ist lautet è é be remains should would";
/// How many lines of an unmarked text are read as a whole.
const SHORT: usize = 3;

/// What kind of values the reader looks for, as far as the place of the answer depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// A "total:" marks the answer too.
    pub numeric: bool,
    /// The answer may take several lines.
    pub list: bool,
}

/// The part of `text` that states the answer. `says` tells whether a piece holds any value of the wanted kind.
pub fn final_span(text: &str, wanted: Wanted, says: &dyn Fn(&str) -> bool) -> String {
    let all = tokens(text);
    let mark = last_mark(&all, false).or_else(|| wanted.numeric.then(|| last_mark(&all, true)).flatten());
    if let Some(mark) = mark {
        return after_mark(text, &all, mark, wanted, says);
    }
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    if let Some(answer) = before_explanation(text, says) {
        return answer;
    }
    if lines.len() <= SHORT {
        return text.trim().to_string();
    }
    if wanted.list {
        let paragraph = text.trim().rsplit("\n\n").find(|p| !closing(p)).unwrap_or(text);
        return paragraph.trim().to_string();
    }
    let open: Vec<&str> =
        lines.iter().copied().take(lines.len() - lines.iter().rev().take_while(|l| closing(l)).count()).collect();
    let last = open.last().copied().unwrap_or("");
    // A row is read with its table: alone it would look chosen.
    let rows: Vec<&str> = open.iter().rev().take_while(|l| l.contains('|')).copied().collect();
    if rows.len() > 1 {
        return rows.into_iter().rev().collect::<Vec<_>>().join("\n");
    }
    if says(last) {
        return last.trim().to_string();
    }
    let concluded = open.iter().rev().find(|line| opens_with(line, words::CONCLUDES) && says(line));
    concluded.copied().unwrap_or(last).trim().to_string()
}

/// A short statement, and then "Explanation:" with how it was found.
fn before_explanation(text: &str, says: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut from = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let all = tokens(line.trim());
        let opens = all.first().is_some_and(|t| has(words::EXPLAINS, &t.low));
        if opens && all.get(1).is_none_or(|t| t.is(':')) {
            let head = text[..from].trim();
            return (says(head) && !goes_on(&text[from..])).then(|| head.to_string());
        }
        if n > SHORT {
            return None;
        }
        from += line.len();
    }
    None
}

/// The text holds a mark of its own.
pub fn has_mark(text: &str) -> bool {
    last_mark(&tokens(text), false).is_some()
}

/// The text takes back or weighs what stood before it.
pub fn goes_on(text: &str) -> bool {
    let all = tokens(text);
    let opens = |n: usize| n == 0 || all[n - 1].ends_sentence() || has("but oh hmm - and", &all[n - 1].low);
    (0..all.len()).any(|n| {
        opens(n)
            && (has(words::CORRECTS, &all[n].low)
                || has(words::HEDGES, &all[n].low)
                || has("not runner-up", &all[n].low))
    })
}

fn closing(line: &str) -> bool {
    line.trim().is_empty() || opens_with(line, words::CLOSING)
}

fn opens_with(line: &str, list: &'static str) -> bool {
    tokens(line).iter().find(|t| t.text.chars().any(char::is_alphanumeric)).is_some_and(|t| has(list, &t.low))
}

#[derive(Debug, Clone, Copy)]
enum Mark {
    /// The answer follows this token.
    Before(usize),
    /// "… is the answer": it stands between these tokens.
    Behind(usize, usize),
}

fn last_mark(all: &[Token], totals: bool) -> Option<Mark> {
    let list = if totals { TOTAL } else { ANSWER };
    (0..all.len())
        .rev()
        .filter(|n| has(list, &all[*n].low) || (!totals && all[*n].low.starts_with("答案")))
        .find_map(|n| mark(all, n, totals))
}

fn mark(all: &[Token], n: usize, totals: bool) -> Option<Mark> {
    let before = |k: usize| n.checked_sub(k).map_or("", |i| &*all[i].low);
    if has(OTHER, before(1)) || (before(1) == "final" && has(OTHER, before(2))) {
        return None;
    }
    if all[n].low.starts_with("答案是") || all[n].low.starts_with("答案为") {
        return Some(Mark::Before(n + 1));
    }
    let quote = |t: &Token| t.is('"') || t.is('\'') || t.is(')') || t.is(']');
    let skip = |mut i: usize| {
        while all.get(i).is_some_and(quote) {
            i += 1;
        }
        i
    };
    let mut next = skip(n + 1);
    let says = |i: &usize| has(SAYS, &all[*i].low) || all[*i].is(':') || all[*i].is('=');
    // "the answer to your question is", but not "the answer to step 1 is"
    if all.get(next).is_some_and(|t| ["to", "for"].contains(&&*t.low)) {
        let to = (next..all.len().min(next + 24)).find(says)?;
        let step = |w: &[Token]| has(words::LABELS, &w[0].low) && w[1].shape == Shape::Number && w[0].low != "question";
        if all[next..to].windows(2).any(step) {
            return None;
        }
        next = to;
    }
    // "the total bank balance is"
    if totals {
        // "She has 14 in total: 5 pets, …"
        if before(1) == "in" && n > 1 && !all[n - 2].ends_clause() {
            return None;
        }
        let to = (next..all.len().min(next + 7)).find(|i| all[*i].shape != Shape::Word || has(SAYS, &all[*i].low));
        next = to.filter(says).unwrap_or(next);
    }
    let said = all.get(next);
    let copula_before =
        has(words::COPULAS, before(1)) || has(words::COPULAS, before(2)) || has(words::COPULAS, before(3));
    if said.is_none_or(|t| t.ends_sentence() || t.is(',')) {
        let start = || (0..n).rev().find(|i| all[*i].ends_sentence()).map_or(0, |i| i + 1);
        if let Some(start) = copula_before.then(start).filter(|start| *start < n) {
            return Some(Mark::Behind(start, n));
        }
        return said.is_some_and(|t| t.text == "\n").then_some(Mark::Before(next));
    }
    let said = said?;
    let sign = said.is(':') || said.is('=') || (said.is('-') && !said.glued);
    let verb = has(SAYS, &said.low);
    if sign || verb {
        // "The answer would have been X" must keep its "would".
        let mut end = next + usize::from(said.low != "would");
        while all
            .get(end)
            .is_some_and(|t| t.is(':') || t.is('=') || t.is('>') || has("be therefore thus hence", &t.low))
        {
            end += 1;
        }
        return Some(Mark::Before(end));
    }
    (!totals && before(1) == "final").then_some(Mark::Before(next))
}

fn after_mark(text: &str, all: &[Token], mark: Mark, wanted: Wanted, says: &dyn Fn(&str) -> bool) -> String {
    let start = match mark {
        Mark::Behind(from, to) => {
            let rest = &text[all[to].at.1..];
            let said = &text[all[from].at.0..all[to].at.1];
            return if goes_on(rest) { format!("{said}{rest}") } else { said.trim().to_string() };
        }
        Mark::Before(n) => n,
    };
    let from = all.get(start).map_or(text.len(), |t| t.at.0);
    let rest = &text[from..];
    let sentence = (start..all.len()).find(|n| all[*n].ends_sentence()).map_or(text.len(), |n| all[n].at.1);
    let filled = rest.trim_start();
    let line = from + filled.find('\n').unwrap_or(filled.len()) + (rest.len() - filled.len());
    let paragraph = from + filled.find("\n\n").unwrap_or(filled.len()) + (rest.len() - filled.len());
    let ends = if wanted.list {
        // A list that begins on the mark's own line ends with it.
        let own_line = rest.split('\n').next().is_some_and(|l| !l.trim().is_empty());
        if own_line { vec![line, paragraph] } else { vec![paragraph] }
    } else {
        vec![sentence, line, paragraph]
    };
    let end = ends.into_iter().find(|end| says(&text[from..*end])).unwrap_or(line);
    if !wanted.list && goes_on(&text[end..]) {
        return rest.trim().to_string();
    }
    text[from..end].trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_statement_is_the_answer() {
        let digits = |t: &str| t.chars().any(|c| c.is_ascii_digit());
        let wanted = Wanted { numeric: true, list: false };
        for (text, want) in [
            ("14", "14"),
            ("Answer: 14\nFinal answer: 15", "15"),
            ("I think the answer is 14. I saw 5 pets.", "14."),
            ("# \nAnswer\n\n14\n", "14"),
            ("14 is the final answer.", "14 is the final answer"),
            ("a\nb\nc\nd 15\nSo 14 it is.\nLet me know.", "So 14 it is."),
            ("My first answer was 12 and then\na\nb\nc 15", "c 15"),
            ("Answer: 15. Wait, actually it is 14.", "15. Wait, actually it is 14."),
            ("a 1\nb 2\nTotal: 14\nc 3\nd 4", "14"),
            ("The answer to your question is: 14", "14"),
            ("The answer to step 1 is 9.\na\nb\nc\nSo 14.", "So 14."),
            ("a\nb\nThe running total is 9.\nc\nThe total bank balance is 14.", "14."),
            ("14\n\nExplanation:\n5 pets\n9 cars\nbye", "14"),
        ] {
            assert_eq!(final_span(text, wanted, &digits), want, "{text}");
        }
    }
}
