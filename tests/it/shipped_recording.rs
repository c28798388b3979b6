//! The recording in `examples/recording`: it is what the stand-in makes of the shipped suite, byte for byte, and plays
//! back whole, so that whatever we send otherwise than before is noticed. To make it anew, run these tests with
//! `SEATRIAL_RECORD=1`.

use crate::model_server::Server;
use crate::support::{self, Run, Suite, project};
use crate::tiny::{ledger, trial};
use seatrial::event::Stage;
use seatrial::results::OutcomeKind::{Fault, Scored};
use std::collections::BTreeMap;
use std::path::Path;

const ANEW: &str =
    "make it anew with `SEATRIAL_RECORD=1 cargo test --test it the_shipped_recording`, and look at what differs";
const KEY: &str = "sk-canary-0123456789";

/// A scratch directory with the first ten of the shipped tasks.
fn suite() -> Suite {
    let suite = Suite::new();
    let ids: Vec<String> = (0..10).map(|n| format!("ledger-{n}")).collect();
    suite.run(&["generate", "--vendor", &vendor(), "-o", "tasks", "--task-ids", &ids.join(",")]).expect_code(0);
    suite
}

fn vendor() -> String {
    project().join("vendor").display().to_string()
}

fn shipped() -> String {
    project().join("examples/recording").display().to_string()
}

/// Runs the loop over all of it; without a server there is no address and no key either.
fn run(suite: &Suite, server: Option<&Server>, job: &str, more: &[&str]) -> Run {
    let vendor = vendor();
    let args = ["run", "tasks", "-q", "--vendor", &vendor, "--network", "no-network", "--job-name", job];
    let mut command = suite.command(&[&args[..], &["-a", "loop", "-m", "stand-in"], more].concat());
    command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY");
    if let Some(server) = server {
        command.env("OPENAI_BASE_URL", server.url() + "/v1").env("OPENAI_API_KEY", KEY);
    }
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

/// A recording's files.
fn exchanges(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    crate::mini::tree(folder).into_iter().filter(|(name, _)| name.ends_with(".json")).collect()
}

#[tokio::test]
async fn the_shipped_recording_is_what_the_stand_in_makes_and_plays_back_whole_without_key_or_server() {
    if support::docker("the_shipped_recording_is_what_the_stand_in_makes").await.is_none() {
        return;
    }
    let (suite, shipped) = (suite(), shipped());
    let (first, again) = (crate::docker_job::unique("stand-in"), crate::docker_job::unique("played-back"));
    run(&suite, Some(&crate::stand_in::start()), &first, &["--record", "said"]).expect_code(0);
    let made = exchanges(&suite.join("said"));
    if std::env::var_os("SEATRIAL_RECORD").is_some() {
        let folder = Path::new(&shipped);
        exchanges(folder).keys().for_each(|name| std::fs::remove_file(folder.join(name)).expect("an old file goes"));
        made.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).expect("a new file is written"));
    }

    let played = run(&suite, None, &again, &["--replay", &shipped]);
    assert_eq!(played.code, Some(0), "{ANEW}\n{}{}", played.stdout, played.stderr);
    let results = |job: &str| -> Vec<_> {
        let ends = ledger(&suite.join(&format!("jobs/{job}"))).into_values();
        let mut ends: Vec<_> = ends
            .map(|end| {
                let run = end.agent_run.and_then(|run| run.model).expect("a model was asked");
                (
                    end.trial.task,
                    end.outcome,
                    end.reward,
                    (run.ended, run.steps, run.tool_calls, run.usage),
                    end.verdict,
                )
            })
            .collect();
        ends.sort_by(|a, b| a.0.cmp(&b.0));
        ends
    };
    let ends = results(&again);
    let right = ends.iter().filter(|(_, outcome, reward, ..)| (*outcome, *reward) == (Scored, Some(1.0))).count();
    let wrong: Vec<&str> = ends.iter().filter(|end| end.2 == Some(0.0)).map(|end| end.0.as_str()).collect();
    assert_eq!((right, wrong), (8, vec!["ledger-4", "ledger-9"]));
    let said = suite.run(&["report", &format!("jobs/{again}")]).expect_code(0).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("models were played back, which cost nothing"), "{said}");

    let kept = exchanges(Path::new(&shipped));
    let differ: Vec<&String> =
        made.keys().chain(kept.keys()).filter(|name| made.get(*name) != kept.get(*name)).collect();
    assert!(differ.is_empty(), "{differ:?} are not as the stand-in makes them now: {ANEW}");
    assert_eq!(results(&first), ends, "what was recorded and what is played back end alike");
    let here = [KEY.to_owned(), "127.0.0.1".to_owned(), project().display().to_string(), "seatrial-task".to_owned()];
    for (name, bytes) in kept {
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(here.iter().all(|word| !text.contains(word)), "{name} says where it was made");
    }
}

/// What is asked first depends on no container, so it is checked also where there is none.
#[test]
fn a_changed_request_names_the_nearest_one_of_the_shipped_recording_and_what_differs() {
    let (suite, shipped) = (suite(), shipped());
    suite.write("engine.json", r#"{"default": {"output": "nothing of the suite"}}"#);
    let fake = ["--fake-engine", "engine.json", "--replay", &shipped];
    run(&suite, None, "as-it-is", &fake).expect_code(3);
    for (name, end) in ledger(&suite.join("jobs/as-it-is")) {
        let fault = end.fault.expect("this container has nothing");
        let steps = end.agent_run.and_then(|run| run.model).map(|run| run.steps);
        assert_eq!((fault.stage, steps), (Stage::Recording, Some(1)), "{ANEW}\n{name}: {}", fault.message);
        assert!(fault.message.contains("asked `nothing of the suite`"), "{name}: {}", fault.message);
    }

    run(&suite, None, "parameter", &[&fake[..], &["-i", "ledger-0", "--ak", "max_tokens=5"]].concat()).expect_code(3);
    let message = trial(&suite.join("jobs/parameter"), "ledger-0").fault.expect("it was never recorded").message;
    assert!(message.contains("differs at `/max_tokens`: recorded `16000`, asked `5`"), "{message}");

    let text = suite.read("tasks/ledger-3/instruction.md").replace("use no other source", "use no other");
    suite.write("tasks/ledger-3/instruction.md", text);
    run(&suite, None, "changed", &[&fake[..], &["-i", "ledger-3"]].concat()).expect_code(3);
    let end = trial(&suite.join("jobs/changed"), "ledger-3");
    let message = end.fault.expect("it was never recorded").message;
    assert_eq!(end.outcome, Fault);
    assert!(message.contains(&format!("the nearest is `{shipped}/")), "{message}");
    assert!(message.contains("differs at `/messages/1/content`: recorded `"), "{message}");
    assert!(message.contains("use no other source") && message.contains("use no other. "), "{message}");
    let nearest = message.split('`').find(|word| word.ends_with(".json")).expect("a file is named");
    assert!(std::fs::read_to_string(nearest).expect("it is there").contains("glade_reed"), "the same question");
}
