//! Reads a whole vendor directory. What agents may read (documents) and what they must not (key, rubric) part here:
//! a document with the bytes of the questions, the rubric or the manifest is refused before anything is copied.

use super::document::{Document, digest, documents};
use super::question::{self, Question};
use super::{Error, Problem, Suite};
use std::path::{Path, PathBuf};

/// A vendor directory, read and found right.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// What the manifest says.
    pub suite: Suite,
    /// The documents, sorted by path.
    pub documents: Vec<Document>,
    /// The questions, in the file's order.
    pub questions: Vec<Question>,
    /// Where the suite's file of plans should be, where the manifest names one; whether it is there shows when it is read.
    pub plans: Option<PathBuf>,
    /// The suite's own rubric, where it has one.
    pub rubric: Option<String>,
    /// The file that lists the corpus's people, where the suite names one, and its size in bytes.
    pub rivals: Option<(PathBuf, u64)>,
    /// The folder of the suite's own templates, where it has one.
    pub templates: Option<PathBuf>,
    /// `sha256:…` over the documents; questions and keys are compared one by one instead, where it matters.
    pub digest: String,
}

/// Where a vendor directory is when nobody says otherwise.
const DEFAULT_VENDOR: &str = "vendor";

/// Reads the vendor directory `vendor` by its manifest: `suite`, or `vendor/suite.toml`.
pub fn load(vendor: &Path, suite: Option<&Path>) -> Result<Corpus, Error> {
    let manifest = suite.map_or_else(|| vendor.join("suite.toml"), Path::to_path_buf);
    if !manifest.exists() {
        return Err(Error::NoSuite { path: manifest });
    }
    let suite = Suite::parse(&manifest, &read(&manifest)?)?;

    let questions_path = vendor.join(&suite.questions);
    let questions_text = read(&questions_path)?;
    let rubric = match &suite.rubric {
        Some(path) => Some((vendor.join(path), read(&vendor.join(path))?)),
        None => None,
    };
    let mut problems = Vec::new();
    let questions = question::read(&suite, &questions_path, &questions_text).unwrap_or_else(|found| {
        problems = found;
        Vec::new()
    });
    if let Some((path, text)) = &rubric {
        problems.extend(check_rubric(path, text));
    }
    if !problems.is_empty() {
        return Err(Error::Invalid(problems));
    }

    let rivals = match suite.rivals.as_ref().map(|path| vendor.join(path)) {
        Some(path) => match std::fs::metadata(&path) {
            Ok(meta) => Some((path, meta.len())),
            Err(source) => return Err(Error::Read { path, source }),
        },
        None => None,
    };
    let folder = vendor.join(&suite.folder);
    let documents = documents(&folder, Some(&suite.matcher()))?;
    if documents.is_empty() {
        return Err(Error::NoDocuments { folder, glob: Some(suite.files) });
    }
    let mut secrets = vec![("suite file", &manifest), ("questions file", &questions_path)];
    let plans = suite.plans.as_ref().map(|path| manifest.parent().unwrap_or(Path::new("")).join(path));
    // Only audits need the file, so tasks can be made without it.
    secrets.extend(plans.iter().filter(|path| path.exists()).map(|path| ("plans file", path)));
    secrets.extend(rubric.iter().map(|(path, _)| ("rubric", path)));
    for (what, path) in secrets {
        refuse_secret(&documents, what, path)?;
    }
    Ok(Corpus {
        digest: digest(&documents)?,
        plans,
        templates: suite.templates.as_ref().map(|path| vendor.join(path)),
        rubric: rubric.map(|(_, text)| text),
        rivals,
        suite,
        documents,
        questions,
    })
}

/// The corpus that the tasks of `dataset` are made from: the one of `vendor`/`suite` where the user named one, else
/// the one whose folder the dataset (or the one task) lies in, else the one in `vendor/`. `None` where there is none of these: such tasks come
/// whole, and nothing is to be restored.
pub fn find(dataset: &Path, vendor: Option<&Path>, suite: Option<&Path>) -> Result<Option<Corpus>, Error> {
    if vendor.is_some() || suite.is_some() {
        return load(vendor.unwrap_or(Path::new(DEFAULT_VENDOR)), suite).map(Some);
    }
    let above = |path: &Path| match (path.file_name(), path.parent()) {
        (Some(_), Some(parent)) => parent.to_path_buf(),
        _ => path.join(".."),
    };
    let mut around = above(dataset);
    if dataset.join("task.toml").exists() {
        around = above(&around);
    }
    for vendor in [around, PathBuf::from(DEFAULT_VENDOR)] {
        if vendor.join("suite.toml").exists() {
            return load(&vendor, None).map(Some);
        }
    }
    Ok(None)
}

fn read(path: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// A rubric without `{ground_truth}` and `{submission}` can't tell a right answer from a wrong one. All other braces are plain text.
pub fn check_rubric(path: &Path, text: &str) -> Option<Problem> {
    let missing: Vec<&str> = ["{ground_truth}", "{submission}"].into_iter().filter(|p| !text.contains(p)).collect();
    (!missing.is_empty()).then(|| Problem {
        path: path.into(),
        line: None,
        message: format!("the rubric has no `{}`", missing.join("` and no `")),
        hint: Some(
            "a rubric says where the question, the key and the answer go: `{input}`, `{ground_truth}`, `{submission}`"
                .into(),
        ),
    })
}

/// Fails where a document is the file `path`, or a copy of it: either gives the key away. `what` names the file.
pub fn refuse_secret(documents: &[Document], what: &'static str, path: &Path) -> Result<(), Error> {
    let bytes = |path: &Path| std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source });
    let secret = bytes(path)?;
    for document in documents.iter().filter(|d| d.size == secret.len() as u64) {
        if bytes(&document.source)? == secret {
            return Err(Error::Secret { document: document.source.clone(), secret: path.into(), what });
        }
    }
    Ok(())
}
