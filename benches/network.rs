//! What a way to listed hosts costs: a trial with one against a trial without any network, a round trip and a byte
//! through the relay, and a hundred trials at once. Prints figures and ratios; run by `script/bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use bollard::Docker;
use bollard::query_parameters::ListNetworksOptions;
use seatrial::network::{Egress, Policy, Settings, TrialNetwork};
use seatrial::sandbox::docker::{self, BASE};
use seatrial::sandbox::{Command, Engine, Image, ImageSource, Limits, Network, Owner, Relay, Sandbox, Spec};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 30;
const AT_ONCE: usize = 100;
const HOST: &str = "bench.test";
/// How much the server sends, in MiB.
const LARGE: usize = 512;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too, with arguments of its own; only `cargo bench` measures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?.block_on(measure())
}

async fn measure() -> Result<(), Failure> {
    let engine = Engine::Docker(docker::Engine::connect(None).await?);
    let image = engine.image(&ImageSource::Named(BASE.to_owned()), &mut |_| {}).await?;
    let server = server()?;
    let bed = Bed { engine, image, server };
    bed.trial(true).await?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(bed.trial(false).await?);
        with.push(bed.trial(true).await?);
    }
    let (without, with) = (median(without), median(with));
    println!("a trial, {ROUNDS} rounds interleaved, medians");
    println!("  no network     {:>6.1} ms", 1000.0 * without);
    println!("  listed hosts   {:>6.1} ms   {:.2}x", 1000.0 * with, with / without);
    bed.traffic().await?;
    bed.crowd().await
}

struct Bed {
    engine: Engine,
    image: Image,
    server: SocketAddr,
}

impl Bed {
    async fn open(&self, listed: bool) -> Result<Sandbox, Failure> {
        let owner = Owner { job: "bench".to_owned(), trial: "bench__1".to_owned() };
        let network = if listed { self.way_out()? } else { Network::None };
        Ok(self.engine.open(&Spec { image: self.image.clone(), network, limits: Limits::default(), owner }).await?)
    }

    fn way_out(&self) -> Result<Network, Failure> {
        let policy = Policy::allowlist(&[HOST.to_owned()], &[])?;
        let hosts = [(HOST.to_owned(), self.server)].into();
        let egress = Arc::new(Egress::new(Settings { hosts, ..Settings::default() })?);
        let trial = Arc::new(TrialNetwork::new(policy.clone(), "agent", |_| {}));
        Ok(Network::Listed(Relay::new(&[policy], egress, trial)))
    }

    /// From nothing to nothing, with a command that does nothing; in seconds.
    async fn trial(&self, listed: bool) -> Result<f64, Failure> {
        let started = Instant::now();
        let mut sandbox = self.open(listed).await?;
        sh(&mut sandbox, "true").await?;
        sandbox.close().await?;
        Ok(started.elapsed().as_secs_f64())
    }

    async fn traffic(&self) -> Result<(), Failure> {
        let direct = direct_turn(self.server)?;
        let mut sandbox = self.open(true).await?;
        let turn: f64 = sh(&mut sandbox, &python(TURNS)).await?.trim().parse()?;
        let rates = sh(&mut sandbox, &python(RATES)).await?;
        let memory = sh(&mut sandbox, "grep VmHWM /proc/1/status | tr -s '\\t ' ' '").await?;
        sandbox.close().await?;
        println!("\nthrough the relay, to a server on this machine's loopback");
        println!("  round trip     {turn:>6.3} ms   median; {direct:.3} ms without sandbox and relay");
        for (way, rate) in ["down", "up"].into_iter().zip(rates.split_whitespace()) {
            println!("  {way:<12} {rate:>8} MiB/s");
        }
        println!("  supervisor   {}", memory.trim());
        Ok(())
    }

    async fn crowd(&self) -> Result<(), Failure> {
        let docker = Docker::connect_with_local_defaults()?;
        let networks = || docker.list_networks(None::<ListNetworksOptions>);
        let (before, rss) = (networks().await?.len(), resident_kib()?);
        let started = Instant::now();
        let mut open = Vec::new();
        for made in futures_util::future::join_all((0..AT_ONCE).map(|_| self.open(true))).await {
            open.push(made?);
        }
        let took = started.elapsed().as_secs_f64();
        let (during, grown) = (networks().await?.len(), resident_kib()?.saturating_sub(rss));
        let inside = sh(&mut open[0], "grep VmRSS /proc/1/status | tr -s '\\t ' ' '").await?;
        for sandbox in &mut open {
            sandbox.close().await?;
        }
        println!("\n{AT_ONCE} trials at once, open after {took:.1} s");
        println!("  network objects made   {}", during as i64 - before as i64);
        println!("  this process grew by   {} KiB a trial", grown / AT_ONCE as u64);
        println!("  supervisor             {}", inside.trim());
        Ok(())
    }
}

async fn sh(sandbox: &mut Sandbox, line: &str) -> Result<String, Failure> {
    let command = Command {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: Some(Duration::from_secs(120)),
        grace: Duration::from_secs(1),
        output_cap: 1 << 20,
    };
    let mut said = Vec::new();
    let exit = sandbox.run(&command, &mut |bytes| said.extend_from_slice(bytes)).await?;
    let said = String::from_utf8_lossy(&said).into_owned();
    if exit.code == Some(0) { Ok(said) } else { Err(said.into()) }
}

fn python(text: &str) -> String {
    format!("exec python3 - <<'EOF'\nimport socket, time, statistics\n{text}\nEOF")
}

const TURNS: &str = "
s = socket.create_connection(('bench.test', 80)); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
s.sendall(b'\\0echo'); assert s.recv(5)
turns = []
for _ in range(1000):
    began = time.perf_counter(); s.sendall(b'x'); s.recv(1); turns.append(time.perf_counter() - began)
print(1000 * statistics.median(turns))";
const RATES: &str = "
def connect(verb):
    s = socket.create_connection(('bench.test', 80)); s.sendall(verb); return s
s = connect(b'\\0down'); began = time.perf_counter(); total = 0
while data := s.recv(1 << 18): total += len(data)
print(round(total / (1 << 20) / (time.perf_counter() - began)))
s = connect(b'\\0sink'); began = time.perf_counter(); block = bytes(1 << 20)
for _ in range(512): s.sendall(block)
s.shutdown(socket.SHUT_WR); s.recv(1)
print(round(512 / (time.perf_counter() - began)))";

/// Does what the first five bytes say: sends them and everything after them back, sends much, or takes everything.
fn server() -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    Ok(address)
}

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut verb = [0; 5];
    stream.read_exact(&mut verb)?;
    match &verb {
        b"\0down" => {
            let block = vec![7; 1 << 20];
            (0..LARGE).try_for_each(|_| stream.write_all(&block))
        }
        b"\0sink" => std::io::copy(&mut stream, &mut std::io::sink()).map(drop),
        _ => {
            stream.write_all(&verb)?;
            std::io::copy(&mut stream.try_clone()?, &mut stream).map(drop)
        }
    }
}

/// A round trip to the server from here, in milliseconds.
fn direct_turn(server: SocketAddr) -> Result<f64, Failure> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    stream.write_all(b"\0echo")?;
    stream.read_exact(&mut [0; 5])?;
    let mut turns = Vec::new();
    for _ in 0..1000 {
        let began = Instant::now();
        stream.write_all(b"x")?;
        stream.read_exact(&mut [0])?;
        turns.push(began.elapsed().as_secs_f64());
    }
    Ok(1000.0 * median(turns))
}

fn resident_kib() -> Result<u64, Failure> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
