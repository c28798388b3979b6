//! A base image of our own from Debian packages, for machines that reach no registry: what an agent over a text
//! corpus needs (python3, curl, certificates, grep, coreutils), made by mmdebstrap and imported into the engine.

use super::client::{Engine, words};
use super::labels;
use crate::sandbox::Error;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::StreamExt;
use std::process::Stdio;
use tokio::io::AsyncReadExt;

/// The name of the local base image.
pub const BASE: &str = "seatrial-base:local";
const PACKAGES: &str = "python3,curl,ca-certificates,grep,coreutils";
/// What text-only containers never read; half of the size.
const LEFT_OUT: [&str; 4] = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"];

/// The local base image, as the engine has it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The engine's id of it.
    pub id: String,
    /// False where it was there before.
    pub built: bool,
}

/// Makes sure that the engine has the local base image; about half a minute where it hasn't.
///
/// # Errors
/// [`Error::Base`] where mmdebstrap is missing or fails, with its last words.
pub async fn build_base(engine: &Engine, force: bool, on_line: &mut dyn FnMut(&str)) -> Result<Base, Error> {
    if !force && let Some(image) = engine.inspect(BASE).await? {
        return Ok(Base { id: image.id, built: false });
    }
    let failed = |why: String| Error::Base(why);
    let folder = tempfile::tempdir().map_err(|e| failed(e.to_string()))?;
    let archive = folder.path().join("base.tar");
    on_line("packing Debian packages (about half a minute)");
    let mut command = tokio::process::Command::new("mmdebstrap");
    // Fixed times make two builds from the same packages the same bytes. Without a release and a mirror in the
    // arguments, mmdebstrap takes the machine's own.
    command.env("SOURCE_DATE_EPOCH", "0").args(["--variant=minbase", "--include", PACKAGES]);
    command.args(LEFT_OUT.map(|path| format!("--dpkgopt=path-exclude={path}")));
    command.arg(release()?).arg(&archive).stdin(Stdio::null());
    let output = command.output().await.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => failed("`mmdebstrap` is not installed".to_owned()),
        _ => failed(format!("`mmdebstrap`: {e}")),
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let tail: Vec<&str> = said.lines().rev().take(10).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        return Err(failed(format!("`mmdebstrap` ended with {}:\n  | {}", output.status, tail.join("\n  | "))));
    }
    on_line("importing the image");
    import(engine, &archive).await?;
    let image = engine.inspect(BASE).await?.ok_or_else(|| failed("the engine has no such image".to_owned()))?;
    Ok(Base { id: image.id, built: true })
}

async fn import(engine: &Engine, archive: &std::path::Path) -> Result<(), Error> {
    let failed = |why: String| Error::Base(why);
    let file = tokio::fs::File::open(archive).await.map_err(|e| failed(e.to_string()))?;
    let body = futures_util::stream::unfold(file, |mut file| async move {
        let mut piece = vec![0; 1 << 20];
        match file.read(&mut piece).await {
            Ok(0) => None,
            Ok(n) => {
                piece.truncate(n);
                Some((Ok(piece.into()), file))
            }
            Err(e) => Some((Err(e), file)),
        }
    });
    let (repo, tag) = BASE.split_once(':').unwrap_or((BASE, "latest"));
    let label = format!("LABEL {}={}", labels::MARK, env!("CARGO_PKG_VERSION"));
    let changes = vec![label, r#"CMD ["python3"]"#.to_owned()];
    let options = CreateImageOptionsBuilder::default().from_src("-").repo(repo).tag(tag).changes(changes).build();
    let mut answers = engine.docker().create_image(Some(options), Some(bollard::body_try_stream(body)), None);
    while let Some(answer) = answers.next().await {
        answer.map_err(|e| failed(words(&e)))?;
    }
    Ok(())
}

/// This machine's release, such as `bookworm`.
fn release() -> Result<String, Error> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.map(|name| name.trim_matches('"').to_owned())
        .ok_or_else(|| Error::Base("this machine is neither Debian nor Ubuntu".to_owned()))
}
