//! What agents reached and were denied, from the trials' evidence to every format of a report.

use crate::job_fixture::{config, end, handle, job, scored};
use crate::report::matches_schema;
use crate::support::Suite;
use seatrial::event::{Event, NetworkUse};
use seatrial::network::{Attempt, Decision, End, Reason};
use seatrial::results::Store;

#[test]
fn what_agents_reached_and_were_denied_is_kept_and_shown_in_every_format() {
    let suite = Suite::new();
    let job = job("open", &["stays", "leaves", "closed"], 1);
    let attempt = |host: &str, port: Option<u16>, reason: Reason| Attempt {
        at: std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000),
        phase: "agent".into(),
        host: host.into(),
        port,
        address: port.map(|port| ([192, 0, 2, 7], port).into()),
        decision: Decision::of(reason),
        end: if port.is_some() { End::Closed } else { End::Denied },
        up: 1,
        down: 2,
        duration: std::time::Duration::from_millis(250),
        request: None,
    };
    let mut store = Store::create(&suite.join("jobs/open"), job.clone(), config("open")).expect("a job");
    for trial in 0..3 {
        handle(&mut store, Event::TrialStarted { trial, retry: 0 });
        let mut end = end(&job.trials[trial], trial, scored(1.0));
        if trial < 2 {
            let mut attempts = vec![attempt("api.test", Some(443), Reason::Listed("*.test".into()))];
            attempts.extend((trial == 1).then(|| attempt("evil|.test", None, Reason::NotListed)));
            let network = NetworkUse {
                allowed: 1,
                denied: 3 * trial as u64,
                unrecorded: 2 * trial as u64,
                reached: [("api.test".to_owned(), 1)].into(),
                unreached: (trial == 0).then(|| ("down.test".to_owned(), 4)).into_iter().collect(),
                refused: (trial == 1).then(|| ("evil|.test".to_owned(), 1)).into_iter().collect(),
                ..NetworkUse::default()
            };
            handle(&mut store, Event::Network { trial, attempts, unrecorded: network.unrecorded });
            end.network = Some(network);
        }
        handle(&mut store, Event::TrialFinished { trial, end: Box::new(end) });
    }
    drop(store);
    matches_schema("report.json", &suite.run(&["report", "jobs/open", "--format", "json"]).expect_code(0).stdout);
    let lines = suite.read(&format!("jobs/open/{}/network.jsonl", job.trials[1].name));
    insta::assert_snapshot!(lines, @r#"
    {"format":1,"at":"2023-11-14T22:13:20.000000Z","phase":"agent","host":"api.test","port":443,"address":"192.0.2.7:443","allowed":true,"reason":"listed","why":"listed as `*.test`","end":"closed","how":"closed","up":1,"down":2,"seconds":0.25}
    {"format":1,"at":"2023-11-14T22:13:20.000000Z","phase":"agent","host":"evil|.test","port":null,"address":null,"allowed":false,"reason":"not_listed","why":"not listed","end":"denied","how":"denied","up":1,"down":2,"seconds":0.25}
    {"format":1,"unrecorded":2}
    "#);
    assert!(!suite.join(&format!("jobs/open/{}/network.jsonl", job.trials[2].name)).exists());
    let shown = |format: &str| suite.run(&["report", "jobs/open", "--format", format]).expect_code(0).stdout;
    let text = shown("text");
    insta::assert_snapshot!(text[text.find("network\n").expect("a part of its own")..], @r#"
    network
      attempts      2 allowed, 3 denied
      reached       api.test 2
      no answer     down.test 4
      denied        evil|.test 1
      denied in     leaves
      unrecorded    2 attempts were only counted
    "#);
    let markdown = shown("md");
    insta::assert_snapshot!(markdown[markdown.find("## Network").expect("a part of its own")..], @r#"
    ## Network

    | | |
    | --- | --- |
    | attempts | 2 allowed, 3 denied |
    | reached | api.test 2 |
    | no answer | down.test 4 |
    | denied | evil\|.test 1 |
    | denied in | leaves |
    | unrecorded | 2 attempts were only counted |
    "#);
    let json: serde_json::Value = serde_json::from_str(&shown("json")).expect("JSON");
    insta::assert_snapshot!(json["network"].to_string(), @r#"{"trials":2,"allowed":2,"denied":3,"unrecorded":2,"reached":{"api.test":2},"unreached":{"down.test":4},"refused":{"evil|.test":1},"tried_to_leave":["leaves"]}"#);
    assert_eq!(json["trials"][1]["network"]["denied"], 3);
    assert!(json["trials"][2].get("network").is_none(), "{json}");
}
