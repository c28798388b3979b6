//! One TCP connection of an agent, as the runner sees it: bytes come in pieces from the sandbox's one stream and go
//! back as frames on it, both held to the windows of `wire`.
//!
//! Shutting it down ends the direction towards the agent; the agent still can send. Dropping it before both directions
//! have ended breaks it off: the agent sees a reset.

use crate::wire::{CHUNK, WINDOW};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// What comes from the agent. That no more can come without an `End` means that the stream was broken off.
#[derive(Debug)]
pub enum Piece {
    /// Bytes.
    Data(Vec<u8>),
    /// The agent sends no more.
    End,
}

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

/// How much may be sent to the agent; shared by the stream and whoever hears of the agent's side.
#[derive(Debug)]
pub struct Flow(Mutex<State>);

#[derive(Debug)]
struct State {
    credit: u32,
    broken: bool,
    waiting: Option<Waker>,
}

impl Flow {
    /// A whole window.
    pub fn new() -> Arc<Flow> {
        Arc::new(Flow(Mutex::new(State { credit: WINDOW, broken: false, waiting: None })))
    }

    /// Lets so many more bytes go; false where that would be more than a window.
    pub fn add(&self, bytes: u32) -> bool {
        let mut state = self.state();
        state.credit = state.credit.saturating_add(bytes);
        state.waiting.take().into_iter().for_each(Waker::wake);
        state.credit <= WINDOW
    }

    /// Nothing can be sent any more.
    pub fn break_off(&self) {
        let mut state = self.state();
        state.broken = true;
        state.waiting.take().into_iter().for_each(Waker::wake);
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
            state.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let taken = wanted.min(state.credit as usize);
        state.credit -= taken as u32;
        Poll::Ready(Ok(taken))
    }
}

/// One connection.
#[derive(Debug)]
pub struct Stream {
    id: u32,
    pieces: UnboundedReceiver<Piece>,
    outgoing: UnboundedSender<Outgoing>,
    flow: Arc<Flow>,
    /// The piece that is being read, and how much of it has been.
    piece: Vec<u8>,
    read: usize,
    /// Bytes that were read, and the agent's side doesn't know of yet.
    taken: u32,
    ended: bool,
    shut: bool,
}

impl Stream {
    /// The stream of this id, between the two ends of the mux.
    pub fn new(
        id: u32,
        pieces: UnboundedReceiver<Piece>,
        outgoing: UnboundedSender<Outgoing>,
        flow: Arc<Flow>,
    ) -> Stream {
        let (piece, read, taken, ended, shut) = (Vec::new(), 0, 0, false, false);
        Stream { id, pieces, outgoing, flow, piece, read, taken, ended, shut }
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
        if self.read == self.piece.len() {
            match ready!(self.pieces.poll_recv(cx)) {
                Some(Piece::Data(piece)) => (self.piece, self.read) = (piece, 0),
                Some(Piece::End) => {
                    self.ended = true;
                    return Poll::Ready(Ok(()));
                }
                None => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            }
        }
        let n = buffer.remaining().min(self.piece.len() - self.read);
        buffer.put_slice(&self.piece[self.read..self.read + n]);
        self.read += n;
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
