//! A server of HTTP/1.1 and HTTP/2, with TLS by a certificate of its own making and without, on one port of loopback. It
//! greets, counts what it is sent, and sends much or slowly.

use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::CertifiedKey;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// How TLS begins: a handshake's record.
const HANDSHAKE: u8 = 22;
const MEBIBYTE: &[u8] = &[7; 1 << 20];

type Pieces = http_body_util::combinators::UnsyncBoxBody<Bytes, Infallible>;

/// Where the server is, and the certificate that its clients have to trust, in PEM.
pub async fn start(name: &str) -> (SocketAddr, String) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a certificate with its key");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut first = [0];
                if !matches!(client.peek(&mut first).await, Ok(1)) {
                    return;
                }
                if first[0] != HANDSHAKE {
                    return http1(client).await;
                }
                let Ok(client) = acceptor.accept(client).await else { return };
                if client.get_ref().1.alpn_protocol() == Some(b"h2") {
                    let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    // A client that has gone is none of the server's business.
                    let _ = server.serve_connection(TokioIo::new(client), service_fn(answer)).await;
                } else {
                    http1(client).await;
                }
            });
        }
    });
    (address, pem(cert.der()))
}

async fn http1(client: impl AsyncRead + AsyncWrite + Unpin) {
    let mut server = hyper::server::conn::http1::Builder::new();
    let _ = server.half_close(true).serve_connection(TokioIo::new(client), service_fn(answer)).await;
}

async fn answer(request: Request<Incoming>) -> Result<Response<Pieces>, Infallible> {
    let number = |key: &str| {
        let query = request.uri().query().unwrap_or_default();
        query.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('=')?.parse::<u64>().ok()).unwrap_or(0)
    };
    let body = match request.uri().path() {
        "/events" => pieces(number("count"), Duration::from_secs(number("gap")), |n| format!("data: {n}\n\n").into()),
        "/large" => pieces(number("mib"), Duration::ZERO, |_| Bytes::from_static(MEBIBYTE)),
        "/upload" => {
            let mut body = request.into_body();
            let mut bytes = 0;
            while let Some(Ok(frame)) = body.frame().await {
                bytes += frame.data_ref().map_or(0, Bytes::len);
            }
            pieces(1, Duration::ZERO, move |_| format!("{bytes} bytes").into())
        }
        _ => {
            let said = format!("{:?}", request.version());
            pieces(1, Duration::ZERO, move |_| said.clone().into())
        }
    };
    let events = body.1;
    let kind = if events { "text/event-stream" } else { "application/octet-stream" };
    let response = Response::builder().header("Content-Type", kind).body(body.0);
    Ok(response.expect("a response"))
}

/// So many pieces, each after this time but the first; and whether they take time.
fn pieces(count: u64, gap: Duration, piece: impl Fn(u64) -> Bytes + Send + 'static) -> (Pieces, bool) {
    let stream = futures_util::stream::unfold((0, piece), move |(n, piece)| async move {
        if n == count {
            return None;
        }
        if n > 0 && !gap.is_zero() {
            tokio::time::sleep(gap).await;
        }
        let bytes = piece(n);
        Some((Ok(Frame::data(bytes)), (n + 1, piece)))
    });
    (StreamBody::new(stream).boxed_unsync(), !gap.is_zero())
}

/// RFC 7468's text form.
fn pem(der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in der.chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = char::from(DIGITS[(bits >> (18 - 6 * place) & 63) as usize]);
            text.push(if place > three.len() { '=' } else { digit });
        }
    }
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}
