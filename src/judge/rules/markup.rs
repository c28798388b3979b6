//! Takes Markdown, HTML and LaTeX dress off a text and keeps the words. What is struck out or hidden (`~~x~~`, `<del>`,
//! comments, `<think>`) goes with its dress, because a reader of the rendered text would not take it for the answer.

/// Drops struck and hidden passages. Before anything looks for an answer.
pub fn drop_hidden(text: &str) -> String {
    // The fence of a block strikes nothing out.
    let mut text = text.replace("~~~", "```");
    for (open, close) in [
        ("<!--", "-->"),
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("<del>", "</del>"),
        ("<s>", "</s>"),
        ("<strike>", "</strike>"),
        ("~~", "~~"),
    ] {
        text = drop_between(&text, open, close);
    }
    text
}

fn drop_between(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = find_ignoring_case(rest, open) {
        let Some(len) = find_ignoring_case(&rest[start + open.len()..], close) else { break };
        out.push_str(&rest[..start]);
        out.push(' ');
        rest = &rest[start + open.len() + len + close.len()..];
    }
    out.push_str(rest);
    out
}

/// The byte offset of an ASCII needle, whatever its case.
pub fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    text.as_bytes().windows(needle.len()).position(|w| w.eq_ignore_ascii_case(needle.as_bytes()))
}

/// Takes the dress off: LaTeX, links, emphasis, headings, bullets, tags.
pub fn undress(text: &str) -> String {
    let text = latex(&text.replace("=>", " = ").replace("->", " = "));
    let text = links(&text);
    let text = tags(&text);
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn latex(text: &str) -> String {
    let mut text = text.replace("{,}", ",").replace("\\%", "%").replace("\\$", "\u{1}");
    for spacing in ["\\,", "\\;", "\\:", "\\!"] {
        text = text.replace(spacing, "");
    }
    for (from, to) in [("\\(", " "), ("\\)", " "), ("\\[", "\n"), ("\\]", "\n"), ("$$", "\n"), ("\\ ", " ")] {
        text = text.replace(from, to);
    }
    inline_math(&commands(&text)).replace('\u{1}', "$").replace('\\', "")
}

/// `\text{x}`, `\boxed{x}` and their like become `x`, where the braces close.
fn commands(text: &str) -> String {
    const NAMES: [&str; 8] = ["\\text", "\\textbf", "\\textit", "\\mathrm", "\\mathbf", "\\mbox", "\\boxed", "\\fbox"];
    // What is dropped: from the command's sign to its brace, and the brace that closes it.
    let mut dropped: Vec<(usize, usize)> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut command = 0;
    for (at, sign) in text.bytes().enumerate() {
        match sign {
            b'\\' => command = at,
            b'{' => open.push((command, at)),
            b'}' => {
                if let Some((from, brace)) = open.pop()
                    && NAMES.contains(&&text[from..brace])
                {
                    dropped.extend([(from, brace + 1), (at, at + 1)]);
                }
            }
            _ => {}
        }
    }
    dropped.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (from, to) in dropped {
        out.push_str(&text[kept..from]);
        kept = to;
    }
    out + &text[kept..]
}

/// The text inside the braces with which `text` opens, braces balanced.
pub fn braced(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(&text[1..i]),
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// `$14$` is mathematics, `$5 and $6` is money: a closing sign follows a non-space and precedes no digit.
fn inline_math(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut drop = vec![false; chars.len()];
    let mut open: Option<usize> = None;
    for (i, c) in chars.iter().enumerate() {
        match (c, open) {
            ('\n', _) => open = None,
            ('$', Some(start)) => {
                let closes = i > start + 1 && !chars[i - 1].is_whitespace() && chars[start + 1] != ' ';
                let money_next = chars.get(i + 1).is_some_and(char::is_ascii_digit);
                if closes && !money_next {
                    (drop[start], drop[i], open) = (true, true, None);
                } else {
                    open = Some(i);
                }
            }
            ('$', None) => open = Some(i),
            _ => {}
        }
    }
    chars.iter().zip(drop).filter(|(_, drop)| !drop).map(|(c, _)| *c).collect()
}

/// No target of a link is longer, in bytes.
const LINK: usize = 2 << 10;

/// `[text](target)` and `[[text]]` become their text; `[^1]` goes.
fn links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    // The next `]`, counted from the text's end, so that many `[` before it don't each look for it.
    let mut next_close = usize::MAX;
    while let Some(start) = rest.find('[') {
        let after = &rest[start + 1..];
        if next_close > after.len() {
            let Some(end) = after.find(']') else { break };
            next_close = after.len() - end;
        }
        let end = after.len() - next_close;
        out.push_str(&rest[..start]);
        let (inner, tail) = (&after[..end], &after[end + 1..]);
        if inner.starts_with('^') {
            rest = tail;
        } else if let Some(target) = tail.strip_prefix('(')
            && let Some(close) = target[..target.floor_char_boundary(LINK)].find(')')
        {
            out.push_str(inner);
            rest = &target[close + 1..];
        } else {
            out.push('[');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// HTML and XML tags go; a line break and a block's end become a line end.
fn tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let name: String = after
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase();
        match after.find(['>', '\n', '<']) {
            Some(end) if after[end..].starts_with('>') && !name.is_empty() => {
                out.push_str(match name.as_str() {
                    "br" | "p" | "div" | "li" | "tr" | "h1" | "h2" | "h3" => "\n",
                    "td" | "th" => " | ",
                    "b" | "i" | "em" | "strong" | "u" | "span" | "sup" | "sub" | "code" | "mark" => "",
                    _ => " ",
                });
                rest = &after[end + 1..];
            }
            _ => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn line(line: &str) -> String {
    let mut line = line.trim();
    if line.starts_with("```") {
        return String::new();
    }
    if let Some(heading) = line.strip_prefix('#') {
        let heading = heading.trim_start_matches('#');
        if heading.starts_with(' ') {
            line = heading.trim();
        }
    }
    for bullet in ["> ", "- ", "* ", "+ ", "[x] ", "[ ] "] {
        line = line.strip_prefix(bullet).map_or(line, str::trim_start);
    }
    emphasis(&line.replace(['`', '\u{0}'], "").replace("**", ""))
}

/// Single `*` and `_` go where they open or close a word; inside a word (`a_b`) or between numbers they stay.
fn emphasis(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let word = |i: Option<usize>| i.and_then(|i| chars.get(i)).is_some_and(|c| c.is_alphanumeric());
    let space = |i: Option<usize>| i.and_then(|i| chars.get(i)).is_none_or(|c| c.is_whitespace());
    let keep = |i: usize| match chars[i] {
        '*' | '_' => {
            let (before, after) = (i.checked_sub(1), Some(i + 1));
            (word(before) && word(after)) || (space(before) && space(after))
        }
        _ => true,
    };
    (0..chars.len()).filter(|i| keep(*i)).map(|i| chars[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dress_goes_and_the_words_stay() {
        for (from, to) in [
            ("**Ora Vey**", "Ora Vey"),
            ("_Ora_ *Vey*", "Ora Vey"),
            ("bank_accounts.txt 3 * 4", "bank_accounts.txt 3 * 4"),
            ("# Answer", "Answer"),
            ("> - `14`", "14"),
            ("[Ora Vey](people.txt)", "Ora Vey"),
            ("14[^1]", "14"),
            ("$14$", "14"),
            ("$5 and $6", "$5 and $6"),
            ("\\$51{,}630.48", "$51,630.48"),
            ("\\text{Ora Vey}", "Ora Vey"),
            ("<b>14</b>", "14"),
            ("3 < 4 > 2", "3 < 4 > 2"),
        ] {
            assert_eq!(undress(from), to, "{from}");
        }
    }

    #[test]
    fn struck_and_hidden_text_is_gone() {
        assert_eq!(drop_hidden("~~15~~14").trim(), "14");
        assert_eq!(drop_hidden("<DEL>15</del>14<!-- 16 -->").trim(), "14");
    }
}
