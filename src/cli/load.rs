//! From settings to a job that can run: corpus restored, tasks read and chosen, agents named, trials planned, policies
//! checked. Shared by `run` and `resume`, so that both find the same things wrong in the same words. Wiring only.

use super::agents::{agent, agent_ref};
use super::drive::EngineArgs;
use super::error::Error;
use super::model::{lend, price_days, prices};
use super::open_files;
use super::table::{beside, column};
use super::words::count;
use crate::config::{self, Config};
use crate::corpus::{self, Corpus};
use crate::job::{self, Job, JobTask, Retry, Settings};
use crate::judge::ScriptEnvironment;
use crate::network::{self, Egress, Policy};
use crate::plan::{AgentRef, PlannedTrial, again, plan};
use crate::populate::{Mode, populate};
use crate::results::{self, EngineRecord, FORMAT, JobRecord, Observed, TaskRecord};
use crate::sandbox::{ImageSource, Limits};
use crate::task::{self, Task, TaskSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A job that can run, and the record of what decides it.
#[derive(Debug)]
pub struct Loaded {
    /// What runs.
    pub job: Arc<Job>,
    /// What is kept of it.
    pub record: JobRecord,
    /// What the user should know before it runs.
    pub notes: Vec<String>,
    /// The corpora that its tasks are made from, each once.
    pub corpora: Vec<Corpus>,
    /// The judge's name: the settings', else the suite's, else the default.
    pub judge: String,
}

impl Loaded {
    /// Plans the trials of a job that has grown beyond what its settings say.
    pub fn plan_again(&mut self, trials: &[PlannedTrial]) {
        let tasks: Vec<String> = self.job.tasks.iter().map(|task| task.name.clone()).collect();
        let agents: Vec<AgentRef> = self.job.agents.iter().map(agent_ref).collect();
        let plan = again(&tasks, &agents, trials);
        self.record.trials.clone_from(&plan.trials);
        Arc::get_mut(&mut self.job).expect("a job that is only loaded is nobody else's").plan = plan;
    }

    /// What would run, for `--dry-run`.
    pub fn show(&self) {
        let (job, settings) = (&self.job, &self.job.settings);
        let width = job.tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or(0).clamp(4, 24);
        super::show(&format!(
            "{:width$}  {:9}  {:>8}  {:>9}  {:>4}  image",
            "task", "network", "time", "memory", "cpus"
        ));
        for task in &job.tasks {
            let network = network_word(task);
            let image = match &task.image {
                ImageSource::Named(name) => name.clone(),
                ImageSource::Built { context, .. } => context.join("Dockerfile").display().to_string(),
            };
            let time = job.agents.first().map_or(0.0, |agent| job.agent_timeout(task, agent).as_secs_f64());
            let (memory, cpus) = (task.limits.memory_mb, task.limits.cpus);
            let name = column(&task.name, width);
            let mut lines = String::new();
            let begin = format!("{name}  {network:9}  {time:>6} s  {memory:>5} MiB  {cpus:>4}  ");
            beside(&mut lines, &begin, &image);
            super::show(lines.trim_end());
        }
        let agents: Vec<String> = job.agents.iter().map(|setup| agent_ref(setup).label()).collect();
        let attempts = job.plan.trials.iter().map(|trial| trial.attempt).max().unwrap_or(0);
        let (trials, at_once) = (job.plan.trials.len(), settings.n_concurrent);
        super::show(&format!(
            "\n{}: {} × {attempts} × {}; {at_once} at a time; judge {}",
            count(trials, "trial"),
            count(job.tasks.len(), "task"),
            agents.join(", "),
            job.judge.name()
        ));
    }
}

/// What the task's agents may reach, in a word; how many hosts, where they are listed.
fn network_word(task: &JobTask) -> String {
    let word = |policy: &Policy| match policy {
        Policy::NoNetwork => "none".to_owned(),
        Policy::Public => "public".to_owned(),
        Policy::Allowlist { .. } => count(policy.entries().len(), "host"),
    };
    let words: BTreeSet<String> = task.network.iter().map(word).collect();
    words.into_iter().collect::<Vec<_>>().join("/")
}

/// What a job is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be run.
    Run,
    /// To be looked at; nothing on disk is changed.
    Show,
    /// To have its answers judged: no agent runs, so nothing that one would need has to be there.
    Judge,
}

/// Loads what `config` names.
pub fn load(config: &Config, purpose: Purpose, engine: &EngineArgs) -> Result<Loaded, Error> {
    let check_only = purpose == Purpose::Show;
    let mut notes = Vec::new();
    let mut tasks = Vec::new();
    let mut corpora = Vec::new();
    let mut sets = Vec::new();
    for dataset in &config.datasets {
        add(&mut corpora, restore(config, &dataset.path, check_only, &mut notes)?);
        let set = task::load_dataset(&dataset.path)?;
        notes.extend(warnings(&set));
        sets.push(set.tasks);
    }
    let known: BTreeSet<String> = sets.iter().flatten().map(|task| task.name.clone()).collect();
    let mut single = Vec::new();
    for path in &config.tasks {
        add(&mut corpora, restore(config, path, check_only, &mut notes)?);
        let set = task::load_dataset(path)?;
        notes.extend(warnings(&set));
        single.extend(set.tasks);
    }
    sets.push(single);
    of_categories(&mut sets, &config.categories)?;
    let single = sets.pop().unwrap_or_default();
    for (set, dataset) in sets.into_iter().zip(&config.datasets) {
        let names: Vec<&str> = set.iter().map(|task| task.name.as_str()).collect();
        let (include, exclude) = (&dataset.task_names, &dataset.exclude_task_names);
        let chosen = config::select(&names, &known, include, exclude, dataset.n_tasks)?;
        let chosen: BTreeSet<String> = chosen.into_iter().map(str::to_owned).collect();
        tasks.extend(set.into_iter().filter(|task| chosen.contains(&task.name)));
    }
    tasks.extend(single);
    if tasks.is_empty() {
        return Err(config::Error::NothingLeft.into());
    }
    unique(&tasks)?;
    if !check_only {
        complete(&tasks)?;
    }

    let mut agents =
        config.agents.iter().map(|one| agent(one, config, purpose, engine)).collect::<Result<Vec<_>, Error>>()?;
    let spend = match purpose {
        Purpose::Judge => Arc::default(),
        Purpose::Run | Purpose::Show => lend(&mut agents, config, engine, &mut notes)?,
    };
    let named = config.judge.name.clone().or_else(|| corpora.iter().find_map(|corpus| corpus.suite.judge.clone()));
    let named = named.unwrap_or_else(|| "rules".to_owned());
    let judge = engine.judge(&named, &config.judge, prices(config, engine)?)?;
    notes.extend(engine.note());
    let lacks = |task: &Task| {
        // Without a key its script judges it.
        let lacks = judge.lacks(task.rubric.as_deref()).filter(|_| task.case.is_some());
        Some((task.name.clone(), lacks?))
    };
    let lacking: Vec<_> = tasks.iter().filter_map(lacks).collect();
    if !lacking.is_empty() {
        return Err(job::Error::Tasks(lacking).into());
    }
    let records = tasks.iter().map(task_record).collect::<Result<Vec<_>, Error>>()?;
    let names: Vec<String> = tasks.iter().map(|task| task.name.clone()).collect();
    let refs: Vec<AgentRef> = agents.iter().map(agent_ref).collect();
    let plan = plan(&names, &refs, config.n_attempts);
    let settings = settings(config)?;
    let tasks = job::prepare(tasks, &agents, &judge, &settings, |name| std::env::var(name).ok(), &mut notes)?;
    let hosts = config.environment.hosts.clone();
    let usual = network::Settings::default();
    let limit = open_files::raise();
    let streams = open_files::connections(limit, settings.n_concurrent, usual.streams);
    if streams < usual.streams
        && tasks.iter().any(|task| task.network.iter().any(|policy| !policy.entries().is_empty()))
    {
        notes.push(format!(
            "each trial may have {streams} connections open at once, not {}, since this process may have {limit} files open \
             and {} trials run at once: raise the limit (`ulimit -Hn`), or lower `-n`",
            usual.streams, settings.n_concurrent
        ));
    }
    let egress = Egress::new(network::Settings { hosts, streams, ..usual })?;
    let digests: BTreeSet<&str> = corpora.iter().map(|corpus| corpus.digest.as_str()).collect();
    let record = JobRecord {
        format: FORMAT,
        seatrial: env!("CARGO_PKG_VERSION").to_owned(),
        name: config.job_name.clone(),
        dataset: dataset_name(config),
        judge: judge.name().to_owned(),
        judge_parameters: judge.parameters(),
        verifier: settings
            .verifier_is_set()
            .then(|| config::verifier_record(&config.verifier))
            .filter(|_| tasks.iter().any(|task| task.script.is_some())),
        corpus: (!digests.is_empty()).then(|| digests.into_iter().collect::<Vec<_>>().join(" ")),
        tasks: records,
        trials: plan.trials.clone(),
        calibrate: None,
        observed: Observed { prices: price_days(&agents), ..observed(engine) },
    };
    let egress = Arc::new(egress);
    let job = Job { name: config.job_name.clone(), plan, tasks, agents, judge, egress, spend, settings };
    Ok(Loaded { job: Arc::new(job), record, notes, corpora, judge: named })
}

/// Leaves the tasks of the wanted categories; a category is looked for in all tasks together.
fn of_categories(sets: &mut [Vec<Task>], categories: &config::Categories) -> Result<(), Error> {
    let all: Vec<Vec<&str>> = sets.iter().flatten().map(|task| task.spec.metadata.categories().collect()).collect();
    let mut counts = config::select_categories(&all, categories)?.into_iter();
    sets.iter_mut().for_each(|set| set.retain(|_| counts.next().unwrap_or(false)));
    Ok(())
}

/// Keeps a corpus unless it is there already.
fn add(corpora: &mut Vec<Corpus>, corpus: Option<Corpus>) {
    let same = |a: &Corpus, b: &Corpus| a.digest == b.digest && a.questions == b.questions && a.plans == b.plans;
    corpora.extend(corpus.filter(|new| !corpora.iter().any(|old| same(old, new))));
}

/// Restores what is git-ignored in the dataset's tasks; the corpus, where tasks are made from one.
fn restore(
    config: &Config,
    dataset: &Path,
    check_only: bool,
    notes: &mut Vec<String>,
) -> Result<Option<Corpus>, Error> {
    let environment = &config.environment;
    let Some(corpus) = corpus::find(dataset, environment.vendor.as_deref(), environment.suite.as_deref())? else {
        return Ok(None);
    };
    let mode = if check_only { Mode::Check } else { Mode::Write };
    let populated = populate(&corpus, dataset, mode)?;
    if check_only && !populated.differences.is_empty() {
        let n = populated.differences.len();
        let differ = if n == 1 { "1 file differs" } else { &format!("{n} files differ") };
        notes.push(format!("in `{}` {differ} from the corpus; `run` restores that first", dataset.display()));
    }
    Ok((populated.tasks > 0).then_some(corpus))
}

fn warnings(set: &TaskSet) -> Vec<String> {
    task::in_words(&set.dir, &set.warnings).into_iter().map(|(_, line)| line).collect()
}

/// A task whose documents are not there would only be a failing build, in every trial of it.
fn complete(tasks: &[Task]) -> Result<(), Error> {
    let missing: Vec<(String, String)> = tasks
        .iter()
        .flat_map(|task| task.missing_sources().into_iter().map(|source| (task.name.clone(), source)))
        .map(|(name, source)| {
            let why = format!(
                "`environment/{source}` is missing, and the Dockerfile copies it; where the documents of a suite belong \
                 there, name the suite's folder with `--vendor DIR`"
            );
            (name, why)
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(job::Error::Tasks(missing).into()) }
}

/// A trial is known by its task's name, so two tasks of one name can't be in one job.
fn unique(tasks: &[Task]) -> Result<(), Error> {
    let mut seen = BTreeMap::new();
    for task in tasks {
        if let Some(other) = seen.insert(&task.name, &task.dir) {
            let (name, one, two) = (&task.name, other.display(), task.dir.display());
            return Err(Error::Usage(format!("two tasks of the job are called `{name}`: `{one}` and `{two}`")));
        }
    }
    Ok(())
}

fn settings(config: &Config) -> Result<Settings, Error> {
    let default = Settings::default();
    let retry = Retry {
        max_retries: config.retry.max_retries,
        min_wait: Duration::from_secs_f64(config.retry.min_wait_sec),
        max_wait: Duration::from_secs_f64(config.retry.max_wait_sec),
        multiplier: config.retry.wait_multiplier,
    };
    let env = task::resolve_env(&config.environment.env, |name| std::env::var(name).ok())?;
    Ok(Settings {
        n_concurrent: config.n_concurrent,
        retry,
        network: config.environment.network,
        extra_hosts: config.environment.extra_allowed_hosts.clone(),
        ports: config.environment.ports.clone(),
        base_image: config.environment.base_image.clone(),
        force_build: config.environment.force_build,
        agent_timeout_multiplier: config.agent_timeout_multiplier.unwrap_or(config.timeout_multiplier),
        verifier_override_timeout: config.verifier.override_timeout_sec.map(Duration::from_secs_f64),
        verifier_max_timeout: config.verifier.max_timeout_sec.map(Duration::from_secs_f64),
        verifier_env: config.verifier.env.clone(),
        verifier_timeout_multiplier: config.verifier_timeout_multiplier.unwrap_or(config.timeout_multiplier),
        script_environment: match config.shared_verifier {
            true => ScriptEnvironment::Shared,
            false => ScriptEnvironment::Separate,
        },
        build_timeout_multiplier: config.build_timeout_multiplier.unwrap_or(config.timeout_multiplier),
        override_cpus: config.environment.override_cpus,
        override_memory_mb: config.environment.override_memory_mb,
        limits: Limits {
            memory_mb: config.environment.memory_mb.unwrap_or(default.limits.memory_mb),
            cpus: config.environment.cpus.unwrap_or(default.limits.cpus),
            pids: config.environment.pids_limit.unwrap_or(default.limits.pids),
        },
        env: env.into_iter().collect(),
        judge_pause: config.judge.pause_sec.map_or(default.judge_pause, Duration::from_secs_f64),
        engine_wait: config.environment.engine_wait_sec.map_or(default.engine_wait, Duration::from_secs_f64),
        ..default
    })
}

fn task_record(task: &Task) -> Result<TaskRecord, Error> {
    let digests = task::digests(&task.dir)?;
    let path = task.dir.display().to_string();
    let metadata = &task.spec.metadata;
    Ok(TaskRecord {
        name: task.name.clone(),
        path,
        digest: digests.harbor,
        content_digest: digests.content,
        audit: None,
        question_type: metadata.question_type.clone(),
        difficulty: metadata.difficulty.clone(),
        rubric_sha256: task.rubric.as_ref().map(|rubric| results::hex(rubric.as_bytes())),
        tags: metadata.tags.clone(),
        ideal: metadata.ideal,
        question: task.case.as_ref().map(|case| case.input.clone()),
        key: task.case.as_ref().map(|case| case.ground_truth.clone()),
    })
}

/// What Harbor calls the source of the tasks: the dataset's folder name.
fn dataset_name(config: &Config) -> String {
    let path = config.datasets.first().map(|dataset| dataset.path.as_path()).or(config.tasks.first().map(|p| &**p));
    path.map(task::task_name).unwrap_or_default()
}

fn observed(engine: &EngineArgs) -> Observed {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Observed {
        id: uuid::Uuid::new_v4().to_string(),
        started_at: now.map_or(0.0, |d| d.as_secs_f64()),
        engine: EngineRecord { kind: String::new(), api_version: None, os: None, arch: None },
        base_images: Vec::new(),
        images: Vec::new(),
        played_back: engine.plays_back(),
        prices: BTreeMap::new(),
    }
}
