//! Finds a person's name: case and spaces don't matter; `Last, First`, a title, a middle initial, a nickname in quotes
//! and a possessive are the same person. A longer name, a surname alone or a near miss are somebody else.

use super::standing::Hit;
use super::token::{Shape, Token};
use super::words::{self, has};

/// The words of a name, lower case, without titles, initials in the middle and suffixes.
pub fn words_of(name: &str) -> Vec<String> {
    let mut list: Vec<String> = super::token::tokens(name)
        .into_iter()
        .filter(|t| t.shape == Shape::Word || t.shape == Shape::Code)
        .map(|t| t.text.to_lowercase())
        .filter(|w| !has(words::TITLES, w) && !has(words::SUFFIXES, w))
        .collect();
    if list.len() > 2 {
        let last = list.len() - 1;
        let mut n = 0;
        list.retain(|w| {
            n += 1;
            n == 1 || n == last + 1 || w.chars().count() > 1
        });
    }
    list
}

/// Where `name` (from [`words_of`]) stands as a whole name.
pub fn find(name: &[String], tokens: &[Token]) -> Vec<Hit<()>> {
    if name.is_empty() {
        return Vec::new();
    }
    let whole = [name.concat(), name.join("_")];
    (0..tokens.len())
        .filter_map(|n| {
            forward(name, tokens, n)
                .or_else(|| surname_first(name, tokens, n))
                .or_else(|| grown_together(name, &whole, tokens, n))
        })
        .collect()
}

/// The token says this word of a name, perhaps with an accent left out or a possessive sign behind it.
fn says(token: &Token, want: &str) -> bool {
    if !matches!(token.shape, Shape::Word | Shape::Code) {
        return false;
    }
    let same = |want: &str| token.low == want || token.text.to_lowercase() == want;
    same(want) || (!want.is_ascii() && token.text.is_ascii() && same(&plain(want)))
}

/// Without accents.
fn plain(word: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    word.nfd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect()
}

fn initial(token: &Token) -> bool {
    token.shape == Shape::Word && token.text.chars().count() == 1 && token.capital()
}

fn forward(name: &[String], tokens: &[Token], n: usize) -> Option<Hit<()>> {
    let mut at = n;
    for (i, want) in name.iter().enumerate() {
        if i > 0 {
            at = over_middle(tokens, at, want);
        }
        says(tokens.get(at)?, want).then_some(())?;
        at += 1;
    }
    let hit = Hit { value: (), from: n, to: at };
    // The same name again, right beside, is no longer name.
    let again = |n: Option<usize>, want: Option<&String>| {
        n.and_then(|n| tokens.get(n)).zip(want).is_some_and(|(token, want)| says(token, want))
    };
    let left = again(n.checked_sub(1), name.last()) || !grows_left(tokens, n);
    let right = again(Some(at), name.first()) || !grows_right(tokens, at);
    (left && right).then_some(hit)
}

/// Skips what may stand between two words of a name: one or two line ends, an initial, a nickname in quotes or brackets.
fn over_middle(tokens: &[Token], at: usize, want: &str) -> usize {
    let mut n = at;
    while n < at + 2 && tokens.get(n).is_some_and(|t| t.shape == Shape::Break) {
        n += 1;
    }
    let dotted = |n: usize| {
        let letter = tokens[n].shape == Shape::Word && tokens[n].text.chars().count() == 1;
        letter && tokens.get(n + 1).is_some_and(|t| t.is('.') && t.glued)
    };
    let near = at + 8;
    while n < near && tokens.get(n).is_some_and(|t| (initial(t) || dotted(n)) && !says(t, want)) {
        n += 1;
        if tokens.get(n).is_some_and(|t| t.is('.')) {
            n += 1;
        }
    }
    let quote = |n: usize| tokens.get(n).is_some_and(|t| t.is('"') || t.is('\'') || t.is('(') || t.is(')'));
    if quote(n) && tokens.get(n + 1).is_some_and(|t| t.shape == Shape::Word) && quote(n + 2) {
        n += 3;
    }
    if tokens.get(n).is_some_and(|t| t.text == "_") {
        n += 1;
    }
    n
}

/// `Last, First`, also `Last, First M.`
fn surname_first(name: &[String], tokens: &[Token], n: usize) -> Option<Hit<()>> {
    let (last, given) = name.split_last()?;
    (!given.is_empty() && says(&tokens[n], last)).then_some(())?;
    let mut at = n + 1;
    tokens.get(at).filter(|t| t.is(',')).map(|_| ())?;
    at += 1;
    for want in given {
        says(tokens.get(at)?, want).then_some(())?;
        at += 1;
    }
    if tokens.get(at).is_some_and(initial) {
        at += 1;
    }
    // In "Cal Vey, Ora Dunn" the words belong to two other people.
    let hit = Hit { value: (), from: n, to: at };
    (!grows_left(tokens, n) && !grows_right(tokens, at) && !plain_word_before(tokens, n)).then_some(hit)
}

fn plain_word_before(tokens: &[Token], n: usize) -> bool {
    n.checked_sub(1).is_some_and(|p| {
        tokens[p].shape == Shape::Word && !has(words::COMMON, &tokens[p].low) && !has(words::TITLES, &tokens[p].low)
    })
}

/// `ora_vey`, `OraVey`: also what is left when an invisible sign between the words is taken away.
fn grown_together(name: &[String], whole: &[String], tokens: &[Token], n: usize) -> Option<Hit<()>> {
    (name.len() > 1 && tokens[n].shape == Shape::Word).then_some(())?;
    whole.contains(&tokens[n].text.to_lowercase()).then_some(())?;
    // `@oravey` and `oravey/` are handles.
    let beside = |n: Option<usize>| n.and_then(|n| tokens.get(n)).is_some_and(|t| t.is('@') || t.is('/') || t.is('\\'));
    (!beside(n.checked_sub(1)) && !beside(Some(n + 1))).then_some(Hit { value: (), from: n, to: n + 1 })
}

/// A capital word that no sentence begins with stands right before: "Mary Ora Vey" is not Ora Vey.
fn grows_left(tokens: &[Token], n: usize) -> bool {
    let Some(before) = n.checked_sub(1).map(|p| &tokens[p]) else { return false };
    // "the brother of Ora Vey"
    if before.low == "of" && n > 1 && has(words::KIN, &tokens[n - 2].low) {
        return true;
    }
    (before.is('-') && tokens[n].glued && before.glued) || part_of_name(before)
}

fn grows_right(tokens: &[Token], n: usize) -> bool {
    let possessive = n.checked_sub(1).is_some_and(|p| tokens[p].text.to_lowercase().ends_with("'s"));
    let Some(next) = tokens.get(n) else { return false };
    if possessive {
        return has(words::KIN, &next.low);
    }
    (next.is('-') && next.glued && tokens.get(n + 1).is_some_and(|t| t.glued))
        || part_of_name(next)
        || has("jr sr ii iii iv junior senior", &next.low)
}

/// A word that can belong to a name: a capital letter, and not a small word or one of the trade.
pub fn part_of_name(token: &Token) -> bool {
    let shouted = token.text.chars().count() > 1 && !token.text.chars().any(char::is_lowercase);
    let short_surname = shouted && has("li yu wu xu ho an le do", &token.low);
    token.capital()
        && token.text.chars().count() > 1
        && !has(words::TITLES, &token.low)
        && !has(words::SUFFIXES, &token.low)
        && (short_surname || !(has(words::COMMON, &token.low) || has(words::NEGATES, &token.low)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::rules::token::tokens;

    #[test]
    fn spellings_of_one_person_and_other_people() {
        let name = words_of("Ora Vey");
        for text in [
            "Ora Vey",
            "ORA VEY",
            "ora  vey",
            "Vey, Ora",
            "Dr. Ora R. Vey",
            "Ora\nVey",
            "Ora Vey's cat",
            "Ora \"Oz\" Vey",
            "Vey, Ora R.",
            "OraVey",
            "ora_vey",
            "Ora Vey (mem-0001)",
            "the owner is Ora Vey.",
            "Ora Vey, PhD",
        ] {
            assert_eq!(find(&name, &tokens(text)).len(), 1, "{text}");
        }
        for text in [
            "Vey",
            "Ora",
            "O. Vey",
            "Cora Vey",
            "Ora Veys",
            "Mary Ora Vey",
            "Ora Vey Dunn",
            "Ora Vey-Dunn",
            "Cal Vey, Ora Dunn",
            "ora.vey@mail.test",
            "@oravey",
            "Ora Dunn and Cal Vey",
            "Ora Vey's brother",
            "the brother of Ora Vey",
            "Ora Vey Jr.",
            "Оra Vey",
        ] {
            assert_eq!(find(&name, &tokens(text)).len(), 0, "{text}");
        }
        assert_eq!(find(&words_of("José Ruiz"), &tokens("Jose Ruiz")).len(), 1);
    }
}
