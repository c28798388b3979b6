//! Streams through the egress server: what gets through, to which address, under which caps, and what is recorded.

use crate::egress_bed::{Bed, Liar, SOON, Server, listing, mapped};
use seatrial::network::{Decision, End, Policy, RECORDS, Reason, Settings};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const GET: &str = "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n";

#[tokio::test]
async fn a_listed_name_is_reached_and_the_attempt_is_recorded() {
    let server = Server::answering(PAGE).await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agent = bed.open("api.test", 80);
    agent.send(GET.as_bytes()).await;
    assert_eq!(agent.receive(PAGE.len()).await, PAGE.as_bytes());
    agent.stream.shutdown().await.expect("the agent has said all");
    assert_eq!(agent.read_to_end().await, b"");
    assert!(agent.ended().await, "the stream ends as it should");
    let record = bed.record();
    assert_eq!((record.host.as_str(), record.port, record.phase.as_str()), ("api.test", Some(80), "agent"));
    assert_eq!(record.address, Some(server.address));
    assert_eq!(record.decision, Decision { allowed: true, reason: Reason::Listed("api.test".to_owned()) });
    assert_eq!((record.end, record.up, record.down), (End::Closed, GET.len() as u64, PAGE.len() as u64));
    assert_eq!(server.received(), GET, "not a byte is changed");
}

#[tokio::test]
async fn what_is_not_listed_is_refused_without_a_connection() {
    let server = Server::echo().await;
    let names = ["api.test", "other.test", "127.0.0.1"];
    let bed = Bed::new(listing(&["api.test"]), mapped(server.address, &names));
    for (host, port, wanted) in [
        ("other.test", 80, "not_listed"),
        ("api.test", 8080, "port"),
        ("127.0.0.1", 80, "not_listed"),
        ("127.1", 80, "not_a_host"),
        ("api.test\r\nx: y", 80, "not_a_host"),
    ] {
        let mut agent = bed.open(host, port);
        assert_eq!(agent.read_to_end().await, b"", "{host}");
        assert!(!agent.ended().await, "{host} is reset");
        let record = bed.records().pop().expect("a record");
        assert_eq!((record.decision.reason.code(), record.end), (wanted, End::Denied), "{host}");
        assert_eq!(record.address, None, "{host}");
        assert!(record.host.chars().all(|c| c.is_ascii_graphic() || c == ' '), "{}", record.host);
    }
    assert_eq!(server.connections(), 0);
}

/// An address of this machine beside loopback, where it has one.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    // Nothing is sent: connecting a datagram's socket only looks up the way.
    socket.connect("192.0.2.99:9").ok()?;
    socket.local_addr().ok().map(|at| at.ip()).filter(|ip| !ip.is_loopback())
}

#[tokio::test]
async fn this_machines_own_address_is_refused_though_the_allowlist_names_it() {
    let Some(own) = own_address() else { return };
    let listener = TcpListener::bind((own, 0)).await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let direct = tokio::net::TcpStream::connect((own, port)).await;
    assert!(direct.is_ok() && listener.accept().await.is_ok(), "it can be reached from here");
    let liar = Liar::saying("api.test", &[&own.to_string()]);
    for host in ["api.test", &own.to_string()] {
        let policy = Policy::allowlist(&["api.test", &own.to_string()], &[port]).expect("a good list");
        let bed = Bed::new(policy, Settings { resolver: Some(liar.clone()), ..Settings::default() });
        let mut agent = bed.open(host, port);
        assert_eq!(agent.read_to_end().await, b"");
        assert!(!agent.ended().await, "it is reset");
        let record = bed.record();
        assert_eq!((record.decision.reason.code(), record.address), ("special_address", None), "{record:?}");
    }
}

#[tokio::test]
async fn connections_without_end_wait_their_turn() {
    let server = Server::echo().await;
    let pace = Duration::from_millis(300);
    let settings = Settings { burst: 3, pace, ..mapped(server.address, &["api.test"]) };
    let bed = Bed::new(listing(&["api.test"]), settings);
    let began = std::time::Instant::now();
    for _ in 0..5 {
        let mut agent = bed.open("api.test", 80);
        agent.stream.shutdown().await.expect("nothing is said");
        agent.read_to_end().await;
        assert!(agent.ended().await);
    }
    assert_eq!(server.connections(), 5);
    assert!(began.elapsed() >= 2 * pace, "two came after the burst: {:?}", began.elapsed());
}

#[tokio::test]
async fn a_name_that_resolves_to_a_private_or_local_address_is_refused() {
    let canary = Server::echo().await;
    let port = canary.address.port();
    for addresses in [
        &["127.0.0.1"][..],
        &["169.254.169.254"],
        &["::ffff:127.0.0.1"],
        &["::1"],
        &["0.0.0.0"],
        &["10.0.0.1"],
        &["192.168.0.1", "127.0.0.1"],
        &["fe80::1"],
        &["64:ff9b::7f00:1"],
    ] {
        let settings = Settings { resolver: Some(Liar::saying("api.test", addresses)), ..Settings::default() };
        // The list opens anything that an entry can open without meaning it.
        let hosts = ["api.test", "0.0.0.0/0", "::/0", "127.0.0.1", "0.0.0.0", "::1"];
        let bed = Bed::new(Policy::allowlist(&hosts, &[port]).expect("good"), settings);
        assert!(!bed.open("api.test", port).ended().await, "{addresses:?}");
        let record = bed.record();
        assert_eq!((record.decision.reason.code(), record.address), ("special_address", None), "{addresses:?}");
        assert!(record.decision.reason.to_string().contains("not listed"));
    }
    assert_eq!(canary.connections(), 0, "nothing has reached loopback");
}

#[tokio::test]
async fn an_address_is_dialled_as_it_was_checked_and_the_name_is_asked_for_once() {
    let liar = Liar::saying("api.test", &["127.0.0.1", "203.0.113.7"]);
    let settings = Settings { resolver: Some(liar.clone()), ..Settings::default() };
    let bed = Bed::new(listing(&["api.test", "203.0.113.7"]), settings);
    let agent = bed.open("api.test", 443);
    liar.has_been_asked().await;
    // Whether something answers there depends on the machine; which address was tried does not.
    bed.trial.close().await;
    assert!(!agent.ended().await);
    let record = bed.record();
    assert_eq!(record.address, Some(SocketAddr::from(([203, 0, 113, 7], 443))));
    assert!(record.decision.allowed, "a server that does not answer is nobody's fault");
    assert_eq!(liar.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_no_denial() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let nobody = closed.local_addr().expect("it is bound");
    drop(closed);
    let bed = Bed::to(nobody, &["api.test"]);
    assert!(!bed.open("api.test", 443).ended().await);
    let record = bed.record();
    assert!(matches!(record.end, End::Unreachable(_)), "{record:?}");
    assert_eq!((record.decision.allowed, record.address), (true, Some(nobody)));
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_recorded_with_the_reason() {
    let settings = Settings { resolver: Some(Liar::saying("api.test", &["1.1.1.1"])), ..Settings::default() };
    let bed = Bed::new(listing(&["*.api.test"]), settings);
    assert!(!bed.open("gone.api.test", 443).ended().await);
    assert_eq!(bed.record().end, End::Unresolved("no such name".to_owned()));
}

#[tokio::test]
async fn without_another_resolver_this_machine_s_own_is_asked() {
    let bed = Bed::new(listing(&["localhost"]), Settings::default());
    assert!(!bed.open("localhost", 443).ended().await);
    let reason = bed.record().decision.reason;
    assert!(matches!(reason, Reason::SpecialAddress { kind: "loopback", .. }), "{reason}");
}

#[tokio::test]
async fn a_name_of_the_user_s_own_servers_has_to_be_listed_and_a_wildcard_lists_it() {
    let server = Server::echo().await;
    let bed = Bed::new(listing(&["*.corp.test"]), mapped(server.address, &["Model.corp.test.", "corp.test"]));
    let mut agent = bed.open("model.corp.test", 443);
    agent.send(b"\0ping").await;
    assert_eq!(agent.receive(5).await, b"\0ping");
    assert!(!bed.open("corp.test", 443).ended().await, "it is mapped, but not listed");
    let error = seatrial::network::Egress::new(mapped(server.address, &["*.corp.test"])).expect_err("a wildcard");
    assert_eq!(error.to_string(), "the mapped host `*.corp.test` is not a host name");
}

#[tokio::test]
async fn either_side_can_end_first_and_the_other_still_speaks() {
    let server = Server::new(|mut stream| async move {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.expect("the agent's end arrives");
        stream.write_all(&all).await.expect("there is a way back");
    })
    .await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agent = bed.open("api.test", 443);
    agent.send(b"\0all that I say").await;
    agent.stream.shutdown().await.expect("half-closed");
    assert_eq!(agent.read_to_end().await, b"\0all that I say");
    assert!(agent.ended().await);

    let server = Server::new(|mut stream| async move {
        stream.write_all(b"220 hello\r\n").await.expect("written");
        stream.shutdown().await.expect("half-closed");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.expect("the agent's words arrive");
        assert_eq!(all, b"EHLO me\r\n");
    })
    .await;
    let bed = Bed::to(server.address, &["mail.test"]);
    let mut agent = bed.open("mail.test", 80);
    assert_eq!(agent.read_to_end().await, b"220 hello\r\n", "a server may speak first");
    agent.send(b"EHLO me\r\n").await;
    agent.stream.shutdown().await.expect("closed");
    assert!(agent.ended().await);
    assert_eq!(bed.record().up, 9);
}

#[tokio::test]
async fn a_stream_that_the_server_breaks_off_is_reset() {
    let server = Server::new(|mut stream| async move {
        let _ = stream.read_u8().await;
        stream.set_zero_linger().expect("a reset can be asked for");
    })
    .await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agent = bed.open("api.test", 443);
    agent.send(b"\0").await;
    agent.read_to_end().await;
    assert!(!agent.ended().await);
    assert_eq!(bed.record().end, End::Broken("the server"));
}

#[tokio::test]
async fn a_server_sees_a_refused_stream_broken_off_and_not_ended() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let server = Server::new(move |mut stream| {
        let tell = tell.lock().expect("no panic here").take();
        async move {
            let mut all = Vec::new();
            let read = stream.read_to_end(&mut all).await;
            tell.expect("one connection").send(read.map_err(|e| e.kind())).expect("the test waits");
        }
    })
    .await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agent = bed.open("api.test", 80);
    agent.send(b"POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 9\r\n\r\n").await;
    agent.send(b"a message").await;
    agent.send(b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n").await;
    assert!(!agent.ended().await);
    let read = tokio::time::timeout(SOON, told).await.expect("soon").expect("told");
    assert_eq!(read, Err(std::io::ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn large_bodies_arrive_whole_both_ways() {
    let server = Server::echo().await;
    let bed = Bed::to(server.address, &["api.test"]);
    let agent = bed.open("api.test", 443);
    let sent: Vec<u8> = (0..8_000_003_u32).map(|n| (n % 251) as u8).collect();
    let (mut read, mut write) = tokio::io::split(agent.stream);
    let copy = sent.clone();
    let sending = tokio::spawn(async move {
        write.write_all(&copy).await.expect("written");
        write.shutdown().await.expect("ended");
    });
    let mut got = Vec::new();
    tokio::time::timeout(SOON, read.read_to_end(&mut got)).await.expect("soon").expect("read");
    sending.await.expect("sent");
    assert!(got == sent, "{} of {} bytes", got.len(), sent.len());
}

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
