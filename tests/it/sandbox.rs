//! The sandbox contract on a real Docker engine: what comes back of an agent, and what nothing survives.

use crate::support;
use seatrial::sandbox::docker::BASE;
use seatrial::sandbox::{Command, Engine, Error, File, ImageSource, Limits, Network, Owner, Sandbox, Spec};
use seatrial::wire::{Exit, Found};
use std::time::{Duration, Instant};

const ANSWER: &str = "/app/answer.txt";

async fn engine(test: &str) -> Option<Engine> {
    support::docker(test).await.map(Engine::Docker)
}

async fn open(engine: &Engine, image: ImageSource, limits: Limits) -> Sandbox {
    let image = engine.image(&image, &mut |_| {}).await.expect("the image (script/test builds the base)");
    let owner = Owner { job: "contract".to_owned(), trial: "contract__1".to_owned() };
    engine.open(&Spec { image, network: Network::None, limits, owner }).await.expect("a sandbox")
}

async fn plain(engine: &Engine) -> Sandbox {
    open(engine, ImageSource::Named(BASE.to_owned()), Limits::default()).await
}

/// A shell line with half a minute for it.
pub fn shell(line: &str) -> Command {
    Command {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: Some(Duration::from_secs(30)),
        grace: Duration::from_secs(1),
        output_cap: 1 << 20,
    }
}

async fn run(sandbox: &mut Sandbox, command: &Command) -> (Exit, String) {
    let mut said = Vec::new();
    let exit = sandbox.run(command, &mut |bytes| said.extend_from_slice(bytes)).await.expect("it runs");
    (exit, String::from_utf8_lossy(&said).into_owned())
}

#[tokio::test]
async fn a_command_hears_of_its_childrens_end_like_anywhere_else() {
    let Some(engine) = engine("a_command_hears_of_its_childrens_end").await else { return };
    let mut sandbox = plain(&engine).await;
    // Where SIGCHLD is blocked, this shell waits for ever.
    let (exit, said) = run(&mut sandbox, &shell("sleep 0.2 & sleep 0.1 & wait; echo over")).await;
    assert_eq!((exit.code, exit.timed_out, said.as_str()), (Some(0), false, "over\n"));
    let (_, said) = run(&mut sandbox, &shell("grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -s '\\t' ' '")).await;
    assert_eq!(said, "SigBlk: 0000000000000000\nSigIgn: 0000000000000000\n");
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn a_command_gives_its_output_its_exit_code_and_its_file() {
    let Some(engine) = engine("a_command_gives_its_output").await else { return };
    let mut sandbox = plain(&engine).await;
    sandbox.mkdir("/app", 0o755).await.expect("a folder");
    sandbox.write("/app/question.txt", 0o644, "42?\n".repeat(50_000).as_bytes()).await.expect("a file");
    let (exit, said) =
        run(&mut sandbox, &shell("wc -c < /app/question.txt; printf 42 > /app/answer.txt; exit 3")).await;
    assert_eq!((exit.code, exit.signal, exit.timed_out), (Some(3), None, false));
    assert_eq!(said, "200000\n");
    assert_eq!(sandbox.read(ANSWER, 100).await.expect("read"), File::Regular(b"42".to_vec()));
    assert_eq!(sandbox.read(ANSWER, 1).await.expect("read"), File::Other(Found::TooLarge));
    sandbox.close().await.expect("closed");
    sandbox.close().await.expect("closing twice is fine");
}

#[tokio::test]
async fn only_one_regular_file_reached_without_a_link_is_an_answer() {
    let Some(engine) = engine("only_one_regular_file").await else { return };
    let table = [
        ("true", Found::Missing),
        ("ln -s /etc/passwd /app/answer.txt", Found::SymbolicLink),
        ("ln -s nowhere /app/answer.txt", Found::SymbolicLink),
        ("ln -s answer.txt /app/answer.txt", Found::SymbolicLink),
        ("rmdir /app; mkdir /real; echo x > /real/answer.txt; ln -s /real /app", Found::SymbolicLink),
        ("rmdir /app; ln -s / /app; echo x > /answer.txt", Found::SymbolicLink),
        ("rmdir /app; echo x > /app", Found::Missing),
        ("echo x > /app/real; ln /app/real /app/answer.txt", Found::HardLink),
        ("mkdir /app/answer.txt", Found::Directory),
        ("mkfifo /app/answer.txt", Found::Fifo),
        ("python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('/app/answer.txt')\"", Found::Socket),
        ("truncate -s 1T /app/answer.txt", Found::TooLarge),
    ];
    for (line, expected) in table {
        let mut sandbox = plain(&engine).await;
        sandbox.mkdir("/app", 0o755).await.expect("a folder");
        let (exit, said) = run(&mut sandbox, &shell(line)).await;
        assert_eq!(exit.code, Some(0), "the attack itself works: {line}: {said}");
        let started = Instant::now();
        assert_eq!(sandbox.read(ANSWER, 1 << 20).await.expect("read"), File::Other(expected), "{line}");
        // The same through the engine's archive call, once the supervisor is gone; a link in it has no count there.
        sandbox.out_of_memory().await.expect("stopped");
        let expected = match expected {
            Found::HardLink => File::Regular(b"x\n".to_vec()),
            other => File::Other(other),
        };
        let read = sandbox.read(ANSWER, 1 << 20).await;
        assert_eq!(read.unwrap_or_else(|e| panic!("archive: {line}: {e}")), expected, "archive: {line}");
        assert!(started.elapsed() < Duration::from_secs(20), "nothing blocks: {line}");
        sandbox.close().await.expect("closed");
    }
}

#[tokio::test]
async fn when_its_time_is_over_the_whole_process_tree_is_gone() {
    let Some(engine) = engine("the_whole_process_tree_is_gone").await else { return };
    let mut sandbox = plain(&engine).await;
    let line = "trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & \
                (sleep 0.5; ls -d /proc/[0-9]* | wc -l) ; while :; do sleep 1; done";
    let command = Command { timeout: Some(Duration::from_secs(2)), ..shell(line) };
    let started = Instant::now();
    let (exit, said) = run(&mut sandbox, &command).await;
    assert!(exit.timed_out, "{exit:?}");
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
    let alive: u32 = said.trim().parse().expect("the count of processes before the time was over");
    assert!(alive >= 4, "supervisor, shell, grandchild and its sleep were alive: {said}");
    // What is left now: the supervisor, this shell and `ls`.
    let (_, said) = run(&mut sandbox, &shell("ls -d /proc/[0-9]*; cat /proc/[0-9]*/comm")).await;
    assert!(!said.contains("sleep"), "{said}");
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn a_background_child_that_holds_the_output_does_not_hold_the_run() {
    let Some(engine) = engine("a_background_child").await else { return };
    let mut sandbox = plain(&engine).await;
    let started = Instant::now();
    let (exit, said) = run(&mut sandbox, &shell("sleep 300 & echo done")).await;
    assert_eq!((exit.code, said.as_str()), (Some(0), "done\n"));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let (_, said) = run(&mut sandbox, &shell("cat /proc/[0-9]*/comm")).await;
    assert!(!said.contains("sleep"), "{said}");
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn hostile_agents_hit_their_limits_and_nothing_else() {
    let Some(engine) = engine("hostile_agents_hit_their_limits").await else { return };
    let limits = Limits { memory_mb: 64, cpus: 1.0, pids: 64 };
    // A flood of output is counted and dropped.
    let mut sandbox = open(&engine, ImageSource::Named(BASE.to_owned()), limits).await;
    let flood = Command { timeout: Some(Duration::from_secs(2)), output_cap: 100_000, ..shell("yes") };
    let (exit, said) = run(&mut sandbox, &flood).await;
    assert!(exit.timed_out && said.len() == 100_000 && exit.output > 1_000_000, "{exit:?} {}", said.len());
    assert_eq!(exit.dropped, exit.output - 100_000);
    // A fork bomb ends with its time.
    let bomb = Command { timeout: Some(Duration::from_secs(2)), ..shell("b() { b | b & }; b; sleep 60") };
    let (exit, _) = run(&mut sandbox, &bomb).await;
    assert!(exit.timed_out || exit.code.is_some(), "{exit:?}");
    let (exit, said) = run(&mut sandbox, &shell("echo still here")).await;
    assert_eq!((exit.code, said.as_str()), (Some(0), "still here\n"));
    // Memory: the process is killed, the engine says so, and the answer from before is still read.
    let eat = "mkdir -p /app; echo early > /app/answer.txt; python3 -c 'x = bytearray(200 << 20)'";
    let (exit, _) = run(&mut sandbox, &shell(eat)).await;
    assert_ne!(exit.code, Some(0), "{exit:?}");
    assert_eq!(sandbox.read(ANSWER, 100).await.expect("read"), File::Regular(b"early\n".to_vec()));
    assert!(sandbox.out_of_memory().await.expect("the engine knows"));
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn an_agent_that_is_root_can_neither_read_nor_trace_nor_end_the_supervisor() {
    let Some(engine) = engine("the_supervisor_is_out_of_reach").await else { return };
    let mut sandbox = plain(&engine).await;
    let line = "id -u; echo forged > /proc/1/fd/1 || echo no write; cat /proc/1/environ || echo no environ; \
                head -c 1 /proc/1/mem || echo no memory; kill -9 1; kill -STOP 1; kill -TERM 1; \
                echo x > /.seatrial/supervisor || echo no overwrite; grep CapEff /proc/self/status; \
                python3 -c \"import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\" || echo no raw";
    let (exit, said) = run(&mut sandbox, &shell(line)).await;
    assert_eq!(exit.code, Some(0), "{said}");
    assert!(said.starts_with("0\n"), "it is root: {said}");
    for refused in ["no write", "no environ", "no memory", "no overwrite", "no raw"] {
        assert!(said.contains(refused), "{refused} is missing in: {said}");
    }
    let (_, said) = run(&mut sandbox, &shell("ls /sys/class/net; mknod /tmp/x b 8 0 || echo no device")).await;
    assert!(said.starts_with("lo\n") && said.contains("no device"), "{said}");
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn an_agent_can_change_nobodys_limits_and_share_of_the_processor_but_its_own() {
    let Some(engine) = engine("an_agent_can_change_nobodys_limits").await else { return };
    let mut sandbox = plain(&engine).await;
    let script = "
import os, resource, ctypes
def refused(what, call):
    try: call()
    except PermissionError: print('refused', what)
    else: print('ALLOWED', what)
resource.prlimit(0, resource.RLIMIT_CPU, (50, 50)); os.sched_setaffinity(0, {0}); os.nice(1); print('own')
for pid in [1] + [int(t) for t in os.listdir('/proc/1/task')]:
    refused(f'limit {pid}', lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)))
    refused(f'policy {pid}', lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    refused(f'affinity {pid}', lambda: os.sched_setaffinity(pid, {0}))
    refused(f'nice {pid}', lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
refused('group', lambda: os.setpriority(os.PRIO_PGRP, 1, 19))
refused('user', lambda: os.setpriority(os.PRIO_USER, 0, 19))
";
    let command = Command { argv: ["python3", "-c", script].map(str::to_owned).to_vec(), ..shell("") };
    let (exit, said) = run(&mut sandbox, &command).await;
    assert_eq!(exit.code, Some(0), "{said}");
    assert!(said.contains("own\n") && said.matches("refused").count() >= 6, "the attacks were tried: {said}");
    assert!(!said.contains("ALLOWED"), "{said}");
    let (exit, said) = run(&mut sandbox, &shell("echo alive; nice -n 5 sh -c 'timeout 5 true' && echo fine")).await;
    assert_eq!((exit.code, said.as_str()), (Some(0), "alive\nfine\n"));
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn users_folders_and_environment_are_the_commands_own() {
    let Some(engine) = engine("users_folders_and_environment").await else { return };
    let mut sandbox = plain(&engine).await;
    let mut command = shell("id -u; id -g; pwd; echo $HOME $COLOR; mkdir /x 2>/dev/null || echo refused");
    command.user = Some("nobody".to_owned());
    command.cwd = Some("/tmp".to_owned());
    command.env = vec![("COLOR".to_owned(), "blue = sea".to_owned())];
    let (_, said) = run(&mut sandbox, &command).await;
    assert_eq!(said, "65534\n65534\n/tmp\n/nonexistent blue = sea\nrefused\n");
    command.user = Some("1234:56".to_owned());
    let (_, said) = run(&mut sandbox, &command).await;
    assert!(said.starts_with("1234\n56\n"), "{said}");
    let missing = Command { argv: vec!["no-such-shell".to_owned()], ..shell("") };
    let error = sandbox.run(&missing, &mut |_| {}).await.expect_err("nothing to start");
    assert!(matches!(&error, Error::Refused(why) if why.contains("start `no-such-shell`")), "{error}");
    command.user = Some("somebody".to_owned());
    let error = sandbox.run(&command, &mut |_| {}).await.expect_err("no such user");
    assert!(matches!(&error, Error::Refused(why) if why.contains("somebody")), "{error}");
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn an_images_own_entrypoint_never_runs_and_an_image_needs_nothing() {
    let Some(engine) = engine("an_images_own_entrypoint_never_runs").await else { return };
    let suite = support::Suite::new();
    let build = |name: &str, text: &str| {
        suite.write(&format!("{name}/Dockerfile"), text);
        let context = suite.join(name);
        ImageSource::Built { context, timeout: Duration::from_secs(120), base: None, force: false }
    };
    for (name, line) in [
        ("a", "ENTRYPOINT [\"/bin/bash\"]"),
        ("b", "ENTRYPOINT [\"false\"]\nCMD [\"true\"]"),
        ("c", "ENTRYPOINT exec top"),
        ("d", "HEALTHCHECK CMD touch /checked\nUSER nobody\nWORKDIR /tmp\nENV A=b"),
    ] {
        let image = build(name, &format!("FROM {BASE}\n{line}\n"));
        let mut sandbox = open(&engine, image, Limits::default()).await;
        let (exit, said) = run(&mut sandbox, &shell("echo up $(id -u) $(pwd) $A")).await;
        let expected = if name == "d" { "up 65534 /tmp b\n" } else { "up 0 /\n" };
        assert_eq!((exit.code, said.as_str()), (Some(0), expected), "{line}");
        sandbox.close().await.expect("closed");
    }
    suite.write("empty/file.txt", "x");
    let image = build("empty", "FROM scratch\nCOPY file.txt /app/answer.txt\n");
    let mut sandbox = open(&engine, image, Limits::default()).await;
    let error = sandbox.run(&shell("true"), &mut |_| {}).await.expect_err("there is no shell");
    assert!(matches!(&error, Error::Refused(why) if why.contains("start `sh`")), "{error}");
    assert_eq!(sandbox.read(ANSWER, 100).await.expect("read"), File::Regular(b"x".to_vec()));
    sandbox.close().await.expect("closed");
}

#[tokio::test]
async fn a_command_that_does_not_fit_into_a_frame_is_refused_in_words() {
    let Some(engine) = engine("a_command_that_does_not_fit").await else { return };
    let mut sandbox = plain(&engine).await;
    let long = shell(&format!(": {}", "x".repeat(2 << 20)));
    let error = sandbox.run(&long, &mut |_| {}).await.expect_err("too long");
    assert!(matches!(&error, Error::Refused(why) if why.contains("more than 1 MiB")), "{error}");
    let (exit, _) = run(&mut sandbox, &shell("true")).await;
    assert_eq!(exit.code, Some(0), "the sandbox is as it was");
    sandbox.close().await.expect("closed");
}
