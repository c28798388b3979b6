//! A Docker engine that does what a test says: HTTP over a Unix socket, one thread for each connection, and for each
//! request an answer, a hijacked stream, or a closed door. It runs nothing.

use seatrial::wire::{Decoder, Order, Report};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// What the engine does with a request.
pub enum Act {
    /// Answers with this status and this JSON.
    Answer(u16, String),
    /// Closes the connection without a word.
    Close,
    /// Gives a container's stream, which ends at once.
    DeadStream,
    /// Gives a container's stream, on which a supervisor does what it is told and is gone when an agent is to run.
    ShortStream,
}

/// The engine; its socket goes when it is dropped.
pub struct Daemon {
    folder: tempfile::TempDir,
    /// Every request, such as `GET /version`.
    pub seen: Arc<Mutex<Vec<String>>>,
}

impl Daemon {
    /// Begins to answer as `act` says, which gets `GET /version` and the like, without API version and query.
    pub fn start(act: impl Fn(&str) -> Act + Send + Sync + 'static) -> Daemon {
        let folder = tempfile::tempdir().expect("a folder for the socket");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let listener = UnixListener::bind(folder.path().join("docker.sock")).expect("a socket");
        let (act, log) = (Arc::new(act), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (act, log) = (Arc::clone(&act), Arc::clone(&log));
                // A client that goes away in the middle is no matter.
                std::thread::spawn(move || drop(serve(stream, &*act, &log)));
            }
        });
        Daemon { folder, seen }
    }

    /// What `DOCKER_HOST` has to be.
    pub fn host(&self) -> String {
        format!("unix://{}", self.folder.path().join("docker.sock").display())
    }

    /// The socket's path.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("docker.sock")
    }
}

/// An engine that does everything right up to the start of a container, whose supervisor then doesn't speak.
pub fn well(request: &str) -> Act {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let ok = |json: &str| Act::Answer(200, json.to_owned());
    match request {
        "GET /version" => {
            ok(&format!(r#"{{"Version": "20.10.0", "ApiVersion": "1.41", "Os": "linux", "Arch": "{arch}"}}"#))
        }
        "GET /containers/json" => ok("[]"),
        "GET /images/fake/json" => ok(r#"{"Id": "sha256:1", "Config": {}}"#),
        "POST /volumes/create" => Act::Answer(
            201,
            r#"{"Name": "v", "Driver": "local", "Mountpoint": "/", "Labels": {}, "Scope": "local", "Options": {}}"#
                .into(),
        ),
        "POST /containers/create" => Act::Answer(201, r#"{"Id": "c1", "Warnings": []}"#.into()),
        "HEAD /containers/c1/archive" | "GET /containers/c1/archive" => {
            Act::Answer(404, r#"{"message": "no such file"}"#.into())
        }
        "POST /containers/c1/attach" => Act::DeadStream,
        "POST /containers/c1/start" | "DELETE /containers/c1" => Act::Answer(204, String::new()),
        "POST /containers/c1/wait" => ok(r#"{"StatusCode": 137}"#),
        "GET /containers/c1/json" => ended(false),
        _ => ok("{}"),
    }
}

/// What the engine says of a container that was killed, for memory or not.
pub fn ended(for_memory: bool) -> Act {
    let state = format!(r#"{{"Status": "exited", "Running": false, "ExitCode": 137, "OOMKilled": {for_memory}}}"#);
    Act::Answer(200, format!(r#"{{"Id": "c1", "State": {state}}}"#))
}

fn serve(stream: UnixStream, act: &dyn Fn(&str) -> Act, seen: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        match line.split_once(": ") {
            None => break,
            Some(("content-length", n)) => length = n.parse().unwrap_or(0),
            Some(("transfer-encoding", how)) => chunked = how == "chunked",
            Some(_) => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while chunked && !body.ends_with(b"0\r\n\r\n") {
        let mut byte = [0];
        reader.read_exact(&mut byte)?;
        body.push(byte[0]);
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = target.split('?').next().unwrap_or("");
    let path = match path.strip_prefix("/v1.") {
        Some(rest) => &rest[rest.find('/').unwrap_or(0)..],
        None => path,
    };
    let request = format!("{method} {path}");
    seen.lock().expect("the log").push(request.clone());
    answer(stream, reader, act(&request))
}

fn answer(mut stream: UnixStream, mut reader: BufReader<UnixStream>, act: Act) -> std::io::Result<()> {
    const UPGRADED: &[u8] = b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n\
                              Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
    match act {
        Act::Close => Ok(()),
        Act::DeadStream => stream.write_all(UPGRADED),
        Act::ShortStream => {
            stream.write_all(UPGRADED)?;
            say(&mut stream, &Report::Ready)?;
            let (mut decoder, mut byte) = (Decoder::default(), [0]);
            loop {
                reader.read_exact(&mut byte)?;
                decoder.feed(&byte);
                let Ok(Some(frame)) = decoder.frame() else { continue };
                match Order::decode(frame.kind, frame.payload) {
                    Ok(Order::Mkdir { .. } | Order::Write { .. }) => say(&mut stream, &Report::Done)?,
                    _ => return Ok(()),
                }
            }
        }
        Act::Answer(status, json) => {
            let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n");
            write!(stream, "{head}Content-Length: {}\r\n\r\n{json}", json.len())
        }
    }
}

/// A supervisor's report, in the engine's own frame around standard output: 1, three zeros, the length.
fn say(stream: &mut UnixStream, report: &Report) -> std::io::Result<()> {
    let mut frame = Vec::new();
    report.encode(&mut frame);
    stream.write_all(&[&[1, 0, 0, 0][..], &(frame.len() as u32).to_be_bytes(), &frame].concat())
}
