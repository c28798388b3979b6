//! The flags that choose tasks by their categories: types of questions and tags. Wiring only.

use super::error::Error;
use crate::config::{Categories, select_categories};
use crate::results::{Job, TaskRecord};
use std::collections::BTreeSet;

/// Which categories of tasks count
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CategoryArgs {
    /// Only tasks of this category: a type of question (`question_type`) or a tag; a glob, may be repeated
    #[arg(long, value_name = "GLOB")]
    category: Vec<String>,
    /// No tasks of this category, which wins over `--category`; a glob, may be repeated
    #[arg(long, value_name = "GLOB")]
    exclude_category: Vec<String>,
}

impl CategoryArgs {
    /// As settings.
    pub fn config(&self) -> Categories {
        Categories { only: self.category.clone(), without: self.exclude_category.clone() }
    }

    /// Leaves the tasks of these categories in each job, which then says so.
    pub fn apply(&self, jobs: &mut [Job]) -> Result<(), Error> {
        if self.category.is_empty() && self.exclude_category.is_empty() {
            return Ok(());
        }
        let tasks: Vec<&TaskRecord> = jobs.iter().flat_map(|job| &job.record.tasks).collect();
        let categories: Vec<Vec<&str>> = tasks.iter().map(|task| task.categories().collect()).collect();
        let counts = select_categories(&categories, &self.config())?;
        let kept = tasks.iter().zip(counts).filter(|(_, counts)| *counts);
        // Two jobs can have a task of one name with other categories.
        let kept: BTreeSet<(String, Vec<String>)> = kept.map(|(task, _)| key(task)).collect();
        let flags = [("only", &self.category), ("without", &self.exclude_category)];
        let flags = flags.iter().filter(|(_, globs)| !globs.is_empty());
        let part = flags.map(|(word, globs)| format!("{word} {}", globs.join(", "))).collect::<Vec<_>>().join(", ");
        for job in jobs {
            job.keep(&part, |task| kept.contains(&key(task)));
            if job.record.tasks.is_empty() {
                return Err(Error::Usage(format!("job `{}` has no task left: {part}", job.record.name)));
            }
        }
        Ok(())
    }
}

fn key(task: &TaskRecord) -> (String, Vec<String>) {
    (task.name.clone(), task.categories().map(str::to_owned).collect())
}
