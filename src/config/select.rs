//! Which tasks of a dataset run. Globs have the meaning of Python's `fnmatch`, as in Harbor: `*` and `?` match any
//! character, `[seq]` and `[!seq]` one of or none of; there is no escape and no `{a,b}`. Pure.

use super::error::Error;
use super::settings::Categories;
use crate::spelling::closest;
use globset::{GlobBuilder, GlobMatcher};
use std::collections::BTreeSet;

/// The names that run, in their order: those that any of `include` matches (none means all), without those that any of
/// `exclude` matches, and of these the first `n`.
///
/// # Errors
/// [`Error::BadGlob`]; [`Error::NoMatch`] for a glob in either list that matches nothing in `known`, the names of the
/// whole job: of several datasets not each must have what a glob asks for.
pub fn select<'n>(
    names: &[&'n str],
    known: &BTreeSet<String>,
    include: &[String],
    exclude: &[String],
    n: Option<usize>,
) -> Result<Vec<&'n str>, Error> {
    let include = matchers(known, include)?;
    let exclude = matchers(known, exclude)?;
    let any = |globs: &[GlobMatcher], name: &str| globs.iter().any(|g| g.is_match(name));
    let wanted = names.iter().filter(|name| include.is_empty() || any(&include, name));
    Ok(wanted.filter(|name| !any(&exclude, name)).take(n.unwrap_or(usize::MAX)).copied().collect())
}

/// Which of some tasks count, each given by its categories: those with one that any of `only` matches (none means all),
/// without those with one that any of `without` matches, which wins.
///
/// # Errors
/// [`Error::BadGlob`]; [`Error::NoCategory`] for a glob in either list that matches no category of any task.
pub fn select_categories(tasks: &[Vec<&str>], categories: &Categories) -> Result<Vec<bool>, Error> {
    let known: BTreeSet<String> = tasks.iter().flatten().map(|name| (*name).to_owned()).collect();
    let globs = |globs: &[String]| {
        matchers(&known, globs).map_err(|error| match error {
            Error::NoMatch { glob, near, .. } => {
                Error::NoCategory { glob, near, known: known.iter().cloned().collect() }
            }
            error => error,
        })
    };
    let (only, without) = (globs(&categories.only)?, globs(&categories.without)?);
    let any = |globs: &[GlobMatcher], names: &[&str]| names.iter().any(|name| globs.iter().any(|g| g.is_match(name)));
    Ok(tasks.iter().map(|names| (only.is_empty() || any(&only, names)) && !any(&without, names)).collect())
}

fn matchers(known: &BTreeSet<String>, globs: &[String]) -> Result<Vec<GlobMatcher>, Error> {
    globs
        .iter()
        .map(|glob| {
            // Braces mean something to globset, nothing to fnmatch.
            let plain = glob.replace('{', "[{]").replace('}', "[}]");
            let built = GlobBuilder::new(&plain).literal_separator(false).backslash_escape(false).build();
            let matcher = built
                .map_err(|e| Error::BadGlob { glob: glob.clone(), message: e.kind().to_string() })?
                .compile_matcher();
            if known.iter().any(|name| matcher.is_match(name)) {
                return Ok(matcher);
            }
            // What a pattern was meant to be can't be told from names.
            let names = known.iter().map(String::as_str).filter(|_| !glob.contains(['*', '?', '[']));
            let near = closest(glob, names).map(str::to_string);
            Err(Error::NoMatch { glob: glob.clone(), near, such_as: known.first().cloned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["cb-1", "cb-10", "cb-2", "odd{a}"];

    fn pick(include: &[&str], exclude: &[&str], n: Option<usize>) -> Result<Vec<&'static str>, String> {
        let owned = |globs: &[&str]| globs.iter().map(|g| g.to_string()).collect::<Vec<_>>();
        let known = NAMES.map(str::to_owned).into();
        select(&NAMES, &known, &owned(include), &owned(exclude), n).map_err(|e| e.to_string())
    }

    #[test]
    fn globs_pick_and_drop_tasks_by_name() {
        for (include, exclude, n, wanted) in [
            (vec![], vec![], None, NAMES.to_vec()),
            (vec!["cb-1"], vec![], None, vec!["cb-1"]),
            (vec!["cb-1*"], vec![], None, vec!["cb-1", "cb-10"]),
            (vec!["cb-?"], vec![], None, vec!["cb-1", "cb-2"]),
            (vec!["*[!0]"], vec!["odd*"], None, vec!["cb-1", "cb-2"]),
            (vec!["odd{a}"], vec![], None, vec!["odd{a}"]),
            (vec![], vec!["cb-10"], Some(2), vec!["cb-1", "cb-2"]),
            (vec!["cb-1"], vec!["cb-*"], None, vec![]),
        ] {
            assert_eq!(pick(&include, &exclude, n), Ok(wanted), "{include:?} {exclude:?}");
        }
    }

    #[test]
    fn a_glob_that_matches_nothing_is_an_error_also_among_others() {
        for (include, exclude, message) in [
            (vec!["cb-1", "nope*"], vec![], "`nope*` matches no task"),
            (vec![], vec!["CB-1"], "`CB-1` matches no task"),
            (vec!["{cb-1,cb-2}"], vec![], "`{cb-1,cb-2}` matches no task"),
            (vec!["cb-[1"], vec![], "`cb-[1` is not a glob"),
        ] {
            let said = pick(&include, &exclude, None).unwrap_err();
            assert!(said.starts_with(message), "{said}");
        }
    }
}
