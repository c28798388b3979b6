//! The program inside the container: its main process, PID 1, and the only thing that speaks with the runner.
//!
//! It runs what it is told, reaps, ends whole process trees, caps output and reads files without following links.
//! It must not need anything of the image (no libc, no shell), must not trust anything that the agent can touch, and
//! must not decide anything: what an exit or an answer means is the runner's business. It is built by `build.rs` from
//! the standard library alone, so that there is nothing else to audit inside the container.
//!
//! When the runner goes away, standard input ends, this program ends, and with PID 1 every process of the trial.

mod dns;
mod files;
mod filter;
mod loopback;
mod names;
mod relay;
mod run;
mod socket;
mod streams;
mod sys;
mod users;
#[path = "../wire/mod.rs"]
mod wire;

use std::io::{Read, Write};
use std::sync::{Mutex, mpsc};
use wire::{Decoder, Frame, Order, Report};

fn main() {
    // Ending a trial means killing every process in sight. That is right only where this program is a container's
    // first process; anywhere else it would end the user's session.
    if std::process::id() != 1 {
        eprintln!("this is seatrial's supervisor; it only runs as a container's main process");
        std::process::exit(64);
    }
    sys::harden();
    let orders = orders();
    say(&Report::Ready);
    for order in orders {
        obey(order);
    }
}

fn obey(order: Order) {
    let done = match order {
        Order::Mkdir { path, mode } => files::mkdir(&path, mode).map(|()| Report::Done),
        Order::Write { path, mode, append, bytes } => {
            files::write(&path, mode, append, &bytes).map(|()| Report::Done)
        }
        Order::Run(run) => run::run(&run).map(Report::Exited),
        Order::Read { path, cap } => {
            files::send(&path, cap);
            Ok(Report::Done)
        }
        Order::List { path, cap } => {
            files::list(&path, cap);
            Ok(Report::Done)
        }
        Order::Network(listed) => relay::start(listed).map(|()| Report::Done),
        Order::Quit => std::process::exit(0),
    };
    say(&done.unwrap_or_else(Report::Failed));
}

/// Sends one report.
fn say(report: &Report) {
    let mut frame = Vec::new();
    report.encode(&mut frame);
    send(&frame);
}

/// Sends one frame as a whole. Where nobody listens any more there is nothing left to do, so it ends.
fn send(frame: &[u8]) {
    static STDOUT: Mutex<()> = Mutex::new(());
    let _turn = STDOUT.lock();
    if sys::stream(1).write_all(frame).is_err() {
        std::process::exit(1);
    }
}

/// Orders as they come, read by a thread of their own so that the runner's going away ends a running command too.
fn orders() -> mpsc::IntoIter<Order> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut decoder = Decoder::default();
        let mut buffer = vec![0; wire::CHUNK];
        let mut stdin = sys::stream(0);
        loop {
            match stdin.read(&mut buffer) {
                Ok(0) | Err(_) => std::process::exit(0),
                Ok(n) => decoder.feed(&buffer[..n]),
            }
            loop {
                match decoder.frame() {
                    Ok(None) => break,
                    Ok(Some(Frame { kind, stream: 0, payload })) => match Order::decode(kind, payload) {
                        Ok(order) => drop(sender.send(order)),
                        Err(_) => std::process::exit(2),
                    },
                    Ok(Some(Frame { kind, stream, payload })) if relay::hand_over(stream, kind, payload) => {}
                    Ok(Some(_)) | Err(_) => std::process::exit(2),
                }
            }
        }
    });
    receiver.into_iter()
}
