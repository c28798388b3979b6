//! Sockets as the relay needs them and the standard library has them not: waiting for many at once, refusing with a
//! reset, listening on IPv6 alone. Numbers are Linux's, the same on every 64-bit machine that Docker runs on.

use std::ffi::{c_int, c_uint, c_void};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

unsafe extern "C" {
    fn epoll_create1(flags: c_int) -> c_int;
    fn epoll_ctl(epoll: c_int, verb: c_int, fd: c_int, event: *const Event) -> c_int;
    fn epoll_wait(epoll: c_int, events: *mut Event, count: c_int, timeout: c_int) -> c_int;
    fn eventfd(value: c_uint, flags: c_int) -> c_int;
    fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, size: c_uint) -> c_int;
    fn bind(fd: c_int, address: *const c_void, size: c_uint) -> c_int;
    fn listen(fd: c_int, backlog: c_int) -> c_int;
}

const CLOEXEC: c_int = 0o2000000;
const NONBLOCK: c_int = 0o4000;

/// The kernel's `struct epoll_event`.
#[derive(Clone, Copy, Default)]
#[cfg_attr(target_arch = "x86_64", repr(C, packed))]
#[cfg_attr(not(target_arch = "x86_64"), repr(C))]
pub struct Event {
    flags: u32,
    pub token: u64,
}

/// There is something to read or to accept.
pub const IN: u32 = 0x001;
/// There is room to write.
pub const OUT: u32 = 0x004;
/// One event, then nothing until it is asked for again.
pub const ONCE: u32 = 1 << 30;

impl Event {
    /// Reading may give something, if only an error or the end.
    pub fn readable(&self) -> bool {
        self.flags & !OUT != 0
    }
}

/// Waits for many sockets at once.
pub struct Epoll(OwnedFd);

impl Epoll {
    pub fn new() -> io::Result<Epoll> {
        // SAFETY: a plain call; what it gives is a new descriptor that nobody else has.
        unsafe { owned(epoll_create1(CLOEXEC)).map(Epoll) }
    }

    /// Begins to wait for a socket; its events carry `token`.
    pub fn add(&self, fd: &impl AsRawFd, flags: u32, token: u64) -> io::Result<()> {
        self.control(1, fd.as_raw_fd(), flags, token)
    }

    /// Waits for other things of a socket.
    pub fn change(&self, fd: &impl AsRawFd, flags: u32, token: u64) -> io::Result<()> {
        self.control(3, fd.as_raw_fd(), flags, token)
    }

    fn control(&self, verb: c_int, fd: RawFd, flags: u32, token: u64) -> io::Result<()> {
        let event = Event { flags, token };
        // SAFETY: both descriptors are open and the event is valid for the call.
        check(unsafe { epoll_ctl(self.0.as_raw_fd(), verb, fd, &event) }).map(drop)
    }

    /// The sockets that something has happened to; waits for the first of them where `wait` is set.
    pub fn ready<'e>(&self, events: &'e mut [Event; 64], wait: bool) -> &'e [Event] {
        let timeout = if wait { -1 } else { 0 };
        // SAFETY: the room is as large as is said.
        let count = unsafe { epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), events.len() as c_int, timeout) };
        &events[..usize::try_from(count).unwrap_or(0)]
    }
}

impl AsRawFd for Epoll {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A bell that another thread rings: eight bytes written ring it, eight bytes read silence it.
pub fn bell() -> io::Result<std::fs::File> {
    // SAFETY: a plain call; what it gives is a new descriptor that nobody else has.
    unsafe { owned(eventfd(0, CLOEXEC | NONBLOCK)).map(std::fs::File::from) }
}

/// Makes the end of this connection a reset instead of an orderly close.
pub fn reset_on_close(stream: &TcpStream) {
    const SOCKET: c_int = 1;
    const LINGER: c_int = 13;
    let on_for_no_time: [c_int; 2] = [1, 0];
    // SAFETY: the descriptor is open, and the value is the kernel's `struct linger`.
    unsafe { setsockopt(stream.as_raw_fd(), SOCKET, LINGER, on_for_no_time.as_ptr().cast(), 8) };
}

/// Listens on all addresses of IPv6, and leaves those of IPv4 to others.
pub fn listen_v6(port: u16) -> io::Result<TcpListener> {
    const INET6: c_int = 10;
    const STREAM: c_int = 1;
    const IPV6: c_int = 41;
    const ONLY: c_int = 26;
    const BACKLOG: c_int = 128;
    // `struct sockaddr_in6`: family, port, flow, the address `::`, scope.
    let mut address = [0u8; 28];
    address[..2].copy_from_slice(&(INET6 as u16).to_ne_bytes());
    address[2..4].copy_from_slice(&port.to_be_bytes());
    let yes: c_int = 1;
    // SAFETY: plain calls on a descriptor of our own, with valid pointers and their sizes.
    unsafe {
        let fd = owned(socket(INET6, STREAM | CLOEXEC, 0))?;
        check(setsockopt(fd.as_raw_fd(), IPV6, ONLY, (&raw const yes).cast(), 4))?;
        check(bind(fd.as_raw_fd(), address.as_ptr().cast(), 28))?;
        check(listen(fd.as_raw_fd(), BACKLOG))?;
        Ok(TcpListener::from(fd))
    }
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// # Safety
/// A descriptor that isn't negative must be open and nobody else's.
unsafe fn owned(fd: c_int) -> io::Result<OwnedFd> {
    // SAFETY: the caller's promise.
    check(fd).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}
