//! Streams through the egress server: what gets through, to which address, and what is recorded.

use crate::egress_bed::{Bed, Liar, SOON, Server, listing, mapped};
use seatrial::network::{Decision, End, Policy, Reason, Settings};
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
