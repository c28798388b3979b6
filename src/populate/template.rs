//! The templates that tasks are made from: built in, so that an installed binary works anywhere, and file by file
//! replaceable by a folder of the suite's own.

use super::Error;
use std::path::{Path, PathBuf};

/// One template: where it came from (for errors) and its text.
#[derive(Debug, Clone)]
pub struct Template {
    /// A path of the suite, or the built-in file's name.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// All templates of one suite.
#[derive(Debug, Clone)]
pub struct Templates {
    /// `instruction.md`
    pub instruction: Template,
    /// `task.toml`
    pub task: Template,
    /// `Dockerfile`
    pub dockerfile: Template,
    /// `dockerignore`
    pub dockerignore: Template,
    /// `solve.sh`
    pub solve: Template,
    /// `test.sh`
    pub test: Template,
    /// `judge.py`
    pub judge: Template,
    /// `rubric.txt`, used where the suite names no rubric
    pub rubric: Template,
}

/// The built-in rubric.
pub const RUBRIC: &str = include_str!("../../templates/rubric.txt");

/// The manifest that `init` writes.
pub const SUITE: &str = include_str!("../../templates/suite.toml");

const BUILT_IN: [(&str, &str); 8] = [
    ("instruction.md", include_str!("../../templates/instruction.md")),
    ("task.toml", include_str!("../../templates/task.toml")),
    ("Dockerfile", include_str!("../../templates/Dockerfile")),
    ("dockerignore", include_str!("../../templates/dockerignore")),
    ("solve.sh", include_str!("../../templates/solve.sh")),
    ("test.sh", include_str!("../../templates/test.sh")),
    ("judge.py", include_str!("../../templates/judge.py")),
    ("rubric.txt", RUBRIC),
];

/// The built-in templates, with those of `folder` in their places where there is one.
pub fn templates(folder: Option<&Path>) -> Result<Templates, Error> {
    if let Some(folder) = folder {
        refuse_unknown(folder)?;
    }
    let [instruction, task, dockerfile, dockerignore, solve, test, judge, rubric] =
        BUILT_IN.map(|(name, built_in)| template(folder, name, built_in));
    Ok(Templates {
        instruction: instruction?,
        task: task?,
        dockerfile: dockerfile?,
        dockerignore: dockerignore?,
        solve: solve?,
        test: test?,
        judge: judge?,
        rubric: rubric?,
    })
}

fn template(folder: Option<&Path>, name: &str, built_in: &str) -> Result<Template, Error> {
    match folder.map(|f| f.join(name)).filter(|path| path.exists()) {
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Template { path, text }),
            Err(source) => Err(Error::Read { path, source }),
        },
        None => Ok(Template { path: Path::new("templates").join(name), text: built_in.into() }),
    }
}

/// A misspelt file name would leave the built-in template in use, and nobody would see it.
fn refuse_unknown(folder: &Path) -> Result<(), Error> {
    let fail = |source| Error::Read { path: folder.into(), source };
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name();
        if !BUILT_IN.iter().any(|(known, _)| name == *known) && name != "suite.toml" {
            let known = BUILT_IN.iter().map(|(known, _)| known.to_string()).collect();
            return Err(Error::UnknownTemplate { path: folder.join(name), known });
        }
    }
    Ok(())
}
