//! What can go wrong in this room: data that can't be read, jobs that can't be compared.

use std::path::PathBuf;

/// How a user comes by difficulties.
pub const HOW_MEASURED: &str = "difficulties are measured by `seatrial run tasks --calibrate --job-name measured`, then \
    `seatrial calibrate jobs/measured -o calibration.json`, then `seatrial stamp tasks --calibration calibration.json`; \
    `--tasks tasks` takes types, and difficulties that you know, from tasks";

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
    /// A calibration without a job.
    #[error("no job to calibrate by")]
    NoJob,
    /// Trials that no container ran.
    #[error("`{}` measures nothing: it ran on the fake engine ({trial})", job.display())]
    NothingMeasured {
        /// The job's directory.
        job: PathBuf,
        /// The first such trial.
        trial: String,
    },
    /// Trials whose models answered from a recording would count what was recorded again.
    #[error("`{}` measures nothing new: its models answered from a recording (`--replay`)", job.display())]
    Replayed {
        /// The job's directory.
        job: PathBuf,
    },
    /// A job that is named twice would count twice.
    #[error("`{}` is the same job as one before it", job.display())]
    Twice {
        /// Its directory.
        job: PathBuf,
    },
    /// Jobs whose trials can't be added up; every reason.
    #[error("the jobs can't be added up:\n  {}", .0.join("\n  "))]
    Unlike(Vec<String>),
    /// The reference is none of the agents.
    #[error("{why}; there are {}", .agents.join(", "))]
    Reference {
        /// What is wrong with it.
        why: String,
        /// The agents that there are, in backticks.
        agents: Vec<String>,
        /// The question whether one of them was meant.
        near: Option<String>,
    },
    /// A judge whose errors are too many, or not well enough known.
    #[error("tiers can't be told by this judge: {0}")]
    Judge(String),
    /// A setting that has no meaning.
    #[error("{0}")]
    Setting(String),
    /// There are not two agents to compare.
    #[error("failed to compare: there is one agent only")]
    OneAgent,
    /// The jobs are not over the same tasks.
    #[error("failed to compare: {tasks} of the jobs' tasks are not the same in all of them\n  {}", .why.join("\n  "))]
    OtherTasks {
        /// How many are.
        same: usize,
        /// How many are not.
        tasks: usize,
        /// What differs, a line for each reason, with the tasks.
        why: Vec<String>,
    },
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Parse(_) | Error::Entries(_) => format!(
                "{HOW_MEASURED}; an entry is {{\"source_difficulty\": \"hard\", \"question_type\": \"negation\", \"n\": 6, \
                 \"rates\": {{\"MODEL\": 0.5}}}}"
            ),
            Error::NoJob => "name the directories of jobs, such as `jobs/my-job`".into(),
            Error::Replayed { .. } => "calibrate by the job that was recorded".into(),
            Error::NothingMeasured { .. } => "run the tasks in containers, and calibrate by that job".into(),
            Error::Twice { .. } => "name each job once".into(),
            Error::Unlike(_) => {
                "calibrate by jobs of the same tasks, agents, judge and documents; other ones apart".into()
            }
            Error::Reference { near: Some(near), .. } => near.clone(),
            Error::Reference { near: None, .. } => {
                "`--reference NAME` says whose tiers are to be stamped, `--reference panel-mean` the mean of all".into()
            }
            Error::Judge(_) => {
                "a judge must be measured on at least 30 right and 30 wrong answers, and be right often \
                enough on both that the two rates add up to 1.5"
                    .into()
            }
            Error::Setting(_) => return None,
            Error::OneAgent => "name a second job, or one job with several agents".into(),
            Error::OtherTasks { same: 0, .. } => {
                "no task is the same, so there is nothing to compare; run both agents on the same tasks".into()
            }
            Error::OtherTasks { same, .. } => {
                format!(
                    "`--common` compares the {same} that are the same; agents that ran on other tasks can't be compared"
                )
            }
            Error::Size { there, .. } => format!("`-k` is a number from 1 to {there}"),
        })
    }
}
