//! Whether the stamps in a dataset still hold. Reads task files, writes nothing.

use super::error::Error;
use crate::task::{metadata_of, stale, task_dirs, task_name};
use std::path::Path;

/// The stamps of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamped {
    /// How many tasks there are.
    pub tasks: usize,
    /// How many of them have a calibration.
    pub stamped: usize,
    /// Those whose calibration is of something else by now, each with why.
    pub stale: Vec<(String, &'static str)>,
}

/// Looks which tasks are stamped, and whose calibration is of something else by now.
///
/// # Errors
/// Where the dataset or a task's files can't be read, and [`Error::BadTasks`] with every `task.toml` that isn't TOML.
pub fn check_stamps(dataset: &Path) -> Result<Stamped, Error> {
    let mut found = Stamped::default();
    let mut bad = Vec::new();
    for dir in task_dirs(dataset)? {
        let path = dir.join("task.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        match text.and_then(|text| metadata_of(&text).map_err(|e| e.to_string())) {
            Ok(metadata) => {
                found.tasks += 1;
                found.stamped += usize::from(metadata.contains_key("calibration"));
                found.stale.extend(stale(&dir, &metadata)?.map(|why| (task_name(&dir), why)));
            }
            Err(why) => bad.push(format!("`{}`: {why}", path.display())),
        }
    }
    if bad.is_empty() { Ok(found) } else { Err(Error::BadTasks { tasks: bad }) }
}
