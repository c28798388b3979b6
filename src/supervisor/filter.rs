//! A system call filter that every command of an agent runs under, beside the engine's own. It takes away the few calls
//! by which a process may change another one's limits and its share of the processor: same user is all that the kernel
//! asks for, and an agent may be root like the supervisor. Without this an agent could stop the supervisor and pass
//! its own failure off as a fault of ours.
//!
//! Each of these calls stays allowed for the caller itself (id 0). The filter is inherited and can't be taken off.

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
/// sched_setscheduler, sched_setaffinity, sched_setattr (in this order), setpriority and ioprio_set.
struct Interface {
    audit: u32,
    by_first_argument: [u32; 5],
    setpriority: u32,
    ioprio_set: u32,
}

#[cfg(target_arch = "x86_64")]
const INTERFACES: [Interface; 2] = [
    Interface { audit: 0xc000_003e, by_first_argument: [302, 142, 144, 203, 314], setpriority: 141, ioprio_set: 251 },
    Interface { audit: 0x4000_0003, by_first_argument: [340, 154, 156, 241, 351], setpriority: 97, ioprio_set: 289 },
];
#[cfg(target_arch = "aarch64")]
const INTERFACES: [Interface; 2] = [
    Interface { audit: 0xc000_00b7, by_first_argument: [261, 118, 119, 122, 274], setpriority: 140, ioprio_set: 30 },
    Interface { audit: 0x4000_0028, by_first_argument: [369, 154, 156, 241, 380], setpriority: 97, ioprio_set: 314 },
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const INTERFACES: [Interface; 0] = [];

/// When an argument makes a call one to refuse.
enum Refuse {
    /// It is this number.
    If(u32),
    /// It is anything but 0, which means the caller.
    UnlessZero,
}

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
    let mut body = Vec::new();
    for call in interface.by_first_argument {
        rule(&mut body, call, &[(0, Refuse::UnlessZero)]);
    }
    rule(&mut body, interface.setpriority, &[(0, Refuse::If(PRIORITY_OF_USER)), (1, Refuse::UnlessZero)]);
    rule(&mut body, interface.ioprio_set, &[(0, Refuse::If(IO_PRIORITY_OF_USER)), (1, Refuse::UnlessZero)]);
    body.push(step(RETURN, ALLOW));
    body
}

fn rule(body: &mut Vec<Instruction>, call: u32, refusals: &[(u32, Refuse)]) {
    // The call's number; the bit by which x86-64 marks its x32 calls doesn't make it another call.
    body.push(step(LOAD, 0));
    body.push(step(AND, !0x4000_0000));
    let skip = refusals.len() as u8 * 3 + 1;
    body.push(Instruction { code: JUMP_IF_EQUAL, if_true: 0, if_false: skip, value: call });
    for (argument, refuse) in refusals {
        // The low half of the argument: these are all `int`.
        body.push(step(LOAD, 16 + 8 * argument));
        let (value, if_true, if_false) = match refuse {
            Refuse::If(value) => (*value, 0, 1),
            Refuse::UnlessZero => (0, 1, 0),
        };
        body.push(Instruction { code: JUMP_IF_EQUAL, if_true, if_false, value });
        body.push(step(RETURN, DENY));
    }
    body.push(step(RETURN, ALLOW));
}

fn step(code: u16, value: u32) -> Instruction {
    Instruction { code, if_true: 0, if_false: 0, value }
}
