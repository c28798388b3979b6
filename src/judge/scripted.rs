//! A judge that plays back a script: rewards and failures by task. It ships behind a hidden flag, so that tests drive
//! the real binary through a judge's outage.

use super::{Error, JudgeError, Verdict};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// What a script file holds: for each task, and for all others, a reward or a failure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    default: Act,
    #[serde(default)]
    tasks: HashMap<String, Act>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Act {
    Reward(f64),
    Failure(String),
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`Error::Script`].
    pub fn load(path: &Path) -> Result<Script, Error> {
        let failed = |why: String| Error::Script { path: path.to_path_buf(), why };
        let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        serde_json::from_str(&text).map_err(|e| failed(e.to_string()))
    }

    /// What the script says of a task.
    pub fn decide(&self, task: &str) -> Result<Verdict, JudgeError> {
        match self.tasks.get(task).unwrap_or(&self.default) {
            Act::Failure(why) => Err(JudgeError::lasting(why.clone())),
            Act::Reward(reward) => Ok(Verdict {
                reward: *reward,
                judge: "scripted".to_owned(),
                rule: "script".to_owned(),
                reason: "the script says so".to_owned(),
                ..Verdict::default()
            }),
        }
    }
}
