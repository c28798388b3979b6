//! The few C library calls that the standard library has no safe form of, each behind a safe function.
//! Numbers are Linux's, the same on every 64-bit machine that Docker runs on.

use std::ffi::{CString, c_char, c_int, c_long, c_ulong, c_void};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd};
use std::time::Duration;

unsafe extern "C" {
    fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int;
    #[link_name = "kill"]
    fn kill_c(pid: c_int, signal: c_int) -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
    fn sigtimedwait(set: *const SignalSet, info: *mut c_void, timeout: *const TimeSpec) -> c_int;
    fn setsid() -> c_int;
    fn setgroups(count: usize, groups: *const u32) -> c_int;
    fn setgid(gid: u32) -> c_int;
    fn setuid(uid: u32) -> c_int;
    fn openat(dir: c_int, path: *const c_char, flags: c_int, ...) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

/// Room for glibc's and musl's signal sets alike (both 128 bytes).
#[repr(C)]
struct SignalSet([u64; 16]);

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: c_long,
}

/// The kernel's `struct open_how`.
#[repr(C)]
struct OpenHow {
    flags: u64,
    mode: u64,
    resolve: u64,
}

pub const TERM: i32 = 15;
pub const KILL: i32 = 9;
const CHLD: c_int = 17;
const NOT_PERMITTED: i32 = 1;
const NO_SUCH_CALL: i32 = 38;
const O_PATH: c_int = 0o10000000;
const O_CLOEXEC: c_int = 0o2000000;
/// `O_NOFOLLOW`, for [`std::os::unix::fs::OpenOptionsExt::custom_flags`].
pub const O_NOFOLLOW: c_int = if cfg!(any(target_arch = "aarch64", target_arch = "arm")) { 0o100000 } else { 0o400000 };

/// Makes this process unreadable and untraceable for the agent, also where the agent is root, and keeps SIGCHLD for
/// [`wait_for_child`]. Must run before any thread is started, so that all of them inherit the signal mask.
pub fn harden() {
    const SET_DUMPABLE: c_int = 4;
    // SAFETY: plain calls with valid arguments; without the first an agent that is root could trace this process or
    // write frames into its standard output.
    unsafe {
        prctl(SET_DUMPABLE, 0, 0, 0, 0);
        pthread_sigmask(0, &child_signal(), std::ptr::null_mut());
    }
}

/// One of the two ends of the runner's stream: 0 to read, 1 to write. Never closed.
pub fn stream(fd: i32) -> ManuallyDrop<File> {
    // SAFETY: the engine opened both, and nothing here closes them.
    ManuallyDrop::new(unsafe { File::from_raw_fd(fd) })
}

fn child_signal() -> SignalSet {
    let mut set = SignalSet([0; 16]);
    // SAFETY: the set is large enough for both C libraries.
    unsafe {
        sigemptyset(&mut set);
        sigaddset(&mut set, CHLD);
    }
    set
}

/// Waits until a child may have ended, or the time is over. Waking up for nothing is fine.
pub fn wait_for_child(at_most: Duration) {
    let at_most = at_most.min(Duration::from_secs(3600));
    let timeout = TimeSpec { seconds: at_most.as_secs() as i64, nanoseconds: at_most.subsec_nanos() as c_long };
    // SAFETY: SIGCHLD is blocked in every thread, so it stays pending until it is taken here.
    unsafe { sigtimedwait(&child_signal(), std::ptr::null_mut(), &timeout) };
}

/// What one look for ended children gave.
pub enum Reaped {
    /// This process ended with this raw status.
    Child(i32, i32),
    /// Children live, none has ended.
    NoneEnded,
    /// No child is left.
    NoneLeft,
}

/// Takes one ended process off the table, whichever it is: as PID 1 all orphans are ours.
pub fn reap() -> Reaped {
    let mut status = 0;
    // SAFETY: `status` is a valid place; 1 is WNOHANG.
    match unsafe { waitpid(-1, &mut status, 1) } {
        0 => Reaped::NoneEnded,
        pid if pid > 0 => Reaped::Child(pid, status),
        _ => Reaped::NoneLeft,
    }
}

/// Sends a signal to every process in the container but this one.
pub fn signal_all(signal: i32) {
    // SAFETY: as PID 1 of its own namespace (checked at start), -1 is everything in it but itself.
    unsafe { kill_c(-1, signal) };
}

/// What a forked child does before it becomes the command: own session, first in line for the memory killer, the
/// user's ids. Only calls that are safe between fork and exec.
pub fn become_user(uid: u32, gid: u32, groups: &[u32]) -> io::Result<()> {
    let check = |result: c_int| if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    // SAFETY: plain system calls; `groups` outlives the call.
    unsafe {
        setsid();
        // The agent's processes are to be killed for memory before the supervisor is.
        let fd = openat(-100, c"/proc/self/oom_score_adj".as_ptr(), 1 | O_CLOEXEC);
        if fd >= 0 {
            let _ = io::Write::write_all(&mut File::from_raw_fd(fd), b"500");
        }
        check(setgroups(groups.len(), groups.as_ptr()))?;
        check(setgid(gid))?;
        check(setuid(uid))
    }
}

/// Blocks no signal any more. To be called between fork and exec: a command would inherit that [`harden`] blocks SIGCHLD,
/// and shells that `wait` and programs that run others would never hear of their children's end.
pub fn unblock_signals() {
    const SET_MASK: c_int = 2;
    let mut none = SignalSet([0; 16]);
    // SAFETY: plain calls; the set is large enough for both C libraries.
    unsafe {
        sigemptyset(&mut none);
        pthread_sigmask(SET_MASK, &none, std::ptr::null_mut());
    }
}

/// Opens an absolute path as a mere handle (no data, no side effects on devices and pipes), following no link in any
/// part of it.
///
/// # Errors
/// The operating system's error; `ELOOP` (40) where a part of the path is a link.
pub fn open_without_links(path: &str) -> io::Result<File> {
    const OPENAT2: c_long = 437;
    const NO_MAGICLINKS_NO_SYMLINKS: u64 = 0x02 | 0x04;
    let c_path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(2))?;
    let how = OpenHow { flags: (O_PATH | O_CLOEXEC | O_NOFOLLOW) as u64, mode: 0, resolve: NO_MAGICLINKS_NO_SYMLINKS };
    // SAFETY: the path ends in NUL, the structure is the kernel's, and its size is given.
    let fd = unsafe { syscall(OPENAT2, -100, c_path.as_ptr(), &how, size_of::<OpenHow>()) };
    if fd >= 0 {
        // SAFETY: a new descriptor that nobody else has.
        return Ok(unsafe { File::from_raw_fd(fd as c_int) });
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Kernels before 5.6, and engines whose system call filter doesn't know openat2 yet.
        Some(NO_SUCH_CALL | NOT_PERMITTED) => walk_without_links(path),
        _ => Err(error),
    }
}

/// The same with one `openat` for each part of the path.
fn walk_without_links(path: &str) -> io::Result<File> {
    let mut at = File::open("/")?;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let part = CString::new(part).map_err(|_| io::Error::from_raw_os_error(2))?;
        // SAFETY: `at` is open and the part ends in NUL.
        let fd = unsafe { openat(at.as_raw_fd(), part.as_ptr(), O_PATH | O_CLOEXEC | O_NOFOLLOW) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that nobody else has.
        at = unsafe { File::from_raw_fd(fd) };
        if at.metadata()?.file_type().is_symlink() {
            return Err(io::Error::from_raw_os_error(40));
        }
    }
    Ok(at)
}
