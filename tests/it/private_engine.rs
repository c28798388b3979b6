//! A Docker engine of our own that is killed while a job runs on it. It has its own folders, socket, network namespace
//! and containerd, so the machine's engine never notices. Needs root and `dockerd`; says that it is skipped elsewhere.

use crate::support::Suite;
use crate::tiny::{self, ledger, wait_for};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The private engine; when it is dropped, every process of it is ended, by its id.
struct Daemon {
    dir: tempfile::TempDir,
    child: Child,
}

impl Daemon {
    fn start() -> Daemon {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("run")).expect("a folder");
        std::fs::write(dir.path().join("config.json"), "{}").expect("a file");
        let child = spawn(dir.path());
        let daemon = Daemon { dir, child };
        daemon.wait_until_up();
        daemon
    }

    fn host(&self) -> String {
        format!("unix://{}", self.dir.path().join("docker.sock").display())
    }

    fn docker(&self, args: &[&str]) -> Option<String> {
        let out =
            Command::new("docker").args(["-H", &self.host()]).args(args).output().expect("the client is installed");
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    }

    fn wait_until_up(&self) {
        wait_for("the private engine", || self.docker(&["version"]));
    }

    /// Kills the engine and its containerd; what they had started lives on.
    fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        let file = self.dir.path().join("exec/containerd/containerd.pid");
        if let Some(pid) = std::fs::read_to_string(&file).ok().and_then(|text| pid(&text)) {
            // It ends with the engine; this makes it be gone before another is started.
            let _ = kill_process(pid, Signal::KILL);
            wait_for("the end of containerd", || test_kill_process(pid).is_err().then_some(()));
        }
        let _ = std::fs::remove_file(self.dir.path().join("pid"));
    }

    fn start_again(&mut self) {
        self.child = spawn(self.dir.path());
        self.wait_until_up();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Asked to end, it ends its containers and their helpers; whoever is left is ended by its id.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
        for pid in helpers(self.dir.path()) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn pid(text: &str) -> Option<Pid> {
    text.trim().parse().ok().and_then(Pid::from_raw)
}

/// Processes whose command line names the engine's folder.
fn helpers(dir: &Path) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = |pid: &Pid| {
        let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&format!("{}/exec", dir.display()))
    };
    entries.filter_map(|entry| pid(&entry.file_name().to_string_lossy())).filter(ours).collect()
}

fn spawn(dir: &Path) -> Child {
    let at = |name: &str| dir.join(name).display().to_string();
    // containerd's helpers meet at a fixed place: this engine has its own there. `exec` keeps the process id.
    let script = "mkdir -p /run/containerd && mount --bind \"$1\" /run/containerd && shift && exec dockerd \"$@\"";
    let log = std::fs::File::options().create(true).append(true).open(dir.join("log")).expect("a log");
    Command::new("unshare")
        .args(["-n", "-m", "--propagation", "private", "sh", "-c", script, "sh", &at("run")])
        .args(["--data-root", &at("root"), "--exec-root", &at("exec"), "--pidfile", &at("pid")])
        .args(["--host", &format!("unix://{}", at("docker.sock")), "--config-file", &at("config.json")])
        .args(["--bridge=none", "--iptables=false", "--ip6tables=false", "--storage-driver=vfs"])
        .args(["--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent=/seatrial-private"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("the private engine starts")
}

/// This machine's `sh` and `sleep` with what they load, as an image of a few megabytes.
fn import(daemon: &Daemon, suite: &Suite) {
    let root = suite.join("image");
    std::fs::create_dir_all(root.join("app")).expect("a folder");
    for program in ["/bin/sh", "/bin/sleep"] {
        let libraries = Command::new("ldd").arg(program).output().expect("ldd");
        let libraries = String::from_utf8_lossy(&libraries.stdout).into_owned();
        let paths = libraries.split_whitespace().filter(|word| word.starts_with('/'));
        for path in paths.chain([program]).map(PathBuf::from) {
            let target = root.join(path.strip_prefix("/").expect("an absolute path"));
            std::fs::create_dir_all(target.parent().expect("a parent")).expect("folders");
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
    let archive = suite.join("image.tar").display().to_string();
    let packed = Command::new("tar").args(["-C", &root.display().to_string(), "-cf", &archive, "."]).status();
    assert!(packed.expect("tar").success());
    daemon.docker(&["import", &archive, "tiny:1"]).expect("the image");
}

#[test]
fn an_engine_that_is_killed_makes_faults_and_no_zeros_and_the_job_ends_well() {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    if !rustix::process::geteuid().is_root() || !["dockerd", "docker", "unshare", "ldd"].into_iter().all(there) {
        eprintln!("SKIPPED an_engine_that_is_killed: needs root, dockerd, docker, unshare and ldd");
        return;
    }
    let suite = Suite::new();
    let mut daemon = Daemon::start();
    import(&daemon, &suite);
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\nseatrial: {engine_wait_sec: 60}\n");
    (0..4).for_each(|i| tiny::task(&suite, &format!("t-{i}"), "tiny:1", ""));
    let host = daemon.host();
    let start = |args: &[&str]| {
        let mut command = suite.command(args);
        let command = command.env("DOCKER_HOST", &host).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let run = |job: &str| {
        start(&["run", "tasks", "--command", "sleep 1; echo 42 > /app/answer.txt", "-n", "2", "--job-name", job])
    };
    let two_run = |daemon: &Daemon| {
        wait_for("two running containers", || (daemon.docker(&["ps", "-q"])?.lines().count() == 2).then_some(()))
    };
    let none_is_left = |daemon: &Daemon| assert_eq!(daemon.docker(&["ps", "-aq"]).as_deref(), Some(""));

    // Back in time: the job goes on by itself.
    let child = run("back");
    two_run(&daemon);
    daemon.kill();
    daemon.start_again();
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let ends = ledger(&suite.join("jobs/back"));
    assert!(ends.values().all(|end| end.reward == Some(1.0)), "{ends:#?}");
    assert!(ends.values().filter(|end| !end.earlier_faults.is_empty()).count() >= 2, "{ends:#?}");
    none_is_left(&daemon);

    // Not back in time: the job stops, nothing has a reward of 0, and it goes on when the engine is there again.
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\nseatrial: {engine_wait_sec: 0.5}\n");
    let child = run("gone");
    two_run(&daemon);
    daemon.kill();
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(4), "{}", String::from_utf8_lossy(&out.stderr));
    let ends = ledger(&suite.join("jobs/gone"));
    assert!(ends.values().all(|end| end.reward.is_none()), "{ends:#?}");
    daemon.start_again();
    let out = start(&["resume", "jobs/gone"]).wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let ends = ledger(&suite.join("jobs/gone"));
    assert!(ends.len() == 4 && ends.values().all(|end| end.reward == Some(1.0)), "{ends:#?}");
    none_is_left(&daemon);
}
