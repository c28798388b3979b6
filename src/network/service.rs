//! A service of this process at a name of its own: a stream to it is carried as to any host, under the same caps and
//! with the same evidence, but nothing is dialled. What the service does with the bytes is its own matter.

use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

/// Bytes both ways.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Serves one stream, until it has sent its end.
pub type Served<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A service that agents may reach by name, whatever their policy lists.
pub trait Service: Send + Sync {
    /// Serves one stream. The future is dropped when the agent's side is gone or the trial is over.
    fn serve(&self, stream: Box<dyn Duplex>) -> Served<'_>;
}
