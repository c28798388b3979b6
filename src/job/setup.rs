//! Tasks and settings become what a job runs. Everything that can be wrong is found here, for all tasks, before
//! anything is built; a policy that can't be applied stops the job (fail closed).

use super::Error;
use super::reach::{reach, verifier_reach};
use super::script::script;
use super::settings::{AgentSetup, Settings};
use crate::judge::{Judge, Matter, ScriptEnvironment, ScriptSetup, read_rivals};
use crate::model::Spend;
use crate::network::{Egress, Policy};
use crate::plan::Plan;
use crate::sandbox::{ImageSource, Limits};
use crate::task::{Case, Task, TaskSpec, resolve_env};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// All that a job needs to run.
#[derive(Debug)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// Its trials; `task_index` and `agent_index` count in the lists below.
    pub plan: Plan,
    /// Its tasks.
    pub tasks: Vec<JobTask>,
    /// Its agents.
    pub agents: Vec<AgentSetup>,
    /// Who judges.
    pub judge: Judge,
    /// Who lets streams of sandboxes out.
    pub egress: Arc<Egress>,
    /// What its agents cost together.
    pub spend: Arc<Spend>,
    /// How it runs.
    pub settings: Settings,
}

/// A task, ready to run.
#[derive(Debug, Clone)]
pub struct JobTask {
    /// Its name.
    pub name: String,
    /// Where its image comes from.
    pub image: ImageSource,
    /// What each of the job's agents may reach in its sandbox, in the order of the job's agents.
    pub network: Vec<Policy>,
    /// What its sandbox may use.
    pub limits: Limits,
    /// Its variables, templates filled in.
    pub env: Vec<(String, String)>,
    /// What only the solution gets.
    pub solution_env: Vec<(String, String)>,
    /// The folder that agents start in.
    pub workdir: Option<String>,
    /// Who agents run as.
    pub user: Option<String>,
    /// How long an agent may take, where the task says so.
    pub timeout: Option<Duration>,
    /// What it asks.
    pub instruction: String,
    /// The folder with its solution.
    pub solution: PathBuf,
    /// Files and folders that its script judge needs beside the answer, in the container.
    pub artifacts: Vec<String>,
    /// Its question and key, where it has them; for the judge only.
    pub case: Option<Case>,
    /// Its rubric, where it has one; for the judge only.
    pub rubric: Option<String>,
    /// Names of people who could be meant instead of the key; for the judge only.
    pub rivals: Vec<String>,
    /// What its script is run with, where that judges it instead of the job's judge.
    pub script: Option<ScriptSetup>,
    /// What its script may reach in a sandbox of its own.
    pub verifier_network: Policy,
}

impl JobTask {
    /// What a judge on this machine gets to see of this task, whose question and key are `case`, and an answer to it.
    pub fn matter<'a>(&'a self, case: &'a Case, answer: &'a str) -> Matter<'a> {
        Matter { task: &self.name, case, rubric: self.rubric.as_deref(), rivals: &self.rivals, answer }
    }
}

/// Makes tasks ready to run for these agents and this judge. `host` looks up a variable of this machine; `notes` gets what the user
/// should know.
///
/// # Errors
/// [`Error::Tasks`] with everything that keeps any of them from running as asked.
pub fn prepare(
    tasks: Vec<Task>,
    agents: &[AgentSetup],
    judge: &Judge,
    settings: &Settings,
    host: impl Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> Result<Vec<JobTask>, Error> {
    let mut wrong = Vec::new();
    let mut ready = Vec::new();
    for task in tasks {
        let name = task.name.clone();
        match prepare_one(task, agents, judge, settings, &host, notes) {
            Ok(task) => ready.push(task),
            Err(reasons) => wrong.extend(reasons.into_iter().map(|why| (name.clone(), why))),
        }
    }
    if settings.verifier_is_set() && ready.iter().all(|task| task.script.is_none()) {
        notes.push(
            "`verifier` of the job file is for tasks' own scripts, and none of these tasks is judged by one".into(),
        );
    }
    if wrong.is_empty() { Ok(ready) } else { Err(Error::Tasks(wrong)) }
}

fn prepare_one(
    task: Task,
    agents: &[AgentSetup],
    judge: &Judge,
    settings: &Settings,
    host: impl Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> Result<JobTask, Vec<String>> {
    let spec = &task.spec;
    let mut wrong = Vec::new();
    let mut network = Vec::new();
    for agent in agents {
        match reach(spec, agent, settings, notes) {
            Ok(Policy::Public) if agent.relay.is_some() => wrong.push(format!(
                "its network is public, where the model relay can't be lent to `{}`; `--network no-network` closes it, \
                 and the model can be reached all the same",
                agent.agent.name()
            )),
            Ok(policy) if policy != Policy::Public && agent.agent.evades_policy() => wrong.push(format!(
                "its network is not public, and `{}` searches the web through its model's provider, where no allowlist \
                 holds; `--ak provider_tools=true` allows that",
                agent.agent.name()
            )),
            Ok(policy) => network.push(policy),
            Err(why) if wrong.contains(&why) => {}
            Err(why) => wrong.push(why),
        }
    }
    let mut filled = |env: &BTreeMap<String, String>| match resolve_env(env, &host) {
        Ok(env) => env.into_iter().collect(),
        Err(error) => {
            wrong.push(error.to_string());
            Vec::new()
        }
    };
    let mut env: Vec<(String, String)> = filled(&spec.environment.env);
    env.extend(settings.env.iter().cloned());
    let solution_env = filled(&spec.solution_env);
    let script = script(&task, judge, settings, &env, &host).unwrap_or_else(|why| {
        wrong.push(why);
        None
    });
    let verifier_network = verifier_reach(spec, settings).unwrap_or_else(|why| {
        wrong.push(why);
        Policy::NoNetwork
    });
    if script.as_ref().is_some_and(|script| script.environment == ScriptEnvironment::Shared)
        && network.iter().any(|agent| *agent != verifier_network)
    {
        let why = "its script may reach other hosts than its agents, so it can't run in their container: leave out \
                   `--verifier-environment shared`";
        wrong.push(why.to_owned());
    }
    let rivals = rivals(&task.tests_dir()).unwrap_or_else(|why| {
        wrong.push(why);
        Vec::new()
    });
    if !wrong.is_empty() {
        return Err(wrong);
    }
    Ok(JobTask {
        image: image(&task, settings),
        network,
        limits: limits(spec, settings),
        env,
        solution_env,
        workdir: spec.environment.workdir.clone(),
        user: spec.agent.user.as_ref().map(ToString::to_string),
        timeout: spec.agent.timeout_sec.map(seconds),
        solution: task.solution_dir(),
        name: task.name,
        instruction: task.instruction,
        artifacts: task.spec.artifacts,
        case: task.case,
        rubric: task.rubric,
        rivals,
        script,
        verifier_network,
    })
}

/// The names in the task's `tests/rivals.txt`, where it has one.
fn rivals(tests: &Path) -> Result<Vec<String>, String> {
    let path = tests.join("rivals.txt");
    if path.exists() { read_rivals(&path).map_err(|e| e.to_string()) } else { Ok(Vec::new()) }
}

fn image(task: &Task, settings: &Settings) -> ImageSource {
    match &task.spec.environment.docker_image {
        Some(name) => ImageSource::Named(name.clone()),
        None => ImageSource::Built {
            context: task.environment_dir(),
            timeout: seconds(task.spec.environment.build_timeout_sec * settings.build_timeout_multiplier),
            base: settings.base_image.clone(),
            force: settings.force_build,
        },
    }
}

fn limits(spec: &TaskSpec, settings: &Settings) -> Limits {
    let default = settings.limits;
    Limits {
        memory_mb: settings.override_memory_mb.or(spec.environment.memory_mb).unwrap_or(default.memory_mb),
        cpus: settings.override_cpus.or(spec.environment.cpus).unwrap_or(default.cpus),
        pids: default.pids,
    }
}

pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u64::from(u32::MAX)))
}

impl Job {
    /// How long this agent may take at this task.
    pub fn agent_timeout(&self, task: &JobTask, agent: &AgentSetup) -> Duration {
        agent_timeout(&self.settings, agent, agent.override_timeout.or(task.timeout))
    }
}

fn agent_timeout(settings: &Settings, agent: &AgentSetup, time: Option<Duration>) -> Duration {
    let time = time.unwrap_or(settings.agent_timeout);
    time_limit(time, agent.max_timeout, settings.agent_timeout_multiplier)
}

/// Harbor's formula: the job's own time or the task's, cut to the maximum, multiplied.
pub(super) fn time_limit(time: Duration, most: Option<Duration>, multiplier: f64) -> Duration {
    let time = most.map_or(time, |most| time.min(most));
    seconds(time.as_secs_f64() * multiplier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::job::Retry;

    #[test]
    fn time_limits_follow_harbors_formula() {
        let settings = Settings { agent_timeout_multiplier: 2.0, ..Settings::default() };
        let limit = |own: Option<u64>, replaced: Option<u64>, most: Option<u64>| {
            let time = replaced.map(Duration::from_secs).or(own.map(Duration::from_secs));
            let agent = AgentSetup { max_timeout: most.map(Duration::from_secs), ..AgentSetup::from(Agent::Nop) };
            agent_timeout(&settings, &agent, time).as_secs()
        };
        assert_eq!(limit(Some(10), Some(30), Some(20)), 40, "min(override, max) × multiplier");
        assert_eq!(limit(Some(10), None, None), 20);
        assert_eq!(limit(None, None, None), 1800, "a task that says nothing still has a limit");
        let retry = Retry { max_wait: Duration::from_secs(10), multiplier: 4.0, ..Retry::default() };
        assert_eq!([0, 1, 2, 99].map(|n| retry.wait(n).as_secs()), [1, 4, 10, 10]);
    }
}
