//! All streams of a sandbox over its one byte stream. Each goes to the egress server in a task of its own; what comes
//! up is untrusted, and whatever breaks the rules of `wire` is told to the session, which gives the sandbox up then.

use super::Relay;
use super::stream::{Flow, Outgoing, Stream};
use crate::network::Target;
use crate::wire::{Malformed, Part, STREAMS, UNLISTED, WINDOW};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How many bytes of frames are put together into one write.
const BATCH: usize = 256 * 1024;

/// The streams that are open.
pub struct Mux {
    relay: Relay,
    open: HashMap<u32, Open>,
    last: u32,
    unlisted: usize,
    sender: UnboundedSender<Outgoing>,
    receiver: UnboundedReceiver<Outgoing>,
}

/// What the mux keeps of a stream. Gone, it breaks the stream off.
struct Open {
    flow: Arc<Flow>,
    /// Bytes that may still come up.
    window: u32,
    agent_ended: bool,
    runner_ended: bool,
}

impl Drop for Open {
    fn drop(&mut self) {
        if !(self.agent_ended && self.runner_ended) {
            self.flow.break_off();
        }
    }
}

impl Mux {
    /// No stream is open yet.
    pub fn new(relay: Relay) -> Mux {
        // It does not grow beyond the windows: whoever sends on it holds credit for it.
        let (sender, receiver) = unbounded_channel();
        Mux { relay, open: HashMap::new(), last: 0, unlisted: 0, sender, receiver }
    }

    /// Takes a frame of a stream.
    ///
    /// # Errors
    /// [`Malformed`] where it breaks the rules, which only the agent can have brought about.
    pub fn take(&mut self, id: u32, kind: u8, payload: &[u8]) -> Result<(), Malformed> {
        let part = Part::decode(kind, payload)?;
        if let Part::Open { name, port } = part {
            return self.begin(id, Target { host: name.to_owned(), port });
        }
        if id > self.last {
            return Err(Malformed("a frame for a stream that was never opened"));
        }
        // What was on the way when its stream ended.
        let Some(stream) = self.open.get_mut(&id) else { return Ok(()) };
        match part {
            Part::Data(_) | Part::Shut if stream.agent_ended => {
                return Err(Malformed("a stream goes on after its end"));
            }
            Part::Data(bytes) => {
                let length = bytes.len() as u32;
                let left = stream.window.checked_sub(length);
                stream.window = left.ok_or(Malformed("a stream sends more than its window"))?;
                stream.flow.arrive(bytes);
            }
            Part::Shut => {
                stream.agent_ended = true;
                stream.flow.end();
                self.forget_ended(id);
            }
            Part::Credit(bytes) if !stream.flow.add(bytes) => {
                return Err(Malformed("a stream gives back more than it was sent"));
            }
            Part::Credit(_) | Part::Open { .. } => {}
            Part::Reset => drop(self.open.remove(&id)),
        }
        Ok(())
    }

    fn begin(&mut self, id: u32, target: Target) -> Result<(), Malformed> {
        if id <= self.last {
            return Err(Malformed("a stream is opened twice"));
        }
        if self.open.len() >= STREAMS {
            return Err(Malformed("more streams than may be open"));
        }
        self.last = id;
        let flow = Flow::new();
        let stream = Stream::new(id, self.sender.clone(), Arc::clone(&flow));
        let (egress, trial) = (Arc::clone(&self.relay.egress), Arc::clone(&self.relay.trial));
        tokio::spawn(async move { egress.serve(stream, target, &trial).await });
        self.open.insert(id, Open { flow, window: WINDOW, agent_ended: false, runner_ended: false });
        Ok(())
    }

    /// A name was asked for that isn't listed.
    ///
    /// # Errors
    /// [`Malformed`] where there are more of them than may be told.
    pub fn unlisted(&mut self, name: &str) -> Result<(), Malformed> {
        self.unlisted += 1;
        if self.unlisted > UNLISTED {
            return Err(Malformed("more unlisted names than may be told"));
        }
        self.relay.trial.denied_name(name);
        Ok(())
    }

    /// Waits until something is to be sent, and gives all that is, as frames. Nothing is lost where this is dropped.
    pub async fn outgoing(&mut self) -> Vec<u8> {
        let mut frames = Vec::new();
        // `self` holds a sender, so the channel never ends.
        let mut next = self.receiver.recv().await;
        while let Some(outgoing) = next {
            self.encode(outgoing, &mut frames);
            next = if frames.len() < BATCH { self.receiver.try_recv().ok() } else { None };
        }
        frames
    }

    fn encode(&mut self, outgoing: Outgoing, frames: &mut Vec<u8>) {
        let id = match outgoing {
            Outgoing::Data(id, _) | Outgoing::Shut(id) | Outgoing::Reset(id) | Outgoing::Credit(id, _) => id,
        };
        // The agent's side has broken it off; nothing that is said of it has a meaning any more.
        let Some(stream) = self.open.get_mut(&id) else { return };
        match outgoing {
            Outgoing::Data(_, bytes) => Part::Data(&bytes).encode(frames, id),
            Outgoing::Credit(_, bytes) => {
                stream.window += bytes;
                Part::Credit(bytes).encode(frames, id);
            }
            Outgoing::Shut(_) => {
                stream.runner_ended = true;
                Part::Shut.encode(frames, id);
                self.forget_ended(id);
            }
            Outgoing::Reset(_) => {
                Part::Reset.encode(frames, id);
                self.open.remove(&id);
            }
        }
    }

    fn forget_ended(&mut self, id: u32) {
        if self.open.get(&id).is_some_and(|stream| stream.agent_ended && stream.runner_ended) {
            self.open.remove(&id);
        }
    }
}
