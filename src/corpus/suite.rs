//! The manifest of a vendor directory, `suite.toml`: what a suite is called, where its parts are, what its tasks get.
//! Every key is known here; one that isn't known is an error that names the closest, so a typo can't change a policy.

use super::{Error, Problem};
use crate::spelling::close_to;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use toml::de::DeTable;

/// Model endpoints that a new suite's agents may reach. None of them serves files that users put there.
pub const MODEL_HOSTS: [&str; 7] = [
    "api.anthropic.com",
    "api.openai.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
    "api.groq.com",
    "api.fireworks.ai",
    "api.x.ai",
];

/// What `suite.toml` says. All paths but [`Suite::plans`] are relative to the vendor directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// What the suite is called.
    pub name: String,
    /// Task ids are this, `-`, and the question's line, counted from 0.
    pub id_prefix: String,
    /// The documents' folder.
    pub folder: PathBuf,
    /// Which of the folder's files are documents.
    pub files: String,
    /// The questions, one JSON object a line.
    pub questions: PathBuf,
    /// Where in such an object each part of a question is.
    pub fields: Fields,
    /// A file of plans for questions whose records have none, relative to the manifest. No task gets anything of it, so
    /// it may lie anywhere.
    pub plans: Option<PathBuf>,
    /// The rubric; the built-in one where there is none.
    pub rubric: Option<PathBuf>,
    /// The document that lists the corpus's people, whose names are the key's rivals: one name a line, or a heading
    /// `### First Last (…)` each.
    pub rivals: Option<PathBuf>,
    /// Which judge is meant for the suite; whoever runs it may take another.
    pub judge: Option<String>,
    /// Where the questions come from: `metadata.source` of every task.
    pub source: Option<String>,
    /// Which suite they are: `metadata.suite` of every task; the name where it isn't said.
    pub suite: String,
    /// The hosts that an agent may reach. Model endpoints, and nothing that holds answers.
    pub allowed_hosts: Vec<String>,
    /// A folder whose files stand in for the built-in templates of the same names.
    pub templates: Option<PathBuf>,
}

/// Dotted paths into a question's record, such as `agent_args.extra.difficulty`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Fields {
    /// The question's text.
    pub question: String,
    /// The answer key.
    pub answer: String,
    /// How hard the source says it is.
    pub difficulty: Option<String>,
    /// The question's type.
    pub question_type: Option<String>,
    /// The plan by which the key is proved; records without one are fine.
    #[serde(default = "usual_plan")]
    pub plan: String,
    /// The answer key with its kind; records without one are fine.
    #[serde(default = "usual_key")]
    pub key: String,
}

/// The file as it is stored; kept apart from [`Suite`] so that its shape can stay while ours moves.
#[derive(Deserialize)]
struct SuiteFile {
    name: String,
    id_prefix: String,
    corpus: CorpusTable,
    questions: QuestionsTable,
    #[serde(default)]
    judge: JudgeTable,
    #[serde(default)]
    tasks: TasksTable,
}

#[derive(Deserialize)]
struct CorpusTable {
    folder: PathBuf,
    #[serde(default = "every_file")]
    files: String,
}

#[derive(Deserialize)]
struct QuestionsTable {
    file: PathBuf,
    plans: Option<PathBuf>,
    fields: Fields,
}

#[derive(Deserialize, Default)]
struct JudgeTable {
    name: Option<String>,
    rubric: Option<PathBuf>,
    rivals: Option<PathBuf>,
}

#[derive(Deserialize, Default)]
struct TasksTable {
    source: Option<String>,
    suite: Option<String>,
    #[serde(default)]
    allowed_hosts: Vec<String>,
    templates: Option<PathBuf>,
}

/// The keys of each table, by the table's dotted path.
const KEYS: &[(&str, &[&str])] = &[
    ("", &["name", "id_prefix", "corpus", "questions", "judge", "tasks"]),
    ("corpus", &["folder", "files"]),
    ("questions", &["file", "plans", "fields"]),
    ("questions.fields", &["question", "answer", "difficulty", "question_type", "plan", "key"]),
    ("judge", &["name", "rubric", "rivals"]),
    ("tasks", &["source", "suite", "allowed_hosts", "templates"]),
];

impl Suite {
    /// Reads a manifest's text. `path` is named in errors; all unknown keys are reported together.
    pub fn parse(path: &Path, text: &str) -> Result<Suite, Error> {
        let at = |line: Option<usize>, message: String| Problem { path: path.into(), line, message, hint: None };
        let broken = |e: toml::de::Error| {
            Error::Invalid(vec![at(e.span().map(|s| line_of(text, s.start)), e.message().replace('\n', ", "))])
        };
        let table = DeTable::parse(text).map_err(broken)?;
        let mut problems = Vec::new();
        unknown_keys(table.get_ref(), "", &mut |offset, message| {
            problems.push(at(Some(line_of(text, offset)), message));
        });
        if !problems.is_empty() {
            return Err(Error::Invalid(problems));
        }
        let file: SuiteFile = toml::from_str(text).map_err(broken)?;
        for (key, value) in [
            ("corpus.folder", Some(&file.corpus.folder)),
            ("questions.file", Some(&file.questions.file)),
            ("judge.rubric", file.judge.rubric.as_ref()),
            ("judge.rivals", file.judge.rivals.as_ref()),
            ("tasks.templates", file.tasks.templates.as_ref()),
        ] {
            if value.is_some_and(|p| !stays_relative(p)) {
                problems.push(at(None, format!("`{key}` must be a path below the vendor directory")));
            }
        }
        for (key, value) in [("name", &file.name), ("questions.file", &file.questions.file.display().to_string())] {
            if value.trim().is_empty() {
                problems.push(at(None, format!("`{key}` is empty")));
            }
        }
        problems.extend(check_id_prefix(&file.id_prefix).err().map(|m| at(None, format!("`id_prefix`: {m}"))));
        problems.extend(glob(&file.corpus.files).err().map(|m| at(None, format!("`corpus.files`: {m}"))));
        if !problems.is_empty() {
            return Err(Error::Invalid(problems));
        }
        Ok(Suite {
            suite: file.tasks.suite.unwrap_or_else(|| file.name.clone()),
            name: file.name,
            id_prefix: file.id_prefix,
            folder: file.corpus.folder,
            files: file.corpus.files,
            questions: file.questions.file,
            fields: file.questions.fields,
            plans: file.questions.plans,
            rubric: file.judge.rubric,
            rivals: file.judge.rivals,
            judge: file.judge.name,
            source: file.tasks.source,
            allowed_hosts: file.tasks.allowed_hosts,
            templates: file.tasks.templates,
        })
    }

    /// The id of the task made from the question on `line` (from 0).
    pub fn id(&self, line: usize) -> String {
        format!("{}-{line}", self.id_prefix)
    }

    /// The matcher of [`Suite::files`].
    pub fn matcher(&self) -> GlobMatcher {
        glob(&self.files).expect("checked when the manifest was read")
    }
}

/// Says what keeps `prefix` from being the start of a directory name that is safe to type.
pub fn check_id_prefix(prefix: &str) -> Result<(), String> {
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !prefix.starts_with(char::is_alphanumeric) || !prefix.chars().all(fine) {
        return Err(format!(
            "`{prefix}` must start with a letter or digit and hold letters, digits, `.`, `_`, `-` only"
        ));
    }
    if prefix.len() > 200 {
        return Err("it must not be longer than 200 bytes".into());
    }
    Ok(())
}

fn every_file() -> String {
    "**".into()
}

fn usual_key() -> String {
    "agent_args.extra.key".into()
}

fn usual_plan() -> String {
    "agent_args.extra.plan".into()
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map(|g| g.compile_matcher()).map_err(|e| e.to_string())
}

/// A vendor directory is one piece: nothing of it is named by a path that leads out of it.
fn stays_relative(path: &Path) -> bool {
    path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

fn unknown_keys(table: &DeTable<'_>, prefix: &str, report: &mut impl FnMut(usize, String)) {
    let Some((_, known)) = KEYS.iter().find(|(path, _)| *path == prefix) else { return };
    let dot = if prefix.is_empty() { "" } else { "." };
    for (key, value) in table {
        let name: &str = key.get_ref();
        let full = format!("{prefix}{dot}{name}");
        if !known.contains(&name) {
            let guess = match close_to(name, known.iter().copied()).first() {
                Some(close) => format!("; did you mean `{prefix}{dot}{close}`?"),
                None => {
                    format!("; known here: {}", known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", "))
                }
            };
            report(key.span().start, format!("unknown key `{full}`{guess}"));
        } else if let Some(inner) = value.get_ref().as_table() {
            unknown_keys(inner, &full, report);
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|b| **b == b'\n').count() + 1
}
