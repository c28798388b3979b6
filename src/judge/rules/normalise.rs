//! One spelling for each sign: what looks the same to a reader is made the same. Letters of other alphabets that only
//! look alike stay different, because folding them would accept a name that isn't the key's.

use unicode_normalization::UnicodeNormalization;

/// How many bytes of a long answer are read from its start.
const HEAD: usize = 8 << 10;
/// How many bytes of a long answer are read from its end; final answers stand there.
const TAIL: usize = 56 << 10;

/// Keeps head and tail of a long text, cut between characters, with a line of its own where the middle was.
pub fn cap(text: &str) -> String {
    if text.len() <= HEAD + TAIL {
        return text.to_string();
    }
    let head = text.floor_char_boundary(HEAD);
    let tail = text.ceil_char_boundary(text.len() - TAIL);
    format!("{}\n[...]\n{}", &text[..head], &text[tail..])
}

/// Folds compatibility forms, spaces, quotes and dashes; drops what can't be seen.
pub fn signs(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("\\r\\n", "\n").replace("\\n", "\n");
    // Superscript digits are footnotes; folded to plain digits they would change a number.
    let visible = entities(&text).chars().filter(|c| !invisible(*c) && !superscript(*c)).collect::<String>();
    let mut out = String::with_capacity(visible.len());
    let mut signs = visible.nfkc().peekable();
    while let Some(c) = signs.next() {
        // "O`Dowd"; other backticks are markup.
        let inside = out.ends_with(char::is_uppercase) && signs.peek().is_some_and(|next| next.is_uppercase());
        fold(if c == '`' && inside { '\'' } else { c }, &mut out);
    }
    out
}

fn superscript(c: char) -> bool {
    matches!(c, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}'..='\u{2079}')
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
        || (c.is_control() && c != '\n' && c != '\t')
}

/// The HTML entities that stand in answers.
fn entities(text: &str) -> String {
    const NAMED: [(&str, &str); 11] = [
        ("&nbsp;", " "),
        ("&#160;", " "),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&quot;", "\""),
        ("&#36;", "$"),
        ("&dollar;", "$"),
        ("&minus;", "-"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    if !text.contains('&') {
        return text.to_string();
    }
    // The ampersand last: `&amp;lt;` is the text `&lt;`.
    NAMED.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to)).replace("&amp;", "&")
}

fn fold(c: char, out: &mut String) {
    out.push_str(match c {
        '\n' => "\n",
        '\u{2028}' | '\u{2029}' => "\n",
        c if c.is_whitespace() => " ",
        '‘' | '’' | '‚' | '‛' | 'ʼ' | '´' | '′' => "'",
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '「' | '」' => "\"",
        '‐' | '‑' | '‒' | '–' | '−' | '﹣' | '⁻' => "-",
        '—' | '―' => " - ",
        '。' | '．' => ". ",
        '、' => ", ",
        '⁄' | '∕' => "/",
        '×' | '·' => " * ",
        '→' | '⇒' | '⟹' | '➜' | '➡' => " = ",
        '≈' | '≃' => "~",
        '•' | '▪' | '◦' | '●' => "* ",
        '٫' => ".",
        '٬' => ",",
        c => return out.push(digit(c)),
    });
}

/// The digit where another script has its own: Arabic, Persian, Devanagari.
fn digit(c: char) -> char {
    let zero = [0x660, 0x6f0, 0x966].into_iter().find(|zero| (*zero..*zero + 10).contains(&u32::from(c)));
    zero.and_then(|zero| char::from_digit(u32::from(c) - zero, 10)).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same_and_what_only_looks_alike_is_not() {
        for (from, to) in [
            ("\u{feff}Odd\u{a0}Ling\u{200b}\r\n", "Odd Ling\n"),
            ("１４", "14"),
            ("١٤٫٥ १४", "14.5 14"),
            ("Zoe\u{301}", "Zoé"),
            ("O−", "O-"),
            ("14²", "14"),
            ("&#36;5&nbsp;&amp;lt;", "$5 &lt;"),
            ("a\\nb", "a\nb"),
            ("\u{41e}dd", "\u{41e}dd"),
        ] {
            assert_eq!(signs(from), to, "{from:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters_at_every_offset() {
        for shift in 0..12 {
            let text = format!("{}{}", "x".repeat(shift), "aé漢🙂".repeat(9000));
            let capped = cap(&text);
            assert!(capped.len() < text.len() && capped.contains("\n[...]\n"));
        }
    }
}
