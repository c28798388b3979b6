//! What a job file can say, what wins over it, and what is kept of it on disk.

use crate::support::project;
use seatrial::config::{
    Config, Error, Flags, JobFile, JudgeConfig, find_job_file, job_record, parse_job_file, resolve,
};
use seatrial::task::NetworkMode;
use std::path::Path;

fn parse(text: &str) -> Result<JobFile, Error> {
    parse_job_file(text, Path::new("job.yml"))
}

/// Everything that is said about a job file.
fn complaints(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

fn settled(flags: &Flags, file: &str) -> Config {
    resolve(flags, |_| None, Some(parse(file).expect(file)), "now").expect("settings")
}

#[test]
fn the_shipped_job_file_runs_the_shipped_tasks_with_the_oracle_and_no_network() {
    let file = find_job_file(None, &project()).unwrap().expect("harbor.yml is there");
    let config = resolve(&Flags::default(), |_| None, Some(file), "now").unwrap();
    assert_eq!(config.datasets.iter().map(|d| d.path.to_str().unwrap()).collect::<Vec<_>>(), ["tasks"]);
    assert_eq!(config.agents.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["oracle"]);
    assert_eq!((config.n_attempts, config.n_concurrent), (1, 4));
    assert_eq!(config.environment.network, Some(NetworkMode::NoNetwork));
}

#[test]
fn without_a_job_file_the_defaults_hold() {
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(find_job_file(None, empty.path()).unwrap(), None);
    let config = resolve(&Flags::default(), |_| None, None, "now").unwrap();
    assert_eq!(config.job_dir(), Path::new("jobs/now"));
    assert_eq!(config.datasets[0].path, Path::new("tasks"));
    assert_eq!((config.agents[0].name.as_str(), config.judge.name.as_deref()), ("oracle", None));
    assert_eq!((config.n_attempts, config.n_concurrent, config.retry.max_retries), (1, 4, 2));
    assert!(!config.quiet);
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let file = "jobs_dir: file\nn_concurrent_trials: 2\nseatrial: {base_image: file}\njob_name: file\n";
    let env = |name: &str| match name {
        "SEATRIAL_JOBS_DIR" | "SEATRIAL_BASE_IMAGE" => Some("env".to_string()),
        "SEATRIAL_N_CONCURRENT" => Some("3".to_string()),
        "SEATRIAL_NETWORK" => Some(String::new()),
        _ => None,
    };
    let flags = Flags { jobs_dir: Some("flag".into()), ..Flags::default() };
    let config = resolve(&flags, env, Some(parse(file).unwrap()), "now").unwrap();
    assert_eq!(config.job_dir(), Path::new("flag/file"));
    assert_eq!(config.n_concurrent, 3);
    let unflagged = resolve(&Flags::default(), env, Some(parse(file).unwrap()), "now").unwrap();
    assert_eq!(unflagged.job_dir(), Path::new("env/file"));
    assert_eq!(config.environment.base_image.as_deref(), Some("env"));
    assert_eq!(config.environment.network, None, "a variable set to nothing is not set");
    for (name, value, part) in [
        ("SEATRIAL_N_CONCURRENT", "many", "`SEATRIAL_N_CONCURRENT`: `many`: invalid digit"),
        ("SEATRIAL_NETWORK", "publc", "`SEATRIAL_NETWORK`: `publc`: did you mean `public`?"),
    ] {
        let env = |asked: &str| (asked == name).then(|| value.to_string());
        let said = resolve(&Flags::default(), env, None, "now").unwrap_err().to_string();
        assert!(said.starts_with(part), "{said}");
    }
}

#[test]
fn datasets_agents_and_filters_given_as_flags_replace_those_of_the_file() {
    let file = "datasets: [{path: a, task_names: ['x*'], n_tasks: 3}]\ntasks: [{path: one}]\n\
                agents: [{name: command, kwargs: {cmd: run}}, {name: nop}]\n";
    let config = settled(&Flags::default(), file);
    assert_eq!((config.datasets.len(), config.tasks.len(), config.agents.len()), (1, 1, 2));
    let flags = Flags {
        datasets: vec!["b".into()],
        agents: vec!["command".into()],
        models: vec!["m1".into(), "m2".into()],
        agent_kwargs: vec![("n".into(), "3".into()), ("word".into(), "abc".into())],
        include: vec!["y*".into()],
        n_tasks: Some(1),
        ..Flags::default()
    };
    let config = settled(&flags, file);
    assert_eq!((config.datasets[0].path.to_str(), config.tasks.len()), (Some("b"), 0));
    assert_eq!(
        (config.datasets[0].task_names.as_slice(), config.datasets[0].n_tasks),
        (["y*".to_string()].as_slice(), Some(1))
    );
    assert_eq!(config.agents.iter().map(|a| a.model.as_deref().unwrap()).collect::<Vec<_>>(), ["m1", "m2"]);
    assert_eq!(serde_json::to_string(&config.agents[1].kwargs).unwrap(), r#"{"cmd":"run","n":3,"word":"abc"}"#);
    assert_eq!(settled(&Flags::default(), "tasks: [{path: one}]").datasets, [], "single tasks stand alone");
}

#[test]
fn flags_that_cannot_be_are_named() {
    for (flags, part) in [
        (Flags { n_attempts: Some(0), ..Flags::default() }, "`--n-attempts`: must be at least 1"),
        (Flags { n_concurrent: Some(0), ..Flags::default() }, "`--n-concurrent`"),
        (Flags { n_attempts: Some(1001), ..Flags::default() }, "`--n-attempts`: must be at most 1000"),
        (Flags { n_concurrent: Some(1001), ..Flags::default() }, "`--n-concurrent`: must be at most 1000"),
        (Flags { timeout_multiplier: Some(f64::INFINITY), ..Flags::default() }, "`--timeout-multiplier`: must be more"),
        (
            Flags { timeout_multiplier: Some(1e30), ..Flags::default() },
            "`--timeout-multiplier`: must be more than 0 and at",
        ),
        (Flags { agents: vec!["nop".into(); 2], ..Flags::default() }, "`--agent`: `nop` is there twice, with the same"),
        (Flags { n_tasks: Some(0), ..Flags::default() }, "`--n-tasks`"),
        (Flags { timeout_multiplier: Some(f64::NAN), ..Flags::default() }, "`--timeout-multiplier`"),
        (Flags { job_name: Some("../x".into()), ..Flags::default() }, "`--job-name`"),
    ] {
        let said = resolve(&flags, |_| None, None, "now").unwrap_err().to_string();
        assert!(said.starts_with(part), "{said}");
    }
}

#[test]
fn everything_wrong_in_a_job_file_is_said_at_once_with_line_path_and_advice() {
    let said = complaints(
        "n_atempts: 2\nagents:\n  - nmae: oracle\n  - name: 7\nn_concurrent_trials: 0\n\
         environment:\n  mounts: [{type: bind}]\nseatrial: {network: none}\nverifier:\n  import_path: a:B\n",
    );
    insta::assert_snapshot!(said, @r"
    failed to load job file `job.yml`
    job.yml:1: error: unknown key `n_atempts`
      hint: did you mean `n_attempts`?
    job.yml:3: error: unknown key `agents[0].nmae`
      hint: did you mean `name`?
    job.yml:4: error: `agents[1].name` must be text, not a whole number
    job.yml:5: error: `n_concurrent_trials` must be at least 1, not 0
    job.yml:7: error: `environment.mounts` is not supported yet
      hint: take `environment.mounts` out
    job.yml:8: error: `seatrial.network` has no mode `none`
      hint: did you mean `no-network`?
    job.yml:10: error: `verifier.import_path` is not supported yet
      hint: take `verifier.import_path` out
    ");
}

#[test]
fn what_harbor_knows_and_is_not_done_here_is_refused_only_where_it_asks_for_something() {
    for (text, key) in [
        ("install_only: true", "install_only"),
        ("debug: true", "debug"),
        ("override_error_policy: {ApiError: {should_retry: true}}", "override_error_policy"),
        ("metrics: [{type: max}]", "metrics"),
        ("artifacts: [/tmp/x]", "artifacts"),
        ("extra_instructions: [hurry]", "extra_instructions"),
        ("source_jobs: [{action: diff}]", "source_jobs"),
        ("plugins: [x]", "plugins"),
        ("environment: {override_gpus: 1}", "environment.override_gpus"),
        ("verifier: {extra_allowed_hosts: [a.com]}", "verifier.extra_allowed_hosts"),
        ("environment: {kwargs: {keep_containers: true}}", "environment.kwargs"),
        ("verifier: {disable: true}", "verifier.disable"),
        ("agents: [{import_path: a:B}]", "agents[0].import_path"),
        ("agents: [{skills: [x]}]", "agents[0].skills"),
        ("datasets: [{path: a, registry_url: u}]", "datasets[0].registry_url"),
        ("tasks: [{path: a, git_url: u}]", "tasks[0].git_url"),
        ("orchestrator: {type: remote}", "orchestrator.type"),
    ] {
        let said = complaints(text);
        assert!(said.contains(&format!("`{key}` is not supported yet")), "{text}\n{said}");
    }
    let idle = "schema_version: 1\ninstall_only: false\ndebug: false\noverride_error_policy: {}\nmetrics: [{type: mean}]\n\
                artifacts: []\nuser_agent: null\nagents: [{name: nop, skills: [], mcp_servers: [], import_path: null}]\n\
                environment: {type: docker, mounts: null, stream: false, cpu_enforcement_policy: auto}\n\
                orchestrator: {n_concurrent_trials: 9, quiet: true, retry: {max_retries: 5}}\n";
    let file = parse(idle).unwrap();
    assert_eq!((file.n_concurrent, file.quiet, file.retry.max_retries), (Some(9), Some(true), Some(5)));
}

#[test]
fn other_ways_to_be_wrong() {
    for (text, part) in [
        ("a: [1", "job.yml:1: error: neither YAML nor JSON"),
        ("- a\n", "the file must be a table, not a list"),
        ("schema_version: 2", "`schema_version` has no version `2`"),
        ("datasets: [{n_tasks: 1}]", "`datasets[0].path` is missing"),
        ("datasets: tasks", "`datasets` must be a list, not text"),
        ("agents: [oracle]", "`agents[0]` must be a table, not text"),
        ("environment: {env: {A: 1}}", "`environment.env.A` must be text, not a whole number"),
        ("timeout_multiplier: -1", "must be more than 0"),
        ("timeout_multiplier: 1e30", "`timeout_multiplier` must be at most 1000"),
        ("n_attempts: 1001", "`n_attempts` must be at most 1000, not 1001"),
        ("n_concurrent_trials: 4000000", "`n_concurrent_trials` must be at most 1000"),
        ("verifier: {max_timeout_sec: 1e30}", "`verifier.max_timeout_sec` must be at most 1000000000"),
        ("verifier: {override_timeout_sec: 0}", "`verifier.override_timeout_sec` must be more than 0"),
        ("verifier: {env: [A]}", "`verifier.env` must be a table"),
        ("agents: [{override_timeout_sec: 1e30}]", "`agents[0].override_timeout_sec` must be at most 1000000000"),
        ("environment: {type: daytona}", "`environment.type` has no kind `daytona`\n  hint: known here: `docker`"),
        ("retry: {max_retries: -1}", "must be at least 0"),
        ("agents: [{extra_allowed_hosts: [a.com, 'b.com:80']}]", "host `b.com:80` has a port"),
        ("environment: {extra_allowed_hosts: [http://x]}", "host `http://x` is a URL"),
        (
            "seatrial: {hosts: {'*.a.com': '127.0.0.1:1'}}",
            "`seatrial.hosts` has `*.a.com`, which stands for more than one",
        ),
        ("seatrial: {hosts: {a.com: localhost}}", "`seatrial.hosts` has `localhost` for `a.com`, which is no address"),
        ("seatrial: {ports: [80, 0]}", "`seatrial.ports` has `0`, which is no port"),
        ("n_attempts: 2\nn_attempts: 3", "job.yml:2: error: neither YAML nor JSON: duplicate mapping key: n_attempts"),
    ] {
        let said = complaints(text);
        assert!(said.contains(part), "{text}\n{said}");
    }
    let missing = find_job_file(Some(Path::new("none.yml")), Path::new(".")).unwrap_err();
    assert!(missing.to_string().starts_with("failed to read job file `none.yml`"), "{missing}");
    assert!(resolve(&Flags::default(), |_| None, Some(parse("datasets: []").unwrap()), "now").is_err());
}

#[test]
fn the_record_of_a_job_reads_back_as_the_same_job() {
    let file = "n_attempts: 6\nretry: {max_retries: 1}\nagent_timeout_multiplier: 2\nverifier_timeout_multiplier: 3\n\
                agents: [{name: command, model_name: m, kwargs: {cmd: 'x {y}', n: 3}, env: {MODE: fast, KEY: '${KEY}'},\n\
                          override_timeout_sec: 10, max_timeout_sec: 5, extra_allowed_hosts: [B.com., a.com]}]\n\
                datasets: [{path: a, task_names: ['x*'], exclude_task_names: ['xy'], n_tasks: 3}]\ntasks: [{path: one}]\n\
                verifier: {override_timeout_sec: 20, max_timeout_sec: 7.5, env: {MODE: strict, KEY: '${KEY}'}}\n\
                environment: {force_build: true, override_cpus: 1.5, override_memory_mb: 512, env: {TZ: UTC}, extra_allowed_hosts: ['*.c.com']}\n\
                seatrial: {network: allowlist, hosts: {A.com: '127.0.0.1:8000'}, ports: [80, 8443], base_image: b, cpus: 1, memory_mb: 64, pids_limit: 9, engine_wait_sec: 5, vendor: v, suite: v/s.toml, judge: rules}\n";
    let config = settled(&Flags::default(), file);
    let record = job_record(&config);
    let again = settled(&Flags::default(), &record.to_string());
    assert_eq!(again, Config { job_name: "now".into(), ..config });
    assert_eq!(job_record(&again), record);
}

#[test]
fn no_value_that_may_be_a_secret_is_written() {
    let file = "agents: [{name: nop, env: {OPENAI_API_KEY: sk-file, COOKIE: c-file, AUTHORIZATION: a-file, MAX_TOKENS: '9',\n\
                          A_TOKEN: t-file, MODE: fast, REF: '${HOST_REF}', PASSWORD: '${PASSWORD:-p-file}',\n\
                          PLAIN: sk-live-x, DSN: 'db://me:pw@host/x', LONG: 'a1b2c3d4e5f6a7b8c9d0', DEF: '${DEF:-ghp_x1}'}}]\n";
    let flags = Flags { agent_env: vec![("FOO".into(), "sk-live-flag".into())], ..Flags::default() };
    let config = settled(&flags, file);
    assert_eq!(config.agents[0].env["FOO"], "sk-live-flag", "the agent itself gets it");
    let record = job_record(&config);
    let wanted = serde_json::json!({
        "A_TOKEN": "${A_TOKEN}", "AUTHORIZATION": "${AUTHORIZATION}", "COOKIE": "${COOKIE}", "FOO": "${FOO}",
        "MAX_TOKENS": "9", "MODE": "fast", "OPENAI_API_KEY": "${OPENAI_API_KEY}", "PASSWORD": "${PASSWORD}",
        "REF": "${HOST_REF}", "PLAIN": "${PLAIN}", "DSN": "${DSN}", "LONG": "${LONG}", "DEF": "${DEF}",
    });
    assert_eq!(record["agents"][0]["env"], wanted);
    let judge =
        settled(&Flags::default(), "verifier: {env: {JUDGE_KEY: sk-judge, REF: '${HOST_REF}', MODE: strict}}\n");
    let record_of_judge = job_record(&judge);
    let wanted = serde_json::json!({"JUDGE_KEY": "${JUDGE_KEY}", "REF": "${HOST_REF}", "MODE": "strict"});
    assert_eq!(record_of_judge["verifier"]["env"], wanted);
    for secret in ["sk-file", "c-file", "a-file", "t-file", "p-file", "sk-live", "me:pw", "a1b2c3", "ghp_"] {
        assert!(!record.to_string().contains(secret), "{secret}");
    }
}

#[test]
fn a_judge_is_a_name_or_a_table_and_flags_win_over_variables_over_the_file() {
    let table = "seatrial: {judge: {name: rubric, model: a, votes: 2, temperature: 0.5, boundary: false}}\n";
    let env = |name: &str| (name == "JUDGE_MODELS").then(|| "b, c d".to_string());
    let judged = |flags: &JudgeConfig, env: &dyn Fn(&str) -> Option<String>| {
        let flags = Flags { judge: flags.clone(), ..Flags::default() };
        let config = resolve(&flags, env, Some(parse(table).unwrap()), "now").unwrap();
        // What is written down says the same when it is read back.
        let again = parse(&job_record(&config).to_string()).unwrap();
        assert_eq!(resolve(&Flags::default(), |_| None, Some(again), "now").unwrap().judge, config.judge);
        config.judge
    };
    let typed = JudgeConfig { models: vec!["e".into()], votes: Some(3), ..JudgeConfig::default() };
    let file = judged(&JudgeConfig::default(), &|_| None);
    assert_eq!((file.name.as_deref(), &file.models[..]), (Some("rubric"), &["a".to_string()][..]));
    assert_eq!((file.votes, file.temperature, file.boundary), (Some(2), Some(0.5), Some(false)));
    assert_eq!(judged(&JudgeConfig::default(), &env).models, ["b", "c", "d"]);
    let flags = judged(&typed, &env);
    assert_eq!((&flags.models[..], flags.votes, flags.temperature), (&["e".to_string()][..], Some(3), Some(0.5)));
    for (wrong, said) in [
        ("{name: rubric, modle: a}", "seatrial.judge.modle"),
        ("{base_url: 'https://me:secret@host/v1'}", "holds a login"),
        ("{temperature: 3}", "must be from 0 to 2"),
        ("[rules]", "seatrial.judge"),
    ] {
        let error = parse(&format!("seatrial: {{judge: {wrong}}}")).unwrap_err().to_string();
        assert!(error.contains(said), "{wrong}: {error}");
    }
}

#[test]
fn a_suite_may_name_its_judge() {
    let suite = crate::mini::generated();
    let manifest = suite.read("vendor/suite.toml");
    let named = match manifest.contains("[judge]") {
        true => manifest.replacen("[judge]", "[judge]\nname = \"letter\"", 1),
        false => format!("{manifest}\n[judge]\nname = \"letter\"\n"),
    };
    suite.write("vendor/suite.toml", named);
    let mut command = suite.command(&["run", "tasks", "--dry-run"]);
    let out = command.env_remove("JUDGE_MODEL").env_remove("JUDGE_MODELS").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("judge `letter` asks a model, and none is named"), "{said}");
    let run = suite.run(&["run", "tasks", "--dry-run", "--judge", "rules"]).expect_code(0);
    assert!(run.stdout.contains("judge rules") || run.stderr.contains("judge rules"), "{run:?}");
}
