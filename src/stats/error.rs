//! What can go wrong in this room: data that can't be read, jobs that can't be compared.

/// Why there is no number.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text isn't a calibration at all.
    #[error("failed to parse the calibration: {0}")]
    Parse(String),
    /// Entries that can't be used; all of them.
    #[error("{} entries of the calibration can't be used\n{}", .0.len(), .0.join("\n"))]
    Entries(Vec<String>),
    /// More tasks are wanted than there are, or none.
    #[error("failed to choose {wanted} of {there} tasks")]
    Size {
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        there: usize,
    },
    /// There are not two agents to compare.
    #[error("failed to compare: there is one agent only")]
    OneAgent,
    /// The jobs are not over the same tasks.
    #[error("failed to compare: {} of the jobs' tasks are not the same in all of them\n{}", .tasks.len(), list(.tasks))]
    OtherTasks {
        /// How many are.
        same: usize,
        /// The others, each with what differs.
        tasks: Vec<String>,
    },
}

/// How many tasks an error names.
const NAMED: usize = 10;

fn list(tasks: &[String]) -> String {
    let more = tasks.len().saturating_sub(NAMED);
    let mut lines: Vec<String> = tasks.iter().take(NAMED).map(|task| format!("  {task}")).collect();
    lines.extend((more > 0).then(|| format!("  and {more} more")));
    lines.join("\n")
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Parse(_) | Error::Entries(_) => "an entry is {\"source_difficulty\": \"hard\", \"question_type\": \
                \"negation\", \"n\": 6, \"rates\": {\"MODEL\": 0.5}}; `--tasks DIR` takes difficulty and type from tasks"
                .into(),
            Error::OneAgent => "name a second job, or one job with several agents".into(),
            Error::OtherTasks { same: 0, .. } => {
                "no task is the same, so there is nothing to compare; run both agents on the same tasks".into()
            }
            Error::OtherTasks { same, .. } => {
                format!("`--common` compares the {same} that are the same; agents that ran on other tasks can't be compared")
            }
            Error::Size { there, .. } => format!("`-k` is a number from 1 to {there}"),
        })
    }
}
