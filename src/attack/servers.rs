//! The servers of the attacks, on the runner's machine: an upstream that listed names lead to, with TLS by a certificate
//! of its own making, and a canary on every address of the machine, which counts whoever comes.

use super::Error;
use rcgen::CertifiedKey;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Both servers. They end with it.
pub(super) struct Servers {
    /// Where the upstream is.
    pub(super) upstream: SocketAddr,
    /// The certificate that its clients have to trust, in DER, as hexadecimal digits.
    pub(super) authority: String,
    /// Where the canary is on loopback.
    pub(super) canary: SocketAddr,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct State {
    /// Whether the other trial is there.
    neighbour: AtomicBool,
    /// Whether the attacks are over.
    done: AtomicBool,
    /// Connections and datagrams that the canary has seen.
    canary: AtomicUsize,
}

impl Servers {
    /// Starts both.
    pub(super) async fn start() -> Result<Servers, Error> {
        let state = Arc::new(State::default());
        let mut tasks = JoinSet::new();
        let (acceptor, authority) = certificate().map_err(|why| Error::Server { what: "upstream", why })?;
        let listener = bind(Ipv4Addr::LOCALHOST.into()).await.map_err(|e| failed("upstream", &e))?;
        let upstream = listener.local_addr().map_err(|e| failed("upstream", &e))?;
        tasks.spawn(serve_upstream(listener, acceptor, Arc::clone(&state)));
        // Every address of both families where there are both.
        let listener = match bind(Ipv6Addr::UNSPECIFIED.into()).await {
            Ok(listener) => listener,
            Err(_) => bind(Ipv4Addr::UNSPECIFIED.into()).await.map_err(|e| failed("canary", &e))?,
        };
        let at = listener.local_addr().map_err(|e| failed("canary", &e))?;
        let datagrams = tokio::net::UdpSocket::bind(at).await.map_err(|e| failed("canary", &e))?;
        tasks.spawn(serve_canary(listener, datagrams, Arc::clone(&state)));
        let canary = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), at.port());
        Ok(Servers { upstream, authority, canary, state, _tasks: tasks })
    }

    /// How often the canary was reached.
    pub(super) fn reached(&self) -> usize {
        self.state.canary.load(Ordering::SeqCst)
    }

    /// Lets the other trial end.
    pub(super) fn attacks_are_over(&self) {
        self.state.done.store(true, Ordering::SeqCst);
    }
}

fn failed(what: &'static str, error: &std::io::Error) -> Error {
    Error::Server { what, why: error.to_string() }
}

async fn bind(at: IpAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind((at, 0)).await
}

fn certificate() -> Result<(TlsAcceptor, String), String> {
    let names = ["good.test", "*.wild.test", "*.rebind.test"].map(str::to_owned);
    let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(names).map_err(|e| e.to_string())?;
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).map_err(str::to_owned)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key))
        .map_err(|e| e.to_string())?;
    let hex = cert.der().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((TlsAcceptor::from(Arc::new(config)), hex))
}

async fn serve_upstream(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    /// How TLS begins: a handshake's record.
    const HANDSHAKE: u8 = 22;
    let mut clients = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        clients.spawn(async move {
            let mut first = [0];
            // A client that has gone is none of the upstream's business, here and below.
            match client.peek(&mut first).await {
                Ok(1) if first[0] == HANDSHAKE => match acceptor.accept(client).await {
                    Ok(client) => drop(answer(client, &state).await),
                    Err(_) => {}
                },
                _ => drop(answer(client, &state).await),
            }
        });
        while clients.try_join_next().is_some() {}
    }
}

/// Answers each request of a connection; bodies are taken for what they aren't only where a request is hidden in one.
async fn answer(mut client: impl AsyncRead + AsyncWrite + Unpin, state: &State) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        while let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            bytes.drain(..end + 4);
            let path = head.split(' ').nth(1).unwrap_or_default();
            let (status, to) = match path {
                "/redirect/here" => ("302 Found", "Location: http://good.test/\r\n"),
                "/redirect/away" => ("302 Found", "Location: http://canary.test/\r\n"),
                _ => ("200 OK", ""),
            };
            if path == "/done" {
                state.neighbour.store(true, Ordering::SeqCst);
            }
            let yes = match path {
                "/neighbour" => state.neighbour.load(Ordering::SeqCst),
                "/done" => state.done.load(Ordering::SeqCst),
                _ => false,
            };
            let body = if yes { "upstream: yes\n" } else { "upstream\n" };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{to}\r\n", body.len());
            client.write_all(format!("{head}{body}").as_bytes()).await?;
            client.flush().await?;
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return client.shutdown().await;
        }
    }
}

async fn serve_canary(listener: TcpListener, datagrams: tokio::net::UdpSocket, state: Arc<State>) {
    let mut buffer = [0; 64];
    loop {
        tokio::select! {
            client = listener.accept() => {
                if let Ok((mut client, _)) = client {
                    state.canary.fetch_add(1, Ordering::SeqCst);
                    let _ = client.write_all(b"canary\n").await;
                }
            }
            came = datagrams.recv(&mut buffer) => if came.is_ok() {
                state.canary.fetch_add(1, Ordering::SeqCst);
            },
        }
    }
}

/// Whether a connection from here to the canary at this address arrives.
pub(super) async fn canary_answers(at: SocketAddr) -> bool {
    let mut said = String::new();
    match TcpStream::connect(at).await {
        Ok(mut client) => client.read_to_string(&mut said).await.is_ok() && said == "canary\n",
        Err(_) => false,
    }
}

/// The addresses of this machine but loopback: those that the kernel's table of routes says are local, and the one that
/// it would send from.
pub(super) fn own_addresses() -> Vec<IpAddr> {
    let table = std::fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let mut found: Vec<IpAddr> = Vec::new();
    let mut last = None;
    for line in table.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse::<Ipv4Addr>().ok();
        } else if line.ends_with("host LOCAL") {
            found.extend(last.map(IpAddr::from));
        }
    }
    let outward = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        // Nothing is sent: connecting a datagram's socket only looks up the way.
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    found.extend(outward.map(|at| at.ip()));
    found.retain(|address| !address.is_loopback() && !address.is_unspecified());
    found.sort_unstable();
    found.dedup();
    found
}
