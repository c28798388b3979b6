//! Cuts a text into words, numbers, codes and marks, with the place of each. All later rules read tokens and never
//! search in the text, so that `15` is not found in `215`, nor `Hanna` in `Hannah`, nor `3` in `doc-0003`.

use super::words;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Letters, with `'` and `-` between letters.
    Word,
    /// Digits, with `. , ' _` between digits.
    Number,
    /// Letters and digits grown together, or an address: an id, a plate, a file, an email.
    Code,
    /// One sign.
    Mark,
    /// A line end.
    Break,
}

/// One token.
#[derive(Debug, Clone)]
pub struct Token {
    /// As written.
    pub text: String,
    /// Lower case, without the possessive `'s`.
    pub low: String,
    /// What it is.
    pub shape: Shape,
    /// No space stands before it.
    pub glued: bool,
    /// It stands in brackets that hold an aside.
    pub aside: bool,
    /// Byte offsets in the text.
    pub at: (usize, usize),
}

impl Token {
    /// This is the sign `c`.
    pub fn is(&self, c: char) -> bool {
        self.shape == Shape::Mark && self.text.starts_with(c)
    }

    /// A word that starts with a capital letter.
    pub fn capital(&self) -> bool {
        self.shape == Shape::Word && self.text.starts_with(char::is_uppercase)
    }

    /// Ends a clause: `, ; : . ! ? |`, a dash between words, a line end.
    pub fn ends_clause(&self) -> bool {
        self.shape == Shape::Break
            || (self.shape == Shape::Mark && ",;:.!?|".contains(&self.text))
            || (self.is('-') && !self.glued)
    }

    /// Ends a sentence: `. ! ? ;`, a line end.
    pub fn ends_sentence(&self) -> bool {
        self.shape == Shape::Break || (self.shape == Shape::Mark && ".!?;".contains(&self.text))
    }
}

/// All tokens of a text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut start: Option<usize> = None;
    for (i, c) in text.char_indices() {
        let hard = c.is_whitespace() || "()[]{}<>\";!?|=*".contains(c);
        if !hard {
            start.get_or_insert(i);
            continue;
        }
        if let Some(from) = start.take() {
            chunk(text, from, i, &mut out);
        }
        if c == '\n' {
            push(text, i, i + 1, Shape::Break, &mut out);
        } else if !c.is_whitespace() {
            push(text, i, i + c.len_utf8(), Shape::Mark, &mut out);
        }
    }
    if let Some(from) = start {
        chunk(text, from, text.len(), &mut out);
    }
    let mut out = drop_abbreviation_dots(out);
    mark_asides(&mut out);
    out
}

fn push(text: &str, from: usize, to: usize, shape: Shape, out: &mut Vec<Token>) {
    let word = &text[from..to];
    let low = word.to_lowercase();
    let low = low.strip_suffix("'s").map(str::to_string).unwrap_or(low);
    let glued = from > 0 && !text[..from].ends_with(char::is_whitespace);
    out.push(Token { text: word.to_string(), low, shape, glued, aside: false, at: (from, to) });
}

/// Cuts what stands between spaces.
fn chunk(text: &str, from: usize, to: usize, out: &mut Vec<Token>) {
    let lead = text[from..to].find(|c: char| c.is_alphanumeric()).map_or(to, |n| from + n);
    let core_end = text[lead..to]
        .rfind(char::is_alphanumeric)
        .map_or(lead, |n| lead + n + text[lead + n..].chars().next().map_or(0, char::len_utf8));
    marks(text, from, lead, out);
    let core = &text[lead..core_end];
    if is_address(core) || is_code(core) {
        push(text, lead, core_end, Shape::Code, out);
    } else {
        pieces(text, lead, core_end, out);
    }
    marks(text, core_end, to, out);
}

fn marks(text: &str, from: usize, to: usize, out: &mut Vec<Token>) {
    for (i, c) in text[from..to].char_indices() {
        push(text, from + i, from + i + c.len_utf8(), Shape::Mark, out);
    }
}

fn is_address(core: &str) -> bool {
    let file = core.rsplit_once('.').is_some_and(|(stem, end)| {
        stem.len() > 1 && ["txt", "json", "jsonl", "csv", "md", "py", "db", "com", "org", "net", "test"].contains(&end)
    });
    core.contains('@') || core.contains("://") || file
}

fn ideograph(c: char) -> bool {
    ('\u{2e80}'..'\u{fb00}').contains(&c)
}

/// Letters and digits grown together, where the letters aren't a unit, a currency or an ordinal ending.
fn is_code(core: &str) -> bool {
    if core.contains('$') {
        return false;
    }
    let joined = |c: char| (c.is_alphanumeric() && !ideograph(c)) || "-_'.,".contains(c);
    core.split(|c| !joined(c)).any(|part| {
        // `14,Ann` is two things, `a.1` too: a code's parts are joined by `-` and `_` or by nothing.
        part.split([',', '.']).any(|part| {
            let letters: String = part.chars().filter(|c| c.is_alphabetic()).collect();
            let digits = part.chars().any(|c| c.is_ascii_digit());
            digits && !letters.is_empty() && !unit_beside_number(part, &letters.to_lowercase())
        })
    })
}

fn unit_beside_number(part: &str, letters: &str) -> bool {
    let split = |c: char| c.is_alphabetic();
    let (before, after) = (part.starts_with(split), part.ends_with(split));
    let units = ["st", "nd", "rd", "th", "er", "e", "k", "m", "usd", "eur", "gbp", "cad", "aud", "chf", "jpy", "us"];
    before != after && !part.contains(['-', '_']) && units.contains(&letters)
}

fn pieces(text: &str, from: usize, to: usize, out: &mut Vec<Token>) {
    let chars: Vec<(usize, char)> = text[from..to].char_indices().map(|(i, c)| (from + i, c)).collect();
    let end_of = |n: usize| chars.get(n).map_or(to, |(i, _)| *i);
    let mut n = 0;
    while n < chars.len() {
        let (i, c) = chars[n];
        let begin = n;
        let at = |n: usize| chars.get(n).map(|(_, c)| *c);
        let shape = if c.is_ascii_digit() {
            while at(n + 1).is_some_and(|c| c.is_ascii_digit())
                || (at(n + 1).is_some_and(|c| ".,'_".contains(c)) && at(n + 2).is_some_and(|c| c.is_ascii_digit()))
            {
                n += 1;
            }
            Shape::Number
        } else if c.is_alphanumeric() {
            let kin = |d: char| d.is_alphabetic() && ideograph(d) == ideograph(c);
            while at(n + 1).is_some_and(kin)
                || (at(n + 1).is_some_and(|d| "'-_".contains(d)) && at(n + 2).is_some_and(kin))
            {
                n += 1;
            }
            Shape::Word
        } else {
            Shape::Mark
        };
        n += 1;
        debug_assert!(n > begin);
        push(text, i, end_of(n), shape, out);
    }
}

/// The dot of `Dr.`, `R.` or `Nov.` ends no sentence.
fn drop_abbreviation_dots(all: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(all.len());
    let mut rest = all.into_iter().peekable();
    while let Some(token) = rest.next() {
        let more = rest.peek().is_some_and(|next| next.shape != Shape::Break);
        // "No. 14" is a number, "No. Ann Vey" is a no.
        let numbered = rest.peek().is_some_and(|next| matches!(next.shape, Shape::Number | Shape::Code));
        let dot = token.is('.') && token.glued && more;
        let short = |word: &Token| {
            let initial = word.text.chars().count() == 1 && word.capital();
            let no = word.low == "no" && !numbered;
            word.shape == Shape::Word && !no && (initial || words::has(words::ABBREVIATIONS, &word.low))
        };
        if !(dot && out.last().is_some_and(short)) {
            out.push(token);
        }
    }
    out
}

/// For each token, whether a bracket there is part of the statement: its first word takes the statement back, or it
/// holds a total, which outweighs the parts before it.
fn states_on(all: &[Token]) -> Vec<bool> {
    let (mut reopens, mut total) = (false, false);
    let mut out: Vec<bool> = Vec::with_capacity(all.len());
    for token in all.iter().rev() {
        total = !token.is(')') && !token.is(']') && (total || token.low == "total");
        out.push(total || reopens);
        if token.shape != Shape::Mark {
            reopens = token.shape == Shape::Word && words::has(words::REOPENS, &token.low);
        }
    }
    out.reverse();
    out
}

/// Marks what stands in brackets, unless the bracket takes the statement back (`(or Ann)`, `(actually 15)`).
fn mark_asides(out: &mut [Token]) {
    let stated = states_on(out);
    let mut open: Vec<bool> = Vec::new();
    let mut asides = 0;
    for (token, stated) in out.iter_mut().zip(stated) {
        let sign = |signs: &str| token.shape == Shape::Mark && signs.contains(&token.text);
        let (opens, closes) = (sign("([{"), sign(")]}"));
        if opens {
            open.push(!stated);
            asides += usize::from(!stated);
        }
        token.aside = asides > 0;
        if closes && open.pop() == Some(true) {
            asides -= 1;
        }
    }
    // A bracket that never closes holds no aside.
    if !open.is_empty() {
        out.iter_mut().for_each(|t| t.aside = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stay_whole_and_units_come_apart() {
        let shapes =
            |text: &str| tokens(text).iter().map(|t| format!("{:?}:{}", t.shape, t.text)).collect::<Vec<_>>().join(" ");
        for (text, want) in [
            ("doc-0003", "Code:doc-0003"),
            ("ZQ3-9918", "Code:ZQ3-9918"),
            ("bank_accounts.txt,", "Code:bank_accounts.txt Mark:,"),
            ("14th", "Number:14 Word:th"),
            ("US$51,630.48.", "Word:US Mark:$ Number:51,630.48 Mark:."),
            ("5+4=9", "Number:5 Mark:+ Number:4 Mark:= Number:9"),
            ("答案是14", "Word:答案是 Number:14"),
            ("O-", "Word:O Mark:-"),
            ("2031-11-08", "Number:2031 Mark:- Number:11 Mark:- Number:08"),
            ("Dr. Ora R. Vey.", "Word:Dr Word:Ora Word:R Word:Vey Mark:."),
            ("isn't Ann's", "Word:isn't Word:Ann's"),
        ] {
            assert_eq!(shapes(text), want, "{text}");
        }
    }
}
