//! Does a file that goes into the image hold the key, the rubric or the solution? Only wholes are looked for (the
//! question together with its answer; a file's entire text), since a corpus rightly holds every answer somewhere.

use super::case::Case;
use std::path::Path;

/// A text shorter than this is too common to be a sign of anything, in bytes.
const LEAST: usize = 16;

/// What must not be found.
pub(crate) struct Secrets<'a> {
    dir: &'a Path,
    case: Option<&'a Case>,
    rubric: Option<String>,
}

impl<'a> Secrets<'a> {
    /// The secrets of the task in `dir`.
    pub(crate) fn of(dir: &'a Path, case: Option<&'a Case>) -> Secrets<'a> {
        let rubric = std::fs::read_to_string(dir.join("tests/rubric.txt")).ok();
        let rubric = rubric.map(|t| t.trim().to_string()).filter(|t| t.len() >= LEAST);
        Secrets { dir, case, rubric }
    }

    /// What of it `path` holds, in words.
    pub(crate) fn in_file(&self, path: &Path) -> Option<String> {
        let bytes = std::fs::read(path).ok()?;
        let name = path.file_name()?;
        for folder in ["tests", "solution"] {
            let secret = self.dir.join(folder).join(name);
            if std::fs::read(&secret).is_ok_and(|secret| !secret.is_empty() && secret == bytes) {
                return Some(format!("a copy of `{folder}/{}`", name.to_string_lossy()));
            }
        }
        // Questions and rubrics are text; a file that isn't can't hold them readably.
        let text = std::str::from_utf8(&bytes).ok()?;
        let case = |case: &Case| {
            let question = case.input.trim();
            let asked = || text.contains(question) || text.contains(&in_json(question));
            question.len() >= LEAST && asked() && text.contains(case.ground_truth.trim())
        };
        if self.case.is_some_and(case) {
            return Some("the question with its answer".into());
        }
        self.rubric.as_ref().is_some_and(|rubric| text.contains(rubric)).then(|| "the rubric".into())
    }
}

/// A text as it stands between the quotes of a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_string()
}
