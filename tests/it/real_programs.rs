//! Real programs with their own HTTP in a sandbox, through an allowlist, to a server of both versions over TLS: what they
//! do without a relay they do through it. Idle times are longer than the time that dialling and beginnings may take.

use crate::closed_network::{Closed, open_image};
use crate::real_server;
use crate::sandbox::shell;
use crate::support;
use seatrial::sandbox::docker::BASE;
use seatrial::sandbox::{Command, Engine};
use std::process::Command as Program;
use std::time::Duration;

const HOST: &str = "api.good.test";
const NODE: &str = "seatrial-test-node:local";

/// How long the slow streams take, in seconds; a whole one of ten minutes where a person asks for it.
fn slow() -> u64 {
    std::env::var("SEATRIAL_SLOW_STREAM").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(24)
}

/// A sandbox of this image in which the server's certificate lies in `/tmp/ca.pem`.
async fn bed(engine: &Engine, image: &str) -> Closed {
    let (server, authority) = real_server::start(HOST).await;
    let mut closed = open_image(engine, image, &[HOST], &[(HOST, server)]).await;
    closed.sandbox.write("/tmp/ca.pem", 0o644, authority.as_bytes()).await.expect("the certificate");
    closed
}

async fn says(closed: &mut Closed, line: &str, wanted: &str) {
    let command = Command { timeout: Some(Duration::from_secs(120 + slow())), ..shell(line) };
    let mut said = Vec::new();
    closed.sandbox.run(&command, &mut |bytes| said.extend_from_slice(bytes)).await.expect("it runs");
    assert_eq!(String::from_utf8_lossy(&said), wanted, "{line}");
}

/// The evidence has so many attempts at least, and nothing was denied but this host.
async fn all_allowed_but(closed: Closed, denied: &str, at_least: usize) {
    let attempts = closed.close().await;
    assert!(attempts.len() >= at_least, "{attempts:#?}");
    assert!(attempts.iter().all(|a| a.decision.allowed != (a.host == denied)), "{attempts:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_and_python_work_through_the_allowlist() {
    let Some(engine) = support::docker("curl_and_python_work_through_the_allowlist").await.map(Engine::Docker) else {
        return;
    };
    let mut closed = bed(&engine, BASE).await;
    let curl = format!("curl -sS --cacert /tmp/ca.pem https://{HOST}");
    for (line, wanted) in [
        (format!("{curl}/ --http1.1"), "HTTP/1.1"),
        (format!("{curl}/ --http2"), "HTTP/2.0"),
        (format!("{curl}/ --http2 --tls-max 1.2"), "HTTP/2.0"),
        (format!("curl -sS http://{HOST}/"), "HTTP/1.1"),
        // Two requests on one connection, and two at once on another.
        (format!("{curl}/a https://{HOST}/b --http1.1"), "HTTP/1.1HTTP/1.1"),
        (format!("{curl}/a https://{HOST}/b --http2 --parallel 2>/dev/null"), "HTTP/2.0HTTP/2.0"),
        // A large upload, as a file whose length is known and in chunks of an unknown number; a large download.
        (format!("truncate -s 120M /tmp/x; {curl}/upload --http1.1 -T /tmp/x"), "125829120 bytes"),
        (format!("head -c 120000000 /dev/zero | {curl}/upload --http1.1 -T -"), "120000000 bytes"),
        (format!("head -c 120000000 /dev/zero | {curl}/upload --http2 -T -"), "120000000 bytes"),
        (format!("head -c 120000000 /dev/zero | curl -sS http://{HOST}/upload -T -"), "120000000 bytes"),
        (format!("{curl}/large?mib=100 --http2 | wc -c"), "104857600\n"),
        (python(PLAIN), "HTTP/1.1 HTTP/1.1\n"),
        (python(UPLOAD), "104857600 bytes\n"),
        (python(HALF_CLOSED), "3 bytes\n"),
        (format!("{curl}.evil.test/ 2>&1 | grep -c resolve"), "1\n"),
    ] {
        says(&mut closed, &line, wanted).await;
    }
    all_allowed_but(closed, "api.good.test.evil.test", 15).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_streams_of_events_stay_open_as_long_as_they_speak_now_and_then() {
    let Some(engine) = support::docker("slow_streams_of_events_stay_open").await.map(Engine::Docker) else { return };
    let mut closed = bed(&engine, BASE).await;
    const GAP: u64 = 12;
    let count = slow() / GAP + 1;
    let url = format!("https://{HOST}/events?gap={GAP}&count={count}");
    let curl = format!("curl -sSN --cacert /tmp/ca.pem '{url}'");
    let count_them = "grep -c '^data: '";
    let script = python(&EVENTS.replace("URL", &url));
    closed.sandbox.write("/tmp/events.sh", 0o755, script.as_bytes()).await.expect("a script");
    let line = format!(
        "({curl} --http1.1 | {count_them} > /tmp/1) & ({curl} --http2 | {count_them} > /tmp/2) &
        (curl -sSN 'http://{HOST}/events?gap={GAP}&count={count}' | {count_them} > /tmp/3) &
        sh /tmp/events.sh > /tmp/4 & wait; cat /tmp/1 /tmp/2 /tmp/3 /tmp/4"
    );
    says(&mut closed, &line, &format!("{count}\n").repeat(4)).await;
    all_allowed_but(closed, "", 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_works_through_the_allowlist() {
    let Some(engine) = support::docker("node_works_through_the_allowlist").await.map(Engine::Docker) else { return };
    if let Err(why) = node_image() {
        assert!(std::env::var_os("CI").is_none(), "an image with Node can be made in CI: {why}");
        return eprintln!("SKIPPED node_works_through_the_allowlist: no image with Node: {why}");
    }
    let mut closed = bed(&engine, NODE).await;
    let line = format!("NODE_EXTRA_CA_CERTS=/tmp/ca.pem exec node - <<'EOF'\n{NODE_SCRIPT}\nEOF");
    says(&mut closed, &line, "HTTP/1.1\n104857600 bytes\n2 events\nHTTP/2.0\nENOTFOUND\n").await;
    // Node keeps connections for further requests, so how many there are is its own choice.
    all_allowed_but(closed, "evil.test", 2).await;
}

/// An image with Debian's Node, made once for each engine: about a minute.
fn node_image() -> Result<(), String> {
    let runs = |program: &mut Program| match program.output() {
        Ok(out) if out.status.success() => Ok(()),
        Ok(out) => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
        Err(e) => Err(e.to_string()),
    };
    if runs(Program::new("docker").args(["image", "inspect", NODE])).is_ok() {
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let tar = folder.path().join("node.tar");
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME=")).unwrap_or("stable");
    let left_out = ["doc", "man", "locale"].map(|part| format!("--dpkgopt=path-exclude=/usr/share/{part}/*"));
    let mut pack = Program::new("mmdebstrap");
    runs(pack.args(["--variant=minbase", "--include=nodejs"]).args(left_out).arg(name).arg(&tar))?;
    runs(Program::new("docker").arg("import").arg(&tar).arg(NODE))
}

fn python(text: &str) -> String {
    format!("exec python3 - <<'EOF'\nimport http.client, socket, ssl, urllib.request\n{START}\n{text}\nEOF")
}

const START: &str = "host = 'api.good.test'; trust = ssl.create_default_context(cafile='/tmp/ca.pem')";
const PLAIN: &str = "
plain = urllib.request.urlopen(f'http://{host}/').read().decode()
print(plain, urllib.request.urlopen(f'https://{host}/', context=trust).read().decode())";
const UPLOAD: &str = "
sent = urllib.request.Request(f'https://{host}/upload', data=bytes(100 << 20), method='PUT')
print(urllib.request.urlopen(sent, context=trust).read().decode())";
/// The client says all it has to say and closes its half; the answer comes all the same.
const HALF_CLOSED: &str = "
s = socket.create_connection((host, 80), 10)
s.sendall(b'POST /upload HTTP/1.1\\r\\nHost: api.good.test\\r\\nContent-Length: 3\\r\\nConnection: close\\r\\n\\r\\nabc')
s.shutdown(socket.SHUT_WR); got = b''
while piece := s.recv(65536): got += piece
print('3 bytes' if b'3 bytes' in got else got)";
const EVENTS: &str = "
print(sum(line.startswith(b'data: ') for line in urllib.request.urlopen('URL', context=trust)))";
const NODE_SCRIPT: &str = "
const at = 'https://api.good.test';
(async () => {
  console.log(await (await fetch(at + '/')).text());
  console.log(await (await fetch(at + '/upload', { method: 'POST', body: Buffer.alloc(100 << 20) })).text());
  let events = '';
  const decoder = new TextDecoder();
  for await (const piece of (await fetch(at + '/events?gap=12&count=2')).body) events += decoder.decode(piece);
  console.log(events.split('data: ').length - 1, 'events');
  const session = require('http2').connect(at);
  const request = session.request({ ':path': '/' });
  let said = '';
  for await (const piece of request) said += piece;
  session.close();
  console.log(said);
  try { await fetch('https://evil.test/'); } catch (e) { console.log(e.cause.code); }
})();";
