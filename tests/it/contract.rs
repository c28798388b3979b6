//! What every engine owes: one suite, run on the fake engine and on Docker alike.

use crate::support::{self, Suite};
use seatrial::sandbox::docker::BASE;
use seatrial::sandbox::{Command, Engine, Error, File, Found, Image, ImageSource, Limits, Network, Owner, Spec, fake};
use std::time::Duration;

/// The script that makes the fake engine do what the command lines below do.
const SCRIPT: &str = r#"{"tasks": {
    "plain": [{"output": "said\n", "answer": "42", "exit": 3}],
    "slow": [{"delay_ms": 60000}],
    "never": [{"fault": "open"}]}}"#;

#[tokio::test]
async fn the_fake_engine_keeps_the_contract() {
    let suite = Suite::new();
    suite.write("engine.json", SCRIPT);
    let engine = fake::Engine::load(&suite.join("engine.json")).expect("the script");
    contract(Engine::Fake(engine)).await;
}

#[tokio::test]
async fn docker_keeps_the_contract() {
    let Some(engine) = support::docker("docker_keeps_the_contract").await else { return };
    contract(Engine::Docker(engine)).await;
}

fn spec(image: &Image, trial: &str) -> Spec {
    let owner = Owner { job: "what-engines-owe".to_owned(), trial: format!("{trial}__1234567") };
    Spec { image: image.clone(), network: Network::None, limits: Limits::default(), owner }
}

fn shell(line: &str, timeout: Duration) -> Command {
    Command {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: Some(timeout),
        grace: Duration::from_millis(100),
        output_cap: 1000,
    }
}

async fn contract(engine: Engine) {
    let kind = engine.kind();
    assert!(engine.answers().await, "{kind}");
    let image = engine.image(&ImageSource::Named(BASE.to_owned()), &mut |_| {}).await;
    let mut image = image.unwrap_or_else(|e| panic!("{kind}: {e}"));
    image.workdir = "/".to_owned();

    // What is written is read back; what isn't there, or is too large, is said and no error.
    let mut sandbox = engine.open(&spec(&image, "plain")).await.unwrap_or_else(|e| panic!("{kind}: {e}"));
    sandbox.mkdir("/app", 0o755).await.expect("a folder");
    let question = "aé漢🙂\r\n".repeat(20_000).into_bytes();
    sandbox.write("/app/question.txt", 0o644, &question).await.expect("a file");
    let size = question.len() as u64;
    assert_eq!(sandbox.read("/app/question.txt", size).await.expect("read"), File::Regular(question), "{kind}");
    assert_eq!(
        sandbox.read("/app/question.txt", size - 1).await.expect("read"),
        File::Other(Found::TooLarge),
        "{kind}"
    );
    assert_eq!(sandbox.read("/app/answer.txt", 9).await.expect("read"), File::Other(Found::Missing), "{kind}");

    // A command gives its output, its exit code and its file.
    let mut said = Vec::new();
    let line = shell("echo said; printf 42 > /app/answer.txt; exit 3", Duration::from_secs(30));
    let exit = sandbox.run(&line, &mut |bytes| said.extend_from_slice(bytes)).await.expect("it runs");
    assert_eq!((exit.code, exit.signal, exit.timed_out), (Some(3), None, false), "{kind}");
    assert_eq!((said.as_slice(), exit.output, exit.dropped), (&b"said\n"[..], 5, 0), "{kind}");
    assert_eq!(sandbox.read("/app/answer.txt", 9).await.expect("read"), File::Regular(b"42".to_vec()), "{kind}");
    assert!(!sandbox.out_of_memory().await.expect("it knows"), "{kind}");
    // It has ended, and what it left can still be read.
    assert_eq!(sandbox.read("/app/answer.txt", 9).await.expect("read"), File::Regular(b"42".to_vec()), "{kind}");
    sandbox.close().await.expect("closed");
    sandbox.close().await.expect("closing twice is fine");

    // A command whose time is over ends by a signal, with no exit code.
    let mut sandbox = engine.open(&spec(&image, "slow")).await.expect("a sandbox");
    let exit = sandbox.run(&shell("sleep 60", Duration::from_millis(300)), &mut |_| {}).await.expect("it runs");
    assert!(exit.timed_out && exit.code.is_none() && exit.signal.is_some(), "{kind}: {exit:?}");
    assert!((0.3..10.0).contains(&(exit.micros as f64 / 1e6)), "{kind}: {exit:?}");
    sandbox.close().await.expect("closed");

    // A sandbox that can't be opened is the engine's failure, with its name in it.
    let nowhere = Image { tag: "seatrial-no-such-image:1".to_owned(), ..image };
    let error = engine.open(&spec(&nowhere, "never")).await.map(|_| ()).expect_err("it can't be opened");
    assert!(matches!(&error, Error::Engine { what, .. } if what.contains("never__1234567")), "{kind}: {error}");
    assert_eq!(engine.sweep(Some("what-engines-owe")).await.expect("it can be asked"), 0, "{kind}: nothing was left");
}
