//! The user's wish to stop, seen by every trial at once.

use crate::model::Halt;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// Set once, never unset. Clones share it.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>, Arc<OnceLock<Halt>>);

impl Default for Stop {
    fn default() -> Stop {
        Stop(Arc::new(watch::Sender::new(false)), Arc::default())
    }
}

impl Stop {
    /// From now on nothing new starts, and what runs is ended.
    pub fn set(&self) {
        self.0.send_replace(true);
    }

    /// The same, for a reason that no trial can go on with. The first one counts.
    pub fn set_because(&self, why: Halt) {
        let _ = self.1.set(why);
        self.set();
    }

    /// Why it was set, where that was not the user's wish.
    pub fn reason(&self) -> Option<&Halt> {
        self.1.get()
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when it is set.
    pub async fn wait(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = receiver.wait_for(|set| *set).await;
    }
}
