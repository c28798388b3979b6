//! Removes what dead runners have left in an engine, by label. Never touches what isn't ours, nor what belongs to a
//! runner that lives or may live.

use super::client::{Engine, call, is_missing, words};
use super::labels::{self, Runner};
use crate::sandbox::Error;
use bollard::models::{ContainerSummary, ContainerSummaryStateEnum as State};
use bollard::query_parameters::{
    ListContainersOptionsBuilder, ListImagesOptionsBuilder, ListVolumesOptionsBuilder, RemoveContainerOptionsBuilder,
    RemoveImageOptionsBuilder, RemoveVolumeOptionsBuilder,
};
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const LIMIT: Duration = Duration::from_secs(60);
/// How long a container of a runner elsewhere must have been there, not running, before it counts as left behind. A
/// container whose runner is gone stops by itself, and a living runner removes its own within seconds.
const STALE: u64 = 600;

/// One thing that was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// `container`, `volume` or `image`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The job it was of, where it was of one.
    pub job: Option<String>,
}

impl Engine {
    /// Removes containers that dead runners left, and those of `job` that this runner made. One that can't be removed
    /// keeps neither the others nor a new job from their way; the next sweep finds it again.
    ///
    /// # Errors
    /// Where the engine can't be asked.
    pub async fn sweep(&self, job: Option<&str>) -> Result<Vec<Result<Swept, Error>>, Error> {
        let mut swept = Vec::new();
        for (id, found) in self.left_behind(job).await? {
            swept.push(self.remove_container(&id, &found.name).await.map(|()| found));
        }
        Ok(swept)
    }

    /// What [`Engine::sweep`] would remove, with the containers' ids.
    ///
    /// # Errors
    /// Where the engine can't be asked.
    pub async fn left_behind(&self, job: Option<&str>) -> Result<Vec<(String, Swept)>, Error> {
        let ours = HashMap::from([("label".to_owned(), vec![labels::MARK.to_owned()])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&ours).build();
        let list = self.docker().list_containers(Some(options));
        let list = call("list containers of", "seatrial", LIMIT, list).await?;
        Ok(list.into_iter().filter(|c| is_left_behind(c, job)).filter_map(describe).collect())
    }

    /// Removes the images that were built here and the volumes with the supervisor; base images only with `bases`.
    ///
    /// # Errors
    /// Where the engine can't be asked. What is in use stays.
    pub async fn clean_images(&self, bases: bool, dry_run: bool) -> Result<Vec<Swept>, Error> {
        let ours = HashMap::from([("label".to_owned(), vec![labels::MARK.to_owned()])]);
        let mut swept = Vec::new();
        let options = ListImagesOptionsBuilder::default().filters(&ours).build();
        let images = call("list images of", "seatrial", LIMIT, self.docker().list_images(Some(options))).await?;
        // Others may have built on an image of ours and have inherited its label: only our names are ours.
        let is_ours = |tag: &String| tag.starts_with(super::image::TASK_IMAGE) || (bases && tag == super::BASE);
        for name in images.into_iter().flat_map(|image| image.repo_tags).filter(is_ours) {
            let remove = RemoveImageOptionsBuilder::default().build();
            if dry_run || self.docker().remove_image(&name, Some(remove), None).await.is_ok() {
                swept.push(Swept { kind: "image", name, job: None });
            }
        }
        let options = ListVolumesOptionsBuilder::default().filters(&ours).build();
        let list = call("list volumes of", "seatrial", LIMIT, self.docker().list_volumes(Some(options))).await?;
        for volume in list.volumes.unwrap_or_default() {
            let remove = RemoveVolumeOptionsBuilder::default().build();
            if dry_run || self.docker().remove_volume(&volume.name, Some(remove)).await.is_ok() {
                swept.push(Swept { kind: "volume", name: volume.name, job: None });
            }
        }
        Ok(swept)
    }

    /// Ends and removes a container; one that is gone already is fine.
    pub(super) async fn remove_container(&self, id: &str, name: &str) -> Result<(), Error> {
        let options = || RemoveContainerOptionsBuilder::default().force(true).v(true).build();
        let mut why = String::new();
        // A container that is just ending answers with a conflict; the next try finds it ended or gone.
        for pause in [0, 50, 200, 1000] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            match tokio::time::timeout(LIMIT, self.docker().remove_container(id, Some(options()))).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(e)) if is_missing(&e) => return Ok(()),
                Ok(Err(e)) => why = words(&e),
                Err(_) => why = format!("no answer within {} s", LIMIT.as_secs()),
            }
        }
        Err(Error::Engine { verb: "remove container", what: name.to_owned(), why })
    }
}

fn is_left_behind(container: &ContainerSummary, job: Option<&str>) -> bool {
    let label = |name| container.labels.as_ref().and_then(|labels| labels.get(name)).map(String::as_str);
    let Some(runner) = label(labels::RUNNER) else { return false };
    match labels::runner(runner) {
        Runner::Dead => true,
        Runner::This => job.is_some() && label(labels::JOB) == job,
        Runner::Lives => false,
        Runner::Unknown => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
            let age = now.saturating_sub(container.created.unwrap_or(0).max(0) as u64);
            container.state != Some(State::RUNNING) && age > STALE
        }
    }
}

fn describe(container: ContainerSummary) -> Option<(String, Swept)> {
    let name = container.names.and_then(|names| names.into_iter().next());
    let id = container.id?;
    let name = name.map_or_else(|| id.clone(), |name| name.trim_start_matches('/').to_owned());
    let job = container.labels.and_then(|labels| labels.get(labels::JOB).cloned());
    Some((id, Swept { kind: "container", name, job }))
}
