//! The images of a job: each task's is made ready when its first trial needs it, once; later trials wait for the same.

use super::setup::Job;
use crate::agent::{Agent, image_with};
use crate::event::Event;
use crate::sandbox::{Engine, Error, Image};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Instant;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedSender;

/// One place for each image: a task's, with an agent in it where that is installed, and its own without any.
#[derive(Debug)]
pub struct Images {
    ready: Vec<OnceCell<Image>>,
    agents: usize,
    /// What has been said already: tasks share images, and a thing is said once.
    said: Mutex<BTreeSet<String>>,
}

impl Images {
    /// None is ready yet.
    pub fn new(tasks: usize, agents: usize) -> Images {
        Images { ready: (0..tasks * (agents + 1)).map(|_| OnceCell::new()).collect(), agents, said: Mutex::default() }
    }

    /// The task's image for this agent, or its own for whoever isn't one. One that could not be made ready is tried again by the next trial that asks.
    pub async fn of(
        &self,
        engine: &Engine,
        job: &Job,
        task: usize,
        agent: Option<usize>,
        events: &UnboundedSender<Event>,
    ) -> Result<Image, Error> {
        let ready = &self.ready[task * (self.agents + 1) + agent.unwrap_or(self.agents)];
        let ready = ready.get_or_try_init(|| self.make(engine, job, task, agent, events)).await?;
        Ok(ready.clone())
    }

    async fn make(
        &self,
        engine: &Engine,
        job: &Job,
        task: usize,
        agent: Option<usize>,
        events: &UnboundedSender<Event>,
    ) -> Result<Image, Error> {
        let started = Instant::now();
        // Nobody reads any more where the job is being stopped.
        let say = |event| drop(events.send(event));
        let name = &job.tasks[task].name;
        let mut begun = false;
        let mut on_line = |line: String| {
            if !std::mem::replace(&mut begun, true) {
                say(Event::ImageStarted { task: name.clone() });
            }
            say(Event::ImageOutput { task: name.clone(), line });
        };
        let mut image = engine.image(&job.tasks[task].image, &mut on_line).await?;
        if let Some(Agent::Installed(definition)) = agent.map(|agent| &job.agents[agent].agent) {
            image = image_with(definition, engine, &image, &job.name, &mut on_line).await?;
        }
        for note in &image.notes {
            if self.is_new(note) {
                say(Event::Notice { text: note.clone() });
            }
        }
        if self.is_new(&image.tag) || begun {
            let seconds = started.elapsed().as_secs_f64();
            let (tag, id, built) = (image.tag.clone(), image.id.clone(), image.built);
            let base = image.base.clone();
            say(Event::ImageReady { task: name.clone(), image: tag, id, base, built, seconds });
        }
        Ok(image)
    }

    fn is_new(&self, text: &str) -> bool {
        self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(text.to_owned())
    }
}
