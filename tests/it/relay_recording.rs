//! What installed agents say to their models, recorded at the relay and played back with no provider and no key.

use crate::installed::{KEY, SPEAKERS, answers, run, suite, unfetched};
use crate::mini::tree;
use crate::model_server::{Act, Server, chat, chat_stream};
use crate::support::{self, Run, Suite};
use crate::tiny::{ledger, trial};
use seatrial::event::Stage;
use seatrial::results::OutcomeKind::{AgentTimeout, Fault, Scored};
use serde_json::{Value, json};
use std::time::Duration;

/// Runs the binary where no key and no provider is set.
fn offline(suite: &Suite, job: &str, args: &[&str]) -> Run {
    let mut command = suite.command(&[&["run", "tasks", "-q", "--job-name", job], args].concat());
    for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
        command.env_remove(name);
    }
    let out = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

/// A line that tells its model all that the environment holds, and hands in what the model says, whatever that is.
fn tells_all(more: &str) -> String {
    format!(
        r#"python3 - <<'END'
import json, os, urllib.request
said = [os.environ["OPENAI_API_KEY"], "{more}"]
body = json.dumps({{"model": "gpt-x", "messages": [{{"role": "user", "content": json.dumps(said)}}]}}).encode()
key = {{"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, key)
try: answer = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
except urllib.error.HTTPError as error: print(error.code, error.read().decode()); answer = "42"
open("/app/answer.txt", "w").write(answer)
END"#
    )
}

#[tokio::test]
async fn equal_requests_are_played_back_in_order_without_key_or_token_and_a_new_one_is_a_fault() {
    if support::docker("equal_requests_are_played_back_in_order").await.is_none() {
        return;
    }
    let suite = suite("");
    let said = |answer: &str| Act::json(200, &chat(&json!({"role": "assistant", "content": answer}), "stop"));
    let server = Server::start(vec![said("41"), said("42")]);
    let line = tells_all("");
    let twice = ["--command", &line, "-m", "openai/gpt-x", "-k", "2", "-n", "1"];
    let first = crate::docker_job::unique("recorded");
    run(&suite, &server, &first, &[&twice, &["--record", "said"][..]].concat()).expect_code(0);
    let recorded = tree(&suite.join("said"));
    assert_eq!(recorded.len(), 2);
    for bytes in recorded.values() {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(KEY) && !text.contains("seatrial-") && text.contains("[secret removed]"), "{text}");
    }
    let second = crate::docker_job::unique("replayed");
    offline(&suite, &second, &[&twice, &["--replay", "said"][..]].concat()).expect_code(0);
    let rewards = |job: &str| -> Vec<_> {
        let trials = ledger(&suite.join(&format!("jobs/{job}"))).into_values();
        let mut rewards: Vec<_> = trials.map(|end| (end.trial.attempt, end.outcome, end.reward)).collect();
        rewards.sort_by_key(|(attempt, ..)| *attempt);
        rewards
    };
    assert_eq!(rewards(&first), [(1, Scored, Some(0.0)), (2, Scored, Some(1.0))]);
    assert_eq!(rewards(&second), rewards(&first), "without the server's help, which gives 42 for ever by now");
    assert_eq!(server.requests().len(), 2);

    let third = crate::docker_job::unique("unseen");
    let line = tells_all("something else");
    let unseen = ["--command", &line, "-m", "openai/gpt-x", "--replay", "said"];
    offline(&suite, &third, &unseen).expect_code(3);
    let end = trial(&suite.join(&format!("jobs/{third}")), "ask");
    assert_eq!((end.outcome, end.reward), (Fault, None), "though the agent went on and left the right answer");
    let fault = end.fault.expect("a fault");
    assert_eq!((fault.stage, end.earlier_faults.len()), (Stage::Recording, 0), "another start would meet the same");
    assert!(fault.message.contains("the nearest is `said/"), "{}", fault.message);
    assert!(fault.message.contains("differs at `/messages/0/content`"), "{}", fault.message);
}

#[tokio::test]
async fn an_agent_whose_time_was_over_while_its_answer_still_came_plays_back_as_that() {
    if support::docker("an_agent_whose_time_was_over_while_its_answer_still_came").await.is_none() {
        return;
    }
    let suite = suite("");
    let text = suite.read("tasks/ask/task.toml");
    suite.write("tasks/ask/task.toml", text + "[agent]\ntimeout_sec = 4\n");
    let said = json!({"role": "assistant", "content": "a word after the other, and no end of it ".repeat(20)});
    let server = Server::start(vec![Act::stream(&chat_stream(&said, "stop")).drip(Duration::from_millis(50))]);
    let asks = ["--command", &tells_all(""), "-m", "openai/gpt-x", "-r", "0"];
    let (first, again) = (crate::docker_job::unique("slow"), crate::docker_job::unique("slow-again"));
    run(&suite, &server, &first, &[&asks[..], &["--record", "said"]].concat()).expect_code(0);
    offline(&suite, &again, &[&asks[..], &["--replay", "said"]].concat()).expect_code(0);
    let ended = |job: &str| {
        let end = trial(&suite.join(&format!("jobs/{job}")), "ask");
        (end.outcome, end.reward, end.fault)
    };
    assert_eq!((ended(&first), ended(&again)), ((AgentTimeout, Some(0.0), None), (AgentTimeout, Some(0.0), None)));
}

#[tokio::test]
async fn the_official_packages_run_again_from_a_recording_whole_and_as_streams() {
    let name = "the_official_packages_run_again_from_a_recording";
    if support::docker(name).await.is_none() {
        return;
    }
    let suite = suite("");
    suite.write("agents/speakers.toml", SPEAKERS);
    let server = Server::with(answers);
    let job = crate::docker_job::unique("spoken");
    let both = ["-a", "speakers", "-m", "openai/gpt-x", "-m", "anthropic/claude-x"];
    let ran = run(&suite, &server, &job, &[&both[..], &["--record", "said"]].concat());
    if unfetched(name, &ran) {
        return;
    }
    ran.expect_code(0);
    let asked = server.requests().len();
    let again = crate::docker_job::unique("spoken-again");
    offline(&suite, &again, &[&both[..], &["--replay", "said"]].concat()).expect_code(0);
    assert_eq!(server.requests().len(), asked, "nobody is asked");
    let used = |job: &str| -> Vec<Value> {
        let ends = ledger(&suite.join(&format!("jobs/{job}"))).into_values();
        ends.map(|end| {
            json!([end.trial.agent.model, end.reward, end.model.map(|used| json!([used.requests, used.usage]))])
        })
        .collect()
    };
    let (before, after) = (used(&job), used(&again));
    assert_eq!(before.len(), 2);
    before.iter().for_each(|one| assert!(after.contains(one), "{before:?} {after:?}"));
}
