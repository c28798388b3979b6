//! Server-sent events out of bytes that are cut anywhere: bytes are pushed in, whole events come out.

use bytes::Bytes;
use futures_util::Stream;
use futures_util::task::noop_waker;
use sseer::EventStream;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// Bytes that the decoder has not taken yet.
#[derive(Debug, Clone, Default)]
struct Queue(Arc<Mutex<VecDeque<Bytes>>>);

impl Stream for Queue {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
            Some(bytes) => Poll::Ready(Some(Ok(bytes))),
            // Whoever pushes polls; nobody has to be woken.
            None => Poll::Pending,
        }
    }
}

/// Decodes one stream.
pub struct Events {
    queue: Queue,
    stream: Pin<Box<EventStream<Queue>>>,
}

impl Default for Events {
    fn default() -> Events {
        let queue = Queue::default();
        Events { queue: queue.clone(), stream: Box::pin(EventStream::new(queue)) }
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    /// The data of each event that these bytes complete.
    ///
    /// # Errors
    /// Where they are no event stream: not UTF-8, say.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, String> {
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        let queued = Bytes::copy_from_slice(bytes);
        self.queue.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(queued);
        let waker = noop_waker();
        let mut context = Context::from_waker(&waker);
        let mut events = Vec::new();
        while let Poll::Ready(Some(event)) = self.stream.as_mut().poll_next(&mut context) {
            events.push(event.map_err(|e| e.to_string())?.data.to_string());
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_whole_wherever_the_bytes_are_cut() {
        let text = ": a comment\r\nevent: x\r\ndata: {\"é漢🙂\":1}\r\n\r\ndata: a\ndata: b\n\nid: 3\ndata:[DONE]\n\n";
        for size in 1..text.len() {
            let mut events = Events::default();
            let mut seen = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                seen.extend(events.push(piece).expect("valid"));
            }
            assert_eq!(seen, ["{\"é漢🙂\":1}", "a\nb", "[DONE]"], "pieces of {size}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        assert!(Events::default().push(b"data: \xff\xfe\n\n").is_err());
    }
}
