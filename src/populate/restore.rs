//! `populate`: what is git-ignored in a dataset comes back from the single copy in the vendor directory. Documents go
//! under `environment/files/`, the verifier's files under `tests/`; everything else in a task is left as it is.

use super::Error;
use super::mirror::{Content, Difference, DifferenceKind, Mode, Node, Pass, Tree, mirror};
use super::template::templates;
use crate::corpus::{Corpus, Document};
use crate::task::check_folder;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What a pass over a dataset found, and mended where it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Populated {
    /// How many tasks of the suite are in the dataset.
    pub tasks: usize,
    /// How many other tasks are in it; they were left alone.
    pub foreign: usize,
    /// Where the dataset differs from the corpus, or did before.
    pub differences: Vec<Difference>,
}

/// Restores (or checks) every task of the corpus's suite in `dataset`, a folder of tasks or one task directory.
///
/// Fails before writing anything where a folder that is to be written into is a symbolic link.
pub fn populate(corpus: &Corpus, dataset: &Path, mode: Mode) -> Result<Populated, Error> {
    let templates = templates(corpus.templates.as_deref())?;
    let rubric = corpus.rubric.as_deref().unwrap_or(&templates.rubric.text);
    let environment = environment_tree(&corpus.documents);
    let bytes = |text: &'static str, content, mode| (text.to_string(), Node::File { content, mode });
    let mut verifier = Tree {
        entries: BTreeMap::from([
            bytes("test.sh", Content::Bytes(templates.test.text.as_bytes()), 0o755),
            bytes("judge.py", Content::Bytes(templates.judge.text.as_bytes()), 0o644),
            bytes("rubric.txt", Content::Bytes(rubric.as_bytes()), 0o644),
        ]),
        others_stay: true,
    };
    if let Some((path, size)) = &corpus.rivals {
        let (name, node) = bytes("rivals.txt", Content::Copy(path, *size), 0o644);
        verifier.entries.insert(name, node);
    }

    let (tasks, foreign) = tasks(corpus, dataset)?;
    let mut pass = Pass::new(mode);
    let (tasks, links) = sort_out_links(tasks);
    if mode == Mode::Write && !links.is_empty() {
        return Err(Error::Links(links));
    }
    pass.found.extend(links.iter().map(|path| Difference { path: path.clone(), kind: DifferenceKind::Link }));
    for task in &tasks {
        let _turn = turn(task, mode)?;
        mirror(&mut pass, &task.join("environment"), &environment)?;
        mirror(&mut pass, &task.join("tests"), &verifier)?;
    }
    Ok(Populated { tasks: tasks.len(), foreign, differences: pass.found })
}

/// Waits until no other runner populates this task, and keeps others from it: two that write the same file at once
/// would hinder each other, and a third could build an image from half of it.
fn turn(task: &Path, mode: Mode) -> Result<Option<File>, Error> {
    if mode == Mode::Check {
        return Ok(None);
    }
    let folder = File::open(task).map_err(|source| Error::Read { path: task.into(), source })?;
    // A file system without locks is no reason not to go on: then it is as with any program.
    let _ = folder.lock();
    Ok(Some(folder))
}

/// `environment/` as far as it is populated.
fn environment_tree(documents: &[Document]) -> Tree<'_> {
    let files = Node::Folder(document_tree(documents));
    Tree { entries: BTreeMap::from([("files".to_string(), files)]), others_stay: true }
}

/// A folder that holds the documents and nothing else.
pub fn document_tree(documents: &[Document]) -> Tree<'_> {
    let mut files = Tree::default();
    for document in documents {
        let mut folder = &mut files;
        let mut parts: Vec<&str> = document.path.split('/').collect();
        let name = parts.pop().expect("a path has a last part");
        for part in parts {
            let node = folder.entries.entry(part.into()).or_insert_with(|| Node::Folder(Tree::default()));
            let Node::Folder(inner) = node else { unreachable!("a path on disk is a file or a folder") };
            folder = inner;
        }
        let content = Content::Copy(&document.source, document.size);
        folder.entries.insert(name.into(), Node::File { content, mode: 0o644 });
    }
    files
}

/// The dataset's task directories that are of the suite, sorted, and how many others there are.
fn tasks(corpus: &Corpus, dataset: &Path) -> Result<(Vec<PathBuf>, usize), Error> {
    let ids: HashSet<&str> = corpus.questions.iter().map(|q| q.id.as_str()).collect();
    let ours = |path: &Path| path.file_name().and_then(|n| n.to_str()).is_some_and(|name| ids.contains(name));
    let read_error = |source| Error::Read { path: dataset.into(), source };
    let candidates = if dataset.join("task.toml").exists() {
        // `.` has no name of its own; its full path has.
        let named = if dataset.file_name().is_some() { Ok(dataset.into()) } else { dataset.canonicalize() };
        vec![named.map_err(read_error)?]
    } else {
        check_folder(dataset)?;
        let entries = std::fs::read_dir(dataset).map_err(read_error)?;
        let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(read_error)?;
        paths.sort();
        paths.retain(|path| path.join("task.toml").exists() || (ours(path) && path.is_symlink()));
        paths
    };
    if candidates.is_empty() {
        return Err(Error::NoTask(dataset.into()));
    }
    let (ours, foreign): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|path| ours(path));
    Ok((ours, foreign.len()))
}

/// Takes out the tasks that would be written through a link, and names those links.
fn sort_out_links(tasks: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut links = Vec::new();
    let mut plain = Vec::new();
    for task in tasks {
        let on_the_way = [task.clone(), task.join("environment"), task.join("tests")];
        match on_the_way.into_iter().find(|path| path.is_symlink()) {
            Some(link) => links.push(link),
            None => plain.push(task),
        }
    }
    (plain, links)
}
