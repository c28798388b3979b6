//! Which verb was asked for, and what becomes of its error: said once, with its hint, as an exit code. Wiring only.

use super::error::Error;
use super::{
    audit, base, calibrate, clean, compare, doctor, forge, generate, ideal, init, judge, judge_cases, lint, populate,
    report, resume, run, select, stamp,
};
use clap::Parser;
use std::process::ExitCode;

/// Sandboxed task-suite runner for local-corpus evals
#[derive(Debug, Parser)]
#[command(name = "seatrial", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Init(init::InitArgs),
    Generate(generate::GenerateArgs),
    Populate(populate::PopulateArgs),
    Lint(lint::LintArgs),
    Run(Box<run::RunArgs>),
    Resume(resume::ResumeArgs),
    Report(report::ReportArgs),
    Judge(judge::JudgeArgs),
    Compare(compare::CompareArgs),
    JudgeCases(judge_cases::JudgeCasesArgs),
    Audit(audit::AuditArgs),
    Forge(forge::ForgeArgs),
    Calibrate(calibrate::CalibrateArgs),
    Select(select::SelectArgs),
    Stamp(stamp::StampArgs),
    Ideal(ideal::IdealArgs),
    Base(base::BaseArgs),
    Doctor(doctor::DoctorArgs),
    Clean(clean::CleanArgs),
}

/// Runs the command line and says with which code the program ends.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(&cli.verb) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            super::say(&format!("error: {error}"));
            if let Some(hint) = error.hint() {
                super::say(&format!("\nhint: {hint}"));
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(verb: &Verb) -> Result<u8, Error> {
    match verb {
        Verb::Init(args) => init::run(args),
        Verb::Generate(args) => generate::run(args),
        Verb::Populate(args) => populate::run(args),
        Verb::Lint(args) => lint::run(args),
        Verb::Run(args) => wait(run::run(args)),
        Verb::Resume(args) => wait(resume::run(args)),
        Verb::Report(args) => report::run(args),
        Verb::Judge(args) => wait(judge::run(args)),
        Verb::Compare(args) => compare::run(args),
        Verb::JudgeCases(args) => wait(judge_cases::run(args)),
        Verb::Forge(args) => forge::run(args),
        Verb::Audit(args) => audit::run(args),
        Verb::Calibrate(args) => calibrate::run(args),
        Verb::Select(args) => select::run(args),
        Verb::Stamp(args) => stamp::run(args),
        Verb::Ideal(args) => ideal::run(args),
        Verb::Base(args) => wait(base::run(args)),
        Verb::Doctor(args) => wait(doctor::run(args)),
        Verb::Clean(args) => wait(clean::run(args)),
    }
}

/// Runs a verb that talks to an engine. Two threads: one for the engine's streams, one for packing and digests.
fn wait(verb: impl Future<Output = Result<u8, Error>>) -> Result<u8, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let failed = |e| Error::Host { why: format!("failed to start the runtime: {e}"), hint: None };
    let runtime = runtime.map_err(failed)?;
    let done = runtime.block_on(verb);
    // What still computes for a job that is over must not keep the program from ending.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    done
}
