//! `seatrial run`: run a job. The program's story, top to bottom; each step's work is its room's.

use super::calibrate::thresholds;
use super::categories::CategoryArgs;
use super::drive::{self, EngineArgs};
use super::error::Error;
use super::keys;
use super::load::{Loaded, Purpose, load};
use super::model::CapArgs;
use super::vendor::VendorArgs;
use crate::config::{self, Flags, JudgeConfig, ModelConfig};
use crate::job::Todo;
use crate::judge::{self, Judge};
use crate::plan::Allocation;
use crate::results::Store;
use crate::stats::Thresholds;
use crate::task::{self, NetworkMode};
use std::path::{Path, PathBuf};

/// A calibrating job's attempts of each task in each round.
const BATCH: u32 = 3;
/// Its attempts of a task at most, and with `--thorough`.
const CAP: u32 = 12;
const THOROUGH: u32 = 24;
/// How likely a tier must be.
const CONFIDENCE: f64 = 0.9;

/// Run a job: every task, k attempts, in Docker
///
/// Settings come from flags, then from environment variables (SEATRIAL_JOBS_DIR, SEATRIAL_N_CONCURRENT,
/// SEATRIAL_NETWORK, SEATRIAL_BASE_IMAGE, SEATRIAL_JUDGE, JUDGE_MODELS or JUDGE_MODEL), then from the job file, then from defaults.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial run                                      what harbor.yml says
  seatrial run tasks -a oracle -k 2 -n 4            two attempts each, four at a time
  seatrial run tasks --command 'echo 42 > /app/answer.txt' --network no-network
  seatrial run tasks -a mini-swe-agent -m openai/gpt-x --max-requests 50
  seatrial run tasks -a loop -m anthropic/NAME      a model, asked from here; tools act in the container
  seatrial run tasks -i 'ledger-?' -a loop -m stand-in --replay examples/recording
  seatrial run tasks -i 'ledger-1*' --dry-run       what would run
  seatrial run tasks --calibrate --budget 500       trials where they decide how hard a task is
  seatrial run tasks --judge rubric --judge-model openai/gpt-4.1

Exit codes:
  0 all trials done   2 bad input   3 done, but faults or ungraded trials are left
  4 no engine         5 this machine failed (disk)   130 interrupted")]
pub struct RunArgs {
    /// Folders of tasks, or single task directories [default: the job file's, else tasks]
    #[arg(value_name = "DATASET")]
    datasets: Vec<PathBuf>,
    /// Job file, YAML or JSON with Harbor's keys [default: harbor.yml where there is one]
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Who answers: oracle, nop, command, loop, messages-search, mini-swe-agent, python-openai, or the file of an agent of your own; more than
    /// once for several
    #[arg(short, long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// The line that the agent `command` runs with the image's sh; $SEATRIAL_INSTRUCTION names the instruction's file
    #[arg(long, value_name = "LINE")]
    command: Option<String>,
    /// The model that agents are to use, which they find in $SEATRIAL_MODEL and the loop asks; where this machine has its provider's key
    /// (ANTHROPIC_API_KEY, OPENAI_API_KEY), it is lent to them without the key; more than once for several
    #[arg(short, long = "model", value_name = "NAME")]
    models: Vec<String>,
    /// A setting of the agent's own
    #[arg(long = "ak", value_name = "KEY=VALUE", value_parser = pair)]
    agent_kwargs: Vec<(String, String)>,
    /// A variable for the agent; its value is not written to disk, unless the agent itself prints it
    #[arg(long = "ae", value_name = "NAME=VALUE", value_parser = pair)]
    agent_env: Vec<(String, String)>,
    /// How often each agent tries each task, at most 1000 [default: 1]
    #[arg(short = 'k', long, value_name = "K")]
    n_attempts: Option<u32>,
    /// Spend trials where they decide: 3 attempts each, then 3 more at a time where the tier is still open
    #[arg(long, conflicts_with = "n_attempts")]
    calibrate: bool,
    /// With --calibrate: up to 24 attempts for a task, not 12
    #[arg(long, requires = "calibrate")]
    thorough: bool,
    /// With --calibrate: at most so many trials in all
    #[arg(long, value_name = "TRIALS", requires = "calibrate")]
    budget: Option<usize>,
    /// With --calibrate: where the tiers meet, two pass rates, or `legacy` for 0.1,0.9
    #[arg(long, value_name = "HARD,EASY", default_value = "0.2,0.8", value_parser = thresholds, requires = "calibrate")]
    thresholds: Thresholds,
    /// How many trials run at a time, at most 1000 [default: 4]
    #[arg(short = 'n', long, value_name = "N")]
    n_concurrent: Option<usize>,
    /// Run only tasks whose names match this glob; more than once for several
    #[arg(short, long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave out tasks whose names match this glob
    #[arg(short = 'x', long, value_name = "GLOB")]
    exclude: Vec<String>,
    #[command(flatten)]
    categories: CategoryArgs,
    /// Run at most so many tasks of each dataset, the first by name
    #[arg(short = 'l', long, value_name = "N")]
    n_tasks: Option<usize>,
    /// How often a trial is started again after a fault of ours [default: 2]
    #[arg(short = 'r', long, value_name = "N")]
    max_retries: Option<u32>,
    /// Multiply every time limit, at most by 1000
    #[arg(long, value_name = "X")]
    timeout_multiplier: Option<f64>,
    /// The job's name [default: the local time]
    #[arg(long, value_name = "NAME")]
    job_name: Option<String>,
    /// Where jobs are kept [default: jobs]
    #[arg(short = 'o', long, value_name = "DIR")]
    jobs_dir: Option<PathBuf>,
    /// Less network than the tasks allow: no-network, or allowlist for public tasks (with --allow-agent-host)
    #[arg(long, value_name = "MODE")]
    network: Option<NetworkMode>,
    /// A host that agents may reach beside those of each task: a name, *.name, an address or a network; more than once
    #[arg(long = "allow-agent-host", value_name = "HOST", value_parser = host)]
    allow_agent_hosts: Vec<String>,
    /// Base image for Dockerfiles that have ARG BASE_IMAGE
    #[arg(long, value_name = "IMAGE")]
    base_image: Option<String>,
    /// Build images also where the engine has them
    #[arg(long)]
    force_build: bool,
    /// Who judges: rules; script (each task's own tests/test.sh, in a container); or rubric, answer-set, answer-set-xml, letter,
    /// yes-no, omniscience, which ask models
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    #[command(flatten)]
    caps: CapArgs,
    /// A model that the judge asks; more than once for several, whose votes are kept apart
    #[arg(long = "judge-model", value_name = "MODEL")]
    judge_models: Vec<String>,
    /// How often each of the judge's models is asked about each answer [default: 1]
    #[arg(long, value_name = "N")]
    judge_votes: Option<u32>,
    /// Where scripts run: separate (a fresh container with tests, answer and declared artifacts), or shared (Harbor's way: the
    /// agent's own container, for tasks that don't ask for another) [default: separate]
    #[arg(long, value_enum, value_name = "WHERE")]
    verifier_environment: Option<VerifierEnvironment>,
    /// Say what would run, and check all of it, without running anything
    #[arg(long)]
    dry_run: bool,
    /// No live view while the job runs; warnings and the table at the end come all the same
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    vendor: VendorArgs,
    /// Plans by which answer keys are audited before anything runs [default: the file that the suite names]
    #[arg(long, value_name = "FILE")]
    plans: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Where a script judge runs; Harbor's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum VerifierEnvironment {
    Separate,
    Shared,
}

/// Runs the verb and gives the exit code.
pub async fn run(args: &RunArgs) -> Result<u8, Error> {
    let file = config::find_job_file(args.config.as_deref(), Path::new("."))?;
    let name = config::default_job_name(&jiff::ZonedDateTime::now());
    args.engine.records_anew()?;
    let mut config = config::resolve(&args.flags(), |name| std::env::var(name).ok(), file, &name)?;
    let mut loaded = load(&config, if args.dry_run { Purpose::Show } else { Purpose::Run }, &args.engine)?;
    config.judge.name = Some(loaded.judge.clone());
    args.check_judge(&loaded.job.judge)?;
    keys::audit(&mut loaded, args.plans.as_deref())?;
    loaded.record.calibrate = args.allocation(loaded.record.trials.len())?;
    loaded.notes.iter().for_each(|note| super::say(note));
    if args.dry_run {
        loaded.show();
        return Ok(super::exit::OK);
    }
    let Loaded { job, mut record, .. } = loaded;
    let engine = drive::engine(&args.engine).await?;
    record.observed.engine = drive::engine_record(&engine);
    let todo = Todo { run: (0..job.plan.trials.len()).collect(), ..Todo::default() };
    let store = Store::create(&config.job_dir(), record, config::job_record(&config))?;
    drive::drive(engine, job, todo, store, config.quiet).await
}

impl RunArgs {
    /// How a calibrating job spends its trials; `first` of them are planned already.
    fn allocation(&self, first: usize) -> Result<Option<Allocation>, Error> {
        if let Some(budget) = self.budget.filter(|budget| *budget < first) {
            return Err(Error::Usage(format!(
                "`--budget {budget}` is less than the {first} trials of the first round"
            )));
        }
        let cap = if self.thorough { THOROUGH } else { CAP };
        let Thresholds { hard, easy } = self.thresholds;
        Ok(self.calibrate.then_some(Allocation {
            first: BATCH,
            step: BATCH,
            cap,
            budget: self.budget,
            thresholds: (hard, easy),
            confidence: CONFIDENCE,
        }))
    }

    /// What is typed for a judge that asks models must not be lost on one that asks none.
    fn check_judge(&self, judge: &Judge) -> Result<(), Error> {
        let typed = [(!self.judge_models.is_empty(), "--judge-model"), (self.judge_votes.is_some(), "--judge-votes")];
        match typed.into_iter().find(|(typed, _)| *typed && !judge.may_recover()) {
            Some((_, setting)) => Err(judge::Error::NoUse { judge: judge.name(), setting }.into()),
            None => Ok(()),
        }
    }

    fn flags(&self) -> Flags {
        let mut flags = Flags {
            datasets: self.datasets.clone(),
            agents: self.agents.clone(),
            models: self.models.clone(),
            command: self.command.clone(),
            agent_kwargs: self.agent_kwargs.clone(),
            agent_env: self.agent_env.clone(),
            n_attempts: if self.calibrate { Some(BATCH) } else { self.n_attempts },
            n_concurrent: self.n_concurrent,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            n_tasks: self.n_tasks,
            categories: self.categories.config(),
            max_retries: self.max_retries,
            timeout_multiplier: self.timeout_multiplier,
            job_name: self.job_name.clone(),
            jobs_dir: self.jobs_dir.clone(),
            quiet: self.quiet,
            network: self.network,
            allow_agent_hosts: self.allow_agent_hosts.clone(),
            base_image: self.base_image.clone(),
            force_build: self.force_build,
            shared_verifier: self.verifier_environment.map(|word| word == VerifierEnvironment::Shared),
            judge: JudgeConfig {
                name: self.judge.clone(),
                models: self.judge_models.clone(),
                votes: self.judge_votes,
                ..JudgeConfig::default()
            },
            model: ModelConfig { prices: self.engine.prices.clone(), ..self.caps.config() },
            vendor: self.vendor.vendor.clone(),
            suite: self.vendor.suite.clone(),
        };
        // A line to run names its agent too.
        if self.command.is_some() && flags.agents.is_empty() {
            flags.agents.push("command".to_owned());
        }
        flags
    }
}

fn host(text: &str) -> Result<String, String> {
    task::normalize_host(text).map_err(|why| format!("it {why}"))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE")?;
    if name.is_empty() { Err("the name is empty".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}
