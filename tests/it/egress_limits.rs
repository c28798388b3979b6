//! Streams through the egress server that come to an end: by time, by caps, by another phase, by their trial's end; and
//! what is kept of them.

use crate::egress_bed::{Bed, Liar, SOON, Server, listing, mapped};
use seatrial::network::{Decision, End, Policy, RECORDS, Reason, Settings};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const GET: &str = "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n";

#[tokio::test]
async fn a_stream_on_which_nothing_moves_is_closed() {
    let server = Server::echo().await;
    let settings = Settings { idle: Duration::from_millis(700), ..mapped(server.address, &["api.test"]) };
    let bed = Bed::new(listing(&["api.test"]), settings);
    let mut agent = bed.open("api.test", 443);
    agent.send(b"\0ping").await;
    assert_eq!(agent.read_to_end().await, b"\0ping");
    assert!(!agent.ended().await);
    assert_eq!(bed.record().end, End::Idle);
}

#[tokio::test]
async fn a_request_that_trickles_in_for_too_long_is_refused_and_one_that_never_begins_is_not() {
    let server = Server::new(|mut stream| async move {
        let _ = stream.write_all(b"hello").await;
        let _ = stream.read_u8().await;
    })
    .await;
    let settings = Settings { opening: Duration::from_millis(300), ..mapped(server.address, &["api.test"]) };
    let bed = Bed::new(listing(&["api.test"]), settings);
    let silent = bed.open("api.test", 80);
    let mut slow = bed.open("api.test", 80);
    slow.send(b"GET / HT").await;
    slow.read_to_end().await;
    assert!(!slow.ended().await);
    assert_eq!(bed.record().decision.reason.code(), "unreadable", "only the slow one has ended");
    drop(silent);
}

#[tokio::test]
async fn a_trial_moves_no_more_bytes_than_its_cap_over_all_streams() {
    let server = Server::echo().await;
    let settings = Settings { bytes: 1000, ..mapped(server.address, &["api.test"]) };
    let bed = Bed::new(listing(&["api.test"]), settings);
    let mut first = bed.open("api.test", 443);
    first.send(&[0; 400]).await;
    first.receive(400).await;
    let mut second = bed.open("api.test", 443);
    second.send(&[0; 150]).await;
    second.read_to_end().await;
    assert!(!second.ended().await);
    let record = bed.record();
    assert_eq!((record.end, record.up, record.down), (End::Bytes, 150, 0));
    first.send(&[0; 51]).await;
    first.read_to_end().await;
    assert!(!first.ended().await);
    assert!(bed.trial.totals().up + bed.trial.totals().down <= 1000);
}

#[tokio::test]
async fn a_flood_of_streams_is_held_to_the_cap_and_costs_other_trials_nothing() {
    let server = Server::echo().await;
    let settings = Settings { streams: 8, ..mapped(server.address, &["api.test"]) };
    let bed = Bed::new(listing(&["api.test"]), settings);
    let mut flood: Vec<_> = (0..2500).map(|_| bed.open("api.test", 443)).collect();
    let (mut carried, mut refused) = (0, 0);
    for agent in &mut flood {
        let _ = agent.stream.write_all(b"\0").await;
        let mut byte = [0];
        match tokio::time::timeout(SOON, agent.stream.read(&mut byte)).await.expect("answered soon") {
            Ok(1) => carried += 1,
            _ => refused += 1,
        }
    }
    assert_eq!((carried, refused), (8, 2492));
    let other = bed.neighbour(listing(&["api.test"]));
    let mut agent = other.open("api.test", 443);
    agent.send(b"\0").await;
    agent.receive(1).await;
    drop(flood);
}

#[tokio::test]
async fn a_new_phase_closes_what_it_does_not_permit_at_once_and_leaves_the_rest() {
    let server = Server::echo().await;
    let names = ["a.test", "b.test"];
    let bed = Bed::to(server.address, &names);
    let (mut a, mut b) = (bed.open("a.test", 443), bed.open("b.test", 443));
    for agent in [&mut a, &mut b] {
        agent.send(b"\0").await;
        agent.receive(1).await;
    }
    bed.trial.switch(listing(&["b.test", "c.test"]), "verifier");
    assert_eq!(a.read_to_end().await, b"");
    assert!(!a.ended().await, "a stream that is no longer permitted is reset");
    let record = bed.record();
    assert_eq!((record.end, record.phase.as_str()), (End::Switched, "agent"));
    b.send(b"\0still here").await;
    assert_eq!(b.receive(11).await, b"\0still here");
    assert!(!bed.open("a.test", 443).ended().await);
    let denied = bed.records().pop().expect("a record");
    assert_eq!((denied.decision.allowed, denied.phase.as_str()), (false, "verifier"));

    bed.trial.switch(Policy::NoNetwork, "nothing");
    b.read_to_end().await;
    assert!(!b.ended().await, "no network leaves no stream");
}

#[tokio::test]
async fn a_new_phase_also_ends_streams_that_are_still_being_dialled() {
    let liar = Liar::saying("api.test", &["203.0.113.7"]);
    let settings = Settings { resolver: Some(liar.clone()), ..Settings::default() };
    let bed = Bed::new(listing(&["api.test", "203.0.113.7"]), settings);
    let agent = bed.open("api.test", 443);
    liar.has_been_asked().await;
    // The name is still listed, but no longer the special address.
    bed.trial.switch(listing(&["api.test"]), "verifier");
    assert!(!agent.ended().await);
    let end = bed.record().end;
    assert!(matches!(end, End::Switched | End::Unreachable(_)), "{end}");
}

#[tokio::test]
async fn closing_a_trial_ends_all_its_streams_completes_its_records_and_lets_none_begin() {
    let server = Server::echo().await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agents: Vec<_> = (0..20).map(|_| bed.open("api.test", 443)).collect();
    for agent in &mut agents {
        agent.send(b"\0").await;
        agent.receive(1).await;
    }
    agents[0].abort();
    tokio::time::timeout(SOON, bed.trial.close()).await.expect("it closes soon");
    let records = bed.records();
    assert_eq!(records.len(), 20);
    assert!(records.iter().all(|r| r.end == End::TrialOver && r.up == 1 && r.down == 1), "{records:#?}");
    assert!(!bed.open("api.test", 443).ended().await);
    assert_eq!(bed.records().len(), 20, "the evidence stays complete");
}

#[tokio::test]
async fn denied_names_are_evidence_and_noise_does_not_hide_what_was_reached() {
    let server = Server::answering(PAGE).await;
    let bed = Bed::to(server.address, &["api.test"]);
    for n in 0..RECORDS + 7 {
        bed.trial.denied_name(&format!("n{n}.evil.test"));
    }
    assert_eq!(bed.denied("api.test", GET.as_bytes()).await, None);
    let records = bed.records();
    assert_eq!(records.len() as u64, RECORDS + 1);
    let first = &records[0];
    assert_eq!((first.host.as_str(), first.port, first.end.code()), ("n0.evil.test", None, "denied"));
    assert_eq!(first.decision, Decision { allowed: false, reason: Reason::NotListed });
    let totals = bed.trial.totals();
    assert_eq!((totals.allowed, totals.denied, totals.unrecorded), (1, RECORDS + 7, 7));
    assert_eq!((totals.up, totals.down), (GET.len() as u64, PAGE.len() as u64));
}

#[tokio::test]
async fn two_trials_on_one_server_keep_apart() {
    let server = Server::echo().await;
    let a = Bed::to(server.address, &["a.test", "b.test"]);
    let b = a.neighbour(listing(&["b.test"]));
    assert!(!b.open("a.test", 443).ended().await);
    a.trial.close().await;
    let mut agent = b.open("b.test", 443);
    agent.send(b"\0").await;
    agent.receive(1).await;
}
