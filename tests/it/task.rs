//! Tasks as the library hands them to the rest of the program: typed, complete, with digests.

use crate::lint::good_task;
use crate::support::Suite;
use seatrial::task::{Digests, NetworkPolicy, Sink, TaskSpec, User, digests, load_dataset, read_spec};
use std::path::Path;

/// Reads a `task.toml` that must have no errors.
fn spec(text: &str) -> TaskSpec {
    let sink = Sink::new(Path::new("task.toml"));
    let spec = read_spec(text, &sink).expect("TOML");
    let errors: Vec<_> = sink.into_problems().into_iter().filter(|p| p.to_string().contains("error: ")).collect();
    assert!(errors.is_empty(), "{errors:?}");
    spec
}

#[test]
fn every_field_that_has_an_effect_is_typed() {
    let spec = spec(
        "\u{feff}schema_version = \"1.3\"\r\nsource = \"here\"\r\nartifacts = [\"/app/answer.txt\"]\r\n\
         [task]\r\nname = \"org/short\"\r\nversion = \"2\"\r\nkeywords = [\"k\"]\r\nauthors = [{ name = \"A\", email = \"a@b\" }]\r\n\
         [metadata]\r\ndifficulty = \"hard\"\r\nquestion_type = \"count\"\r\ntags = [\"t\"]\r\nown = { x = 1 }\r\n\
         [agent]\r\ntimeout_sec = 7\r\nuser = 1000\r\nnetwork_mode = \"no-network\"\r\n\
         [verifier]\r\ntimeout_sec = 5.5\r\nenvironment_mode = \"separate\"\r\n\
         [environment]\r\nbuild_timeout_sec = 60\r\ndocker_image = \"ready:1\"\r\nos = \"LINUX\"\r\ncpus = 1.5\r\nmemory = \"2G\"\r\n\
         env = { A = \"${A:-b}\" }\r\nworkdir = \"/app\"\r\nnetwork_mode = \"allowlist\"\r\nallowed_hosts = [\"B.com.\", \"a.com\", \"b.com\"]\r\n\
         [solution]\r\nenv = { S = \"1\" }\r\n",
    );
    assert_eq!(spec.schema_version, "1.3");
    assert_eq!(spec.package.as_ref().map(|p| p.name.as_str()), Some("org/short"));
    assert_eq!(spec.metadata.difficulty.as_deref(), Some("hard"));
    assert_eq!(spec.metadata.tags, ["t"]);
    assert_eq!(spec.metadata.all["own"]["x"], 1);
    assert_eq!((spec.agent.timeout_sec, spec.agent.user.clone()), (Some(7.0), Some(User::Id(1000))));
    assert_eq!(spec.verifier.timeout_sec, 5.5);
    let environment = &spec.environment;
    assert_eq!((environment.cpus, environment.memory_mb), (Some(1.5), Some(2048)));
    assert_eq!((environment.docker_image.as_deref(), environment.workdir.as_deref()), (Some("ready:1"), Some("/app")));
    assert_eq!(environment.network, NetworkPolicy::Allowlist(vec!["a.com".into(), "b.com".into()]));
    assert_eq!(spec.agent.network, Some(NetworkPolicy::NoNetwork), "the agent's own policy");
    assert_eq!(spec.solution_env["S"], "1");
}

#[test]
fn what_is_left_out_has_harbors_defaults() {
    let empty = spec("");
    assert_eq!(empty.schema_version, "1.4");
    assert_eq!((empty.agent.timeout_sec, empty.verifier.timeout_sec), (None, 600.0));
    assert_eq!((empty.environment.build_timeout_sec, empty.environment.memory_mb), (600.0, None));
    assert_eq!((&empty.agent.network, &empty.environment.network), (&None, &NetworkPolicy::Public));
    for (text, wanted) in [
        ("allow_internet = false", NetworkPolicy::NoNetwork),
        ("allow_internet = true", NetworkPolicy::Public),
        ("allow_internet = true\nnetwork_mode = \"no-network\"", NetworkPolicy::NoNetwork),
        ("allow_internet = false\nnetwork_mode = \"public\"", NetworkPolicy::Public),
        ("network_mode = \"allowlist\"", NetworkPolicy::Allowlist(vec![])),
    ] {
        assert_eq!(spec(&format!("[environment]\n{text}\n")).environment.network, wanted, "{text}");
    }
}

#[test]
fn a_dataset_loads_whole_or_not_at_all() {
    let suite = Suite::new();
    for task in ["tasks/b", "tasks/a", "tasks/.hidden"] {
        good_task(&suite, task);
    }
    let set = load_dataset(&suite.join("tasks")).unwrap();
    assert_eq!(set.tasks.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(set.tasks[0].case.as_ref().map(|c| c.ground_truth.as_str()), Some("2"));
    let one = load_dataset(&suite.join("tasks/b")).unwrap();
    assert_eq!((one.tasks.len(), one.tasks[0].name.as_str()), (1, "b"));
    suite.write("tasks/b/task.toml", "[environment]\nnetwork = 1\n").write("tasks/a/instruction.md", "");
    let said = load_dataset(&suite.join("tasks")).unwrap_err().to_string();
    assert!(said.contains("2 errors") && said.contains("a/instruction.md") && said.contains("b/task.toml:2"), "{said}");
}

/// A task whose digests are taken, in a folder of its own.
fn digested_task() -> Suite {
    let suite = Suite::new();
    good_task(&suite, "t");
    suite.write("t/task.toml", "# c\n[metadata]\ndifficulty = \"easy\"\nsuite = \"s\"\n[agent]\ntimeout_sec = 7\n");
    suite
}

fn taken(suite: &Suite) -> Digests {
    digests(&suite.join("t")).expect("digests")
}

#[test]
fn stamping_a_task_keeps_its_content_and_anything_that_decides_a_trial_changes_it() {
    let before = taken(&digested_task());
    let stamped = "[agent]\ntimeout_sec=7\n[metadata]\nsuite = 's'\ndifficulty = \"hard\"\ncalibration = { n = 6 }\n";
    let later = stamped.replace("=7", "=8");
    // File, its new text, does the content change, does Harbor's digest.
    for (file, text, content, harbor) in [
        ("t/task.toml", stamped, false, true),
        ("t/task.toml", later.as_str(), true, true),
        ("t/instruction.md", "x", true, true),
        ("t/environment/files/new", "x", true, true),
        ("t/tests/case.json", "{}", true, true),
        ("t/solution/solve.sh", "x", true, true),
        ("t/README.md", "x", false, true),
        ("t/notes.txt", "x", false, false),
        ("t/environment/files/__pycache__/x", "x", false, false),
        ("t/tests/x.pyc", "x", false, false),
    ] {
        let suite = digested_task();
        suite.write(file, text);
        let after = taken(&suite);
        assert_eq!((after.content != before.content, after.harbor != before.harbor), (content, harbor), "{file}");
    }
    let suite = digested_task();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(suite.join("t/environment/files/pets.txt"), mode).unwrap();
    assert!(taken(&suite).content != before.content, "the execute bit decides");
    let [one, other] = ["/etc/passwd", "/etc/group"].map(|target| {
        let suite = digested_task();
        std::os::unix::fs::symlink(target, suite.join("t/environment/link")).unwrap();
        taken(&suite).content
    });
    assert_ne!(one, other, "a link counts by its target's name");
}

#[test]
fn harbors_digest_follows_its_published_formula() {
    let suite = Suite::new();
    suite.write("t/task.toml", "").write("t/instruction.md", "hi\n").write("t/environment/Dockerfile", "FROM x\n");
    // sha256 over the three lines `path NUL sha256 LF` in the order of paths, worked out by another program.
    let wanted = "sha256:8dcb93fe36a66f9753afd3c29580e9c20126fc92c5a87bb4a8c142e2cb315671";
    assert_eq!(digests(&suite.join("t")).unwrap().harbor, wanted);
}
