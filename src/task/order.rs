//! The order in which tasks are shown: `ledger-2` before `ledger-10`, as people count.

use std::cmp::Ordering;

/// Compares two names piece by piece: runs of digits as numbers of any length, everything else as text. Names that
/// differ in leading zeros alone are in the order of their text.
pub fn by_name(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y) = (number(&mut left), number(&mut right));
            // Without leading zeros the longer number is the larger.
            x.len().cmp(&y.len()).then(x.cmp(y))
        } else {
            left = &left[x.len_utf8()..];
            right = &right[y.len_utf8()..];
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then(a.cmp(b))
}

/// Takes the digits from the begin of `text`, and gives them without leading zeros.
fn number<'t>(text: &mut &'t str) -> &'t str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let wanted = [
            "",
            "7",
            "10",
            "a",
            "ledger",
            "ledger-0",
            "ledger-01",
            "ledger-1",
            "ledger-2",
            "ledger-2b",
            "ledger-10",
            "ledger-10-3",
            "ledger-10-20",
            "ledger-99999999999999999999999",
            "ledger-100000000000000000000000",
            "ledger-a",
            "é-2",
            "é-10",
        ];
        let mut found = wanted;
        found.sort_unstable();
        assert_ne!(found, wanted, "text alone orders them otherwise");
        found.sort_by(|a, b| by_name(a, b));
        assert_eq!(found, wanted);
    }
}
