//! Which of the words that there are was meant by one that there isn't. The one place that says how near is near enough,
//! so that keys, ids, paths and flags are all guessed alike. Pure.

/// The words that are spelt like `word`, best first, at most three.
pub fn close_to<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<&'w str> {
    let mut near: Vec<(usize, &str)> =
        words.into_iter().filter_map(|known| Some((distance(word, known)?, known))).collect();
    near.sort();
    near.dedup();
    near.into_iter().take(3).map(|(_, known)| known).collect()
}

/// The nearest word, where one is near enough to be meant.
pub fn closest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    close_to(word, words).first().copied()
}

/// The question whether the nearest word was meant.
pub fn did_you_mean<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    closest(word, words).map(|near| format!("did you mean `{near}`?"))
}

/// How many slips lie between two words; `None` where they are too many, unless the words begin alike.
fn distance(word: &str, known: &str) -> Option<usize> {
    let (word, known) = (word.to_lowercase(), known.to_lowercase());
    let slips = strsim::osa_distance(&word, &known);
    let few = slips <= 1 + word.chars().count().min(known.chars().count()) / 4;
    (few || strsim::jaro_winkler(&word, &known) >= 0.85).then_some(slips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_or_a_missing_end_is_guessed_and_another_word_is_not() {
        let known = ["lookup", "negation", "n_concurrent_trials", "n_attempts", "ledger-1", "ledger-2", "ledger-16"];
        for (word, wanted) in [
            ("lokup", vec!["lookup"]),
            ("LOOKUP", vec!["lookup"]),
            ("n_concurrent", vec!["n_concurrent_trials"]),
            ("n_atempts", vec!["n_attempts"]),
            ("ledger-61", vec!["ledger-1", "ledger-16", "ledger-2"]),
            ("xyzzy", vec![]),
        ] {
            assert_eq!(close_to(word, known), wanted, "{word}");
        }
        assert_eq!(did_you_mean("negatoin", known).as_deref(), Some("did you mean `negation`?"));
    }
}
