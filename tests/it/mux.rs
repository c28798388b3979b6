//! A sandbox's stream as an agent may spoil it: what breaks its rules is the agent's doing, ends its own trial's
//! conversation and nothing else. The supervisor here is a list of frames.

use proptest::prelude::*;
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

/// What a spoiled supervisor could send: parts in any order, for any stream, and bytes that are no frame at all.
#[derive(Debug, Clone)]
enum Sent {
    Open(u32),
    Data(u32, usize),
    Shut(u32),
    Reset(u32),
    Credit(u32, u32),
    Name,
    Noise(Vec<u8>),
}

fn sent() -> impl Strategy<Value = Sent> {
    let stream = || prop_oneof![9 => 1..6_u32, 1 => any::<u32>()];
    let length = prop_oneof![6 => 1..100_usize, 2 => Just(CHUNK), 1 => 0..WINDOW as usize + 2];
    let bytes = prop_oneof![1..10_u32, any::<u32>()];
    prop_oneof![
        6 => stream().prop_map(Sent::Open),
        6 => (stream(), length).prop_map(|(stream, length)| Sent::Data(stream, length)),
        3 => stream().prop_map(Sent::Shut),
        2 => stream().prop_map(Sent::Reset),
        1 => (stream(), bytes).prop_map(|(stream, bytes)| Sent::Credit(stream, bytes)),
        1 => Just(Sent::Name),
        1 => proptest::collection::vec(any::<u8>(), 0..20).prop_map(Sent::Noise),
    ]
}

/// The rules of `wire`, written down a second time: whether a row of frames keeps them, as far as that can be said
/// without knowing what the runner has sent meanwhile. `None` where it can't.
fn keeps_the_rules(row: &[Sent]) -> Option<bool> {
    let (mut last, mut names) = (0, 0);
    // Per stream that is open: bytes that may still come for sure, and whether the agent has ended it.
    let mut open: std::collections::BTreeMap<u32, (usize, bool)> = Default::default();
    for sent in row {
        let known = |id: &u32| *id <= last && *id != 0;
        match sent {
            // Stream 0 carries reports, and these are none.
            Sent::Open(0) | Sent::Data(0, _) | Sent::Shut(0) | Sent::Reset(0) | Sent::Credit(0, _) => {
                return Some(false);
            }
            Sent::Noise(bytes) if bytes.is_empty() => {}
            // It may be a frame's beginning that takes what follows for its payload.
            Sent::Noise(_) => return None,
            Sent::Open(id) if *id <= last => return Some(false),
            Sent::Open(id) => (last, _) = (*id, open.insert(*id, (WINDOW as usize, false))),
            Sent::Data(_, length) if *length == 0 || *length > WINDOW as usize => return Some(false),
            Sent::Data(id, _) | Sent::Shut(id) | Sent::Reset(id) | Sent::Credit(id, _) if !known(id) => {
                return Some(false);
            }
            Sent::Reset(id) => drop(open.remove(id)),
            // The runner resets a stream whose server doesn't answer, and what comes for it then is passed over.
            Sent::Data(id, length) => match open.get_mut(id) {
                Some((left, false)) if *left >= *length => *left -= length,
                Some(_) => return None,
                None => {}
            },
            Sent::Shut(id) => match open.get_mut(id) {
                Some((_, ended)) if !*ended => *ended = true,
                Some(_) => return None,
                None => {}
            },
            Sent::Credit(id, bytes) if open.contains_key(id) && *bytes > 0 => return None,
            Sent::Credit(..) => {}
            Sent::Name => {
                names += 1;
                if names > UNLISTED {
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}

fn encoded(row: &[Sent]) -> Frames {
    row.iter().fold(Frames::default(), |mut frames, sent| match sent {
        Sent::Open(id) => frames.open(*id),
        Sent::Data(id, length) => frames.part(*id, Part::Data(&vec![1; *length])),
        Sent::Shut(id) => frames.part(*id, Part::Shut),
        Sent::Reset(id) => frames.part(*id, Part::Reset),
        Sent::Credit(id, bytes) => frames.part(*id, Part::Credit(*bytes)),
        Sent::Name => frames.say(Report::Unlisted("evil.test".to_owned())),
        Sent::Noise(bytes) => {
            frames.0.extend_from_slice(bytes);
            frames
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever comes: the run ends, with what the rules say; nothing panics; each stream that began has its record.
    #[test]
    fn any_row_of_frames_is_carried_or_is_the_agents_doing(row in proptest::collection::vec(sent(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let during = async { tokio::time::timeout(Duration::from_secs(20), during(encoded(&row), true)).await };
        let (ran, attempts) = runtime.block_on(during).expect("it ends");
        match (&ran, keeps_the_rules(&row)) {
            (Ok(exit), Some(true)) => prop_assert_eq!(exit.code, Some(7)),
            (Err(Broken::Spoiled(_)), Some(false)) | (_, None) => {}
            other => prop_assert!(false, "{other:?}"),
        }
        let opened = row.iter().filter(|sent| matches!(sent, Sent::Open(_) | Sent::Name)).count();
        prop_assert!(attempts.len() <= opened, "{attempts:?}");
    }
}
