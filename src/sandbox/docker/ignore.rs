//! `.dockerignore`, with the engine's own meaning: patterns start at the context's root, the last one that matches
//! wins, `!` takes back, and a pattern that matches a folder matches all in it. It is not `.gitignore`, whose patterns
//! match at any depth. Rules: moby's `patternmatcher`, as Docker's reference documents them.

/// The patterns of one `.dockerignore` file.
#[derive(Debug, Default)]
pub struct Ignore {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    takes_back: bool,
    text: String,
}

impl Ignore {
    /// Reads the file's text. Lines that begin with `#` are comments.
    pub fn parse(text: &str) -> Ignore {
        let lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.starts_with('#'));
        let patterns = lines.filter_map(|line| {
            let line = line.trim();
            let (takes_back, line) = match line.strip_prefix('!') {
                Some(rest) => (true, rest.trim()),
                None => (false, line),
            };
            let text = clean(line);
            (!text.is_empty()).then_some(Pattern { takes_back, text })
        });
        Ignore { patterns: patterns.collect() }
    }

    /// True where this path (relative, with `/`) is left out.
    pub fn excludes(&self, path: &str) -> bool {
        let mut excluded = false;
        for pattern in &self.patterns {
            if pattern.takes_back == excluded && pattern.matches_path_or_parent(path) {
                excluded = !pattern.takes_back;
            }
        }
        excluded
    }

    /// True where nothing in this folder, which is left out itself, can be taken back. The engine's client looks at
    /// the patterns' text only, so `!**/keep` does not reach into an excluded folder; neither does it here.
    pub fn skips_all_of(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        !self.patterns.iter().any(|p| p.takes_back && format!("{}/", p.text).starts_with(&inside))
    }
}

impl Pattern {
    fn matches_path_or_parent(&self, path: &str) -> bool {
        let pattern: Vec<char> = self.text.chars().collect();
        let path: Vec<char> = path.chars().collect();
        let ends = path.iter().enumerate().filter(|(_, c)| **c == '/').map(|(i, _)| i);
        ends.chain([path.len()]).any(|end| matches(&pattern, &path[..end]))
    }
}

/// Removes `.`, `..`, double and outer slashes, as the engine's client does before it compares.
fn clean(pattern: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in pattern.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn matches(pattern: &[char], path: &[char]) -> bool {
    match pattern {
        [] => path.is_empty(),
        // `**/` is any number of whole folders, none included; `**` anything at all.
        ['*', '*', '/', rest @ ..] => {
            let folders = (0..path.len()).filter(|i| path[*i] == '/').map(|i| i + 1);
            [0].into_iter().chain(folders).any(|from| matches(rest, &path[from..]))
        }
        ['*', '*', rest @ ..] => (0..=path.len()).any(|from| matches(rest, &path[from..])),
        ['*', rest @ ..] => {
            let end = path.iter().position(|c| *c == '/').unwrap_or(path.len());
            (0..=end).any(|from| matches(rest, &path[from..]))
        }
        ['?', rest @ ..] => matches!(path, [c, after @ ..] if *c != '/' && matches(rest, after)),
        ['[', rest @ ..] => match (class(rest), path) {
            (Some((set, rest)), [c, after @ ..]) => *c != '/' && set.holds(*c) && matches(rest, after),
            _ => false,
        },
        ['\\', c, rest @ ..] | [c, rest @ ..] => {
            matches!(path, [d, after @ ..] if c == d && matches(rest, after))
        }
    }
}

struct Class<'a> {
    negated: bool,
    body: &'a [char],
}

impl Class<'_> {
    fn holds(&self, c: char) -> bool {
        let mut body = self.body;
        let mut found = false;
        while let Some((first, rest)) = body.split_first() {
            body = match rest {
                ['-', last, rest @ ..] => {
                    found |= (*first..=*last).contains(&c);
                    rest
                }
                rest => {
                    found |= *first == c;
                    rest
                }
            };
        }
        found != self.negated
    }
}

/// A character class after its `[`: the class, and the pattern after its `]`.
fn class(pattern: &[char]) -> Option<(Class<'_>, &[char])> {
    let (negated, body) = match pattern {
        ['^' | '!', rest @ ..] => (true, rest),
        body => (false, body),
    };
    let end = body.iter().skip(1).position(|c| *c == ']')? + 1;
    Some((Class { negated, body: &body[..end] }, &body[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_docker_means_by_them() {
        // Each row: the file's text, a path, whether it is left out.
        let table = [
            ("secret.txt\nnode_modules", "secret.txt", true),
            ("secret.txt\nnode_modules", "node_modules/x", true),
            ("*.log", "a.log", true),
            ("*.log", "sub/a.log", false),
            ("**/*.log", "sub/deep/a.log", true),
            ("**/*.log", "a.log", true),
            ("/a/../b", "b", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c].txt", "b.txt", true),
            ("[^a-c].txt", "b.txt", false),
            ("[^a-c].txt", "d.txt", true),
            ("*", "x/y", true),
            ("*\n!keep", "keep", false),
            ("*\n!keep", "keep/below", false),
            ("docs\n!docs/a.md", "docs/a.md", false),
            ("docs\n!docs/a.md", "docs/b.md", true),
            ("!a\na", "a", true),
            ("# a", "a", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("", "a", false),
        ];
        for (text, path, expected) in table {
            assert_eq!(Ignore::parse(text).excludes(path), expected, "{text:?} on {path}");
        }
    }

    #[test]
    fn an_excluded_folder_is_entered_only_where_a_pattern_takes_something_in_it_back() {
        assert!(!Ignore::parse("docs\n!docs/a.md").skips_all_of("docs"));
        assert!(Ignore::parse("docs\n!**/a.md").skips_all_of("docs"));
    }
}
