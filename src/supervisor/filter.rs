//! A system call filter that every command of an agent runs under, beside the engine's own. It is inherited and can't be
//! taken off, and it takes away two kinds of calls:
//!
//! - Those by which a process may change another one's limits and its share of the processor: same user is all that the
//!   kernel asks for, and an agent may be root like the supervisor. Without this an agent could stop the supervisor and
//!   pass its own failure off as a fault of ours. Each stays allowed for the caller itself (id 0).
//! - Sockets of families that a container without a network doesn't keep in: `AF_VSOCK` reaches the machine that a
//!   virtual machine runs on. And `io_uring`, which opens sockets unseen by any filter.

use std::ffi::{c_int, c_ulong};
use std::io;

/// `struct sock_filter`: one instruction of classic BPF.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

#[repr(C)]
struct Program {
    length: u16,
    instructions: *const Instruction,
}

unsafe extern "C" {
    fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int;
}

/// One system call interface of this machine: its audit number and the numbers of prlimit64, sched_setparam,
/// sched_setscheduler, sched_setaffinity, sched_setattr (in this order), setpriority, ioprio_set and socket; and of
/// socketcall, where there is one.
struct Interface {
    audit: u32,
    by_first_argument: [u32; 5],
    setpriority: u32,
    ioprio_set: u32,
    socket: u32,
    socketcall: Option<u32>,
}

#[cfg(target_arch = "x86_64")]
const INTERFACES: [Interface; 2] = [
    Interface {
        audit: 0xc000_003e,
        by_first_argument: [302, 142, 144, 203, 314],
        setpriority: 141,
        ioprio_set: 251,
        socket: 41,
        socketcall: None,
    },
    Interface {
        audit: 0x4000_0003,
        by_first_argument: [340, 154, 156, 241, 351],
        setpriority: 97,
        ioprio_set: 289,
        socket: 359,
        socketcall: Some(102),
    },
];
#[cfg(target_arch = "aarch64")]
const INTERFACES: [Interface; 2] = [
    Interface {
        audit: 0xc000_00b7,
        by_first_argument: [261, 118, 119, 122, 274],
        setpriority: 140,
        ioprio_set: 30,
        socket: 198,
        socketcall: None,
    },
    Interface {
        audit: 0x4000_0028,
        by_first_argument: [369, 154, 156, 241, 380],
        setpriority: 97,
        ioprio_set: 314,
        socket: 281,
        socketcall: Some(102),
    },
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const INTERFACES: [Interface; 0] = [];

/// When an argument makes a call one to refuse.
enum Refuse {
    /// It is this number.
    If(u32),
    /// It is anything but one of these.
    Unless(&'static [u32]),
}

/// The caller itself.
const SELF: &[u32] = &[0];
/// `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`: each of these ends with the container.
const FAMILIES: &[u32] = &[1, 2, 10, 16];
/// The same number on every machine.
const IO_URING_SETUP: u32 = 425;

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
/// The call fails with EPERM.
const DENY: u32 = 0x0005_0001;

/// The filter. An interface that isn't known may call nothing.
pub fn build() -> Vec<Instruction> {
    let mut program = Vec::new();
    for interface in &INTERFACES {
        let body = body(interface);
        program.push(step(LOAD, 4));
        // A body is longer than a conditional jump reaches, so it is jumped over by an unconditional one.
        program.push(Instruction { code: JUMP_IF_EQUAL, if_true: 1, if_false: 0, value: interface.audit });
        program.push(step(0x05, body.len() as u32));
        program.extend(body);
    }
    program.push(step(RETURN, DENY));
    program
}

/// Puts the filter on this process, for good. To be called between fork and exec, as the last thing.
pub fn apply(filter: &[Instruction]) -> io::Result<()> {
    const SET_SECCOMP: c_int = 22;
    const SET_NO_NEW_PRIVILEGES: c_int = 38;
    const FILTER: c_ulong = 2;
    let program = Program { length: filter.len() as u16, instructions: filter.as_ptr() };
    // SAFETY: plain system calls; the program outlives them. The engine has set the first already.
    let result = unsafe {
        prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0);
        prctl(SET_SECCOMP, FILTER, &raw const program as c_ulong, 0, 0)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn body(interface: &Interface) -> Vec<Instruction> {
    const PRIORITY_OF_USER: u32 = 2;
    const IO_PRIORITY_OF_USER: u32 = 3;
    const SOCKETCALL_SOCKET: u32 = 1;
    let mut body = Vec::new();
    for call in interface.by_first_argument {
        rule(&mut body, call, &[(0, Refuse::Unless(SELF))]);
    }
    rule(&mut body, interface.setpriority, &[(0, Refuse::If(PRIORITY_OF_USER)), (1, Refuse::Unless(SELF))]);
    rule(&mut body, interface.ioprio_set, &[(0, Refuse::If(IO_PRIORITY_OF_USER)), (1, Refuse::Unless(SELF))]);
    rule(&mut body, interface.socket, &[(0, Refuse::Unless(FAMILIES))]);
    if let Some(call) = interface.socketcall {
        // Here the family is out of sight, so this way to make a socket is closed: old 32-bit programs alone take it.
        rule(&mut body, call, &[(0, Refuse::If(SOCKETCALL_SOCKET))]);
    }
    rule(&mut body, IO_URING_SETUP, &[(0, Refuse::Unless(&[]))]);
    body.push(step(RETURN, ALLOW));
    body
}

fn rule(body: &mut Vec<Instruction>, call: u32, refusals: &[(u32, Refuse)]) {
    let mut checks = Vec::new();
    for (argument, refuse) in refusals {
        // The low half of the argument: these are all `int`.
        checks.push(step(LOAD, 16 + 8 * argument));
        match refuse {
            Refuse::If(value) => {
                checks.push(Instruction { code: JUMP_IF_EQUAL, if_true: 0, if_false: 1, value: *value });
            }
            Refuse::Unless(values) => checks.extend(values.iter().enumerate().map(|(index, value)| {
                let if_true = (values.len() - index) as u8;
                Instruction { code: JUMP_IF_EQUAL, if_true, if_false: 0, value: *value }
            })),
        }
        checks.push(step(RETURN, DENY));
    }
    checks.push(step(RETURN, ALLOW));
    // The call's number; the bit by which x86-64 marks its x32 calls doesn't make it another call.
    body.push(step(LOAD, 0));
    body.push(step(AND, !0x4000_0000));
    body.push(Instruction { code: JUMP_IF_EQUAL, if_true: 0, if_false: checks.len() as u8, value: call });
    body.extend(checks);
}

fn step(code: u16, value: u32) -> Instruction {
    Instruction { code, if_true: 0, if_false: 0, value }
}
