//! Which lines of a Dockerfile would bring the solution or the tests into the image. A reading of `COPY` and `ADD`
//! only, good enough to catch the mistake; it must not be taken for a Dockerfile parser.

use std::path::Path;

/// The sources of `COPY` and `ADD` that name the solution or the tests, each with its line.
pub(crate) fn copied_secrets(text: &str) -> Vec<(usize, String)> {
    copied(text).into_iter().filter(|(_, source)| is_secret(source)).collect()
}

/// The sources of `COPY` and `ADD` that are not in the build context. Patterns and addresses are the engine's to find.
pub(crate) fn missing_sources(text: &str, context: &Path) -> Vec<String> {
    let plain = |source: &String| !source.contains(['*', '?', '[', '$', '<']) && !source.contains("://");
    let sources = copied(text).into_iter().map(|(_, source)| source);
    sources.filter(plain).filter(|source| !context.join(source.trim_start_matches('/')).exists()).collect()
}

/// The sources of `COPY` and `ADD` from the build context, each with its line.
fn copied(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, instruction) in instructions(text) {
        let mut words = instruction.split_whitespace();
        let Some(verb) = words.next() else { continue };
        if !verb.eq_ignore_ascii_case("copy") && !verb.eq_ignore_ascii_case("add") {
            continue;
        }
        let (flags, words): (Vec<&str>, Vec<&str>) = words.partition(|w| w.starts_with("--"));
        // From another stage or image: not this task's folder.
        if flags.iter().any(|f| f.starts_with("--from")) {
            continue;
        }
        let rest = words.join(" ");
        let list = serde_json::from_str::<Vec<String>>(&rest);
        let words = list.unwrap_or_else(|_| words.iter().map(|w| w.trim_matches(['"', '\'']).to_string()).collect());
        let sources = &words[..words.len().saturating_sub(1)];
        found.extend(sources.iter().map(|s| (line, s.clone())));
    }
    found
}

fn is_secret(source: &str) -> bool {
    let first = source.split('/').find(|part| !matches!(*part, "" | "." | ".."));
    matches!(first, Some("solution" | "tests"))
}

/// Instructions with the line on which each begins; comments left out, continued lines joined.
fn instructions(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() {
            continue;
        }
        let (start, mut whole) = open.take().unwrap_or((index + 1, String::new()));
        let (part, more) = trimmed.strip_suffix('\\').map_or((trimmed, false), |part| (part, true));
        whole.push_str(part);
        whole.push(' ');
        if more {
            open = Some((start, whole));
        } else {
            all.push((start, whole));
        }
    }
    all.extend(open);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_the_solution_or_the_tests_are_found_with_their_lines() {
        let text = "FROM base\nCOPY files/ /app/files/\ncopy --chown=1:1 ../solution /s\n# COPY tests /t\n\
                    ADD [\"./tests/case.json\", \"/t/\"]\nCOPY --from=build /tests /t\nCOPY a \\\n  solution/solve.sh \\\n  /x\n\
                    COPY my-solution /s\nRUN cp solution /tmp\nCOPY files/tests /t\n";
        let found = copied_secrets(text);
        let wanted = [(3, "../solution"), (5, "./tests/case.json"), (7, "solution/solve.sh")];
        assert_eq!(found, wanted.map(|(line, source)| (line, source.to_string())));
    }
}
