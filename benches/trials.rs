//! What a trial costs over what the engine charges: `seatrial run -a oracle` against the bare engine calls of a minimal
//! client, in one run on one machine, rounds interleaved. Prints ratios of medians; run by `script/bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::{ContainerCreateBody, ExecConfig, HostConfig};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptions, DownloadFromContainerOptionsBuilder,
    RemoveContainerOptionsBuilder, StartContainerOptions, UploadToContainerOptionsBuilder, WaitContainerOptionsBuilder,
};
use futures_util::StreamExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TRIALS: usize = 30;
const ROUNDS: usize = 5;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let scratch = tempfile::tempdir()?;
    let project = env!("CARGO_MANIFEST_DIR");
    make_suite(scratch.path(), project)?;
    // Builds the image and fills caches; not measured.
    ours(scratch.path(), 4)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let docker = Docker::connect_with_local_defaults()?;
    let image = task_image(scratch.path())?;
    println!("{TRIALS} trials, {ROUNDS} rounds, image {image}\n");
    println!(
        "{:>3}  {:>12}  {:>12}  {:>12}  {:>10}  {:>10}  {:>9}  {:>9}",
        "n", "ours", "usual shape", "barest", "ours/usual", "ours/barest", "our CPU", "peak"
    );
    for n in [1, 4, 8] {
        let (mut mine, mut usual, mut barest, mut cpu, mut peak) = (vec![], vec![], vec![], vec![], 0);
        for _ in 0..ROUNDS {
            let run = ours(scratch.path(), n)?;
            mine.push(run.wall);
            cpu.push(run.cpu);
            peak = peak.max(run.peak_kib);
            usual.push(runtime.block_on(many(&docker, &image, n, true))?);
            barest.push(runtime.block_on(many(&docker, &image, n, false))?);
        }
        let (mine, usual, barest, cpu) = (median(mine), median(usual), median(barest), median(cpu));
        let each = |wall: f64| format!("{:.0} ms", 1000.0 * wall / TRIALS as f64);
        println!(
            "{n:>3}  {:>12}  {:>12}  {:>12}  {:>9.2}x  {:>10.2}x  {:>9}  {:>5} MiB",
            each(mine),
            each(usual),
            each(barest),
            mine / usual,
            mine / barest,
            format!("{:.1} ms", 1000.0 * cpu / TRIALS as f64),
            peak / 1024
        );
    }
    println!(
        "\nwall and CPU are per trial, start-up and report of the whole command included; peak is resident memory"
    );
    Ok(())
}

/// The shipped suite with enough questions: its own, over and over.
fn make_suite(scratch: &std::path::Path, project: &str) -> Result<(), Failure> {
    let copied = Command::new("cp").args(["-r", &format!("{project}/vendor")]).arg(scratch).status()?;
    assert!(copied.success(), "cp works");
    let questions = std::fs::read_to_string(scratch.join("vendor/questions.jsonl"))?;
    let lines: Vec<&str> = questions.lines().cycle().take(TRIALS).collect();
    std::fs::write(scratch.join("vendor/questions.jsonl"), lines.join("\n") + "\n")?;
    let done = seatrial(scratch, &["generate", "--all"]).stderr(Stdio::null()).status()?;
    assert!(done.success(), "generate works");
    Ok(())
}

fn seatrial(scratch: &std::path::Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seatrial"));
    command.args(args).current_dir(scratch).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

struct Ours {
    wall: f64,
    cpu: f64,
    peak_kib: u64,
}

fn ours(scratch: &std::path::Path, n: usize) -> Result<Ours, Failure> {
    let n = n.to_string();
    let jobs = scratch.join("jobs");
    if jobs.exists() {
        std::fs::remove_dir_all(&jobs)?;
    }
    let args = ["run", "tasks", "-a", "oracle", "-q", "--network", "no-network", "-n", &n, "--job-name", "bench"];
    let before = children_cpu()?;
    let started = Instant::now();
    let mut child = seatrial(scratch, &args).stderr(Stdio::null()).spawn()?;
    let mut peak_kib = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        peak_kib = peak_kib.max(peak.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    };
    let wall = started.elapsed().as_secs_f64();
    assert!(status.success(), "every trial is scored: {status}");
    Ok(Ours { wall, cpu: children_cpu()? - before, peak_kib })
}

/// Processor time of children that have ended, in seconds: fields 16 and 17 of proc(5)'s stat, in ticks of 10 ms.
fn children_cpu() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')').ok_or("stat")?.1.split_whitespace().collect();
    Ok((fields[13].parse::<f64>()? + fields[14].parse::<f64>()?) / 100.0)
}

/// The image that the last job ran in.
fn task_image(scratch: &std::path::Path) -> Result<String, Failure> {
    let job = std::fs::read_dir(scratch.join("jobs"))?.next().ok_or("no job")??.path();
    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(job.join("seatrial.json"))?)?;
    Ok(record["observed"]["images"][0]["tag"].as_str().ok_or("no image")?.to_owned())
}

/// All trials of one shape, `n` at a time; the wall time in seconds.
async fn many(docker: &Docker, image: &str, n: usize, usual: bool) -> Result<f64, Failure> {
    let started = Instant::now();
    let trials = futures_util::stream::iter(0..TRIALS).map(|_| async move {
        if usual { usual_shape(docker, image).await } else { barest_shape(docker, image).await }
    });
    let done: Vec<Result<(), Failure>> = trials.buffer_unordered(n).collect().await;
    done.into_iter().collect::<Result<Vec<()>, Failure>>()?;
    Ok(started.elapsed().as_secs_f64())
}

fn body(image: &str, line: &str) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(["sh", "-c", line].map(str::to_owned).to_vec()),
        attach_stdout: Some(true),
        host_config: Some(HostConfig { network_mode: Some("none".to_owned()), ..HostConfig::default() }),
        ..ContainerCreateBody::default()
    }
}

/// Create, start, put the solution, exec it, get the answer, remove: what runners do around `sleep infinity`.
async fn usual_shape(docker: &Docker, image: &str) -> Result<(), Failure> {
    let id = docker.create_container(None::<CreateContainerOptions>, body(image, "sleep infinity")).await?.id;
    docker.start_container(&id, None::<StartContainerOptions>).await?;
    let mut header = tar::Header::new_gnu();
    let solution = b"#!/bin/sh\nprintf '%s\\n' 42 > /app/answer.txt\n";
    header.set_size(solution.len() as u64);
    header.set_mode(0o755);
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_data(&mut header, "solution/solve.sh", solution.as_slice())?;
    let put = UploadToContainerOptionsBuilder::default().path("/").build();
    docker.upload_to_container(&id, Some(put), bollard::body_full(archive.into_inner()?.into())).await?;
    let exec = ExecConfig {
        cmd: Some(vec!["/solution/solve.sh".to_owned()]),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        ..ExecConfig::default()
    };
    let exec = docker.create_exec(&id, exec).await?.id;
    if let StartExecResults::Attached { mut output, .. } = docker.start_exec(&exec, None::<StartExecOptions>).await? {
        while output.next().await.is_some() {}
    }
    let get = DownloadFromContainerOptionsBuilder::default().path("/app/answer.txt").build();
    let mut pieces = docker.download_from_container(&id, Some(get));
    let mut bytes = 0;
    while let Some(piece) = pieces.next().await {
        bytes += piece?.len();
    }
    assert!(bytes > 0, "there is an answer");
    remove(docker, &id).await
}

/// Create, attach, start, wait, remove of a container that writes one line: the least that gives any output.
async fn barest_shape(docker: &Docker, image: &str) -> Result<(), Failure> {
    let id = docker.create_container(None::<CreateContainerOptions>, body(image, "echo 42")).await?.id;
    let attach = AttachContainerOptionsBuilder::default().stdout(true).stream(true).build();
    let mut attached = docker.attach_container(&id, Some(attach)).await?;
    docker.start_container(&id, None::<StartContainerOptions>).await?;
    let mut said = Vec::new();
    while let Some(Ok(LogOutput::StdOut { message })) = attached.output.next().await {
        said.extend_from_slice(&message);
    }
    assert_eq!(said, b"42\n");
    let wait = WaitContainerOptionsBuilder::default().condition("not-running").build();
    docker.wait_container(&id, Some(wait)).next().await;
    remove(docker, &id).await
}

async fn remove(docker: &Docker, id: &str) -> Result<(), Failure> {
    let options = RemoveContainerOptionsBuilder::default().force(true).build();
    Ok(docker.remove_container(id, Some(options)).await?)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
