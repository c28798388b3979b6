//! A trial's network with real servers on loopback: the agent's end of a stream, servers that do what a test says, and
//! name servers that lie.

use seatrial::network::{Attempt, Egress, Lookup, Policy, Resolve, Settings, Target, TrialNetwork};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Longer than anything here takes.
pub const SOON: Duration = Duration::from_secs(20);

/// An allowlist on ports 80 and 443.
pub fn listing(hosts: &[&str]) -> Policy {
    Policy::allowlist(hosts, &[]).expect("a good list")
}

/// One trial's network, and everything that it has recorded.
pub struct Bed {
    egress: Arc<Egress>,
    pub trial: Arc<TrialNetwork>,
    records: Arc<Mutex<Vec<Attempt>>>,
}

impl Bed {
    pub fn new(policy: Policy, settings: Settings) -> Bed {
        let records = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&records);
        let push = move |attempt| sink.lock().expect("no test panics in the sink").push(attempt);
        Bed {
            egress: Arc::new(Egress::new(settings).expect("good settings")),
            trial: Arc::new(TrialNetwork::new(policy, "agent", push)),
            records,
        }
    }

    /// A bed whose allowlist is `hosts`, and where each of them is served by `server`.
    pub fn to(server: SocketAddr, hosts: &[&str]) -> Bed {
        Bed::new(listing(hosts), mapped(server, hosts))
    }

    /// Another trial on the same server.
    pub fn neighbour(&self, policy: Policy) -> Bed {
        Bed { egress: Arc::clone(&self.egress), ..Bed::new(policy, Settings::default()) }
    }

    /// The agent opens a stream.
    pub fn open(&self, host: &str, port: u16) -> Agent {
        let (agent, relay) = tokio::io::duplex(256 << 10);
        let shut = Arc::new(AtomicBool::new(false));
        let relay = Watched { stream: relay, shut: Arc::clone(&shut) };
        let (egress, trial) = (Arc::clone(&self.egress), Arc::clone(&self.trial));
        let target = Target { host: host.to_owned(), port };
        let served = tokio::spawn(async move { egress.serve(relay, target, &trial).await });
        Agent { stream: agent, shut, served }
    }

    pub fn records(&self) -> Vec<Attempt> {
        self.records.lock().expect("no test panics in the sink").clone()
    }

    /// The one record of a trial with one attempt.
    #[track_caller]
    pub fn record(&self) -> Attempt {
        let [record] = &self.records()[..] else { panic!("not one record: {:#?}", self.records()) };
        record.clone()
    }

    /// An agent's first bytes on a stream of its own to `host`, port 80, after which it waits; why they were denied,
    /// `None` if they weren't.
    pub async fn denied(&self, host: &str, bytes: &[u8]) -> Option<String> {
        let before = self.records().len();
        let mut agent = self.open(host, 80);
        // The stream may end before all is written.
        let _ = agent.stream.write_all(bytes).await;
        let _ = agent.stream.shutdown().await;
        agent.read_to_end().await;
        agent.ended().await;
        let record = self.records()[before].clone();
        (!record.decision.allowed).then(|| record.decision.reason.to_string())
    }
}

/// Settings in which each of the names is served by `server`.
pub fn mapped(server: SocketAddr, names: &[&str]) -> Settings {
    let hosts = names.iter().map(|name| ((*name).to_owned(), server)).collect::<BTreeMap<_, _>>();
    Settings { hosts, ..Settings::default() }
}

/// The agent's end of a stream.
pub struct Agent {
    pub stream: DuplexStream,
    shut: Arc<AtomicBool>,
    served: JoinHandle<()>,
}

impl Agent {
    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the stream takes bytes");
    }

    /// Exactly so many bytes from the other side.
    pub async fn receive(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let read = tokio::time::timeout(SOON, self.stream.read_exact(&mut bytes)).await.expect("bytes come soon");
        read.expect("the stream gives bytes");
        bytes
    }

    /// All bytes until the stream ends, however it ends.
    pub async fn read_to_end(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(SOON, self.stream.read_to_end(&mut bytes)).await;
        let _ = read.expect("the stream ends soon");
        bytes
    }

    /// Waits until the stream is over; whether it was shut down as it should be, or else reset.
    pub async fn ended(self) -> bool {
        tokio::time::timeout(SOON, self.served).await.expect("over soon").expect("serving does not panic");
        self.shut.load(Ordering::SeqCst)
    }

    /// The other side drops the stream at once.
    pub fn abort(&self) {
        self.served.abort();
    }
}

/// The relay's end of a stream; knows whether it was shut down.
struct Watched {
    stream: DuplexStream,
    shut: Arc<AtomicBool>,
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.shut.store(true, Ordering::SeqCst);
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A server on loopback.
pub struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Server {
    /// A server that does this with each connection.
    pub async fn new<F>(each: impl Fn(TcpStream) -> F + Send + 'static) -> Server
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(each(stream));
            }
        });
        Server { address, connections, received: Arc::default() }
    }

    /// Sends back what it is sent.
    pub async fn echo() -> Server {
        Server::new(|mut stream| async move {
            let (mut read, mut write) = stream.split();
            let _ = tokio::io::copy(&mut read, &mut write).await;
            let _ = write.shutdown().await;
        })
        .await
    }

    /// Keeps all that it is sent, answers the first bytes of a connection with `answer`, and ends with the client.
    pub async fn answering(answer: &'static str) -> Server {
        let received = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&received);
        let mut server = Server::new(move |mut stream| {
            let keep = Arc::clone(&keep);
            async move {
                let mut buffer = vec![0; 64 << 10];
                let mut first = true;
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    keep.lock().expect("no panic here").extend_from_slice(&buffer[..read]);
                    if std::mem::take(&mut first) && stream.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        })
        .await;
        server.received = received;
        server
    }

    /// How many connections were made to it.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// All that an answering server was sent.
    pub fn received(&self) -> String {
        String::from_utf8_lossy(&self.received.lock().expect("no panic here")).into_owned()
    }
}

/// A name server that says for each name what a test says, and counts how often it was asked.
#[derive(Default)]
pub struct Liar {
    pub names: BTreeMap<String, Vec<IpAddr>>,
    pub asked: AtomicUsize,
}

impl Liar {
    pub fn saying(name: &str, addresses: &[&str]) -> Arc<Liar> {
        let addresses = addresses.iter().map(|a| a.parse().expect("an address")).collect();
        Arc::new(Liar { names: BTreeMap::from([(name.to_owned(), addresses)]), asked: AtomicUsize::new(0) })
    }

    /// Waits for a first question.
    pub async fn has_been_asked(&self) {
        while self.asked.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl Resolve for Liar {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let found = self.names.get(name).cloned().ok_or_else(|| "no such name".to_owned());
        Box::pin(std::future::ready(found))
    }
}
