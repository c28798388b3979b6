//! Makes listed addresses and networks local to the container, so that connections to them arrive at the relay, and
//! then gives away for good what it took to do so.

use std::ffi::{c_int, c_ulong};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::fd::FromRawFd;

unsafe extern "C" {
    fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int;
    fn capget(header: *mut CapHeader, data: *mut CapSets) -> c_int;
    fn capset(header: *mut CapHeader, data: *const CapSets) -> c_int;
}

/// The kernel's `struct __user_cap_header_struct`.
#[repr(C)]
struct CapHeader {
    version: u32,
    pid: c_int,
}

/// The kernel's two `struct __user_cap_data_struct`: capabilities 0 to 31, then 32 to 63.
#[repr(C)]
#[derive(Default)]
struct CapSets([CapData; 2]);

#[repr(C)]
#[derive(Default)]
struct CapData {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Adds a local route for each range. Must run on the thread that starts commands: capabilities belong to threads, and
/// what this one has lost no command can have.
pub fn claim(ranges: &[(IpAddr, u8)]) -> Result<(), String> {
    let added = add_routes(ranges).map_err(|e| format!("make listed addresses local: {e}"));
    let dropped = drop_capabilities().map_err(|e| format!("give up the capability for routes: {e}"));
    added.and(dropped)
}

fn add_routes(ranges: &[(IpAddr, u8)]) -> io::Result<()> {
    const NETLINK: c_int = 16;
    const RAW_CLOEXEC: c_int = 3 | 0o2000000;
    const EXISTS: i32 = 17;
    // SAFETY: a plain call, checked below.
    let fd = unsafe { socket(NETLINK, RAW_CLOEXEC, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that nobody else has.
    let mut netlink = unsafe { File::from_raw_fd(fd) };
    for (address, prefix) in ranges {
        netlink.write_all(&new_route(*address, *prefix))?;
        let mut answer = [0; 1024];
        let n = netlink.read(&mut answer)?;
        // A header of 16 bytes, then the negative error number; 0 is success.
        let error = answer[..n].get(16..20).map_or(-22, |b| i32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
        if error != 0 && error != -EXISTS {
            return Err(io::Error::from_raw_os_error(-error));
        }
    }
    Ok(())
}

/// `ip route add local ADDRESS/PREFIX dev lo`, as rtnetlink(7) has it.
fn new_route(address: IpAddr, prefix: u8) -> Vec<u8> {
    const NEW_ROUTE: u16 = 24;
    const REQUEST_ACK_EXCL_CREATE: u16 = 0x1 | 0x4 | 0x200 | 0x400;
    const TABLE_LOCAL: u8 = 255;
    const PROTOCOL_BOOT: u8 = 3;
    const SCOPE_HOST: u8 = 254;
    const TYPE_LOCAL: u8 = 2;
    const DESTINATION: u16 = 1;
    const INTERFACE: u16 = 4;
    /// A network namespace's first interface is its loopback.
    const LO: u32 = 1;
    let (family, octets) = match address {
        IpAddr::V4(v4) => (2, v4.octets().to_vec()),
        IpAddr::V6(v6) => (10, v6.octets().to_vec()),
    };
    let mut body = vec![family, prefix, 0, 0, TABLE_LOCAL, PROTOCOL_BOOT, SCOPE_HOST, TYPE_LOCAL, 0, 0, 0, 0];
    for (kind, value) in [(DESTINATION, octets), (INTERFACE, LO.to_ne_bytes().to_vec())] {
        body.extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
        body.extend_from_slice(&kind.to_ne_bytes());
        body.extend_from_slice(&value);
    }
    let mut message = (16 + body.len() as u32).to_ne_bytes().to_vec();
    message.extend_from_slice(&NEW_ROUTE.to_ne_bytes());
    message.extend_from_slice(&REQUEST_ACK_EXCL_CREATE.to_ne_bytes());
    message.extend_from_slice(&[0; 8]);
    message.extend_from_slice(&body);
    message
}

/// Takes both capabilities out of every set of this thread: those that it has, those that a program may gain.
fn drop_capabilities() -> io::Result<()> {
    const BOUNDING_DROP: c_int = 24;
    const VERSION_3: u32 = 0x2008_0522;
    const NET_ADMIN: u32 = 12;
    /// The right to drop from the bounding set; it goes last.
    const SETPCAP: u32 = 8;
    let check = |result: c_int| if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    let mut header = CapHeader { version: VERSION_3, pid: 0 };
    let mut sets = CapSets::default();
    // SAFETY: plain calls; both structures are the kernel's and outlive the calls.
    unsafe {
        for capability in [NET_ADMIN, SETPCAP] {
            check(prctl(BOUNDING_DROP, c_ulong::from(capability), 0, 0, 0))?;
        }
        check(capget(&mut header, &mut sets))?;
        let keep = !(1 << NET_ADMIN | 1 << SETPCAP);
        let low = &mut sets.0[0];
        (low.effective, low.permitted, low.inheritable) =
            (low.effective & keep, low.permitted & keep, low.inheritable & keep);
        check(capset(&mut header, &sets))
    }
}
