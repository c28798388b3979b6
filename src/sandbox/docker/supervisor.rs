//! Puts the supervisor where containers can run it: a volume that is filled once for each engine, named by the
//! program's digest and mounted read-only. So it works in any image, also one without libc or shell, and with remote
//! engines too, where no folder of this machine could be mounted.

use super::client::{Engine, call, is_missing, words};
use super::labels;
use crate::sandbox::{Error, Owner};
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType, VolumeCreateRequest};
use bollard::query_parameters::{
    ContainerArchiveInfoOptionsBuilder, CreateContainerOptions, ListVolumesOptionsBuilder,
    UploadToContainerOptionsBuilder,
};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
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
    // A second volume, empty, says that the first is filled. Looking into a volume takes a container and as long as
    // half a trial; looking for two names takes milliseconds.
    let filled = format!("{volume}-filled");
    let ours = HashMap::from([("label".to_owned(), vec![labels::MARK.to_owned()])]);
    let options = ListVolumesOptionsBuilder::default().filters(&ours).build();
    let list = call("list volumes of", "seatrial", LIMIT, docker.list_volumes(Some(options))).await?;
    let names: Vec<String> = list.volumes.unwrap_or_default().into_iter().map(|volume| volume.name).collect();
    if names.contains(&volume) && names.contains(&filled) {
        return Ok(volume);
    }
    make(engine, &volume).await?;
    // A volume can only be looked into through a container that has it mounted; it is never started.
    let mut writable = mount(&volume);
    writable.read_only = Some(false);
    let owner = Owner { job: "supervisor".to_owned(), trial: volume.clone() };
    let body = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec![PATH.to_owned()]),
        labels: Some(labels::of_trial(&owner)),
        host_config: Some(HostConfig {
            network_mode: Some("none".to_owned()),
            mounts: Some(vec![writable]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let made =
        call("create container", &volume, LIMIT, docker.create_container(None::<CreateContainerOptions>, body)).await?;
    let put = put(engine, &made.id, &volume).await;
    let removed = engine.remove_container(&made.id, &volume).await;
    put.and(removed)?;
    make(engine, &filled).await?;
    Ok(volume)
}

async fn make(engine: &Engine, name: &str) -> Result<(), Error> {
    let request =
        VolumeCreateRequest { name: Some(name.to_owned()), labels: Some(labels::common()), ..Default::default() };
    call("create volume", name, LIMIT, engine.docker().create_volume(request)).await.map(drop)
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
