//! Which tasks their own script judges, and what it is run with.

use super::settings::Settings;
use super::setup::{seconds, time_limit};
use crate::judge::{Judge, SCRIPT, ScriptEnvironment, ScriptSetup};
use crate::task::{Task, resolve_env};

/// What the task's script is run with, where it judges the task: the user wants it so, or there is no question with a
/// key that another judge could compare with. `env` is the environment's.
///
/// # Errors
/// Says why the task can't be judged, as a sentence about it.
pub fn script(
    task: &Task,
    judge: &Judge,
    settings: &Settings,
    env: &[(String, String)],
    host: impl Fn(&str) -> Option<String>,
) -> Result<Option<ScriptSetup>, String> {
    let is_there = task.tests_dir().join(SCRIPT).is_file();
    match (judge, &task.case) {
        (Judge::Script, _) if !is_there => {
            return Err(format!("it has no `tests/{SCRIPT}`, which the judge `script` runs"));
        }
        (Judge::Script, _) => {}
        (_, Some(_)) => return Ok(None),
        (_, None) if is_there => {}
        (judge, None) => {
            let name = judge.name();
            return Err(format!(
                "it has neither a `tests/case.json`, in which the judge `{name}` finds the key, nor a `tests/{SCRIPT}`"
            ));
        }
    }
    let verifier = &task.spec.verifier;
    let own = resolve_env(&verifier.env, &host).map_err(|e| format!("`[verifier] env`: {e}"))?;
    let of_job = resolve_env(&settings.verifier_env, &host).map_err(|e| format!("the job's `verifier.env`: {e}"))?;
    let environment = match verifier.is_separate {
        true => ScriptEnvironment::Separate,
        false => settings.script_environment,
    };
    if environment == ScriptEnvironment::Shared && !of_job.is_empty() {
        let why = "the job's `verifier.env` would be in the agent's container, where its script is to run: leave out \
                   `--verifier-environment shared`, or `verifier.env`";
        return Err(why.to_owned());
    }
    let time = settings.verifier_override_timeout.unwrap_or_else(|| seconds(verifier.timeout_sec));
    Ok(Some(ScriptSetup {
        tests: task.tests_dir(),
        // What the job says stands last, so it holds.
        env: env.iter().cloned().chain(own).chain(of_job).collect(),
        user: verifier.user.as_ref().map(ToString::to_string),
        workdir: task.spec.environment.workdir.clone(),
        timeout: time_limit(time, settings.verifier_max_timeout, settings.verifier_timeout_multiplier),
        environment,
    }))
}
