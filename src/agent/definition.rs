//! Agents that are installed in the image, described by data: a TOML file says what is baked in, what runs, and what is
//! kept of it afterwards.

use super::Error;
use super::reported::UsageOf;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The definitions that are built in, by name.
const SHIPPED: [(&str, &str); 2] = [
    ("mini-swe-agent", include_str!("../../templates/agents/mini-swe-agent.toml")),
    ("python-openai", include_str!("../../templates/agents/python-openai.toml")),
];

/// An agent to install and run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Its name: the file's, without its ending.
    #[serde(skip)]
    pub name: String,
    /// What it is, in a line.
    #[serde(default)]
    pub about: String,
    /// Python packages, as pip takes them, that this machine's pip fetches for the image's Python, since builds may have
    /// no network.
    #[serde(default)]
    pub wheels: Vec<String>,
    /// Lines that the image's `sh` runs once, as root, when the image is built. `$WHEELS` is the folder with the wheels,
    /// and `python3 $PIP` a pip.
    #[serde(default)]
    pub install: Vec<String>,
    /// Files and folders beside the definition that go into the image at `/opt/seatrial/files`.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// The line that the image's `sh` runs in each trial. It finds the question in `$SEATRIAL_INSTRUCTION` and the
    /// model in `$SEATRIAL_MODEL`.
    pub run: String,
    /// Variables for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Files of the sandbox that are kept in the trial's `agent/`, where they are there: absolute paths.
    #[serde(default)]
    pub logs: Vec<String>,
    /// Where one of the logs says what the agent used.
    #[serde(default)]
    pub usage: Option<UsageOf>,
    /// Where the definition's file is; `files` are beside it.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl Definition {
    /// The definition in the file `name`, where that is a path; else the one of that name in `folder`; else a built-in
    /// one. `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Definition`] where the file can't be read or says what can't be.
    pub fn find(name: &str, folder: Option<&Path>) -> Result<Option<Definition>, Error> {
        let is_path = name.contains('/') || name.ends_with(".toml");
        let own = if is_path { Some(PathBuf::from(name)) } else { folder.map(|dir| dir.join(format!("{name}.toml"))) };
        if let Some(path) = own.filter(|path| is_path || path.exists()) {
            let failed = |why: String| Error::Definition { path: path.clone(), why };
            let text = std::fs::read_to_string(&path).map_err(|e| failed(e.to_string()))?;
            return Definition::parse(&text, &path).map(Some);
        }
        let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
        shipped.map(|(name, text)| Definition::parse(text, Path::new(&format!("{name}.toml")))).transpose()
    }

    /// The names of the built-in ones.
    pub fn shipped() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    fn parse(text: &str, path: &Path) -> Result<Definition, Error> {
        let failed = |why: String| Error::Definition { path: path.to_path_buf(), why };
        let mut definition: Definition = toml::from_str(text).map_err(|e| failed(e.to_string()))?;
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if stem.is_empty() || !stem.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(failed(
                "its name, without `.toml`, may have only letters, digits, `-`, `_` and `.`".to_owned(),
            ));
        }
        if definition.run.trim().is_empty() {
            return Err(failed("`run` is empty".to_owned()));
        }
        if let Some(line) = definition.install.iter().find(|line| line.contains('\n')) {
            return Err(failed(format!("`install` has a line with a line end in it: `{}`", line.trim())));
        }
        let names: Vec<String> = definition.logs.iter().filter_map(|log| log_name(log)).collect();
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        if names.len() != definition.logs.len() || unique.len() != names.len() {
            return Err(failed("`logs` are absolute paths with plain names, no name twice".to_owned()));
        }
        if unique.contains(&format!("{stem}.txt")) {
            return Err(failed(format!(
                "`logs` has a `{stem}.txt`, which is the name of what the agent writes to its outputs"
            )));
        }
        if let Some(usage) = &definition.usage {
            if !definition.logs.contains(&usage.file) {
                return Err(failed(format!("`usage` has the file `{}`, which is not among `logs`", usage.file)));
            }
            if let Some(pointer) = usage.wrong() {
                return Err(failed(format!("`usage` has `{pointer}`, which is no JSON pointer: it begins with `/`")));
            }
        }
        let inside = |path: &PathBuf| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if let Some(file) = definition.files.iter().find(|file| !inside(file)) {
            return Err(failed(format!("`files` has `{}`, which is not beside the definition", file.display())));
        }
        definition.name = stem.to_owned();
        definition.folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(definition)
    }
}

/// Names below a trial's `agent/` that are of our own files.
const OURS: [&str; 2] = ["trajectory.json", "messages.json"];

/// The name under which a log is kept: its own, but for what is ours.
pub fn log_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let fine = path.starts_with('/') && plain && !name.is_empty() && !name.starts_with('.');
    fine.then(|| if OURS.contains(&name) { format!("own-{name}") } else { name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_definitions_read_and_a_slip_in_ones_own_is_named() {
        for name in Definition::shipped() {
            let found = Definition::find(name, None).expect("reads").expect("is there");
            assert!(found.name == name && !found.about.is_empty() && !found.run.trim().is_empty());
        }
        assert_eq!(Definition::find("nobody", None), Ok(None));
        let parse = |text: &str| Definition::parse(text, Path::new("own/mine.toml")).map_err(|e| e.to_string());
        assert_eq!(parse("run = 'x'").expect("reads").name, "mine");
        for (text, part) in [
            ("runs = 'x'", "unknown field `runs`"),
            ("run = ' '", "`run` is empty"),
            ("run = 'x'\nlogs = ['a.txt']", "absolute paths"),
            ("run = 'x'\nlogs = ['/a/x', '/b/x']", "no name twice"),
            ("run = 'x'\nlogs = ['/a/mine.txt']", "what the agent writes to its outputs"),
            ("run = 'x'\n[usage]\nfile = '/a/x'", "not among `logs`"),
            ("run = 'x'\nlogs = ['/a/x']\n[usage]\nfile = '/a/x'\nsteps = 'a'", "no JSON pointer"),
            ("run = 'x'\nfiles = ['../secret']", "not beside the definition"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part) && error.contains("own/mine.toml"), "{error}");
        }
    }
}
