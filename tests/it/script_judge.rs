//! The judge `script` on a real Docker engine: Harbor's contract, in a container that holds nothing of the agent's but
//! its answer and what the task declares.

use crate::support::{self, Suite, project};
use crate::tiny::{self, trial};
use seatrial::judge::ScriptEnvironment::{Separate, Shared};
use seatrial::results::OutcomeKind::{self, AgentError, NoAnswer, Scored, Ungraded};
use seatrial::sandbox::docker::BASE;

/// Runs the file that the variable names.
const AGENT: &str = ". \"$SEATRIAL_INSTRUCTION\"";

/// A task with no key, whose agent runs `agent` and which `test` judges.
fn task(suite: &Suite, name: &str, head: &str, more: &str, agent: &str, test: &str) {
    tiny::task(suite, name, BASE, more);
    let toml = suite.read(&format!("tasks/{name}/task.toml"));
    suite.write(&format!("tasks/{name}/task.toml"), format!("{head}\n{toml}"));
    suite.write(&format!("tasks/{name}/instruction.md"), format!("mkdir -p /app\n{agent}\n"));
    std::fs::remove_file(suite.join(&format!("tasks/{name}/tests/case.json"))).expect("a key to take away");
    suite.write(&format!("tasks/{name}/tests/test.sh"), format!("#!/bin/sh\n{test}\n"));
}

/// Everything that an agent with a root shell can leave where a verifier looks.
const CHEAT: &str =
    "mkdir -p /tests /logs/verifier; echo '#!/bin/sh\necho 1 > /logs/verifier/reward.txt' > /tests/test.sh
echo 1 > /logs/verifier/reward.txt; echo '{\"reward\": 1}' > /logs/verifier/reward.json; chmod -R a+rwx /tests /logs
setsid sh -c 'while :; do echo 1 > /logs/verifier/reward.txt; sleep 0.1; done' >/dev/null 2>&1 &
printf '#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n' > /bin/grep; echo wrong > /app/answer.txt";

/// Says what is in the container, and judges the answer.
const JUDGE: &str = "echo looked at; ls /app /logs/verifier /tests; cat /logs/verifier/* 2>/dev/null
if grep -q 42 /app/answer.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt";

/// The task's name, what comes before and at the end of its `task.toml`, the agent, the test, and how the trial ends.
type Trial = (&'static str, &'static str, &'static str, &'static str, &'static str, OutcomeKind, Option<f64>);

/// Scripts of all kinds.
const TASKS: [Trial; 17] = [
    ("right", "", "", "echo 42 > /app/answer.txt", JUDGE, Scored, Some(1.0)),
    ("wrong", "", "", "echo 41 > /app/answer.txt", JUDGE, Scored, Some(0.0)),
    ("cheats", "artifacts = [\"/logs\", \"/tests\"]", "", CHEAT, JUDGE, Scored, Some(0.0)),
    (
        "artifacts",
        "artifacts = [\"/app/out\", { source = \"/app/one.txt\" }, \"/app/none\"]",
        "",
        "mkdir -p /app/out/deep; echo 1 > /app/out/deep/a; ln -s /etc/passwd /app/out/link; echo 2 > /app/one.txt; echo 3 > /app/two.txt",
        "ls -R /app; test -f /app/out/deep/a && test -f /app/one.txt && test ! -e /app/two.txt && test ! -e /app/out/link \
         && echo '{\"reward\": 0.75, \"files\": 2}' > /logs/verifier/reward.json",
        Scored,
        Some(0.75),
    ),
    ("breaks", "", "", "echo 42 > /app/answer.txt; exit 7", JUDGE, AgentError, Some(1.0)),
    (
        "exit-code",
        "",
        "",
        "echo 42 > /app/answer.txt",
        "echo 0.5 > /logs/verifier/reward.txt; exit 3",
        Scored,
        Some(0.5),
    ),
    (
        "no-reward",
        "",
        "[verifier]\nenv = { UP = \"${SEATRIAL_TEST_UP:-no}\" }",
        "echo 42 > /app/answer.txt",
        "echo $UP > /logs/verifier/up-$UP
test $UP = yes && echo 1 > /logs/verifier/reward.txt || echo the judge is down",
        Ungraded,
        None,
    ),
    ("bad-reward", "", "", "echo 42 > /app/answer.txt", "echo NaN > /logs/verifier/reward.txt", Ungraded, None),
    ("too-much", "", "", "echo 42 > /app/answer.txt", "echo 100 > /logs/verifier/reward.txt", Ungraded, None),
    ("linked", "", "", "echo 42 > /app/answer.txt", "ln -s /etc/hostname /logs/verifier/reward.txt", Ungraded, None),
    ("slow", "", "[verifier]\ntimeout_sec = 1", "true", "echo 1 > /logs/verifier/reward.txt; sleep 60", Ungraded, None),
    ("nobody", "", "[verifier]\nuser = \"no-such-user\"", "true", JUDGE, Ungraded, None),
    (
        "settings",
        "",
        "env = { COLOR = \"blue\" }\n[verifier]\nuser = \"nobody\"\nenv = { JUDGE_COLOR = \"${SEATRIAL_TEST_COLOR:-red}\" }",
        "env",
        "test \"$(id -un) $COLOR $JUDGE_COLOR\" = 'nobody blue red' && echo 1 > /logs/verifier/reward.txt",
        Scored,
        Some(1.0),
    ),
    ("interpreter", "", "", "echo 42 > /app/answer.txt", "exec python3 /tests/more.py", Scored, Some(1.0)),
    (
        "leaves",
        "",
        "",
        "mkdir -p /logs/verifier; echo agents > /logs/verifier/old; echo 42 > /app/answer.txt",
        "cd /logs/verifier; mkdir -p deep/er judgments; echo '{}' > ctrf.json; echo more > deep/er/report.txt
ln -s /etc/passwd link; mkfifo pipe; echo forged > verdict.json; echo forged > judgments/x; echo forged > test-stdout.txt
echo 0.5 > reward.txt; echo said",
        Scored,
        Some(0.5),
    ),
    (
        "leaves-too-much",
        "",
        "",
        "echo 42 > /app/answer.txt",
        "cd /logs/verifier; echo 1 > a.txt; dd if=/dev/zero of=b.bin bs=1M count=70 2>/dev/null; echo 1 > reward.txt",
        Scored,
        Some(1.0),
    ),
    ("greedy", "", "memory_mb = 64", "true", "exec python3 -c 'x = bytearray(200 << 20)'", Ungraded, None),
];

#[tokio::test]
async fn a_script_judges_what_the_agent_declared_and_nothing_else_of_it() {
    if support::docker("a_script_judges_what_the_agent_declared_and_nothing_else_of_it").await.is_none() {
        return;
    }
    let suite = Suite::new();
    for (name, head, more, agent, test, ..) in TASKS {
        task(&suite, name, head, more, agent, test);
    }
    suite.write("tasks/interpreter/tests/more.py", "open('/logs/verifier/reward.txt', 'w').write('1')");
    let job = format!("scripts-{}", std::process::id());
    let args = ["run", "tasks", "--command", AGENT, "--job-name", &job, "-q", "-n", "4"];
    suite.run(&args).expect_code(3);
    let dir = suite.join(&format!("jobs/{job}"));
    for (name, .., outcome, reward) in TASKS {
        let record = trial(&dir, name);
        assert_eq!(
            (record.outcome, record.reward),
            (outcome, reward),
            "{name}: {:?} {:?}",
            record.reason,
            record.verdict
        );
        assert_eq!(record.verifier_environment, (name != "nobody").then_some(Separate).or(record.verifier_environment));
        assert!(record.verdict.is_none_or(|verdict| verdict.judge == "script"), "{name}");
    }
    let kept = |name: &str, file: &str| suite.read(&format!("jobs/{job}/{}/{file}", trial(&dir, name).trial.name));
    assert_eq!(kept("artifacts", "artifacts/app/out/deep/a"), "1\n");
    assert_eq!(trial(&dir, "artifacts").verdict.expect("a verdict").numbers["files"], 2.0);
    assert_eq!(kept("no-reward", "verifier/test-stdout.txt"), "the judge is down\n");
    let files = |name: &str| -> Vec<String> {
        let folder = dir.join(&trial(&dir, name).trial.name).join("verifier");
        crate::mini::tree(&folder).into_keys().filter(|path| folder.join(path).is_file()).collect()
    };
    assert_eq!(
        files("leaves"),
        ["ctrf.json", "deep/er/report.txt", "reward.txt", "test-stdout.txt", "verdict.json"],
        "all that the script left, but links and special files; nothing of the agent's"
    );
    assert_eq!(kept("leaves", "verifier/deep/er/report.txt"), "more\n");
    assert_eq!(kept("leaves", "verifier/test-stdout.txt"), "said\n");
    assert!(kept("leaves", "verifier/verdict.json").contains("\"judge\": \"script\""), "ours is kept");
    assert_eq!(trial(&dir, "leaves-too-much").verifier_over.as_deref(), Some("/logs/verifier/b.bin"));
    assert_eq!(files("leaves-too-much"), ["a.txt", "reward.txt", "test-stdout.txt", "verdict.json"]);
    assert_eq!(files("no-reward"), ["test-stdout.txt", "up-no"]);
    let environment = kept("settings", "agent/command.txt");
    assert!(environment.contains("COLOR=blue") && !environment.contains("JUDGE_COLOR"), "{environment}");
    let looked = kept("cheats", "verifier/test-stdout.txt");
    assert_eq!(looked, "looked at\n/app:\nanswer.txt\n\n/logs/verifier:\n\n/tests:\ntest.sh\n");
    let reason = trial(&dir, "slow").reason.expect("a reason");
    assert_eq!(reason, "`tests/test.sh` ran longer than 1 s");

    // The judge is up again: what is ungraded is judged from what is stored, and the agent doesn't run again.
    let before = trial(&dir, "no-reward");
    let sealed = tiny::sealed(&dir, &trial(&dir, "right").trial.name);
    let resume = suite.command(&["resume", &format!("jobs/{job}"), "-q"]).env("SEATRIAL_TEST_UP", "yes").output();
    assert_eq!(resume.expect("it starts").status.code(), Some(3), "the others stay ungraded");
    assert_eq!(tiny::sealed(&dir, &trial(&dir, "right").trial.name), sealed);
    let after = trial(&dir, "no-reward");
    assert_eq!((after.outcome, after.reward, after.agent_run), (Scored, Some(1.0), before.agent_run));
    assert_eq!(kept("no-reward", "verifier/test-stdout.txt"), "");
    assert_eq!(
        files("no-reward"),
        ["reward.txt", "test-stdout.txt", "up-yes", "verdict.json"],
        "of the last run alone"
    );
}

#[tokio::test]
async fn harbors_shared_way_is_taken_where_it_is_asked_for_and_said() {
    if support::docker("harbors_shared_way_is_taken_where_it_is_asked_for_and_said").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let left = "echo 1 > /app/only-here; mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt";
    let test = "cat /logs/verifier/* 2>/dev/null; test -f /app/only-here && echo 0.5 > /logs/verifier/reward.txt";
    task(&suite, "shared", "", "", left, test);
    task(&suite, "separate", "", "[verifier]\nenvironment_mode = \"separate\"", left, test);
    task(&suite, "slow", "", "[verifier]\ntimeout_sec = 100", "true", "echo seen > /logs/verifier/seen; sleep 60");
    // The script's own factor counts for it, not that of all time limits.
    suite.write("harbor.yml", "timeout_multiplier: 50\nverifier_timeout_multiplier: 0.015\n");
    let job = format!("shared-{}", std::process::id());
    let args = ["run", "tasks", "--command", AGENT, "--job-name", &job, "-q", "--verifier-environment", "shared"];
    suite.run(&args).expect_code(3);
    let dir = suite.join(&format!("jobs/{job}"));
    let ends =
        ["shared", "separate"].map(|name| trial(&dir, name)).map(|r| (r.outcome, r.reward, r.verifier_environment));
    assert_eq!(ends, [(Scored, Some(0.5), Some(Shared)), (Ungraded, None, Some(Separate))]);
    let slow = trial(&dir, "slow");
    assert_eq!(slow.reason.as_deref(), Some("`tests/test.sh` ran longer than 1.5 s"));
    assert_eq!(suite.read(&format!("jobs/{job}/{}/verifier/seen", slow.trial.name)), "seen\n");
}

#[tokio::test]
async fn a_job_file_sets_time_and_variables_of_scripts_and_agents_never_see_them() {
    if support::docker("a_job_file_sets_time_and_variables_of_scripts").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let test = "test \"$COLOR $SHAPE $KEY\" = 'blue round secret' && echo 1 > /logs/verifier/reward.txt";
    let own = "env = { COLOR = \"red\" }\n[verifier]\nenv = { COLOR = \"green\", SHAPE = \"round\" }";
    task(&suite, "variables", "", own, "env", test);
    task(&suite, "slow", "", "[verifier]\ntimeout_sec = 1", "true", "sleep 60");
    suite.write(
        "harbor.yml",
        "verifier: {override_timeout_sec: 500, max_timeout_sec: 4, env: {COLOR: blue, KEY: '${SEATRIAL_TEST_KEY}'}}\n\
         verifier_timeout_multiplier: 0.5\n",
    );
    let job = format!("verifier-{}", std::process::id());
    let args = ["run", "tasks", "--command", AGENT, "--job-name", &job, "-q"];
    let run = |more: &[&str]| {
        let mut command = suite.command(&[&args[..], more].concat());
        let out = command.env("SEATRIAL_TEST_KEY", "secret").output().expect("it starts");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, said) = run(&["--verifier-environment", "shared"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`verifier.env` would be in the agent's container"), "{said}");
    let missing = suite.run(&args).expect_code(2).stderr;
    assert!(missing.contains("the job's `verifier.env`: environment variables are not set: `SEATRIAL_TEST_KEY`"));

    let (code, said) = run(&[]);
    assert_eq!(code, Some(3), "one script is too slow: {said}");
    let dir = suite.join(&format!("jobs/{job}"));
    let scored = trial(&dir, "variables");
    assert_eq!((scored.outcome, scored.reward), (Scored, Some(1.0)), "{:?}", scored.reason);
    let agents = suite.read(&format!("jobs/{job}/{}/agent/command.txt", scored.trial.name));
    assert!(agents.contains("COLOR=red") && !agents.contains("secret") && !agents.contains("KEY="), "{agents}");
    assert_eq!(trial(&dir, "slow").reason.as_deref(), Some("`tests/test.sh` ran longer than 2 s"), "min(500, 4) x 0.5");
    // What is kept names the variable alone.
    let kept = crate::mini::tree(&dir);
    assert!(kept.values().all(|bytes| !String::from_utf8_lossy(bytes).contains("secret")));
    let config: serde_json::Value =
        serde_json::from_str(&suite.read(&format!("jobs/{job}/config.json"))).expect("JSON");
    assert_eq!(config["verifier"]["env"]["KEY"], "${SEATRIAL_TEST_KEY}");
    let record: serde_json::Value =
        serde_json::from_str(&suite.read(&format!("jobs/{job}/seatrial.json"))).expect("JSON");
    assert_eq!(record["verifier"], config["verifier"], "whoever compares jobs sees it");
}

#[test]
fn what_is_set_for_scripts_is_said_to_be_for_nobody_where_none_judges() {
    let suite = tiny::suite(&["one"]);
    suite.write("harbor.yml", "verifier: {max_timeout_sec: 4}\n");
    let run = suite.run(&["run", "--dry-run", "-a", "nop"]).expect_code(0);
    assert!(run.stderr.contains("`verifier` of the job file is for tasks' own scripts, and none"), "{}", run.stderr);
}

#[tokio::test]
async fn the_shipped_tasks_get_the_same_rewards_from_their_scripts_as_from_the_rules() {
    if support::docker("the_shipped_tasks_get_the_same_rewards_from_their_scripts").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let vendor = project().join("vendor").display().to_string();
    suite.run(&["generate", "--vendor", &vendor, "-o", "tasks", "--limit", "3"]).expect_code(0);
    let line = "case \"$(cksum < \"$SEATRIAL_INSTRUCTION\")\" in *) echo Nobody Inparticular > /app/answer.txt;; esac";
    let mut ends = Vec::new();
    for (agent, judge) in
        [("oracle", "rules"), ("oracle", "script"), ("wrong", "rules"), ("wrong", "script"), ("nop", "script")]
    {
        let job = format!("{agent}-{judge}-{}", std::process::id());
        let who = if agent == "wrong" { ["--command", line] } else { ["-a", agent] };
        let args = [&["run", "tasks", "--vendor", &vendor, "--network", "no-network", "-q", "-n", "3"][..], &who[..]];
        suite.run(&[&args.concat()[..], &["--job-name", &job, "--judge", judge]].concat()).expect_code(0);
        let records = tiny::ledger(&suite.join(&format!("jobs/{job}"))).into_values();
        let mut end: Vec<_> = records.map(|r| (r.trial.task, r.outcome, r.reward)).collect();
        end.sort_by(|a, b| a.0.cmp(&b.0));
        ends.push(end);
    }
    assert_eq!(ends[0], ends[1], "right answers");
    assert_eq!(ends[2], ends[3], "wrong answers");
    let rewards = |end: &[(String, OutcomeKind, Option<f64>)]| end.iter().map(|e| (e.1, e.2)).collect::<Vec<_>>();
    assert_eq!(rewards(&ends[1]), [(Scored, Some(1.0)); 3]);
    assert_eq!(rewards(&ends[3]), [(Scored, Some(0.0)); 3]);
    assert_eq!(rewards(&ends[4]), [(NoAnswer, Some(0.0)); 3]);
}
