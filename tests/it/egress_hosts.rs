//! What an agent says on an allowed stream: another host than the one it was opened for is refused, in TLS and in each
//! HTTP/1 request, and everything honest passes unchanged.

use crate::egress_bed::{Agent, Bed, Server};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Sends these bytes to `api.test`; why they were denied, if they were, and what its server has seen of them.
async fn sent(bytes: &[u8]) -> (Option<String>, String) {
    let server = Server::answering(PAGE).await;
    let denied = Bed::to(server.address, &["api.test"]).denied("api.test", bytes).await;
    (denied, server.received())
}

#[tokio::test]
async fn a_request_for_the_right_host_passes_in_any_form() {
    for request in [
        "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "GET / HTTP/1.1\r\nhost:API.test.:80\r\nAccept: */*\r\n\r\n",
        "GET http://api.test/a?b HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "GET http://API.TEST:80 HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /?u=http://evil.test/ HTTP/1.1\r\nHost: api.test\r\nReferer: http://evil.test/\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 22\r\n\r\nHost: evil.test\r\n\r\nend",
        "POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n\
         5;x=y\r\nHost:\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: api.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc\
         GET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        // No host is named in these.
        "EHLO evil.test\r\n",
        "GET /\r\n",
        "PING",
        "SSH-2.0-x\r\n\0\0",
        "\0\0\0\x08binary GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
    ] {
        assert_eq!(sent(request.as_bytes()).await, (None, request.to_owned()));
    }
}

#[tokio::test]
async fn a_request_for_another_host_never_reaches_the_server() {
    for (request, wanted) in [
        ("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "Host names another host, `evil.test`"),
        ("GET / HTTP/1.1\r\nHost: www.api.test\r\n\r\n", "Host names another host, `www.api.test`"),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "Host names another host, `127.0.0.1`"),
        ("GET / HTTP/1.1\r\nHost: api.test:80@evil.test\r\n\r\n", "Host names another host, `api.test:80@evil.test`"),
        ("GET / HTTP/1.1\r\nHost: api.test, evil.test\r\n\r\n", "Host names another host, `api.test, evil.test`"),
        ("GET / HTTP/1.0\r\nHost: evil.test\r\n\r\n", "Host names another host, `evil.test`"),
        ("\r\n\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "Host names another host, `evil.test`"),
        ("get / http/1.1\r\nHost: evil.test\r\n\r\n", "looks like HTTP/1 and can't be read"),
        ("GET\x0b/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "looks like HTTP/1 and can't be read"),
        ("GET / HTTP/1.1\nHost: evil.test\n\n", "Host names another host, `evil.test`"),
        ("GET / HTTP/1.1\r\nHost : evil.test\r\n\r\n", "looks like HTTP/1 and can't be read"),
        ("GET / HTTP/1.1\r\nX: y\r\n Host: evil.test\r\n\r\n", "looks like HTTP/1 and can't be read"),
        ("GET / HTTP/1.1\r\nHost: api.test\r\nHost: evil.test\r\n\r\n", "an HTTP/1 request with one header twice"),
        ("GET http://evil.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n", "URL names another host, `evil.test`"),
        ("GET http://api.test@evil.test/ HTTP/1.1\r\n\r\n", "URL names another host, `api.test@evil.test`"),
        ("GET http://api.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "Host names another host, `evil.test`"),
        ("GET evil.test HTTP/1.1\r\nHost: api.test\r\n\r\n", "an HTTP/1 request for neither a path nor a URL"),
        ("CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n", "asks for a tunnel"),
        ("CONNECT api.test:443 HTTP/1.1\r\nHost: api.test\r\n\r\n", "asks for a tunnel"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2 without TLS, whose hosts can't be checked"),
        ("GET / HTTP/1.1\r\nHost: api.te", "ends within a hello or a request"),
        ("GET / HTTP/1.1", "ends within a hello or a request"),
        ("\x16\x03\x01\x02", "ends within a hello or a request"),
        ("\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00", "looks like TLS and can't be read"),
        (
            "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            "an HTTP/1 request whose end isn't clear",
        ),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", "an HTTP/1 request whose end isn't clear"),
        ("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", "an HTTP/1 request whose end isn't clear"),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "an HTTP/1 request whose end isn't clear"),
    ] {
        let (denied, seen) = sent(request.as_bytes()).await;
        assert_eq!(denied.as_deref(), Some(wanted), "{request:?}");
        assert_eq!(seen.trim(), "", "{request:?}");
    }
}

#[tokio::test]
async fn a_later_request_on_the_same_connection_is_checked_too() {
    let evil = "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    for first in [
        "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 5\r\n\r\n12345",
        "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
    ] {
        let (denied, seen) = sent(format!("{first}{evil}").as_bytes()).await;
        assert_eq!(denied.as_deref(), Some("Host names another host, `evil.test`"), "{first}");
        assert!(!seen.contains("evil"), "{seen}");

        // The same after an answer, as a browser would keep the connection.
        let server = Server::answering(PAGE).await;
        let bed = Bed::to(server.address, &["api.test"]);
        let mut agent = bed.open("api.test", 80);
        agent.send(first.as_bytes()).await;
        agent.receive(PAGE.len()).await;
        agent.send(evil.as_bytes()).await;
        agent.read_to_end().await;
        assert!(!agent.ended().await);
        assert_eq!(bed.record().decision.reason.code(), "other_host");
        assert_eq!(server.received(), first);
    }
}

#[tokio::test]
async fn chunks_that_hide_a_request_are_refused() {
    for body in
        ["5\nHost:\n0\n\n", "0x5\r\n", "-1\r\n", ";\r\n", "5\r\n12345GET", "fffffffffffffffff\r\n", "0\r\n\n", "5 \n"]
    {
        let request = format!("POST / HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        let (denied, _) = sent(request.as_bytes()).await;
        assert_eq!(denied.as_deref(), Some("an HTTP/1 body whose chunks can't be read"), "{body:?}");
    }
}

#[tokio::test]
async fn a_web_socket_passes_and_an_upgrade_to_plain_http2_does_not() {
    const SWITCH: &str = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
    async fn upgraded(answer: &'static str, protocol: &str, next: &[u8]) -> (Bed, Agent, Server) {
        let server = Server::answering(answer).await;
        let bed = Bed::to(server.address, &["api.test"]);
        let mut agent = bed.open("api.test", 80);
        let request = format!(
            "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: {protocol}\r\n\r\n"
        );
        agent.send(request.as_bytes()).await;
        assert_eq!(agent.receive(answer.len()).await, answer.as_bytes());
        // Where the switch is refused, the stream may be gone by now.
        let _ = agent.stream.write_all(next).await;
        let _ = agent.stream.shutdown().await;
        agent.read_to_end().await;
        (bed, agent, server)
    }
    let (bed, agent, server) = upgraded(SWITCH, "websocket", b"\x81\x05frame").await;
    assert!(agent.ended().await);
    assert!(bed.record().decision.allowed);
    assert!(server.received().ends_with("frame"));

    let (bed, agent, server) = upgraded(SWITCH, "h2c", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!agent.ended().await);
    assert_eq!(bed.record().decision.reason.code(), "plain_http2");
    assert!(!server.received().contains("PRI"));

    // A server that does not take the offer up goes on with HTTP/1, and so does the check.
    let (bed, agent, _) = upgraded(PAGE, "h2c", b"GET / HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
    assert!(agent.ended().await);
    assert!(bed.record().decision.allowed);
    let (bed, agent, server) = upgraded(PAGE, "websocket", b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n").await;
    assert!(!agent.ended().await);
    assert_eq!(bed.record().decision.reason.code(), "other_host");
    assert!(!server.received().contains("evil"));
}

/// A TLS server with a certificate of its own for `names`, and a client's trust in it.
async fn tls_server(names: &[&str]) -> (Server, TlsConnector) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let certificate = CertificateDer::from(made.cert.der().to_vec());
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let server = ServerConfig::builder().with_no_client_auth();
    let server = server.with_single_cert(vec![certificate.clone()], key.into()).expect("key and certificate fit");
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a good certificate");
    let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let server = Server::new(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let mut request = [0; 4];
            if stream.read_exact(&mut request).await.is_ok() {
                let _ = stream.write_all(b"pong").await;
                let _ = stream.shutdown().await;
            }
        }
    })
    .await;
    (server, TlsConnector::from(Arc::new(client)))
}

#[tokio::test]
async fn tls_passes_for_the_right_name_or_no_name_and_is_refused_for_another() {
    let (server, connector) = tls_server(&["api.test", "other.test", "127.0.0.1"]).await;
    for (name, wanted) in
        [("api.test", None), ("127.0.0.1", None), ("other.test", Some("SNI names another host, `other.test`"))]
    {
        let bed = Bed::to(server.address, &["api.test", "other.test"]);
        let Agent { stream, .. } = bed.open("api.test", 443);
        let before = server.connections();
        let name = ServerName::try_from(name).expect("a server name");
        let spoken = async {
            let mut stream = connector.connect(name, stream).await?;
            stream.write_all(b"ping").await?;
            let mut answer = [0; 4];
            stream.read_exact(&mut answer).await?;
            let _ = stream.shutdown().await;
            std::io::Result::Ok(answer)
        };
        match (spoken.await, wanted) {
            (Ok(answer), None) => assert_eq!(&answer, b"pong"),
            (Err(_), Some(_)) => {}
            (spoken, wanted) => panic!("{spoken:?}, wanted: {wanted:?}"),
        }
        bed.trial.close().await;
        assert_eq!(server.connections(), before + 1);
        let record = bed.record();
        let denied = (!record.decision.allowed).then(|| record.decision.reason.to_string());
        assert_eq!(denied.as_deref(), wanted);
        assert_eq!(record.up == 0, wanted.is_some(), "nothing of a refused hello reaches the server");
    }
}

/// A ClientHello with these server names, in records of so many bytes each.
fn hello(names: &[&str], record: usize) -> Vec<u8> {
    fn vector(width: usize, bytes: &[u8]) -> Vec<u8> {
        let length = bytes.len().to_be_bytes();
        [&length[length.len() - width..], bytes].concat()
    }
    let list: Vec<u8> = names.iter().flat_map(|name| [vec![0], vector(2, name.as_bytes())].concat()).collect();
    let extension = [vec![0, 0], vector(2, &vector(2, &list))].concat();
    let other = [vec![0xff, 1], vector(2, &[0])].concat();
    let extensions = vector(2, &[other, extension].concat());
    let body = [&[3, 3][..], &[7; 32], &vector(1, &[9; 32]), &vector(2, &[0x13, 1]), &vector(1, &[0]), &extensions];
    let message = [vec![1], vector(3, &body.concat())].concat();
    message.chunks(record).flat_map(|part| [vec![22, 3, 1], vector(2, part)].concat()).collect()
}

#[tokio::test]
async fn a_hello_is_read_however_it_is_cut_up() {
    for record in [1, 7, 1000] {
        let good = hello(&["API.test"], record);
        let (denied, seen) = sent(&good).await;
        assert_eq!((denied, seen.len()), (None, String::from_utf8_lossy(&good).len()), "records of {record} bytes");
        for names in [&["evil.test"][..], &["api.test", "evil.test"], &["evil.test", "api.test"], &["api.test\0"]] {
            let (denied, seen) = sent(&hello(names, record)).await;
            let denied = denied.unwrap_or_else(|| panic!("{names:?} passed"));
            assert!(denied.starts_with("SNI names another host"), "{denied}");
            assert_eq!(seen, "", "{names:?}");
        }
    }
    // Each byte by itself.
    let server = Server::answering(PAGE).await;
    let bed = Bed::to(server.address, &["api.test"]);
    let mut agent = bed.open("api.test", 443);
    for byte in hello(&["evil.test"], 50) {
        if agent.stream.write_all(&[byte]).await.is_err() {
            break;
        }
        tokio::task::yield_now().await;
    }
    agent.read_to_end().await;
    assert!(!agent.ended().await);
    assert_eq!((server.received().as_str(), bed.record().decision.reason.code()), ("", "other_host"));
}

#[tokio::test]
async fn the_host_of_an_address_is_the_address() {
    let server = Server::answering(PAGE).await;
    let address: SocketAddr = server.address;
    let bed = Bed::to(address, &["192.0.2.7", "2001:db8::7"]);
    for (host, named, wanted) in [
        ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.7:80", true),
        ("192.0.2.7", "evil.test", false),
        ("192.0.2.7", "192.0.2.8", false),
        ("2001:db8::7", "[2001:db8::7]", true),
        ("2001:db8::7", "[2001:db8:0::7]:80", true),
        ("2001:db8::7", "[2001:db8::8]:80", false),
        ("2001:db8::7", "[2001:db8::7", false),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {named}\r\n\r\n");
        assert_eq!(bed.denied(host, request.as_bytes()).await.is_none(), wanted, "{host}, {named}");
    }
}
