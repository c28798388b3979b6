//! The image with an agent in it: built once on top of a task's image, and found again by its content. Python packages
//! are fetched by this machine's pip into a cache, for the image's Python, and copied in.

use super::definition::Definition;
use crate::sandbox::{Command, Engine, Error, Image, ImageSource, Limits, Network, Owner, Spec};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// How long fetching and building may take, each.
const LIMIT: Duration = Duration::from_secs(900);
/// Prints what pip has to know of the image's Python.
const PROBE: &str = "import sys, platform as p\n\
                     print('%d.%d' % sys.version_info[:2], p.machine(), p.libc_ver()[1] or '-')";

/// The image of `task` with the agent in it.
///
/// # Errors
/// Where its packages can't be fetched, or the engine can't build it.
pub async fn image_with(
    definition: &Definition,
    engine: &Engine,
    task: &Image,
    job: &str,
    on_line: &mut (dyn FnMut(String) + Send),
) -> Result<Image, Error> {
    // What plays back a script has no image to install anything in.
    if matches!(engine, Engine::Fake(_)) || (definition.install.is_empty() && definition.files.is_empty()) {
        return Ok(task.clone());
    }
    let failed = |why: String| Error::Context { path: format!("agent `{}`", definition.name), why };
    let context = tempfile::tempdir().map_err(|e| failed(e.to_string()))?;
    for folder in ["wheels", "files", "tools"] {
        std::fs::create_dir(context.path().join(folder)).map_err(|e| failed(e.to_string()))?;
    }
    if !definition.wheels.is_empty() {
        let python = python_of(engine, task, job).await?;
        let wheels = wheels(&definition.wheels, &python, on_line).await.map_err(failed)?;
        copy_wheels(&wheels, context.path()).map_err(|e| failed(format!("`{}`: {e}", wheels.display())))?;
    }
    for file in &definition.files {
        let from = definition.folder.join(file);
        copy(&from, &context.path().join("files").join(file))
            .map_err(|e| failed(format!("`{}`: {e}", from.display())))?;
    }
    std::fs::write(context.path().join("Dockerfile"), dockerfile(definition, task))
        .map_err(|e| failed(e.to_string()))?;
    let source = ImageSource::Built {
        context: context.path().to_path_buf(),
        timeout: LIMIT,
        base: Some(task.tag.clone()),
        force: false,
    };
    let built = engine.image(&source, on_line).await.map_err(|error| match error {
        // The folder that it was built from is gone by now; the agent is what the user can mend.
        Error::Build { why, log, .. } => Error::Build { dockerfile: format!("agent `{}`", definition.name), why, log },
        other => other,
    })?;
    Ok(Image { notes: task.notes.clone(), base: task.base.clone(), ..built })
}

fn dockerfile(definition: &Definition, task: &Image) -> String {
    let mut text = format!(
        "ARG BASE_IMAGE={}\nFROM ${{BASE_IMAGE}}\nUSER root\nCOPY wheels /opt/seatrial/wheels/\n\
         COPY tools /opt/seatrial/tools/\nCOPY files /opt/seatrial/files/\n",
        task.tag
    );
    for line in &definition.install {
        text.push_str(&format!("RUN WHEELS=/opt/seatrial/wheels PIP=/opt/seatrial/tools/pip.whl/pip; {line}\n"));
    }
    if !task.user.is_empty() {
        text.push_str(&format!("USER {}\n", task.user));
    }
    text
}

/// Version, machine and C library of the image's Python.
async fn python_of(engine: &Engine, image: &Image, job: &str) -> Result<[String; 3], Error> {
    let owner = Owner { job: job.to_owned(), trial: "python".to_owned() };
    let spec = Spec { image: image.clone(), network: Network::None, limits: Limits::default(), owner };
    let mut sandbox = engine.open(&spec).await?;
    let command = Command {
        argv: ["python3", "-c", PROBE].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
        user: None,
        timeout: Some(Duration::from_secs(60)),
        grace: Duration::from_secs(1),
        output_cap: 4096,
    };
    let mut said = Vec::new();
    let ran = sandbox.run(&command, &mut |bytes| said.extend_from_slice(bytes)).await;
    let closed = sandbox.close().await;
    ran?;
    closed?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let words: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
    <[String; 3]>::try_from(words).map_err(|_| Error::Context {
        path: image.tag.clone(),
        why: format!("the image has no `python3` that says its version: {said:?}"),
    })
}

/// The folder with these packages and all that they need, fetched now or before.
async fn wheels(
    packages: &[String],
    [version, machine, libc]: &[String; 3],
    on_line: &mut (dyn FnMut(String) + Send),
) -> Result<PathBuf, String> {
    let digest = Sha256::digest(format!("{packages:?}{version}{machine}{libc}"));
    let name: String = digest.iter().take(16).map(|b| format!("{b:02x}")).collect();
    let cache = cache()?;
    let folder = cache.join(&name);
    if folder.is_dir() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&cache).map_err(|e| format!("`{}`: {e}", cache.display()))?;
    let fresh = tempfile::tempdir_in(&cache).map_err(|e| format!("`{}`: {e}", cache.display()))?;
    on_line(format!("fetching {} for Python {version} with this machine's pip", packages.join(", ")));
    let mut pip = tokio::process::Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
    pip.args(["--implementation", "cp", "--python-version", version]);
    for platform in platforms(machine, libc) {
        pip.args(["--platform", &platform]);
    }
    pip.arg("--dest").arg(fresh.path()).args(packages).arg("pip");
    pip.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, pip.output()).await;
    let output = output.map_err(|_| format!("`pip download` took longer than {} s", LIMIT.as_secs()))?;
    let output = output.map_err(|e| format!("`python3 -m pip` can't be started on this machine: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let tail: Vec<&str> = said.lines().rev().take(5).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        return Err(format!("this machine's pip could not fetch its packages:\n  | {}", tail.join("\n  | ")));
    }
    let fresh = fresh.keep();
    match std::fs::rename(&fresh, &folder) {
        Ok(()) => Ok(folder),
        // Another run was first.
        Err(_) if folder.is_dir() => {
            let _ = std::fs::remove_dir_all(&fresh);
            Ok(folder)
        }
        Err(e) => Err(format!("`{}`: {e}", folder.display())),
    }
}

/// The platform tags that fit, the newest first. A C library without a version is musl.
fn platforms(machine: &str, libc: &str) -> Vec<String> {
    let minor = libc.strip_prefix("2.").and_then(|minor| minor.split('.').next()?.parse::<u32>().ok());
    match minor {
        Some(minor) => (5..=minor).rev().map(|minor| format!("manylinux_2_{minor}_{machine}")).collect(),
        None => ["musllinux_1_2", "musllinux_1_1"].iter().map(|tag| format!("{tag}_{machine}")).collect(),
    }
}

fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    Ok(base.ok_or("neither `XDG_CACHE_HOME` nor `HOME` names a place for fetched packages")?.join("seatrial/wheels"))
}

/// pip lies apart, under a name that stays.
fn copy_wheels(wheels: &Path, context: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(wheels)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_pip = name.to_string_lossy().starts_with("pip-");
        let to = if is_pip { context.join("tools/pip.whl") } else { context.join("wheels").join(name) };
        std::fs::copy(entry.path(), to)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in walkdir::WalkDir::new(from).follow_links(false) {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(Path::new("")));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target)?;
        } else if entry.file_type().is_file() {
            std::fs::create_dir_all(target.parent().unwrap_or(to))?;
            std::fs::copy(entry.path(), &target)?;
        } else {
            return Err(std::io::Error::other("it is neither a file nor a folder"));
        }
    }
    Ok(())
}
