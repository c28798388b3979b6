//! Puts the supervisor where containers can run it: a volume that is filled once for each engine, named by the
//! program's digest and mounted read-only. So it works in any image, also one without libc or shell, and with remote
//! engines too, where no folder of this machine could be mounted.

use super::client::{Engine, call, is_missing, words};
use super::{super::Error, labels};
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType, VolumeCreateRequest};
use bollard::query_parameters::{
    ContainerArchiveInfoOptionsBuilder, CreateContainerOptions, RemoveContainerOptionsBuilder,
    UploadToContainerOptionsBuilder,
};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// The program, as `build.rs` made it; empty where this build is not for Linux.
static PROGRAM: &[u8] = include_bytes!(env!("SEATRIAL_SUPERVISOR"));
/// Where the volume is mounted in every container.
const FOLDER: &str = "/.seatrial";
/// The program in every container.
pub const PATH: &str = "/.seatrial/supervisor";
const LIMIT: Duration = Duration::from_secs(60);

/// Says why this build's supervisor can't run on such an engine.
pub fn check(os: &str, arch: &str) -> Result<(), String> {
    let ours = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    if PROGRAM.is_empty() {
        return Err("this build of seatrial has no supervisor, since it was not built on Linux".to_owned());
    }
    if os != "linux" || arch != ours {
        return Err(format!("it runs {os}/{arch}, and this build of seatrial has a supervisor for linux/{ours}"));
    }
    Ok(())
}

/// How every container of ours sees the volume.
pub fn mount(volume: &str) -> Mount {
    Mount {
        typ: Some(MountType::VOLUME),
        source: Some(volume.to_owned()),
        target: Some(FOLDER.to_owned()),
        read_only: Some(true),
        ..Mount::default()
    }
}

/// The volume's name, filled if it wasn't. `image` is any image that the engine has.
pub async fn volume(engine: &Engine, image: &str) -> Result<String, Error> {
    engine.0.supervisor.get_or_try_init(|| fill(engine, image)).await.cloned()
}

async fn fill(engine: &Engine, image: &str) -> Result<String, Error> {
    let docker = engine.docker();
    let digest: String = Sha256::digest(PROGRAM).iter().take(8).map(|b| format!("{b:02x}")).collect();
    let volume = format!("seatrial-supervisor-{digest}");
    let request =
        VolumeCreateRequest { name: Some(volume.clone()), labels: Some(labels::common()), ..Default::default() };
    call("create volume", &volume, LIMIT, docker.create_volume(request)).await?;
    // A volume can only be looked into through a container that has it mounted; it is never started.
    let mut writable = mount(&volume);
    writable.read_only = Some(false);
    let body = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec![PATH.to_owned()]),
        labels: Some(labels::of_trial(&super::super::Owner { job: "supervisor".to_owned(), trial: volume.clone() })),
        host_config: Some(HostConfig {
            network_mode: Some("none".to_owned()),
            mounts: Some(vec![writable]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let made =
        call("create container", &volume, LIMIT, docker.create_container(None::<CreateContainerOptions>, body)).await?;
    let filled = put(engine, &made.id, &volume).await;
    let remove = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    let removed = call("remove container", &made.id, LIMIT, docker.remove_container(&made.id, Some(remove))).await;
    filled.and(removed).map(|()| volume)
}

async fn put(engine: &Engine, container: &str, volume: &str) -> Result<(), Error> {
    let docker = engine.docker();
    let look = ContainerArchiveInfoOptionsBuilder::default().path(PATH).build();
    match docker.get_container_archive_info(container, Some(look)).await {
        Ok(stat) if stat.size == PROGRAM.len() as i64 => return Ok(()),
        // Not there, or the rest of a write that was cut short.
        Ok(_) => {}
        Err(e) if is_missing(&e) => {}
        Err(e) => {
            return Err(Error::Engine { verb: "look into volume", what: volume.to_owned(), why: words(&e) });
        }
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(PROGRAM.len() as u64);
    header.set_mode(0o755);
    let mut archive = tar::Builder::new(Vec::new());
    let packed = archive.append_data(&mut header, "supervisor", PROGRAM).and_then(|()| archive.into_inner());
    let packed = packed.map_err(|e| Error::Context { path: PATH.to_owned(), why: e.to_string() })?;
    let options = UploadToContainerOptionsBuilder::default().path(FOLDER).build();
    let upload = docker.upload_to_container(container, Some(options), bollard::body_full(packed.into()));
    call("fill volume", volume, LIMIT, upload).await
}
