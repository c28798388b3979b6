//! What `seatrial lint` says about task folders, from the user's side.

use crate::support::{Suite, shared};

/// A task with nothing to complain about.
pub fn good_task(suite: &Suite, dir: &str) {
    suite
        .write(&format!("{dir}/task.toml"), "schema_version = \"1.4\"\n[metadata]\nmeasures = \"counting\"\n[environment]\nnetwork_mode = \"no-network\"\n")
        .write(&format!("{dir}/instruction.md"), "Count the pets.\n")
        .write(&format!("{dir}/environment/Dockerfile"), "FROM base\nCOPY files/ /app/files/\n")
        .write(&format!("{dir}/environment/files/pets.txt"), "a cat, a dog\n")
        .write(&format!("{dir}/solution/solve.sh"), "#!/bin/sh\necho 2 > /app/answer.txt\n")
        .write(
            &format!("{dir}/tests/case.json"),
            r#"{"input": "How many pets are there in all?", "ground_truth": "2"}"#,
        );
}

/// What lint prints for one good task whose `task.toml` is `text`.
fn complaints(text: &str) -> String {
    let suite = Suite::new();
    good_task(&suite, "t");
    suite.write("t/task.toml", text);
    suite.run(&["lint", "t"]).stdout
}

#[test]
fn a_good_task_has_no_problems() {
    let suite = Suite::new();
    good_task(&suite, "tasks/one");
    let run = suite.run(&["lint"]).expect_code(0);
    assert_eq!(run.stdout, "1 task: no problems\n");
}

#[test]
fn a_task_that_does_not_say_what_it_measures_is_warned_of_and_runs_all_the_same() {
    let suite = Suite::new();
    for (metadata, said) in [
        ("[metadata]\nmeasures = \" \"", true),
        ("", true),
        ("[metadata]\nmeasures = \"whether an agent can count\"", false),
        ("[task]\nname = \"org/t\"\ndescription = \"Whether an agent can count.\"", false),
        ("[task]\nname = \"org/t\"", true),
    ] {
        good_task(&suite, "tasks/t");
        suite.write("tasks/t/task.toml", format!("schema_version = \"1.4\"\n{metadata}\n"));
        let run = suite.run(&["lint"]).expect_code(0);
        assert_eq!(run.stdout.contains("warning: does not say what the task measures"), said, "{metadata}");
        let run = suite.run(&["run", "tasks", "--dry-run"]).expect_code(0);
        assert!(!run.stderr.contains("measures"), "{}", run.stderr);
    }
}

#[test]
fn all_problems_of_all_tasks_are_shown_at_once_with_file_line_and_advice() {
    let suite = Suite::new();
    good_task(&suite, "tasks/a");
    good_task(&suite, "tasks/b");
    good_task(&suite, "tasks/c");
    suite.write(
        "tasks/a/task.toml",
        "[agents]\ntimeout_sec = 7\n[environment]\nnetwork_mod = \"public\"\ncpus = \"two\"\n",
    );
    suite.write("tasks/b/task.toml", "[environment]\nnetwork_mode = \"alowlist\"\n");
    let run = suite.run(&["lint", "tasks"]).expect_code(1);
    insta::assert_snapshot!(run.stdout, @r"
    tasks/a/task.toml:1: error: unknown key `agents`
      hint: did you mean `agent`?
    tasks/a/task.toml:4: error: unknown key `environment.network_mod`
      hint: did you mean `network_mode`?
    tasks/a/task.toml:5: error: `environment.cpus` must be a number, not text

    tasks/b/task.toml:2: error: `environment.network_mode` has no mode `alowlist`
      hint: did you mean `allowlist`?

    3 tasks: 4 errors, 0 warnings
    ");
}

#[test]
fn what_is_wrong_alike_with_many_tasks_is_said_once() {
    let suite = Suite::new();
    for name in ["a", "b", "c", "d", "e"] {
        good_task(&suite, &format!("tasks/{name}"));
        suite.write(&format!("tasks/{name}/task.toml"), "[agents]\n");
    }
    suite.write("tasks/c/task.toml", "# another line\n[agents]\nx = 1\n[environment]\ncpus = \"two\"\n");
    let wanted = "tasks/a/task.toml:1: error: unknown key `agents`\n  hint: did you mean `agent`?\n  the same in `a`, `b`, `c` and 2 more\n";
    let run = suite.run(&["lint", "tasks"]).expect_code(1);
    let other = "\ntasks/c/task.toml:5: error: `environment.cpus` must be a number, not text\n";
    assert_eq!(run.stdout, format!("{wanted}{other}\n5 tasks: 6 errors, 0 warnings\n"));
    let run = suite.run(&["run", "tasks", "--dry-run"]).expect_code(2);
    assert!(run.stderr.contains(wanted), "`run` says the same: {}", run.stderr);
}

#[test]
fn each_wrong_value_is_named_with_its_line() {
    for (text, line, part) in [
        ("version = \"1.2\"", 1, "`version` has no version `1.2`"),
        ("schema_version = \"1.5\"", 1, "known versions"),
        ("schema_version = 1.4", 1, "must be text, not a number"),
        ("version = \"1.3\"\nschema_version = \"1.4\"", 1, "old name"),
        ("[agent]\ntimeout_secs = 7", 2, "did you mean `timeout_sec`?"),
        ("[agent]\ntimeout_sec = 0", 2, "must be more than 0"),
        ("[agent]\ntimeout_sec = nan", 2, "must be finite"),
        ("[agent]\nuser = -1", 2, "name or number"),
        ("[agent]\nallowed_hosts = [\"a.com\"]", 2, "needs `network_mode = \"allowlist\"`"),
        ("[verifier]\nenvironment_mode = \"apart\"", 2, "no mode `apart`"),
        ("[environment]\nnetwork_mode = \"public\"\nallowed_hosts = [\"a.com\"]", 3, "means nothing with"),
        ("[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"a.com\",\n\"http://x\"]", 4, "is a URL"),
        ("[environment]\nnetwork_mode = \"allowlist\"\nallowed_host = []", 3, "did you mean `allowed_hosts`?"),
        ("[environment]\nmemory_mb = 1", 2, "at least 6"),
        ("[environment]\nmemory = \"lots\"", 2, "has no size `lots`"),
        ("[environment]\nmemory = \"2G\"\nmemory_mb = 1024", 2, "says something else than `memory_mb`"),
        ("[environment]\nworkdir = \"app\"", 2, "absolute path"),
        ("[environment]\nenv = { A = 1 }", 2, "`environment.env.A` must be text"),
        ("[task]\nname = \"noorg\"", 2, "org/name"),
        ("environment = 3", 1, "must be a table"),
        ("[environment\n", 1, "not TOML"),
        ("x = 1\nx = 2", 2, "not TOML"),
    ] {
        let said = complaints(text);
        let at = format!("t/task.toml:{line}: error: ");
        assert!(said.contains(&at) && said.contains(part), "{text}\n{said}");
    }
}

#[test]
fn what_harbor_knows_and_is_not_done_here_is_refused_by_name() {
    for (text, key) in [
        ("[[steps]]\nname = \"one\"", "steps"),
        ("multi_step_reward_strategy = \"mean\"", "multi_step_reward_strategy"),
        ("artifacts = [{ source = \"/a\", service = \"db\" }]", "artifacts[0]"),
        ("[environment]\nos = \"Windows\"", "environment.os"),
        ("[environment]\ngpus = 1", "environment.gpus"),
        ("[environment]\ngpu_types = [\"h100\"]", "environment.gpu_types"),
        ("[environment.tpu]\ntype = \"v5\"", "environment.tpu"),
        ("[[environment.mcp_servers]]\nname = \"m\"", "environment.mcp_servers"),
        ("[environment]\nskills_dir = \"skills\"", "environment.skills_dir"),
        ("[environment.healthcheck]\ncommand = \"true\"", "environment.healthcheck"),
        ("[verifier.environment]\ncpus = 1", "verifier.environment"),
        ("[[verifier.collect]]\ncommand = \"true\"", "verifier.collect"),
    ] {
        let said = complaints(text);
        assert!(said.contains(&format!("error: `{key}` is not supported yet")), "{text}\n{said}");
    }
    let nothing = "artifacts = [\"/app/answer.txt\", { source = \"/app/answer.txt\" }]\nsteps = []\n\
                   [environment]\nos = \"Linux\"\ngpus = 0\ngpu_types = []\nmcp_servers = []\n[verifier]\ncollect = []\n\
                   [metadata]\nmeasures = \"counting\"\n";
    assert_eq!(complaints(nothing), "1 task: no problems\n", "values that ask for nothing are fine");
}

#[test]
fn old_and_idle_keys_are_warnings_that_say_so() {
    for (text, part) in [
        ("[environment]\nallow_internet = false", "write `network_mode = \"no-network\"` instead"),
        ("[environment]\nmemory = \"2G\"", "write `memory_mb = 2048` instead"),
        ("[environment]\nmemory = \"2G\"\nmemory_mb = 2048", "is deprecated"),
        ("[environment]\nstorage_mb = 10", "not applied"),
    ] {
        let said = complaints(&format!("{text}\n[metadata]\nmeasures = \"counting\"\n"));
        assert!(said.contains("warning: ") && said.contains(part), "{text}\n{said}");
        assert!(said.ends_with("1 task: 0 errors, 1 warning\n"), "{said}");
    }
}

#[test]
fn files_that_are_missing_or_give_the_key_away_are_named() {
    let suite = Suite::new();
    for task in ["copies", "compose", "leaks", "bare", "stepped", "badcase"] {
        good_task(&suite, task);
    }
    let said = |task: &str| suite.run(&["lint", task]).stdout;
    suite.write("copies/environment/Dockerfile", "FROM base\nCOPY ../solution /s\n");
    assert!(said("copies").contains("copies/environment/Dockerfile:2: error: copies `../solution` into the image"));
    suite.write("compose/environment/docker-compose.yaml", "services: {}\n");
    assert!(said("compose").contains("docker-compose.yaml: error: compose files are not supported yet"));
    suite.write("leaks/environment/files/all.jsonl", r#"{"q": "Which \"pets\" are there?", "a": "2"}"#);
    suite.write("leaks/tests/case.json", r#"{"input": "Which \"pets\" are there?", "ground_truth": "2"}"#);
    suite.write("leaks/tests/rubric.txt", "Give one point for the right number of pets.\n");
    suite.write("leaks/environment/notes.md", "# Notes\nGive one point for the right number of pets.\nEnd\n");
    suite.write("leaks/environment/files/solve.sh", suite.read("leaks/solution/solve.sh"));
    suite.write("leaks/environment/files/rubric.txt", "A document that only has the same name.\n");
    let leaks = said("leaks");
    for part in [
        "all.jsonl: error: holds the question with its answer",
        "notes.md: error: holds the rubric",
        "files/solve.sh: error: holds a copy of `solution/solve.sh`",
        "1 task: 3 errors, 0 warnings",
    ] {
        assert!(leaks.contains(part), "{part}\n{leaks}");
    }
    for file in ["instruction.md", "environment/Dockerfile", "solution/solve.sh", "tests/case.json"] {
        std::fs::remove_file(suite.join("bare").join(file)).unwrap();
    }
    let bare = said("bare");
    for part in [
        "bare/instruction.md: error: is missing",
        "bare/environment/Dockerfile: error: is missing",
        "bare/solution/solve.sh: warning: is missing",
        "bare/tests/case.json: warning: is missing",
        "1 task: 2 errors, 2 warnings",
    ] {
        assert!(bare.contains(part), "{part}\n{bare}");
    }
    suite.write("bare/task.toml", "[environment]\ndocker_image = \"ready:1\"\n").write("bare/instruction.md", " \n");
    let bare = said("bare");
    assert!(bare.contains("instruction.md: error: is empty") && !bare.contains("Dockerfile"), "{bare}");
    suite.write("stepped/steps/one/instruction.md", "x");
    assert!(said("stepped").contains("stepped/steps: error: tasks in steps are not supported yet"));
    suite.write("badcase/tests/case.json", "{\n \"input\": \"a\",\n}");
    assert!(said("badcase").contains("badcase/tests/case.json:3: error: not a JSON object"), "{}", said("badcase"));
    suite.write("badcase/tests/case.json", "{\"input\": \"a\", \"ground_truth\": 3}");
    assert!(said("badcase").contains("`ground_truth` must be text"));
}

#[test]
fn a_named_pipe_or_a_socket_among_the_images_files_is_an_error() {
    let suite = Suite::new();
    good_task(&suite, "t");
    let made = std::process::Command::new("mkfifo").arg(suite.join("t/environment/pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(suite.join("t/environment/sock")).unwrap();
    let said = suite.run(&["lint", "t"]).expect_code(1).stdout;
    assert!(said.contains("t/environment/pipe: error: is a named pipe"), "{said}");
    assert!(said.contains("t/environment/sock: error: is a socket"), "{said}");
}

#[test]
fn a_wrong_path_says_what_to_do() {
    let suite = Suite::new();
    good_task(&suite, "tasks/one");
    suite.write("empty/readme.txt", "");
    suite.write("tasks/lost/instruction.md", "no task.toml here");
    for (path, error, hint) in [
        ("task", "dataset `task` does not exist", "did you mean `tasks`?"),
        ("elsewhere", "dataset `elsewhere` does not exist", "`seatrial generate --all` writes one"),
        ("empty", "no task in `empty`: neither it nor a folder in it has a `task.toml`", "generate"),
        ("tasks/one/task.toml", "is a file, not a folder", "name the folder"),
    ] {
        let run = suite.run(&["lint", path]).expect_code(2);
        assert!(run.stderr.contains(error) && run.stderr.contains(hint), "{}", run.stderr);
    }
    let run = suite.run(&["lint", "tasks"]).expect_code(1);
    assert!(run.stdout.contains("tasks/lost: error: looks like a task, but has no `task.toml`"), "{}", run.stdout);
}

#[test]
fn json_holds_the_same_problems_with_their_places() {
    let suite = Suite::new();
    good_task(&suite, "t");
    suite.write("t/task.toml", "[environment]\n  netwrk = 1\n");
    let run = suite.run(&["lint", "t", "--format", "json"]).expect_code(1);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["errors"], 1);
    let problem = &json["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&2.into(), &3.into()));
    assert_eq!(problem["key"], "environment.netwrk");
    assert_eq!(problem["level"], "error");
}

#[test]
fn the_published_tasks_are_understood() {
    let Some(shared) = shared("the_published_tasks_are_understood") else { return };
    let suite = Suite::new();
    let dataset = shared.join("contextbench/dataset");
    let run = suite.run(&["lint", dataset.to_str().unwrap()]);
    // They are published without Dockerfile and solution; nothing else is wrong with them.
    let other: Vec<_> = run.stdout.lines().filter(|l| l.contains(": error: ") && !l.contains("Dockerfile")).collect();
    assert!(other.is_empty(), "{other:?}");
    assert!(run.stdout.ends_with("30 tasks: 30 errors, 30 warnings\n"), "{}", run.stdout);
}
