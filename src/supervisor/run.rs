//! One command from start to end: its output is passed on as it comes, up to a cap; its time is limited; and when it
//! is over, nothing that it started is left.
//!
//! The threads and pipes that a command needs exist before it starts: an agent that eats all process ids must not
//! keep the supervisor from doing its work.

use crate::sys::{self, Reaped};
use crate::filter;
use crate::users;
use crate::wire::{Exit, Report, Run, Source};
use std::io::{PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How long to wait for killed processes to go, and for the last of their output.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Runs the command; an error is one that the agent can't have caused.
pub fn run(run: &Run) -> Result<Exit, String> {
    let user = users::find(&run.user)?;
    let meta = std::fs::metadata(&run.cwd).map_err(|e| format!("working folder `{}`: {e}", run.cwd))?;
    if !meta.is_dir() {
        return Err(format!("working folder `{}` is not a folder", run.cwd));
    }
    let program = run.argv.first().ok_or("an empty command")?;
    let (stdout, stdout_end) = std::io::pipe().map_err(|e| format!("open a pipe: {e}"))?;
    let (stderr, stderr_end) = std::io::pipe().map_err(|e| format!("open a pipe: {e}"))?;
    let counter = Arc::new(Counter { cap: run.output_cap, ..Counter::default() });
    let done = pump([(Source::Stdout, stdout), (Source::Stderr, stderr)], &counter);

    let mut command = Command::new(program);
    command.args(&run.argv[1..]).env_clear().env("HOME", &user.home);
    command.envs(run.env.iter().map(|(name, value)| (name, value))).current_dir(&run.cwd);
    command.stdin(Stdio::null()).stdout(stdout_end).stderr(stderr_end);
    let filter = filter::build();
    let child_side = move || {
        sys::unblock_signals();
        sys::become_user(user.uid, user.gid, &user.groups)?;
        filter::apply(&filter)
    };
    // SAFETY: all make system calls only, and nothing is allocated after the fork.
    unsafe { command.pre_exec(child_side) };
    let started = Instant::now();
    let spawned = command.spawn();
    // The command's ends of the pipes live in `command`: as long as it does, the pipes don't end.
    drop(command);
    // What is started is the runner's choice (a shell, a solution's script), not the agent's.
    let child = spawned.map_err(|e| format!("start `{program}` in the image: {e}"))?;
    let mut exit = watch(child.id() as i32, run, started);
    exit.micros = started.elapsed().as_micros() as u64;
    end_all();
    let deadline = Instant::now() + LAST_WAIT;
    for _ in 0..2 {
        let _ = done.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
    exit.output = counter.seen.load(Ordering::Relaxed);
    exit.dropped = exit.output.saturating_sub(counter.cap);
    Ok(exit)
}

/// Waits for the child, and ends everything when its time is over: TERM first, KILL after the grace.
fn watch(child: i32, run: &Run, started: Instant) -> Exit {
    let after = |ms: u64| Duration::from_millis(if ms == 0 { u64::MAX / 1000 } else { ms });
    let mut limit = after(run.timeout_ms);
    let mut timed_out = false;
    loop {
        match sys::reap() {
            Reaped::Child(pid, status) if pid == child => {
                let signal = status & 0x7f;
                let code = (signal == 0).then_some((status >> 8) & 0xff);
                return Exit { code, signal: (signal != 0).then_some(signal), timed_out, ..Exit::default() };
            }
            Reaped::Child(..) => continue,
            Reaped::NoneLeft => return Exit { timed_out, ..Exit::default() },
            Reaped::NoneEnded => {}
        }
        let left = limit.saturating_sub(started.elapsed());
        if !left.is_zero() {
            sys::wait_for_child(left);
        } else if !timed_out {
            timed_out = true;
            sys::signal_all(sys::TERM);
            limit = started.elapsed() + Duration::from_millis(run.grace_ms);
        } else {
            sys::signal_all(sys::KILL);
            limit = started.elapsed() + LAST_WAIT;
            // Killed processes go at once, unless the kernel itself is stuck with one; then this is the end too.
            if run.timeout_ms > 0 && started.elapsed() > after(run.timeout_ms) + after(run.grace_ms) + 2 * LAST_WAIT {
                return Exit { signal: Some(sys::KILL), timed_out, ..Exit::default() };
            }
        }
    }
}

/// Ends every process that is left and takes it off the table.
fn end_all() {
    let deadline = Instant::now() + LAST_WAIT;
    loop {
        match sys::reap() {
            Reaped::Child(..) => continue,
            Reaped::NoneLeft => return,
            Reaped::NoneEnded => {}
        }
        if Instant::now() > deadline {
            return;
        }
        sys::signal_all(sys::KILL);
        sys::wait_for_child(Duration::from_millis(20));
    }
}

#[derive(Default)]
struct Counter {
    seen: AtomicU64,
    cap: u64,
}

/// Passes both outputs on, each by a thread; what is over the cap is read and dropped, so that the command never
/// blocks and never fills anything. The receiver hears once from each thread when its pipe has ended.
fn pump(pipes: [(Source, PipeReader); 2], counter: &Arc<Counter>) -> Receiver<()> {
    let (sender, receiver) = mpsc::channel();
    for (source, mut pipe) in pipes {
        let (sender, counter) = (sender.clone(), Arc::clone(counter));
        std::thread::spawn(move || {
            let mut buffer = vec![0; crate::wire::CHUNK];
            while let Ok(n @ 1..) = pipe.read(&mut buffer) {
                let before = counter.seen.fetch_add(n as u64, Ordering::Relaxed);
                let room = counter.cap.saturating_sub(before).min(n as u64) as usize;
                if room > 0 {
                    crate::say(&Report::Output { source, bytes: buffer[..room].to_vec() });
                }
            }
            drop(sender.send(()));
        });
    }
    receiver
}
