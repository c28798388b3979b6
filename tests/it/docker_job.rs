//! Whole jobs through the real binary on a real Docker engine. The agent's line runs the task's instruction as a
//! script, so that each task can be another agent.

use crate::support::{self, Run, Suite, project};
use crate::tiny::{self, ledger, trial, wait_for};
use seatrial::results::OutcomeKind::{self, AgentError, AgentTimeout, Limit, NoAnswer, Scored};
use seatrial::sandbox::docker::BASE;
use std::process::{Child, Command, Stdio};

/// Runs the file that the variable names.
const SCRIPT: &str = ". \"$SEATRIAL_INSTRUCTION\"";

/// What the engine's own client says.
fn docker(args: &[&str]) -> String {
    let out = Command::new("docker").args(args).output().expect("the engine's client is installed");
    assert!(out.status.success(), "docker {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8").trim().to_owned()
}

/// What the engine's own client says, where it may fail.
fn inspect(args: &[&str]) -> Result<String, String> {
    let out = Command::new("docker").arg("inspect").args(args).output().expect("the engine's client is installed");
    let text = |bytes| String::from_utf8_lossy(bytes).trim().to_owned();
    if out.status.success() { Ok(text(&out.stdout)) } else { Err(text(&out.stderr)) }
}

/// The ids of a job's containers; `more` are further filters.
fn containers(job: &str, more: &[&str]) -> Vec<String> {
    let filter = format!("label=dev.seatrial.job={job}");
    let args = [&["ps", "-aq", "--no-trunc", "--filter", &filter], more].concat();
    docker(&args).split_whitespace().map(str::to_owned).collect()
}

/// A name that no other run of the tests has: the engine is shared.
pub fn unique(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

/// A task whose agent is this script.
fn script(suite: &Suite, name: &str, script: &str, more: &str) {
    tiny::task(suite, name, BASE, more);
    let script = format!("mkdir -p /app 2>/dev/null\n{script}");
    suite.write(&format!("tasks/{name}/instruction.md"), script);
}

fn run(suite: &Suite, job: &str, more: &[&str]) -> Run {
    suite.run(&[&["run", "tasks", "--command", SCRIPT, "--job-name", job, "-q"], more].concat())
}

fn start(suite: &Suite, job: &str, more: &[&str]) -> Child {
    let args = [&["run", "tasks", "--command", SCRIPT, "--job-name", job, "-q"], more].concat();
    suite.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// What the agent of a task has written.
fn said(suite: &Suite, job: &str, task: &str) -> String {
    let name = trial(&suite.join(&format!("jobs/{job}")), task).trial.name;
    suite.read(&format!("jobs/{job}/{name}/agent/command.txt"))
}

#[tokio::test]
async fn the_oracle_solves_the_shipped_tasks_with_one_image_build_and_none_the_second_time() {
    if support::docker("the_oracle_solves_the_shipped_tasks").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let vendor = project().join("vendor").display().to_string();
    suite.run(&["generate", "--vendor", &vendor, "-o", "tasks", "--limit", "3"]).expect_code(0);
    for entry in std::fs::read_dir(suite.join("tasks")).expect("tasks") {
        let file = entry.expect("a task").path().join("environment/Dockerfile");
        let text = std::fs::read_to_string(&file).expect("a Dockerfile");
        std::fs::write(&file, format!("{text}\nLABEL test={}\n", unique("oracle"))).expect("an image of our own");
    }
    let args = |job: &'static str, agent: &'static str| {
        let more = ["-n", "3", "--network", "no-network", "--job-name", job, "-a", agent];
        [&["run", "tasks", "--vendor", &vendor], &more[..]].concat()
    };
    let built =
        |run: &Run| run.stderr.lines().filter(|line| line.starts_with("image ") && line.contains("ready")).count();
    let one = suite.run(&args("one", "oracle")).expect_code(0);
    let two = suite.run(&args("two", "oracle")).expect_code(0);
    let none = suite.run(&args("none", "nop")).expect_code(0);
    let images: serde_json::Value = serde_json::from_str(&suite.read("jobs/one/seatrial.json")).expect("JSON");
    let images = images["observed"]["images"].as_array().expect("a list");
    docker(&["rmi", images[0]["tag"].as_str().expect("a tag")]);
    assert_eq!((images.len(), built(&one), built(&two)), (1, 1, 0), "{}\n{}", one.stderr, two.stderr);
    for (job, outcome, reward) in [("one", Scored, 1.0), ("two", Scored, 1.0), ("none", NoAnswer, 0.0)] {
        let ends: Vec<_> =
            ledger(&suite.join(&format!("jobs/{job}"))).into_values().map(|r| (r.outcome, r.reward)).collect();
        assert_eq!(ends, [(outcome, Some(reward)); 3], "{job}");
    }
    assert!(none.stdout.contains("no answer 3"), "{}", none.stdout);
}

/// Agents as scripts: the task's name, more of its `task.toml`, the script, and how its trial ends.
const AGENTS: [(&str, &str, &str, OutcomeKind, f64); 18] = [
    ("right", "", "grep -q many \"$SEATRIAL_INSTRUCTION\" # how many?\necho 42 > /app/answer.txt", Scored, 1.0),
    ("wrong", "", "echo 41 > /app/answer.txt", Scored, 0.0),
    ("silent", "", "echo nothing to say", NoAnswer, 0.0),
    ("host-link", "", "ln -s /etc/passwd /app/answer.txt", NoAnswer, 0.0),
    ("root-link", "", "rm -rf /app && ln -s / /app && echo 42 > /answer.txt", NoAnswer, 0.0),
    ("breaks", "", "echo 42 > /app/answer.txt; exit 7", AgentError, 1.0),
    ("late", "[agent]\ntimeout_sec = 1", TREE, AgentTimeout, 1.0),
    ("greedy", "memory_mb = 64", "python3 -c 'x = bytearray(200 << 20)'", Limit, 0.0),
    ("leaves-a-child", "", "echo 42 > /app/answer.txt; sleep 300 & echo done", Scored, 1.0),
    ("no-network", "", "ls /sys/class/net; echo 42 > /app/answer.txt", Scored, 1.0),
    ("limits", "memory_mb = 96\ncpus = 0.5", LIMITS, Scored, 1.0),
    (
        "user",
        "workdir = \"/tmp\"\nenv = { COLOR = \"${SEATRIAL_TEST_COLOR:-blue}\" }\n[agent]\nuser = \"nobody\"",
        USER,
        NoAnswer,
        0.0,
    ),
    ("My Task", "", "echo 42 > /app/answer.txt", Scored, 1.0),
    ("日本", "", "echo 42 > /app/answer.txt", Scored, 1.0),
    ("a.b", "", "echo 42 > /app/answer.txt", Scored, 1.0),
    ("a_b", "", "echo 42 > /app/answer.txt", Scored, 1.0),
    ("-x", "", "echo 42 > /app/answer.txt", Scored, 1.0),
    ("cheats", "", CHEAT, Scored, 0.0),
];

/// Ignores TERM, as does a grandchild with a session of its own.
const TREE: &str = "echo 42 > /app/answer.txt; trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' &\n\
                    while :; do sleep 1; done";
const LIMITS: &str = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null\n\
                      cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null\n\
                      cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2>/dev/null\n\
                      echo 42 > /app/answer.txt";
const USER: &str = "id -un; pwd; echo $COLOR; touch /app/answer.txt 2>/dev/null || true";
/// Writes every file that a verifier might believe, and leaves a wrong answer.
const CHEAT: &str = "mkdir -p /logs/verifier /tests; echo 1 > /logs/verifier/reward.txt\n\
                     echo '{\"reward\": 1}' | tee /logs/verifier/reward.json /tests/reward.json /app/score.json\n\
                     echo 41 > /app/answer.txt";

#[tokio::test]
async fn each_agent_gets_what_its_task_says_and_ends_as_what_it_did() {
    if support::docker("each_agent_gets_what_its_task_says").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let job = unique("agents");
    for (name, more, text, ..) in AGENTS {
        script(&suite, name, text, more);
    }
    let long = "long-".repeat(40);
    script(&suite, &long, "echo 42 > /app/answer.txt", "");
    let ran = run(&suite, &job, &["-n", "4"]).expect_code(0);
    let dir = suite.join(&format!("jobs/{job}"));
    for (name, _, _, outcome, reward) in AGENTS.into_iter().chain([(&*long, "", "", Scored, 1.0)]) {
        let record = trial(&dir, name);
        assert_eq!((record.outcome, record.reward), (outcome, Some(reward)), "{name}: {record:#?}");
    }
    assert!(ran.stdout.contains("日本") && ran.stdout.contains("My Task"), "{}", ran.stdout);
    assert_eq!(said(&suite, &job, "no-network"), "lo\n");
    assert_eq!(said(&suite, &job, "leaves-a-child"), "done\n");
    assert_eq!(said(&suite, &job, "user"), "nobody\n/tmp\nblue\n");
    let limits = said(&suite, &job, "limits");
    let lines: Vec<&str> = limits.lines().collect();
    assert_eq!(lines[..2], ["100663296", "256"], "96 MiB and the default number of processes: {limits}");
    assert!(lines[2].starts_with("50000"), "half a processor: {limits}");
    assert!(trial(&dir, "late").agent_run.is_some_and(|run| run.timed_out && run.seconds < 8.0));
    let host = std::fs::read("/etc/passwd").expect("the host's users");
    let found = crate::mini::tree(&dir).into_values().any(|bytes| !host.is_empty() && bytes == host);
    assert!(!found, "no byte of a file of this machine is in the results");
    assert_eq!(containers(&job, &[]), Vec::<String>::new(), "nothing is left in the engine");
}

#[tokio::test]
async fn the_key_is_never_in_an_agents_container_and_a_secret_never_on_disk() {
    if support::docker("the_key_is_never_in_an_agents_container").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let job = unique("canary");
    // The marker is in two parts in the script, so that the script itself isn't found.
    let line = "grep -rlsI 'CANARY''-93' / --exclude-dir=proc --exclude-dir=sys && echo FOUND\n\
                cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep 'CANARY''-93' && echo FOUND\n\
                [ \"$FOO\" = sk-live-1 ] && [ \"$COOKIE\" = cookie-7f ] && [ \"$FROM_HOST\" = host-7f ] && echo HAS THEM\n\
                echo looked; until [ -e /tmp/go ]; do sleep 0.05; done; echo 42 > /app/answer.txt";
    script(&suite, "canary", line, "env = { FROM_HOST = \"${SEATRIAL_TEST_SECRET}\" }");
    suite.write("tasks/canary/tests/rubric.txt", "CANARY-93").write("tasks/canary/solution/notes.md", "CANARY-93");
    suite.write(
        "tasks/canary/tests/case.json",
        r#"{"input": "What is it?", "ground_truth": "42", "note": "CANARY-93"}"#,
    );
    let args = ["--ae", "FOO=sk-live-1", "--ae", "COOKIE=cookie-7f", "--ae", "AUTHORIZATION=auth-7f"];
    let args = [&["run", "tasks", "--command", SCRIPT, "--job-name", &job], &args[..]].concat();
    let mut command = suite.command(&args);
    let child = command.env("SEATRIAL_TEST_SECRET", "host-7f").stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it starts");
    let id = wait_for("the agent's look around", || {
        let log = std::fs::read_dir(suite.join(&format!("jobs/{job}"))).ok()?.flatten();
        let log = log.map(|entry| entry.path().join("agent/command.txt")).find(|path| path.exists())?;
        std::fs::read_to_string(log).ok()?.contains("looked").then(|| containers(&job, &[]).pop())?
    });
    let inspect = docker(&["inspect", &id]);
    docker(&["exec", &id, "touch", "/tmp/go"]);
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let output = said(&suite, &job, "canary");
    assert!(output.contains("HAS THEM") && !output.contains("FOUND"), "{output}");
    let files = crate::mini::tree(&suite.join("jobs"));
    for marker in ["CANARY-93", "sk-live-1", "cookie-7f", "auth-7f", "host-7f"] {
        assert!(!inspect.contains(marker), "`{marker}` in the engine's words: {inspect}");
        let kept = files.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(marker));
        let kept: Vec<_> = kept.map(|(path, _)| path).collect();
        assert!(kept.is_empty(), "`{marker}` in {kept:?}");
    }
    let inspect: serde_json::Value = serde_json::from_str(&inspect).expect("JSON");
    let host = &inspect[0]["HostConfig"];
    assert_eq!(host["LogConfig"]["Type"], "none", "an agent's flood is not kept by the engine");
    assert_eq!((&host["NetworkMode"], &host["Privileged"]), (&"none".into(), &false.into()));
    assert_eq!(host["CapDrop"], serde_json::json!(["ALL"]));
    assert_eq!(host["SecurityOpt"], serde_json::json!(["no-new-privileges"]));
    assert_eq!(inspect[0]["Config"]["Labels"]["dev.seatrial.job"], job.as_str());
}

#[tokio::test]
async fn a_public_task_has_the_engines_bridge_and_asking_for_less_is_fine() {
    if support::docker("a_public_task_has_the_engines_bridge").await.is_none() {
        return;
    }
    let suite = Suite::new();
    script(&suite, "public", "ls /sys/class/net; echo 42 > /app/answer.txt", "");
    let toml = suite.read("tasks/public/task.toml").replace("no-network", "public");
    suite.write("tasks/public/task.toml", toml);
    let (open, closed) = (unique("open"), unique("closed"));
    run(&suite, &open, &[]).expect_code(0);
    run(&suite, &closed, &["--network", "no-network"]).expect_code(0);
    assert!(said(&suite, &open, "public").contains("eth0\n"));
    assert_eq!(said(&suite, &closed, "public"), "lo\n");
}

#[tokio::test]
async fn a_build_that_fails_names_its_dockerfile_shows_its_log_and_is_not_tried_for_ever() {
    if support::docker("a_build_that_fails_names_its_dockerfile").await.is_none() {
        return;
    }
    let suite = Suite::new();
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\n");
    let job = unique("unbuildable");
    for name in ["a", "b", "c"] {
        tiny::task(&suite, name, BASE, "");
        let toml = suite.read(&format!("tasks/{name}/task.toml")).replace(&format!("docker_image = \"{BASE}\"\n"), "");
        suite.write(&format!("tasks/{name}/task.toml"), toml);
        let text = format!("FROM {BASE}\nRUN echo the pump is dry $(date +%N) && exit 3\n");
        suite.write(&format!("tasks/{name}/environment/Dockerfile"), text);
    }
    let ran = suite.run(&["run", "tasks", "-a", "nop", "--job-name", &job, "-n", "3"]).expect_code(3);
    assert!(
        ran.stdout.contains("0 of 0 trials with a reward pass") && ran.stdout.contains("fault 3"),
        "{}",
        ran.stdout
    );
    let record = trial(&suite.join(&format!("jobs/{job}")), "b");
    let message = record.fault.expect("a fault").message;
    assert!(message.contains("from `tasks/b/environment/Dockerfile`\n"), "{message}");
    assert!(message.contains("returned a non-zero code: 3"), "{message}");
    assert!(message.contains("\n  | the pump is dry"), "{message}");
    let builds = suite.read(&format!("jobs/{job}/job.log")).matches(": being made").count();
    assert_eq!(builds, 3, "three tries for all tasks that share the Dockerfile, not three for each trial");
    assert!(!ran.stderr.contains("the pump is dry\n"), "one line for a fault: {}", ran.stderr);
}

#[tokio::test]
async fn a_base_image_that_the_user_names_is_that_one_or_none() {
    if support::docker("a_base_image_that_the_user_names").await.is_none() {
        return;
    }
    let suite = Suite::new();
    suite.write("harbor.yml", "retry: {min_wait_sec: 0.01}\n");
    let job = unique("base-wrong");
    tiny::task(&suite, "a", BASE, "");
    let toml = suite.read("tasks/a/task.toml").replace(&format!("docker_image = \"{BASE}\"\n"), "");
    suite.write("tasks/a/task.toml", toml);
    suite.write("tasks/a/environment/Dockerfile", "ARG BASE_IMAGE=python:3.12-slim\nFROM ${BASE_IMAGE}\n");
    let wrong = ["run", "tasks", "-a", "nop", "--job-name", &job, "-r", "0", "--base-image", "no.such/base:42"];
    let ran = suite.run(&wrong).expect_code(3);
    assert!(ran.stdout.contains("`no.such/base:42` is not in the engine"), "{}", ran.stdout);
    // Without one, the local base stands in for what can't be pulled, and one calm line says so.
    let job = unique("base-instead");
    for name in ["a", "b"] {
        suite.write(&format!("tasks/{name}/task.toml"), suite.read("tasks/a/task.toml"));
        suite.write(&format!("tasks/{name}/instruction.md"), "How many?\n");
        suite.write(&format!("tasks/{name}/tests/case.json"), r#"{"input": "How many?", "ground_truth": "42"}"#);
        let file = format!("ARG BASE_IMAGE=registry.invalid/base:42\nFROM ${{BASE_IMAGE}}\nRUN echo {name}\n");
        suite.write(&format!("tasks/{name}/environment/Dockerfile"), file);
    }
    let ran = suite.run(&["run", "tasks", "-a", "nop", "--job-name", &job]).expect_code(0);
    let said: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("registry.invalid")).collect();
    let line = "images are built on the local base `seatrial-base:local`, since `registry.invalid/base:42` can't be pulled \
        here (`docker pull` says why)";
    assert_eq!(said, [line], "{}", ran.stderr);
    let job = unique("base-right");
    suite.run(&["run", "tasks", "-a", "nop", "--job-name", &job, "--base-image", BASE]).expect_code(0);
    let record = suite.read(&format!("jobs/{job}/seatrial.json"));
    assert!(record.contains("\"base_images\": [\n      {\n        \"tag\": \"seatrial-base:local\""), "{record}");
}

#[tokio::test]
async fn after_kill_9_the_job_goes_on_to_its_end_and_leaves_nothing_in_the_engine() {
    if support::docker("after_kill_9_the_job_goes_on").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let job = unique("killed");
    for i in 0..4 {
        script(&suite, &format!("t-{i}"), "echo up; sleep 1.5; echo 42 > /app/answer.txt", "");
    }
    let foreign = docker(&["run", "-d", "--rm", "--label", "dev.other=1", "--network", "none", BASE, "sleep", "60"]);
    let mut child = start(&suite, &job, &["-n", "2"]);
    wait_for("two running containers", || (containers(&job, &["--filter", "status=running"]).len() == 2).then_some(()));
    child.kill().expect("killed");
    child.wait().expect("gone");
    // Their processes end by themselves: the supervisor hears that its runner is gone.
    wait_for("the end of what ran", || containers(&job, &["--filter", "status=running"]).is_empty().then_some(()));
    // Another run may be starting at this moment and remove them: what is still there must have been named.
    let would = suite.run(&["clean", "--dry-run"]).expect_code(0).stdout;
    for id in containers(&job, &[]) {
        let Ok(name) = inspect(&["--format", "{{.Name}}", &id]) else { continue };
        let line = format!("container {} of job {job}\n", name.trim_start_matches('/'));
        assert!(would.contains(&line), "{line} in: {would}");
    }

    let dir = format!("jobs/{job}");
    suite.run(&["resume", &dir, "-q"]).expect_code(0);
    let ends: Vec<_> = ledger(&suite.join(&dir)).into_values().map(|record| record.reward).collect();
    let still_there =
        docker(&["ps", "-q", "--no-trunc", "--filter", "label=dev.other=1", "--filter", "status=running"]);
    docker(&["rm", "-f", &foreign]);
    assert_eq!(ends, [Some(1.0); 4]);
    assert!(still_there.contains(&foreign), "what is not ours is left alone");
    assert_eq!(containers(&job, &[]), Vec::<String>::new());
}

#[tokio::test]
async fn ctrl_c_ends_what_runs_in_the_engine_at_once() {
    if support::docker("ctrl_c_ends_what_runs_in_the_engine").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let job = unique("interrupted");
    script(&suite, "sleeper", "trap '' TERM INT; while :; do sleep 1; done", "");
    let child = start(&suite, &job, &[]);
    wait_for("a running container", || containers(&job, &["--filter", "status=running"]).pop());
    let asked = std::time::Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .expect("sent");
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(asked.elapsed().as_secs() < 10, "{:?}", asked.elapsed());
    assert_eq!(containers(&job, &[]), Vec::<String>::new());
}
