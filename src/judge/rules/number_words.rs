//! Number words: English up to the millions, and the small ones of German, Spanish and French. A sequence is read as
//! far as it is one number, so `twenty-two` is 22 and never 2.

/// The value of the longest number that `words` begins with, and how many words it takes. Words are lower case;
/// hyphened ones ("twenty-two") count as one.
pub fn leading(words: &[&str]) -> Option<(i128, usize)> {
    let mut total = 0;
    let mut current: Option<i128> = None;
    let mut taken = 0;
    let mut n = 0;
    let mut last_size = i128::MAX;
    while n < words.len() {
        let word = words[n];
        if (word == "a" || word == "an") && n == 0 {
            if words.get(1).is_some_and(|w| ["hundred", "thousand", "million", "dozen"].contains(w)) {
                current = Some(1);
                n += 1;
                continue;
            }
            return None;
        }
        if word == "and" && taken > 0 && words.get(n + 1).is_some_and(|w| part(w).is_some()) && last_size >= 100 {
            n += 1;
            continue;
        }
        let scale: i128 = match word {
            "hundred" => 100,
            "thousand" => 1000,
            "million" => 1_000_000,
            "dozen" => 12,
            _ => 0,
        };
        if scale > 0 {
            if current.is_none() && taken > 0 {
                break;
            }
            let value = current.unwrap_or(1);
            if scale < 1000 {
                current = Some(value.saturating_mul(scale));
            } else {
                total += value.saturating_mul(scale);
                current = None;
            }
            last_size = scale;
        } else if let Some(value) = part(word) {
            // "one two" is two numbers, "hundred two" and "twenty two" are one.
            let fits = value < last_size && (last_size >= 100 || (last_size >= 20 && value < 10));
            if taken > 0 && !fits {
                break;
            }
            current = Some(current.unwrap_or(0) + value);
            last_size = if value >= 20 && value % 10 == 0 { value } else { 1 };
        } else {
            break;
        }
        n += 1;
        taken = n;
    }
    (taken > 0).then_some((total + current.unwrap_or(0), taken))
}

/// One word below a hundred, also hyphened.
fn part(word: &str) -> Option<i128> {
    if let Some(value) = single(word) {
        return Some(value);
    }
    if let Some((tens, unit)) = word.split_once('-') {
        let (tens, unit) = (single(tens)?, single(unit)?);
        return (tens >= 20 && tens % 10 == 0 && (1..10).contains(&unit)).then_some(tens + unit);
    }
    None
}

fn single(word: &str) -> Option<i128> {
    const ENGLISH: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    if let Some(n) = ENGLISH.iter().position(|w| *w == word) {
        return Some(n as i128);
    }
    if let Some(n) = TENS.iter().position(|w| *w == word) {
        return Some((n as i128 + 2) * 10);
    }
    foreign(word)
}

/// Words that mean something else in English ("once", "die") are left out.
fn foreign(word: &str) -> Option<i128> {
    let n = match word {
        "nil" | "cero" | "zéro" => 0,
        "fourty" => 40,
        "eins" => 1,
        "zwei" | "dos" | "deux" => 2,
        "drei" | "tres" | "trois" => 3,
        "vier" | "cuatro" | "quatre" => 4,
        "fünf" | "cinco" | "cinq" => 5,
        "sechs" | "seis" => 6,
        "sieben" | "siete" => 7,
        "acht" | "ocho" | "huit" => 8,
        "neun" | "nueve" | "neuf" => 9,
        "zehn" | "diez" | "dix" => 10,
        "elf" | "onze" => 11,
        "zwölf" | "doce" | "douze" => 12,
        "dreizehn" | "trece" | "treize" => 13,
        "vierzehn" | "catorce" | "quatorze" => 14,
        "fünfzehn" | "quince" | "quinze" => 15,
        "sechzehn" | "dieciséis" | "seize" => 16,
        "siebzehn" | "diecisiete" | "dix-sept" => 17,
        "achtzehn" | "dieciocho" | "dix-huit" => 18,
        "neunzehn" | "diecinueve" | "dix-neuf" => 19,
        "zwanzig" | "veinte" | "vingt" => 20,
        _ => return None,
    };
    Some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_words_are_read_as_one_number_each() {
        for (text, want) in [
            ("twelve", Some((12, 1))),
            ("twenty-two", Some((22, 1))),
            ("twenty two cars", Some((22, 2))),
            ("one hundred and five", Some((105, 4))),
            ("a hundred", Some((100, 2))),
            ("a dozen", Some((12, 2))),
            ("a car", None),
            ("two thousand three hundred forty-one", Some((2341, 5))),
            ("fifty-one thousand six hundred nine dollars", Some((51609, 5))),
            ("three and two", Some((3, 1))),
            ("one two", Some((1, 1))),
            ("vierzehn", Some((14, 1))),
            ("second", None),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(leading(&words), want, "{text}");
        }
    }
}
