//! `seatrial doctor --network`: attack the closed network on the user's engine. Wiring only.

use super::error::Error;
use super::exit;
use super::words::count;
use crate::attack::{self, Finding, Verdict};
use crate::sandbox::{Engine, ImageSource};

/// Attacks the closed network and shows what came of it, a line for each attack.
pub async fn run() -> Result<u8, Error> {
    let engine = super::drive::docker().await?;
    let base = super::doctor::base(&engine).await?.ok_or_else(|| Error::Host {
        why: "the attacks need a base image with python3, and the engine has none".to_owned(),
        hint: Some("`seatrial base` builds one; with a registry, pull `python:3.12-slim`".to_owned()),
    })?;
    super::say("attacking the closed network from inside three sandboxes (about half a minute)");
    let engine = Engine::Docker(engine);
    let image = engine.image(&ImageSource::Named(base.to_owned()), &mut |_| {}).await?;
    let findings = attack::run(&engine, &image, &format!("doctor-{}", std::process::id())).await?;
    let width = |part: fn(&Finding) -> &str| findings.iter().map(|f| part(f).chars().count()).max().unwrap_or(0);
    let (name, expected) = (width(|f| f.name), width(|f| &f.expected));
    super::show(&format!("{:8} {:name$}  {:expected$}  seen", "", "attack", "expected"));
    for finding in &findings {
        let word = match finding.verdict {
            Verdict::Held => "ok",
            Verdict::Hole => "HOLE",
            Verdict::Unproven => "UNPROVEN",
        };
        super::show(&format!("{word:8} {:name$}  {:expected$}  {}", finding.name, finding.expected, finding.seen));
    }
    let held = findings.iter().filter(|finding| finding.verdict == Verdict::Held).count();
    super::show(&format!("\n{held} of {} held", count(findings.len(), "attack")));
    Ok(if held == findings.len() { exit::OK } else { exit::CHECK_FAILED })
}
