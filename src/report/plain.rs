//! Text of unknown origin, made safe to show on one line. Agents write what they like: escape sequences that recolor
//! or retitle a terminal, marks that turn the reading order, characters that no XML may hold.

/// `text` on one line, with every character that a terminal or a reader could be misled by spelt out, such as
/// `\u{1b}`. What is harmless stays as it is, in any script.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if misleads(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// The same for text that is shown in its lines: line breaks and tabs stay.
pub fn plain_lines(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('\t').map(plain).collect::<Vec<_>>().join("\t"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a character is a control character, turns the reading order, is invisible, or is no character at all.
/// The joiners U+200C and U+200D are letters' company in several scripts, so they stay.
pub fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// The first line of `text`: the rest, such as a build's log, is for a file.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// At most `width` characters of `text`; where some had to go, the last of them is `…`.
pub fn clip(text: &str, width: usize) -> String {
    if text.chars().nth(width).is_none() {
        return text.to_string();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    if width > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_agents_cannot_steer_a_terminal_or_turn_the_reading_order() {
        let table = [
            ("42 dogs", "42 dogs"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("abc\u{202e}fed", "abc\\u{202e}fed"),
            ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
            ("two\nlines\r\n\tend", "two\\nlines\\r\\n\\tend"),
            ("aé漢🙂", "aé漢🙂"),
            ("\u{0}", "\\u{0}"),
        ];
        for (text, expected) in table {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn clipping_never_cuts_a_character_and_says_that_it_cut() {
        let text = "aé漢🙂";
        let expected = ["", "…", "a…", "aé…", "aé漢🙂", "aé漢🙂"];
        for (width, expected) in expected.into_iter().enumerate() {
            assert_eq!(clip(text, width), expected, "{width}");
        }
    }
}
