//! A sandbox's stream as an agent may spoil it: what breaks its rules is the agent's doing, ends its own trial's
//! conversation and nothing else. The supervisor here is a list of frames.

use seatrial::network::{Egress, Policy, Settings, TrialNetwork};
use seatrial::sandbox::{Broken, Command, Image, Relay, Session};
use seatrial::wire::{CHUNK, Exit, Part, Report, STREAMS, UNLISTED, WINDOW};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Frames one after another.
#[derive(Default, Clone)]
struct Frames(Vec<u8>);

impl Frames {
    fn say(mut self, report: Report) -> Frames {
        report.encode(&mut self.0);
        self
    }

    fn part(mut self, stream: u32, part: Part<'_>) -> Frames {
        part.encode(&mut self.0, stream);
        self
    }

    fn open(self, stream: u32) -> Frames {
        self.part(stream, Part::Open { name: "api.good.test", port: 443 })
    }
}

/// What comes of a command during which these frames arrive, and what was tried meanwhile.
async fn during(frames: Frames, relay: bool) -> (Result<Exit, Broken>, Vec<String>) {
    let attempts: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&attempts);
    let policy = Policy::allowlist(&["api.good.test".to_owned()], &[]).expect("a policy");
    let keep = move |attempt: seatrial::network::Attempt| kept.lock().expect("nobody panics").push(attempt.host);
    let trial = Arc::new(TrialNetwork::new(policy.clone(), "agent", keep));
    // A host of the user's own at which nobody listens: nothing here leaves this machine.
    let hosts = [("api.good.test".to_owned(), "127.0.0.1:9".parse().expect("an address"))].into();
    let egress = Arc::new(Egress::new(Settings { hosts, ..Settings::default() }).expect("an egress server"));
    let mut said = Frames::default().say(Report::Ready);
    if relay {
        said = said.say(Report::Done);
    }
    said.0.extend_from_slice(&frames.0);
    let said = said.say(Report::Exited(Exit { code: Some(7), ..Exit::default() }));
    let pieces: Vec<_> = said.0.chunks(1000).map(|piece| Ok(piece.to_vec())).collect();
    let mut session = Session::new(Box::pin(futures_util::stream::iter(pieces)), Box::pin(tokio::io::sink()));
    session.ready().await.expect("it speaks");
    if relay {
        session.relay(&Relay::new(&[policy], egress, Arc::clone(&trial))).await.expect("a relay");
    }
    let image = Image {
        tag: "fake".to_owned(),
        id: "fake".to_owned(),
        env: Vec::new(),
        workdir: "/".to_owned(),
        user: String::new(),
        built: false,
        base: None,
        notes: Vec::new(),
    };
    let command = Command {
        argv: vec!["agent".to_owned()],
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: None,
        grace: Duration::ZERO,
        output_cap: 0,
    };
    let ran = session.run(&image, &command, &mut |_| {}).await;
    drop(session);
    trial.close().await;
    let attempts = std::mem::take(&mut *attempts.lock().expect("nobody panics"));
    (ran, attempts)
}

#[tokio::test]
async fn streams_that_keep_the_rules_hold_nothing_up() {
    let full = vec![1; CHUNK];
    let mut frames = Frames::default().open(1).part(1, Part::Data(b"x")).part(1, Part::Shut).open(2);
    for _ in 0..WINDOW as usize / CHUNK {
        frames = frames.part(2, Part::Data(&full));
    }
    // What was on the way when a stream ended is dropped.
    frames = frames.part(2, Part::Reset).part(2, Part::Data(&full)).part(2, Part::Shut).part(2, Part::Credit(9));
    for stream in 3..=STREAMS as u32 + 1 {
        frames = frames.open(stream);
    }
    let (ran, attempts) = during(frames.say(Report::Unlisted("evil.test".to_owned())), true).await;
    assert_eq!(ran.expect("it runs").code, Some(7));
    assert!(attempts.contains(&"evil.test".to_owned()), "{attempts:?}");
}

#[tokio::test]
async fn what_breaks_the_rules_of_streams_is_the_agents_doing() {
    let full = vec![1; CHUNK];
    let new = Frames::default;
    let windowful = (0..WINDOW as usize / CHUNK).fold(new().open(1), |frames, _| frames.part(1, Part::Data(&full)));
    let crowd = (1..=STREAMS as u32 + 1).fold(new(), Frames::open);
    let names = (0..=UNLISTED).fold(new(), |frames, n| frames.say(Report::Unlisted(format!("n{n}.test"))));
    for (frames, words) in [
        (new().part(1, Part::Data(b"x")), "never opened"),
        (new().open(5).part(6, Part::Shut), "never opened"),
        (new().open(5).open(5), "opened twice"),
        (new().open(5).open(4), "opened twice"),
        (crowd, "more streams than may be open"),
        (windowful.part(1, Part::Data(b"x")), "more than its window"),
        (new().open(1).part(1, Part::Shut).part(1, Part::Data(b"x")), "goes on after its end"),
        (new().open(1).part(1, Part::Credit(1)), "more than it was sent"),
        (new().part(1, Part::Data(b"")), "empty"),
        (new().open(1).part(1, Part::Open { name: "a b", port: 1 }), "no host"),
        (names, "more unlisted names"),
    ] {
        match during(frames, true).await.0 {
            Err(Broken::Spoiled(why)) => assert!(why.contains(words), "{why}, not {words}"),
            other => panic!("{words}: {other:?}"),
        }
    }
    // Where there is no relay, there are no streams.
    for frames in [new().open(1), new().say(Report::Unlisted("evil.test".to_owned()))] {
        let (ran, attempts) = during(frames, false).await;
        assert!(matches!(ran, Err(Broken::Spoiled(_))), "{ran:?}");
        assert!(attempts.is_empty());
    }
}
