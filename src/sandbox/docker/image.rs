//! Images: found, pulled or built. A built image's tag is a digest of exactly what goes into it, so equal contexts
//! share one image and a second run builds nothing.

use super::client::{Engine, call, is_missing, words};
use super::dockerfile::{self, BASE_ARGUMENT};
use super::{BASE, context, labels};
use crate::sandbox::{Error, Image, ImageSource};
use bollard::query_parameters::{BuildImageOptionsBuilder, CreateImageOptionsBuilder};
use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);
const PULL_LIMIT: Duration = Duration::from_secs(900);
/// What the name of every image that is built here begins with; a digest follows.
pub(super) const TASK_IMAGE: &str = "seatrial-task:";
/// How many of a build log's last lines an error shows.
const TAIL: usize = 20;

/// How often a build that fails is tried. A network's failure may pass; a Dockerfile's fails every task and every trial
/// that shares it, and each try may take minutes.
const TRIES: usize = 3;

/// What became of an image's builds in this process.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The failures: the engine's words and the log's last lines. Tasks share a turn, so no Dockerfile is named.
    failed: Vec<(String, Vec<String>)>,
    built: bool,
}

/// What a base image of a Dockerfile came down to.
#[derive(Debug, Clone)]
pub(super) struct BaseImage {
    found: Result<Found, Error>,
    at: Instant,
}

/// An image that a Dockerfile starts from.
#[derive(Debug, Clone)]
struct Found {
    image: String,
    id: String,
    /// It is not the one that the Dockerfile names.
    stands_in: bool,
}

impl Engine {
    /// See [`crate::sandbox::Engine::image`].
    ///
    /// # Errors
    /// As there.
    pub async fn image(&self, source: &ImageSource, on_line: &mut (dyn FnMut(String) + Send)) -> Result<Image, Error> {
        match source {
            ImageSource::Named(name) => match self.inspect(name).await? {
                Some(image) => Ok(image),
                None => {
                    self.pull(name, on_line).await?;
                    let image = self.inspect(name).await?.ok_or_else(|| not_there(name))?;
                    Ok(Image { built: true, ..image })
                }
            },
            ImageSource::Built { context, timeout, base, force } => {
                self.built(context, *timeout, base.as_deref(), *force, on_line).await
            }
        }
    }

    async fn built(
        &self,
        folder: &Path,
        timeout: Duration,
        base: Option<&str>,
        force: bool,
        on_line: &mut (dyn FnMut(String) + Send),
    ) -> Result<Image, Error> {
        let file = folder.join("Dockerfile");
        let text = std::fs::read_to_string(&file)
            .map_err(|e| Error::Context { path: file.display().to_string(), why: e.to_string() })?;
        let mut arguments: HashMap<String, String> =
            base.map(|base| (BASE_ARGUMENT.to_owned(), base.to_owned())).into_iter().collect();
        let mut notes = Vec::new();
        let mut hasher = Sha256::new();
        let mut last = None;
        for mut from in dockerfile::froms(&text, &arguments) {
            // A base that the user named is that base or none.
            from.replaceable &= base.is_none();
            let found = self.base_image(&from, on_line).await?;
            if found.stands_in {
                let (wanted, image) = (&from.image, &found.image);
                notes.push(format!("images are built on the local base `{image}`, since `{wanted}` can't be pulled here (`docker pull` says why)"));
                arguments.insert(BASE_ARGUMENT.to_owned(), image.clone());
            }
            hasher.update(format!("base\0{}\0", found.id));
            last = Some((found.image, found.id));
        }
        let mut sorted: Vec<_> = arguments.iter().collect();
        sorted.sort();
        sorted.iter().for_each(|(name, value)| hasher.update(format!("argument\0{name}\0{value}\0")));
        let packed = context::pack(folder)?;
        hasher.update(&packed);
        let digest: String = hasher.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
        let tag = format!("{TASK_IMAGE}{digest}");
        let lock = self.0.builds.lock().await.entry(tag.clone()).or_default().clone();
        let mut turn = lock.lock().await;
        let mut image = if force && !turn.built { None } else { self.inspect(&tag).await? };
        if image.is_none() {
            if turn.failed.len() >= TRIES {
                let (why, log) = turn.failed[TRIES - 1].clone();
                return Err(Error::Build { dockerfile: file.display().to_string(), why, log });
            }
            if let Err((why, log)) = self.build(&tag, &arguments, packed, timeout, on_line).await {
                turn.failed.push((why.clone(), log.clone()));
                return Err(Error::Build { dockerfile: file.display().to_string(), why, log });
            }
            turn.built = true;
            image = self.inspect(&tag).await?.map(|image| Image { built: true, ..image });
        }
        let image = image.ok_or_else(|| not_there(&tag))?;
        Ok(Image { notes, base: last, ..image })
    }

    async fn build(
        &self,
        tag: &str,
        arguments: &HashMap<String, String>,
        packed: Vec<u8>,
        timeout: Duration,
        on_line: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), (String, Vec<String>)> {
        let options = BuildImageOptionsBuilder::default()
            .dockerfile("Dockerfile")
            .t(tag)
            .rm(true)
            .forcerm(true)
            .buildargs(arguments)
            .labels(&labels::common())
            .build();
        let mut log: Vec<String> = Vec::new();
        let mut answers = self.docker().build_image(options, None, Some(bollard::body_full(packed.into())));
        let run = async {
            while let Some(answer) = answers.next().await {
                let text = answer?.stream.unwrap_or_default();
                for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
                    on_line(line.to_owned());
                    log.push(line.to_owned());
                }
            }
            Ok(())
        };
        let why = match tokio::time::timeout(timeout, run).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(e)) => words(&e),
            Err(_) => format!("it took longer than {} s (`environment.build_timeout_sec`)", timeout.as_secs()),
        };
        let log = log.split_off(log.len().saturating_sub(TAIL));
        Err((why, log))
    }

    /// The image to use for a FROM, with its id. What is found is kept; what isn't is asked for again after a while.
    async fn base_image(
        &self,
        from: &dockerfile::From,
        on_line: &mut (dyn FnMut(String) + Send),
    ) -> Result<Found, Error> {
        // The lock is held while pulling: trials that need the same base wait for one pull.
        let mut known = self.0.bases.lock().await;
        let key = format!("{}\0{}", from.image, from.replaceable);
        if let Some(base) = known.get(&key)
            && (base.found.is_ok() || base.at.elapsed() < Duration::from_secs(30))
        {
            return base.found.clone();
        }
        let found = self.find_base(from, on_line).await;
        known.insert(key, BaseImage { found: found.clone(), at: Instant::now() });
        found
    }

    async fn find_base(
        &self,
        from: &dockerfile::From,
        on_line: &mut (dyn FnMut(String) + Send),
    ) -> Result<Found, Error> {
        let found = |image: &str, id, stands_in| Found { image: image.to_owned(), id, stands_in };
        if let Some(image) = self.inspect(&from.image).await? {
            return Ok(found(&from.image, image.id, false));
        }
        match self.pull(&from.image, on_line).await {
            Ok(()) => {
                let image = self.inspect(&from.image).await?.ok_or_else(|| not_there(&from.image))?;
                Ok(found(&from.image, image.id, false))
            }
            // A Dockerfile that lets its base be chosen gets ours, where there is one.
            Err(Error::Pull { image, why }) if from.replaceable => match self.inspect(BASE).await? {
                Some(base) => {
                    on_line(format!("`{image}` can't be pulled: {why}"));
                    Ok(found(BASE, base.id, true))
                }
                None => Err(Error::Pull { image, why }),
            },
            Err(error) => Err(error),
        }
    }

    async fn pull(&self, name: &str, on_line: &mut (dyn FnMut(String) + Send)) -> Result<(), Error> {
        on_line(format!("pulling {name}"));
        // Without a tag the engine would pull every tag there is.
        let last = name.rsplit('/').next().unwrap_or(name);
        let tagged = last.contains([':', '@']);
        let full = if tagged { name.to_owned() } else { format!("{name}:latest") };
        let options = CreateImageOptionsBuilder::default().from_image(&full).build();
        let mut answers = self.docker().create_image(Some(options), None, None);
        let run = async {
            while let Some(answer) = answers.next().await {
                answer?;
            }
            Ok::<(), bollard::errors::Error>(())
        };
        let why = match tokio::time::timeout(PULL_LIMIT, run).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(e)) => words(&e),
            Err(_) => format!("it took longer than {} s", PULL_LIMIT.as_secs()),
        };
        Err(Error::Pull { image: name.to_owned(), why })
    }

    /// Whether the engine has an image of that name; nothing is pulled.
    ///
    /// # Errors
    /// Where the engine can't be asked.
    pub async fn has_image(&self, name: &str) -> Result<bool, Error> {
        Ok(self.inspect(name).await?.is_some())
    }

    /// What the engine knows of an image; `None` where it has none of that name.
    pub(super) async fn inspect(&self, name: &str) -> Result<Option<Image>, Error> {
        let answer = async {
            match self.docker().inspect_image(name).await {
                Err(e) if is_missing(&e) => Ok(None),
                answer => answer.map(Some),
            }
        };
        let Some(image) = call("inspect image", name, LIMIT, answer).await? else { return Ok(None) };
        let config = image.config.unwrap_or_default();
        let pair = |line: &String| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Some(Image {
            tag: name.to_owned(),
            id: image.id.unwrap_or_default(),
            env: config.env.unwrap_or_default().iter().filter_map(pair).collect(),
            workdir: config.working_dir.filter(|dir| !dir.is_empty()).unwrap_or_else(|| "/".to_owned()),
            user: config.user.unwrap_or_default(),
            built: false,
            base: None,
            notes: Vec::new(),
        }))
    }
}

fn not_there(name: &str) -> Error {
    Error::Engine {
        verb: "inspect image",
        what: name.to_owned(),
        why: "the engine said that it is done, but has no such image".to_owned(),
    }
}
