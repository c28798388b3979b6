//! The agent's connections, each a stream to the runner: bytes in both directions under the windows of `wire`.
//!
//! No call here waits for a connection, so that a slow one never holds the others up. Whether a host may be reached is
//! not decided here: the runner resets what it does not let out.

use crate::socket::{Epoll, Event, IN, ONCE, OUT, reset_on_close};
use crate::wire::{CHUNK, Part, STREAMS, WINDOW};
use std::collections::{HashMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

/// What the runner says about a stream.
pub enum Told {
    Data(Vec<u8>),
    Shut,
    Reset,
    Credit(u32),
}

/// All connections that are open.
pub struct Streams {
    open: HashMap<u32, Stream>,
    last: u32,
    buffer: Vec<u8>,
}

struct Stream {
    socket: TcpStream,
    /// Bytes that may still be sent to the runner.
    credit: u32,
    /// What came from the runner and the agent has not taken yet; at most a window.
    pending: VecDeque<u8>,
    /// Bytes that the agent has taken, and the runner doesn't know of yet.
    taken: u32,
    agent_ended: bool,
    runner_ended: bool,
    /// The runner's end was passed on to the agent.
    shut: bool,
}

/// What became of a stream in one step.
#[derive(PartialEq, Eq)]
enum Step {
    GoesOn,
    /// Both directions have ended.
    Over,
    /// The agent has broken it off.
    Broken,
}

impl Streams {
    pub fn new() -> Streams {
        Streams { open: HashMap::new(), last: 0, buffer: vec![0; CHUNK] }
    }

    /// Whether there is a place for one more.
    pub fn has_room(&self) -> bool {
        self.open.len() < STREAMS && self.last < u32::MAX
    }

    /// Takes on a connection to this host. `token` makes an event's token of a stream's id.
    pub fn accept(&mut self, epoll: &Epoll, socket: TcpStream, name: &str, port: u16, token: fn(u32) -> u64) {
        let id = self.last + 1;
        let ready = socket.set_nonblocking(true).and_then(|()| epoll.add(&socket, IN | ONCE, token(id)));
        if ready.is_err() {
            return reset_on_close(&socket);
        }
        // Small questions and answers go at once; they are put together where they are many.
        let _ = socket.set_nodelay(true);
        self.last = id;
        send(id, &Part::Open { name, port });
        let (agent_ended, runner_ended, shut) = (false, false, false);
        let pending = VecDeque::new();
        self.open.insert(id, Stream { socket, credit: WINDOW, pending, taken: 0, agent_ended, runner_ended, shut });
    }

    /// Something happened to a stream's connection.
    pub fn ready(&mut self, epoll: &Epoll, id: u32, event: &Event, token: fn(u32) -> u64) {
        let Some(stream) = self.open.get_mut(&id) else { return };
        let mut step = Step::GoesOn;
        if event.readable() {
            step = stream.read(id, &mut self.buffer);
        }
        if step == Step::GoesOn {
            step = stream.write(id);
        }
        self.settle(epoll, id, step, token);
    }

    /// The runner said something of a stream; one that is over already is passed over.
    pub fn told(&mut self, epoll: &Epoll, id: u32, told: Told, token: fn(u32) -> u64) {
        let Some(stream) = self.open.get_mut(&id) else { return };
        match told {
            Told::Data(bytes) => stream.pending.extend(bytes),
            Told::Shut => stream.runner_ended = true,
            Told::Credit(bytes) => stream.credit = stream.credit.saturating_add(bytes).min(WINDOW),
            Told::Reset => {
                reset_on_close(&stream.socket);
                self.open.remove(&id);
                return;
            }
        }
        let step = stream.write(id);
        self.settle(epoll, id, step, token);
    }

    fn settle(&mut self, epoll: &Epoll, id: u32, step: Step, token: fn(u32) -> u64) {
        let Some(stream) = self.open.get(&id) else { return };
        let waits = match (step == Step::GoesOn, stream.wants()) {
            // Asked for nothing, the kernel would still tell of errors, again and again.
            (true, 0) => true,
            (true, wants) => epoll.change(&stream.socket, wants | ONCE, token(id)).is_ok(),
            (false, _) => false,
        };
        if !waits {
            if step != Step::Over {
                reset_on_close(&stream.socket);
                send(id, &Part::Reset);
            }
            self.open.remove(&id);
        }
    }
}

impl Stream {
    /// What the connection is waited for. Without credit nothing is read: the agent's own kernel holds it up then.
    fn wants(&self) -> u32 {
        let read = if !self.agent_ended && self.credit > 0 { IN } else { 0 };
        let write = if self.pending.is_empty() { 0 } else { OUT };
        read | write
    }

    fn read(&mut self, id: u32, buffer: &mut [u8]) -> Step {
        let most = buffer.len().min(self.credit as usize);
        if self.agent_ended || most == 0 {
            return Step::GoesOn;
        }
        match self.socket.read(&mut buffer[..most]) {
            Ok(0) => {
                self.agent_ended = true;
                send(id, &Part::Shut);
            }
            Ok(n) => {
                self.credit -= n as u32;
                send(id, &Part::Data(&buffer[..n]));
            }
            Err(e) if is_early(&e) => {}
            Err(_) => return Step::Broken,
        }
        Step::GoesOn
    }

    /// Passes on what is pending, as far as the agent takes it, and the runner's end after the last of it.
    fn write(&mut self, id: u32) -> Step {
        while !self.pending.is_empty() {
            match self.socket.write(self.pending.as_slices().0) {
                Ok(n) => {
                    self.pending.drain(..n);
                    self.taken += n as u32;
                }
                Err(e) if is_early(&e) => break,
                Err(_) => return Step::Broken,
            }
        }
        // Not for every byte: half a window is early enough, since the other half is still on its way.
        if self.taken >= WINDOW / 2 {
            send(id, &Part::Credit(std::mem::take(&mut self.taken)));
        }
        if self.pending.is_empty() && self.runner_ended && !self.shut {
            self.shut = true;
            // An agent that has gone meanwhile is seen by the next read.
            let _ = self.socket.shutdown(Shutdown::Write);
        }
        if self.shut && self.agent_ended { Step::Over } else { Step::GoesOn }
    }
}

fn is_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn send(id: u32, part: &Part<'_>) {
    let mut frame = Vec::new();
    part.encode(&mut frame, id);
    crate::send(&frame);
}
