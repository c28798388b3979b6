//! What forging a suite costs: a corpus of 500 people and 100 questions with proved keys. Prints seconds for a few seeds;
//! run by `script/bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::{Command, Stdio};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    println!("{:>6}  {:>6}  {:>9}  {:>8}", "seed", "people", "questions", "forge");
    for seed in ["1", "2", "3", "4", "5"] {
        let scratch = tempfile::tempdir()?;
        let mut forge = Command::new(env!("CARGO_BIN_EXE_seatrial"));
        forge.args(["forge", "--seed", seed, "--people", "500", "--questions", "100", "-o", "vendor"]);
        let started = Instant::now();
        let status = forge.current_dir(scratch.path()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if !status.success() {
            return Err(format!("seed {seed}: {status}").into());
        }
        println!("{seed:>6}  {:>6}  {:>9}  {:>6.2} s", 500, 100, started.elapsed().as_secs_f64());
    }
    Ok(())
}
