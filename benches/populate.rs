//! What `populate` costs over `cp -r` of the same files, for 30 and 1,000 tasks over a corpus of the real one's size
//! (ten files, 1.3 MB). Prints ratios of medians; run by `script/bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

const SUITE: &str = r#"name = "bench"
id_prefix = "bench"

[corpus]
folder = "files"

[questions]
file = "questions.jsonl"

[questions.fields]
question = "question"
answer = "answer"

[judge]
rubric = "rubric.txt"

[tasks]
source = "bench"
allowed_hosts = []
"#;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    println!(
        "{:>6}  {:>6}  {:>10}  {:>10}  {:>13}  {:>10}",
        "tasks", "rounds", "populate", "cp -r", "populate/cp", "unchanged"
    );
    for (tasks, rounds) in [(30, 5), (1000, 3)] {
        let scratch = tempfile::tempdir()?;
        make_suite(scratch.path(), tasks)?;
        let (mut ours, mut copies, mut again) = (vec![], vec![], vec![]);
        for _ in 0..rounds {
            remove(scratch.path(), "tasks")?;
            seatrial(scratch.path(), &["generate", "--all"])?;
            sync()?;
            ours.push(seatrial(scratch.path(), &["populate", "tasks"])?);
            again.push(seatrial(scratch.path(), &["populate", "tasks"])?);
            sync()?;
            remove(scratch.path(), "copy")?;
            sync()?;
            let started = Instant::now();
            run(Command::new("cp").args(["-r", "tasks", "copy"]).current_dir(scratch.path()))?;
            copies.push(started.elapsed().as_secs_f64());
        }
        let (ours, copy, again) = (median(ours), median(copies), median(again));
        println!("{tasks:>6}  {rounds:>6}  {ours:>8.2} s  {copy:>8.2} s  {:>12.2}x  {again:>8.2} s", ours / copy);
    }
    println!("\n`cp -r` copies the few small committed files of each task too; `unchanged` is a second populate");
    Ok(())
}

fn make_suite(scratch: &Path, tasks: usize) -> Result<(), Failure> {
    let files = scratch.join("vendor/files");
    std::fs::create_dir_all(&files)?;
    for file in 0..10 {
        let lines: String =
            (0..2600).map(|line| format!("record {file}-{line}: a line of some fifty letters\n")).collect();
        std::fs::write(files.join(format!("file{file}.txt")), lines)?;
    }
    let question = |i| format!("{{\"question\": \"What is {i}?\", \"answer\": \"{i}\"}}\n");
    std::fs::write(scratch.join("vendor/questions.jsonl"), (0..tasks).map(question).collect::<String>())?;
    std::fs::write(scratch.join("vendor/suite.toml"), SUITE)?;
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("vendor/rubric.txt"), scratch.join("vendor/rubric.txt"))?;
    Ok(())
}

fn seatrial(scratch: &Path, args: &[&str]) -> Result<f64, Failure> {
    let started = Instant::now();
    run(Command::new(env!("CARGO_BIN_EXE_seatrial")).args(args).current_dir(scratch))?;
    Ok(started.elapsed().as_secs_f64())
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let output = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {}: {said}", output.status).into()) }
}

/// What is still to be written to the disk belongs to what came before, not to what is measured next.
fn sync() -> Result<(), Failure> {
    run(&mut Command::new("sync"))
}

fn remove(scratch: &Path, name: &str) -> Result<(), Failure> {
    let path = scratch.join(name);
    if path.exists() {
        std::fs::remove_dir_all(path)?;
    }
    Ok(())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
