//! The `Suite` builder: a scratch directory and the real binary run in it, with everything that it said.
#![expect(clippy::print_stderr, reason = "a skip is said where the test runs")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A scratch directory in which the real binary is run.
pub struct Suite {
    dir: tempfile::TempDir,
}

/// What one run of the binary gave.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Suite {
    pub fn new() -> Suite {
        Suite { dir: tempfile::tempdir().expect("a scratch directory") }
    }

    /// The same in memory, where there is such a place: for tests that sync much, on a disk that others use too.
    pub fn in_memory() -> Suite {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Suite { dir: dir.expect("a scratch directory") }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn join(&self, rel: &str) -> PathBuf {
        self.dir.path().join(rel)
    }

    /// Writes a file, with its parents.
    pub fn write(&self, rel: &str, text: impl AsRef<[u8]>) -> &Suite {
        let path = self.join(rel);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("parents");
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("write {rel}: {e}"));
        self
    }

    pub fn read(&self, rel: &str) -> String {
        std::fs::read_to_string(self.join(rel)).unwrap_or_else(|e| panic!("read {rel}: {e}"))
    }

    /// The command that runs the binary here, for tests that need the child itself.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_seatrial"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null());
        // What one test has judged is nothing to another one.
        command.env("XDG_CACHE_HOME", self.join("cache"));
        command
    }

    /// Runs the binary here and waits.
    pub fn run(&self, args: &[&str]) -> Run {
        let out = self.command(args).output().expect("the binary starts");
        Run {
            code: out.status.code(),
            stdout: String::from_utf8(out.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(out.stderr).expect("stderr is UTF-8"),
        }
    }
}

impl Run {
    /// Fails the test, with everything said, unless the exit code is `code`.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Run {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// The project's own folder.
pub fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of shared facts beside the project, where there is one; else says which test is skipped.
pub fn shared(test: &str) -> Option<PathBuf> {
    let dir = project().join("../shared");
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED {test}: ../shared (more data for tests that isn't part of the project) is not there");
    None
}

/// The Docker engine, where one answers. In CI one must; elsewhere a skip is said. Leaves a line in
/// `target/docker-tests`, so that the test script can say how many tests really used an engine.
pub async fn docker(test: &str) -> Option<seatrial::sandbox::docker::Engine> {
    match seatrial::sandbox::docker::Engine::connect(std::env::var("DOCKER_HOST").ok()).await {
        Ok(engine) => {
            let target = project().join("target");
            std::fs::create_dir_all(&target).expect("the folder for the proof can be made");
            let proof = target.join("docker-tests");
            let file = std::fs::OpenOptions::new().create(true).append(true).open(proof);
            let done = file.and_then(|mut f| std::io::Write::write_all(&mut f, format!("{test}\n").as_bytes()));
            done.expect("the proof of a Docker test can be written");
            Some(engine)
        }
        Err(error) if std::env::var_os("CI").is_some() => panic!("{test} needs a Docker engine in CI: {error}"),
        Err(error) => {
            eprintln!("SKIPPED {test}: {error}");
            None
        }
    }
}

/// A browser without a window.
pub struct Chromium(&'static str);

/// Chromium, where one is installed. In CI one must be (`script/test` installs it); elsewhere a skip is said.
pub fn chromium(test: &str) -> Option<Chromium> {
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    let answers = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let found = names.into_iter().find(answers).map(Chromium);
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{test} needs Chromium in CI, under one of the names {names:?}");
        eprintln!("SKIPPED {test}: there is no Chromium ({})", names.join(", "));
    }
    found
}

impl Chromium {
    /// Opens a page, pictures its first screen as `open.png`, and gives the processor time of it all in seconds, the
    /// browser's own start included. As one process, since a shell counts what it waits for; time on the clock is other
    /// programs' too. `None` where Chromium, which is not made for one process, ended before the picture.
    pub fn open_seconds(&self, suite: &Suite, page: &str) -> Option<f64> {
        let _ = std::fs::remove_file(suite.join("open.png"));
        let command = format!(
            "TIMEFORMAT='%U %S'; time {} --headless --no-sandbox --single-process --no-zygote --disable-gpu \
             --user-data-dir=chromium --screenshot=open.png --window-size=1280,1000 'file://{}' 2>chromium.log",
            self.0,
            suite.join(page).display()
        );
        let out = Command::new("bash").args(["-c", &command]).current_dir(suite.path()).output().expect("bash starts");
        let times = String::from_utf8(out.stderr).expect("UTF-8");
        // A shell may say above the times how a process died.
        let times: Vec<f64> = times.lines().last()?.split(' ').map(|time| time.parse().expect("seconds")).collect();
        suite.join("open.png").exists().then(|| times.iter().sum())
    }

    /// Runs it with these flags and gives what it wrote on standard output.
    #[track_caller]
    pub fn run(&self, suite: &Suite, args: &[&str]) -> String {
        let profile = format!("--user-data-dir={}", suite.join("chromium").display());
        // Its own sandbox does not start for root, and the page is ours.
        let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"];
        let out = Command::new(self.0).args(flags).arg(profile).args(args).output().expect("Chromium starts");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("UTF-8")
    }
}
