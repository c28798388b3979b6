//! What an audit of a hundred questions over a corpus of five hundred people costs: `seatrial audit` as a whole, medians
//! of rounds. Over the real Context-Bench where `CONTEXTBENCH` names its corpus folder, else over the shipped suite.
//! Run by `script/bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 9;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut suites = vec![("shipped", vec!["--vendor".into(), project.join("vendor")])];
    if let Some(corpus) = std::env::var_os("CONTEXTBENCH") {
        let manifest = project.join("examples/contextbench/suite.toml");
        let plans = project.join("tests/fixtures/contextbench-plans.json");
        let args = ["--vendor".into(), corpus.into(), "--suite".into(), manifest, "--plans".into(), plans];
        suites.push(("contextbench", args.to_vec()));
    }
    println!("{:<14}{:>10}{:>8}{:>10}{:>10}", "suite", "questions", "rounds", "median", "slowest");
    for (name, args) in suites {
        let mut seconds = Vec::new();
        let mut questions = String::new();
        for _ in 0..ROUNDS {
            let mut command = Command::new(env!("CARGO_BIN_EXE_seatrial"));
            command.arg("audit").args(&args).stderr(Stdio::inherit());
            let started = Instant::now();
            let output = command.output()?;
            seconds.push(started.elapsed().as_secs_f64());
            // Bad keys are a result, not a failure.
            if !matches!(output.status.code(), Some(0 | 1)) {
                return Err(format!("{command:?}: {}", output.status).into());
            }
            let text = String::from_utf8(output.stdout)?;
            questions = text.lines().last().and_then(|l| l.split(' ').next()).unwrap_or_default().to_owned();
        }
        seconds.sort_by(f64::total_cmp);
        let (median, slowest) = (seconds[ROUNDS / 2], seconds[ROUNDS - 1]);
        println!("{name:<14}{questions:>10}{ROUNDS:>8}{median:>8.2} s{slowest:>8.2} s");
    }
    Ok(())
}
