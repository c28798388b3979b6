//! `seatrial doctor`: say what of engine, base image, disk and policies is fine. Wiring only.

use super::error::Error;
use super::exit;
use super::table::beside;
use super::words::count;
use crate::sandbox::docker::{BASE, Engine};
use crate::sandbox::{Command, Engine as AnyEngine, ImageSource, Limits, Network, Owner, Spec};
use rustix::fs::Access;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Say what of engine, base image, disk and policies is fine
///
/// Starts one sandbox where there is an engine and a base image, and looks at it from inside. With `--network` it tries
/// what an agent could try against its closed network, on this very engine: exit code 1 if anything gets through, or if
/// a probe doesn't work where it is allowed and so proves nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  seatrial doctor\n  seatrial doctor --network")]
pub struct DoctorArgs {
    /// Where jobs are kept
    #[arg(short = 'o', long, value_name = "DIR", default_value = "jobs")]
    jobs_dir: PathBuf,

    /// Attack the closed network from inside sandboxes, and show what was tried, expected and seen
    #[arg(long)]
    network: bool,
}

/// One line of the report: what was looked at, whether it is fine, what was seen, what to do.
struct Finding {
    what: &'static str,
    fine: bool,
    seen: String,
    hint: Option<String>,
}

/// Free space below which a job is likely to end early.
const ENOUGH_DISK: u64 = 2 << 30;

/// Runs the verb and gives the exit code.
pub async fn run(args: &DoctorArgs) -> Result<u8, Error> {
    if args.network {
        return super::attack::run().await;
    }
    let mut findings = vec![disk(&args.jobs_dir), jobs_folder(&args.jobs_dir)];
    match super::drive::docker().await {
        Ok(engine) => look_at(&engine, &mut findings).await?,
        Err(error) => {
            findings.push(Finding { what: "engine", fine: false, seen: error.to_string(), hint: error.hint() })
        }
    }
    findings.push(models(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())));
    for finding in &findings {
        let begin = format!("{:8} {:10} ", if finding.fine { "ok" } else { "PROBLEM" }, finding.what);
        let mut lines = String::new();
        beside(&mut lines, &begin, &finding.seen);
        if let Some(hint) = finding.hint.as_ref().filter(|_| !finding.fine) {
            beside(&mut lines, "    ", &format!("hint: {hint}"));
        }
        super::show(lines.trim_end());
    }
    let fine = findings.iter().all(|finding| finding.fine);
    Ok(if fine { exit::OK } else { exit::CHECK_FAILED })
}

/// Which keys the model relay would find; never what is in them.
fn models(is_set: impl Fn(&str) -> bool) -> Finding {
    let names = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
    let set: Vec<&str> = names.into_iter().filter(|name| is_set(name)).collect();
    let set = if set.is_empty() { "no key is set for it".to_owned() } else { format!("set: {}", set.join(", ")) };
    Finding { what: "models", fine: true, seen: format!("the relay keeps keys outside sandboxes; {set}"), hint: None }
}

/// A base image that the engine has; nothing is fetched by a look.
pub(super) async fn base(engine: &Engine) -> Result<Option<&'static str>, Error> {
    for name in ["python:3.12-slim", BASE] {
        if engine.has_image(name).await? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn disk(jobs_dir: &Path) -> Finding {
    let there = there(jobs_dir);
    let (fine, seen) = match rustix::fs::statvfs(there) {
        Ok(stat) => {
            let free = stat.f_bavail * stat.f_frsize;
            (
                free >= ENOUGH_DISK,
                format!("{:.1} GiB free for `{}`", free as f64 / (1 << 30) as f64, jobs_dir.display()),
            )
        }
        Err(e) => (false, format!("`{}`: {e}", there.display())),
    };
    Finding { what: "disk", fine, seen, hint: Some("make room, or name another folder with `--jobs-dir`".to_owned()) }
}

fn jobs_folder(jobs_dir: &Path) -> Finding {
    let (there, dir) = (there(jobs_dir), jobs_dir.display());
    let (fine, seen) = match rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK) {
        _ if !there.is_dir() => (false, format!("`{}` is not a folder", there.display())),
        Ok(()) => (true, format!("`{dir}` can be written")),
        Err(e) => (false, format!("`{dir}` can't be written: `{}`: {e}", there.display())),
    };
    let hint = Some("name another folder with `--jobs-dir`, or change its permissions".to_owned());
    Finding { what: "jobs", fine, seen, hint }
}

/// The part of a path that is there: a jobs folder may not be yet, and what counts is where it will be.
fn there(path: &Path) -> &Path {
    let there = path.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("."));
    if there.as_os_str().is_empty() { Path::new(".") } else { there }
}

async fn look_at(engine: &Engine, findings: &mut Vec<Finding>) -> Result<(), Error> {
    let facts = engine.facts();
    findings.push(Finding {
        what: "engine",
        fine: true,
        seen: format!(
            "{} at {} (API {}, {}/{}, kernel {})",
            facts.version, facts.endpoint, facts.api_version, facts.os, facts.arch, facts.kernel
        ),
        hint: None,
    });
    let left = engine.left_behind(None).await?.len();
    findings.push(Finding {
        what: "leftovers",
        fine: left == 0,
        seen: format!("{} of dead jobs", count(left, "container")),
        hint: Some("`seatrial clean` removes them; every run does too".to_owned()),
    });
    let any = AnyEngine::Docker(engine.clone());
    let base = base(engine).await?;
    findings.push(Finding {
        what: "base image",
        fine: base.is_some(),
        seen: base.map_or_else(|| "neither python:3.12-slim nor a local one".to_owned(), str::to_owned),
        hint: Some(
            "`seatrial base` builds one from Debian packages; with a registry, the first run pulls it".to_owned(),
        ),
    });
    if let Some(base) = base {
        let (fine, seen) = match inside(&any, base).await {
            Ok(seen) => seen,
            Err(error) => (false, error.to_string()),
        };
        findings.push(Finding { what: "sandbox", fine, seen, hint: None });
    }
    findings.push(Finding {
        what: "policies",
        fine: true,
        seen: "no-network, allowlist and public are applied to every trial; `doctor --network` attacks them".to_owned(),
        hint: None,
    });
    Ok(())
}

/// What a sandbox looks like to its agent: only loopback, no raw sockets, its limits in force.
async fn inside(engine: &AnyEngine, base: &str) -> Result<(bool, String), crate::sandbox::Error> {
    let image = engine.image(&ImageSource::Named(base.to_owned()), &mut |_| {}).await?;
    let owner = Owner { job: "doctor".to_owned(), trial: "doctor".to_owned() };
    let spec = Spec { image, network: Network::None, limits: Limits::default(), owner };
    let mut sandbox = engine.open(&spec).await?;
    let line = "ls /sys/class/net; grep -c . /proc/net/route; grep NoNewPrivs /proc/self/status";
    let command = Command {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: Some(Duration::from_secs(10)),
        grace: Duration::from_secs(1),
        output_cap: 4096,
    };
    let mut said = Vec::new();
    let ran = sandbox.run(&command, &mut |bytes| said.extend_from_slice(bytes)).await;
    sandbox.close().await?;
    ran?;
    let said = String::from_utf8_lossy(&said);
    let words: Vec<&str> = said.split_whitespace().collect();
    // One interface, a routing table that is only its heading (or empty), no way to more privileges.
    let closed = matches!(words.as_slice(), ["lo", "0" | "1", "NoNewPrivs:", "1"]);
    let seen =
        if closed { "starts; only loopback inside, no new privileges".to_owned() } else { format!("inside: {said:?}") };
    Ok((closed, seen))
}
