//! Watches what an agent sends for another host than the one that its stream was opened for: in a TLS ClientHello, and
//! in each HTTP/1 request of a connection. It must not change a byte; bytes are held back only until they can be read.

mod chunks;
mod http;
mod scanner;
mod tls;

pub(crate) use scanner::Scanner;
