//! One TCP connection of an agent, as the runner sees it: bytes come from the sandbox's one stream and go back as frames
//! on it, both held to the windows of `wire`. What waits here is kept as bytes, however small the frames were that it
//! came in, so that an agent can't make it take more memory than its window.
//!
//! Shutting it down ends the direction towards the agent; the agent still can send. Dropping it before both directions
//! have ended breaks it off: the agent sees a reset.

use crate::wire::{CHUNK, WINDOW};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::UnboundedSender;

/// What goes to the supervisor, of the stream with this id.
#[derive(Debug)]
pub enum Outgoing {
    /// Bytes.
    Data(u32, Vec<u8>),
    /// No more bytes come.
    Shut(u32),
    /// The stream is broken off.
    Reset(u32),
    /// So many more bytes may be sent here.
    Credit(u32, u32),
}

/// What has come from the agent, and how much may be sent to it; shared by the stream and whoever hears of the agent's
/// side.
#[derive(Debug)]
pub struct Flow(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// What has come and isn't read yet.
    arrived: VecDeque<u8>,
    /// The agent sends no more.
    ended: bool,
    credit: u32,
    broken: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl State {
    fn wake_reader(&mut self) {
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    fn wake_writer(&mut self) {
        self.writer.take().into_iter().for_each(Waker::wake);
    }
}

impl Flow {
    /// A whole window.
    pub fn new() -> Arc<Flow> {
        Arc::new(Flow(Mutex::new(State { credit: WINDOW, ..State::default() })))
    }

    /// Lets so many more bytes go; false where that would be more than a window.
    pub fn add(&self, bytes: u32) -> bool {
        let mut state = self.state();
        state.credit = state.credit.saturating_add(bytes);
        state.wake_writer();
        state.credit <= WINDOW
    }

    /// Bytes have come.
    pub fn arrive(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.arrived.extend(bytes);
        state.wake_reader();
    }

    /// The agent sends no more.
    pub fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        state.wake_reader();
    }

    /// Nothing can be sent any more, and nothing more comes.
    pub fn break_off(&self) {
        let mut state = self.state();
        state.broken = true;
        state.wake_reader();
        state.wake_writer();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes credit for at most `wanted` bytes, at least one; waits where there is none.
    fn take(&self, wanted: usize, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut state = self.state();
        if state.broken {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if state.credit == 0 {
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let taken = wanted.min(state.credit as usize);
        state.credit -= taken as u32;
        Poll::Ready(Ok(taken))
    }

    /// Reads what has come; how many bytes, none for the agent's end.
    fn read(&self, buffer: &mut ReadBuf<'_>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut state = self.state();
        if state.arrived.is_empty() {
            if state.ended {
                return Poll::Ready(Ok(0));
            }
            if state.broken {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let front = state.arrived.as_slices().0;
        let n = buffer.remaining().min(front.len());
        buffer.put_slice(&front[..n]);
        state.arrived.drain(..n);
        Poll::Ready(Ok(n))
    }
}

/// One connection.
#[derive(Debug)]
pub struct Stream {
    id: u32,
    outgoing: UnboundedSender<Outgoing>,
    flow: Arc<Flow>,
    /// Bytes that were read, and the agent's side doesn't know of yet.
    taken: u32,
    ended: bool,
    shut: bool,
}

impl Stream {
    /// The stream of this id, between the two ends of the mux.
    pub fn new(id: u32, outgoing: UnboundedSender<Outgoing>, flow: Arc<Flow>) -> Stream {
        Stream { id, outgoing, flow, taken: 0, ended: false, shut: false }
    }

    fn send(&self, outgoing: Outgoing) -> io::Result<()> {
        self.outgoing.send(outgoing).map_err(|_| io::ErrorKind::ConnectionReset.into())
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ended || buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let n = ready!(self.flow.read(buffer, cx))?;
        self.ended = n == 0;
        self.taken += n as u32;
        // Not for every byte: half a window is early enough, since the other half is still on its way.
        if self.taken >= WINDOW / 2 {
            let credit = Outgoing::Credit(self.id, std::mem::take(&mut self.taken));
            self.send(credit)?;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.shut {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let n = ready!(self.flow.take(bytes.len().min(CHUNK), cx))?;
        self.send(Outgoing::Data(self.id, bytes[..n].to_vec()))?;
        Poll::Ready(Ok(n))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.shut, true) {
            self.send(Outgoing::Shut(self.id))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !(self.shut && self.ended) {
            // Where nobody listens any more, the stream is as broken as it can be.
            let _ = self.send(Outgoing::Reset(self.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_window_of_single_bytes_takes_no_more_room_than_a_window() {
        let (outgoing, _kept) = tokio::sync::mpsc::unbounded_channel();
        let flow = Flow::new();
        let mut stream = Stream::new(1, outgoing, Arc::clone(&flow));
        (0..WINDOW).for_each(|n| flow.arrive(&[n as u8]));
        flow.end();
        assert!(flow.state().arrived.capacity() <= 2 * WINDOW as usize);
        let mut read = Vec::new();
        stream.read_to_end(&mut read).await.expect("it ends");
        assert!(read.iter().enumerate().all(|(n, byte)| *byte == n as u8) && read.len() == WINDOW as usize);
    }
}
