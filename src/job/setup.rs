//! Tasks and settings become what a job runs. Everything that can be wrong is found here, for all tasks, before
//! anything is built; a policy that can't be applied stops the job (fail closed).

use super::Error;
use super::reach::reach;
use super::settings::{AgentSetup, Settings};
use crate::judge::{Judge, Matter};
use crate::network::{Egress, Policy};
use crate::plan::Plan;
use crate::sandbox::{ImageSource, Limits};
use crate::task::{Case, Task, TaskSpec, resolve_env};
use std::collections::BTreeMap;
use std::path::PathBuf;
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
    /// Its question and key; for the judge only.
    pub case: Case,
    /// Its rubric, where it has one; for the judge only.
    pub rubric: Option<String>,
}

impl JobTask {
    /// What a judge gets to see of this task and an answer to it.
    pub fn matter<'a>(&'a self, answer: &'a str) -> Matter<'a> {
        Matter { task: &self.name, case: &self.case, rubric: self.rubric.as_deref(), answer }
    }
}

/// Makes tasks ready to run for these agents. `host` looks up a variable of this machine; `notes` gets what the user
/// should know.
///
/// # Errors
/// [`Error::Tasks`] with everything that keeps any of them from running as asked.
pub fn prepare(
    tasks: Vec<Task>,
    agents: &[AgentSetup],
    settings: &Settings,
    host: impl Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> Result<Vec<JobTask>, Error> {
    let mut wrong = Vec::new();
    let mut ready = Vec::new();
    for task in tasks {
        let name = task.name.clone();
        match prepare_one(task, agents, settings, &host, notes) {
            Ok(task) => ready.push(task),
            Err(reasons) => wrong.extend(reasons.into_iter().map(|why| (name.clone(), why))),
        }
    }
    if wrong.is_empty() { Ok(ready) } else { Err(Error::Tasks(wrong)) }
}

fn prepare_one(
    task: Task,
    agents: &[AgentSetup],
    settings: &Settings,
    host: impl Fn(&str) -> Option<String>,
    notes: &mut Vec<String>,
) -> Result<JobTask, Vec<String>> {
    let spec = &task.spec;
    let mut wrong = Vec::new();
    let mut network = Vec::new();
    for agent in agents {
        match reach(spec, agent, settings, notes) {
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
    if task.case.is_none() {
        wrong.push("it has no `tests/case.json`, so the `rules` judge has no key to compare with".to_owned());
    }
    let Some(case) = task.case.clone().filter(|_| wrong.is_empty()) else { return Err(wrong) };
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
        case,
        rubric: task.rubric,
    })
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

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u64::from(u32::MAX)))
}

impl Job {
    /// How long this agent may take at this task.
    pub fn agent_timeout(&self, task: &JobTask, agent: &AgentSetup) -> Duration {
        agent_timeout(&self.settings, agent, agent.override_timeout.or(task.timeout))
    }
}

/// Harbor's formula: the agent's own time or the task's, cut to the agent's maximum, multiplied.
fn agent_timeout(settings: &Settings, agent: &AgentSetup, time: Option<Duration>) -> Duration {
    let time = time.unwrap_or(settings.agent_timeout);
    let time = agent.max_timeout.map_or(time, |most| time.min(most));
    seconds(time.as_secs_f64() * settings.agent_timeout_multiplier)
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
