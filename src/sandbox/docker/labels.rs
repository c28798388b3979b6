//! The labels on everything of ours in an engine, and whether the runner that made a thing still lives.
//!
//! A runner is named by the kernel's boot, its process id namespace, its process id and that process's start time.
//! All four are needed: ids come back after a restart, and two runners in two containers can have the same id.

use crate::sandbox::Owner;
use std::collections::HashMap;

/// On everything of ours.
pub const MARK: &str = "dev.seatrial";
/// The job's name.
pub const JOB: &str = "dev.seatrial.job";
/// The trial's name.
pub const TRIAL: &str = "dev.seatrial.trial";
/// Which runner made it.
pub const RUNNER: &str = "dev.seatrial.runner";

/// Labels for what belongs to no job, such as an image.
pub fn common() -> HashMap<String, String> {
    HashMap::from([(MARK.to_owned(), env!("CARGO_PKG_VERSION").to_owned())])
}

/// Labels for a container of a trial.
pub fn of_trial(owner: &Owner) -> HashMap<String, String> {
    let mut labels = common();
    labels.insert(JOB.to_owned(), owner.job.clone());
    labels.insert(TRIAL.to_owned(), owner.trial.clone());
    labels.insert(RUNNER.to_owned(), this_runner());
    labels
}

/// What is known of the runner behind a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// This process.
    This,
    /// Another process that lives.
    Lives,
    /// It is gone for certain.
    Dead,
    /// It ran elsewhere: another machine, another boot, another namespace.
    Unknown,
}

/// This process, as the [`RUNNER`] label names it.
pub fn this_runner() -> String {
    let (place, pid) = (place(), std::process::id());
    format!("{place}/{pid}/{}", start_time(pid).unwrap_or_default())
}

/// Looks at whether the runner that a label names still lives.
pub fn runner(label: &str) -> Runner {
    if label == this_runner() {
        return Runner::This;
    }
    let Some((that_place, process)) = label.rsplit_once('/').and_then(|(head, start)| {
        let (that_place, pid) = head.rsplit_once('/')?;
        Some((that_place, (pid.parse::<u32>().ok()?, start)))
    }) else {
        return Runner::Unknown;
    };
    if that_place != place() {
        return Runner::Unknown;
    }
    match start_time(process.0) {
        Some(start) if start == process.1 => Runner::Lives,
        _ => Runner::Dead,
    }
}

/// The boot and the process id namespace of this machine; where `/proc` tells neither (macOS), its name.
fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let namespace = std::fs::read_link("/proc/self/ns/pid");
    match (boot, namespace) {
        (Ok(boot), Ok(namespace)) => format!("{}/{}", boot.trim(), namespace.display()),
        _ => format!("host/{}", rustix::system::uname().nodename().to_string_lossy()),
    }
}

/// When a living process started, as an opaque text; `None` where there is none.
fn start_time(pid: u32) -> Option<String> {
    if !std::path::Path::new("/proc/self/stat").exists() {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
        return rustix::process::test_kill_process(pid).ok().map(|()| String::new());
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name may hold spaces and brackets; what comes after the last bracket is numbers. The state is
    // the first of them, the start time (field 22 of proc(5)) the twentieth.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18).map(str::to_owned))?
}
